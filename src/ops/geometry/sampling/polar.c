/* Polar transforms of images, there and back: descriptions, checks, request. */
#include "ops/geometry/sampling/polar.h"

#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/arrays/centre.h"

#define TURN (2 * TESS_PI)
#define TURN_ERROR 1e-6 /* by which the angles of a full turn may miss it */

/* ---- Descriptions ---- */

#define NUMBER(field, unit, help) TESS__OPT_F64(tess_polar_opts, field, unit, 0, -DBL_MAX, DBL_MAX, help)
#define STOP(field, unit, how, help) TESS__AUTO_F64(tess_polar_opts, field, unit, how, -DBL_MAX, DBL_MAX, help)
#define OPTIONS                                                                                                        \
    TESS__INTERP_ROW(tess_polar_opts), TESS__OUTSIDE_ROWS(tess_polar_opts), TESS__OUTSIDE_VALUE_ROWS(tess_polar_opts), \
        NUMBER(shift_h, "pixels", "offset of the centre from n / 2 along h"),                                          \
        NUMBER(shift_w, "pixels", "offset of the centre from n / 2 along w"),                                          \
        NUMBER(rho_start, "pixels", "first radius"),                                                                   \
        STOP(rho_stop, "pixels", "the edge of the image", "end of the range of radii"),                                \
        NUMBER(phi_start, "radians", "first angle, from +x to +y"),                                                    \
        STOP(phi_stop, "radians", "a full turn after phi_start", "end of the range of angles"),                        \
        TESS__FLAG(tess_polar_opts, rho_endpoint, "the last radius is rho_stop"),                                      \
        TESS__FLAG(tess_polar_opts, phi_endpoint, "the last angle is phi_stop"),                                       \
        TESS__FLAG(tess_polar_opts, log, "space the radii exponentially"),                                             \
        TESS__OPT_I32(tess_polar_opts, unused, "", 0, 0, 0, "must be 0"),                                              \
        TESS__AUTO_I64(tess_polar_opts, height, "", "automatic", 1, (double)INT32_MAX, "height of out"),               \
        TESS__AUTO_I64(tess_polar_opts, width, "", "automatic", 1, (double)INT32_MAX, "width of out")
static const tess_arg_info to_args[] = {
    TESS__OUT("out", "angles along h, radii along w; any strides", .axes = "B,1,h,w"),
    TESS__IN("in", "images {n,1,h,w}", .axes = "B,1,h,w"),
    OPTIONS,
};
static const tess_arg_info from_args[] = {
    TESS__OUT("out", "images; any strides", .axes = "B,1,h,w"),
    TESS__IN("in", "angles along h, radii along w", .axes = "B,1,h,w"),
    OPTIONS,
};
TESS__CALL(cartesian_to_polar, v[0].out, v[1].in, opts)
TESS__CALL(polar_to_cartesian, v[0].out, v[1].in, opts)
const tess_function_info tess__info_cartesian_to_polar =
    TESS__OP_OPTS(TESS_CUT_BATCHES, cartesian_to_polar, "polar", "Resample images from Cartesian to polar coordinates.",
                  to_args, tess_polar_opts);
const tess_function_info tess__info_polar_to_cartesian =
    TESS__OP_OPTS(TESS_CUT_BATCHES, polar_to_cartesian, "polar", "Resample images from polar to Cartesian coordinates.",
                  from_args, tess_polar_opts);

/* ---- What all samples share ---- */

tess_status tess__check_radii(const char *fn, const char *const names[2], double start, double stop)
{
    char text[2][32];
    TESS_CHECK(start >= 0 && stop > start && stop <= DBL_MAX, TESS_ERANGE,
               "%s: `%s` is %s and `%s` is %s; they must be finite with 0 <= start < stop", fn, names[0],
               tess__number_text(text[0], start), names[1], tess__number_text(text[1], stop));
    return TESS_OK;
}

tess_status tess__resample_submit(tess__resample_2d *work, const tess_array *out, const tess_array *in)
{
    tess_array  held = { .data = NULL }, converted = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, work->name, &in));
    if (in->dtype != out->dtype) {
        TESS_GOTO(done, status, tess_cast(&converted, in, out->dtype, NULL));
        in = &converted;
    }
    work->in = *in;
    work->out = *out;
    TESS_GOTO(done, status, tess__resample_2d_run(work));
