/* Type-generic scalar functions: which function a type gets, roundings, choices, integers. How exact they are is the
 * matter of tests/math. */
#include <math.h>

#include "support/test.h"
#include "tessera/math.h"
#include "tessera/op_complex.h"

#define IS(type, expression) _Static_assert(_Generic((expression), type : 1, default : 0), "another type")
#define MINUS_ZERO(x) ((x) == 0 && signbit(x))
#define PLUS_ZERO(x) ((x) == 0 && !signbit(x))

static bool near(double got, double wanted, double tolerance) { return fabs(got - wanted) <= tolerance * fabs(wanted); }

TEST(a_float_gets_the_float_function_and_all_else_the_double_one)
{
    const float  f = 0.75f;
    const double d = 0.75;
    const int    i = 3;
    IS(float, tessm_exp(f));
    IS(double, tessm_exp(d));
    IS(double, tessm_exp(i));
    IS(double, tessm_sqrt((int8_t)4));
    IS(float, tessm_pow(f, 2));
    IS(float, tessm_pow(f, f));
    IS(double, tessm_pow(f, d));
    IS(double, tessm_pow(2, i));
    IS(float, tessm_fma(f, 2, f));
    IS(double, tessm_fma(f, 2, d));
    IS(float, tessm_copysign(f, -1));
    IS(int, tessm_isnan(f));
    IS(int, tessm_isnan(d));
    CHECK(tessm_sqrt(16) == 4);
    CHECK(tessm_sqrt(2.0f) == sqrtf(2.0f));
    CHECK(tessm_sqrt(2.0) == sqrt(2.0));
}

TEST(choices_keep_integers)
{
    IS(float, tessm_abs(-1.0f));
    IS(double, tessm_abs(-1.0));
    IS(int, tessm_abs((int16_t)-1));
    IS(int, tessm_sign((uint8_t)200));
    IS(int, tessm_min(1, 2));
    IS(unsigned, tessm_min(1u, 2u));
    IS(float, tessm_min(1.0f, 2));
    IS(double, tessm_max(1.0f, 2.0));
    IS(float, tessm_clamp(1.0f, 0, 1));
    const int64_t  wide = INT64_MIN;
    const uint64_t most = UINT64_MAX;
    CHECK(tessm_min(wide, INT64_C(0)) == INT64_MIN);
    CHECK(tessm_max(most, UINT64_C(1)) == UINT64_MAX);
    CHECK(tessm_max(INT64_C(9007199254740993), INT64_C(0)) == INT64_C(9007199254740993));
    CHECK(tessm_clamp(-7, -3, 3) == -3);
    CHECK(tessm_clamp(7, -3, 3) == 3);
    CHECK(tessm_clamp(2, -3, 3) == 2);
    CHECK(tessm_clamp((uint8_t)200, 0, 100) == 100);
}

TEST(abs_and_sign_of_integers)
{
    CHECK(tessm_abs(-5) == 5);
    CHECK(tessm_abs(5u) == 5u);
    CHECK(tessm_abs(UINT32_MAX) == UINT32_MAX);
    CHECK(tessm_abs(UINT64_MAX) == UINT64_MAX);
    CHECK(tessm_abs(INT32_MIN) == INT32_MIN);
    CHECK(tessm_abs(INT64_MIN) == INT64_MIN);
    CHECK(tessm_abs(INT64_C(-5000000000)) == INT64_C(5000000000));
    CHECK(tessm_sign(-5) == -1);
    CHECK(tessm_sign(0) == 0);
    CHECK(tessm_sign(INT64_MIN) == -1);
    CHECK(tessm_sign(UINT32_MAX) == 1);
    CHECK(tessm_sign(0u) == 0);
}

TEST(a_nan_loses_in_min_and_max)
{
    CHECK(tessm_min(NAN, 1.0f) == 1.0f);
    CHECK(tessm_min(1.0f, NAN) == 1.0f);
    CHECK(tessm_max((double)NAN, -1.0) == -1.0);
    CHECK(tessm_max(-1.0, (double)NAN) == -1.0);
    CHECK(isnan(tessm_min(NAN, NAN)));
    CHECK(isnan(tessm_max((double)NAN, (double)NAN)));
    CHECK(tessm_min(-INFINITY, 3.0f) == -INFINITY);
    CHECK(tessm_max(3.0, (double)INFINITY) == INFINITY);
    CHECK(tessm_min(2.0, 3.0) == 2.0 && tessm_min(3.0, 2.0) == 2.0);
    CHECK(tessm_max(2.0f, 3.0f) == 3.0f && tessm_max(3.0f, 2.0f) == 3.0f);
}

