/* Functions of complex numbers against long double, on parts of every size, near zeros, poles and branch points, and at
 * the special values of annex G of C. --bench prints the largest error of each function.
 */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "support/test.h"
#include "tessera/math/complex.op.h"

typedef long double _Complex wide;

/* As CMPLXL, which not every compiler has: re + im*I would lose zeros' signs and infinities. */
static wide wide_of(long double re, long double im)
{
    const long double parts[2] = { re, im };
    wide              z;
    memcpy(&z, parts, sizeof z);
    return z;
}

static wide wide_of_c64(tess_c64 z) { return wide_of((long double)z.re, (long double)z.im); }
static wide wide_of_c32(tess_c32 z) { return wide_of((long double)z.re, (long double)z.im); }

static wide want_square(wide z) { return z * z; }
static wide want_reciprocal(wide z) { return 1 / z; }
static wide want_sign(wide z) { return cabsl(z) > 0 ? wide_of(creall(z) / cabsl(z), cimagl(z) / cabsl(z)) : z; }
static wide want_log2(wide z) { return clogl(z) / logl(2); }
static wide want_log10(wide z) { return clogl(z) / logl(10); }

static wide want_mul(wide z, wide w) { return z * w; }
static wide want_div(wide z, wide w) { return z / w; }
static wide want_mul_conj(wide z, wide w) { return z * conjl(w); }
static wide want_square_diff(wide z, wide w) { return (z - w) * (z - w); }

/* A name of a function's type: tess_c64 before a parenthesis would be the macro of scalar.h. */
typedef tess_c64 unary_c64(tess_c64), binary_c64(tess_c64, tess_c64);
typedef tess_c32 unary_c32(tess_c32), binary_c32(tess_c32, tess_c32);

/* Largest errors allowed, in ulp of the length of the result, for c64 and c32. */
typedef struct unary {
    const char *name;
    unary_c64  *c64;
    unary_c32  *c32;
    wide (*want)(wide);
    double most_c64, most_c32;
} unary;

#define UNARY(name, want, most_c64, most_c32)                                                                          \
    {                                                                                                                  \
#name, tess__##name##_c64, tess__##name##_c32, want, most_c64, most_c32                                        \
    }
static const unary unaries[] = {
    UNARY(square, want_square, 2, 2), UNARY(reciprocal, want_reciprocal, 3, 0.8),
    UNARY(sign, want_sign, 3, 0.8),   UNARY(sqrt, csqrtl, 2, 0.8),
    UNARY(exp, cexpl, 4, 0.8),        UNARY(log, clogl, 3, 1.5),
    UNARY(log2, want_log2, 4, 0.8),   UNARY(log10, want_log10, 4, 0.8),
    UNARY(sin, csinl, 4, 0.8),        UNARY(cos, ccosl, 4, 0.8),
    UNARY(tan, ctanl, 4, 0.8),        UNARY(sinh, csinhl, 4, 0.8),
    UNARY(cosh, ccoshl, 4, 0.8),      UNARY(tanh, ctanhl, 4, 0.8),
    UNARY(asin, casinl, 4, 0.8),      UNARY(acos, cacosl, 4, 0.8),
    UNARY(atan, catanl, 4, 0.8),      UNARY(asinh, casinhl, 4, 0.8),
    UNARY(acosh, cacoshl, 4, 0.8),    UNARY(atanh, catanhl, 4, 0.8),
};
#undef UNARY

typedef struct binary {
    const char *name;
    binary_c64 *c64;
    binary_c32 *c32;
    wide (*want)(wide, wide);
    double most_c64, most_c32;
} binary;

#define BINARY(name, want, most_c64, most_c32)                                                                         \
    {                                                                                                                  \
#name, tess__##name##_c64, tess__##name##_c32, want, most_c64, most_c32                                        \
    }
static const binary binaries[] = {
    BINARY(mul, want_mul, 2, 2),
    BINARY(div, want_div, 4, 0.8),
    BINARY(mul_conj, want_mul_conj, 2, 2),
    BINARY(square_diff, want_square_diff, 4, 4),
    BINARY(pow, cpowl, 4, 0.8),
};
#undef BINARY

