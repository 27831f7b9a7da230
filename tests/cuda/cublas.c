/* A simulated cuBLAS: matrix products by sequential loops, in double, as work on a stream of the simulated driver. */
#include <stdlib.h>
#include <string.h>

#include "cuda/driver.h"

enum {
    BLAS_OK = 0,
    BLAS_NOT_INITIALIZED = 1,
    BLAS_ALLOC_FAILED = 3,
    BLAS_INVALID_VALUE = 7,
    BLAS_EXECUTION_FAILED = 13,
};
enum { OP_N, OP_T, OP_C, HANDLE_MAGIC = 0x626c61 };

typedef struct handle {
    uint32_t magic;
    void    *stream;
} handle;

typedef struct complex_number {
    double re, im;
} complex_number;

typedef struct matrix {
    uint64_t  data;
    int64_t   leading;
    long long stride; /* from one to the next of the batch */
    int       operation;
} matrix;

typedef struct job {
    matrix         a, b, c;
    int64_t        m, n, k, batch;
    complex_number alpha, beta;
    bool           wide, complex;
} job;

static complex_number get(const job *j, const void *base, int64_t index)
{
    complex_number value = { 0, 0 };
    float          narrow[2] = { 0, 0 };
    const size_t   parts = j->complex ? 2 : 1, at = (size_t)index * parts;
    if (j->wide) {
        memcpy(&value, (const double *)base + at, parts * sizeof(double));
        return value;
    }
    memcpy(narrow, (const float *)base + at, parts * sizeof(float));
    return (complex_number){ (double)narrow[0], (double)narrow[1] };
}

static void put(const job *j, void *base, int64_t index, complex_number value)
{
    const float  narrow[2] = { (float)value.re, (float)value.im };
    const size_t parts = j->complex ? 2 : 1, at = (size_t)index * parts;
    if (j->wide) memcpy((double *)base + at, &value, parts * sizeof(double));
    else memcpy((float *)base + at, narrow, parts * sizeof(float));
}

static complex_number times(complex_number x, complex_number y)
{
    return (complex_number){ x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re };
}

/* Columns first, as in Fortran. */
static complex_number entry(const job *j, const matrix *x, int64_t b, int64_t row, int64_t column)
{
    const bool     turned = x->operation != OP_N;
    const int64_t  index = turned ? column + row * x->leading : row + column * x->leading;
    complex_number value = get(j, (const void *)(uintptr_t)x->data, b * x->stride + index);
    if (x->operation == OP_C) value.im = -value.im;
    return value;
}

static void run_job(void *argument)
{
    const job *j = argument;
    for (int64_t b = 0; b < j->batch; b++)
        for (int64_t column = 0; column < j->n; column++)
            for (int64_t row = 0; row < j->m; row++) {
                complex_number sum = { 0, 0 };
                for (int64_t k = 0; k < j->k; k++) {
                    const complex_number product = times(entry(j, &j->a, b, row, k), entry(j, &j->b, b, k, column));
                    sum.re += product.re;
                    sum.im += product.im;
                }
                sum = times(sum, j->alpha);
                /* With beta = 0 the result is not read: it may hold anything. */
                if (j->beta.re != 0 || j->beta.im != 0) {
                    const complex_number old = times(entry(j, &j->c, b, row, column), j->beta);
                    sum.re += old.re;
                    sum.im += old.im;
                }
                put(j, (void *)(uintptr_t)j->c.data, b * j->c.stride + row + column * j->c.leading, sum);
            }
}

static int call_status(const char *name)
{
    const int code = sim_library_call(name);
    return code == 0 ? BLAS_OK : code == SIM_OUT_OF_MEMORY ? BLAS_ALLOC_FAILED : BLAS_EXECUTION_FAILED;
}

static bool is_handle(const handle *h) { return h != NULL && h->magic == HANDLE_MAGIC; }

SIM_API int cublasCreate_v2(handle **out)
{
    const int status = call_status(__func__);
    if (status != BLAS_OK) return status;
    handle *h = calloc(1, sizeof *h);
    if (h == NULL) return BLAS_ALLOC_FAILED;
    h->magic = HANDLE_MAGIC;
    *out = h;
    sim_track("handles", 1);
    return BLAS_OK;
}

SIM_API int cublasDestroy_v2(handle *h)
{
    sim_library_release(__func__);
    if (!is_handle(h)) return BLAS_NOT_INITIALIZED;
    h->magic = 0;
    free(h);
    sim_track("handles", -1);
    return BLAS_OK;
}

