/* Shapes against a naive loop over all elements and shapes, to the bit: every dtype, layout, operator and instruction
 * set, any strides and threads, in place, and nothing written outside the output; distances and components against
 * loops over all pairs. */
#include <math.h>

#include "core/device/engine.h"
#include "ops/geometry/draw/draw.h"
#include "support/draws.h"
#include "support/isas.h"

/* ---- Shapes ---- */

static const tess_dtype dtypes[] = { TESS_F32, TESS_U8,  TESS_F64, TESS_BOOL, TESS_C32, TESS_I16, TESS_F16,
                                     TESS_I64, TESS_C64, TESS_U16, TESS_I32,  TESS_U64, TESS_I8,  TESS_U32 };
enum { DTYPES = sizeof dtypes / sizeof *dtypes };

typedef struct naive {
    const draw_case  *c;
    tess__draw_spec   spec;
    tess_array        shapes;
    const tess_array *out, *in;
    int64_t           wrong;
} naive;

static double covered(const naive *n, const tess__draw_shape *s, const double at[3])
{
    typedef double (*coverage)(const tess__draw_spec *, const double *, double, double, double);
    static const coverage of[] = { tess__draw_sphere_at,   tess__draw_ellipsoid_at, tess__draw_cuboid_at,
                                   tess__draw_cylinder_at, tess__draw_torus_at,     tess__draw_capsule_at };
    double                u[3];
    for (int k = 0; k < 3; k++) u[k] = fma(s->at[k][2], at[2], tess__draw_start(s, k, at[0], at[1]));
    return of[n->c->kind](&n->spec, s->size, u[0], u[1], u[2]);
}

static double coordinate(const naive *n, int axis, int64_t i)
{
    const int     of = n->c->opts.layout;
    const bool    in_order = !of || of == TESS_FFT_FC || (of == TESS_FFT_HC && axis != 3);
    const int64_t size = n->c->logical.dim[axis];
    return in_order ? (double)i : (double)((i + size / 2) % size);
}

static void compare_one(void *context, const int64_t position[4])
{
    naive                  *n = context;
    const tess__draw_shape *shapes = n->shapes.data;
    double                  at[3], most = 0;
    tess_c64                x = { 0, 0 };
    const bool              is_complex = tess_dtype_kind(n->c->dtype) == TESS_KIND_COMPLEX;
    unsigned char           want[16] = { 0 };
    for (int k = 0; k < 3; k++) at[k] = coordinate(n, 1 + k, position[1 + k]);
    for (int64_t i = 0; i < n->shapes.shape.d; i++) {
        const double e = covered(n, &shapes[(n->shapes.shape.b > 1 ? position[0] : 0) * n->shapes.shape.d + i], at);
        most = e > most ? e : most;
    }
    const double counted = tess__draw_counted(&n->spec, most);
    if (n->in) {
        const unsigned char *from = element_at(n->in, position);
        memcpy(want, from, (size_t)tess_dtype_size(n->c->dtype));
        CHECK_OK(tess__convert(&x, is_complex ? TESS_C64 : TESS_F64, from, n->c->dtype));
    }
    if (!n->in || tess__draw_action(&n->spec, counted) != TESS__DRAW_COPY) {
        x.re = tess__draw_result(&n->spec, x.re, counted);
        if (is_complex) x.im = tess__draw_imaginary(&n->spec, x.im, counted);
        CHECK_OK(tess__convert(want, n->c->dtype, &x, is_complex ? TESS_C64 : TESS_F64));
    }
    n->wrong += memcmp(want, element_at(n->out, position), (size_t)tess_dtype_size(n->c->dtype)) != 0;
}

