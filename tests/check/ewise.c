/* Element-wise operators against single elements and plain expressions: every kernel x layout of each operand x length
 * x instruction set x number of threads.
 *
 * What is wanted of an element is what the baseline instruction set gives for a row of that element alone, bit for bit;
 * simple operators are also compared with an expression written here. `check_ewise --bench` times the contiguous
 * kernels of each instruction set instead.
 */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "cpu/isa.h"
#include "support/layouts.h"

/* ---- The operators ---- */

enum { RESULT_NONE, RESULT_SAME, RESULT_BOOL, RESULT_REAL, RESULT_MAKES_COMPLEX };
enum { N_OPS = TESS__OP_where, MOST_INPUTS = TESS__MAX_INPUTS, LARGEST = 16 /* bytes of an element */ };

typedef struct operation {
    const char *name;
    int         n; /* inputs */
    double      cost;
    int         result;
    tess_status (*call)(tess_array *out, const tess_array *const *in);
} operation;

#define CALL(name, ...)                                                                                                \
    static tess_status call_##name(tess_array *out, const tess_array *const *in)                                       \
    {                                                                                                                  \
        return tess_##name(out, __VA_ARGS__);                                                                          \
    }
#define EWISE1(name, ...) CALL(name, in[0])
#define EWISE1_SLOW EWISE1
#define EWISE2_SLOW EWISE2
#define EWISE2(name, ...) CALL(name, in[0], in[1])
#define EWISE3(name, ...) CALL(name, in[0], in[1], in[2])
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
#undef CALL

static const operation operations[N_OPS] = {
#define ROW(name, n, result, cost) [TESS__OP_##name] = { #name, n, cost, RESULT_##result, call_##name },
#define EWISE1(name, types, result, cost, ...) ROW(name, 1, result, cost)
#define EWISE1_SLOW EWISE1
#define EWISE2_SLOW EWISE2
#define EWISE2(name, types, result, cost, ...) ROW(name, 2, result, cost)
#define EWISE3(name, types, result, cost, ...) ROW(name, 3, result, cost)
#include "ops/ewise/ewise.def"
#undef EWISE1
#undef EWISE1_SLOW
#undef EWISE2_SLOW
#undef EWISE2
#undef EWISE3
#undef ROW
};

static const int complex_results[N_OPS] = {
#define COMPLEX1(name, result, ...) [TESS__OP_##name] = RESULT_##result,
#define COMPLEX1_SLOW COMPLEX1
#define COMPLEX2 COMPLEX1
#define COMPLEX3 COMPLEX1
#include "ops/ewise/complex.def"
#undef COMPLEX1
#undef COMPLEX1_SLOW
#undef COMPLEX2
#undef COMPLEX3
};

static bool is_complex(tess_dtype dtype) { return tess_dtype_kind(dtype) == TESS_KIND_COMPLEX; }

/* What the kernel of this dtype writes. */
static tess_dtype result_of(int op, tess_dtype dtype)
{
    switch (is_complex(dtype) ? complex_results[op] : operations[op].result) {
    case RESULT_BOOL: return TESS_BOOL;
    case RESULT_REAL: return tess_dtype_real(dtype);
    case RESULT_MAKES_COMPLEX: return tess_dtype_complex(dtype);
    default: return dtype;
    }
}

/* The kernels of the baseline instruction set. */
static const tess__kernels *base(void)
{
    static tess__kernels kernels;
    if (!kernels.ewise.op[TESS__OP_add][TESS_I32]) tess__isas[0].fill(&kernels);
    return &kernels;
}

/* ---- Plain expressions ---- */

/* The number that a float type rounds to. */
static double rounded(double x, bool single) { return single ? (double)(float)x : x; }

static double floor_mod(double x, double y)
{
    const double rest = fmod(x, y);
    return rest == 0 ? copysign(0, y) : (rest < 0) != (y < 0) ? rest + y : rest;
}

/* Exact as long as the quotient has two bits to spare; beyond, no answer. */
#define NO_ANSWER (-0x1.fedcbap-1000)

static double floor_div(double x, double y, bool single)
{
    if (y == 0) return x / y;
    if (!isfinite(x) || isnan(y)) return NAN;
    const double      rest = fmod(x, y);
    const long double whole = rintl(((long double)x - (long double)rest) / (long double)y);
    const double      floored = (double)(whole - (rest != 0 && (rest < 0) != (y < 0)));
    if (fabs(floored) > (single ? 0x1p22 : 0x1p51)) return NO_ANSWER;
    return floored == 0 ? copysign(0, x / y) : floored;
}

