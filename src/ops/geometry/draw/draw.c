/* Shapes drawn into arrays: descriptions, checks of the array and its layout, one request. */
#include "ops/geometry/draw/draw.h"

#include <inttypes.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/array/layout.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/fft/layout.h"
#include "tessera/device.h"

/* ---- Descriptions ---- */

static const tess_choice ops[] = {
    { "multiply", TESS_DRAW_MULTIPLY, "in times value times coverage" },
    { "add", TESS_DRAW_ADD, "in plus value times coverage" },
    { "min", TESS_DRAW_MIN, "the smaller of in and value times coverage" },
    { "max", TESS_DRAW_MAX, "the larger of in and value times coverage" },
    { "replace", TESS_DRAW_REPLACE, "value where covered, in elsewhere" },
    { NULL, 0, NULL },
};

#define OUT TESS__OUT("out", "the shapes, or in combined with them; may be the input itself")
#define IN TESS__IN("in", "array to combine with the shapes; NULL: draw the shapes alone")
#define OPTIONS                                                                                                        \
    TESS__AUTO_SHAPE(tess_draw_opts, shape, "shape of in or out",                                                      \
                     "logical shape; required for half spectra, and for a new out without in"),                        \
        TESS__OPT_ARRAY(tess_draw_opts, centres, const tess_array *,                                                   \
                        "centres of the shapes, {b,n,1,3 or 2}, pixels; NULL: n / 2"),                                 \
        TESS__OPT_ARRAY(                                                                                               \
            tess_draw_opts, inverse, const tess_array *,                                                               \
            "inverse transforms, from pixels to the untransformed shapes: {b,n,2,2} to {b,n,3,3} for images; "         \
            "{b,n,3,3} to {b,n,4,4}, or quaternions {b,n,1,4}, for volumes"),                                          \
        TESS__OPT_F64(tess_draw_opts, width, "pixels", 0, 0, DBL_MAX, "width of the soft edge"),                       \
        TESS__OPT_F64(tess_draw_opts, value, "", 1, -DBL_MAX, DBL_MAX, "value to draw"),                               \
        TESS__OPT_CHOICE(tess_draw_opts, op, TESS_DRAW_MULTIPLY, ops, "how in and the shapes are combined"),           \
        TESS__FLAG(tess_draw_opts, inverted, "draw the outside of the shapes instead"),                                \
        TESS__OPT_CHOICE(tess_draw_opts, layout, 0, tess__fft_layouts,                                                 \
                         "layout of a spectrum; 0: the array is in real space")

static const tess_arg_info sphere_args[] = { OUT, IN,
                                             TESS__IN("radii", "radii, {b,n,1,1}, pixels", .sample = "b,1,1,1"),
                                             OPTIONS };
static const tess_arg_info ellipsoid_args[] = {
    OUT, IN, TESS__IN("semiaxes", "semiaxes, {b,n,1,3 or 2}, pixels", .sample = "b,1,1,2"), OPTIONS
};
static const tess_arg_info cuboid_args[] = {
    OUT, IN, TESS__IN("halves", "half the edge lengths, {b,n,1,3 or 2}, pixels", .sample = "b,1,1,2"), OPTIONS
};
static const tess_arg_info cylinder_args[] = {
    OUT, IN, TESS__IN("sizes", "radius and half the length along z, {b,n,1,2}, pixels", .sample = "b,1,1,2"), OPTIONS
};
static const tess_arg_info torus_args[] = {
    OUT, IN, TESS__IN("sizes", "radius of the ring and of the tube, {b,n,1,2}, pixels", .sample = "b,1,1,2"), OPTIONS
};
static const tess_arg_info line_args[] = {
    OUT,
    IN,
    TESS__IN("from", "start points, {b,n,1,3 or 2}, pixels", .sample = "b,1,1,2"),
    TESS__IN("to", "end points, as from", .sample = "b,1,1,2"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_OPTIONAL, "radii",
                  "half the thickness, {b,n,1,1}, pixels; NULL: 0.5", .sample = "b,1,1,1"),
    OPTIONS,
};