/* What the shapes are is the library's own; that is compared with NumPy. */
static void compare(const draw_case *c, const tess_array *out, const tess_array *in, const char *what)
{
    static const char *const names[] = { "sizes", "centres", "inverse", "from", "to" };
    const tess_array        *arrays[] = { &c->sizes, &c->centres, &c->inverse, &c->from, &c->to };
    const tess_draw_opts    *o = &c->opts;
    naive                    n = { .c = c, .out = out, .in = in };
    tess__draw_parameters    p = { .fn = "naive", .kind = c->kind, .logical = c->logical };
    for (int k = 0; k < TESS__DRAW_PARAMETERS; k++)
        p.of[k] = (tess__draw_parameter){ names[k], arrays[k]->data ? arrays[k] : NULL };
    CHECK_OK(tess__draw_shapes(&n.shapes, &p));
    n.spec = (tess__draw_spec){ .kind = c->kind,
                                .op = in ? (o->op ? o->op : TESS_DRAW_MULTIPLY) : 0,
                                .inverted = o->inverted,
                                .whole = tess_dtype_kind(c->dtype) < TESS_KIND_FLOAT,
                                .value = o->value != 0 ? o->value : 1,
                                .width = o->width,
                                .inverse_width = o->width > 0 ? 1 / o->width : 0 };
    each_index(c->shape, compare_one, &n);
    if (n.wrong) (void)test_failed(__FILE__, __LINE__, "%s, %s: %d differ", c->text, what, (int)n.wrong);
    tess_release(&n.shapes);
}

static void set_any(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    const tess_c64    x = { (double)test_random_in(-90, 90) / 8, (double)test_random_in(-90, 90) / 8 };
    CHECK_OK(tess__convert(element_at(a, position), a->dtype, &x,
                           tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX ? TESS_C64 : TESS_F64));
}

static void check_case(int kind, tess_dtype dtype)
{
    draw_case c;
    guarded   in, out;
    draw_make(&c, kind, dtype);
    guarded_make(&in, (layout)test_random_in(0, n_layouts - 1), c.shape, dtype);
    guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1), c.shape, dtype);
    each_index(c.shape, set_any, &in.view);
    for (const tess__isa *isa = tess__isas; isa->name; isa++) {
        if (!isa->supported() || !isa_has_turn(isa)) continue;
        CHECK_OK(tess_cpu_limit_set(isa->name));
        CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
        CHECK_OK(draw_call(&out.view, c.has_in ? &in.view : NULL, &c, NULL));
        compare(&c, &out.view, c.has_in ? &in.view : NULL, isa->name);
        (void)guarded_check(&out, c.text);
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
    if (c.has_in) {
        tess_array copy = { .data = NULL };
        CHECK_OK(tess_copy(&copy, &in.view));
        CHECK_OK(draw_call(&copy, &copy, &c, NULL));
        compare(&c, &copy, &in.view, "in place");
        tess_release(&copy);
    }
    guarded_free(&in);
    guarded_free(&out);
}

TEST(shapes_are_those_of_a_loop)
{
    for (int round = 0; round < 16; round++)
        for (int kind = 0; kind < DRAW_KINDS; kind++)
            if (test_takes_case()) check_case(kind, dtypes[test_random_in(0, DTYPES - 1)]);
}

/* Ranges of a row where a pixel lies on an edge exactly, and where coordinates are so large that they are rounded. */
TEST(shapes_of_whole_sizes_and_of_large_coordinates)
{
    for (int round = 0; round < 24; round++) {
        draw_case  c;
        tess_array out = { .data = NULL };
        if (!test_takes_case()) continue;
        draw_make(&c, round % DRAW_KINDS, TESS_F32);
        if (!c.opts.layout) c.opts.shape = c.shape;
        for (int k = 0; k < 5 * DRAW_MOST; k++) {
            double *x = &c.numbers[k / DRAW_MOST][k % DRAW_MOST];
            *x = round < 12 ? floor(*x) + (k < DRAW_MOST) : *x * 1e7;
        }
        CHECK_OK(draw_call(&out, NULL, &c, NULL));
        compare(&c, &out, NULL, "whole or large");
        tess_release(&out);
    }
}