TEST(minus_zero_is_the_smaller_one)
{
    CHECK(MINUS_ZERO(tessm_min(0.0f, -0.0f)) && MINUS_ZERO(tessm_min(-0.0f, 0.0f)));
    CHECK(MINUS_ZERO(tessm_min(0.0, -0.0)) && MINUS_ZERO(tessm_min(-0.0, 0.0)));
    CHECK(PLUS_ZERO(tessm_max(0.0f, -0.0f)) && PLUS_ZERO(tessm_max(-0.0f, 0.0f)));
    CHECK(PLUS_ZERO(tessm_max(0.0, -0.0)) && PLUS_ZERO(tessm_max(-0.0, 0.0)));
}

TEST(a_nan_wins_in_minimum_and_maximum)
{
    IS(float, tessm_minimum(1.0f, 2));
    IS(int, tessm_maximum((int8_t)1, (int16_t)2));
    CHECK(isnan(tessm_minimum(NAN, 1.0f)) && isnan(tessm_minimum(1.0f, NAN)));
    CHECK(isnan(tessm_maximum((double)NAN, 1.0)) && isnan(tessm_maximum(1.0, (double)NAN)));
    CHECK(tessm_minimum(2.0, 3.0) == 2 && tessm_minimum(3.0f, 2.0f) == 2 && tessm_maximum(2.0, -(double)INFINITY) == 2);
    CHECK(PLUS_ZERO(tessm_minimum(-0.0, 0.0)) && MINUS_ZERO(tessm_maximum(0.0f, -0.0f)));
    CHECK(tessm_minimum(INT64_MIN, INT64_C(0)) == INT64_MIN && tessm_maximum(7u, UINT32_MAX) == UINT32_MAX);
}

TEST(signs_angles_and_choices)
{
    IS(int, tessm_signbit(1.0f));
    IS(float, tessm_deg2rad(1.0f));
    IS(double, tessm_rad2deg(1));
    CHECK(tessm_signbit(-0.0f) == 1 && tessm_signbit(-(double)INFINITY) == 1 && tessm_signbit(0.0) == 0);
    CHECK(tessm_signbit(3) == 0 && tessm_signbit(-3) == 1 && tessm_signbit(copysign((double)NAN, -1)) == 1);
    CHECK(near(tessm_deg2rad(180.0), acos(-1), 1e-15) && near((double)tessm_deg2rad(180.0f), acos(-1), 1e-7));
    CHECK(near(tessm_rad2deg(acos(-1)), 180, 1e-15) && near((double)tessm_rad2deg(1.0f), 180 / acos(-1), 1e-7));
    for (int yes = 0; yes < 2; yes++) CHECK(tessm_select(yes, 3, 4) == 4 - yes);
}

static bool are(tess_c64 z, double re, double im)
{
    return fabs(z.re - re) + fabs(z.im - im) <= 1e-15 * (fabs(re) + fabs(im));
}