/* Floats: x, y and z are doubles, also for f32, whose results are rounded once more where that is harmless. */
#define FLOAT_EXPRESSIONS(X)                                                                                           \
    X(add, x + y)                                                                                                      \
    X(sub, x - y)                                                                                                      \
    X(mul, x *y)                                                                                                       \
    X(div, x / y)                                                                                                      \
    X(true_div, x / y)                                                                                                 \
    X(floor_div, floor_div(x, y, single))                                                                              \
    X(mod, fmod(x, y))                                                                                                 \
    X(floor_mod, floor_mod(x, y))                                                                                      \
    X(div_safe, fabs(y) < (single ? 0x1p-23 : 0x1p-52) ? 0 : x / y)                                                    \
    X(square_diff, rounded(x - y, single) * rounded(x - y, single))                                                    \
    X(mul_conj, x *y)                                                                                                  \
    X(fma, single ? (double)fmaf((float)x, (float)y, (float)z) : fma(x, y, z))                                         \
    X(shift_scale, z == 0 ? 0 : rounded(x - y, single) / z)                                                            \
    X(neg, -x)                                                                                                         \
    X(abs, fabs(x))                                                                                                    \
    X(abs2, x *x)                                                                                                      \
    X(sign, isnan(x) ? x : (x > 0) - (x < 0))                                                                          \
    X(square, x *x)                                                                                                    \
    X(reciprocal, 1 / x)                                                                                               \
    X(minimum, isnan(x) || isnan(y) ? NAN : x < y ? x : y)                                                             \
    X(maximum, isnan(x) || isnan(y) ? NAN : x > y ? x : y)                                                             \
    X(fmin, isnan(x) ? y : isnan(y) || x < y || (x == y && signbit(x)) ? x : y)                                        \
    X(fmax, isnan(x) ? y : isnan(y) || x > y || (x == y && !signbit(x)) ? x : y)                                       \
    X(clamp, (x < y ? y : x) > z ? z : x < y ? y : x)                                                                  \
    X(equal, x == y)                                                                                                   \
    X(not_equal, x != y)                                                                                               \
    X(less, x < y)                                                                                                     \
    X(less_equal, x <= y)                                                                                              \
    X(greater, x > y)                                                                                                  \
    X(greater_equal, x >= y)                                                                                           \
    X(is_nan, isnan(x) != 0)                                                                                           \
    X(is_inf, isinf(x) != 0)                                                                                           \
    X(is_finite, isfinite(x) != 0)                                                                                     \
    X(signbit, signbit(x) != 0)                                                                                        \
    X(floor, floor(x))                                                                                                 \
    X(ceil, ceil(x))                                                                                                   \
    X(trunc, trunc(x))                                                                                                 \
    X(round, round(x))                                                                                                 \
    X(rint, rint(x))                                                                                                   \
    X(sqrt, sqrt(x))                                                                                                   \
    X(deg2rad, x *rounded(acos(-1) / 180, single))                                                                     \
    X(rad2deg, x *rounded(180 / acos(-1), single))                                                                     \
    X(copysign, copysign(x, y))                                                                                        \
    X(real, x)                                                                                                         \
    X(imag, 0)                                                                                                         \
    X(conj, x)                                                                                                         \
    X(arg, isnan(x) ? x : signbit(x) ? acos(-1) : 0)

typedef double float_fn(double x, double y, double z, bool single);
#define DEFINE(name, expr)                                                                                             \
    static double float_##name(double x, double y, double z, bool single)                                              \
    {                                                                                                                  \
        (void)x, (void)y, (void)z, (void)single;                                                                       \
        return expr;                                                                                                   \
    }
#define ENTRY(name, expr) [TESS__OP_##name] = float_##name,
FLOAT_EXPRESSIONS(DEFINE)
static float_fn *const float_fns[N_OPS] = { FLOAT_EXPRESSIONS(ENTRY) };
#undef DEFINE
#undef ENTRY

static uint64_t divided(uint64_t x, uint64_t y, bool is_signed)
{
    if (y == 0) return 0;
    if (!is_signed) return x / y;
    return y == UINT64_MAX ? 0 - x : (uint64_t)((int64_t)x / (int64_t)y);
}

static bool is_less(uint64_t x, uint64_t y, bool is_signed) { return is_signed ? (int64_t)x < (int64_t)y : x < y; }

static uint64_t floor_divided(uint64_t x, uint64_t y, bool is_signed)
{
    const uint64_t cut = divided(x, y, is_signed);
    return cut - (y != 0 && cut * y != x && is_less(x, 0, is_signed) != is_less(y, 0, is_signed));
}

/* The bits of the exponent from the highest down. */
static uint64_t power(uint64_t x, uint64_t y, bool is_signed)
{
    uint64_t result = 1;
    if (is_less(y, 0, is_signed)) return x == 1 ? 1 : x == UINT64_MAX ? (y & 1 ? x : 1) : 0;
    for (int bit = 63; bit >= 0; bit--) result = result * result * (y >> bit & 1 ? x : 1);
    return result;
}

static uint64_t shifted_right(uint64_t x, uint64_t n, bool is_signed)
{
    return is_less(x, 0, is_signed) ? ~(~x >> n) : x >> n;
}

/* Bool and integers: x, y and z are extended to 64 bits, and the result is cut to those of the type. */
#define INTEGER_EXPRESSIONS(X)                                                                                         \
    X(add, x + y)                                                                                                      \
    X(sub, x - y)                                                                                                      \
    X(mul, x *y)                                                                                                       \
    X(div, divided(x, y, is_signed))                                                                                   \
    X(floor_div, floor_divided(x, y, is_signed))                                                                       \
    X(mod, y == 0 ? 0 : x - y * divided(x, y, is_signed))                                                              \
    X(floor_mod, y == 0 ? 0 : x - y * floor_divided(x, y, is_signed))                                                  \
    X(pow, power(x, y, is_signed))                                                                                     \
    X(square_diff, (x - y) * (x - y))                                                                                  \
    X(mul_conj, x *y)                                                                                                  \
    X(fma, x *y + z)                                                                                                   \
    X(neg, ~x + 1)                                                                                                     \
    X(abs, is_less(x, 0, is_signed) ? 0 - x : x)                                                                       \
    X(abs2, x *x)                                                                                                      \
    X(sign, is_less(x, 0, is_signed) ? UINT64_MAX : x != 0)                                                            \
    X(square, x *x)                                                                                                    \
    X(minimum, is_less(x, y, is_signed) ? x : y)                                                                       \
    X(maximum, is_less(x, y, is_signed) ? y : x)                                                                       \
    X(fmin, is_less(x, y, is_signed) ? x : y)                                                                          \
    X(fmax, is_less(x, y, is_signed) ? y : x)                                                                          \
    X(clamp, is_less(z, is_less(x, y, is_signed) ? y : x, is_signed) ? z : is_less(x, y, is_signed) ? y : x)           \
    X(equal, x == y)                                                                                                   \
    X(not_equal, x != y)                                                                                               \
    X(less, is_less(x, y, is_signed))                                                                                  \
    X(less_equal, !is_less(y, x, is_signed))                                                                           \
    X(greater, is_less(y, x, is_signed))                                                                               \
    X(greater_equal, !is_less(x, y, is_signed))                                                                        \
    X(logical_and, x != 0 && y != 0)                                                                                   \
    X(logical_or, x != 0 || y != 0)                                                                                    \
    X(logical_xor, (x != 0) != (y != 0))                                                                               \
    X(logical_not, x == 0)                                                                                             \
    X(bit_and, x &y)                                                                                                   \
    X(bit_or, x | y)                                                                                                   \
    X(bit_xor, x ^ y)                                                                                                  \
    X(bit_not, ~x)                                                                                                     \
    X(shift_left, x << (y & (bits - 1)))                                                                               \
    X(shift_right, shifted_right(x, y &(bits - 1), is_signed))                                                         \
    X(floor, x)                                                                                                        \
    X(ceil, x)                                                                                                         \
    X(trunc, x)                                                                                                        \
    X(round, x)                                                                                                        \
    X(rint, x)                                                                                                         \
    X(real, x)                                                                                                         \
    X(imag, 0)                                                                                                         \
    X(conj, x)

