/* Morphological reconstruction: checks, and a request to the host, to which arrays of a GPU are brought. */
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
#include "tessera/device.h"
#include "tessera/morphology.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the reconstruction; may be the marker itself"),
    TESS__IN("marker", "real numbers, where the reconstruction begins"),
    TESS__IN("mask", "real numbers that the reconstruction does not pass, like the marker"),
    TESS__FLAG(tess_morph_reconstruct_opts, by_erosion, "reconstruct by erosion instead of dilation"),
    TESS__FLAG(tess_morph_reconstruct_opts, full, "neighbours across edges and corners too"),
};
TESS__CALL(morph_reconstruct, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_morph_reconstruct = TESS__OP_OPTS(
    TESS_CUT_BATCHES, morph_reconstruct, "morphology", "Morphological reconstruction of a mask from a marker.", args,
    tess_morph_reconstruct_opts, .work_bytes = 48);

static tess_status check(const tess_array *out, const tess_array *marker, const tess_array *mask)
{
    const char *fn = "morph_reconstruct";
    char        text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "marker", marker));
    TESS_TRY(tess__check_ordered(fn, "marker", marker->dtype));
    TESS_TRY(tess__check_numbers(fn, "mask", mask));
    TESS_CHECK(mask->dtype == marker->dtype, TESS_EDTYPE, "%s: `mask` is %s; it must be %s, the dtype of `marker`", fn,
               tess_dtype_name(mask->dtype), tess_dtype_name(marker->dtype));
    TESS_CHECK(tess_same_shape(marker, mask), TESS_ESHAPE,
               "%s: `mask` has shape %s and `marker` %s; they must be equal", fn,
               tess__shape_text(text[0], mask->shape.dim), tess__shape_text(text[1], marker->shape.dim));
    TESS_TRY(tess__check_device_of(fn, "marker", marker, "mask", mask));
    return TESS_OK;
}

static tess_status run_here(const tess_array *out, const tess_array *marker, const tess_array *mask,
                            const tess_morph_reconstruct_opts *o)
{
    const tess__reconstruct work = { .name = "morph_reconstruct",
                                     .out = *out,
                                     .marker = *marker,
                                     .mask = *mask,
                                     .by_erosion = o->by_erosion,
                                     .full = o->full };
    TESS_TRY(tess__reconstruct_run(&work));
    return TESS_OK;
}

/* On the host, and back. */
static tess_status run_there(tess_array *out, const tess_array *marker, const tess_array *mask,
                             const tess_morph_reconstruct_opts *o)
{
    const char *fn = "morph_reconstruct";
    tess_array  here[2] = { { .data = NULL }, { .data = NULL } }, there = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__check_waits(fn, marker->device));
    TESS_GOTO(done, status, tess_to_device(&here[0], marker, tess_cpu()));
    TESS_GOTO(done, status, tess_to_device(&here[1], mask, tess_cpu()));
    TESS_GOTO(done, status, tess__sync(fn, marker->device));
    TESS_GOTO(done, status, run_here(&here[0], &here[0], &here[1], o));
    TESS_GOTO(done, status, tess_to_device(&there, &here[0], out->device));
    TESS_GOTO(done, status, tess_copy(out, &there));
    TESS_GOTO(done, status, tess__sync(fn, out->device));
done:
    tess_release(&here[0]);
    tess_release(&here[1]);
    tess_release(&there);
    return status;
}

static tess_status run(tess_array *out, const tess_array *marker, const tess_array *mask,
                       const tess_morph_reconstruct_opts *o)
{
    TESS_TRY(tess__output("morph_reconstruct", out, marker->shape, marker->dtype, marker->device));
    TESS_TRY(tess__check_overlap("morph_reconstruct", out, "marker", marker, true));
    TESS_TRY(tess__check_overlap("morph_reconstruct", out, "mask", mask, false));
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_TRY(out->device.kind == TESS_CPU ? run_here(out, marker, mask, o) : run_there(out, marker, mask, o));
    return TESS_OK;
}

tess_status tess_morph_reconstruct(tess_array *out, const tess_array *marker, const tess_array *mask,
                                   const tess_morph_reconstruct_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char                 *fn = "morph_reconstruct";
    tess_morph_reconstruct_opts o;
    tess_array                  held[2] = { { .data = NULL }, { .data = NULL } };
    tess_status                 status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_morph_reconstruct, opts, &o));
    TESS_TRY(check(out, marker, mask));
    const bool made = tess__is_empty_out(out);
    TESS_GOTO(done, status, tess__hold(&held[0], fn, &marker));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &mask));
    TESS_GOTO(done, status, run(out, marker, mask, &o));
done:
    tess_release(&held[0]);
    tess_release(&held[1]);
    return tess__finish(tess__error_under(status, fn), out, made);
}
