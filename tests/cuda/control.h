/* What tests may ask of the simulated CUDA libraries beyond CUDA's own functions: find them with dlsym in the simulated
 * libcuda.
 *
 * Environment: TESS_SIM_LAZY=1, TESS_SIM_ORDER=reverse, TESS_SIM_FAIL=N or N+, TESS_SIM_FAIL_CODE=2,
 * TESS_SIM_DEVICES=2, TESS_SIM_MEMORY=bytes, TESS_SIM_CC=90, TESS_SIM_NVRTC_FAIL=N or N+ (compilations),
 * TESS_SIM_CXX=g++. */
#ifndef SIM_CONTROL_H
#define SIM_CONTROL_H

#include <stdint.h>

#define SIM_API __attribute__((visibility("default")))

/* Let the n-th call from now that can fail do so with this code, once or from then on; n = 0: none. It also forgets an
 * error that sticks. Calls of all four libraries count; those that release something do not, and always do it. */
SIM_API void sim_fail(int64_t n, int code, int forever);

/* Calls so far that could have failed. */
SIM_API int64_t sim_calls(void);

/* Queue work until somebody waits for it (1), or run it at once (0). */
SIM_API void sim_lazy(int lazy);

/* Run threads and blocks from the last to the first (1), or in their order (0). */
SIM_API void sim_reverse(int reverse);

/* How many are alive: "allocations" "bytes" "streams" "events" "modules" "host" "pools" "contexts" (pushed, in all
 * threads) "primary" (retained) "work" (queued) "plans" (cuFFT) "handles" (cuBLAS) "programs" (NVRTC). -1: another. */
SIM_API int64_t sim_live(const char *what);

/* The names of all calls, those that release included: how many, and the k-th; NULL behind the last. A launch is
 * followed by the name of its kernel. */
SIM_API int64_t     sim_logged(void);
SIM_API const char *sim_log(int64_t k);

/* How often this name is in the log. */
SIM_API int64_t sim_count(const char *name);

#endif