/* What a format can hold: digits, the exponent of its smallest number, its largest number. */
typedef struct format {
    int         digits, least;
    long double most;
} format;
static const format f64 = { DBL_MANT_DIG, -1074, (long double)DBL_MAX };
static const format f32 = { FLT_MANT_DIG, -149, (long double)FLT_MAX };

/* One part's error in ulp of a number of that length. A part near the largest number may be infinite or not, and beside
 * one that overflows a small one is not judged. */
static double part_error(long double got, long double want, long double length, const format *f)
{
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want) ? 0 : 1e300;
    const long double edge = f->most * (1 - ldexpl(1, 4 - f->digits));
    if (fabsl(want) > edge && fabsl(got) > edge && (got > 0) == (want > 0)) return 0;
    if (length > f->most && fabsl(want) < ldexpl(length, 4 - f->digits)) return 0;
    if (isinf(got) || isinf(want)) return got == want ? 0 : 1e300;
    int exponent;
    (void)frexpl(length, &exponent);
    exponent -= f->digits;
    return (double)fabsl(ldexpl(got - want, -(exponent < f->least || length == 0 ? f->least : exponent)));
}

static double error_of(wide got, wide want, const format *f)
{
    const long double length = hypotl(creall(want), cimagl(want));
    return hypot(part_error(creall(got), creall(want), length, f), part_error(cimagl(got), cimagl(want), length, f));
}

/* One real of a kind: of any size, around 1, around a multiple of pi/2, moderate, a simple number. */
static double random_part(int most_exponent)
{
    const double sign = test_random_in(0, 1) ? 1 : -1, unit = 1 + test_random_unit();
    const double step = ldexp(unit, (int)test_random_in(-60, -1)) * (test_random_in(0, 1) ? 1 : -1);
    switch (test_random_in(0, 6)) {
    case 0: return sign * ldexp(unit, (int)test_random_in(-most_exponent, most_exponent - 1));
    case 1: return sign * (1 + step);
    case 2: return sign * (1.5707963267948966 * (double)test_random_in(0, 40) + step);
    case 3: return sign * ldexp(unit, (int)test_random_in(-4, 3));
    case 4: return sign * (double)test_random_in(0, 4);
    case 5: return sign * (most_exponent < 1000 ? 80 : 690) * unit;
    default: return sign * unit;
    }
}

/* Both parts of such kinds, or a number close to the unit circle, or one close to a diagonal. */
static tess_c64 random_number(int most_exponent)
{
    const double x = random_part(most_exponent), y = random_part(most_exponent), turn = 7 * test_random_unit();
    const double near = 1 + ldexp(test_random_unit() - 0.5, (int)test_random_in(-52, 0));
    switch (test_random_in(0, 5)) {
    case 0: return tess__of_parts_c64(near * cos(turn), near * sin(turn));
    case 1: return tess__of_parts_c64(x, x * near);
    default: return tess__of_parts_c64(x, y);
    }
}

/* The exponent of a power is such that the result has a size that can be held, more often than not. */
static tess_c64 random_power(tess_c64 z, int most_exponent)
{
    const double size = 1 + fabs(log(fmax(fabs(z.re), fabs(z.im)))), reach = 0.7 * most_exponent / size;
    const double re = reach * (2 * test_random_unit() - 1), im = reach * (2 * test_random_unit() - 1) / 4;
    const double whole = trunc(fmin(reach, 20) * (2 * test_random_unit() - 1));
    switch (test_random_in(0, 3)) {
    case 0: return tess__of_parts_c64(whole, 0);
    case 1: return tess__of_parts_c64(re, 0);
    case 2: return tess__of_parts_c64(whole / 4, im / 64);
    default: return tess__of_parts_c64(re, im);
    }
}

