/* Images and volumes at given points: description, checks, request. */
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

static const tess_arg_info args[] = {
    TESS__OUT("out", "values at the points, {b,1,n,m}; any strides", .axes = "B,1,n,m"),
    TESS__IN("in", "images or volumes", .sample = "b,1,h,w"),
    TESS__COORDINATES_ROW,
    TESS__COORDINATES_OPTIONS,
};
TESS__CALL(map_coordinates, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_map_coordinates =
    TESS__OP_OPTS(TESS_CUT_NONE, map_coordinates, "transform", "Sample images or volumes at given coordinates.", args,
                  tess_coordinates_opts);

static const char fn[] = "map_coordinates";

/* The shape of the result: that of an `out` to which the points fit. */
static tess_status result_shape(tess_shape *shape, const tess__points *points, const tess_array *out,
                                const tess_array *in)
{
    char             text[2][TESS__SHAPE_TEXT];
    const tess_shape values = points->values;
    TESS_CHECK(in->shape.b == 1 || values.b == 1 || in->shape.b == values.b, TESS_ESHAPE,
               "%s: `in` has %" PRId64 " batches and `coordinates` %" PRId64
               "; expected one batch, or the same number of both",
               fn, in->shape.b, values.b);
    *shape = values;
    if (values.b == 1) shape->b = in->shape.b;
    if (!tess__is_empty_out(out) && out->shape.b == shape->b && tess__points_fit(points, out->shape))
        *shape = out->shape;
    TESS_CHECK(tess__has_elements(in) || !tess__sizes_have_elements(shape), TESS_ESHAPE,
               "%s: `in` has shape %s and the result %s; `in` must not be empty", fn,
               tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], shape->dim));
    return TESS_OK;
}

static tess_status run(const tess_array *out, const tess_array *in, const tess_array *coordinates, tess__points *points,
                       const tess_coordinates_opts *o)
{
    const tess__prefilter like = { .name = fn, .border = o->border, .value = { o->value, o->value_imag } };
    tess__sample_points   work = { .name = fn,
                                   .dims = points->dims,
                                   .interp = o->interp,
                                   .border = o->border,
                                   .cut = o->cut,
                                   .outside = { o->value, o->value_imag } };
    tess_array            converted = { .data = NULL }, held[2] = { { .data = NULL }, { .data = NULL } };
    tess_status           status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held[0], fn, &in));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &coordinates));
    TESS_GOTO(done, status, tess__points_take(points, coordinates, out->device));
    TESS_GOTO(done, status, tess__prefilter_input(&converted, &like, &in, out->dtype, o->prefilter, points->dims));
    work.in = *in;
    work.out = *out;
    work.points = points->numbers;
    tess__points_merge(&work.points, &work.out);
    TESS_GOTO(done, status, tess__sample_points_run(&work));
done:
    tess_release(&points->made);
    tess_release(&converted);
    for (int k = 0; k < 2; k++) tess_release(&held[k]);
    return status;
}

tess_status tess_map_coordinates(tess_array *out, const tess_array *in, const tess_array *coordinates,
                                 const tess_coordinates_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_coordinates_opts o;
    tess__points          points = { .name = fn };
    tess_shape            shape;
    TESS_TRY(tess__resolve(&tess__info_map_coordinates, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__points_check(&points, coordinates, in->shape, "in"));
    TESS_TRY(tess__points_options(fn, out, in, &o));
    if (coordinates->device.kind != TESS_CPU) TESS_TRY(tess__check_device_of(fn, "in", in, "coordinates", coordinates));
    TESS_TRY(result_shape(&shape, &points, out, in));
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
