/* The scalar functions from C++: the same types as in C, the same values as the functions under them. */
#include <stdio.h>

#include "tessera/math.h"
#include "tessera/op_complex.h"

static int passed, failed;

static void check(bool good, const char *what)
{
    if (good) passed++;
    else failed++;
    if (!good) printf("FAILED %s\n", what);
}
#define CHECK(condition) check((condition), #condition)

template <typename A, typename B> struct same { static constexpr bool value = false; };
template <typename A> struct same<A, A> { static constexpr bool value = true; };
#define IS(type, ...) static_assert(same<type, decltype(__VA_ARGS__)>::value, "another type")

IS(float, tessm_exp(1.0f));
IS(double, tessm_exp(1.0));
IS(double, tessm_exp(1));
IS(double, tessm_sqrt(static_cast<signed char>(4)));
IS(float, tessm_pow(1.0f, 2));
IS(double, tessm_pow(1.0f, 2.0));
IS(double, tessm_pow(1, 2));
IS(float, tessm_fma(1.0f, 2, 3));
IS(double, tessm_fma(1, 2, 3));
IS(float, tessm_abs(-1.0f));
IS(int, tessm_abs(static_cast<short>(-1)));
IS(unsigned, tessm_min(1u, 2));
IS(long long, tessm_max(1ll, 2));
IS(float, tessm_clamp(1.0f, 0, 1));
IS(int, tessm_isnan(1.0f));
IS(float, tessm_minimum(1.0f, 2));
IS(int, tessm_maximum(static_cast<short>(1), 2));
IS(int, tessm_signbit(1.0f));
IS(float, tessm_deg2rad(1.0f));
IS(double, tessm_rad2deg(1));
IS(float, tessm_abs(tess_c32()));
IS(tess_c64, tessm_sqrt(tess_c64()));
IS(tess_c32, tessm_pow(tess_c32(), tess_c32()));
IS(tess_c32, tessm_complex_polar(1.0f, 2.0f));
IS(int, tessm_isfinite(tess_c64()));

static void functions()
{
    const float  f = 0.625f;
    const double d = 0.625;
#define ONE(name) CHECK(tessm_##name(f) == tess__##name##_f32(f) && tessm_##name(d) == tess__##name##_f64(d));
#define TWO(name)                                                                                                      \
    CHECK(tessm_##name(f, 3) == tess__##name##_f32(f, 3));                                                             \
    CHECK(tessm_##name(3, d) == tess__##name##_f64(3, d));
    ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(sin) ONE(cos) ONE(tan)
    ONE(asin) ONE(acos) ONE(atan) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(atanh) ONE(cbrt) ONE(erf) ONE(erfc)
    ONE(sinc) ONE(rsqrt) TWO(atan2) TWO(pow) TWO(hypot) TWO(logaddexp) TWO(fmod)
    CHECK(tessm_acosh(2.0f) == tess__acosh_f32(2) && tessm_acosh(2) == tess__acosh_f64(2));
}

static void roundings_and_choices()
{
    CHECK(tessm_sqrt(16) == 4 && tessm_sqrt(16.0f) == 4);
    CHECK(tessm_floor(-2.5) == -3 && tessm_ceil(-2.5f) == -2 && tessm_trunc(-2.5) == -2);
    CHECK(tessm_round(-2.5f) == -3 && tessm_rint(2.5) == 2 && tessm_copysign(2, -1.0) == -2);
    CHECK(tessm_fma(3, 4.0f, 5) == 17 && tessm_fma(3, 4.0, 5) == 17);
    CHECK(tessm_min(__builtin_nanf(""), 1) == 1 && tessm_max(1.0, __builtin_nan("")) == 1);
    CHECK(tessm_min(-7, 7) == -7 && tessm_max(7ul, 9u) == 9 && tessm_clamp(12, 0, 10) == 10);
    CHECK(tessm_clamp(-1.5, 0, 1) == 0 && tessm_abs(-7ll) == 7 && tessm_sign(-0.5f) == -1 && tessm_sign(3u) == 1);
    CHECK(tessm_isnan(__builtin_nan("")) && tessm_isinf(-__builtin_inff()) && !tessm_isfinite(__builtin_inf()));
    CHECK(tessm_isfinite(3) && !tessm_isnan(3));
    CHECK(tessm_isnan(tessm_minimum(__builtin_nanf(""), 1)) && tessm_isnan(tessm_maximum(1.0, __builtin_nan(""))));
    CHECK(tessm_minimum(-7, 7) == -7 && tessm_maximum(2.5, 1) == 2.5 && tessm_signbit(-0.0) && !tessm_signbit(1));
    CHECK(tessm_select(true, 1, 2) == 1 && tessm_deg2rad(0) == 0 && tessm_rad2deg(0.0f) == 0);
}

static void complex_numbers()
{
    const tess_c64 w = tessm_complex(-3.0, 4.0);
    CHECK(tessm_abs(w) == 5 && tessm_abs(tessm_complex(3.0f, 4.0f)) == 5);
    CHECK(tessm_exp(w).re == tess__exp_c64(w).re && tessm_sin(w).im == tess__sin_c64(w).im);
    CHECK(tessm_log(w).im == tess__log_c64(w).im && tessm_pow(w, w).re == tess__pow_c64(w, w).re);
    CHECK(tessm_isfinite(w) && !tessm_isnan(w) && tessm_isinf(tessm_complex(0.0, -__builtin_inf())));
    CHECK(tessm_complex_polar(2.0, 0.0).re == 2);
}

int main()
{
    functions();
    complex_numbers();
    roundings_and_choices();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
