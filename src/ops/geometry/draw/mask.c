/* Masks of maps: a threshold, growth by a distance, and a raised-cosine edge, through the distance transform. */
#include <math.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/array/layout.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/geometry/distance/label.h"
#include "ops/geometry/distance/truth.h"
#include "tessera/distance.h"
#include "tessera/ewise.h"
#include "tessera/op.h"
#include "tessera/reduce.h"
#include "tessera/scalar.h"

enum { AXES = TESS_D | TESS_H | TESS_W };

static const tess_arg_info args[] = {
    TESS__OUT("out", "the mask; may be the input itself"),
    TESS__IN("in", "a map of real numbers"),
    TESS__NEED(TESS_ARG_F64, "threshold", "elements of at least this value are inside the mask"),
    TESS__OPT_F64(tess_mask_create_opts, extend, "pixels", 0, -1e9, 1e9,
                  "distance by which the mask grows; negative: shrinks"),
    TESS__OPT_F64(tess_mask_create_opts, width, "pixels", 0, 0, 1e9, "width of the soft edge outside the mask"),
    TESS__FLAG(tess_mask_create_opts, keep_largest, "keep only the largest connected component"),
    TESS__FLAG(tess_mask_create_opts, inverted, "write one minus the mask"),
};
TESS__CALL(mask_create, v[0].out, v[1].in, v[2].f64, opts)
const tess_function_info tess__info_mask_create =
    TESS__OP_OPTS(TESS_CUT_BATCHES, mask_create, "distance", "Create a soft-edged mask from a map and a threshold.",
                  args, tess_mask_create_opts);

/* clang-format off */
#define EDGE(name, Q, T)                                                                                               \
    TESS_EWISE(name, (in(Q,q), val(f64,extend), val(f64,width), val(f64,a), val(f64,b), out(T,z)),                     \
        f64 q2 = (f64)q;                                                                                               \
        f64 beyond = tessm_sqrt(q2) - extend;                                                                          \
        f64 t = width > 0.0 && beyond < width ? beyond/width : 1.0;                                                    \
        f64 soft = 0.5 + 0.5*tessm_cos(3.14159265358979323846*t);                                                      \
        f64 m = q2 <= extend*extend ? 1.0 : t >= 1.0 ? 0.0 : soft;                                                     \
        z = (T)(a + b*m); )
EDGE(mask_edge_f32, f32, f32)
EDGE(mask_edge_f64, f32, f64)
EDGE(mask_edge_far_f32, f64, f32)
EDGE(mask_edge_far_f64, f64, f64)
#undef EDGE
/* clang-format on */

/* Keeps the largest component of each batch; of equal ones the first. */
static tess_status keep_largest(tess_array *truth)
{
    const tess_shape s = truth->shape;
    tess_array       labels = { .data = NULL }, sizes = { .data = NULL }, best = { .data = NULL };
    int64_t          n = 0;
    tess_status      status = TESS_OK;
    TESS_TRY(tess__make("mask_create", &labels, s, TESS_I32, truth->device, false));
    TESS_GOTO(done, status, tess__label_run(&labels, NULL, "mask_create", truth, false));
    TESS_GOTO(done, status, tess_host_max_int(&n, &labels));
    if (n < 2) goto done;
    const tess_histogram_opts bins = { .low = 0.5, .high = (double)n + 0.5 };
    TESS_GOTO(done, status, tess_histogram(&sizes, &labels, n, AXES, &bins));
    TESS_GOTO(done, status, tess_argmax(&best, &sizes, AXES, NULL));
    TESS_GOTO(done, status, tess_add(&best, &best, &tess_num(1)));
    TESS_GOTO(done, status, tess_equal(truth, &labels, &best));
done:
    tess_release(&labels);
    tess_release(&sizes);
    tess_release(&best);
    return status;
}

static tess_status find_truth(tess_array *truth, const tess_array *in, double threshold, const tess_mask_create_opts *o)
{
    TESS_TRY(tess_greater_equal(truth, in, &tess_f64(threshold)));
    if (o->keep_largest) TESS_TRY(keep_largest(truth));
    if (o->extend < 0) TESS_TRY(tess_erode(truth, truth, -o->extend));
    return TESS_OK;
}

/* The mask of truth values as f32 or f64. */
static tess_status fade(tess_array *out, const tess_array *truth, const tess_mask_create_opts *o)
{
    const double       extend = o->extend > 0 ? o->extend : 0, a = o->inverted ? 1 : 0, b = o->inverted ? -1 : 1;
    const bool         is_far = tess__distance_dtype(extend + o->width) == TESS_F64, is_double = out->dtype == TESS_F64;
    tess_op_def *const op =
        is_far ? (is_double ? &mask_edge_far_f64 : &mask_edge_far_f32) : (is_double ? &mask_edge_f64 : &mask_edge_f32);
    tess_array  squares = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__make("mask_create", &squares, truth->shape, is_far ? TESS_F64 : TESS_F32, truth->device, false));
    TESS_GOTO(done, status, tess__distance_squares(&squares, "mask_create", truth, true));
    TESS_GOTO(done, status, tess_call(op, &squares, extend, o->width, a, b, out));
done:
    tess_release(&squares);
    return status;
}

/* Results of other dtypes are rounded from f32. */
static tess_status fade_and_round(tess_array *out, const tess_array *truth, const tess_mask_create_opts *o)
{
    tess_array  mask = { .data = NULL };
    tess_status status = TESS_OK;
    if (out->dtype == TESS_F32 || out->dtype == TESS_F64) return fade(out, truth, o);
    TESS_TRY(tess__make("mask_create", &mask, out->shape, TESS_F32, out->device, false));
    TESS_GOTO(done, status, fade(&mask, truth, o));
    if (out->dtype != TESS_F16) TESS_GOTO(done, status, tess_rint(&mask, &mask));
    TESS_GOTO(done, status, tess_cast(out, &mask, out->dtype, NULL));
done:
    tess_release(&mask);
    return status;
}

static tess_status run(tess_array *out, const tess_array *in, double threshold, const tess_mask_create_opts *o)
{
    tess_array  truth = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_TRY(tess__truth_output("mask_create", out, in, TESS_F32));
    if (!tess__has_elements(out)) return TESS_OK;
    TESS_GOTO(done, status, find_truth(&truth, in, threshold, o));
    TESS_GOTO(done, status, fade_and_round(out, &truth, o));
done:
    tess_release(&truth);
    return status;
}

tess_status tess_mask_create(tess_array *out, const tess_array *in, double threshold, const tess_mask_create_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_mask_create_opts o;
    TESS_TRY(tess__resolve(&tess__info_mask_create, opts, &o));
    TESS_CHECK(!isnan(threshold), TESS_ERANGE, "mask_create: `threshold` is NaN; it must be a number");
    const bool  made = out && tess__is_empty_out(out);
    tess_array  number = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&number, "mask_create", &in));
    TESS_GOTO(done, status, run(out, in, threshold, &o));
done:
    tess_release(&number);
    status = tess__error_under(status, "mask_create");
    return made ? tess__finish(status, out, true) : status;
}