/* How exact they are is the matter of tests/check/ewise_complex.c; here it is which function a type gets. */
TEST(complex_numbers)
{
    const tess_c32 z = { 3, 4 };
    const tess_c64 w = { -1, 0 }, one = { 1, 0 }, not_finite = { 1, (double)INFINITY };
    IS(float, tessm_abs(z));
    IS(double, tessm_abs(w));
    IS(tess_c32, tessm_exp(z));
    IS(tess_c64, tessm_sqrt(w));
    IS(tess_c32, tessm_pow(z, z));
    IS(tess_c32, tessm_complex_polar(1.0f, 2));
    IS(tess_c64, tessm_complex_polar(1.0f, 2.0));
    IS(int, tessm_isnan(z));
    IS(int, tessm_abs((int8_t)-1));
    IS(int, tessm_sign((uint16_t)1));
    IS(int64_t, tessm_abs(INT64_C(1)));
    IS(float, tessm_pow(1.0f, 2));
    CHECK(tessm_abs(z) == 5 && tessm_abs(w) == 1);
    CHECK(are(tessm_sqrt(w), 0, 1) && are(tessm_log(w), 0, acos(-1)) && are(tessm_exp(w), exp(-1), 0));
    CHECK(near(tessm_pow(w, one).re, -1, 1e-15) && fabs(tessm_pow(w, one).im) < 1e-15);
    CHECK(are(tessm_log2(one), 0, 0) && are(tessm_log10(one), 0, 0) && are(tessm_sign(w), -1, 0));
    CHECK(are(tessm_sin(one), sin(1), 0) && are(tessm_cos(one), cos(1), 0) && are(tessm_tan(one), tan(1), 0));
    CHECK(are(tessm_sinh(one), sinh(1), 0) && are(tessm_cosh(one), cosh(1), 0) && are(tessm_tanh(one), tanh(1), 0));
    CHECK(are(tessm_atan(one), atan(1), 0) && are(tessm_asinh(one), asinh(1), 0) && are(tessm_asin(one), asin(1), 0));
    CHECK(are(tessm_acos(w), acos(-1), 0) && are(tessm_acosh(one), 0, 0) && tessm_isinf(tessm_atanh(one)) == 1);
    CHECK(tessm_isnan(not_finite) == 0 && tessm_isinf(not_finite) == 1 && tessm_isfinite(not_finite) == 0);
    CHECK(tessm_isfinite(z) == 1 && tessm_isinf(z) == 0 && tessm_isnan(tessm_complex(0.0f, NAN)) == 1);
    CHECK(are(tessm_complex_polar(2.0, 0.0), 2, 0));
}

TEST(clamp_and_sign_keep_a_nan)
{
    CHECK(isnan(tessm_clamp(NAN, 0.0f, 1.0f)));
    CHECK(isnan(tessm_clamp((double)NAN, 0.0, 1.0)));
    CHECK(tessm_clamp(5.0, (double)NAN, 1.0) == 1.0);
    CHECK(tessm_clamp(-5.0f, NAN, 1.0f) == -5.0f);
    CHECK(tessm_clamp(0.5, 0, 1) == 0.5);
    CHECK(tessm_clamp(-0.5, 0, 1) == 0);
    CHECK(tessm_clamp(-INFINITY, -1.0f, 1.0f) == -1.0f);
    CHECK(isnan(tessm_sign(NAN)) && isnan(tessm_sign((double)NAN)));
    CHECK(tessm_sign(-INFINITY) == -1 && tessm_sign(0x1p-149f) == 1 && tessm_sign(-0x1p-1074) == -1);
    CHECK(PLUS_ZERO(tessm_sign(0.0f)) && PLUS_ZERO(tessm_sign(-0.0)));
}