done:
    tess_release(&held);
    tess_release(&converted);
    return status;
}

/* ---- Checks ---- */

static tess_status check_images(const char *fn, const char *arg, const tess_array *a)
{
    char text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_numbers(fn, arg, a));
    TESS_CHECK(a->shape.d == 1, TESS_ESHAPE, "%s: `%s` has shape %s; images {n,1,h,w} are needed, not a volume", fn,
               arg, tess__shape_text(text, a->shape.dim));
    return TESS_OK;
}

static tess_status check_border(const char *fn, const tess_array *out, const tess_array *in, const tess_polar_opts *o)
{
    char text[32];
    TESS_TRY(tess__check_border(fn, out, o->border, o->value, o->value_imag));
    TESS_CHECK(o->value_imag == 0 || tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `opts->value_imag` is %s, but in is %s; complex elements are needed", fn,
               tess__number_text(text, o->value_imag), tess_dtype_name(in->dtype));
    return TESS_OK;
}

/* Ranges with their defaults, those of images of this shape. */
static tess_status resolve_ranges(tess_polar_opts *o, const char *fn, tess_shape image)
{
    static const char *const radii[2] = { "opts->rho_start", "opts->rho_stop" };
    char                     text[2][32];
    if (isnan(o->rho_stop)) {
        const double h = tess__centre(image.h, o->shift_h), w = tess__centre(image.w, o->shift_w);
        o->rho_stop = fmin(fmin(h + 1, (double)image.h - h), fmin(w + 1, (double)image.w - w));
        TESS_CHECK(
            o->rho_stop > o->rho_start, TESS_ERANGE,
            "%s: `opts->rho_start` is %s; it must be below `opts->rho_stop`, by default %s, the edge of the image", fn,
            tess__number_text(text[0], o->rho_start), tess__number_text(text[1], o->rho_stop));
    }
    if (isnan(o->phi_stop)) o->phi_stop = o->phi_start + TURN;
    TESS_TRY(tess__check_radii(fn, radii, o->rho_start, o->rho_stop));
    TESS_CHECK(o->phi_stop != o->phi_start, TESS_ERANGE,
               "%s: `opts->phi_start` and `opts->phi_stop` are both %s; they must differ", fn,
               tess__number_text(text[0], o->phi_start));
    return TESS_OK;
}

/* Of an output that is zeroed, or that of one that is not. */
static tess_shape result_shape(const tess_array *out, const tess_array *in, const tess_polar_opts *o, int64_t height,
                               int64_t width)
{
    if (!tess__is_empty_out(out)) return out->shape;
    return TESS_SHAPE(in->shape.b, 1, o->height ? o->height : height, o->width ? o->width : width);
}

static tess_status check_shapes(const char *fn, const tess_array *in, tess_shape shape)
{
    char       text[2][TESS__SHAPE_TEXT];
    const bool any = shape.b > 0 && shape.h > 0 && shape.w > 0;
    TESS_CHECK(
        shape.d == 1 && (in->shape.b == 1 || in->shape.b == shape.b), TESS_ESHAPE,
        "%s: `in` has shape %s and `out` has shape %s; `out` must be images, and `in` must have the same number or one",
        fn, tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], shape.dim));
    TESS_CHECK(tess__has_elements(in) || !any, TESS_ESHAPE,
               "%s: `in` has shape %s and `out` has shape %s; `in` must not be empty", fn,
               tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], shape.dim));
    return TESS_OK;
}

/* ---- The work ---- */

/* Ranges of `angles` and `radii` samples. */
static void set_ranges(tess__resample_grid *g, const tess_polar_opts *o, int64_t angles, int64_t radii)
{
    const double span = o->rho_stop - o->rho_start;
    g->log = o->log;
    g->scale[0] = g->scale[1] = 1;
    g->rho_start = o->rho_start;
    g->rho_step = tess__resample_step(0, o->log ? log1p(span) : span, radii, o->rho_endpoint);
    g->phi_start = o->phi_start;
    g->phi_step = tess__resample_step(o->phi_start, o->phi_stop, angles, o->phi_endpoint);
    g->phi_middle = 0.5 * (o->phi_start + o->phi_stop);
    g->full_turn = fabs(fabs(o->phi_stop - o->phi_start) - TURN) <= TURN_ERROR;
}

