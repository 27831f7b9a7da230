/* Samples at given coordinates have the bits of transforms, and values added there are their adjoint, with the same bits
 * on every instruction set and any number of threads: any method, border and layout. */
#include <math.h>

#include "formulas/geometry/transform.op.h"
#include "support/gpu.h"
#include "support/isas.h"
#include "support/layouts.h"
#include "tessera/random.h"
#include "tessera/transform.h"

static const tess_dtype dtypes[4] = { TESS_F32, TESS_F64, TESS_C32, TESS_C64 };

typedef struct one_case {
    int                   dims;
    tess_coordinates_opts o;
    guarded               image, points, values;
} one_case;

static void set_random(const tess_array *a, double low, double high)
{
    tess_array to = *a;
    CHECK_OK(tess_random_uniform(&to, low, high, test_random(), NULL));
}

static tess_shape random_shape(int dims, int64_t b, int64_t most)
{
    return TESS_SHAPE(b, dims == 3 ? test_random_in(1, most) : 1, test_random_in(1, most), test_random_in(1, most));
}

static void random_options(tess_coordinates_opts *o, int method, int border, tess_dtype dtype)
{
    *o = (tess_coordinates_opts){ .interp = method, .border = border };
    o->cut = border != TESS_BORDER_NOTHING && test_random() % 3 == 0;
    if (border == TESS_BORDER_VALUE || o->cut) o->value = 1.5;
    if (o->value != 0 && tess_dtype_kind(dtype) == TESS_KIND_COMPLEX) o->value_imag = -0.5;
    if (method == TESS_INTERP_CUBIC_BSPLINE) o->prefilter = (int32_t)(test_random() % 2);
}

static void make_case(one_case *c, int method, int border)
{
    const tess_dtype dtype = dtypes[test_random_in(0, 3)];
    const int64_t    b = test_random_in(1, 3), most = test_random() % 2 ? 12 : 5, n = test_random_in(1, 4);
    c->dims = test_random() % 2 ? 2 : 3;
    random_options(&c->o, method, border, dtype);
    const tess_shape shape = random_shape(c->dims, test_random() % 2 ? 1 : b, most);
    const tess_shape points = TESS_SHAPE(test_random() % 2 ? 1 : b, n, test_random_in(1, 200), c->dims);
    const tess_shape values = TESS_SHAPE(shape.b > points.b ? shape.b : points.b, 1, n, points.h);
    guarded_make(&c->image, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    guarded_make(&c->points, (layout)test_random_in(0, n_layouts - 1), points, test_random() % 2 ? TESS_F32 : TESS_F64);
    guarded_make(&c->values, (layout)test_random_in(0, n_output_layouts - 1), values, dtype);
    set_random(&c->image.view, -1, 1);
    set_random(&c->values.view, -1, 1);
    if (c->points.view.strides.w != 0) {
        set_random(&c->points.view, test_random() % 2 ? -3 : 1, (double)most + 2);
    } else { /* broadcast: all points are elements of one array */
        tess_array one = c->points.view;
        one.shape = TESS_SHAPE(1, 1, 1, 1);
        set_random(&one, 0, (double)most);
    }
}

static void drop_case(one_case *c)
{
    guarded_free(&c->image);
    guarded_free(&c->points);
    guarded_free(&c->values);
}

static void fail_case(const one_case *c, const char *what)
{
    (void)test_failed(__FILE__, __LINE__, "%s: %s, dims %d, interp %d, border %d, cut %d, prefilter %d", what,
                      tess_dtype_name(c->image.view.dtype), c->dims, c->o.interp, c->o.border, c->o.cut,
                      c->o.prefilter);
}

/* ---- The bits of transforms ---- */

/* The coordinates at which a transform samples, f64 {b,h d,w,dims}; false: it moves elements of a row. */
static bool coordinates_of(tess_array *points, const double *m, int dims, tess_shape shape)
{
    static const double none[3] = { 0, 0, 0 };
    bool                any = false;
    CHECK_OK(tess_empty(points, TESS_SHAPE(1, shape.d * shape.h, shape.w, dims), TESS_F64, tess_cpu()));
    for (int64_t i = 0; i < shape.d * shape.h; i++) {
        const tess__transform_row row =
            tess__transform_row_of(m, dims, none, none, (double)(i / shape.h), (double)(i % shape.h));
        any = any || tess__transform_is_whole(&row, dims);
        for (int64_t w = 0; w < shape.w; w++)
            for (int k = 0; k < dims; k++)
                ((double *)points->data)[(i * shape.w + w) * dims + k] =
                    tess__transform_coordinate(&row, 3 - dims + k, (double)w);
    }
    return !any;
}

static void check_transform(int method, int border)
{
    const int        dims = test_random() % 2 ? 2 : 3;
    const tess_dtype dtype = dtypes[test_random_in(0, 3)];
    tess_shape       shape = random_shape(dims, 1, 12), large = random_shape(dims, 1, 70);
    tess_array       in = { 0 }, m = { 0 }, points = { 0 }, out = { 0 }, want = { 0 };
    if (dims == 3) large = TESS_SHAPE(1, 3, 5, large.w);
    shape.d += dims == 3;
    CHECK_OK(tess_empty(&in, shape, dtype, tess_cpu()));
    CHECK_OK(tess_empty(&m, TESS_SHAPE(1, 1, dims, dims + 1), TESS_F64, tess_cpu()));
    CHECK_OK(tess_zeros(&want, large, dtype, tess_cpu()));
    CHECK_OK(tess_zeros(&out, large, dtype, tess_cpu()));
    set_random(&in, -1, 1);
    set_random(&m, -0.7, 1);
    tess_coordinates_opts o;
    random_options(&o, method, border, dtype);
    if (o.cut && border != TESS_BORDER_VALUE) o.value = o.value_imag = 0;
    o.cut = 0;
    const tess_transform_opts like = {
        .interp = method, .border = border, .prefilter = o.prefilter, .value = o.value, .value_imag = o.value_imag
    };
    if (coordinates_of(&points, m.data, dims, large)) {
        CHECK_OK((dims == 2 ? tess_transform_2d : tess_transform_3d)(&want, &in, &m, &like));
        CHECK_OK(tess_map_coordinates(&out, &in, &points, &o));
        if (!test_same_bits(&out, &want))
            (void)test_failed(__FILE__, __LINE__, "%s, dims %d, interp %d, border %d", tess_dtype_name(dtype), dims,
                              method, border);
    }
    tess_release(&in);
    tess_release(&m);
    tess_release(&points);
    tess_release(&out);
    tess_release(&want);
}

TEST(samples_have_the_bits_of_transforms)
{
    for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++)
        for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++) check_transform(method, border);
}