static void keep(double error, double most, const char *name, const char *type, wide z, wide w, wide got, double *worst)
{
    if (error > *worst) *worst = error;
    if (!(error > most)) return;
    (void)test_failed(__FILE__, __LINE__,
                      "%s_%s of (%.17Lg, %.17Lg) and (%.17Lg, %.17Lg) is (%.17Lg, %.17Lg): %.3g ulp", name, type,
                      creall(z), cimagl(z), creall(w), cimagl(w), creall(got), cimagl(got), error);
}

/* Products overflow on the way to a result that can be held only near the ends of the range, and are left out there. */
static bool is_product(const char *name) { return strncmp(name, "mul", 3) == 0 || strncmp(name, "square", 6) == 0; }

static void check_unary(const unary *u, int count, double worst[2])
{
    const int most = is_product(u->name) ? 500 : 1023, most_s = is_product(u->name) ? 60 : 127;
    for (int i = 0; i < count; i++) {
        const tess_c64 z = random_number(most);
        const tess_c32 s = tess__narrow_c64(random_number(most_s));
        const wide     a = wide_of_c64(z), got = wide_of_c64(u->c64(z));
        const wide     a_s = wide_of_c32(s), got_s = wide_of_c32(u->c32(s));
        if ((z.re == 0 && z.im == 0) || (s.re == 0 && s.im == 0)) continue;
        keep(error_of(got, u->want(a), &f64), u->most_c64, u->name, "c64", a, 0, got, worst);
        keep(error_of(got_s, u->want(a_s), &f32), u->most_c32, u->name, "c32", a_s, 0, got_s, worst + 1);
    }
}

static void check_binary(const binary *b, int count, double worst[2])
{
    const bool product = is_product(b->name), power = strcmp(b->name, "pow") == 0;
    const int  most = product ? 500 : 1023, most_s = product ? 60 : 127;
    for (int i = 0; i < count; i++) {
        const tess_c64 z = random_number(most), w = power ? random_power(z, most) : random_number(most);
        const tess_c64 x = random_number(most_s), y = power ? random_power(x, most_s) : random_number(most_s);
        const tess_c32 s = tess__narrow_c64(x), t = tess__narrow_c64(y);
        const wide     a = wide_of_c64(z), c = wide_of_c64(w), got = wide_of_c64(b->c64(z, w));
        const wide     a_s = wide_of_c32(s), c_s = wide_of_c32(t), got_s = wide_of_c32(b->c32(s, t));
        if ((z.re == 0 && z.im == 0) || (w.re == 0 && w.im == 0)) continue;
        if ((s.re == 0 && s.im == 0) || (t.re == 0 && t.im == 0)) continue;
        keep(error_of(got, b->want(a, c), &f64), b->most_c64, b->name, "c64", a, c, got, worst);
        keep(error_of(got_s, b->want(a_s, c_s), &f32), b->most_c32, b->name, "c32", a_s, c_s, got_s, worst + 1);
    }
}

TEST(functions_of_one)
{
    for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++) {
        double worst[2] = { 0, 0 };
        if (test_wants_case(unaries[i].name)) check_unary(unaries + i, 20000, worst);
    }
}

TEST(functions_of_two)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        double worst[2] = { 0, 0 };
        if (test_wants_case(binaries[i].name)) check_binary(binaries + i, 20000, worst);
    }
}

static bool same_bits(tess_c64 z, tess_c64 w) { return memcmp(&z, &w, sizeof z) == 0; }
static bool same_bits_c32(tess_c32 z, tess_c32 w) { return memcmp(&z, &w, sizeof z) == 0; }