typedef uint64_t integer_fn(uint64_t x, uint64_t y, uint64_t z, bool is_signed, uint64_t bits);
#define DEFINE(name, expr)                                                                                             \
    static uint64_t integer_##name(uint64_t x, uint64_t y, uint64_t z, bool is_signed, uint64_t bits)                  \
    {                                                                                                                  \
        (void)x, (void)y, (void)z, (void)is_signed, (void)bits;                                                        \
        return expr;                                                                                                   \
    }
#define ENTRY(name, expr) [TESS__OP_##name] = integer_##name,
INTEGER_EXPRESSIONS(DEFINE)
static integer_fn *const integer_fns[N_OPS] = { INTEGER_EXPRESSIONS(ENTRY) };
#undef DEFINE
#undef ENTRY

/* Complex numbers: (a, b) and (c, d); real results stand in the real part. */
#define COMPLEX_EXPRESSIONS(X)                                                                                         \
    X(add, a + c, b + d)                                                                                               \
    X(sub, a - c, b - d)                                                                                               \
    X(neg, -a, -b)                                                                                                     \
    X(conj, a, -b)                                                                                                     \
    X(real, a, 0)                                                                                                      \
    X(imag, b, 0)                                                                                                      \
    X(equal, a == c && b == d, 0)                                                                                      \
    X(not_equal, a != c || b != d, 0)                                                                                  \
    X(logical_and, (a != 0 || b != 0) && (c != 0 || d != 0), 0)                                                        \
    X(logical_or, a != 0 || b != 0 || c != 0 || d != 0, 0)                                                             \
    X(logical_xor, (a != 0 || b != 0) != (c != 0 || d != 0), 0)                                                        \
    X(logical_not, a == 0 && b == 0, 0)                                                                                \
    X(is_nan, isnan(a) || isnan(b), 0)                                                                                 \
    X(is_inf, isinf(a) || isinf(b), 0)                                                                                 \
    X(is_finite, isfinite(a) && isfinite(b), 0)

typedef tess_c64 complex_fn(double a, double b, double c, double d);
#define DEFINE(name, real, imag)                                                                                       \
    static tess_c64 complex_##name(double a, double b, double c, double d)                                             \
    {                                                                                                                  \
        (void)a, (void)b, (void)c, (void)d;                                                                            \
        return (tess_c64){ real, imag };                                                                               \
    }
#define ENTRY(name, real, imag) [TESS__OP_##name] = complex_##name,
COMPLEX_EXPRESSIONS(DEFINE)
static complex_fn *const complex_fns[N_OPS] = { COMPLEX_EXPRESSIONS(ENTRY) };
#undef DEFINE
#undef ENTRY

/* ---- Numbers in memory ---- */

static double load_float(const unsigned char *at, tess_dtype dtype)
{
    float    f32;
    double   f64;
    tess_f16 f16;
    if (dtype == TESS_F16) return memcpy(&f16, at, sizeof f16), (double)tess_f16_to_f32(f16);
    if (dtype == TESS_F32) return memcpy(&f32, at, sizeof f32), (double)f32;
    return memcpy(&f64, at, sizeof f64), f64;
}

static void store_float(unsigned char *at, tess_dtype dtype, double x)
{
    const float f32 = (float)x;
    if (dtype == TESS_F32) memcpy(at, &f32, sizeof f32);
    else memcpy(at, &x, sizeof x);
}

/* Extended to 64 bits; of bool, any byte but 0 is 1. */
static uint64_t load_integer(const unsigned char *at, tess_dtype dtype)
{
    const int size = (int)tess_dtype_size(dtype);
    uint64_t  x = 0;
    for (int i = 0; i < size; i++) x |= (uint64_t)at[i] << 8 * i;
    if (dtype == TESS_BOOL) return x != 0;
    const bool negative = tess_dtype_kind(dtype) == TESS_KIND_INT && at[size - 1] >> 7;
    return negative && size < 8 ? x | UINT64_MAX << 8 * size : x;
}

static void store_integer(unsigned char *at, tess_dtype dtype, uint64_t x)
{
    for (size_t i = 0; i < tess_dtype_size(dtype); i++) at[i] = (unsigned char)(x >> 8 * i);
}