static tess__resample_axis axis_of(int64_t n, int32_t border)
{
    return (tess__resample_axis){ .n = n, .high = n, .border = border };
}

static tess_status finish(tess__resample_2d *work, const tess_polar_opts *o, tess_array *out, const tess_array *in,
                          tess_shape shape)
{
    const char *fn = work->name;
    const bool  made = tess__is_empty_out(out);
    tess_status status = TESS_OK;
    TESS_TRY(check_shapes(fn, in, shape));
    work->interp = o->interp;
    work->source.outside[0] = o->value;
    work->source.outside[1] = o->value_imag;
    TESS_TRY(tess__output(fn, out, shape, tess__transform_dtype(in->dtype), in->device));
    if (!made) TESS_GOTO(done, status, tess__check_overlap(fn, out, "in", in, false));
    if (tess__has_elements(out)) TESS_GOTO(done, status, tess__resample_submit(work, out, in));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}

tess_status tess_cartesian_to_polar(tess_array *out, const tess_array *in, const tess_polar_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char       *fn = "cartesian_to_polar";
    char              text[32];
    tess_polar_opts   o;
    tess__resample_2d work = { .name = fn, .grid = { .kind = TESS__RESAMPLE_RAYS } };
    TESS_TRY(tess__resolve(&tess__info_cartesian_to_polar, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_images(fn, "in", in));
    TESS_TRY(check_border(fn, out, in, &o));
    TESS_TRY(resolve_ranges(&o, fn, in->shape));
    const double arc = fmin(ceil(fabs(o.phi_stop - o.phi_start) * o.rho_stop), INT32_MAX);
    const double length = fmin(ceil(o.rho_stop - o.rho_start), INT32_MAX);
    const bool   fits = (o.height || arc < INT32_MAX) && (o.width || length < INT32_MAX);
    TESS_CHECK(fits || !tess__is_empty_out(out), TESS_ERANGE,
               "%s: `opts->rho_stop` is %s: more than 2^31 samples; give `opts->height` and `opts->width`", fn,
               tess__number_text(text, o.rho_stop));
    const tess_shape shape = result_shape(out, in, &o, (int64_t)arc, (int64_t)length);
    set_ranges(&work.grid, &o, shape.h, shape.w);
    work.grid.centre[0] = tess__centre(in->shape.h, o.shift_h);
    work.grid.centre[1] = tess__centre(in->shape.w, o.shift_w);
    for (int k = 0; k < 2; k++) work.source.axis[k] = axis_of(in->shape.dim[2 + k], o.border);
    TESS_TRY(finish(&work, &o, out, in, shape));
    return TESS_OK;
}

tess_status tess_polar_to_cartesian(tess_array *out, const tess_array *in, const tess_polar_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char       *fn = "polar_to_cartesian";
    tess_polar_opts   o;
    tess__resample_2d work = { .name = fn, .grid = { .kind = TESS__RESAMPLE_PIXELS } };
    TESS_TRY(tess__resolve(&tess__info_polar_to_cartesian, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_images(fn, "in", in));
    TESS_TRY(check_border(fn, out, in, &o));
    const tess_shape shape = result_shape(out, in, &o, 2 * in->shape.w, 2 * in->shape.w);
    const int64_t    angles = in->shape.h, radii = in->shape.w;
    if (shape.h > 0 && shape.w > 0) TESS_TRY(resolve_ranges(&o, fn, shape));
    set_ranges(&work.grid, &o, angles, radii);
    work.grid.centre[0] = tess__centre(shape.h, o.shift_h);
    work.grid.centre[1] = tess__centre(shape.w, o.shift_w);
    const int64_t period = o.phi_endpoint && angles > 1 ? angles - 1 : angles; /* its last angle is the first one */
    work.source.axis[0] = work.grid.full_turn ? axis_of(period, TESS_BORDER_PERIODIC) : axis_of(angles, o.border);
    work.source.axis[1] = axis_of(radii, o.border);
    TESS_TRY(finish(&work, &o, out, in, shape));
    return TESS_OK;
}