TEST(roundings)
{
    static const double points[] = { 0,       0.25,      0.5,      0.49999999999999994, 1,      1.5,  2.5,   3.75,
                                     8388607, 8388607.5, 16777217, 4503599627370495.5,  0x1p52, 1e30, 1e308, INFINITY };
    for (size_t i = 0; i < sizeof points / sizeof *points; i++)
        for (int sign = -1; sign <= 1; sign += 2) {
            const double d = sign * points[i];
            const float  f = (float)d;
#define SAME(name)                                                                                                     \
    CHECK(tessm_##name(d) == name(d) && signbit(tessm_##name(d)) == signbit(name(d)));                                 \
    CHECK(tessm_##name(f) == name##f(f) && signbit(tessm_##name(f)) == signbit(name##f(f)));
            SAME(floor) SAME(ceil) SAME(round) SAME(rint) SAME(trunc)
#undef SAME
        }
    CHECK(tessm_round(0.49999997f) == 0 && tessm_round(-2.5f) == -3 && tessm_rint(-2.5f) == -2);
    CHECK(isnan(tessm_round(NAN)) && isnan(tessm_floor((double)NAN)));
}

TEST(kinds_of_numbers)
{
    CHECK(tessm_isnan(NAN) == 1 && tessm_isnan(-(double)NAN) == 1 && tessm_isnan(INFINITY) == 0 && tessm_isnan(3) == 0);
    CHECK(tessm_isinf(-INFINITY) == 1 && tessm_isinf((double)INFINITY) == 1 && tessm_isinf((double)NAN) == 0);
    CHECK(tessm_isinf(0x1.fffffep127f) == 0 && tessm_isinf(0x1.fffffffffffffp1023) == 0);
    CHECK(tessm_isfinite(-0x1.fffffep127f) == 1 && tessm_isfinite(0.0) == 1 && tessm_isfinite(INT64_MAX / 2 + 1) == 1);
    CHECK(tessm_isfinite(NAN) == 0 && tessm_isfinite(-(double)INFINITY) == 0);
}

TEST(every_function_is_the_one_of_its_name)
{
#define LIKE(name, x)                                                                                                  \
    CHECK(near(tessm_##name((double)(x)), name(x), 1e-15));                                                            \
    CHECK(near((double)tessm_##name((float)(x)), name(x), 3e-7));
#define LIKE2(name, x, y)                                                                                              \
    CHECK(near(tessm_##name((double)(x), (double)(y)), name(x, y), 1e-15));                                            \
    CHECK(near((double)tessm_##name((float)(x), (float)(y)), name(x, y), 3e-7))
    /* clang-format off */
    LIKE(exp, 1.25) LIKE(exp2, 1.25) LIKE(expm1, 0.125) LIKE(log, 3) LIKE(log2, 3) LIKE(log10, 3) LIKE(log1p, 0.125)
    LIKE(sin, 1.25) LIKE(cos, 1.25) LIKE(tan, 1.25) LIKE(asin, 0.625) LIKE(acos, 0.625) LIKE(atan, 1.25)
    LIKE(sinh, 1.25) LIKE(cosh, 1.25) LIKE(tanh, 1.25) LIKE(asinh, 1.25) LIKE(acosh, 1.25) LIKE(atanh, 0.625)
    LIKE(cbrt, 3) LIKE(erf, 0.625) LIKE(erfc, 0.625) LIKE(sqrt, 3)
    LIKE2(atan2, 3, -2); LIKE2(pow, 3, 2.5); LIKE2(hypot, 3, -2); LIKE2(fmod, 7.5, 2); LIKE2(copysign, 3, -0.0);
    /* clang-format on */
#undef LIKE
#undef LIKE2
    CHECK(near(tessm_exp10(1.25), pow(10, 1.25), 1e-15) && near((double)tessm_exp10(1.25f), pow(10, 1.25), 3e-7));
    CHECK(near(tessm_sinc(1.25), sin(1.25) / 1.25, 1e-15) && near((double)tessm_sinc(1.25f), sin(1.25) / 1.25, 3e-7));
    CHECK(tessm_rsqrt(3.0) == 1 / sqrt(3.0) && tessm_rsqrt(3.0f) == 1 / sqrtf(3.0f));
    CHECK(near(tessm_logaddexp(1.0, 2.5), log(exp(1) + exp(2.5)), 1e-15));
    CHECK(near((double)tessm_logaddexp(1.0f, 2.5f), log(exp(1) + exp(2.5)), 3e-7));
    CHECK(tessm_fma(1 + 0x1p-30, 1 + 0x1p-30, -1.0) == 0x1p-29 + 0x1p-60);
    CHECK(tessm_fma(1 + 0x1p-12f, 1 + 0x1p-12f, -1.0f) == 0x1p-11f + 0x1p-24f);
}

TEST(arguments_are_evaluated_once)
{
    const float at[] = { 1, 2, 3, 4, 5, 6 };
    int         i = 0;
    CHECK(tessm_sqrt(at[i++]) == 1 && i == 1);
    CHECK(tessm_max(at[i++], 0) == 2 && i == 2);
    CHECK(tessm_abs(at[i++]) == 3 && i == 3);
    CHECK(tessm_clamp(at[i++], 0, 9) == 4 && i == 4);
    CHECK(tessm_pow(at[i++], 1) == 5 && i == 5);
}

TEST(functions_nest)
{
    const double x = 0.375;
    CHECK(near(tessm_exp(tessm_log(tessm_sqrt(tessm_abs(-x)))), sqrt(x), 1e-15));
    CHECK(tessm_max(tessm_min(1, 2), tessm_clamp(5, 0, tessm_abs(-3))) == 3);
}
