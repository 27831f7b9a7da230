/* Products of matrices against the BLAS of the system: our own kernels, and the way through us to that BLAS.
 *
 * One JSON line each. `--quick` takes fewer rounds. The BLAS is found as the library finds it with TESS_BLAS=auto; where
 * there is none, a naive loop is timed instead. Set TESS_BLAS to time the library's way to it.
 */
#include <dlfcn.h>

#include "bench.h"

static int rounds = 7;

typedef void gemm_f32(int, int, int, int, int, int, float, const void *, int, const void *, int, float, void *, int);
typedef void gemm_f64(int, int, int, int, int, int, double, const void *, int, const void *, int, double, void *, int);
typedef void gemm_complex(int, int, int, int, int, int, const void *, const void *, int, const void *, int,
                          const void *, void *, int);
typedef void threads_fn(int);

static gemm_f32     *blas_f32;
static gemm_f64     *blas_f64;
static gemm_complex *blas_c32, *blas_c64;
static threads_fn   *blas_threads; /* OpenBLAS's own */

static const char *find_blas(void)
{
    static const char *const known[] = { "libopenblas.so.0", "libcblas.so.3", "libblas.so.3" };
    for (int i = 0; i < 3; i++) {
        void *library = dlopen(known[i], RTLD_NOW | RTLD_LOCAL);
        if (!library) continue;
        *(void **)&blas_f32 = dlsym(library, "cblas_sgemm");
        *(void **)&blas_f64 = dlsym(library, "cblas_dgemm");
        *(void **)&blas_c32 = dlsym(library, "cblas_cgemm");
        *(void **)&blas_c64 = dlsym(library, "cblas_zgemm");
        *(void **)&blas_threads = dlsym(library, "openblas_set_num_threads");
        if (blas_f32 && blas_f64 && blas_c32 && blas_c64) return known[i];
    }
    return NULL;
}

typedef struct matmul_case {
    tess_array a, b, out;
    tess_array read; /* the matrix in the order of memory, where the limit is the time of reading it */
} matmul_case;

static void run_ours(void *context)
{
    matmul_case *c = context;
    bench_need(tess_matmul(&c->out, &c->a, &c->b, NULL));
}

static void run_blas(void *context)
{
    const matmul_case *c = context;
    const int          m = (int)c->a.shape.h, k = (int)c->a.shape.w, n = (int)c->b.shape.w;
    const int64_t      size = (int64_t)tess_dtype_size(c->a.dtype);
    const float        one_f32[2] = { 1, 0 }, none_f32[2] = { 0, 0 };
    const double       one_f64[2] = { 1, 0 }, none_f64[2] = { 0, 0 };
    for (int64_t i = 0; i < c->out.shape.b; i++) {
        const char *a = (char *)c->a.data + i * c->a.strides.b * size,
                   *b = (char *)c->b.data + i * c->b.strides.b * size;
        char *out = (char *)c->out.data + i * c->out.strides.b * size;
        if (c->a.dtype == TESS_F32) blas_f32(101, 111, 111, m, n, k, 1, a, k, b, n, 0, out, n);
        else if (c->a.dtype == TESS_F64) blas_f64(101, 111, 111, m, n, k, 1, a, k, b, n, 0, out, n);
        else if (c->a.dtype == TESS_C32) blas_c32(101, 111, 111, m, n, k, one_f32, a, k, b, n, none_f32, out, n);
        else blas_c64(101, 111, 111, m, n, k, one_f64, a, k, b, n, none_f64, out, n);
    }
}

static tess_array random_array(tess_shape shape, tess_dtype dtype)
{
    static uint64_t state = 1;
    tess_array      a = { 0 }, wide = { 0 };
    bench_need(tess_empty(&wide, shape, TESS_F64, tess_cpu()));
    double *x = wide.data;
    for (int64_t i = 0; i < tess_n_elements(&wide); i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        x[i] = (double)(state >> 40) * 0x1p-24 - 0.5;
    }
    bench_need(tess_cast(&a, &wide, dtype, NULL));
    tess_release(&wide);
    return a;
}

