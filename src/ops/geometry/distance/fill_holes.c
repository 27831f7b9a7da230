/* Holes of masks: zeros that are not in the connected component of a margin of zeros around the array. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/array/layout.h"
#include "core/array/rank.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/geometry/distance/label.h"
#include "ops/geometry/distance/truth.h"
#include "tessera/ewise.h"
#include "tessera/morphology.h"
#include "tessera/scalar.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the filled mask; may be the input itself"),
    TESS__IN("in", "a mask: elements equal to 0 are outside, all others inside"),
    TESS__FLAG(tess_fill_holes_opts, full, "connect holes across edges and corners too"),
};
TESS__CALL(fill_holes, v[0].out, v[1].in, opts)
const tess_function_info tess__info_fill_holes =
    TESS__OP_OPTS(TESS_CUT_BATCHES, fill_holes, "morphology",
                  "Fill the holes of a mask: zeros that are not connected with the outside.", args,
                  tess_fill_holes_opts, .work_bytes = 48);

/* The part of a padded array that the array itself is. */
static tess_status inside(tess_array *view, const tess_array *padded, tess_shape shape)
{
    tess_range range[4] = { { 0 } };
    for (int k = 1; k < 4; k++) {
        const int64_t margin = (padded->shape.dim[k] - shape.dim[k]) / 2;
        range[k] = tess_from_to(margin, margin + shape.dim[k]);
    }
    TESS_TRY(tess_subregion(view, padded, (tess_region){ .d = range[1], .h = range[2], .w = range[3] }));
    return TESS_OK;
}

/* The margin of a signal is two components, the first and the last one: those between them. */
static tess_status keep_between(tess_array *out, const tess_array *view, const tess_array *labels)
{
    tess_array  last, before = { .data = NULL }, after = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess_slice(&last, labels, 3, labels->shape.w - 1, labels->shape.w, 1));
    TESS_GOTO(done, status, tess_not_equal(&before, view, &tess_num(1)));
    TESS_GOTO(done, status, tess_not_equal(&after, view, &last));
    TESS_GOTO(done, status, tess_logical_and(out, &before, &after));
done:
    tess_release(&before);
    tess_release(&after);
    return status;
}

/* The margin has the first element of a batch, so its component is the first one. */
static tess_status fill(tess_array *out, const tess_array *in, bool full)
{
    const char *fn = "fill_holes";
    tess_shape  shape = in->shape;
    tess_array  zeros = { .data = NULL }, labels = { .data = NULL }, view;
    tess_status status = TESS_OK;
    for (int k = 4 - tess__rank(shape); k < 4; k++) shape.dim[k] += 2;
    const bool is_large = shape.d * shape.h * shape.w > INT32_MAX;
    TESS_TRY(tess__make(fn, &zeros, shape, TESS_BOOL, in->device, false));
    TESS_GOTO(done, status, tess_fill(&zeros, 1));
    TESS_GOTO(done, status, inside(&view, &zeros, in->shape));
    TESS_GOTO(done, status, tess_equal(&view, in, &tess_num(0)));
    TESS_GOTO(done, status, tess__make(fn, &labels, shape, is_large ? TESS_I64 : TESS_I32, in->device, false));
    TESS_GOTO(done, status, tess__label_run(&labels, NULL, fn, &zeros, full));
    TESS_GOTO(done, status, inside(&view, &labels, in->shape));
    if (tess__rank(in->shape) > 1) TESS_GOTO(done, status, tess_not_equal(out, &view, &tess_num(1)));
    else TESS_GOTO(done, status, keep_between(out, &view, &labels));
done:
    tess_release(&zeros);
    tess_release(&labels);
    return status;
}

tess_status tess_fill_holes(tess_array *out, const tess_array *in, const tess_fill_holes_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    const char          *fn = "fill_holes";
    tess_fill_holes_opts o;
    const bool           made = out && tess__is_empty_out(out);
    tess_array           number = { .data = NULL };
    tess_status          status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_fill_holes, opts, &o));
    TESS_GOTO(done, status, tess__hold(&number, fn, &in));
    TESS_GOTO(done, status, tess__truth_output(fn, out, in, TESS_BOOL));
    if (tess__has_elements(out)) TESS_GOTO(done, status, fill(out, in, o.full));
done:
    tess_release(&number);
    return made ? tess__finish(tess__error_under(status, fn), out, true) : tess__error_under(status, fn);
}