/* ---- Distances and components ---- */

typedef struct pairs {
    tess_array in, out;
    double     step[3];
    bool       full;
} pairs;

static bool is_set(const tess_array *a, const int64_t at[4]) { return *element_at(a, at) != 0; }

static void check_distance(void *context, const int64_t at[4])
{
    const pairs *p = context;
    double       least = (double)INFINITY, got;
    int64_t      other[4] = { at[0], 0, 0, 0 };
    for (other[1] = 0; other[1] < p->in.shape.d; other[1]++)
        for (other[2] = 0; other[2] < p->in.shape.h; other[2]++)
            for (other[3] = 0; other[3] < p->in.shape.w; other[3]++) {
                double square = 0;
                for (int k = 0; k < 3; k++) square += pow(p->step[k] * (double)(at[1 + k] - other[1 + k]), 2);
                if (!is_set(&p->in, other) && square < least) least = square;
            }
    memcpy(&got, element_at(&p->out, at), sizeof got);
    CHECK(got == least || fabs(got - least) <= 1e-14 * least);
}

/* Neighbours have one label, and its component is theirs. */
static void check_label(void *context, const int64_t at[4])
{
    const pairs *p = context;
    int32_t      label, other_label;
    memcpy(&label, element_at(&p->out, at), sizeof label);
    CHECK((label != 0) == is_set(&p->in, at));
    for (int n = 0; n < 27; n++) {
        const int64_t step[3] = { n / 9 - 1, n / 3 % 3 - 1, n % 3 - 1 };
        const int64_t other[4] = { at[0], at[1] + step[0], at[2] + step[1], at[3] + step[2] };
        bool          inside = p->full || step[0] * step[0] + step[1] * step[1] + step[2] * step[2] == 1;
        for (int k = 1; k < 4; k++) inside = inside && other[k] >= 0 && other[k] < p->in.shape.dim[k];
        if (!inside || !label || !is_set(&p->in, other)) continue;
        memcpy(&other_label, element_at(&p->out, other), sizeof other_label);
        CHECK_I64(other_label, label);
    }
}

static void set_bit(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    *element_at(a, position) = test_random_in(0, 3) != 0;
}

TEST(distances_and_labels_of_all_pairs)
{
    for (int round = 0; round < 24; round++) {
        if (!test_takes_case()) continue;
        const tess_shape shape =
            TESS_SHAPE(test_random_in(1, 2), test_random_in(1, 4), test_random_in(1, 6), test_random_in(1, 9));
        guarded in, out, labels;
        pairs   p = { .step = { 1, round % 2 ? 1.5 : 2, 1 }, .full = round % 3 == 0 };
        guarded_make(&in, (layout)test_random_in(0, n_layouts - 1), shape, TESS_BOOL);
        guarded_make(&out, (layout)test_random_in(0, n_output_layouts - 1), shape, TESS_F64);
        guarded_make(&labels, (layout)test_random_in(0, n_output_layouts - 1), shape, TESS_I32);
        each_index(shape, set_bit, &in.view);
        p.in = in.view;
        p.out = out.view;
        const tess_distance_transform_opts o = { .step_h = p.step[1], .squared = 1 };
        CHECK_OK(tess_threads_set((int)test_random_in(1, 3)));
        CHECK_OK(tess_distance_transform(&out.view, &in.view, &o));
        each_index(shape, check_distance, &p);
        CHECK_OK(tess_label(&labels.view, &in.view, &(tess_label_opts){ .full = p.full }));
        p.out = labels.view;
        each_index(shape, check_label, &p);
        (void)guarded_check(&out, "distance_transform");
        (void)guarded_check(&labels, "label");
        guarded_free(&in);
        guarded_free(&out);
        guarded_free(&labels);
    }
    CHECK_OK(tess_threads_set(0));
}
