/* Transforms and B-spline coefficients against naive loops, on every instruction set: any method, border, layout and
 * number of threads; and the same bits whatever these are. */
#include <math.h>
#include <stdlib.h>

#include "support/gpu.h"
#include "support/isas.h"
#include "support/layouts.h"
#include "tessera/math/interp.op.h"
#include "tessera/random.h"
#include "tessera/transform.h"

static layout random_layout(layout n) { return (layout)test_random_in(0, (int64_t)n - 1); }

static double random_in(double low, double high) { return low + (high - low) * test_random_unit(); }

static const tess_dtype dtypes[4] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

static tess_c64 at(const tess_array *a, int64_t b, int64_t d, int64_t h, int64_t w)
{
    tess_c64 z = { 0, 0 };
    CHECK_OK(tess_get_c64(&z, a, a->shape.b == 1 ? 0 : b, d, h, w));
    return z;
}

static void set_number(void *context, const int64_t p[4])
{
    const tess_array *a = context;
    for (int i = 0; i < tess_dtype_reals(a->dtype); i++) {
        const double x = random_in(-1, 1);
        const float  y = (float)x;
        if (tess_dtype_real(a->dtype) == TESS_F64) memcpy(element_at(a, p) + 8 * i, &x, 8);
        else memcpy(element_at(a, p) + 4 * i, &y, 4);
    }
}

/* ---- The naive loop ---- */

typedef struct one_case {
    int                 dims;
    tess_transform_opts o;
    guarded             in, out;
    tess_array          matrices; /* f64 {n,1,dims,dims + 1} */
} one_case;

/* One tap of a window, by the border. */
static tess_c64 tap(const one_case *c, int64_t b, const int64_t p[3])
{
    const tess_array *in = &c->in.view;
    int64_t           q[3];
    const tess_border border = c->o.border == TESS_BORDER_NOTHING ? TESS_BORDER_CLAMP : (tess_border)c->o.border;
    for (int k = 0; k < 3; k++) {
        q[k] = tess_border_index(border, p[k], in->shape.dim[k + 1]);
        if (q[k] < 0) return (tess_c64){ c->o.value, c->o.value_imag };
    }
    return at(in, b, q[0], q[1], q[2]);
}

/* The input at a position; false: nothing is written. */
static bool expected(const one_case *c, int64_t b, const double position[3], tess_c64 *z)
{
    const tess_shape shape = c->in.view.shape;
    const int        taps = tess__interp_taps(c->o.interp);
    int64_t          first[3] = { 0 };
    double           w[3][8] = { { 1 }, { 1 }, { 1 } };
    for (int k = 3 - c->dims; k < 3; k++) {
        double t;
        if (c->o.border == TESS_BORDER_NOTHING &&
            !(position[k] >= -0.5 && position[k] < (double)shape.dim[k + 1] - 0.5))
            return false;
        const int64_t i = tess__coordinate_f64(position[k], &t);
        first[k] = tess__interp_base_f64(c->o.interp, i, t) + tess__interp_first(c->o.interp);
        tess__interp_weights_f64(c->o.interp, t, w[k]);
    }
    *z = (tess_c64){ 0, 0 };
    for (int i = 0; i < (c->dims == 3 ? taps : 1); i++)
        for (int j = 0; j < taps; j++)
            for (int k = 0; k < taps; k++) {
                const tess_c64 v = tap(c, b, (const int64_t[]){ first[0] + i, first[1] + j, first[2] + k });
                z->re += w[0][i] * w[1][j] * w[2][k] * v.re;
                z->im += w[0][i] * w[1][j] * w[2][k] * v.im;
            }
    return true;
}

static void check_result(void *context, const int64_t p[4])
{
    const one_case   *c = context;
    const tess_array *out = &c->out.view;
    const double     *m = (const double *)c->matrices.data;
    double            position[3] = { 0 };
    tess_c64          want;
    if (c->matrices.shape.b > 1) m += p[0] * c->dims * (c->dims + 1);
    for (int k = 0; k < c->dims; k++) {
        const double *row = m + k * (c->dims + 1);
        double        sum = row[c->dims];
        for (int j = 0; j < c->dims; j++) sum += row[j] * (double)p[4 - c->dims + j];
        position[3 - c->dims + k] = sum;
    }
    if (!expected(c, p[0], position, &want)) return;
    const tess_c64 got = at(out, p[0], p[1], p[2], p[3]);
    const double   bound = tess_dtype_real(out->dtype) == TESS_F64 ? 1e-11 : 2e-5;
    if (!(fabs(got.re - want.re) <= bound && fabs(got.im - want.im) <= bound))
        (void)test_failed(
            __FILE__, __LINE__, "%s, dims %d, interp %d, border %d: {%d,%d,%d,%d} at %g %g %g is %g %+gi, not %g %+gi",
            tess_dtype_name(out->dtype), c->dims, c->o.interp, c->o.border, (int)p[0], (int)p[1], (int)p[2], (int)p[3],
            position[0], position[1], position[2], got.re, got.im, want.re, want.im);
}

