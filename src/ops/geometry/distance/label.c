/* Connected component labelling: checks, and a request for the numbers of the components. */
#include <inttypes.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/array/layout.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/geometry/distance/label.h"
#include "ops/geometry/distance/truth.h"
#include "tessera/distance.h"
#include "tessera/reduce.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "component index of each element, from 1; 0: background"),
    TESS__IN("in", "a mask: elements equal to 0 are background"),
    TESS__OPT_ARRAY(tess_label_opts, counts, tess_array *, "receives the number of components of each batch",
                    .axes = "B,1,1,1"),
    TESS__FLAG(tess_label_opts, full, "connect neighbours across edges and corners too"),
};
TESS__CALL(label, v[0].out, v[1].in, opts)
const tess_function_info tess__info_label = TESS__OP_OPTS(
    TESS_CUT_BATCHES, label, "distance", "Label the connected components of a mask.", args, tess_label_opts);

tess_status tess__put_labels(tess_array *out, const char *fn, const tess_array *labels)
{
    const int      bits = 8 * (int)tess_dtype_size(out->dtype);
    const bool     is_signed = tess_dtype_kind(out->dtype) == TESS_KIND_INT;
    const uint64_t largest = is_signed ? (uint64_t)(INT64_MAX >> (64 - bits)) : UINT64_MAX >> (64 - bits);
    const int64_t  smallest = is_signed ? -(INT64_MAX >> (64 - bits)) - 1 : 0;
    uint64_t       most = 0;
    int64_t        least = 0, positive = 0;
    if (tess_dtype_kind(labels->dtype) == TESS_KIND_UINT) TESS_TRY(tess_host_max_uint(&most, labels));
    else {
        TESS_TRY(tess_host_max_int(&positive, labels));
        TESS_TRY(tess_host_min_int(&least, labels));
        most = positive > 0 ? (uint64_t)positive : 0;
    }
    TESS_CHECK(most <= largest, TESS_ERANGE, "%s: `out` is %s, which cannot hold the label %" PRIu64 "; %s can hold it",
               fn, tess_dtype_name(out->dtype), most,
               most <= INT32_MAX   ? "i32"
               : most <= INT64_MAX ? "i64"
                                   : "u64");
    TESS_CHECK(least >= smallest, TESS_ERANGE,
               "%s: `out` is %s, which cannot hold the label %" PRId64 "; %s can hold it", fn,
               tess_dtype_name(out->dtype), least, least >= INT32_MIN ? "i32" : "i64");
    TESS_TRY(tess_cast(out, labels, out->dtype, NULL));
    return TESS_OK;
}

tess_status tess__label_run(tess_array *out, tess_array *counts, const char *fn, const tess_array *truth, bool full)
{
    const bool  suits = out->dtype == TESS_I32 || out->dtype == TESS_I64;
    tess_array  wide = { .data = NULL }, counted = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__has_elements(out)) {
        if (counts) TESS_TRY(tess_fill(counts, 0));
        return TESS_OK;
    }
    if (!suits) TESS_GOTO(done, status, tess__make(fn, &wide, out->shape, TESS_I64, out->device, false));
    if (counts) TESS_GOTO(done, status, tess__make(fn, &counted, counts->shape, TESS_I64, counts->device, false));
    const tess__components work = {
        .name = fn, .out = suits ? *out : wide, .counts = counted, .in = *truth, .full = full
    };
    TESS_GOTO(done, status, tess__components_run(&work));
    if (!suits) TESS_GOTO(done, status, tess__put_labels(out, fn, &wide));
    if (counts) TESS_GOTO(done, status, tess_cast(counts, &counted, counts->dtype, NULL));
done:
    tess_release(&wide);
    tess_release(&counted);
    return status;
}

static tess_status check_counts(tess_array *counts, const tess_array *out, const tess_array *in)
{
    if (!counts) return TESS_OK;
    const bool       made = !tess__is_empty_out(counts);
    const tess_dtype dtype = made ? counts->dtype : TESS_I64;
    TESS_TRY(tess__output_named("label", "opts->counts", counts, TESS_SHAPE(in->shape.b, 1, 1, 1), dtype, in->device));
    TESS_TRY(tess__check_converts("label", "opts->counts", counts, TESS_I64));
    if (!made) return TESS_OK;
    TESS_TRY(tess__check_disjoint("label", "opts->counts", counts, "out", out));
    TESS_TRY(tess__check_disjoint("label", "opts->counts", counts, "in", in));
    return TESS_OK;
}

static tess_status run(tess_array *out, const tess_array *in, const tess_label_opts *o)
{
    tess_array        held = { .data = NULL };
    const tess_array *truth;
    tess_status       status = TESS_OK;
    TESS_TRY(tess__truth_output("label", out, in, TESS_I32));
    const tess_kind kind = tess_dtype_kind(out->dtype);
    TESS_CHECK(kind == TESS_KIND_INT || kind == TESS_KIND_UINT, TESS_EDTYPE, "label: `out` is %s; integers are needed",
               tess_dtype_name(out->dtype));
    TESS_TRY(check_counts(o->counts, out, in));
    TESS_GOTO(done, status, tess__truth_of(&truth, &held, in));
    TESS_GOTO(done, status, tess__label_run(out, o->counts, "label", truth, o->full));
done:
    tess_release(&held);
    return status;
}

tess_status tess_label(tess_array *out, const tess_array *in, const tess_label_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_label_opts o;
    TESS_TRY(tess__resolve(&tess__info_label, opts, &o));
    const bool  made = out && tess__is_empty_out(out), counted = o.counts && tess__is_empty_out(o.counts);
    tess_array  number = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&number, "label", &in));
    TESS_GOTO(done, status, run(out, in, &o));
done:
    tess_release(&number);
    status = tess__error_under(status, "label");
    if (counted) status = tess__finish(status, o.counts, true);
    return made ? tess__finish(status, out, true) : status;
}
