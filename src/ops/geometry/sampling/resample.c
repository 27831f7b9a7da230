/* Rotations, shifts and changes of pixel size: transforms by one matrix that follows from a few numbers. */
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"
#include "ops/geometry/sampling/transform.h"
#include "ops/arrays/centre.h"
#include "tessera/math/f64.op.h"

/* ---- Descriptions ---- */

#define OPTIONS                                                                                                        \
    TESS__INTERP_ROW(tess_resample_opts), TESS__OUTSIDE_ROWS(tess_resample_opts),                                      \
        TESS__PREFILTER_ROWS(tess_resample_opts), TESS__OUTSIDE_VALUE_ROWS(tess_resample_opts)
static const tess_arg_info rotate_args[] = {
    TESS__OUT("out", "the rotated images; any strides", .axes = "B,1,h,w"),
    TESS__IN("in", "images {n,1,h,w}", .axes = "B,1,h,w"),
    TESS__NEED(TESS_ARG_F64, "angle", "angle in radians, positive from +x to +y"),
    OPTIONS,
};
static const tess_arg_info shift_args[] = {
    TESS__OUT("out", "the shifted images or volumes; any strides"),
    TESS__IN("in", "images or volumes"),
    TESS__NEED(TESS_ARG_F64, "shift_d", "shift in pixels along d; 0 for images", .sample = "0"),
    TESS__NEED(TESS_ARG_F64, "shift_h", "shift in pixels along h"),
    TESS__NEED(TESS_ARG_F64, "shift_w", "shift in pixels along w"),
    OPTIONS,
};
static const tess_arg_info rescale_args[] = {
    TESS__OUT("out", "the rescaled images or volumes; any strides"),
    TESS__IN("in", "images or volumes"),
    TESS__NEED(TESS_ARG_F64, "pixel", "pixel size of in, in any unit"),
    TESS__NEED(TESS_ARG_F64, "new_pixel", "pixel size of out, in the same unit"),
    OPTIONS,
};
TESS__CALL(rotate_image, v[0].out, v[1].in, v[2].f64, opts)
TESS__CALL(shift_image, v[0].out, v[1].in, v[2].f64, v[3].f64, v[4].f64, opts)
TESS__CALL(rescale, v[0].out, v[1].in, v[2].f64, v[3].f64, opts)
const tess_function_info tess__info_rotate_image = TESS__OP_OPTS(
    TESS_CUT_BATCHES, rotate_image, "transform", "Rotate images about their centre.", rotate_args, tess_resample_opts);
const tess_function_info tess__info_shift_image =
    TESS__OP_OPTS(TESS_CUT_BATCHES, shift_image, "transform", "Shift images or volumes, also by fractions of a pixel.",
                  shift_args, tess_resample_opts);
const tess_function_info tess__info_rescale =
    TESS__OP_OPTS(TESS_CUT_BATCHES, rescale, "transform", "Rescale images or volumes to another pixel size.",
                  rescale_args, tess_resample_opts);

/* ---- One matrix for all ---- */

/* A linear map about the points work->from and work->to, which are set; work->dims too. */
static tess_status apply(tess__transform *work, const tess_resample_opts *o, tess_array *out, const tess_array *in,
                         const double *linear, tess_shape shape)
{
    const int   n = work->dims;
    tess_array  rows = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__make(work->name, &rows, TESS_SHAPE(1, 1, n, n + 1), TESS_F64, tess_cpu(), true));
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) ((double *)rows.data)[i * (n + 1) + j] = linear[i * n + j];
    TESS_GOTO(done, status, tess__transform_finish(work, o, out, in, &rows, shape));
done:
    tess_release(&rows);
    return status;
}

/* Output, input and options of each; an `out` that was made is of any size, but of as many batches. */
static tess_status begin(tess__transform *work, const tess_array *out, const tess_array *in,
                         const tess_resample_opts *o)
{
    const char *fn = work->name;
    char        text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    work->dims = in->shape.d > 1 ? 3 : 2;
    TESS_TRY(tess__transform_sampling(work, out, in, o));
    if (tess__is_empty_out(out)) return TESS_OK;
    TESS_CHECK(out->shape.b == in->shape.b && (work->dims == 3 || out->shape.d == in->shape.d), TESS_ESHAPE,
               "%s: `out` has shape %s and in %s; the number of batches%s must be equal", fn,
               tess__shape_text(text[0], out->shape.dim), tess__shape_text(text[1], in->shape.dim),
               work->dims == 3 ? "" : " and images");
    return TESS_OK;
}

/* The shape of an output that was made, or that of the input. */
static tess_shape shape_of(const tess_array *out, const tess_array *in)
{
    return tess__is_empty_out(out) ? in->shape : out->shape;
}

static void set_centres(tess__transform *work, tess_shape from, tess_shape to)
{
    for (int k = 0; k < 3; k++) {
        work->from[k] = tess__centre(from.dim[k + 1], 0);
        work->to[k] = tess__centre(to.dim[k + 1], 0);
    }
}

/* ---- Rotations ---- */