SIM_API int cublasSetStream_v2(handle *h, void *stream)
{
    const int status = call_status(__func__);
    if (status != BLAS_OK) return status;
    if (!is_handle(h)) return BLAS_NOT_INITIALIZED;
    h->stream = stream;
    return BLAS_OK;
}

SIM_API int cublasSetMathMode(handle *h, int mode)
{
    const int status = call_status(__func__);
    if (status != BLAS_OK) return status;
    return !is_handle(h) ? BLAS_NOT_INITIALIZED : mode < 0 ? BLAS_INVALID_VALUE : BLAS_OK;
}

SIM_API int cublasSetWorkspace_v2(handle *h, void *workspace, size_t size)
{
    const int status = call_status(__func__);
    if (status != BLAS_OK) return status;
    const bool right = (uintptr_t)workspace % 256 == 0 && (workspace != NULL || size == 0);
    return !is_handle(h) ? BLAS_NOT_INITIALIZED : right ? BLAS_OK : BLAS_INVALID_VALUE;
}

/* 0: major, 1: minor, 2: patch */
SIM_API int cublasGetProperty(int which, int *value)
{
    static const int version[3] = { 13, 2, 7 };
    if (which < 0 || which > 2 || value == NULL) return BLAS_INVALID_VALUE;
    *value = version[which];
    return BLAS_OK;
}

static bool fits(const matrix *x, int64_t rows, int64_t columns)
{
    const int64_t stored = x->operation == OP_N ? rows : columns;
    return x->operation >= OP_N && x->operation <= OP_C && x->leading >= (stored > 1 ? stored : 1);
}

/* Elements must be aligned as a whole; a GPU would fail for good where they are not. */
static bool is_aligned(const job *j, uint64_t data)
{
    return data % ((j->wide ? 8u : 4u) * (j->complex ? 2u : 1u)) == 0;
}

static int multiply(const char *name, handle *h, job j, const void *alpha, const void *beta)
{
    const int status = call_status(name);
    if (status != BLAS_OK) return status;
    if (!is_handle(h)) return BLAS_NOT_INITIALIZED;
    if (j.m < 0 || j.n < 0 || j.k < 0 || j.batch < 0 || alpha == NULL || beta == NULL) return BLAS_INVALID_VALUE;
    if (!fits(&j.a, j.m, j.k) || !fits(&j.b, j.k, j.n) || !fits(&j.c, j.m, j.n)) return BLAS_INVALID_VALUE;
    if (j.m == 0 || j.n == 0 || j.batch == 0) return BLAS_OK;
    if (!is_aligned(&j, j.a.data) || !is_aligned(&j, j.b.data) || !is_aligned(&j, j.c.data))
        return BLAS_EXECUTION_FAILED;
    j.alpha = get(&j, alpha, 0);
    j.beta = get(&j, beta, 0);
    return sim_submit(h->stream, name, run_job, &j, sizeof j) == 0 ? BLAS_OK : BLAS_EXECUTION_FAILED;
}

#define GEMM(name, size_type, wide_, complex_)                                                                         \
    SIM_API int name(handle *h, int op_a, int op_b, size_type m, size_type n, size_type k, const void *alpha,          \
                     const void *a, size_type leading_a, long long stride_a, const void *b, size_type leading_b,       \
                     long long stride_b, const void *beta, void *c, size_type leading_c, long long stride_c,           \
                     size_type batch)                                                                                  \
    {                                                                                                                  \
        const job j = { .a = { (uintptr_t)a, leading_a, stride_a, op_a },                                              \
                        .b = { (uintptr_t)b, leading_b, stride_b, op_b },                                              \
                        .c = { (uintptr_t)c, leading_c, stride_c, OP_N },                                              \
                        .m = m,                                                                                        \
                        .n = n,                                                                                        \
                        .k = k,                                                                                        \
                        .batch = batch,                                                                                \
                        .wide = wide_,                                                                                 \
                        .complex = complex_ };                                                                         \
        return multiply(__func__, h, j, alpha, beta);                                                                  \
    }
GEMM(cublasSgemmStridedBatched, int, false, false)
GEMM(cublasDgemmStridedBatched, int, true, false)
GEMM(cublasCgemmStridedBatched, int, false, true)
GEMM(cublasZgemmStridedBatched, int, true, true)
GEMM(cublasSgemmStridedBatched_64, int64_t, false, false)
GEMM(cublasDgemmStridedBatched_64, int64_t, true, false)
GEMM(cublasCgemmStridedBatched_64, int64_t, false, true)
GEMM(cublasZgemmStridedBatched_64, int64_t, true, true)