/* The forms without branches have the bits of the complete ones wherever they need no slow path. */
TEST(fast_forms)
{
#define FORMS(name)                                                                                                    \
    {                                                                                                                  \
#name, tess__##name##_c64, tess__##name##_fast_c64, tess__##name##_slow_c64, tess__##name##_c32,               \
            tess__##name##_fast_c32, tess__##name##_slow_c32                                                           \
    }
    static const struct {
        const char *name;
        unary_c64  *whole, *fast;
        int (*slow)(tess_c64);
        unary_c32 *whole_s, *fast_s;
        int (*slow_s)(tess_c32);
    } forms[] = { FORMS(exp), FORMS(sin), FORMS(cos), FORMS(tan), FORMS(sinh), FORMS(cosh), FORMS(tanh) };
#undef FORMS
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++)
        for (int i = 0; i < 5000; i++) {
            const tess_c64 z = random_number(20);
            const tess_c32 s = tess__narrow_c64(z);
            if (!forms[k].slow(z) && !same_bits(forms[k].fast(z), forms[k].whole(z)))
                (void)test_failed(__FILE__, __LINE__, "%s_c64 of (%a, %a)", forms[k].name, z.re, z.im);
            if (!forms[k].slow_s(s) && !same_bits_c32(forms[k].fast_s(s), forms[k].whole_s(s)))
                (void)test_failed(__FILE__, __LINE__, "%s_c32 of (%a, %a)", forms[k].name, (double)s.re, (double)s.im);
        }
    CHECK(!tess__exp_slow_c64(tess__of_parts_c64(1e300, 1e5)) && tess__exp_slow_c64(tess__of_parts_c64(1, 1e300)));
    CHECK(!tess__sin_slow_c64(tess__of_parts_c64(1e5, 1e300)) && tess__sin_slow_c64(tess__of_parts_c64(1e300, 1)));
}

TEST(to_and_from_reals)
{
    for (int i = 0; i < 20000; i++) {
        const tess_c64    z = random_number(1023);
        const tess_c32    s = tess__narrow_c64(random_number(127));
        const wide        a = wide_of_c64(z), b = wide_of_c32(s);
        const long double re = creall(a), im = cimagl(a);
        CHECK(part_error((long double)tess__abs_c64(z), cabsl(a), cabsl(a), &f64) <= 1);
        CHECK(part_error((long double)tess__abs_c32(s), cabsl(b), cabsl(b), &f32) <= 1);
        CHECK(part_error((long double)tess__arg_c64(z), cargl(a), fabsl(cargl(a)), &f64) <= 2);
        CHECK(part_error((long double)tess__arg_c32(s), cargl(b), fabsl(cargl(b)), &f32) <= 1.5);
        CHECK(part_error((long double)tess__abs2_c64(z), re * re + im * im, re * re + im * im, &f64) <= 1.5);
        const wide p = wide_of(re * cosl(im), re * sinl(im)), c = wide_of(cosl(im), sinl(im));
        CHECK(error_of(wide_of_c64(tess__polar_c64(z.re, z.im)), p, &f64) <= 2);
        CHECK(error_of(wide_of_c64(tess__cis_c64(z.im)), c, &f64) <= 1.5);
        const wide q = wide_of(cosl(cimagl(b)), sinl(cimagl(b)));
        CHECK(error_of(wide_of_c32(tess__polar_c32(s.re, s.im)), creall(b) * q, &f32) <= 2);
        CHECK(error_of(wide_of_c32(tess__cis_c32(s.im)), q, &f32) <= 1.5);
    }
}

TEST(exact_results)
{
    for (int i = 0; i < 5000; i++) {
        const double   x = (double)test_random_in(0, 3000), y = (double)test_random_in(-3000, 3000);
        const tess_c64 z = tess__of_parts_c64(x, y), square = tess__square_c64(z);
        const tess_c64 w = tess__of_parts_c64((double)test_random_in(1, 3000), (double)test_random_in(-3000, 3000));
        if (x > 0) CHECK(same_bits(tess__sqrt_c64(square), z));
        CHECK(tess__equal_c64(tess__mul_c64(z, z), square));
        const tess_c64 any = random_number(1023);
        if (any.re != 0 || any.im != 0) CHECK(tess__equal_c64(tess__div_c64(any, any), tess__of_parts_c64(1, 0)));
        CHECK(tess__equal_c64(tess__div_c64(tess__mul_c64(z, w), w), z));
        CHECK(tess__equal_c64(tess__pow_c64(z, tess__of_parts_c64(2, 0)), square));
        CHECK(tess__equal_c64(tess__pow_c64(z, tess__of_parts_c64(3, 0)), tess__mul_c64(square, z)));
        CHECK(tess__equal_c64(tess__pow_c64(z, tess__of_parts_c64(0, 0)), tess__of_parts_c64(1, 0)));
    }
    for (int n = -1074; n <= 1023; n++) CHECK(tess__log2_c64(tess__of_parts_c64(ldexp(1, n), 0)).re == n);
}