static void compare(const char *name, int64_t batch, int64_t m, int64_t n, int64_t k, tess_dtype dtype, int threads)
{
    matmul_case c = { random_array(TESS_SHAPE(batch, 1, m, k), dtype),
                      random_array(TESS_SHAPE(batch, 1, k, n), dtype),
                      { .data = NULL },
                      { .data = NULL } };
    char        what[96];
    bench_need(tess_threads_set(threads));
    if (blas_threads) blas_threads(threads);
    run_ours(&c);
    const double of_one = dtype == TESS_C32 || dtype == TESS_C64 ? 8 : 2;
    const double flops = of_one * (double)batch * (double)m * (double)n * (double)k;
    bench_pair   p = { bench_time(run_ours, &c, 0.2), 0 };
    if (blas_c64 && dtype != TESS_I64) p = bench_compare(run_ours, &c, run_blas, &c, rounds, 0.05);
    (void)snprintf(what, sizeof what, "%s by %s, %.1f GFlop/s", name, tess_linalg_provider(), flops / p.ours * 1e-9);
    bench_report(what, tess_dtype_name(dtype), threads, p);
    tess_release(&c.a);
    tess_release(&c.b);
    tess_release(&c.out);
}

/* The limit is the time of reading the matrix: its sum. */
static void run_read(void *context)
{
    const matmul_case *c = context;
    tess_array         sum = { 0 };
    bench_need(tess_sum(&sum, &c->read, 0, NULL));
    tess_release(&sum);
}

/* A matrix of m by n, by columns if `transposed`, times a vector; or, if `left`, a vector times it. */
static void compare_vector(const char *name, int64_t m, int64_t n, bool transposed, bool left, tess_dtype dtype,
                           int threads)
{
    tess_array  matrix = random_array(transposed ? TESS_SHAPE(1, 1, n, m) : TESS_SHAPE(1, 1, m, n), dtype);
    tess_array  vector = random_array(left ? TESS_SHAPE(1, 1, 1, m) : TESS_SHAPE(1, 1, n, 1), dtype);
    matmul_case c = { left ? vector : matrix, left ? matrix : vector, { .data = NULL }, matrix };
    char        what[96];
    if (transposed) bench_need(tess_transpose(&c.a, &c.a));
    bench_need(tess_threads_set(threads));
    run_ours(&c);
    const bench_pair p = bench_compare(run_ours, &c, run_read, &c, rounds, 0.05);
    (void)snprintf(what, sizeof what, "%s against its sum, %.1f GB/s", name,
                   (double)(m * n) * (double)tess_dtype_size(dtype) / p.ours * 1e-9);
    bench_report(what, tess_dtype_name(dtype), threads, p);
    tess_release(&matrix);
    tess_release(&vector);
    tess_release(&c.out);
}

int main(int argc, char **argv)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64, TESS_I64 };
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) rounds = 2;
    const char *blas = find_blas();
    printf("{\"limit\": \"%s\"}\n", blas ? blas : "none");
    for (int threads = 1; threads <= 2; threads++)
        for (int d = 0; d < 5; d++) {
            compare("1024^3", 1, 1024, 1024, 1024, dtypes[d], threads);
            compare("1024 of 64^3", 1024, 64, 64, 64, dtypes[d], threads);
            compare("200 of 200^3", 200, 200, 200, 200, dtypes[d], threads);
            compare("4096 of 8^3", 4096, 8, 8, 8, dtypes[d], threads);
            compare("2048 by 8 by 2048", 1, 2048, 8, 2048, dtypes[d], threads);
            compare("100000 of 3^3", 100000, 3, 3, 3, dtypes[d], threads);
            compare("100000 of 4^3", 100000, 4, 4, 4, dtypes[d], threads);
            compare_vector("4096^2 by a vector", 4096, 4096, false, false, dtypes[d], threads);
            compare_vector("4096^2 by columns by a vector", 4096, 4096, true, false, dtypes[d], threads);
            compare_vector("a vector by 4096^2", 4096, 4096, false, true, dtypes[d], threads);
            compare_vector("64 by 10^6 by a vector", 64, 1000000, false, false, dtypes[d], threads);
            compare_vector("10^6 by 64 by a vector", 1000000, 64, false, false, dtypes[d], threads);
            compare_vector("64 by 64 by a vector", 64, 64, false, false, dtypes[d], threads);
        }
    return 0;
}