TESS__CALL(draw_sphere, v[0].out, v[1].in, v[2].in, opts)
TESS__CALL(draw_ellipsoid, v[0].out, v[1].in, v[2].in, opts)
TESS__CALL(draw_cuboid, v[0].out, v[1].in, v[2].in, opts)
TESS__CALL(draw_cylinder, v[0].out, v[1].in, v[2].in, opts)
TESS__CALL(draw_torus, v[0].out, v[1].in, v[2].in, opts)
TESS__CALL(draw_line, v[0].out, v[1].in, v[2].in, v[3].in, v[4].in, opts)

#define INFO(name, help, args) TESS__OP_OPTS(TESS_CUT_NONE, name, "draw", help, args, tess_draw_opts)
const tess_function_info tess__info_draw_sphere = INFO(draw_sphere, "Draw spheres or circles.", sphere_args);
const tess_function_info tess__info_draw_ellipsoid =
    INFO(draw_ellipsoid, "Draw ellipsoids or ellipses.", ellipsoid_args);
const tess_function_info tess__info_draw_cuboid = INFO(draw_cuboid, "Draw cuboids or rectangles.", cuboid_args);
const tess_function_info tess__info_draw_cylinder = INFO(draw_cylinder, "Draw cylinders along z.", cylinder_args);
const tess_function_info tess__info_draw_torus = INFO(draw_torus, "Draw tori around the z axis.", torus_args);
const tess_function_info tess__info_draw_line = INFO(draw_line, "Draw straight lines with round ends.", line_args);

/* ---- The array ---- */

typedef struct call {
    const tess_function_info *info;
    tess_array               *out;
    const tess_array         *in;
    tess_draw_opts            o;
    tess__draw_parameters     p;
    tess_array                shapes[2]; /* in the host's memory, and where they are needed */
} call;

static bool is_given(const tess_shape *shape) { return shape->b || shape->d || shape->h || shape->w; }