/* Cosine and sine of an angle; of what an f64 has as a multiple of pi/2 exactly 0, 1 or -1. Quarters are taken off by
 * pi/2 in two parts, so that little of the angle is lost. */
static void direction(double cs[2], double angle)
{
    const double quarters = rint(angle * 0.63661977236758134308);
    const double left = fma(-quarters, 0x1.1a62633145c07p-54, fma(-quarters, 0x1.921fb54442d18p0, angle));
    const bool   exact = fabs(left) <= 0x1p-52 * fabs(angle);
    const double c = exact ? 1 : tess__cos_f64(left), s = exact ? 0 : tess__sin_f64(left);
    const int    quarter = (int)(quarters - 4 * floor(quarters / 4));
    cs[0] = quarter == 0 ? c : quarter == 1 ? -s : quarter == 2 ? -c : s;
    cs[1] = quarter == 0 ? s : quarter == 1 ? c : quarter == 2 ? -s : -c;
}

tess_status tess_rotate_image(tess_array *out, const tess_array *in, double angle, const tess_resample_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_resample_opts    o;
    double                cs[2];
    const volatile double given = angle; /* kept in memory, behind the change of the floating-point environment */
    tess__transform       work = { .name = "rotate_image" };
    char                  text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__resolve(&tess__info_rotate_image, opts, &o));
    TESS_TRY(begin(&work, out, in, &o));
    TESS_CHECK(work.dims == 2, TESS_ESHAPE, "rotate_image: `in` is a volume of shape %s; images {n,1,h,w} are needed",
               tess__shape_text(text, in->shape.dim));
    TESS_CHECK(fabs(given) <= 0x1p30, TESS_ERANGE, "rotate_image: `angle` is %g; -2^30 to 2^30 radians are allowed",
               given);
    direction(cs, given);
    const tess_shape shape = shape_of(out, in);
    set_centres(&work, shape, in->shape);
    TESS_TRY(apply(&work, &o, out, in, (const double[]){ cs[0], -cs[1], cs[1], cs[0] }, shape));
    return TESS_OK;
}

/* ---- Shifts ---- */

tess_status tess_shift_image(tess_array *out, const tess_array *in, double shift_d, double shift_h, double shift_w,
                             const tess_resample_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    static const double      one_2d[4] = { 1, 0, 0, 1 }, one_3d[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
    static const char *const names[3] = { "shift_d", "shift_h", "shift_w" };
    const double             shift[3] = { shift_d, shift_h, shift_w };
    tess_resample_opts       o;
    tess__transform          work = { .name = "shift_image" };
    TESS_TRY(tess__resolve(&tess__info_shift_image, opts, &o));
    TESS_TRY(begin(&work, out, in, &o));
    for (int k = 0; k < 3; k++)
        TESS_CHECK(isfinite(shift[k]), TESS_ERANGE, "shift_image: `%s` is %g; it must be finite", names[k], shift[k]);
    TESS_CHECK(work.dims == 3 || shift_d == 0, TESS_ERANGE,
               "shift_image: `shift_d` is %g, but `in` holds images; it must be 0", shift_d);
    memcpy(work.from, shift, sizeof work.from);
    TESS_TRY(apply(&work, &o, out, in, work.dims == 3 ? one_3d : one_2d, shape_of(out, in)));
    return TESS_OK;
}

/* ---- Pixel sizes ---- */

tess_status tess_rescale(tess_array *out, const tess_array *in, double pixel, double new_pixel,
                         const tess_resample_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_resample_opts    o;
    tess__transform       work = { .name = "rescale" };
    const volatile double sizes[2] = { pixel, new_pixel };
    TESS_TRY(tess__resolve(&tess__info_rescale, opts, &o));
    TESS_TRY(begin(&work, out, in, &o));
    for (int k = 0; k < 2; k++)
        TESS_CHECK(sizes[k] > 0 && isfinite(sizes[k]), TESS_ERANGE,
                   "rescale: `%s` is %g; it must be finite and above 0", k ? "new_pixel" : "pixel", sizes[k]);
    const double step = sizes[1] / sizes[0], factor = sizes[0] / sizes[1];
    tess_shape   shape = shape_of(out, in);
    if (tess__is_empty_out(out))
        for (int k = 4 - work.dims; k < 4; k++) {
            const double n = rint((double)in->shape.dim[k] * factor);
            TESS_CHECK(n < 0x1p40, TESS_ESHAPE,
                       "rescale: `pixel` is %g and `new_pixel` is %g: this makes %g pixels along an axis; fewer than "
                       "2^40 are allowed",
                       sizes[0], sizes[1], n);
            shape.dim[k] = in->shape.dim[k] == 0 ? 0 : n < 1 ? 1 : (int64_t)n;
        }
    set_centres(&work, shape, in->shape);
    const double linear_2d[4] = { step, 0, 0, step }, linear_3d[9] = { step, 0, 0, 0, step, 0, 0, 0, step };
    TESS_TRY(apply(&work, &o, out, in, work.dims == 3 ? linear_3d : linear_2d, shape));
    return TESS_OK;
}