/* ---- Random transforms ---- */

/* About a turn and a change of size, that reach outside; sometimes of integers, or along axes alone. */
static void random_matrix(double *m, int dims, tess_shape shape)
{
    const int kind = (int)test_random_in(0, 7);
    for (int i = 0; i < dims; i++) {
        for (int j = 0; j < dims; j++)
            m[i * (dims + 1) + j] = kind == 0   ? (double)(i == j) * (test_random() % 2 ? 1 : -1)
                                    : kind == 1 ? (double)(i + j == dims - 1)
                                    : kind < 4  ? (double)(i == j) * random_in(kind == 2 ? 0.3 : -1.5, 2)
                                                : random_in(-1.3, 1.3);
        const double n = (double)shape.dim[4 - dims + i];
        m[i * (dims + 1) + dims] = kind < 2 ? (double)test_random_in(-2, (int64_t)n + 2) : random_in(-3, n + 3);
    }
}

static tess_shape random_shape(int dims, int64_t b)
{
    const int64_t most = dims == 3 ? 9 : 24;
    return TESS_SHAPE(b, dims == 3 ? test_random_in(2, most) : 1, test_random_in(1, most),
                      test_random() % 5 ? test_random_in(1, most) : test_random_in(100, dims == 3 ? 140 : 300));
}

static void make_case(one_case *c, int method, int border)
{
    const int64_t b = test_random_in(1, 3), n = test_random() % 2 ? 1 : b;
    const int     dtype = (int)test_random_in(0, 3);
    memset(c, 0, sizeof *c);
    c->dims = test_random() % 3 ? 2 : 3;
    c->o = (tess_transform_opts){ .interp = method, .border = border };
    if (border == TESS_BORDER_VALUE) c->o.value = 1.5;
    if (border == TESS_BORDER_VALUE && dtype > 1) c->o.value_imag = -0.5;
    guarded_make(&c->in, random_layout(n_layouts), random_shape(c->dims, test_random() % 2 ? 1 : b), dtypes[dtype]);
    guarded_make(&c->out, random_layout(n_output_layouts), random_shape(c->dims, b), dtypes[dtype]);
    each_index(c->in.view.shape, set_number, &c->in.view);
    CHECK_OK(tess_zeros(&c->matrices, TESS_SHAPE(n, 1, c->dims, c->dims + 1), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < n; i++)
        random_matrix((double *)c->matrices.data + i * c->dims * (c->dims + 1), c->dims, c->in.view.shape);
}

static void drop_case(one_case *c)
{
    guarded_free(&c->in);
    guarded_free(&c->out);
    tess_release(&c->matrices);
}

static tess_status transform(const one_case *c, tess_array *out)
{
    return (c->dims == 2 ? tess_transform_2d : tess_transform_3d)(out, &c->in.view, &c->matrices, &c->o);
}

/* The same bits on each instruction set, from any number of threads, into a contiguous array. */
static void check_bits(const one_case *c)
{
    tess_array out = { 0 };
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
        CHECK_OK(tess_empty(&out, c->out.view.shape, c->out.view.dtype, tess_cpu()));
        CHECK_OK(tess_copy(&out, &c->out.view));
        CHECK_OK(transform(c, &out));
        if (!test_same_bits(&out, &c->out.view))
            (void)test_failed(__FILE__, __LINE__, "%s on %s: other bits: dims %d, interp %d, border %d",
                              tess_dtype_name(out.dtype), isa->name, c->dims, c->o.interp, c->o.border);
        tess_release(&out);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

TEST(transforms)
{
    for (int i = 0; i < 6; i++)
        for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++)
            for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++) {
                one_case c;
                if (test_random_in(0, 2)) continue;
                make_case(&c, method, border);
                guarded_snapshot(&c.out);
                CHECK_OK(transform(&c, &c.out.view));
                (void)guarded_check(&c.out, "a transform");
                each_index(c.out.view.shape, check_result, &c);
                if (i == 0) check_bits(&c);
                drop_case(&c);
            }
}

/* Windows inside and at the border are divided at the same results whatever the step is. */
TEST(ends_of_ranges)
{
    static const double steps[] = { 0, 1e-17, -1e-13, 1e-9, 1e-3, -0.25, 0.1, -1, 3, 1e6, -1e17, 1e300 };
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
            one_case     c = { .dims = 2, .o = { .interp = method, .border = TESS_BORDER_CLAMP } };
            const double m[6] = { 1, steps[i], (double)test_random_in(-1, 9) - steps[i] * 20,
                                  0, 1,        (double)test_random_in(-3, 9) };
            CHECK_OK(tess_zeros(&c.matrices, TESS_SHAPE(1, 1, 2, 3), TESS_F64, tess_cpu()));
            memcpy(c.matrices.data, m, sizeof m);
            guarded_make(&c.in, layout_contiguous, TESS_SHAPE(1, 1, 8, 20), TESS_F64);
            guarded_make(&c.out, layout_contiguous, TESS_SHAPE(1, 1, 3, 70), TESS_F64);
            each_index(c.in.view.shape, set_number, &c.in.view);
            guarded_snapshot(&c.out);
            CHECK_OK(transform(&c, &c.out.view));
            (void)guarded_check(&c.out, "a transform");
            if (fabs(steps[i]) < 1e6) each_index(c.out.view.shape, check_result, &c);
            check_bits(&c);
            drop_case(&c);
        }
}