static tess_status check_dtypes(const call *c)
{
    const char *fn = c->info->name;
    TESS_TRY(tess__check_numbers(fn, "in", c->in));
    const bool is_complex = tess_dtype_kind(c->in->dtype) == TESS_KIND_COMPLEX;
    TESS_CHECK(!is_complex || (c->o.op != TESS_DRAW_MIN && c->o.op != TESS_DRAW_MAX), TESS_EDTYPE,
               "%s: `in` is %s; complex numbers have no minimum or maximum", fn, tess_dtype_name(c->in->dtype));
    if (tess__is_empty_out(c->out)) return TESS_OK;
    TESS_TRY(tess__check_numbers(fn, "out", c->out));
    TESS_TRY(tess__check_same_device(fn, c->out, "in", c->in));
    TESS_CHECK(!is_complex || tess_dtype_kind(c->out->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `in` is %s and `out` is %s; `out` must be complex", fn, tess_dtype_name(c->in->dtype),
               tess_dtype_name(c->out->dtype));
    return TESS_OK;
}

/* The logical shape: the caller's, or that of an array. */
static tess_status find_shape(call *c)
{
    const char *fn = c->info->name;
    const bool  made = !tess__is_empty_out(c->out);
    if (c->in) TESS_TRY(check_dtypes(c));
    else if (made) TESS_TRY(tess__check_numbers(fn, "out", c->out));
    if (is_given(&c->o.shape)) {
        c->p.logical = c->o.shape;
        return TESS_OK;
    }
    TESS_CHECK(!tess__fft_is_half(c->o.layout), TESS_ESHAPE,
               "%s: `opts->shape` is not given; a half spectrum (`opts->layout` is %s) needs its logical shape", fn,
               tess__fft_layouts[c->o.layout - 1].name);
    TESS_CHECK(c->in || made, TESS_ESHAPE, "%s: `in` is `NULL` and `out` is zeroed; give an array or `opts->shape`",
               fn);
    c->p.logical = c->in ? c->in->shape : c->out->shape;
    return TESS_OK;
}

/* The batches of `out`: of the array, or as many as there are of parameters. */
static tess_status find_batches(call *c)
{
    const char   *fn = c->info->name;
    tess_shape   *logical = &c->p.logical;
    const int64_t given = c->shapes[0].shape.b;
    if (logical->b == 1 && (tess__is_empty_out(c->out) || c->out->shape.b == given)) logical->b = given;
    TESS_CHECK(given == 1 || given == logical->b, TESS_ESHAPE,
               "%s: `%s` describes shapes of %" PRId64 " batches, and `%s` has %" PRId64
               "; one batch, or the same number, is needed",
               fn, c->p.of[TESS__DRAW_SIZES].arg, given, c->in ? "in" : "out", logical->b);
    return TESS_OK;
}

static tess_status make_output(const call *c, tess__fft_variant form)
{
    const tess_dtype dtype = c->in ? c->in->dtype : TESS_F32;
    const bool       made = !tess__is_empty_out(c->out);
    TESS_TRY(tess__spectrum_output(c->info->name, c->out, form, made ? c->out->dtype : dtype,
                                   c->in  ? c->in->device
                                   : made ? c->out->device
                                          : tess_cpu()));
    return TESS_OK;
}

/* `in`, broadcast to the batches of the output. */
static tess_status check_input(tess_array *view, const call *c, tess__fft_variant form)
{
    const char *fn = c->info->name;
    if (c->in->shape.b == 1) form.any_b = true;
    TESS_TRY(tess__check_spectrum(fn, "in", c->in, form));
    TESS_TRY(tess__check_overlap(fn, c->out, "in", c->in, c->in->shape.b == c->out->shape.b));
    *view = *c->in;
    if (view->shape.b == 1) view->strides.b = 0;
    view->shape = c->out->shape;
    return TESS_OK;
}

/* ---- The request ---- */

static void describe(tess__draw *work, const call *c)
{
    const tess_draw_opts *o = &c->o;
    work->spec = (tess__draw_spec){ .kind = c->p.kind,
                                    .op = c->in ? o->op : 0,
                                    .inverted = o->inverted,
                                    .whole = tess_dtype_kind(c->out->dtype) < TESS_KIND_FLOAT,
                                    .value = o->value,
                                    .width = o->width,
                                    .inverse_width = o->width > 0 ? 1 / o->width : 0 };
    for (int k = 0; k < 4; k++) {
        const int layout = o->layout ? o->layout : TESS_FFT_FC;
        work->logical[k] = c->p.logical.dim[k];
        work->order[k] = tess__fft_axis_of(layout, k, work->logical[k]).order == TESS__FFT_CENTRED ? TESS__DRAW_IN_ORDER
                                                                                                   : TESS__DRAW_SHIFTED;
    }
}

static tess_status submit(call *c)
{
    const int         layout = c->o.layout ? c->o.layout : TESS_FFT_FC;
    tess__fft_variant form = { .arg_shape = "opts->shape", .arg_layout = "opts->layout", .layout = layout };
    tess__draw        work = { .name = c->info->name };
    TESS_TRY(find_batches(c));
    form.shape = c->p.logical;
    TESS_TRY(make_output(c, form));
    if (c->in) TESS_TRY(check_input(&work.in, c, form));
    if (!tess__has_elements(c->out)) return TESS_OK;
    TESS_TRY(tess_to_device(&c->shapes[1], &c->shapes[0], c->out->device));
    work.out = *c->out;
    work.shapes = c->shapes[1];
    describe(&work, c);
    TESS_TRY(tess__draw_run(&work));
    return TESS_OK;
}

static tess_status run(call *c, const tess_draw_opts *opts)
{
    const char *fn = c->info->name;
    TESS_TRY(tess__check_pointer(fn, "out", c->out));
    TESS_TRY(tess__resolve(c->info, opts, &c->o));
    TESS_TRY(find_shape(c));
    c->p.fn = fn;
    c->p.of[TESS__DRAW_CENTRES] = (tess__draw_parameter){ "opts->centres", c->o.centres };
    c->p.of[TESS__DRAW_INVERSE] = (tess__draw_parameter){ "opts->inverse", c->o.inverse };
    for (int k = 0; k < TESS__DRAW_PARAMETERS; k++)
        TESS_TRY(tess__check_apart(fn, "out", c->out, c->p.of[k].arg, c->p.of[k].array));
    TESS_TRY(tess__draw_shapes(&c->shapes[0], &c->p));
    TESS_TRY(submit(c));
    return TESS_OK;
}

static tess_status draw(call *c, const tess_draw_opts *opts)
{
    const bool  made = c->out && tess__is_empty_out(c->out);
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    if (c->in) TESS_GOTO(done, status, tess__hold(&held, c->info->name, &c->in));
    TESS_GOTO(done, status, run(c, opts));
done:
    for (int k = 0; k < 2; k++) tess_release(&c->shapes[k]);
    tess_release(&held);
    return made ? tess__finish(status, c->out, true) : status;
}

/* ---- Functions ---- */

static tess_status draw_sized(call *c, int kind, const char *arg, const tess_array *sizes, const tess_draw_opts *opts)
{
    TESS_TRY(tess__check_array(c->info->name, arg, sizes));
    c->p.kind = kind;
    c->p.of[TESS__DRAW_SIZES] = (tess__draw_parameter){ arg, sizes };
    TESS_TRY(draw(c, opts));
    return TESS_OK;
}

tess_status tess_draw_sphere(tess_array *out, const tess_array *in, const tess_array *radii, const tess_draw_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    return draw_sized(&(call){ .info = &tess__info_draw_sphere, .out = out, .in = in }, TESS__DRAW_SPHERE, "radii",
                      radii, opts);
}

tess_status tess_draw_ellipsoid(tess_array *out, const tess_array *in, const tess_array *semiaxes,
                                const tess_draw_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    return draw_sized(&(call){ .info = &tess__info_draw_ellipsoid, .out = out, .in = in }, TESS__DRAW_ELLIPSOID,
                      "semiaxes", semiaxes, opts);
}

tess_status tess_draw_cuboid(tess_array *out, const tess_array *in, const tess_array *halves,
                             const tess_draw_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    return draw_sized(&(call){ .info = &tess__info_draw_cuboid, .out = out, .in = in }, TESS__DRAW_CUBOID, "halves",
                      halves, opts);
}

tess_status tess_draw_cylinder(tess_array *out, const tess_array *in, const tess_array *sizes,
                               const tess_draw_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    return draw_sized(&(call){ .info = &tess__info_draw_cylinder, .out = out, .in = in }, TESS__DRAW_CYLINDER, "sizes",
                      sizes, opts);
}

tess_status tess_draw_torus(tess_array *out, const tess_array *in, const tess_array *sizes, const tess_draw_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    return draw_sized(&(call){ .info = &tess__info_draw_torus, .out = out, .in = in }, TESS__DRAW_TORUS, "sizes", sizes,
                      opts);
}

tess_status tess_draw_line(tess_array *out, const tess_array *in, const tess_array *from, const tess_array *to,
                           const tess_array *radii, const tess_draw_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    call c = { .info = &tess__info_draw_line, .out = out, .in = in };
    TESS_TRY(tess__check_array("draw_line", "from", from));
    TESS_TRY(tess__check_array("draw_line", "to", to));
    TESS_CHECK(!opts || !opts->centres, TESS_ERANGE,
               "draw_line: `opts->centres` is given; it must be NULL, since the end points place a line");
    c.p.kind = TESS__DRAW_CAPSULE;
    c.p.of[TESS__DRAW_SIZES] = (tess__draw_parameter){ "radii", radii };
    c.p.of[TESS__DRAW_FROM] = (tess__draw_parameter){ "from", from };
    c.p.of[TESS__DRAW_TO] = (tess__draw_parameter){ "to", to };
    TESS_TRY(draw(&c, opts));
    return TESS_OK;
}
