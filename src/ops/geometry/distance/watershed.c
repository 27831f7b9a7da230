/* Watershed from markers: checks, and a request to the host, to which arrays of a GPU are brought. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/array/layout.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "core/device/stream.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/geometry/distance/label.h"
#include "ops/geometry/distance/truth.h"
#include "tessera/device.h"
#include "tessera/morphology.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "label of each element; may be the markers themselves"),
    TESS__IN("image", "real numbers; low ones are flooded first"),
    TESS__IN_OPTIONAL("markers", "labels of the elements where floods begin, 0 elsewhere; may be NULL: regional minima",
                      .sample = "integer"),
    TESS__OPT_ARRAY(tess_watershed_opts, mask, const tess_array *, "nonzero where the image is flooded",
                    .sample = "mask"),
    TESS__FLAG(tess_watershed_opts, line, "keep a line of 0 between labels"),
    TESS__FLAG(tess_watershed_opts, full, "neighbours across edges and corners too"),
};
TESS__CALL(watershed, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_watershed = TESS__OP_OPTS(
    TESS_CUT_BATCHES, watershed, "morphology", "Segment an image by flooding it from markers (watershed).", args,
    tess_watershed_opts, .work_bytes = 64);

static const char *const fn = "watershed";

static bool is_integer(tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    return kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
}

/* The image and another array, which is NULL or has its shape and is on its device. */
static tess_status check_other(const tess_array *image, const char *name, const tess_array *other)
{
    char text[2][TESS__SHAPE_TEXT];
    if (!other) return TESS_OK;
    TESS_TRY(tess__check_numbers(fn, name, other));
    TESS_CHECK(tess_same_shape(image, other), TESS_ESHAPE, "%s: `%s` has shape %s and `image` %s; they must be equal",
               fn, name, tess__shape_text(text[0], other->shape.dim), tess__shape_text(text[1], image->shape.dim));
    TESS_TRY(tess__check_device_of(fn, "image", image, name, other));
    return TESS_OK;
}

static tess_status check(const tess_array *image, const tess_array *markers, const tess_watershed_opts *o)
{
    TESS_TRY(tess__check_numbers(fn, "image", image));
    TESS_TRY(tess__check_ordered(fn, "image", image->dtype));
    TESS_TRY(check_other(image, "markers", markers));
    TESS_CHECK(!markers || markers->dtype == TESS_BOOL || is_integer(markers->dtype), TESS_EDTYPE,
               "%s: `markers` is %s; integers or bool are needed", fn, tess_dtype_name(markers->dtype));
    TESS_TRY(check_other(image, "opts->mask", o->mask));
    if (o->mask) TESS_TRY(tess__check_ordered(fn, "opts->mask", o->mask->dtype));
    return TESS_OK;
}

static tess_status take_output(tess_array *out, const tess_array *image, const tess_array *markers,
                               const tess_watershed_opts *o)
{
    const bool       made = tess__is_empty_out(out), keeps = markers && is_integer(markers->dtype);
    const tess_dtype dtype = !made ? out->dtype : keeps ? markers->dtype : TESS_I32;
    TESS_TRY(tess__output(fn, out, image->shape, dtype, image->device));
    TESS_CHECK(is_integer(out->dtype), TESS_EDTYPE, "%s: `out` is %s; integers are needed", fn,
               tess_dtype_name(out->dtype));
    TESS_TRY(tess__check_overlap(fn, out, "image", image, false));
    if (markers) TESS_TRY(tess__check_overlap(fn, out, "markers", markers, true));
    if (o->mask) TESS_TRY(tess__check_overlap(fn, out, "opts->mask", o->mask, false));
    return TESS_OK;
}