/* Equal bytes, or, for each real of an element, NaN for NaN. */
static bool same_element(const unsigned char *a, const unsigned char *b, tess_dtype dtype)
{
    if (memcmp(a, b, tess_dtype_size(dtype)) == 0) return true;
    const tess_dtype real = tess_dtype_real(dtype);
    const size_t     size = tess_dtype_size(real);
    if (tess_dtype_kind(real) != TESS_KIND_FLOAT) return false;
    for (int i = 0; i < tess_dtype_reals(dtype); i++, a += size, b += size)
        if (memcmp(a, b, size) != 0 && !(isnan(load_float(a, real)) && isnan(load_float(b, real)))) return false;
    return true;
}

typedef struct pair {
    const tess_array *got, *want;
    const char       *what;
    int               wrong;
} pair;

static void compare_element(void *context, const int64_t p[4])
{
    pair *c = context;
    if (!same_element(element_at(c->got, p), element_at(c->want, p), c->want->dtype) && c->wrong++ == 0)
        (void)test_failed(__FILE__, __LINE__, "%s: wrong at {%d,%d,%d,%d}", c->what, (int)p[0], (int)p[1], (int)p[2],
                          (int)p[3]);
}

static void check_same(const tess_array *got, const tess_array *want, const char *what)
{
    pair c = { got, want, what, 0 };
    each_index(want->shape, compare_element, &c);
}

/* Is this element what the expression gives? True also where there is no expression. */
static bool as_expected(int op, tess_dtype dtype, unsigned char in[][LARGEST], const unsigned char *got)
{
    const tess_dtype to = result_of(op, dtype), real = tess_dtype_real(dtype);
    const size_t     size = tess_dtype_size(real);
    const bool       single = real == TESS_F32;
    unsigned char    want[LARGEST] = { 0 };
    tess_c64         z;
    if (is_complex(dtype)) {
        if (!complex_fns[op]) return true;
        z = complex_fns[op](load_float(in[0], real), load_float(in[0] + size, real), load_float(in[1], real),
                            load_float(in[1] + size, real));
        if (to == dtype) store_float(want + size, real, z.im);
    } else if (tess_dtype_kind(dtype) == TESS_KIND_FLOAT) {
        if (!float_fns[op]) return true;
        z.re = float_fns[op](load_float(in[0], dtype), load_float(in[1], dtype), load_float(in[2], dtype), single);
        if (z.re == NO_ANSWER) return true;
    } else {
        if (!integer_fns[op]) return true;
        const bool     is_bool = to == TESS_BOOL;
        const uint64_t x =
            integer_fns[op](load_integer(in[0], dtype), load_integer(in[1], dtype), load_integer(in[2], dtype),
                            tess_dtype_kind(dtype) == TESS_KIND_INT, 8 * size);
        store_integer(want, to, is_bool ? x & 1 : x);
        return memcmp(want, got, tess_dtype_size(to)) == 0;
    }
    if (to == TESS_BOOL) want[0] = z.re != 0;
    else store_float(want, real, z.re);
    return same_element(want, got, to);
}

/* ---- Data ---- */

/* Random, or near one of the values where types and functions change. */
static double nasty_float(void)
{
    static const int ends[] = { 0,   1,   2,    3,    7,  22, 23,  24,  31,   52,   53,   63,    64,    100,  126,
                                127, 900, 1022, 1023, -1, -2, -23, -52, -126, -127, -149, -1022, -1023, -1074 };
    const double     sign = test_random() & 1 ? -1 : 1;
    switch (test_random_in(0, 11)) {
    case 0: return sign * (double)INFINITY;
    case 1: return (double)NAN * sign;
    case 2: return sign * 0.0;
    case 3:
    case 4: return (double)test_random_in(-9, 9) / 2;
    case 5: return (double)test_random_in(-2000, 2000) * (acos(-1) / 4);
    case 6:
    case 7: return sign * test_random_unit();
    case 8: return sign * test_random_unit() * 300;
    case 9: return sign * ldexp(1 + test_random_unit(), (int)test_random_in(-160, 160));
    default: break;
    }
    const double end = ldexp(1, ends[test_random_in(0, (int)(sizeof ends / sizeof *ends) - 1)]);
    return sign * end * (1 + (double)test_random_in(-2, 2) * 0x1p-24) + (double)test_random_in(-1, 1) / 2;
}

static uint64_t nasty_integer(void)
{
    switch (test_random_in(0, 3)) {
    case 0: return test_random();
    case 1: return (uint64_t)test_random_in(-3, 3);
    case 2: return (uint64_t)test_random_in(-70, 70);
    default: break;
    }
    return (UINT64_C(1) << test_random_in(0, 63)) + (uint64_t)test_random_in(-1, 1);
}

/* Halves, and complex ones of them, are made from random bits. */
static void set_nasty(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    const tess_dtype  real = tess_dtype_real(a->dtype);
    unsigned char    *at = element_at(a, position);
    for (int i = 0; i < tess_dtype_reals(a->dtype); i++, at += tess_dtype_size(real))
        if (real == TESS_F32 || real == TESS_F64) store_float(at, real, nasty_float());
        else if (real == TESS_F16) store_integer(at, TESS_U16, test_random());
        else store_integer(at, real, nasty_integer());
}

/* ---- One call ---- */

typedef struct example {
    int        op;
    tess_dtype dtype;
    tess_shape shape;
    guarded    in[MOST_INPUTS];
    tess_array want; /* contiguous */
    char       what[200];
    int        wrong;
} example;

static const tess_shape shapes[] = {
    { { 1, 1, 1, 0 } },   { { 1, 1, 1, 1 } },  { { 1, 1, 1, 3 } },   { { 1, 1, 1, 17 } },   { { 1, 1, 1, 67 } },
    { { 1, 1, 1, 300 } }, { { 2, 3, 4, 5 } },  { { 0, 3, 4, 5 } },   { { 1, 1, 1, 1500 } }, { { 3, 1, 1, 5 } },
    { { 1, 2, 33, 35 } }, { { 2, 1, 70, 9 } }, { { 1, 3, 2, 131 } },
};
enum { N_SHAPES = sizeof shapes / sizeof *shapes };

