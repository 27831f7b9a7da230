/* Polar transforms and rotational averages against naive loops, on every instruction set, with any number of threads,
 * in every layout of memory; and the same bits whatever these are. */
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/layouts.h"
#include "tessera/fft.h"
#include "tessera/polar.h"
#include "tessera/random.h"

static const tess_dtype dtypes[4] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

static tess_c64 at(const tess_array *a, int64_t b, int64_t h, int64_t w)
{
    tess_c64 z = { 0, 0 };
    CHECK_OK(tess_get_c64(&z, a, b, 0, h, w));
    return z;
}

static void random_values(tess_array *a) { CHECK_OK(tess_random_normal(a, 0.5, 1, test_random(), NULL)); }

/* Each combination of instruction set and threads gives the same bits; the first result stays in `out`. */
typedef tess_status call_fn(tess_array *out, const void *context);

static void same_everywhere(guarded *out, call_fn *call, const void *context, const char *what)
{
    unsigned char *first = NULL;
    guarded_snapshot(out);
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_threads_set((int)test_random_in(1, 4)));
        CHECK_OK(call(&out->view, context));
        (void)guarded_check(out, what);
        if (!first) {
            first = malloc(out->size);
            if (CHECK(first)) memcpy(first, out->block, out->size);
        } else if (memcmp(first, out->block, out->size) != 0)
            (void)test_failed(__FILE__, __LINE__, "%s: other bits on %s", what, isa->name);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
    free(first);
}

/* ---- To polar coordinates, linear ---- */

typedef struct image_call {
    const tess_array *in;
    tess_polar_opts   opts;
} image_call;

static tess_status to_polar(tess_array *out, const void *context)
{
    const image_call *c = context;
    return tess_cartesian_to_polar(out, c->in, &c->opts);
}

static tess_status to_cartesian(tess_array *out, const void *context)
{
    const image_call *c = context;
    return tess_polar_to_cartesian(out, c->in, &c->opts);
}

static tess_c64 linear(const tess_array *a, int64_t b, double y, double x)
{
    const int64_t i = (int64_t)floor(y), j = (int64_t)floor(x);
    tess_c64      sum = { 0, 0 };
    for (int k = 0; k < 4; k++) {
        const int64_t h = i + k / 2, w = j + k % 2;
        const double weight = (k / 2 ? y - (double)i : 1 - y + (double)i) * (k % 2 ? x - (double)j : 1 - x + (double)j);
        if (h < 0 || w < 0 || h >= a->shape.h || w >= a->shape.w) continue;
        const tess_c64 z = at(a, b, h, w);
        sum.re += weight * z.re;
        sum.im += weight * z.im;
    }
    return sum;
}

static void compare_polar(const tess_array *out, const image_call *c)
{
    const double bound = tess_dtype_real(out->dtype) == TESS_F64 ? 1e-12 : 1e-4;
    for (int64_t b = 0; b < out->shape.b; b++)
        for (int64_t h = 0; h < out->shape.h; h++)
            for (int64_t w = 0; w < out->shape.w; w++) {
                const double   phi = 6.283185307179586 * (double)h / (double)out->shape.h;
                const double   rho = c->opts.rho_stop * (double)w / (double)out->shape.w;
                const double   y = (double)(c->in->shape.h / 2) + rho * sin(phi);
                const double   x = (double)(c->in->shape.w / 2) + rho * cos(phi);
                const tess_c64 got = at(out, b, h, w), want = linear(c->in, c->in->shape.b == 1 ? 0 : b, y, x);
                if (!(fabs(got.re - want.re) <= bound && fabs(got.im - want.im) <= bound))
                    (void)test_failed(__FILE__, __LINE__, "angle %" PRId64 ", radius %" PRId64 ": %g %g, not %g %g", h,
                                      w, got.re, got.im, want.re, want.im);
            }
}

TEST(images)
{
    for (int i = 0; i < test_fewer(48); i++) {
        const tess_dtype dtype = dtypes[test_random_in(0, 3)];
        const int64_t    b = test_random_in(1, 2);
        guarded          in, out;
        guarded_make(&in, (layout)test_random_in(0, n_layouts - 1),
                     TESS_SHAPE(test_random() % 2 ? 1 : b, 1, test_random_in(2, 24), test_random_in(2, 24)), dtype);
        if (in.view.strides.h != 0 && in.view.strides.w != 0) random_values(&in.view);
        else memset(in.block, 0x3c, in.size);
        guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1),
                     TESS_SHAPE(b, 1, test_random_in(1, 20), test_random_in(1, 300)), dtype);
        image_call c = { &in.view, { .rho_stop = 9 * test_random_unit() + 0.5 } };
        same_everywhere(&out, to_polar, &c, "cartesian_to_polar");
        compare_polar(&out.view, &c);
        c.opts.interp = (int)test_random_in(TESS_INTERP_NEAREST, TESS_INTERP_LANCZOS8);
        c.opts.border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
        c.opts.log = test_random() % 2 == 0;
        same_everywhere(&out, to_polar, &c, "cartesian_to_polar of any method");
        same_everywhere(&out, to_cartesian, &c, "polar_to_cartesian");
        guarded_free(&in);
        guarded_free(&out);
    }
}

