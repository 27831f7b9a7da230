/* The simulated CUDA libraries themselves: kernels, streams, failures, and that mistakes are found. */
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/control.h"
#include "support/test.h"

typedef uint64_t address;

/* Functions of the four libraries, by name. */
#define FUNCTIONS(X)                                                                                                   \
    X(cuda, cuInit, int, (unsigned int))                                                                               \
    X(cuda, cuDeviceGetCount, int, (int *))                                                                            \
    X(cuda, cuDeviceGetAttribute, int, (int *, int, int))                                                              \
    X(cuda, cuDevicePrimaryCtxRetain, int, (void **, int))                                                             \
    X(cuda, cuDevicePrimaryCtxRelease_v2, int, (int))                                                                  \
    X(cuda, cuCtxPushCurrent_v2, int, (void *))                                                                        \
    X(cuda, cuCtxPopCurrent_v2, int, (void **))                                                                        \
    X(cuda, cuCtxSynchronize, int, (void))                                                                             \
    X(cuda, cuMemGetInfo_v2, int, (size_t *, size_t *))                                                                \
    X(cuda, cuMemAlloc_v2, int, (address *, size_t))                                                                   \
    X(cuda, cuMemFree_v2, int, (address))                                                                              \
    X(cuda, cuMemAllocAsync, int, (address *, size_t, void *))                                                         \
    X(cuda, cuMemFreeAsync, int, (address, void *))                                                                    \
    X(cuda, cuDeviceGetDefaultMemPool, int, (void **, int))                                                            \
    X(cuda, cuMemPoolSetAttribute, int, (void *, int, void *))                                                         \
    X(cuda, cuMemPoolGetAttribute, int, (void *, int, void *))                                                         \
    X(cuda, cuMemPoolTrimTo, int, (void *, size_t))                                                                    \
    X(cuda, cuMemHostAlloc, int, (void **, size_t, unsigned int))                                                      \
    X(cuda, cuMemFreeHost, int, (void *))                                                                              \
    X(cuda, cuMemcpyHtoDAsync_v2, int, (address, const void *, size_t, void *))                                        \
    X(cuda, cuMemcpyDtoHAsync_v2, int, (void *, address, size_t, void *))                                              \
    X(cuda, cuMemcpyAsync, int, (address, address, size_t, void *))                                                    \
    X(cuda, cuMemcpy3DAsync_v2, int, (const void *, void *))                                                           \
    X(cuda, cuMemsetD8Async, int, (address, unsigned char, size_t, void *))                                            \
    X(cuda, cuMemsetD32Async, int, (address, unsigned int, size_t, void *))                                            \
    X(cuda, cuPointerGetAttributes, int, (unsigned, const int *, void **, address))                                    \
    X(cuda, cuStreamCreate, int, (void **, unsigned int))                                                              \
    X(cuda, cuStreamDestroy_v2, int, (void *))                                                                         \
    X(cuda, cuStreamSynchronize, int, (void *))                                                                        \
    X(cuda, cuStreamQuery, int, (void *))                                                                              \
    X(cuda, cuStreamWaitEvent, int, (void *, void *, unsigned int))                                                    \
    X(cuda, cuEventCreate, int, (void **, unsigned int))                                                               \
    X(cuda, cuEventDestroy_v2, int, (void *))                                                                          \
    X(cuda, cuEventRecord, int, (void *, void *))                                                                      \
    X(cuda, cuModuleLoadData, int, (void **, const void *))                                                            \
    X(cuda, cuModuleUnload, int, (void *))                                                                             \
    X(cuda, cuModuleGetFunction, int, (void **, void *, const char *))                                                 \
    X(cuda, cuLaunchKernel, int,                                                                                       \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))        \
    X(cuda, cuLaunchHostFunc, int, (void *, void (*)(void *), void *))                                                 \
    X(cuda, cuGetErrorName, int, (int, const char **))                                                                 \
    X(cuda, sim_fail, void, (int64_t, int, int))                                                                       \
    X(cuda, sim_calls, int64_t, (void))                                                                                \
    X(cuda, sim_lazy, void, (int))                                                                                     \
    X(cuda, sim_reverse, void, (int))                                                                                  \
    X(cuda, sim_live, int64_t, (const char *))                                                                         \
    X(cuda, sim_count, int64_t, (const char *))                                                                        \
    X(nvrtc, nvrtcCreateProgram, int,                                                                                  \
      (void **, const char *, const char *, int, const char *const *, const char *const *))                            \
    X(nvrtc, nvrtcCompileProgram, int, (void *, int, const char *const *))                                             \
    X(nvrtc, nvrtcGetCUBINSize, int, (void *, size_t *))                                                               \
    X(nvrtc, nvrtcGetCUBIN, int, (void *, char *))                                                                     \
    X(nvrtc, nvrtcGetProgramLogSize, int, (void *, size_t *))                                                          \
    X(nvrtc, nvrtcGetProgramLog, int, (void *, char *))                                                                \
    X(nvrtc, nvrtcDestroyProgram, int, (void **))                                                                      \
    X(cufft, cufftCreate, int, (int *))                                                                                \
    X(cufft, cufftDestroy, int, (int))                                                                                 \
    X(cufft, cufftSetStream, int, (int, void *))                                                                       \
    X(cufft, cufftSetAutoAllocation, int, (int, int))                                                                  \
    X(cufft, cufftSetWorkArea, int, (int, void *))                                                                     \
    X(cufft, cufftMakePlanMany64, int,                                                                                 \
      (int, int, long long *, long long *, long long, long long, long long *, long long, long long, int, long long,    \
       size_t *))                                                                                                      \
    X(cufft, cufftExecC2C, int, (int, void *, void *, int))                                                            \
    X(cufft, cufftExecD2Z, int, (int, void *, void *))                                                                 \
    X(cufft, cufftExecZ2D, int, (int, void *, void *))                                                                 \
    X(cublas, cublasCreate_v2, int, (void **))                                                                         \
    X(cublas, cublasDestroy_v2, int, (void *))                                                                         \
    X(cublas, cublasSetStream_v2, int, (void *, void *))                                                               \
    X(cublas, cublasZgemmStridedBatched_64, int,                                                                       \
      (void *, int, int, int64_t, int64_t, int64_t, const void *, address, int64_t, long long, address, int64_t,       \
       long long, const void *, address, int64_t, long long, int64_t))