/* ---- B-spline coefficients ---- */

/* The spline through the elements at the elements: coefficients times 1/6, 2/3, 1/6 along all axes. */
static double sampled(const tess_array *c, const int64_t p[4], int part, tess_border border, double value)
{
    double sum = 0;
    for (int64_t i = -1; i < 2; i++)
        for (int64_t j = -1; j < 2; j++)
            for (int64_t k = -1; k < 2; k++) {
                const int64_t step[3] = { i, j, k };
                int64_t       q[4] = { p[0] };
                double        weight = 1;
                bool          outside = false;
                for (int axis = 1; axis < 4; axis++) {
                    const int64_t n = c->shape.dim[axis], s = step[axis - 1];
                    q[axis] = tess_border_index(border, p[axis] + s, n);
                    if (n == 1) q[axis] = 0;
                    weight *= n == 1 ? (s == 0 ? 1 : 0) : s ? 1.0 / 6 : 2.0 / 3;
                    outside = outside || q[axis] < 0;
                }
                if (weight == 0) continue;
                const tess_c64 z = outside ? (tess_c64){ value, value } : at(c, q[0], q[1], q[2], q[3]);
                sum += weight * (part ? z.im : z.re);
            }
    return sum;
}

static void check_coefficients(const tess_array *c, const tess_array *x, int border, double value)
{
    const double bound = tess_dtype_real(x->dtype) == TESS_F64 ? 1e-13 : 3e-6;
    for (int64_t b = 0; b < x->shape.b; b++)
        for (int64_t d = 0; d < x->shape.d; d++)
            for (int64_t h = 0; h < x->shape.h; h++)
                for (int64_t w = 0; w < x->shape.w; w++) {
                    const tess_c64 z = at(x, b, d, h, w);
                    for (int part = 0; part < tess_dtype_reals(x->dtype); part++) {
                        const double got =
                            sampled(c, (const int64_t[]){ b, d, h, w }, part, (tess_border)border, value);
                        if (!(fabs(got - (part ? z.im : z.re)) <= bound))
                            (void)test_failed(__FILE__, __LINE__, "%s {%d,%d,%d,%d}, border %d: %g, not %g",
                                              tess_dtype_name(x->dtype), (int)x->shape.b, (int)x->shape.d,
                                              (int)x->shape.h, (int)x->shape.w, border, got, part ? z.im : z.re);
                    }
                }
}

/* noa's sums began with 12 terms, whatever the length and the precision. */
TEST(coefficients_of_every_length_interpolate)
{
    for (int i = 0; i < 60; i++) {
        const int                 border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
        const int64_t             most = i % 4 ? 9 : 60;
        const tess_prefilter_opts o = { .border = border,
                                        .value = border == TESS_BORDER_VALUE ? 2 : 0,
                                        .value_imag = 0 };
        tess_shape                shape = TESS_SHAPE(test_random_in(1, 2), test_random() % 2 ? 1 : test_random_in(1, 6),
                                      test_random() % 3 ? test_random_in(1, 20) : 1, test_random_in(1, most));
        guarded                   in, out;
        guarded_make(&in, random_layout(n_layouts), shape,
                     dtypes[test_random_in(0, border == TESS_BORDER_VALUE ? 1 : 3)]);
        guarded_make(&out, random_layout(n_output_layouts), shape, in.view.dtype);
        each_index(shape, set_number, &in.view);
        guarded_snapshot(&out);
        CHECK_OK(tess_bspline_prefilter(&out.view, &in.view, &o));
        (void)guarded_check(&out, "coefficients");
        check_coefficients(&out.view, &in.view, border == TESS_BORDER_NOTHING ? TESS_BORDER_CLAMP : border, o.value);
        for (const tess__isa *isa = tess__isas; isa->name; isa++) {
            tess_array same = { 0 };
            if (!isa_is_there(isa)) continue;
            CHECK_OK(tess_cpu_limit_set(isa->name));
            CHECK_OK(tess_empty(&same, shape, in.view.dtype, tess_cpu()));
            CHECK_OK(tess_copy(&same, &in.view));
            CHECK_OK(tess_bspline_prefilter(&same, &same, &o)); /* in place */
            CHECK(test_same_bits(&same, &out.view));
            tess_release(&same);
        }
        CHECK_OK(tess_cpu_limit_set(NULL));
        guarded_free(&in);
        guarded_free(&out);
    }
}