static void place_want(void *context, const int64_t p[4])
{
    example      *e = context;
    unsigned char in[MOST_INPUTS][LARGEST] = { { 0 } };
    const int64_t ones[1 + MOST_INPUTS] = { 1, 1, 1, 1 };
    char         *rows[1 + MOST_INPUTS] = { (char *)element_at(&e->want, p) };
    for (int k = 0; k < operations[e->op].n; k++) {
        memcpy(in[k], element_at(&e->in[k].view, p), tess_dtype_size(e->dtype));
        rows[1 + k] = (char *)in[k];
    }
    base()->ewise.op[e->op][e->dtype](rows, ones, 1, NULL);
    if (!as_expected(e->op, e->dtype, in, element_at(&e->want, p)) && e->wrong++ == 0)
        (void)test_failed(__FILE__, __LINE__,
                          "%s: not the expression's value, of bits %" PRIx64 " %" PRIx64 " %" PRIx64, e->what,
                          load_integer(in[0], TESS_U64), load_integer(in[1], TESS_U64), load_integer(in[2], TESS_U64));
}

static void example_make(example *e, const layout kinds[MOST_INPUTS])
{
    const operation *o = &operations[e->op];
    for (int k = 0; k < o->n; k++) {
        guarded_make(&e->in[k], kinds[k], e->shape, e->dtype);
        each_index(e->shape, set_nasty, &e->in[k].view);
        guarded_snapshot(&e->in[k]);
    }
    CHECK_OK(tess_zeros(&e->want, e->shape, result_of(e->op, e->dtype), tess_cpu()));
    each_index(e->shape, place_want, e);
}

static void example_free(example *e)
{
    for (int k = 0; k < operations[e->op].n; k++) guarded_free(&e->in[k]);
    tess_release(&e->want);
}

/* Call on one instruction set and compare; inputs must be as they were. */
static void run_on_isa(example *e, layout to, const char *isa)
{
    guarded           out;
    char              what[240];
    const operation  *o = &operations[e->op];
    const tess_array *in[MOST_INPUTS];
    (void)snprintf(what, sizeof what, "%s: %s", isa, e->what);
    CHECK_OK(tess_cpu_limit_set(isa));
    for (int k = 0; k < o->n; k++) in[k] = &e->in[k].view;
    guarded_make(&out, to, e->shape, e->want.dtype);
    CHECK_OK(o->call(&out.view, in));
    check_same(&out.view, &e->want, what);
    (void)guarded_check(&out, what);
    guarded_free(&out);
    for (int k = 0; k < o->n; k++)
        if (memcmp(e->in[k].block, e->in[k].before, e->in[k].size) != 0)
            (void)test_failed(__FILE__, __LINE__, "%s: input %d was written", what, k);
}

/* Into one of the inputs, where the result fits there. */
static void run_in_place(example *e)
{
    const operation  *o = &operations[e->op];
    const int         k = (int)test_random_in(0, o->n - 1);
    guarded          *g = &e->in[k];
    tess_array        out = g->view;
    const tess_array *in[MOST_INPUTS];
    if (tess_dtype_size(e->want.dtype) != tess_dtype_size(e->dtype)) return;
    for (int d = 0; d < 4; d++)
        if (out.strides.dim[d] == 0 && e->shape.dim[d] > 1) return;
    for (int i = 0; i < o->n; i++) in[i] = &e->in[i].view;
    out.dtype = e->want.dtype;
    CHECK_OK(o->call(&out, in));
    check_same(&out, &e->want, e->what);
    (void)guarded_check(g, e->what);
}

static void check_example(int op, tess_dtype dtype, tess_shape shape, const layout kinds[MOST_INPUTS], layout to)
{
    const operation *o = &operations[op];
    example          e = { .op = op, .dtype = dtype, .shape = shape };
    int              used = snprintf(e.what, sizeof e.what, "%s %s", o->name, tess_dtype_name(dtype));
    for (int k = 0; k < o->n; k++)
        used += snprintf(e.what + used, sizeof e.what - (size_t)used, " %s", layout_names[kinds[k]]);
    (void)snprintf(e.what + used, sizeof e.what - (size_t)used, " to %s of {%d,%d,%d,%d}", layout_names[to],
                   (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w);
    if (!test_wants_case(e.what)) return;
    example_make(&e, kinds);
    for (const tess__isa *isa = tess__isas; isa->name; isa++)
        if (isa->supported()) run_on_isa(&e, to, isa->name);
    CHECK_OK(tess_cpu_limit_set(NULL));
    run_in_place(&e);
    example_free(&e);
}

static layout any_layout(int n) { return (layout)test_random_in(0, n - 1); }

static void say_what_is_skipped(void)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        char why[64];
        (void)snprintf(why, sizeof why, "this processor has no %s", isa->name);
        if (!isa->supported()) test_skip_part(why);
    }
}

TEST(every_kernel)
{
    enum { ROUNDS = 3 }; /* the first is contiguous */
    say_what_is_skipped();
    for (int op = 0; op < N_OPS; op++) {
        int dtypes = 0;
        for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
            if (!base()->ewise.op[op][dtype]) continue;
            dtypes++;
            for (int s = 0; s < N_SHAPES * ROUNDS; s++) {
                layout     kinds[MOST_INPUTS] = { layout_contiguous };
                const bool plain = s < N_SHAPES;
                if (!plain && !test_takes_case()) continue;
                for (int k = 0; k < MOST_INPUTS && !plain; k++) kinds[k] = any_layout(n_layouts);
                check_example(op, dtype, shapes[s % N_SHAPES], kinds,
                              plain ? layout_contiguous : any_layout(n_output_layouts));
            }
        }
        if (dtypes == 0) (void)test_failed(__FILE__, __LINE__, "%s has no kernel", operations[op].name);
    }
}

