/* Copy, fill and cast against naive loops: dtype x layout of each operand x length x instruction set.
 *
 * `check_convert --bench` times the contiguous kernels of each instruction set instead.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "core/dtype.h"
#include "io/file/byteswap.h"
#include "support/isas.h"
#include "support/layouts.h"

/* ---- Reference: every real number of every dtype is exact as a long double ---- */

static long double half_value(uint16_t bits)
{
    const int         exponent = bits >> 10 & 31;
    const long double mantissa = bits & 1023, sign = bits >> 15 ? -1 : 1;
    if (exponent == 31) return mantissa != 0 ? (long double)NAN : sign * (long double)INFINITY;
    return sign * (exponent ? ldexpl(mantissa + 1024, exponent - 25) : ldexpl(mantissa, -24));
}

/* Nearest half, ties to even: the value in units of its last place, rounded by rintl. */
static uint16_t half_of(long double x)
{
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    int            exponent;
    if (isnan(x)) return (uint16_t)(sign | 0x7e00);
    x = fabsl(x);
    if (isinf(x)) return (uint16_t)(sign | 0x7c00);
    (void)frexpl(x, &exponent);
    const int         unit = exponent < -13 ? -24 : exponent - 11;
    const long double rounded = ldexpl(rintl(ldexpl(x, -unit)), unit);
    if (rounded > 65504) return (uint16_t)(sign | 0x7c00);
    if (rounded < ldexpl(1, -14)) return (uint16_t)(sign | (uint16_t)ldexpl(rounded, 24));
    (void)frexpl(rounded, &exponent);
    return (uint16_t)(sign | (exponent + 14) << 10 | ((uint16_t)ldexpl(rounded, 11 - exponent) & 1023));
}

static long double read_real(const unsigned char *at, tess_dtype dtype)
{
    union {
        int8_t        i8;
        int16_t       i16;
        int32_t       i32;
        int64_t       i64;
        uint8_t       u8;
        uint16_t      u16;
        uint32_t      u32;
        uint64_t      u64;
        float         f32;
        double        f64;
        unsigned char bytes[8];
    } v;
    memcpy(v.bytes, at, tess_dtype_size(dtype));
    switch (dtype) {
    case TESS_BOOL: return v.u8 != 0;
    case TESS_I8: return v.i8;
    case TESS_I16: return v.i16;
    case TESS_I32: return v.i32;
    case TESS_I64: return (long double)v.i64;
    case TESS_U8: return v.u8;
    case TESS_U16: return v.u16;
    case TESS_U32: return v.u32;
    case TESS_U64: return (long double)v.u64;
    case TESS_F16: return half_value(v.u16);
    case TESS_F32: return (long double)v.f32;
    default: return (long double)v.f64;
    }
}

static bool is_integer(tess_dtype dtype) { return dtype >= TESS_I8 && dtype <= TESS_U64; }

static int bits_of(tess_dtype dtype) { return 8 * (int)tess_dtype_size(dtype); }

/* The number as that integer type's bits, clamped or modulo 2^bits. */
static uint64_t integer_of(long double x, tess_dtype dtype, int mode)
{
    const bool        is_signed = tess_dtype_kind(dtype) == TESS_KIND_INT;
    const long double most = ldexpl(1, bits_of(dtype) - is_signed), least = is_signed ? -most : 0;
    if (isnan(x)) return 0;
    if (mode == TESS_CAST_WRAP) {
        if (isinf(x)) return 0;
        x = fmodl(truncl(x), ldexpl(1, 64));
        return x < 0 ? (uint64_t)0 - (uint64_t)-x : (uint64_t)x;
    }
    if (x >= most) return is_signed ? (UINT64_C(1) << (bits_of(dtype) - 1)) - 1 : UINT64_MAX >> (64 - bits_of(dtype));
    if (x <= least) return is_signed ? (uint64_t)0 - (UINT64_C(1) << (bits_of(dtype) - 1)) : 0;
    return x < 0 ? (uint64_t)0 - (uint64_t)-truncl(x) : (uint64_t)truncl(x);
}