static tess_status run_here(tess_array *out, const tess_array *image, const tess_array *markers, const tess_array *mask,
                            const tess_watershed_opts *o)
{
    tess__watershed work = { .name = fn, .out = *out, .image = *image, .full = o->full, .line = o->line };
    if (markers) work.markers = *markers;
    if (mask) work.mask = *mask;
    TESS_TRY(tess__watershed_run(&work));
    return TESS_OK;
}

/* On the host, and back. */
static tess_status run_there(tess_array *out, const tess_array *image, const tess_array *markers,
                             const tess_array *mask, const tess_watershed_opts *o)
{
    enum { OUT, IMAGE, MARKERS, MASK, ARRAYS };
    const tess_array *const there[ARRAYS] = { NULL, image, markers, mask };
    tess_array              here[ARRAYS] = { { .data = NULL } }, made = { .data = NULL };
    tess_status             status = TESS_OK;
    TESS_TRY(tess__check_waits(fn, image->device));
    for (int k = IMAGE; k < ARRAYS; k++)
        if (there[k]) TESS_GOTO(done, status, tess_to_device(&here[k], there[k], tess_cpu()));
    TESS_GOTO(done, status, tess__sync(fn, image->device));
    TESS_GOTO(done, status, tess__make(fn, &here[OUT], out->shape, out->dtype, tess_cpu(), false));
    TESS_GOTO(done, status,
              run_here(&here[OUT], &here[IMAGE], markers ? &here[MARKERS] : NULL, mask ? &here[MASK] : NULL, o));
    TESS_GOTO(done, status, tess_to_device(&made, &here[OUT], out->device));
    TESS_GOTO(done, status, tess_copy(out, &made));
    TESS_GOTO(done, status, tess__sync(fn, out->device));
done:
    for (int k = 0; k < ARRAYS; k++) tess_release(&here[k]);
    tess_release(&made);
    return status;
}

/* In the dtype of the markers, or that of numbers of minima, if that of the output may not hold all of them. */
static tess_status run(tess_array *out, const tess_array *image, const tess_array *markers,
                       const tess_watershed_opts *o)
{
    const tess_array *mask = NULL;
    tess_array        truth = { .data = NULL }, wide = { .data = NULL };
    tess_status       status = TESS_OK;
    TESS_TRY(take_output(out, image, markers, o));
    if (!tess__has_elements(out)) return TESS_OK;
    if (o->mask) TESS_GOTO(done, status, tess__truth_of(&mask, &truth, o->mask));
    const bool       is_here = out->device.kind == TESS_CPU, keeps = markers && is_integer(markers->dtype);
    const tess_dtype dtype = keeps ? markers->dtype : TESS_I32;
    const bool       suits = out->dtype == dtype || (out->dtype == TESS_I64 && dtype != TESS_U64);
    if (!suits) TESS_GOTO(done, status, tess__make(fn, &wide, out->shape, dtype, out->device, false));
    TESS_GOTO(done, status, (is_here ? run_here : run_there)(suits ? out : &wide, image, markers, mask, o));
    if (!suits) TESS_GOTO(done, status, tess__put_labels(out, fn, &wide));
done:
    tess_release(&truth);
    tess_release(&wide);
    return status;
}

tess_status tess_watershed(tess_array *out, const tess_array *image, const tess_array *markers,
                           const tess_watershed_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_watershed_opts o;
    tess_array          held[3] = { { .data = NULL }, { .data = NULL }, { .data = NULL } };
    tess_status         status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_watershed, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check(image, markers, &o));
    const bool made = tess__is_empty_out(out);
    TESS_GOTO(done, status, tess__hold(&held[0], fn, &image));
    if (markers) TESS_GOTO(done, status, tess__hold(&held[1], fn, &markers));
    if (o.mask) TESS_GOTO(done, status, tess__hold(&held[2], fn, &o.mask));
    TESS_GOTO(done, status, run(out, image, markers, &o));
done:
    for (int k = 0; k < 3; k++) tess_release(&held[k]);
    return tess__finish(tess__error_under(status, fn), out, made);
}