/* ---- Layouts, instruction sets, threads ---- */

static tess_status adjoint(const one_case *c, tess_array *out)
{
    return tess_map_coordinates_adjoint(out, &c->values.view, &c->points.view, c->image.view.shape, &c->o);
}

static void check_bits(const one_case *c)
{
    tess_array       want[2] = { { .data = NULL } }, out[2] = { { .data = NULL } };
    const tess_array like[2] = { c->values.view, c->image.view };
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa_is_there(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_threads_set(isa == tess__isas ? 1 : (int)test_random_in(1, 4)));
        for (int k = 0; k < 2; k++) CHECK_OK(tess_zeros(&out[k], like[k].shape, like[k].dtype, tess_cpu()));
        CHECK_OK(tess_map_coordinates(&out[0], &c->image.view, &c->points.view, &c->o));
        CHECK_OK(adjoint(c, &out[1]));
        for (int k = 0; k < 2; k++) {
            if (isa == tess__isas) want[k] = out[k];
            else {
                if (!test_same_bits(&out[k], &want[k])) fail_case(c, k ? "adjoint, other bits" : "other bits");
                tess_release(&out[k]);
            }
            out[k] = (tess_array){ 0 };
        }
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(4));
    for (int k = 0; k < 2; k++) {
        guarded g;
        guarded_make(&g, (layout)test_random_in(0, n_output_layouts - 1), like[k].shape, like[k].dtype);
        CHECK_OK(tess_fill(&g.view, 0));
        guarded_snapshot(&g);
        if (k) CHECK_OK(adjoint(c, &g.view));
        else CHECK_OK(tess_map_coordinates(&g.view, &c->image.view, &c->points.view, &c->o));
        (void)guarded_check(&g, "coordinates");
        if (!test_same_bits(&g.view, &want[k])) fail_case(c, k ? "adjoint, other strides" : "other strides");
        guarded_free(&g);
        tess_release(&want[k]);
    }
    CHECK_OK(tess_threads_set(0));
}

/* ---- The adjoint ---- */

/* The sum of products of two arrays. */
static tess_c64 dot(const tess_array *x, const tess_array *y)
{
    tess_c64 sum = { 0, 0 };
    for (int64_t b = 0; b < x->shape.b; b++)
        for (int64_t d = 0; d < x->shape.d; d++)
            for (int64_t h = 0; h < x->shape.h; h++)
                for (int64_t w = 0; w < x->shape.w; w++) {
                    tess_c64 p, q;
                    CHECK_OK(tess_get_c64(&p, x, b, d, h, w));
                    CHECK_OK(tess_get_c64(&q, y, b, d, h, w));
                    sum.re += p.re * q.re - p.im * q.im;
                    sum.im += p.re * q.im + p.im * q.re;
                }
    return sum;
}

/* <A x, y> is <x, A' y>. */
static void check_adjoint(one_case *c)
{
    tess_array forward = { 0 }, back = { 0 };
    c->o.value = c->o.value_imag = 0;
    CHECK_OK(tess_zeros(&forward, c->values.view.shape, c->values.view.dtype, tess_cpu()));
    CHECK_OK(tess_map_coordinates(&forward, &c->image.view, &c->points.view, &c->o));
    CHECK_OK(adjoint(c, &back));
    const tess_c64 left = dot(&forward, &c->values.view), right = dot(&c->image.view, &back);
    const double   n = (double)tess_n_elements(&forward);
    const double   bound = (tess_dtype_real(forward.dtype) == TESS_F64 ? 1e-12 : 1e-4) * (c->o.prefilter ? 30 : 1);
    if (!(hypot(left.re - right.re, left.im - right.im) <= bound * (1 + sqrt(n)))) {
        fail_case(c, "<A x, y> is not <x, A' y>");
        (void)test_failed(__FILE__, __LINE__, "%.12g %+.12gi, not %.12g %+.12gi", right.re, right.im, left.re, left.im);
    }
    tess_release(&forward);
    tess_release(&back);
}

TEST(coordinates)
{
    for (int i = 0; i < 3; i++)
        for (int method = TESS_INTERP_NEAREST; method <= TESS_INTERP_LANCZOS8; method++)
            for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_NOTHING; border++) {
                one_case c;
                make_case(&c, method, border);
                check_bits(&c);
                check_adjoint(&c);
                drop_case(&c);
            }
}
