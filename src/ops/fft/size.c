/* Fast FFT sizes, and storage for transforms in place. */
#include "core/check/check.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "tessera/fft.h"

static const tess_arg_info empty_args[] = {
    TESS__OUT("real", "the real array; must be zeroed"),
    TESS__OUT("spectrum", "its half spectrum in the same storage; must be zeroed"),
    TESS__NEED(TESS_ARG_SHAPE, "shape", "shape of the real array"),
    TESS__NEED(TESS_ARG_DTYPE, "dtype", "dtype of the real array: f16, f32 or f64"),
    TESS__NEED(TESS_ARG_DEVICE, "device", "device of both arrays"),
};
TESS__CALL(fft_empty, v[0].out, v[1].out, v[2].shape, v[3].dtype, v[4].device)
const tess_function_info tess__info_fft_empty = TESS__OP(
    TESS_CUT_NONE, fft_empty, "fft", "Allocate a real array and its half spectrum in the same storage.", empty_args);

/* ---- Fast sizes ---- */

/* The cost of sizes 2^a 3^b 5^c 7^d was measured, and what follows fitted to it: docs/fft.md. Nanoseconds of a pixel
 * that each prime factor costs more than a power of two of its size would: */
enum { N_PRIMES = 3 };
static const int64_t prime[N_PRIMES] = { 3, 5, 7 };
static const double  more[N_PRIMES] = { 0.07, 0.10, 0.14 };

/* Nanoseconds of a pixel of n x n if n were a power of two; images that leave the cache cost more. */
static double plain_cost(int64_t n)
{
    enum { CACHED = 10 };
    int bits = 0;
    while (n >> bits > 1) bits++;
    const double log2 = bits + (double)n / (double)(INT64_C(1) << bits) - 1; /* near enough, and the same everywhere */
    return 0.93 + 0.1 * log2 + (log2 > CACHED ? log2 - CACHED : 0);
}

static double image_cost(int64_t n, double extra) { return (double)n * (double)n * (plain_cost(n) + extra); }

/* The cheapest size so far. */
typedef struct choice {
    int64_t n, size;
    double  cost;
} choice;

/* 2^a odd, the smallest of n or more with a at least 1, if it fits in 63 bits. */
static void consider(choice *best, int64_t odd, double extra)
{
    int64_t size = odd;
    do {
        if (size > INT64_MAX / 2) return;
        size *= 2;
    } while (size < best->n);
    const double cost = image_cost(size, extra);
    if (best->size && cost >= best->cost) return;
    best->size = size, best->cost = cost;
}

/* Sizes of `odd` and further primes from `first` on. */
static void consider_all(choice *best, int64_t odd, double extra, int first)
{
    if (best->size && image_cost(best->n, extra) >= best->cost) return; /* more primes cost more */
    consider(best, odd, extra);
    for (int i = first; i < N_PRIMES; i++)
        if (odd <= best->n / prime[i]) consider_all(best, odd * prime[i], extra + more[i], i);
}

int64_t tess_fft_fast_size(int64_t n)
{
    if (n <= 1) return n;
    choice best = { .n = n };
    consider_all(&best, 1, 0, 0);
    return best.size ? best.size : n;
}

tess_shape tess_fft_fast_shape(tess_shape shape)
{
    for (int k = 1; k < 4; k++) shape.dim[k] = tess_fft_fast_size(shape.dim[k]);
    return shape;
}

/* ---- Storage for both ---- */

static tess_status check_unmade(const char *arg, const tess_array *a)
{
    TESS_TRY(tess__check_pointer("fft_empty", arg, a));
    TESS_CHECK(tess__is_empty_out(a), TESS_EARG,
               "fft_empty: `%s` is an allocated array; it must be zeroed (`tess_release` it)", arg);
    return TESS_OK;
}

tess_status tess_fft_empty(tess_array *real, tess_array *spectrum, tess_shape shape, tess_dtype dtype,
                           tess_device device)
{
    TESS_TRY(check_unmade("real", real));
    TESS_TRY(check_unmade("spectrum", spectrum));
    TESS_CHECK(real != spectrum, TESS_EARG, "fft_empty: `real` and `spectrum` are the same struct; two are needed");
    TESS_TRY(tess__check_dtype("fft_empty", "dtype", dtype));
    TESS_CHECK(tess_dtype_kind(dtype) == TESS_KIND_FLOAT, TESS_EDTYPE,
               "fft_empty: `dtype` is %s; the dtype of the real array, f16, f32 or f64, is needed",
               tess_dtype_name(dtype));
    TESS_TRY(tess__check_shape("fft_empty", "shape", shape, dtype));
    tess_array whole = { .data = NULL }, view;
    TESS_TRY(tess__make("fft_empty", &whole, tess_rfft_shape(shape), tess_dtype_complex(dtype), device, false));
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_reinterpret(&view, &whole, dtype));
    TESS_GOTO(done, status, tess_slice(&view, &view, 3, 0, shape.w, 1));
    TESS_GOTO(done, status, tess_retain(&view));
    *real = view;
    *spectrum = whole;
done:
    return tess__finish(status, &whole, true);
}