#define DECLARE(library, name, type, arguments) type(*name) arguments;
static struct {
    FUNCTIONS(DECLARE)
    void *cuda, *nvrtc, *cufft, *cublas;
    void *context[2], *stream;
} t;
#undef DECLARE

static void *open_library(const char *name)
{
    char        path[4096];
    const char *folder = getenv("TESS_CUDA_PATH");
    if (folder != NULL) {
        (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    } else {
        ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);
        while (length > 0 && path[length - 1] != '/') length--;
        (void)snprintf(path + (length > 0 ? length : 0), 64, "simulated/%s", name);
    }
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) (void)test_failed(__FILE__, __LINE__, "%s", dlerror());
    return library;
}

/* Kernels need a compiler of C++. */
static bool has_compiler(void)
{
    static int missing = -1;
    if (missing < 0) missing = getenv("TESS_SIM_CXX") == NULL && system("g++ --version >/dev/null 2>&1") != 0;
    if (missing > 0) test_skip("g++ is not installed");
    return missing == 0;
}

/* Open the libraries and use the first device; once. */
static bool open_all(void)
{
    if (t.stream != NULL) return true;
    if (!has_compiler()) return false;
    (void)setenv("TESS_SIM_MEMORY", "16777216", 1);
    t.cuda = open_library("libcuda.so.1");
    t.nvrtc = open_library("libnvrtc.so.13");
    t.cufft = open_library("libcufft.so.12");
    t.cublas = open_library("libcublas.so.13");
    if (t.cuda == NULL || t.nvrtc == NULL || t.cufft == NULL || t.cublas == NULL) return false;
#define FIND(library, name, type, arguments)                                                                           \
    *(void **)&t.name = dlsym(t.library, #name);                                                                       \
    if (t.name == NULL) return test_failed(__FILE__, __LINE__, "%s is missing", #name);
    FUNCTIONS(FIND)
#undef FIND
    t.sim_lazy(0); /* whatever the environment says */
    t.sim_reverse(0);
    t.sim_fail(0, 0, 0);
    return CHECK(t.cuInit(0) == 0) && CHECK(t.cuDevicePrimaryCtxRetain(&t.context[0], 0) == 0) &&
           CHECK(t.cuDevicePrimaryCtxRetain(&t.context[1], 1) == 0) &&
           CHECK(t.cuCtxPushCurrent_v2(t.context[0]) == 0) && CHECK(t.cuStreamCreate(&t.stream, 1) == 0);
}

static const char kernels[] =
    "#include \"sizes.h\"\n"
    "struct arrays { float *out; const float *a, *b; long long n; };\n"
    "SIM_KERNEL(add, 256, arrays, p)\n"
    "{\n"
    "    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < p.n; i += (long long)gridDim.x * "
    "blockDim.x)\n"
    "        p.out[i] = p.a[i] + p.b[i];\n"
    "}\n"
    "static __device__ float sum_of_warp(float x)\n"
    "{\n"
    "    for (int d = 16; d > 0; d /= 2) x += __shfl_down_sync(0xffffffffu, x, d);\n"
    "    return x;\n"
    "}\n"
    "SIM_KERNEL(sum, 256, arrays, p)\n"
    "{\n"
    "    __shared__ float part[WARPS];\n"
    "    float x = 0;\n"
    "    for (long long i = threadIdx.x; i < p.n; i += blockDim.x) x += p.a[i];\n"
    "    x = sum_of_warp(x);\n"
    "    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = x;\n"
    "    __syncthreads();\n"
    "    if (threadIdx.x >= 32) return;\n"
    "    x = sum_of_warp(threadIdx.x < WARPS ? part[threadIdx.x] : 0.0f);\n"
    "    if (threadIdx.x == 0) p.out[blockIdx.x] = x;\n"
    "}\n"
    "SIM_KERNEL(spill, 32, arrays, p) { if (threadIdx.x == 3) p.out[p.n] = 1; }\n"
    "SIM_KERNEL(beyond, 32, arrays, p) { __shared__ int x[WARPS]; x[p.n + threadIdx.x] = 1; __syncwarp(); p.out[0] = "
    "x[0]; }\n"
    "SIM_KERNEL(askew, 32, arrays, p) { *(float4 *)(p.out + p.n) = make_float4(1, 2, 3, 4); }\n"
    "SIM_KERNEL(apart, 32, arrays, p)\n"
    "{\n"
    "    if (threadIdx.x < 5)\n"
    "        __syncthreads();\n"
    "    else\n"
    "        __syncthreads();\n"
    "    p.out[0] = 1;\n"
    "}\n"
    "SIM_KERNEL(race, 64, arrays, p)\n"
    "{\n"
    "    __shared__ int last;\n"
    "    last = threadIdx.x;\n"
    "    __syncthreads();\n"
    "    p.out[threadIdx.x] = last;\n"
    "}\n"
    "SIM_KERNEL(stuck, 32, arrays, p) { if (threadIdx.x < 4) __syncwarp(0xff); else __syncthreads(); p.out[0] = 1; }\n"
    "SIM_KERNEL(votes, 64, arrays, p)\n"
    "{\n"
    "    const unsigned odd = __ballot_sync(0xffffffffu, threadIdx.x & 1), same = __match_any_sync(0xffffffffu, "
    "threadIdx.x / 8);\n"
    "    const double up = __shfl_up_sync(0xffffffffu, (double)threadIdx.x, 1, 8);\n"
    "    atomicAdd(p.out + 64, 1.0f);\n"
    "    p.out[threadIdx.x] = (float)(odd == 0xaaaaaaaau) + 2 * (float)__popc(same) + 100 * (float)up;\n"
    "}\n";

typedef struct arrays {
    address   out, a, b;
    long long n;
} arrays;

static int compile(char **image, const char *source, const char *option)
{
    const char *const headers[] = { "enum { WARPS = 8 };\n" }, *const names[] = { "sizes.h" };
    const char *const options[] = { "--gpu-architecture=sm_90", "--fmad=false", option };
    void             *program = NULL;
    size_t            size = 0;
    int               status = t.nvrtcCreateProgram(&program, source, "kernels.cu", 1, headers, names);
    if (status == 0) status = t.nvrtcCompileProgram(program, 3, options);
    if (status == 0) status = t.nvrtcGetCUBINSize(program, &size);
    *image = calloc(1, size + 4096);
    if (status == 0) status = t.nvrtcGetCUBIN(program, *image);
    else if (t.nvrtcGetProgramLogSize(program, &size) == 0 && size < 4096) (void)t.nvrtcGetProgramLog(program, *image);
    (void)t.nvrtcDestroyProgram(&program);
    return status;
}

static void *module;

static void *find_kernel(const char *name)
{
    void *function = NULL;
    if (module == NULL) {
        char *image = NULL;
        if (CHECK(compile(&image, kernels, "-w") == 0)) (void)CHECK(t.cuModuleLoadData(&module, image) == 0);
        else puts(image);
        free(image);
    }
    (void)CHECK(t.cuModuleGetFunction(&function, module, name) == 0);
    return function;
}

static int launch(const char *name, unsigned int blocks, unsigned int threads, arrays a)
{
    return t.cuLaunchKernel(find_kernel(name), blocks, 1, 1, threads, 1, 1, 0, t.stream, (void *[]){ &a }, NULL);
}

enum { N = 1000 };

/* An array of N floats on the device, start, start + 1, … */
static address make(float start)
{
    float   values[N];
    address made = 0;
    for (int i = 0; i < N; i++) values[i] = start + (float)i;
    CHECK_I64(t.cuMemAllocAsync(&made, sizeof values, t.stream), 0);
    CHECK_I64(t.cuMemcpyHtoDAsync_v2(made, values, sizeof values, t.stream), 0);
    return made;
}

static void drop(address a) { CHECK_I64(t.cuMemFreeAsync(a, t.stream), 0); }

static void add_and_sum(void)
{
    static float out[N]; /* copies may come late */
    address      a = make(1), b = make(10), c = make(0), part = make(0);
    CHECK_I64(launch("add", 3, 128, (arrays){ c, a, b, N }), 0);
    CHECK_I64(launch("sum", 2, 256, (arrays){ part, c, 0, N }), 0);
    CHECK_I64(t.cuMemcpyDtoHAsync_v2(out, c, sizeof out, t.stream), 0);
    CHECK_I64(t.cuStreamSynchronize(t.stream), 0);
    for (int i = 0; i < N; i++)
        if (out[i] != (float)(11 + 2 * i)) CHECK_I64((int64_t)out[i], 11 + 2 * i);
    CHECK_I64(t.cuMemcpyDtoHAsync_v2(out, part, 8, t.stream), 0);
    CHECK_I64(t.cuStreamSynchronize(t.stream), 0);
    CHECK(out[0] == 1010000 && out[1] == out[0]);
    drop(a), drop(b), drop(c), drop(part);
    CHECK_I64(t.cuStreamSynchronize(t.stream), 0);
    CHECK_I64(t.sim_live("allocations"), 0);
    CHECK_I64(t.sim_live("bytes"), 0);
}

TEST(kernels_with_barriers_and_shuffles)
{
    if (!open_all()) return;
    add_and_sum();
    t.sim_reverse(1);
    add_and_sum();
    t.sim_reverse(0);
    CHECK(t.sim_count("cuLaunchKernel") >= 4 && t.sim_count("sum") >= 2);
    CHECK_I64(t.sim_live("programs"), 0);
}

TEST(kernels_when_lazy)
{
    if (!open_all()) return;
    t.sim_lazy(1);
    add_and_sum();
    address a = make(0);
    CHECK(t.sim_live("work") == 2);
    CHECK_I64(t.cuStreamQuery(t.stream), 600);
    CHECK_I64(t.cuStreamQuery(t.stream), 0);
    drop(a);
    t.sim_lazy(0);
    CHECK_I64(t.sim_live("allocations"), 0);
}

TEST(votes_and_matches)
{
    if (!open_all()) return;
    float   out[65];
    address a = make(0);
    CHECK_I64(t.cuMemsetD8Async(a, 0, sizeof out, t.stream), 0);
    CHECK_I64(launch("votes", 1, 64, (arrays){ a, 0, 0, N }), 0);
    CHECK_I64(t.cuMemcpyDtoHAsync_v2(out, a, sizeof out, t.stream), 0);
    for (int i = 0; i < 64; i++) CHECK_I64((int64_t)out[i], 1 + 2 * 8 + 100 * (i % 8 == 0 ? i : i - 1));
    CHECK_I64((int64_t)out[64], 64);
    drop(a);
}

/* The order of threads shows where a kernel depends on it. */
TEST(races_show_in_reverse)
{
    if (!open_all()) return;
    float   out = 0;
    address a = make(0);
    for (int reverse = 0; reverse < 2; reverse++) {
        t.sim_reverse(reverse);
        CHECK_I64(launch("race", 1, 64, (arrays){ a, 0, 0, 0 }), 0);
        CHECK_I64(t.cuMemcpyDtoHAsync_v2(&out, a, 4, t.stream), 0);
        CHECK_I64((int64_t)out, reverse != 0 ? 0 : 63);
    }
    t.sim_reverse(0);
    drop(a);
}

TEST(events_between_lazy_streams)
{
    if (!open_all()) return;
    float out[2] = { 0, 0 };
    void *other = NULL, *event = NULL;
    t.sim_lazy(1);
    CHECK_I64(t.cuStreamCreate(&other, 1), 0);
    CHECK_I64(t.cuEventCreate(&event, 2), 0);
    address a = make(5), b = make(7);
    CHECK_I64(t.cuEventRecord(event, t.stream), 0);
    CHECK_I64(t.cuStreamWaitEvent(other, event, 0), 0);
    CHECK_I64(t.cuMemcpyAsync((address)(uintptr_t)&out[0], a, 4, other), 0);
    CHECK_I64(t.cuMemcpyAsync((address)(uintptr_t)&out[1], b, 4, other), 0);
    CHECK(out[0] == 0 && t.sim_live("work") > 0);
    CHECK_I64(t.cuEventDestroy_v2(event), 0);
    CHECK_I64(t.cuStreamSynchronize(other), 0);
    CHECK(out[0] == 5 && out[1] == 7);
    drop(a), drop(b);
    CHECK_I64(t.cuStreamDestroy_v2(other), 0);
    CHECK_I64(t.cuStreamSynchronize(other), 400);
    t.sim_lazy(0);
    CHECK_I64(t.sim_live("events"), 0);
    CHECK_I64(t.sim_live("streams"), 1);
}

TEST(pageable_memory_is_taken_at_the_call_pinned_later)
{
    if (!open_all()) return;
    int     pageable = 1, out[2] = { 0, 0 }, *pinned = NULL, type = 0;
    address a = make(0);
    CHECK_I64(t.cuMemHostAlloc((void **)&pinned, sizeof *pinned, 0), 0);
    const int asked = 2;
    void     *value = &type;
    CHECK(t.cuPointerGetAttributes(1, &asked, &value, (address)(uintptr_t)pinned) == 0 && type == 1);
    CHECK(t.cuPointerGetAttributes(1, &asked, &value, a + 8) == 0 && type == 2);
    CHECK(t.cuPointerGetAttributes(1, &asked, &value, (address)(uintptr_t)&type) == 0 && type == 0);
    *pinned = 1;
    t.sim_lazy(1);
    CHECK_I64(t.cuMemcpyHtoDAsync_v2(a, &pageable, 4, t.stream), 0);
    CHECK_I64(t.cuMemcpyHtoDAsync_v2(a + 4, pinned, 4, t.stream), 0);
    pageable = *pinned = 2;
    CHECK_I64(t.cuMemcpyDtoHAsync_v2(out, a, 8, t.stream), 0);
    CHECK(out[0] == 0);
    CHECK_I64(t.cuCtxSynchronize(), 0);
    CHECK(out[0] == 1 && out[1] == 2);
    t.sim_lazy(0);
    drop(a);
    CHECK_I64(t.cuMemFreeHost(pinned), 0);
    CHECK_I64(t.sim_live("host"), 0);
}

static void note_call(void *data) { *(int *)data = t.cuCtxSynchronize(); }

TEST(functions_of_the_host_may_not_call)
{
    if (!open_all()) return;
    int seen = 0;
    CHECK_I64(t.cuLaunchHostFunc(t.stream, note_call, &seen), 0);
    CHECK_I64(seen, 800);
}

enum { THREADS = 4, ROUNDS = 50 };

static void count_call(void *data) { ++*(int *)data; }

/* A stream of its own for each thread; the work of all may run in any of them. */
static void *use_stream(void *data)
{
    int     *bad = data, calls = 0;
    void    *stream = NULL;
    address  a = 0;
    unsigned out = 0;
    *bad += t.cuCtxPushCurrent_v2(t.context[0]) != 0 || t.cuStreamCreate(&stream, 1) != 0;
    for (unsigned k = 1; k <= ROUNDS; k++) {
        *bad += t.cuMemAllocAsync(&a, 64, stream) != 0 || t.cuMemsetD32Async(a, k, 16, stream) != 0;
        *bad += t.cuLaunchHostFunc(stream, count_call, &calls) != 0;
        *bad += t.cuMemcpyDtoHAsync_v2(&out, a + 60, 4, stream) != 0 || t.cuMemFreeAsync(a, stream) != 0;
        *bad += t.cuStreamSynchronize(stream) != 0 || out != k || calls != (int)k;
    }
    *bad += t.cuStreamDestroy_v2(stream) != 0 || t.cuCtxPopCurrent_v2(NULL) != 0;
    return NULL;
}

TEST(many_threads)
{
    if (!open_all()) return;
    for (int lazy = 0; lazy < 2; lazy++) {
        pthread_t threads[THREADS];
        int       bad[THREADS] = { 0 };
        t.sim_lazy(lazy);
        for (int k = 0; k < THREADS; k++) CHECK(pthread_create(&threads[k], NULL, use_stream, &bad[k]) == 0);
        for (int k = 0; k < THREADS; k++) CHECK(pthread_join(threads[k], NULL) == 0 && bad[k] == 0);
    }
    t.sim_lazy(0);
    CHECK_I64(t.sim_live("contexts"), 1);
    CHECK_I64(t.sim_live("streams"), 1);
    CHECK_I64(t.sim_live("allocations"), 0);
}

TEST(pools_keep_memory_until_trimmed)
{
    if (!open_all()) return;
    void    *pool = NULL;
    address  a = 0;
    size_t   unused[3], total = 0;
    uint64_t keep = UINT64_MAX, reserved = 0;
    CHECK_I64(t.cuDeviceGetDefaultMemPool(&pool, 0), 0);
    CHECK_I64(t.cuMemPoolSetAttribute(pool, 4, &keep), 0);
    CHECK_I64(t.cuMemPoolTrimTo(pool, 0), 0);
    CHECK_I64(t.cuMemGetInfo_v2(&unused[0], &total), 0);
    CHECK_I64(t.cuMemAllocAsync(&a, total / 2 + 1, t.stream), 0);
    drop(a);
    CHECK_I64(t.cuStreamSynchronize(t.stream), 0);
    CHECK(t.cuMemPoolGetAttribute(pool, 5, &reserved) == 0 && reserved > total / 2);
    CHECK_I64(t.cuMemGetInfo_v2(&unused[1], &total), 0);
    CHECK(unused[1] == unused[0] - (size_t)reserved);
    CHECK_I64(t.cuMemAlloc_v2(&a, total / 2 + 1), 2);
    CHECK_I64(t.cuMemPoolTrimTo(pool, 0), 0);
    CHECK_I64(t.cuMemGetInfo_v2(&unused[2], &total), 0);
    CHECK(unused[2] == unused[0]);
    keep = 0;
    CHECK_I64(t.cuMemPoolSetAttribute(pool, 4, &keep), 0);
}

TEST(boxes_are_copied)
{
    if (!open_all()) return;
    struct {
        struct {
            size_t      x, y, z, level;
            int         type;
            const void *host;
            address     device;
            void       *array, *reserved;
            size_t      pitch, height;
        } from, to;
        size_t width, height, depth;
    } box = { .from = { .type = 1, .pitch = 4, .height = 3, .x = 1, .y = 1 },
              .to = { .type = 2, .pitch = 2, .height = 2 },
              .width = 2,
              .height = 2,
              .depth = 2 };
    const char bytes[] = "0123456789abcdefghijklmnopqrstuvwxyz";
    char       out[9] = "";
    address    a = make(0);
    box.from.host = bytes;
    box.to.device = a;
    CHECK_I64(t.cuMemcpy3DAsync_v2(&box, t.stream), 0);
    CHECK_I64(t.cuMemcpyDtoHAsync_v2(out, a, 8, t.stream), 0);
    CHECK_TEXT(out, "569ahilm");
    drop(a);
}

TEST(calls_fail_on_demand)
{
    if (!open_all()) return;
    address     a = 0;
    const char *name = NULL;
    t.sim_fail(2, 2, 0);
    CHECK_I64(t.cuCtxSynchronize(), 0);
    CHECK_I64(t.cuMemAlloc_v2(&a, 4), 2);
    CHECK_I64(t.cuMemAlloc_v2(&a, 4), 0);
    t.sim_fail(1, 2, 1);
    CHECK_I64(t.cuCtxSynchronize(), 2);
    CHECK_I64(t.cuCtxSynchronize(), 2);
    t.sim_fail(1, 700, 0);
    CHECK_I64(t.cuStreamSynchronize(t.stream), 700);
    CHECK_I64(t.cuMemFree_v2(a), 700);
    CHECK_I64(t.cuCtxSynchronize(), 700);
    t.sim_fail(0, 0, 0);
    CHECK_I64(t.cuCtxSynchronize(), 0);
    CHECK_I64(t.sim_live("allocations"), 0);
    CHECK(t.cuGetErrorName(700, &name) == 0 && strcmp(name, "CUDA_ERROR_ILLEGAL_ADDRESS") == 0);
    CHECK_I64(t.cuMemAlloc_v2(&a, (size_t)1 << 40), 2);
    CHECK_I64(t.cuMemFree_v2(a + 8), 1);
}

TEST(compilers_complain)
{
    if (!open_all()) return;
    char *log = NULL;
    CHECK_I64(compile(&log, "#include \"sizes.h\"\nint x = WARP;\n", "-w"), 6);
    CHECK(strstr(log, "kernels.cu:2") != NULL && strstr(log, "WARP") != NULL);
    free(log);
    CHECK_I64(compile(&log, "#include <stdio.h>\n", "-w"), 6);
    free(log);
    CHECK_I64(compile(&log, "", "--no-such-option"), 5);
    free(log);
    (void)setenv("TESS_SIM_NVRTC_FAIL", "1+", 1);
    CHECK_I64(compile(&log, kernels, "-w"), 6);
    (void)unsetenv("TESS_SIM_NVRTC_FAIL");
    free(log);
}

/* ---- Mistakes that end the process: each runs in a process of its own -------------------------------------------- */

static void spill(void) { (void)launch("spill", 1, 32, (arrays){ make(0), 0, 0, N }); }
static void touch(void) { *(volatile char *)(uintptr_t)make(0) = 1; }
static void beyond(void) { (void)launch("beyond", 1, 32, (arrays){ make(0), 0, 0, 0 }); }
static void askew(void) { (void)launch("askew", 1, 32, (arrays){ make(0), 0, 0, 3 }); }
static void apart(void) { (void)launch("apart", 1, 32, (arrays){ make(0), 0, 0, 0 }); }
static void stuck(void) { (void)launch("stuck", 1, 32, (arrays){ make(0), 0, 0, N }); }

static void use_freed(void)
{
    const address a = make(0);
    drop(a);
    (void)launch("race", 1, 64, (arrays){ a, 0, 0, 0 });
}

static void free_too_early(void)
{
    void *other = NULL;
    t.sim_lazy(1);
    (void)t.cuStreamCreate(&other, 1);
    const address a = make(0);
    (void)t.cuStreamSynchronize(t.stream);
    (void)launch("race", 1, 64, (arrays){ a, 0, 0, 0 });
    (void)t.cuMemFree_v2(a);
    (void)t.cuStreamSynchronize(t.stream);
}

static void other_device(void)
{
    address a = 0;
    (void)t.cuCtxPushCurrent_v2(t.context[1]);
    (void)t.cuMemAlloc_v2(&a, 1024);
    (void)t.cuCtxPopCurrent_v2(NULL);
    (void)launch("race", 1, 64, (arrays){ a, 0, 0, 0 });
}

static const struct {
    const char *name;
    void (*run)(void);
    const char *says; /* NULL: the host crashes */
} mistakes[] = {
    { "spill", spill, "byte 4000 was overwritten, seen after spill" },
    { "touch", touch, NULL },
    { "stuck", stuck, "waits in line" },
    { "beyond", beyond, "index beyond an array" },
    { "askew", askew, "misaligned address" },
    { "apart", apart, "wait at different barriers" },
    { "use_freed", use_freed, "illegal address" },
    { "free_too_early", free_too_early, "illegal address" },
    { "other_device", other_device, "illegal address" },
};
enum { MISTAKES = sizeof mistakes / sizeof *mistakes };

/* Run by the next test, in a new process. */
TEST(one_mistake)
{
    const char *name = getenv("SIM_MISTAKE");
    if (name == NULL || !open_all()) return;
    for (int k = 0; k < MISTAKES; k++)
        if (strcmp(mistakes[k].name, name) == 0) mistakes[k].run();
}

static void check_mistake(int k)
{
    int  ends[2];
    char said[4096] = "";
    if (!CHECK(pipe(ends) == 0)) return;
    const pid_t child = fork();
    if (child == 0) {
        (void)setenv("SIM_MISTAKE", mistakes[k].name, 1);
        (void)dup2(ends[1], STDERR_FILENO);
        (void)dup2(ends[1], STDOUT_FILENO);
        (void)execl("/proc/self/exe", "cuda_simulated", "one_mistake", (char *)NULL);
        _exit(0);
    }
    (void)close(ends[1]);
    size_t length = 0;
    for (ssize_t n = 1; n > 0 && length<sizeof said - 1; length += n> 0 ? (size_t)n : 0)
        n = read(ends[0], said + length, sizeof said - 1 - length);
    (void)close(ends[0]);
    int end = 0;
    (void)waitpid(child, &end, 0);
    if (WIFEXITED(end) && WEXITSTATUS(end) == 0)
        (void)test_failed(__FILE__, __LINE__, "%s went well", mistakes[k].name);
    if (mistakes[k].says != NULL && strstr(said, mistakes[k].says) == NULL)
        (void)test_failed(__FILE__, __LINE__, "%s said: %s", mistakes[k].name, said);
}

TEST(mistakes_end_the_process)
{
    if (!has_compiler()) return;
    for (int k = 0; k < MISTAKES; k++) check_mistake(k);
}

TEST(a_forked_child_gets_errors)
{
    if (!open_all()) return;
    const pid_t child = fork();
    if (child == 0) _exit(t.cuCtxSynchronize() == 3 && t.cuInit(0) == 3 ? 0 : 1);
    int end = 1;
    (void)waitpid(child, &end, 0);
    CHECK(WIFEXITED(end) && WEXITSTATUS(end) == 0);
}

/* ---- Transforms and products ------------------------------------------------------------------------------------- */

enum { R = 5, C = 12, H = C / 2 + 1 };

/* The transform of a matrix, with rows of `C` reals that are `pitch` apart, by its definition. */
static void plain_transform(double *out, const double *in, int pitch)
{
    for (int u = 0; u < R; u++)
        for (int v = 0; v < H; v++) {
            double re = 0, im = 0;
            for (int y = 0; y < R; y++)
                for (int x = 0; x < C; x++) {
                    const double angle = -6.283185307179586 * ((double)(u * y) / R + (double)(v * x) / C);
                    re += in[y * pitch + x] * cos(angle);
                    im += in[y * pitch + x] * sin(angle);
                }
            out[2 * (u * H + v)] = re;
            out[2 * (u * H + v) + 1] = im;
        }
}

static double furthest(const double *a, const double *b, int count)
{
    double most = 0;
    for (int k = 0; k < count; k++) most = fmax(most, isnan(a[k]) ? 1e9 : fabs(a[k] - b[k]));
    return most;
}

TEST(transforms_with_embedding)
{
    if (!open_all()) return;
    enum { PITCH = C + 3, BATCH = 2 };
    double    in[BATCH * R * PITCH], want[BATCH * R * H * 2], got[BATCH * R * H * 2];
    long long n[2] = { R, C }, in_embed[2] = { R, PITCH }, out_embed[2] = { R, H };
    int       forward = 0, back = 0;
    size_t    size = 0;
    address   a = make(0), b = make(0), area = make(0);
    for (int k = 0; k < BATCH * R * PITCH; k++) in[k] = test_random_unit() - 0.5;
    for (int k = 0; k < BATCH; k++) plain_transform(want + k * R * H * 2, in + k * R * PITCH, PITCH);
    CHECK_I64(t.cuMemcpyHtoDAsync_v2(a, in, sizeof in, t.stream), 0);
    CHECK(t.cufftCreate(&forward) == 0 && t.cufftCreate(&back) == 0);
    CHECK_I64(t.cufftSetAutoAllocation(forward, 0), 0);
    CHECK_I64(t.cufftMakePlanMany64(forward, 2, n, in_embed, 1, R * PITCH, out_embed, 1, R * H, 0x6a, BATCH, &size), 0);
    CHECK_I64(t.cufftMakePlanMany64(back, 2, n, out_embed, 1, R * H, in_embed, 1, R * PITCH, 0x6c, BATCH, &size), 0);
    CHECK(t.cufftSetStream(forward, t.stream) == 0 && t.cufftSetStream(back, t.stream) == 0);
    CHECK_I64(t.cufftExecD2Z(forward, (void *)(uintptr_t)a, (void *)(uintptr_t)b), 13);
    CHECK_I64(t.cufftSetWorkArea(forward, (void *)(uintptr_t)area), 0);
    CHECK_I64(t.cufftExecD2Z(forward, (void *)(uintptr_t)a, (void *)(uintptr_t)b), 0);
    CHECK_I64(t.cuMemcpyDtoHAsync_v2(got, b, sizeof got, t.stream), 0);
    CHECK(furthest(got, want, BATCH * R * H * 2) < 1e-13);
    CHECK_I64(t.cufftExecZ2D(back, (void *)(uintptr_t)b, (void *)(uintptr_t)a), 0);
    CHECK_I64(t.cuMemcpyDtoHAsync_v2(want, b, sizeof want, t.stream), 0);
    CHECK(isnan(want[0])); /* such a transform may spoil its input */
    double returned[BATCH * R * PITCH];
    CHECK_I64(t.cuMemcpyDtoHAsync_v2(returned, a, sizeof returned, t.stream), 0);
    for (int k = 0; k < BATCH * R * PITCH; k++)
        if (k % PITCH < C) returned[k] /= R * C;
    CHECK(furthest(returned, in, BATCH * R * PITCH) < 1e-14);
    CHECK(t.cufftDestroy(forward) == 0 && t.cufftDestroy(back) == 0);
    drop(a), drop(b), drop(area);
    CHECK(t.sim_live("plans") == 0 && t.sim_live("allocations") == 0);
}

TEST(products_of_matrices)
{
    if (!open_all()) return;
    enum { M = 3, K = 4, L = 2 }; /* a is stored as K x M and taken conjugate, transposed */
    double  x[2 * K * M], y[2 * K * L], got[2 * M * L], want[2 * M * L] = { 0 };
    void   *handle = NULL;
    address a = make(0), b = make(0), c = make(0);
    for (int k = 0; k < 2 * K * M; k++) x[k] = test_random_unit();
    for (int k = 0; k < 2 * K * L; k++) y[k] = test_random_unit();
    for (int l = 0; l < L; l++)
        for (int m = 0; m < M; m++)
            for (int k = 0; k < K; k++) {
                const double *p = x + 2 * (k + m * K), *q = y + 2 * (k + l * K);
                want[2 * (m + l * M)] += 2 * (p[0] * q[0] + p[1] * q[1]);
                want[2 * (m + l * M) + 1] += 2 * (p[0] * q[1] - p[1] * q[0]);
            }
    const double alpha[2] = { 2, 0 }, beta[2] = { 0, 0 };
    CHECK_I64(t.cuMemcpyHtoDAsync_v2(a, x, sizeof x, t.stream), 0);
    CHECK_I64(t.cuMemcpyHtoDAsync_v2(b, y, sizeof y, t.stream), 0);
    CHECK(t.cublasCreate_v2(&handle) == 0 && t.cublasSetStream_v2(handle, t.stream) == 0);
    CHECK_I64(t.cublasZgemmStridedBatched_64(handle, 2, 0, M, L, K, alpha, a, K, 0, b, K, 0, beta, c, M, 0, 1), 0);
    CHECK_I64(t.cublasZgemmStridedBatched_64(handle, 2, 0, M, L, K, alpha, a, K - 1, 0, b, K, 0, beta, c, M, 0, 1), 7);
    CHECK_I64(t.cuMemcpyDtoHAsync_v2(got, c, sizeof got, t.stream), 0);
    CHECK(furthest(got, want, 2 * M * L) < 1e-14);
    CHECK_I64(t.cublasDestroy_v2(handle), 0);
    drop(a), drop(b), drop(c);
    CHECK_I64(t.sim_live("handles"), 0);
}
