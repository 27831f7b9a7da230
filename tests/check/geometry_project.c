/* Projections and symmetry against naive loops, on every instruction set: any method, layout and number of threads; and
 * the same bits whatever these are. */
#include <math.h>

#include "support/gpu.h"
#include "support/isas.h"
#include "support/layouts.h"
#include "tessera/math/interp_weights.op.h"
#include "tessera/project.h"
#include "tessera/random.h"
#include "tessera/symmetrize.h"

static const tess_dtype dtypes[4] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

static layout any_layout(layout n) { return (layout)test_random_in(0, (int64_t)n - 1); }

static double random_in(double low, double high) { return low + (high - low) * test_random_unit(); }

/* One random call: kind 0 is project, 1 backproject, 2 the adjoint, 3 symmetrize. */
typedef struct one_case {
    int        kind, method;
    bool       add;
    guarded    in, out;
    tess_array before, matrices; /* what `out` held; f64 {n,1,3,4} */
} one_case;

static tess_status call(const one_case *c, tess_array *out)
{
    const tess_array *in = &c->in.view, *m = &c->matrices;
    if (c->kind == 1)
        return tess_backproject(out, in, m, &(tess_backproject_opts){ .interp = c->method, .add = c->add });
    if (c->kind == 3)
        return tess_symmetrize(out, in, "C4", &(tess_symmetrize_opts){ .interp = c->method, .before = m });
    return tess_project(out, in, m,
                        &(tess_project_opts){ .interp = c->method, .add = c->add, .adjoint = c->kind == 2 });
}

/* ---- The naive loop ---- */

/* An image or a volume at a position, with zeros outside; `dims` are its last axes. */
static tess_c64 sample(const tess_array *a, int64_t b, const double *position, int dims, int method)
{
    int64_t   first[3] = { 0 };
    double    w[3][8] = { { 1 }, { 1 }, { 1 } };
    const int taps = tess__interp_taps(method);
    tess_c64  sum = { 0, 0 };
    for (int k = 3 - dims; k < 3; k++) {
        double        t;
        const int64_t i = tess__coordinate_f64(position[k], &t);
        first[k] = tess__interp_base_f64(method, i, t) + tess__interp_first(method);
        tess__interp_weights_f64(method, t, w[k]);
    }
    for (int i = 0; i < (dims == 3 ? taps : 1); i++)
        for (int j = 0; j < taps; j++)
            for (int k = 0; k < taps; k++) {
                const int64_t z = first[0] + i, y = first[1] + j, x = first[2] + k;
                tess_c64      v;
                if (z < 0 || y < 0 || x < 0 || z >= a->shape.d || y >= a->shape.h || x >= a->shape.w) continue;
                CHECK_OK(tess_get_c64(&v, a, b, z, y, x));
                sum.re += w[0][i] * w[1][j] * w[2][k] * v.re;
                sum.im += w[0][i] * w[1][j] * w[2][k] * v.im;
            }
    return sum;
}

static const double *matrix(const one_case *c, int64_t i) { return (const double *)c->matrices.data + 12 * i; }

static double row_at(const double *m, int row, double z, double y, double x)
{
    return m[4 * row] * z + m[4 * row + 1] * y + m[4 * row + 2] * x + m[4 * row + 3];
}