static void write_real(unsigned char *at, tess_dtype dtype, long double x, int mode)
{
    const float  f32 = (float)x;
    const double f64 = (double)x;
    if (dtype == TESS_BOOL) {
        *at = x != 0;
    } else if (is_integer(dtype)) {
        const uint64_t bits = integer_of(x, dtype, mode);
        for (size_t i = 0; i < tess_dtype_size(dtype); i++) at[i] = (unsigned char)(bits >> 8 * i);
    } else if (dtype == TESS_F16) {
        const uint16_t half = half_of(x);
        memcpy(at, &half, sizeof half);
    } else if (dtype == TESS_F32) {
        memcpy(at, &f32, sizeof f32);
    } else {
        memcpy(at, &f64, sizeof f64);
    }
}

/* Equal bytes, or NaN for NaN. */
static bool same_real(const unsigned char *a, const unsigned char *b, tess_dtype dtype)
{
    if (memcmp(a, b, tess_dtype_size(dtype)) == 0) return true;
    return tess_dtype_kind(dtype) == TESS_KIND_FLOAT && isnan(read_real(a, dtype)) && isnan(read_real(b, dtype));
}

/* ---- Data ---- */

/* Random, or near one of the values where types end. */
static long double nasty_number(void)
{
    static const int  ends[] = { 0, 1, 7, 8, 11, 15, 16, 24, 31, 32, 53, 63, 64, 100, 900, -14, -24, -130, -1030 };
    const long double sign = test_random() & 1 ? -1 : 1;
    switch (test_random_in(0, 9)) {
    case 0: return sign * (long double)INFINITY;
    case 1: return (long double)NAN;
    case 2: return sign * 0.0L;
    case 3:
    case 4: return sign * (long double)test_random_unit() * 300;
    case 5: return (long double)(int64_t)test_random();
    default: break;
    }
    const long double end = ldexpl(1, ends[test_random_in(0, (int)(sizeof ends / sizeof *ends) - 1)]);
    return sign * (end + (long double)test_random_in(-2, 2) / 2);
}

static void set_nasty(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    const tess_dtype  real = tess_dtype_real(a->dtype);
    for (int i = 0; i < tess_dtype_reals(a->dtype); i++)
        write_real(element_at(a, position) + (size_t)i * tess_dtype_size(real), real, nasty_number(), TESS_CAST_CLAMP);
}

/* ---- Comparison ---- */

typedef struct comparison {
    const tess_array *out, *in;
    const char       *what;
    int               mode;
    int               wrong;
} comparison;

static void mismatch(comparison *c, const int64_t p[4])
{
    if (c->wrong++ == 0)
        (void)test_failed(__FILE__, __LINE__, "%s: wrong at {%d,%d,%d,%d}", c->what, (int)p[0], (int)p[1], (int)p[2],
                          (int)p[3]);
}

static void compare_copy(void *context, const int64_t p[4])
{
    comparison *c = context;
    if (memcmp(element_at(c->out, p), element_at(c->in, p), tess_dtype_size(c->out->dtype)) != 0) mismatch(c, p);
}

static void compare_cast(void *context, const int64_t p[4])
{
    comparison      *c = context;
    unsigned char    want[16] = { 0 };
    const tess_dtype from = tess_dtype_real(c->in->dtype), to = tess_dtype_real(c->out->dtype);
    const int        parts = tess_dtype_reals(c->out->dtype);
    for (int i = 0; i < parts; i++) {
        const size_t at = (size_t)i * tess_dtype_size(to);
        if (i < tess_dtype_reals(c->in->dtype))
            write_real(want + at, to, read_real(element_at(c->in, p) + (size_t)i * tess_dtype_size(from), from),
                       c->mode);
        if (!same_real(element_at(c->out, p) + at, want + at, to)) mismatch(c, p);
    }
}

/* ---- Cases ---- */

