/* Interpolation as inline C beside a plain reference in double precision: every border, method, type and odd coordinate. */
#include <math.h>

#include "support/test.h"
#include "tessera/math/interp.op.h"

enum { B = 2, D = 3, H = 4, W = 5 };

/* Where index i of n goes, step by step. */
static int64_t walk(int border, int64_t i, int64_t n)
{
    for (;;) {
        if (i >= 0 && i < n) return i;
        if (border == TESS_BORDER_ZERO || border == TESS_BORDER_VALUE || border == TESS_BORDER_NOTHING ||
            border == TESS__BORDER_FAULT)
            return -1;
        if (border == TESS_BORDER_CLAMP) return i < 0 ? 0 : n - 1;
        if (border == TESS_BORDER_PERIODIC) i = i < 0 ? i + n : i - n;
        if (border == TESS_BORDER_MIRROR) i = i < 0 ? -1 - i : 2 * n - 1 - i;
        if (border == TESS_BORDER_REFLECT) {
            if (n == 1) return 0;
            i = i < 0 ? -i : 2 * n - 2 - i;
        }
    }
}

static const double OUTSIDE = 3.25;

static double number(int64_t b, int64_t d, int64_t h, int64_t w)
{
    return sin((double)(((b * 7 + d) * 7 + h) * 7 + w)) * 10; /* of no pattern */
}

static double element(int border, const int64_t shape[4], const int64_t at[4])
{
    int64_t position[4];
    for (int k = 0; k < 4; k++) {
        position[k] = walk(border, at[k], shape[k]);
        if (position[k] < 0) return border == TESS_BORDER_VALUE ? OUTSIDE : 0;
    }
    return number(position[0], position[1], position[2], position[3]);
}

/* Catmull-Rom as the kernel of a convolution, at distance x. */
static double kernel(double x)
{
    const double a = -0.5, u = fabs(x);
    if (u < 1) return (a + 2) * u * u * u - (a + 3) * u * u + 1;
    return u < 2 ? a * u * u * u - 5 * a * u * u + 8 * a * u - 4 * a : 0;
}

static double weight(int method, double x)
{
    if (method == 0) return x > -0.5 && x <= 0.5; /* the coordinate less the index: halves go up */
    const double u = fabs(x), pi = 3.14159265358979323846, a = method - 3; /* of lanczos */
    if (method == 1) return u < 1 ? 1 - u : 0;
    if (method == 3) return u < 1 ? (1 + cos(pi * u)) / 2 : 0;
    if (method == 4) return u < 1 ? 2.0 / 3 - u * u + u * u * u / 2 : u < 2 ? (2 - u) * (2 - u) * (2 - u) / 6 : 0;
    if (method >= 5) return u >= a ? 0 : u == 0 ? 1 : a * sin(pi * u) * sin(pi * u / a) / (pi * pi * u * u);
    return kernel(x);
}

/* Along an axis, with element i below coordinate c: what weights are divided by. */
static double whole(int method, int border, double c, int64_t n)
{
    double sum = 0, inside = 0;
    for (int k = -3; k <= 4; k++) {
        const double w = weight(method, floor(c) + k - c), i = floor(c) + k;
        sum += w;
        inside += i >= 0 && i < (double)n ? w : 0;
    }
    if (border == TESS_BORDER_NOTHING) return fabs(inside) < 1e-9 ? (double)INFINITY : inside;
    return method >= 5 ? sum : 1;
}

/* The sum over all neighbours that can count; `dims` last axes are interpolated. */
static double reference(int method, int dims, int border, const int64_t shape[4], const double at[4])
{
    double  sum = 0;
    int64_t i[4] = { (int64_t)at[0], (int64_t)at[1], 0, 0 };
    double  scale = 1;
    for (int k = 4 - dims; k < 4; k++) scale *= whole(method, border, at[k], shape[k]);
    for (int z = -3; z <= 4; z++) {
        if (dims == 2 && z != 0) continue;
        for (int y = -3; y <= 4; y++)
            for (int x = -3; x <= 4; x++) {
                double share = 1;
                if (dims == 3) i[1] = (int64_t)floor(at[1]) + z;
                i[2] = (int64_t)floor(at[2]) + y;
                i[3] = (int64_t)floor(at[3]) + x;
                for (int k = 4 - dims; k < 4; k++) share *= weight(method, (double)i[k] - at[k]);
                if (share != 0) sum += share * element(border, shape, i);
            }
    }
    return sum / scale;
}

