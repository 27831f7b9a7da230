/* Weights of interpolation against their formulas in long double: every method, f32 and f64, at and beside the
 * elements. */
#include <math.h>

#include "support/test.h"
#include "tessera/math/interp_weights.op.h"

enum { MAX_TAPS = 8 };

static long double sinc(long double x)
{
    const long double pi = acosl(-1.0L);
    return fabsl(x) < 1e-6L ? 1 - pi * pi * x * x / 6 : sinl(pi * x) / (pi * x);
}

/* The kernel of a method at a distance x, before normalisation. */
static long double kernel(int method, long double x)
{
    const long double d = fabsl(x), pi = acosl(-1.0L), a = tess__interp_taps(method) / 2;
    switch (method) {
    case TESS_INTERP_LINEAR: return d < 1 ? 1 - d : 0;
    case TESS_INTERP_COSINE: return d < 1 ? (1 + cosl(pi * d)) / 2 : 0;
    case TESS_INTERP_CUBIC:
        if (d < 1) return (1.5L * d - 2.5L) * d * d + 1;
        return d < 2 ? ((-0.5L * d + 2.5L) * d - 4) * d + 2 : 0;
    case TESS_INTERP_CUBIC_BSPLINE:
        if (d < 1) return 2.0L / 3 - d * d + d * d * d / 2;
        return d < 2 ? (2 - d) * (2 - d) * (2 - d) / 6 : 0;
    default: return d < a ? sinc(x) * sinc(x / a) : 0;
    }
}

static void expected(int method, long double t, long double want[MAX_TAPS])
{
    const int   n = tess__interp_taps(method), first = tess__interp_first(method);
    long double sum = 0;
    for (int k = 0; k < n; k++) {
        want[k] = n == 1 ? 1 : kernel(method, first + k - t);
        sum += want[k];
    }
    for (int k = 0; k < n; k++) want[k] /= sum;
}

static void compare(int method, float t32, double t)
{
    long double want[MAX_TAPS];
    double      w[MAX_TAPS] = { 0 };
    float       w32[MAX_TAPS] = { 0 };
    tess__interp_weights_f64(method, t, w);
    tess__interp_weights_f32(method, t32, w32);
    expected(method, t, want);
    for (int k = 0; k < tess__interp_taps(method); k++)
        if (!(fabsl(w[k] - want[k]) < 1e-15L))
            (void)test_failed(__FILE__, __LINE__, "method %d, t %.17g, f64 weight %d is %.17g, not %.17Lg", method, t,
                              k, w[k], want[k]);
    expected(method, (long double)t32, want);
    for (int k = 0; k < tess__interp_taps(method); k++)
        if (!(fabsl((long double)w32[k] - want[k]) < 3e-7L))
            (void)test_failed(__FILE__, __LINE__, "method %d, t %.9g, f32 weight %d is %.9g, not %.9Lg", method,
                              (double)t32, k, (double)w32[k], want[k]);
}

TEST(formulas)
{
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
        for (int i = 0; i < 1000; i++) {
            const double t = (double)(test_random() >> 11) * 0x1p-53;
            compare(method, (float)(test_random() >> 40) * 0x1p-24f, t);
        }
        for (int i = 1; i < 149; i++) compare(method, ldexpf(1, -i), ldexp(1, -i));
        for (int i = 1; i < 25; i++) compare(method, 1 - ldexpf(1, -i), 1 - ldexp(1, -i));
        for (int i = 25; i < 54; i++) compare(method, 0.5f, 1 - ldexp(1, -i));
        compare(method, 0, 0);
        compare(method, 1, 1);
        compare(method, 1e-40f, 1e-310);
    }
}

/* The element itself where t is 0, and the next where rounding made it 1; the B-spline alone blurs. */
TEST(elements)
{
    for (int method = TESS_INTERP_LINEAR; method <= TESS_INTERP_LANCZOS8; method++) {
        if (method == TESS_INTERP_CUBIC_BSPLINE) continue;
        double w[MAX_TAPS], next[MAX_TAPS];
        float  w32[MAX_TAPS], next32[MAX_TAPS];
        tess__interp_weights_f64(method, 0, w);
        tess__interp_weights_f64(method, 1, next);
        tess__interp_weights_f32(method, 0, w32);
        tess__interp_weights_f32(method, 1, next32);
        for (int k = 0; k < tess__interp_taps(method); k++) {
            const int at = k + tess__interp_first(method);
            CHECK(w[k] == (at == 0) && w32[k] == (float)(at == 0));
            CHECK(next[k] == (at == 1) && next32[k] == (float)(at == 1));
        }
    }
}

/* noa's Lanczos 4, 6 and 8 all had a = 4: windows that were cut off. Here the last weight goes to 0 at t = 0. */
TEST(lanczos_windows_have_their_own_width)
{
    for (int method = TESS_INTERP_LANCZOS4; method <= TESS_INTERP_LANCZOS8; method++) {
        double    w[MAX_TAPS];
        const int n = tess__interp_taps(method);
        tess__interp_weights_f64(method, 1e-4, w);
        CHECK(fabs(w[n - 1]) < 1e-7);
        tess__interp_weights_f64(method, 0.5, w);
        for (int k = 0; k < n / 2; k++) CHECK(fabs(w[k] - w[n - 1 - k]) < 1e-15);
    }
}

TEST(not_a_number)
{
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
        double w[MAX_TAPS];
        tess__interp_weights_f64(method, NAN, w);
        for (int k = 0; k < tess__interp_taps(method); k++) CHECK(isnan(w[k]));
    }
}

/* The nearest element: halves go up. */
TEST(nearest)
{
    CHECK(tess__interp_base_f64(TESS_INTERP_NEAREST, 3, 0.25) == 3);
    CHECK(tess__interp_base_f64(TESS_INTERP_NEAREST, 3, 0.5) == 4);
    CHECK(tess__interp_base_f64(TESS_INTERP_LINEAR, 3, 0.75) == 3);
}
