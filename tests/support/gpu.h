/* Tests on a GPU, real or simulated: arrays are put there with their strides and the memory around them, and brought
 * back. The programs of tests/gpu run on the simulated libraries in `make test`, and on a real GPU in `make test-gpu`. */
#ifndef TESS_TEST_GPU_H
#define TESS_TEST_GPU_H

#include "support/layouts.h"
#include "support/test.h"

/* The first GPU; without one, the running test is skipped and the answer is false. */
bool test_gpu(tess_device *device);

/* Is there time for sizes and combinations that the simulator is too slow for? (TESS_TEST_LARGE=1) */
bool test_large(void);

/* Is number i this process's? With TESS_TEST_SHARE=2/4 those of the third of four shares are, for processes side by side;
 * without it all. */
bool test_share(int64_t i);

/* The same view of a copy of all the memory it spans, on a GPU, with the same strides; negative, zero or permuted. To be
 * released. */
tess_array gpu_copy(const tess_array *host);

/* The same of a guarded array's whole block. gpu_fetch brings the whole block back into `g`, where guarded_check then
 * tells whether anything but its elements has changed. */
tess_array gpu_guarded(const guarded *g);
void       gpu_fetch(guarded *g, const tess_array *gpu);

/* Is every byte of every element the same in two arrays of one shape and dtype, each on any device? If not, the test
 * fails and the first difference is told. */
bool gpu_same(const tess_array *got, const tess_array *want, const char *what);

/* Run one test of this program in another process: its exit status. There test_is_again is true. */
int  test_again(const char *test);
bool test_is_again(void);

/* What tests may ask of the simulated libraries: functions of tests/cuda/control.h, whose names begin with sim_. */
typedef struct gpu_controls {
    void (*fail)(int64_t n, int code, int forever);
    int64_t (*calls)(void);
    void (*lazy)(int lazy);
    int64_t (*live)(const char *what);
    int64_t (*count)(const char *name);
} gpu_controls;

/* False if the simulated libraries are not in use. The driver is opened. */
bool gpu_simulated(gpu_controls *controls);

/* A view on the GPU with the elements and the strides of one on the host: negative, zero and with gaps too. The caller
 * owns it. */
bool test_mirror(tess_array *gpu, const tess_array *host, tess_device device);

/* An array on the host, of random strides and of numbers from `low` to `high`, and the same on the GPU. */
typedef struct gpu_pair {
    guarded    host;
    tess_array gpu;
} gpu_pair;

void gpu_pair_make(gpu_pair *p, tess_shape shape, tess_dtype dtype, double low, double high, tess_device device);
void gpu_pair_drop(gpu_pair *p);

/* A contiguous copy on the host. The caller owns it. */
bool test_fetch(tess_array *host, const tess_array *gpu);

/* Elements are the same bits, but for NaNs, of which any equals any; both of one shape and dtype. `a` may be on a
 * GPU. */
bool test_same_bits(const tess_array *a, const tess_array *b);

/* Floats and complex numbers that differ by no more than `bound` times the largest magnitude in `b`; or times `scale`,
 * if that is larger, for results that cancel. */
bool test_close(const tess_array *a, const tess_array *b, double bound);
bool test_close_at(const tess_array *a, const tess_array *b, double bound, double scale);

#endif
