/* The adjoint of sampling at given points: values are added to the elements around them. */
#include <inttypes.h>

#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "core/device/cancel.h"
#include "core/device/engine.h"
#include "core/device/float_env.h"
#include "core/table/registry.h"
#include "ops/geometry/sampling/points.h"
#include "ops/geometry/sampling/prefilter.h"
#include "tessera/ewise.h"
#include "tessera/scalar.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "images or volumes; any strides"),
    TESS__IN("in", "values at the points, {b,1,n,m}", .sample = "b,1,3,5", .axes = "B,1,n,m"),
    TESS__COORDINATES_ROW,
    TESS__NEED(TESS_ARG_SHAPE, "shape", "shape of out, with one batch for the sum of all", .sample = "b,1,h,w"),
    TESS__COORDINATES_OPTIONS,
};
TESS__CALL(map_coordinates_adjoint, v[0].out, v[1].in, v[2].in, v[3].shape, opts)
const tess_function_info tess__info_map_coordinates_adjoint =
    TESS__OP_OPTS(TESS_CUT_NONE, map_coordinates_adjoint, "transform",
                  "Add values at given coordinates to images or volumes.", args, tess_coordinates_opts);

static const char fn[] = "map_coordinates_adjoint";

static tess_status check_values(const tess__points *points, const tess_array *in, tess_shape shape)
{
    char             text[2][TESS__SHAPE_TEXT];
    const tess_shape values = points->values;
    TESS_CHECK(tess__points_fit(points, in->shape), TESS_ESHAPE,
               "%s: `in` has shape %s; expected one value for each of the points %s", fn,
               tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], values.dim));
    TESS_CHECK(values.b == 1 || values.b == in->shape.b, TESS_ESHAPE,
               "%s: `coordinates` has %" PRId64 " batches and `in` %" PRId64 "; expected one batch or the same number",
               fn, values.b, in->shape.b);
    TESS_CHECK(shape.b == 1 || shape.b == in->shape.b, TESS_ESHAPE,
               "%s: `shape` has %" PRId64 " batches and `in` %" PRId64 "; expected one batch or the same number", fn,
               shape.b, in->shape.b);
    TESS_CHECK(tess__sizes_have_elements(&shape) || !tess__has_elements(in), TESS_ESHAPE,
               "%s: `in` has shape %s and `shape` is %s; it must not be empty", fn,
               tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], shape.dim));
    return TESS_OK;
}

/* The elements at both ends of each axis that is filtered, times a power of 2. */
static tess_status scale_ends(const tess_array *out, double factor)
{
    for (int axis = 1; axis < 4; axis++)
        for (int end = 0; end < 2 && out->shape.dim[axis] > 1; end++) {
            tess_array slab = *out;
            slab.shape.dim[axis] = 1;
            slab.data = (char *)out->data +
                        (end ? out->shape.dim[axis] - 1 : 0) * out->strides.dim[axis] * tess__dtype_size(out->dtype);
            TESS_TRY(tess_mul(&slab, &slab, &tess_f64(factor)));
        }
    return TESS_OK;
}

/* The adjoint of the prefilter, which is P. With the border REFLECT P is not symmetric, but D P D^-1 is its adjoint, of
 * the diagonal D that halves the elements at the ends; with the others it is. */
static tess_status prefilter_adjoint(const tess_array *out, int32_t border, int dims)
{
    const tess__prefilter like = { .name = fn, .border = border };
    const bool            ends = border == TESS_BORDER_REFLECT;
    if (ends) TESS_TRY(scale_ends(out, 2));
    TESS_TRY(tess__prefilter_axes(&like, out, out, dims));
    if (ends) TESS_TRY(scale_ends(out, 0.5));
    return TESS_OK;
}

static tess_status run(const tess_array *out, const tess_array *in, const tess_array *coordinates, tess__points *points,
                       const tess_coordinates_opts *o)
{
    tess__spread_points work = {
        .name = fn, .dims = points->dims, .interp = o->interp, .border = o->border, .cut = o->cut
    };
    tess_array  converted = { .data = NULL }, held[2] = { { .data = NULL }, { .data = NULL } }, to = *out;
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held[0], fn, &in));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &coordinates));
    TESS_GOTO(done, status, tess__points_take(points, coordinates, out->device));
    if (in->dtype != out->dtype) {
        TESS_GOTO(done, status, tess_cast(&converted, in, out->dtype, NULL));
        in = &converted;
    }
    TESS_GOTO(done, status, tess_fill(&to, 0));
    if (tess__has_elements(in)) {
        work.in = *in;
        work.out = *out;
        work.points = points->numbers;
        tess__points_merge(&work.points, &work.in);
        TESS_GOTO(done, status, tess__spread_points_run(&work));
        if (o->prefilter) TESS_GOTO(done, status, prefilter_adjoint(out, o->border, points->dims));
    }
done:
    tess_release(&points->made);
    tess_release(&converted);
    for (int k = 0; k < 2; k++) tess_release(&held[k]);
    return status;
}

tess_status tess_map_coordinates_adjoint(tess_array *out, const tess_array *in, const tess_array *coordinates,
                                         tess_shape shape, const tess_coordinates_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_coordinates_opts o;
    tess__points          points = { .name = fn };
    TESS_TRY(tess__resolve(&tess__info_map_coordinates_adjoint, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_shape(fn, "shape", shape, tess__transform_dtype(in->dtype)));
    TESS_TRY(tess__points_check(&points, coordinates, shape, "shape"));
    TESS_TRY(tess__points_options(fn, in, in, &o));
    TESS_TRY(check_values(&points, in, shape));
    if (coordinates->device.kind != TESS_CPU) TESS_TRY(tess__check_device_of(fn, "in", in, "coordinates", coordinates));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, shape, tess__transform_dtype(in->dtype), in->device));
    if (!made) {
        TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
        TESS_TRY(tess__check_overlap(fn, out, "coordinates", coordinates, false));
    }
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_TRY(tess__finish(run(out, in, coordinates, &points, &o), out, made));
    return TESS_OK;
}