TEST(every_instruction_set_has_the_same_kernels)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        static tess__kernels kernels;
        if (!isa->supported()) continue;
        isa->fill(&kernels);
        for (int op = 0; op < N_OPS; op++)
            for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
                if (!kernels.ewise.op[op][dtype] != !base()->ewise.op[op][dtype])
                    (void)test_failed(__FILE__, __LINE__, "%s of %s: not the same on %s", operations[op].name,
                                      tess_dtype_name(dtype), isa->name);
    }
}

/* ---- Operands stored in other dtypes ---- */

/* The dtype that the inputs meet in, or none where it would depend on their order. */
static tess_dtype meet(const tess_dtype *dtypes, int n)
{
    const tess_dtype a = dtypes[0], b = dtypes[1 % n], c = dtypes[2 % n],
                     all = tess_dtype_promote(tess_dtype_promote(a, b), c);
    const bool any_order = tess_dtype_promote(tess_dtype_promote(b, c), a) == all &&
                           tess_dtype_promote(tess_dtype_promote(c, a), b) == all;
    return !any_order ? TESS_DTYPE_NONE : all == TESS_F16 ? TESS_F32 : all == TESS_C16 ? TESS_C32 : all;
}

/* The same as casting the inputs to the dtype they meet in, operating, and casting the result. */
static void check_mixed(int op, const tess_dtype *dtypes, tess_dtype common, tess_dtype to, tess_shape shape)
{
    const operation  *o = &operations[op];
    guarded           in[MOST_INPUTS], out;
    tess_array        same[MOST_INPUTS] = { { .dtype = 0 } }, result = { 0 }, want = { 0 };
    const tess_array *given[MOST_INPUTS], *cast[MOST_INPUTS];
    char              what[160];
    (void)snprintf(what, sizeof what, "%s %s %s %s as %s to %s", o->name, tess_dtype_name(dtypes[0]),
                   o->n > 1 ? tess_dtype_name(dtypes[1]) : "", o->n > 2 ? tess_dtype_name(dtypes[2]) : "",
                   tess_dtype_name(common), tess_dtype_name(to));
    if (!test_wants_case(what)) return;
    for (int k = 0; k < o->n; k++) {
        guarded_make(&in[k], any_layout(n_layouts), shape, dtypes[k]);
        each_index(shape, set_nasty, &in[k].view);
        CHECK_OK(tess_cast(&same[k], &in[k].view, common, NULL));
        given[k] = &in[k].view, cast[k] = &same[k];
    }
    const tess_status status = o->call(&result, cast);
    const bool        fits = status == TESS_OK && !(is_complex(result.dtype) && !is_complex(to));
    guarded_make(&out, any_layout(n_output_layouts), shape, to);
    if (fits && CHECK_OK(o->call(&out.view, given)) && CHECK_OK(tess_cast(&want, &result, to, NULL)))
        check_same(&out.view, &want, what);
    if (!fits) CHECK_FAILS(o->call(&out.view, given), TESS_EDTYPE, o->name);
    (void)guarded_check(&out, what);
    guarded_free(&out);
    for (int k = 0; k < o->n; k++) guarded_free(&in[k]), tess_release(&same[k]);
    tess_release(&result);
    tess_release(&want);
}

/* A product with one real operand, or a quotient by one, for which that is not widened. */
static bool keeps_real(int op, tess_dtype x, tess_dtype y)
{
    if (op == TESS__OP_div || op == TESS__OP_true_div) return is_complex(x) && !is_complex(y);
    return op == TESS__OP_mul && is_complex(x) != is_complex(y);
}

TEST(mixed_dtypes)
{
    for (int op = 0; op < N_OPS; op++)
        for (int i = 0; i < 60; i++) {
            tess_dtype dtypes[MOST_INPUTS];
            for (int k = 0; k < MOST_INPUTS; k++)
                dtypes[k] = (tess_dtype)test_random_in(1, i % 3 ? TESS_F64 : TESS_C64);
            const tess_dtype common = meet(dtypes, operations[op].n);
            if (common == TESS_DTYPE_NONE || keeps_real(op, dtypes[0], dtypes[1])) continue;
            check_mixed(op, dtypes, common, (tess_dtype)test_random_in(1, TESS_C64),
                        shapes[test_random_in(0, N_SHAPES - 1)]);
        }
}

/* ---- A complex and a real operand ---- */

/* Each part by itself, in a loop over contiguous elements of f32 or f64. */
static void want_parts(tess_array *want, const tess_array *z, const tess_array *r, bool divide)
{
    const tess_dtype real = r->dtype;
    const size_t     size = tess_dtype_size(real);
    for (int64_t i = 0; i < 2 * tess_n_elements(z); i++) {
        const double x = load_float((const unsigned char *)z->data + (size_t)i * size, real);
        const double y = load_float((const unsigned char *)r->data + (size_t)(i / 2) * size, real);
        const double f32 = (double)(divide ? (float)x / (float)y : (float)x * (float)y);
        store_float((unsigned char *)want->data + (size_t)i * size, real,
                    real == TESS_F32 ? f32
                    : divide         ? x / y
                                     : x * y);
    }
}