static const int borders[] = { TESS_BORDER_ZERO,         TESS_BORDER_CLAMP,       TESS_BORDER_MIRROR,
                               TESS_BORDER_REFLECT,      TESS_BORDER_PERIODIC,    TESS__BORDER_FAULT,
                               TESS_BORDER_VALUE,        TESS_BORDER_NOTHING,     TESS__BORDER_SPECTRUM_F,
                               TESS__BORDER_SPECTRUM_FC, TESS__BORDER_SPECTRUM_H, TESS__BORDER_SPECTRUM_HC };
enum { PLAIN_BORDERS = 8, BORDERS = sizeof borders / sizeof *borders };
static const int64_t shapes[][4] = { { B, D, H, W }, { 1, 1, 1, 1 }, { 1, 2, 1, 3 }, { 2, 1, 3, 2 } };

#define CHECK_NEAR(got, want, slack)                                                                                   \
    do {                                                                                                               \
        const double got_ = (got), want_ = (want), more_ = border == TESS_BORDER_NOTHING ? 400 : 1;                    \
        if (!(fabs(got_ - want_) <= (slack)*more_)) /* quotients of small numbers */                                   \
            (void)test_failed(__FILE__, __LINE__, "%s is %.17g, not %.17g (border %d, shape %d, at %g %g %g %g)",      \
                              #got, got_, want_, border, s, at[0], at[1], at[2], at[3]);                               \
    } while (0)

/* Elements with gaps between them, so that strides count; the imaginary part is twice the real one. */
static float    data_f32[2 * B * D * H * W];
static double   data_f64[2 * B * D * H * W];
static tess_c32 data_c32[2 * B * D * H * W];
static tess_c64 data_c64[2 * B * D * H * W];

static void lay_out(const int64_t shape[4], int64_t stride[4])
{
    stride[3] = 2;
    for (int k = 2; k >= 0; k--) stride[k] = stride[k + 1] * shape[k + 1];
    for (int64_t b = 0; b < shape[0]; b++)
        for (int64_t d = 0; d < shape[1]; d++)
            for (int64_t h = 0; h < shape[2]; h++)
                for (int64_t w = 0; w < shape[3]; w++) {
                    const int64_t i = b * stride[0] + d * stride[1] + h * stride[2] + w * stride[3];
                    const double  x = number(b, d, h, w);
                    data_f32[i] = (float)x;
                    data_f64[i] = x;
                    data_c32[i] = (tess_c32){ (float)x, 2 * (float)x };
                    data_c64[i] = (tess_c64){ x, 2 * x };
                }
}

/* A view of each type on the same numbers, and a place in it. */
typedef struct place {
    tess_view_f32 f32;
    tess_view_f64 f64;
    tess_view_c32 c32;
    tess_view_c64 c64;
    int           s, border; /* which of `shapes`, and what is beyond its edges */
    int64_t       b, d;
    double        at[4], at2[4]; /* of volumes, of images */
} place;

/* A function for each, as inline functions make a function of all of them long to compile. */
#define CHECK_OF_METHOD(number_, method)                                                                               \
    static void check_##method(const place *p)                                                                         \
    {                                                                                                                  \
        const int     s = p->s, border = p->border;                                                                    \
        const int64_t b = p->b, d = p->d;                                                                              \
        const double *at = p->at, z = at[1], y = at[2], x = at[3];                                                     \
        const float   fz = (float)z, fy = (float)y, fx = (float)x;                                                     \
        const double  flat = reference(number_, 2, border, shapes[s], p->at2),                                         \
                     deep = reference(number_, 3, border, shapes[s], at);                                              \
        CHECK_NEAR((double)tess__interp_##method##_f32_f32(&p->f32, b, d, fy, fx), flat, 2e-5);                        \
        CHECK_NEAR((double)tess__interp_##method##_f32_f64(&p->f32, b, d, y, x), flat, 2e-5);                          \
        CHECK_NEAR(tess__interp_##method##_f64_f32(&p->f64, b, d, fy, fx), flat, 6e-14);                               \
        CHECK_NEAR(tess__interp_##method##_f64_f64(&p->f64, b, d, y, x), flat, 6e-14);                                 \
        CHECK_NEAR((double)tess__interp_##method##_c32_f32(&p->c32, b, d, fy, fx).im, 2 * flat, 4e-5);                 \
        CHECK_NEAR(tess__interp_##method##_c64_f64(&p->c64, b, d, y, x).im, 2 * flat, 12e-14);                         \
        CHECK_NEAR((double)tess__interp3_##method##_f32_f32(&p->f32, b, fz, fy, fx), deep, 2e-5);                      \
        CHECK_NEAR(tess__interp3_##method##_f64_f64(&p->f64, b, z, y, x), deep, 6e-14);                                \
        CHECK_NEAR((double)tess__interp3_##method##_c32_f64(&p->c32, b, z, y, x).re, deep, 2e-5);                      \
        CHECK_NEAR(tess__interp3_##method##_c64_f32(&p->c64, b, fz, fy, fx).im, 2 * deep, 12e-14);                     \
    }
CHECK_OF_METHOD(0, nearest)
CHECK_OF_METHOD(1, linear)
CHECK_OF_METHOD(2, cubic)
CHECK_OF_METHOD(3, cosine)
CHECK_OF_METHOD(4, bspline)
CHECK_OF_METHOD(5, lanczos4)
CHECK_OF_METHOD(6, lanczos6)
CHECK_OF_METHOD(7, lanczos8)

static void (*const checks[])(const place *) = { check_nearest, check_linear,   check_cubic,    check_cosine,
                                                 check_bspline, check_lanczos4, check_lanczos6, check_lanczos8 };

TEST(methods_are_those_of_a_plain_reference)
{
    for (int s = 0; s < 4; s++)
        for (int k = 0; k < PLAIN_BORDERS; k++) {
            const int border = borders[k];
            int64_t   stride[4];
            lay_out(shapes[s], stride);
            tess_fault fault = { 0 };
            place      p = { .f32 = tess__view_with_f32(tess__view_f32(data_f32, stride, shapes[s], border, 3, &fault),
                                                        (float)OUTSIDE),
                             .f64 =
                                 tess__view_with_f64(tess__view_f64(data_f64, stride, shapes[s], border, 3, NULL), OUTSIDE),
                             .c32 = tess__view_with_c32(tess__view_c32(data_c32, stride, shapes[s], border, 3, &fault),
                                                        (tess_c32){ (float)OUTSIDE, 2 * (float)OUTSIDE }),
                             .c64 = tess__view_with_c64(tess__view_c64(data_c64, stride, shapes[s], border, 3, &fault),
                                                        (tess_c64){ OUTSIDE, 2 * OUTSIDE }),
                             .s = s,
                             .border = border };
            for (int i = 0; i < 90; i++) { /* eighths are exact in either type, and hit halves and integers */
                double *at = p.at;
                p.b = test_random_in(-2, 3);
                p.d = test_random_in(-2, 4);
                at[0] = p.at2[0] = (double)p.b;
                p.at2[1] = (double)p.d;
                for (int a = 1; a < 4; a++) at[a] = (double)test_random_in(-80, 120) / 8;
                p.at2[2] = at[2];
                p.at2[3] = at[3];
                for (size_t c = 0; c < sizeof checks / sizeof *checks; c++) checks[c](&p);
                const int64_t position[4] = { p.b, p.d, (int64_t)at[2], (int64_t)at[3] };
                CHECK_NEAR((double)tess__at_f32(&p.f32, position[0], position[1], position[2], position[3]),
                           element(border, shapes[s], position), 1e-6);
            }
            CHECK(fault.set == (border == TESS__BORDER_FAULT));
            if (fault.set) CHECK(fault.view == 3);
        }
}

/* The reference's derivative along an axis by differences, which are as good as 4e-9 where no element is near. */
static double slope(int method, int dims, int border, const int64_t shape[4], const double at[4], int axis)
{
    const double step = 1.0 / 1024;
    double       f[5];
    for (int i = -2; i <= 2; i++) {
        double moved[4] = { at[0], at[1], at[2], at[3] };
        moved[axis] += i * step;
        f[i + 2] = reference(method, dims, border, shape, moved);
    }
    return (8 * (f[3] - f[1]) - (f[4] - f[0])) / (12 * step);
}

/* Of one method, along an axis that is a constant: what is inlined is little. */
#define CHECK_SLOPES(r, METHOD)                                                                                        \
    do {                                                                                                               \
        const double dx = slope(r, 2, border, shapes[s], at2, 3), dy = slope(r, 2, border, shapes[s], at2, 2),         \
                     dz = slope(r, 3, border, shapes[s], at, 1);                                                       \
        CHECK_NEAR(tess__interp_along_f64_f64(&f64, TESS_INTERP_##METHOD, 1, b, d, at[2], at[3]), dx, 1e-7);           \
        CHECK_NEAR(tess__interp_along_f64_f64(&f64, TESS_INTERP_##METHOD, 2, b, d, at[2], at[3]), dy, 1e-7);           \
        CHECK_NEAR(                                                                                                    \
            (double)tess__interp_along_f32_f32(&f32, TESS_INTERP_##METHOD, 1, b, d, (float)at[2], (float)at[3]), dx,   \
            2e-4);                                                                                                     \
        CHECK_NEAR(tess__interp_along_c64_f64(&c64, TESS_INTERP_##METHOD, 2, b, d, at[2], at[3]).im, 2 * dy, 2e-7);    \
        CHECK_NEAR(tess__interp3_along_f64_f64(&f64, TESS_INTERP_##METHOD, 3, b, at[1], at[2], at[3]), dz, 1e-7);      \
    } while (0)

TEST(derivatives_are_those_of_a_plain_reference)
{
    for (int s = 0; s < 4; s++)
        for (int k = 0; k < PLAIN_BORDERS; k++) {
            const int border = borders[k];
            int64_t   stride[4];
            lay_out(shapes[s], stride);
            const tess_view_f32 f32 =
                tess__view_with_f32(tess__view_f32(data_f32, stride, shapes[s], border, 3, NULL), (float)OUTSIDE);
            const tess_view_f64 f64 =
                tess__view_with_f64(tess__view_f64(data_f64, stride, shapes[s], border, 3, NULL), OUTSIDE);
            const tess_view_c64 c64 = tess__view_with_c64(tess__view_c64(data_c64, stride, shapes[s], border, 3, NULL),
                                                          (tess_c64){ OUTSIDE, 2 * OUTSIDE });
            for (int i = 0; i < 20; i++) {
                const int64_t b = test_random_in(-1, 2), d = test_random_in(-1, 3);
                double        at[4] = { (double)b, 0, 0, 0 }, at2[4] = { (double)b, (double)d, 0, 0 };
                for (int a = 1; a < 4; a++) at[a] = (double)test_random_in(-40, 80) / 8 + 1.0 / 16;
                at2[2] = at[2];
                at2[3] = at[3];
                CHECK_SLOPES(1, LINEAR);
                CHECK_SLOPES(2, CUBIC);
                CHECK_SLOPES(3, COSINE);
                CHECK_SLOPES(4, CUBIC_BSPLINE);
                CHECK_SLOPES(5, LANCZOS4);
                CHECK_SLOPES(6, LANCZOS6);
                CHECK_SLOPES(7, LANCZOS8);
            }
        }
}

/* At elements and beside them, where weights of lanczos are quotients of huge numbers. */
TEST(derivatives_are_exact_at_elements)
{
    const double pi = 3.14159265358979323846;
    for (int a = 2; a <= 4; a++) {
        const int method = TESS_INTERP_LANCZOS4 + a - 2;
        double    w[8], near[8];
        float     f[8], close[8];
        tess__interp_slopes_f64(method, 0.0, w);
        tess__interp_slopes_f32(method, 0.0f, f);
        for (int i = 0; i < 2 * a; i++) { /* the derivative of sinc x sinc x/a at the integer k, of -x */
            const int    k = i - a + 1;
            const double want = k == 0 ? 0 : -cos(pi * k) * sin(pi * k / a) * a / (pi * k * k);
            CHECK(fabs(w[i] - want) < 1e-15 && fabs((double)f[i] - want) < 1e-7);
        }
        for (double t = 0x1p-60; t < 0.01; t *= 8) {
            double sum = 0;
            tess__interp_slopes_f64(method, t, near);
            tess__interp_slopes_f32(method, (float)t, close);
            for (int i = 0; i < 2 * a; i++) {
                sum += near[i];
                CHECK(fabs(near[i] - w[i]) < 10 * t + 1e-14 && fabs((double)close[i] - near[i]) < 1e-6);
            }
            CHECK(fabs(sum) < 1e-15);
        }
    }
    float edge[8], first[8];
    tess__interp_slopes_f32(TESS_INTERP_LANCZOS8, 1.0f, edge);
    tess__interp_slopes_f32(TESS_INTERP_LANCZOS8, 0.0f, first);
    for (int i = 1; i < 8; i++) CHECK(fabsf(edge[i] - first[i - 1]) < 1e-6f);
    for (int m = TESS_INTERP_LINEAR; m <= TESS_INTERP_LANCZOS8; m++) {
        tess__interp_slopes_f32(m, NAN, edge);
        for (int i = 0; i < tess__interp_taps(m); i++) CHECK(isnan(edge[i]));
    }
}

/* ---- Spectra ---- */

/* The coefficient at a frequency: all that are stored are looked at, with the frequency that each has. */
static int stored_at(int border, const int64_t shape[4], const int64_t k[4], int64_t found[4])
{
    const int half = border == TESS__BORDER_SPECTRUM_H || border == TESS__BORDER_SPECTRUM_HC;
    const int centred = border == TESS__BORDER_SPECTRUM_FC || border == TESS__BORDER_SPECTRUM_HC;
    found[0] = k[0];
    if (k[0] < 0 || k[0] >= shape[0]) return 0;
    for (int axis = 1; axis < 4; axis++) {
        const int64_t n = shape[axis];
        int           hit = 0;
        for (int64_t i = 0; i < n; i++) {
            const int64_t f = half && axis == 3 ? i : centred ? i - n / 2 : i <= (n - 1) / 2 ? i : i - n;
            const int     twin = !(half && axis == 3) && n % 2 == 0 && f == -n / 2 && k[axis] == n / 2;
            if (f == k[axis] || twin) found[axis] = i, hit = 1;
        }
        if (!hit) return 0;
    }
    return 1;
}

static void coefficient(int border, const int64_t shape[4], const int64_t k[4], double value[2])
{
    const int     half = border == TESS__BORDER_SPECTRUM_H || border == TESS__BORDER_SPECTRUM_HC;
    const int     turned = half && k[3] < 0;
    const int64_t other[4] = { k[0], -k[1], -k[2], -k[3] };
    int64_t       i[4];
    value[0] = value[1] = 0;
    if (!stored_at(border, shape, turned ? other : k, i)) return;
    value[0] = number(i[0], i[1], i[2], i[3]);
    value[1] = (turned ? -2 : 2) * value[0];
}

static void spectrum_reference(int method, int dims, int border, const int64_t shape[4], const double at[4],
                               double value[2])
{
    double scale = 1;
    value[0] = value[1] = 0;
    for (int k = 4 - dims; k < 4; k++) scale *= whole(method, border, at[k], shape[k]);
    for (int t = 0; t < (dims == 3 ? 512 : 64); t++) {
        const int64_t tap[4] = { 0, t / 64 - 3, t / 8 % 8 - 3, t % 8 - 3 };
        int64_t       k[4] = { (int64_t)at[0], (int64_t)at[1], 0, 0 };
        double        share = 1, c[2];
        for (int a = 4 - dims; a < 4; a++) {
            k[a] = (int64_t)floor(at[a]) + tap[a];
            share *= weight(method, (double)k[a] - at[a]);
        }
        if (share == 0) continue;
        coefficient(border, shape, k, c);
        value[0] += share * c[0] / scale;
        value[1] += share * c[1] / scale;
    }
}

#define CHECK_SPECTRUM(r, method)                                                                                      \
    do {                                                                                                               \
        double flat[2], deep[2];                                                                                       \
        spectrum_reference(r, 2, border, shapes[s], at2, flat);                                                        \
        spectrum_reference(r, 3, border, shapes[s], at, deep);                                                         \
        const tess_c64 p = tess__interp_##method##_c64_f64(&c64, b, d, at[2], at[3]);                                  \
        const tess_c32 q = tess__interp3_##method##_c32_f32(&c32, b, (float)at[1], (float)at[2], (float)at[3]);        \
        CHECK_NEAR(p.re, flat[0], 6e-14);                                                                              \
        CHECK_NEAR(p.im, flat[1], 12e-14);                                                                             \
        CHECK_NEAR((double)q.re, deep[0], 2e-5);                                                                       \
        CHECK_NEAR((double)q.im, deep[1], 4e-5);                                                                       \
        CHECK_NEAR((double)tess__interp_##method##_f32_f64(&f32, b, d, at[2], at[3]), flat[0], 2e-5);                  \
    } while (0)

TEST(spectra_are_read_at_frequencies)
{
    for (int s = 0; s < 4; s++)
        for (int layout = PLAIN_BORDERS; layout < BORDERS; layout++) {
            const int border = borders[layout];
            int64_t   stride[4];
            lay_out(shapes[s], stride);
            const tess_view_f32 f32 = tess__view_f32(data_f32, stride, shapes[s], border, 3, NULL);
            const tess_view_c32 c32 = tess__view_c32(data_c32, stride, shapes[s], border, 3, NULL);
            const tess_view_c64 c64 = tess__view_c64(data_c64, stride, shapes[s], border, 3, NULL);
            for (int i = 0; i < 200; i++) {
                const int64_t b = test_random_in(-1, 2), d = test_random_in(-2, 2);
                double        at[4] = { (double)b, 0, 0, 0 }, at2[4] = { (double)b, (double)d, 0, 0 }, c[2];
                for (int a = 1; a < 4; a++) at[a] = (double)test_random_in(-60, 60) / 8;
                at2[2] = at[2];
                at2[3] = at[3];
                CHECK_SPECTRUM(0, nearest);
                CHECK_SPECTRUM(1, linear);
                CHECK_SPECTRUM(2, cubic);
                CHECK_SPECTRUM(3, cosine);
                CHECK_SPECTRUM(4, bspline);
                CHECK_SPECTRUM(7, lanczos8);
                const int64_t k[4] = { b, d, (int64_t)at[2], (int64_t)at[3] };
                coefficient(border, shapes[s], k, c);
                CHECK(tess__at_c64(&c64, k[0], k[1], k[2], k[3]).re == c[0]);
                CHECK(tess__at_c64(&c64, k[0], k[1], k[2], k[3]).im == c[1]);
                CHECK_NEAR(tess__interp_along_c64_f64(&c64, TESS_INTERP_LINEAR, 1, k[0], k[1], 0, at[3] + 1.0 / 16).im,
                           tess__at_c64(&c64, k[0], k[1], 0, (int64_t)floor(at[3]) + 1).im -
                               tess__at_c64(&c64, k[0], k[1], 0, (int64_t)floor(at[3])).im,
                           1e-12);
            }
        }
}

TEST(odd_coordinates_are_safe)
{
    static const double odd[] = {
        1e300, -1e300, 1e18, -1e18, 0x1p62, -0x1p62, 0x1p63, (double)INFINITY, (double)-INFINITY, 1e-300, -1e-300
    };
    int64_t stride[4];
    lay_out(shapes[0], stride);
    for (int k = 0; k < BORDERS; k++) {
        const tess_view_f64 v = tess__view_f64(data_f64, stride, shapes[0], borders[k], 0, NULL);
        for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
            const double y = odd[i], got[] = {
                tess__interp_nearest_f64_f64(&v, 0, 0, y, 1),       tess__interp_linear_f64_f64(&v, 0, 0, 1, y),
                tess__interp_cubic_f64_f64(&v, 0, 0, y, y),         tess__interp3_nearest_f64_f64(&v, 0, y, 0, 0),
                tess__interp3_linear_f64_f64(&v, 0, 0, y, 0),       tess__interp3_cubic_f64_f64(&v, 0, y, y, y),
                tess__interp_linear_f64_f32(&v, 0, 0, (float)y, 1), tess__interp_bspline_f64_f64(&v, 0, 0, y, 1),
                tess__interp_lanczos8_f64_f64(&v, 0, 0, 1, y),      tess__interp3_lanczos4_f64_f64(&v, 0, y, y, 1),
                tess__interp3_cosine_f64_f64(&v, 0, 1, y, 1)
            };
            for (int g = 0; g < 11; g++) CHECK(fabs(got[g]) < 20);
            if (borders[k] == TESS_BORDER_ZERO && fabs(y) > 1) CHECK(got[1] == 0 && got[2] == 0);
            if (borders[k] == TESS_BORDER_CLAMP && y > 1) CHECK(got[1] == number(0, 0, 1, W - 1));
        }
        const double nan = (double)NAN;
        CHECK(isnan(tess__interp_nearest_f64_f64(&v, 0, 0, nan, 1)) &&
              isnan(tess__interp_linear_f64_f64(&v, 0, 0, 1, nan)));
        CHECK(isnan(tess__interp_linear_f64_f64(&v, 0, 0, nan, 1e9)) &&
              isnan(tess__interp_cubic_f64_f64(&v, 0, 0, nan, 0)));
        CHECK(isnan(tess__interp_lanczos6_f64_f64(&v, 0, 0, 1e9, nan)) &&
              isnan(tess__interp_cosine_f64_f64(&v, 0, 0, nan, 1)) &&
              isnan(tess__interp3_bspline_f64_f64(&v, 0, 1, nan, -1e9)));
        CHECK(isnan(tess__interp3_linear_f64_f64(&v, 0, nan, 0, 0)));
    }
}

/* A window outside as a whole is the value itself, whatever weights add up to; one at an element does not see it. */
TEST(the_value_of_a_border_is_exact)
{
    int64_t stride[4];
    lay_out(shapes[0], stride);
    tess_view_f32 v = tess__view_f32(data_f32, stride, shapes[0], TESS_BORDER_VALUE, 0, NULL);
    v.value = 0.1f;
    CHECK(tess__interp_lanczos8_f32_f32(&v, 0, 0, -20.3f, 1.7f) == 0.1f);
    CHECK(tess__interp_bspline_f32_f32(&v, 0, 9, 1.3f, 1.7f) == 0.1f && tess__at_f32(&v, 0, 0, 0, W) == 0.1f);
    CHECK(tess__interp_along_f32_f32(&v, TESS_INTERP_CUBIC, 1, 0, 0, -20.3f, 1.7f) == 0);
    v.value = NAN;
    CHECK(tess__interp_cubic_f32_f32(&v, 0, 0, 0, 0) == (float)number(0, 0, 0, 0));
    CHECK(tess__interp_linear_f32_f32(&v, 0, 0, H - 1, W - 1) == (float)number(0, 0, H - 1, W - 1));
    CHECK(isnan(tess__interp_linear_f32_f32(&v, 0, 0, H - 1, W - 0.5f)));
}

TEST(far_indices_and_empty_views_are_safe)
{
    int64_t stride[4];
    lay_out(shapes[0], stride);
    for (int k = 0; k < BORDERS; k++) {
        const tess_view_f32 v = tess__view_f32(data_f32, stride, shapes[0], borders[k], 0, NULL);
        CHECK(fabsf(tess__at_f32(&v, INT64_MIN, INT64_MAX, INT64_MAX, INT64_MIN)) <= 10);
        for (int axis = 0; axis < 4; axis++) {
            int64_t none[4] = { B, D, H, W };
            none[axis] = 0;
            const tess_view_f32 e = tess__view_f32(NULL, stride, none, borders[k], 0, NULL);
            CHECK(tess__at_f32(&e, 0, 0, 0, 0) == 0 && tess__at_f32(&e, -1, 5, 1, 1) == 0);
            CHECK(tess__interp_linear_f32_f32(&e, 0, 0, 0.5f, 0.5f) == 0);
            CHECK(tess__interp3_cubic_f32_f32(&e, 0, 0.5f, 0.5f, 1.5f) == 0);
        }
    }
}