/* A ray, sample by sample, far beyond the volume on both sides. */
static tess_c64 along_ray(const one_case *c, const int64_t p[4])
{
    const double    *m = matrix(c, p[0]);
    const tess_shape shape = c->in.view.shape;
    const int        taps = tess__interp_taps(c->method);
    const double     reach = taps > 2 ? taps / 2 : 1;
    double           q[3], least = INFINITY, s = 0;
    tess_c64         sum = { 0, 0 };
    for (int k = 0; k < 3; k++) {
        const double centre = (double)(shape.dim[k + 1] / 2), a = m[4 * k], end = centre + reach;
        q[k] = row_at(m, k, 0, (double)p[2], (double)p[3]);
        if (end / fabs(a) < least) least = end / fabs(a), s = (centre - q[k]) / a;
    }
    for (int k = -200; k <= 200; k++) {
        double at[3];
        bool   near = true;
        for (int i = 0; i < 3; i++) {
            at[i] = q[i] + m[4 * i] * (k + s);
            near &= at[i] > -5 && at[i] < (double)shape.dim[i + 1] + 5;
        }
        if (!near) continue;
        const tess_c64 v = sample(&c->in.view, 0, at, 3, c->method);
        sum.re += v.re;
        sum.im += v.im;
    }
    return sum;
}

/* All images at a voxel. */
static tess_c64 over_images(const one_case *c, const int64_t p[4])
{
    tess_c64 sum = { 0, 0 };
    for (int64_t i = 0; i < c->matrices.shape.b; i++) {
        double at[3] = { 0 };
        for (int k = 1; k < 3; k++) at[k] = row_at(matrix(c, i), k, (double)p[1], (double)p[2], (double)p[3]);
        const tess_c64 v = sample(&c->in.view, i, at, 2, c->method);
        sum.re += v.re;
        sum.im += v.im;
    }
    return sum;
}

/* All voxels, by the weight that interpolation at their points gives to a pixel. */
static tess_c64 over_voxels(const one_case *c, const int64_t p[4])
{
    const tess_shape shape = c->in.view.shape;
    tess_c64         sum = { 0, 0 };
    for (int64_t z = 0; z < shape.d; z++)
        for (int64_t y = 0; y < shape.h; y++)
            for (int64_t x = 0; x < shape.w; x++) {
                double   weight = 1, w[8], t;
                tess_c64 v;
                for (int k = 1; k < 3 && weight != 0; k++) {
                    const double  at = row_at(matrix(c, p[0]), k, (double)z, (double)y, (double)x);
                    const int64_t i = tess__coordinate_f64(at, &t);
                    const int64_t tap =
                        p[k + 1] - tess__interp_base_f64(c->method, i, t) - tess__interp_first(c->method);
                    tess__interp_weights_f64(c->method, t, w);
                    weight *= tap >= 0 && tap < tess__interp_taps(c->method) ? w[tap] : 0;
                }
                if (weight == 0) continue;
                CHECK_OK(tess_get_c64(&v, &c->in.view, 0, z, y, x));
                sum.re += weight * v.re;
                sum.im += weight * v.im;
            }
    return sum;
}

/* The mean over quarter turns about the centre, through the matrix of a batch. */
static tess_c64 over_group(const one_case *c, const int64_t p[4])
{
    const tess_shape shape = c->in.view.shape;
    const double     cy = (double)(shape.h / 2), cx = (double)(shape.w / 2);
    double           y = (double)p[2] - cy, x = (double)p[3] - cx;
    tess_c64         sum = { 0, 0 };
    for (int i = 0; i < 4; i++) {
        const double before[] = { (double)p[1], cy + y, cx + x }, turned = -x;
        double       at[3];
        for (int k = 0; k < 3; k++) at[k] = row_at(matrix(c, p[0]), k, before[0], before[1], before[2]);
        const tess_c64 v = sample(&c->in.view, p[0], at, 3, c->method);
        sum.re += v.re / 4;
        sum.im += v.im / 4;
        x = y;
        y = turned;
    }
    return sum;
}

static tess_c64 expected(const one_case *c, const int64_t p[4])
{
    return c->kind == 0   ? along_ray(c, p)
           : c->kind == 1 ? over_images(c, p)
           : c->kind == 2 ? over_voxels(c, p)
                          : over_group(c, p);
}