static void check_by_real(int op, tess_dtype complex_dtype, tess_dtype real_dtype, tess_dtype common, tess_shape shape)
{
    const tess_dtype to = complex_dtype; /* so that it can be in place */
    const bool       divide = op != TESS__OP_mul, swapped = !divide && test_random_in(0, 1);
    guarded          z, r, out;
    tess_array       same[2] = { { .dtype = 0 } }, parts = { 0 }, want = { 0 };
    char             what[160];
    (void)snprintf(what, sizeof what, "%s %s %s%s of {%d,%d,%d,%d}", operations[op].name,
                   tess_dtype_name(complex_dtype), tess_dtype_name(real_dtype), swapped ? ", swapped" : "",
                   (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w);
    if (!test_wants_case(what)) return;
    guarded_make(&z, any_layout(n_output_layouts), shape, complex_dtype);
    guarded_make(&r, any_layout(n_layouts), shape, real_dtype);
    each_index(shape, set_nasty, &z.view);
    each_index(shape, set_nasty, &r.view);
    CHECK_OK(tess_cast(&same[0], &z.view, common, NULL));
    CHECK_OK(tess_cast(&same[1], &r.view, tess_dtype_real(common), NULL));
    CHECK_OK(tess_zeros(&parts, shape, common, tess_cpu()));
    want_parts(&parts, &same[0], &same[1], divide);
    CHECK_OK(tess_cast(&want, &parts, to, NULL));
    const tess_array *in[2] = { swapped ? &r.view : &z.view, swapped ? &z.view : &r.view };
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        guarded_make(&out, any_layout(n_output_layouts), shape, to);
        CHECK_OK(operations[op].call(&out.view, in));
        check_same(&out.view, &want, what);
        (void)guarded_check(&out, what);
        guarded_free(&out);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(operations[op].call(&z.view, in));
    check_same(&z.view, &want, what);
    guarded_free(&z), guarded_free(&r);
    tess_release(&same[0]), tess_release(&same[1]), tess_release(&parts), tess_release(&want);
}

TEST(a_real_factor_or_divisor_of_a_complex_number_is_not_widened)
{
    static const int ops[] = { TESS__OP_mul, TESS__OP_div, TESS__OP_true_div };
    for (int i = 0; i < 3; i++)
        for (tess_dtype c = TESS_C16; c <= TESS_C64; c++)
            for (tess_dtype r = TESS_BOOL; r <= TESS_F64; r++)
                for (int k = 0; k < 4; k++)
                    check_by_real(ops[i], c, r, meet((tess_dtype[]){ c, r }, 2),
                                  shapes[test_random_in(0, N_SHAPES - 1)]);
}

/* ---- where ---- */

typedef struct choice {
    const tess_array *out, *condition, *x, *y;
    int               wrong;
} choice;

static void compare_choice(void *context, const int64_t p[4])
{
    choice              *c = context;
    const unsigned char *at = element_at(c->condition, p);
    const tess_dtype     dtype = c->condition->dtype;
    const bool           holds =
        tess_dtype_kind(dtype) == TESS_KIND_FLOAT ? load_float(at, dtype) != 0 : load_integer(at, dtype) != 0;
    if (memcmp(element_at(c->out, p), element_at(holds ? c->x : c->y, p), tess_dtype_size(c->out->dtype)) != 0)
        c->wrong++;
}

static void check_where(tess_dtype dtype, tess_dtype condition, tess_shape shape, bool plain)
{
    guarded g[4];
    char    what[120];
    (void)snprintf(what, sizeof what, "where %s %s of {%d,%d,%d,%d}", tess_dtype_name(condition),
                   tess_dtype_name(dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w);
    if (!test_wants_case(what)) return;
    for (int k = 0; k < 4; k++) {
        guarded_make(&g[k], plain ? layout_contiguous : any_layout(k ? n_layouts : n_output_layouts), shape,
                     k == 1 ? condition : dtype);
        if (k) each_index(shape, set_nasty, &g[k].view);
    }
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        choice c = { &g[0].view, &g[1].view, &g[2].view, &g[3].view, 0 };
        if (!isa->supported()) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_where(&g[0].view, &g[1].view, &g[2].view, &g[3].view));
        each_index(shape, compare_choice, &c);
        if (c.wrong) (void)test_failed(__FILE__, __LINE__, "%s: %s: %d are wrong", isa->name, what, c.wrong);
        (void)guarded_check(&g[0], what);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    for (int k = 0; k < 4; k++) guarded_free(&g[k]);
}

static void check_all_where(tess_dtype dtype)
{
    for (int s = 0; s < 3 * N_SHAPES; s++) {
        check_where(dtype, TESS_BOOL, shapes[s % N_SHAPES], s < N_SHAPES);
        check_where(dtype, (tess_dtype)test_random_in(TESS_BOOL, TESS_F64), shapes[s % N_SHAPES], s < N_SHAPES);
    }
}

TEST(where)
{
    for (tess_dtype dtype = 1; dtype < TESS_DTYPE_COUNT; dtype++) check_all_where(dtype);
}

/* ---- Threads ---- */

enum { CHEAP = 200000, HEAVY = 30000 /* elements that are enough for several threads */ };

/* One row, many rows, a few long rows; of the inputs some lie across them. */
static const struct {
    int    b, d, w; /* sizes; h is what is left */
    layout kind[MOST_INPUTS];
} arrangements[] = {
    { 1, 1, 0, { layout_contiguous, layout_contiguous, layout_contiguous } },
    { 2, 3, 97, { layout_subregion, layout_column_major, layout_broadcast } },
    { 1, 3, 0, { layout_stepped, layout_contiguous, layout_reversed } },
};
enum { N_ARRANGEMENTS = sizeof arrangements / sizeof *arrangements };

static tess_shape arranged(int i, int64_t n)
{
    const int64_t b = arrangements[i].b, d = arrangements[i].d, w = arrangements[i].w;
    return w ? TESS_SHAPE(b, d, n / (b * d * w), w) : TESS_SHAPE(b, d, 1, n / (b * d));
}

static void check_threads(int op, const tess_array *inputs, const char *what)
{
    static const int  threads[] = { 2, 3, 8 };
    const operation  *o = &operations[op];
    tess_array        alone = { 0 };
    const tess_array *in[MOST_INPUTS] = { &inputs[0], &inputs[1], &inputs[2] };
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(o->call(&alone, in));
    for (int i = 0; i < 3; i++) {
        guarded out;
        char    text[200];
        (void)snprintf(text, sizeof text, "%s %s on %d threads", o->name, what, threads[i]);
        guarded_make(&out, layout_contiguous, alone.shape, alone.dtype);
        CHECK_OK(tess_threads_set(threads[i]));
        CHECK_OK(o->call(&out.view, in));
        const size_t bytes = (size_t)tess_n_bytes(&alone);
        if (memcmp(out.view.data, alone.data, bytes) != 0) check_same(&out.view, &alone, text);
        if (memcmp(out.block, out.before, (size_t)((unsigned char *)out.view.data - out.block)) != 0 ||
            memcmp((unsigned char *)out.view.data + bytes, out.before + out.size - 64, 64) != 0)
            (void)test_failed(__FILE__, __LINE__, "%s: a guard was written", text);
        guarded_free(&out);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&alone);
}

/* The choice between two inputs by a third, which is bool. */
static void check_where_threads(const tess_array *inputs, const char *what)
{
    static const int threads[] = { 2, 3, 8 };
    tess_array       condition = { 0 }, alone = { 0 };
    CHECK_OK(tess_not_equal(&condition, &inputs[0], &inputs[1]));
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(tess_where(&alone, &condition, &inputs[1], &inputs[2]));
    for (int i = 0; i < 3; i++) {
        tess_array out = { 0 };
        CHECK_OK(tess_threads_set(threads[i]));
        CHECK_OK(tess_where(&out, &condition, &inputs[1], &inputs[2]));
        if (memcmp(out.data, alone.data, (size_t)tess_n_bytes(&alone)) != 0)
            (void)test_failed(__FILE__, __LINE__, "where %s on %d threads: other bits", what, threads[i]);
        tess_release(&out);
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&condition);
    tess_release(&alone);
}

TEST(threads)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (int i = 0; i < 2 * N_ARRANGEMENTS; i++) {
            const bool       heavy = i & 1;
            const tess_shape shape = arranged(i / 2, heavy ? HEAVY : CHEAP);
            guarded          g[MOST_INPUTS];
            tess_array       in[MOST_INPUTS];
            char             what[100];
            (void)snprintf(what, sizeof what, "%s, arrangement %d", tess_dtype_name(dtype), i / 2);
            if (!base()->ewise.op[TESS__OP_equal][dtype] || !test_takes_case()) continue;
            for (int k = 0; k < MOST_INPUTS; k++) {
                guarded_make(&g[k], arrangements[i / 2].kind[k], shape, dtype);
                each_index(shape, set_nasty, &g[k].view);
                in[k] = g[k].view;
            }
            for (int op = 0; op < N_OPS; op++)
                if (base()->ewise.op[op][dtype] && heavy == (operations[op].cost >= 1)) check_threads(op, in, what);
            if (!heavy) check_where_threads(in, what);
            for (int k = 0; k < MOST_INPUTS; k++) guarded_free(&g[k]);
        }
}