/* Close to the unit circle the real part of a logarithm is small beside the other; it still has all its digits. */
TEST(logarithms_near_the_unit_circle)
{
    for (int i = 0; i < 20000; i++) {
        const double   turn = 7 * test_random_unit(), size = 1 + ldexp(test_random_unit(), -(int)test_random_in(1, 52));
        const tess_c64 z = tess__of_parts_c64(size * cos(turn), size * sin(turn));
        const long double x = (long double)z.re, y = (long double)z.im;
        const long double want =
            log1pl((fabsl(x) > fabsl(y) ? (x - 1) * (x + 1) + y * y : (y - 1) * (y + 1) + x * x)) / 2;
        if (LDBL_MANT_DIG < 113) break;
        CHECK(part_error((long double)tess__log_c64(z).re, want, fabsl(want), &f64) <= 2);
    }
}

/* Of a root both parts are, however different in size. */
TEST(parts_of_roots)
{
    for (int i = 0; i < 20000; i++) {
        const tess_c64 z = random_number(1023), got = tess__sqrt_c64(z);
        const wide     want = csqrtl(wide_of_c64(z));
        CHECK(part_error((long double)got.re, creall(want), fabsl(creall(want)), &f64) <= 2.5);
        CHECK(part_error((long double)got.im, cimagl(want), fabsl(cimagl(want)), &f64) <= 2.5);
    }
}

typedef double _Complex narrow;

/* NaN for NaN, infinity for infinity, zero for zero, else close; signs only where both arguments are finite. */
static bool alike(double got, double want, bool signs)
{
    if (isnan(got) || isnan(want)) return isnan(got) && isnan(want);
    if (signs && signbit(got) != signbit(want)) return false;
    if (isinf(got) || isinf(want)) return isinf(got) && isinf(want);
    return fabs(fabs(got) - fabs(want)) <= fmax(1e-14 * fabs(want), 1e-323);
}

/* The C library follows annex G; where that leaves a sign open, with infinite or undefined parts, so does this. */
TEST(special_values)
{
    static const double values[] = { 0.0, -0.0, 1, -1, 0.5, -2, 1e300, -1e300, 5e-324, INFINITY, -INFINITY, NAN };
    static const struct {
        const char *name;
        unary_c64  *got;
        narrow (*want)(narrow);
    } functions[] = {
        { "sqrt", tess__sqrt_c64, csqrt },    { "exp", tess__exp_c64, cexp },
        { "log", tess__log_c64, clog },       { "sin", tess__sin_c64, csin },
        { "cos", tess__cos_c64, ccos },       { "tan", tess__tan_c64, ctan },
        { "sinh", tess__sinh_c64, csinh },    { "cosh", tess__cosh_c64, ccosh },
        { "tanh", tess__tanh_c64, ctanh },    { "asin", tess__asin_c64, casin },
        { "acos", tess__acos_c64, cacos },    { "atan", tess__atan_c64, catan },
        { "asinh", tess__asinh_c64, casinh }, { "acosh", tess__acosh_c64, cacosh },
        { "atanh", tess__atanh_c64, catanh },
    };
    const size_t count = sizeof values / sizeof *values;
    for (size_t k = 0; k < sizeof functions / sizeof *functions; k++)
        for (size_t i = 0; i < count * count; i++) {
            const tess_c64 z = tess__of_parts_c64(values[i / count], values[i % count]), got = functions[k].got(z);
            narrow         in;
            memcpy(&in, &z, sizeof in);
            const narrow want = functions[k].want(in);
            const bool   signs = isfinite(z.re) && isfinite(z.im);
            if (!alike(got.re, creal(want), signs) || !alike(got.im, cimag(want), signs))
                (void)test_failed(__FILE__, __LINE__, "%s of (%g, %g) is (%.17g, %.17g), not (%.17g, %.17g)",
                                  functions[k].name, z.re, z.im, got.re, got.im, creal(want), cimag(want));
        }
}