/* Radii inside the image, and the same ones in a row that leaves it: how a block is computed does not change a bit. */
TEST(blocks_inside)
{
    enum { RADII = 100, ANGLES = 19 };
    for (int i = 0; i < test_fewer(64); i++) {
        const tess_dtype dtype = dtypes[i % 4];
        guarded          in, inner, outer;
        guarded_make(&in, (layout)(i / 4 % 2), TESS_SHAPE(1, 1, 31, 33), dtype);
        random_values(&in.view);
        guarded_make(&inner, (layout)(i / 8 % 2), TESS_SHAPE(1, 1, ANGLES, RADII), dtype);
        guarded_make(&outer, (layout)(i / 8 % 2), TESS_SHAPE(1, 1, ANGLES, 2 * RADII), dtype);
        image_call c = { &in.view, { .interp = (int)test_random_in(TESS_INTERP_NEAREST, TESS_INTERP_LANCZOS8) } };
        c.opts.rho_stop = 10;
        same_everywhere(&inner, to_polar, &c, "radii inside");
        c.opts.rho_stop = 20;
        same_everywhere(&outer, to_polar, &c, "radii inside and outside");
        for (int64_t k = 0; k < ANGLES * RADII; k++) {
            const int64_t position[4] = { 0, 0, k / RADII, k % RADII };
            if (memcmp(element_at(&inner.view, position), element_at(&outer.view, position), tess_dtype_size(dtype)))
                (void)test_failed(__FILE__, __LINE__, "method %d: other bits at angle %" PRId64 ", radius %" PRId64,
                                  c.opts.interp, position[2], position[3]);
        }
        guarded_free(&in);
        guarded_free(&inner);
        guarded_free(&outer);
    }
}

/* ---- Averages ---- */

typedef struct average_call {
    const tess_array            *in;
    tess_shape                   shape;
    tess_rotational_average_opts opts;
} average_call;

static tess_status average(tess_array *out, const void *context)
{
    const average_call *c = context;
    return tess_rotational_average(out, c->in, c->shape, &c->opts);
}

enum { SHELLS = 9 };

/* Sums and weights of a batch, split linearly between SHELLS shells up to 0.5. */
static void sum_up(double sums[SHELLS + 1], double weights[SHELLS + 1], const average_call *c, int64_t b)
{
    const bool is_complex = tess_dtype_kind(c->in->dtype) == TESS_KIND_COMPLEX;
    const bool half = c->opts.layout == TESS_FFT_H || c->opts.layout == TESS_FFT_HC;
    for (int64_t h = 0; h < c->in->shape.h; h++)
        for (int64_t w = 0; w < c->in->shape.w; w++) {
            double         y, x;
            const tess_c64 z = at(c->in, b, h, w);
            CHECK_OK(tess_fft_frequency(&y, (tess_fft_layout)c->opts.layout, 2, c->shape.h, h));
            CHECK_OK(tess_fft_frequency(&x, (tess_fft_layout)c->opts.layout, 3, c->shape.w, w));
            const double  s = hypot(y, x) / 0.5 * (SHELLS - 1), count = half && w && 2 * w != c->shape.w ? 2 : 1;
            const int64_t k = (int64_t)floor(s);
            if (k >= SHELLS) continue;
            const double t = s - (double)k, power = is_complex ? z.re * z.re + z.im * z.im : z.re;
            sums[k] += count * (1 - t) * power;
            sums[k + 1] += count * t * power;
            weights[k] += count * (1 - t);
            weights[k + 1] += count * t;
        }
}

TEST(averages)
{
    for (int i = 0; i < test_fewer(48); i++) {
        const int  spectrum = (int)test_random_in(TESS_FFT_H, TESS_FFT_FC);
        tess_shape shape = TESS_SHAPE(test_random_in(1, 6), 1, test_random_in(1, 70), test_random_in(1, 300)),
                   stored = shape;
        guarded in, out;
        if (spectrum == TESS_FFT_H || spectrum == TESS_FFT_HC) stored.w = shape.w / 2 + 1;
        guarded_make(&in, (layout)test_random_in(0, n_output_layouts - 1), stored, dtypes[test_random_in(0, 3)]);
        random_values(&in.view);
        guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1), TESS_SHAPE(shape.b, 1, 1, SHELLS),
                     TESS_F64);
        average_call c = { &in.view, shape, { .layout = spectrum, .out_stop = 0.5 } };
        same_everywhere(&out, average, &c, "rotational_average");
        for (int64_t b = 0; b < shape.b; b++) {
            double sums[SHELLS + 1] = { 0 }, weights[SHELLS + 1] = { 0 };
            sum_up(sums, weights, &c, b);
            for (int64_t k = 0; k < SHELLS; k++) {
                const double want = weights[k] < 1e-9 ? 0 : sums[k] / weights[k], got = at(&out.view, b, 0, k).re;
                if (!(fabs(got - want) <= 1e-7 * (1 + fabs(want))))
                    (void)test_failed(__FILE__, __LINE__, "shell %" PRId64 " is %.17g, not %.17g", k, got, want);
            }
        }
        guarded_free(&in);
        guarded_free(&out);
    }
}