/* ---- Timing ---- */

enum { BENCH_LENGTH = 1 << 13 };

static double seconds(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Numbers that are ordinary for every operator: floats between 0 and 1, integers from 1 to 20. */
static void bench_fill(unsigned char *at, tess_dtype dtype)
{
    const tess_dtype real = tess_dtype_real(dtype);
    for (int i = 0; i < BENCH_LENGTH * tess_dtype_reals(dtype); i++, at += tess_dtype_size(real))
        if (tess_dtype_kind(real) == TESS_KIND_FLOAT) store_float(at, real, test_random_unit() * 0.9 + 0.05);
        else store_integer(at, real, (uint64_t)test_random_in(1, real == TESS_BOOL ? 1 : 20));
}

/* Best time of an element in contiguous rows that fit the cache, in nanoseconds. */
static double time_row(tess__row_fn *row, tess_dtype dtype)
{
    static _Alignas(64) unsigned char block[1 + MOST_INPUTS][LARGEST * BENCH_LENGTH];
    const int64_t                     ones[1 + MOST_INPUTS] = { 1, 1, 1, 1 };
    char                             *p[1 + MOST_INPUTS];
    double                            best = 1e9;
    for (int k = 0; k <= MOST_INPUTS; k++) {
        p[k] = (char *)block[k];
        if (k) bench_fill(block[k], dtype);
    }
    for (int round = 0; round < 40; round++) {
        const double start = seconds();
        for (int i = 0; i < 2; i++) row(p, ones, BENCH_LENGTH, NULL);
        const double took = (seconds() - start) / 2 / BENCH_LENGTH;
        if (took < best) best = took;
    }
    return best * 1e9;
}

static void bench(void)
{
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        static tess__kernels kernels;
        if (!isa->supported()) continue;
        isa->fill(&kernels);
        for (int op = 0; op < N_OPS; op++)
            for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
                if (kernels.ewise.op[op][dtype])
                    printf("{\"isa\": \"%s\", \"kernel\": \"%s %s\", \"ns\": %.3f}\n", isa->name, operations[op].name,
                           tess_dtype_name(dtype), time_row(kernels.ewise.op[op][dtype], dtype));
    }
}

__attribute__((constructor)) static void offer_bench(void) { test_bench = bench; }