static const tess_shape shapes[] = {
    { { 1, 1, 1, 0 } },  { { 1, 1, 1, 1 } },   { { 1, 1, 1, 3 } },  { { 1, 1, 1, 17 } },
    { { 1, 1, 1, 67 } }, { { 1, 1, 5, 1 } },   { { 3, 1, 1, 5 } },  { { 2, 3, 4, 5 } },
    { { 0, 3, 4, 5 } },  { { 1, 2, 33, 35 } }, { { 2, 1, 70, 9 } }, { { 1, 7, 3, 131 } },
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

/* Runs the test body once per instruction set of this processor. */
static void on_each_isa(void (*body)(const char *isa))
{
    isas_tell_missing();
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        body(isa->name);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
}

/* A copy where both dtypes are the same and `mode` is 0, or a cast: on every instruction set. Once the first one is
 * right, its block stands for all others that give the same. */
static void check_conversion(tess_dtype from, tess_dtype to, int mode, layout kind_in, layout kind_out,
                             tess_shape shape)
{
    guarded              in, out;
    const tess_cast_opts opts = { .mode = mode };
    unsigned char       *first = NULL;
    guarded_make(&in, kind_in, shape, from);
    guarded_make(&out, kind_out, shape, to);
    each_index(shape, set_nasty, &in.view);
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        char what[160];
        snprintf(what, sizeof what, "%s: %s %s to %s, mode %d, %s to %s of {%d,%d,%d,%d}", isa->name,
                 mode ? "cast" : "copy", tess_dtype_name(from), tess_dtype_name(to), mode, layout_names[kind_in],
                 layout_names[kind_out], (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w);
        if (!isa->supported() || !test_wants_case(what)) continue;
        guarded_poison(&out);
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(mode ? tess_cast(&out.view, &in.view, to, &opts) : tess_copy(&out.view, &in.view));
        if (first && memcmp(first, out.block, out.size) == 0) continue;
        comparison c = { .out = &out.view, .in = &in.view, .what = what, .mode = mode };
        each_index(shape, mode ? compare_cast : compare_copy, &c);
        if (!guarded_check(&out, what) || c.wrong || first) continue;
        first = malloc(out.size);
        memcpy(first, out.block, out.size);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    free(first);
    guarded_free(&in);
    guarded_free(&out);
}

TEST(copy)
{
    isas_tell_missing();
    for (tess_dtype dtype = 1; dtype < TESS_DTYPE_COUNT; dtype++)
        for (layout from = 0; from < n_layouts; from++)
            for (layout to = 0; to < n_output_layouts; to++)
                for (int s = 0; s < N_SHAPES; s++)
                    if (test_takes_case()) check_conversion(dtype, dtype, 0, from, to, shapes[s]);
}

TEST(cast)
{
    isas_tell_missing();
    for (tess_dtype from = 1; from < TESS_SCALAR_DTYPE_COUNT; from++)
        for (tess_dtype to = 1; to < TESS_SCALAR_DTYPE_COUNT; to++) {
            if (tess_dtype_reals(from) > tess_dtype_reals(to)) continue;
            for (int mode = TESS_CAST_CLAMP; mode <= TESS_CAST_WRAP; mode++)
                for (int k = 0; k < 2 * N_SHAPES; k++)
                    if (k == 0 || test_takes_case())
                        check_conversion(from, to, mode, k ? (layout)test_random_in(0, n_layouts - 1) : 0,
                                         k ? (layout)test_random_in(0, n_output_layouts - 1) : 0,
                                         k ? shapes[k % N_SHAPES] : tess_shape_of(1, 1, 1, 1500));
        }
}

static void check_fills(const char *isa)
{
    for (tess_dtype dtype = 1; dtype < TESS_DTYPE_COUNT; dtype++)
        for (int to = 0; to < n_output_layouts; to++)
            for (int s = 0; s < N_SHAPES; s++) {
                guarded       out;
                char          what[96];
                double        element[16];
                tess_array    one = { .shape = { { 1, 1, 1, 1 } }, .data = element, .dtype = dtype };
                const int64_t origin[4] = { 0 };
                snprintf(what, sizeof what, "%s: fill %s %s", isa, tess_dtype_name(dtype), layout_names[to]);
                if (!test_wants_case(what)) continue;
                set_nasty(&one, origin);
                guarded_make(&out, (layout)to, shapes[s], dtype);
                CHECK_OK(tess_fill_element(&out.view, element));
                one.shape = shapes[s]; /* strides are 0: the same element everywhere */
                comparison c = { .out = &out.view, .in = &one, .what = what };
                each_index(shapes[s], compare_copy, &c);
                (void)guarded_check(&out, what);
                guarded_free(&out);
            }
}

TEST(fill) { on_each_isa(check_fills); }

/* Rows of n elements, three apart, between bytes that stay. */
static void check_one_swap(const char *isa, tess_dtype dtype, int64_t n)
{
    enum { ROWS = 3, GAP = 3 };
    const int64_t real = tess__dtype_alignment(dtype), size = tess__dtype_size(dtype), pitch = (n + GAP) * size;
    const size_t  bytes = (size_t)(ROWS * pitch);
    unsigned char before[ROWS * (100 + GAP) * 16];
    _Alignas(16) unsigned char after[sizeof before];
    for (size_t i = 0; i < bytes; i++) before[i] = after[i] = (unsigned char)test_random();
    CHECK_OK(tess__byteswap_rows(after, ROWS, n, n + GAP, dtype));
    for (int64_t i = 0; i < (int64_t)bytes; i++) {
        const int64_t in_real = i % real, turned = i - in_real + real - 1 - in_real;
        if (after[i] == before[i % pitch < n * size ? turned : i]) continue;
        test_failed(__FILE__, __LINE__, "%s: swap %s, rows of %d: byte %d", isa, tess_dtype_name(dtype), (int)n,
                    (int)i);
        return;
    }
}

static void check_swaps(const char *isa)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (int64_t n = 0; n <= 100; n++) check_one_swap(isa, dtype, n);
}

TEST(swap) { on_each_isa(check_swaps); }

TEST(half_precision_both_ways)
{
    for (uint32_t bits = 0; bits < 65536; bits++) {
        const tess_f16    half = { (uint16_t)bits };
        const long double value = half_value(half.bits);
        const float       f32 = tess_f16_to_f32(half);
        if (isnan(value)) {
            CHECK(isnan(f32));
            continue;
        }
        if (!CHECK((long double)f32 == value)) break;
        if (!CHECK(tess_f32_to_f16(f32).bits == bits)) break;
    }
    for (int i = 0; i < 2000000; i++) {
        const double x = ldexp(test_random_unit() * 2 - 1, (int)test_random_in(-40, 20));
        if (!CHECK(tess_f64_to_f16(x).bits == half_of((long double)x))) break;
        if (!CHECK(tess_f32_to_f16((float)x).bits == half_of((long double)(float)x))) break;
    }
}

/* ---- Timing ---- */

enum { BENCH_LENGTH = 1 << 14 };

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Best time of an element in a contiguous row that fits the cache, in nanoseconds. */
static double time_row(tess__row_fn *row, const void *param)
{
    static _Alignas(64) char out[16 * BENCH_LENGTH], in[16 * BENCH_LENGTH];
    const int64_t            ones[2] = { 1, 1 };
    double                   best = 1e9;
    for (int round = 0; round < 50; round++) {
        const double start = seconds();
        for (int i = 0; i < 4; i++) row((char *[]){ out, in }, ones, BENCH_LENGTH, param);
        const double took = (seconds() - start) / 4 / BENCH_LENGTH;
        if (took < best) best = took;
    }
    return best * 1e9;
}

static void bench_isa(const char *isa, const tess__kernels *k)
{
    const tess__element element = { .size = 16 };
    for (int c = 0; c < TESS__ANY_SIZE; c++)
        printf("{\"isa\": \"%s\", \"kernel\": \"elements of %d bytes\", \"copy_ns\": %.3f, \"fill_ns\": %.3f}\n", isa,
               1 << c, time_row(k->memory.copy[c], NULL), time_row(k->memory.fill[c], &element));
    for (int c = 1; c < 4; c++)
        printf("{\"isa\": \"%s\", \"kernel\": \"elements of %d bytes\", \"swap_ns\": %.3f}\n", isa, 1 << c,
               time_row(k->convert.swap[c], NULL));
    for (tess_dtype from = 1; from < TESS__REALS; from++)
        for (tess_dtype to = 1; to < TESS__REALS; to++)
            printf("{\"isa\": \"%s\", \"kernel\": \"cast %s to %s\", \"clamp_ns\": %.3f, \"wrap_ns\": %.3f}\n", isa,
                   tess_dtype_name(from), tess_dtype_name(to), time_row(k->convert.cast[TESS__CLAMP][from][to], NULL),
                   time_row(k->convert.cast[TESS__WRAP][from][to], NULL));
}

static void bench(void)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        static tess__kernels kernels;
        if (!isa->supported()) continue;
        isa->fill(&kernels);
        bench_isa(isa->name, &kernels);
    }
}

__attribute__((constructor)) static void offer_bench(void) { test_bench = bench; }