TEST(ends_of_division_and_power)
{
    const tess_c64 one = tess__of_parts_c64(1, 0), none = tess__of_parts_c64(0, 0), far = { INFINITY, 1 };
    const tess_c64 z = tess__of_parts_c64(3, -4), huge = tess__of_parts_c64(1e308, 1e308);
    const tess_c64 lost = { NAN, 1 };
    CHECK(tess__div_c64(z, none).re == INFINITY && tess__div_c64(z, none).im == -INFINITY);
    CHECK(tess__div_c64(one, none).re == INFINITY && isnan(tess__div_c64(one, none).im));
    CHECK(tess__is_nan_c64(tess__div_c64(none, none)) && tess__is_nan_c64(tess__div_c64(z, lost)));
    CHECK(tess__equal_c64(tess__div_c64(z, far), none) && tess__is_inf_c64(tess__div_c64(far, z)));
    CHECK(tess__equal_c64(tess__div_c64(huge, huge), one) && tess__equal_c64(tess__reciprocal_c64(far), none));
    CHECK(tess__equal_c64(tess__div_safe_c64(z, none), none) && tess__equal_c64(tess__div_safe_c64(z, z), one));
    CHECK(tess__equal_c64(tess__div_safe_c64(one, tess__of_parts_c64(0x1p-53, 0)), none));
    CHECK(tess__div_safe_c64(one, tess__of_parts_c64(0x1p-52, 0)).re == 0x1p52);
    CHECK(tess__div_safe_c32(tess__of_parts_c32(1, 0), tess__of_parts_c32(0x1p-24f, 0)).re == 0);
    CHECK(tess__div_safe_c32(tess__of_parts_c32(1, 0), tess__of_parts_c32(0x1p-23f, 0)).re == 0x1p23f);
    CHECK(tess__equal_c64(tess__sign_c64(none), none) && tess__equal_c64(tess__sign_c64(far), one));
    CHECK(tess__equal_c64(tess__pow_c64(lost, none), one) && tess__equal_c64(tess__pow_c64(none, none), one));
    CHECK(tess__equal_c64(tess__pow_c64(none, z), none) && tess__is_inf_c64(tess__pow_c64(none, tess__neg_c64(one))));
    CHECK(tess__is_nan_c64(tess__pow_c64(lost, z)) && tess__is_inf_c64(tess__pow_c64(far, tess__of_parts_c64(2, 0))));
    CHECK(tess__polar_c64(INFINITY, 0).im == 0 && tess__abs_c64(tess__of_parts_c64(NAN, INFINITY)) == INFINITY);
    CHECK(tess__is_nan_c64(lost) && !tess__is_nan_c64(far) && tess__is_inf_c64(far) && !tess__is_inf_c64(lost));
    CHECK(tess__is_finite_c64(z) && !tess__is_finite_c64(far) && !tess__is_finite_c64(lost));
    CHECK(!tess__equal_c64(lost, lost) && !tess__equal_c64(z, one));
}

static void report(void)
{
    puts("largest error in ulp of the length: c64, c32");
    for (size_t i = 0; i < sizeof unaries / sizeof *unaries; i++) {
        double worst[2] = { 0, 0 };
        check_unary(unaries + i, 100000, worst);
        printf("%-12s %6.3f %6.3f\n", unaries[i].name, worst[0], worst[1]);
    }
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        double worst[2] = { 0, 0 };
        check_binary(binaries + i, 100000, worst);
        printf("%-12s %6.3f %6.3f\n", binaries[i].name, worst[0], worst[1]);
    }
}

__attribute__((constructor)) static void offer_report(void) { test_bench = report; }