static void check_result(void *context, const int64_t p[4])
{
    const one_case *c = context;
    tess_c64        want = expected(c, p), got, before = { 0, 0 };
    CHECK_OK(tess_get_c64(&got, &c->out.view, p[0], p[1], p[2], p[3]));
    if (c->add) CHECK_OK(tess_get_c64(&before, &c->before, p[0], p[1], p[2], p[3]));
    want.re += before.re;
    want.im += before.im;
    const double bound =
        (tess_dtype_real(c->out.view.dtype) == TESS_F64 ? 1e-11 : 2e-5) * (1 + fabs(want.re + want.im));
    if (!(fabs(got.re - want.re) <= bound && fabs(got.im - want.im) <= bound))
        (void)test_failed(__FILE__, __LINE__, "%s, kind %d, interp %d: {%d,%d,%d,%d} is %g %+gi, not %g %+gi",
                          tess_dtype_name(c->out.view.dtype), c->kind, c->method, (int)p[0], (int)p[1], (int)p[2],
                          (int)p[3], got.re, got.im, want.re, want.im);
}

/* ---- Random calls ---- */

static int64_t any_size(void) { return test_random_in(1, 7); }

/* Inputs may be broadcast, which no operation writes to. */
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

static void make_case(one_case *c, int kind, int method)
{
    const int64_t    n = test_random_in(1, 3), wide = test_random() % 4 ? any_size() : test_random_in(60, 140);
    const tess_shape volume = TESS_SHAPE(kind == 3 ? n : 1, any_size() + 1, any_size(), wide);
    const tess_shape images = TESS_SHAPE(n, 1, any_size(), wide);
    const tess_dtype dtype = dtypes[test_random_in(0, 3)];
    memset(c, 0, sizeof *c);
    c->kind = kind;
    c->method = method;
    c->add = kind != 3 && test_random() % 2;
    guarded_make(&c->in, any_layout(n_layouts), kind == 1 ? images : volume, dtype);
    guarded_make(&c->out, any_layout(n_output_layouts), kind == 1 || kind == 3 ? volume : images, dtype);
    CHECK_OK(tess_random_uniform(&c->out.view, -1, 1, test_random(), NULL));
    each_index(c->in.view.shape, set_number, &c->in.view);
    CHECK_OK(tess_empty(&c->before, c->out.view.shape, dtype, tess_cpu()));
    CHECK_OK(tess_copy(&c->before, &c->out.view));
    CHECK_OK(tess_zeros(&c->matrices, TESS_SHAPE(n, 1, 3, 4), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < 12 * n; i++)
        ((double *)c->matrices.data)[i] = i % 4 == 3 ? random_in(-1, 5) : random_in(-1.2, 1.2);
}

static void drop_case(one_case *c)
{
    guarded_free(&c->in);
    guarded_free(&c->out);
    tess_release(&c->before);
    tess_release(&c->matrices);
}

/* The same bits on each instruction set, from any number of threads, into a contiguous array. */
static void check_bits(const one_case *c)
{
    tess_array out = { 0 };
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
        CHECK_OK(tess_empty(&out, c->before.shape, c->before.dtype, tess_cpu()));
        CHECK_OK(tess_copy(&out, &c->before));
        CHECK_OK(call(c, &out));
        if (!test_same_bits(&out, &c->out.view))
            (void)test_failed(__FILE__, __LINE__, "%s on %s: other bits: kind %d, interp %d",
                              tess_dtype_name(out.dtype), isa->name, c->kind, c->method);
        tess_release(&out);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
}

TEST(projections_and_symmetry)
{
    for (int i = 0; i < 3; i++)
        for (int kind = 0; kind < 4; kind++)
            for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++) {
                one_case c;
                if (i > 0 && test_random_in(0, 2)) continue;
                make_case(&c, kind, method);
                guarded_snapshot(&c.out);
                CHECK_OK(call(&c, &c.out.view));
                (void)guarded_check(&c.out, "a projection");
                each_index(c.out.view.shape, check_result, &c);
                check_bits(&c);
                drop_case(&c);
            }
}
