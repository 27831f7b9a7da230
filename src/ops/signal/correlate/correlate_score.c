/* Correlation scores: weighted inner products and correlation coefficients, one for each batch. */
#include "core/array/broadcast.h"
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/check/output.h"
#include "core/check/outputs.h"
#include "core/table/registry.h"
#include "ops/op/library.h"
#include "ops/signal/correlate/correlate.h"
#include "tessera/ewise.h"
#include "tessera/op.h"
#include "tessera/scalar.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "one score per batch, {b,1,1,1}; f64, or c64 for complex arrays, if newly allocated",
              .axes = "B,1,1,1"),
    TESS__IN("lhs", "numbers"),
    TESS__IN("rhs", "numbers; lhs and rhs broadcast to each other"),
    TESS__OPT_FLAGGED_ARRAY(tess_correlate_score_opts, weights, TESS_ARG_PER_BATCH,
                            "real weight of each element; broadcasts to lhs and rhs"),
    TESS__FLAG(tess_correlate_score_opts, centre, "subtract the mean of each array"),
    TESS__FLAG(tess_correlate_score_opts, normalize, "divide by the norms of both arrays"),
};
TESS__CALL(correlate_score, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_correlate_score =
    TESS__OP_OPTS(TESS_CUT_BATCHES, correlate_score, "correlate", "Correlation score of two arrays, per batch.", args,
                  tess_correlate_score_opts, .work_bytes = 48);

#include "ops/signal/correlate/correlate_score.def"

/* The operators of a dtype. */
typedef struct score_ops {
    tess_op_def *mean, *sums, *ratio;
    tess_dtype   result;
} score_ops;

static score_ops ops_of(tess_dtype dtype)
{
    static const score_ops ops[] = {
        [TESS_F32] = { &score_mean_f32, &score_sums_f32, &score_ratio_f64, TESS_F64 },
        [TESS_F64] = { &score_mean_f64, &score_sums_f64, &score_ratio_f64, TESS_F64 },
        [TESS_C32] = { &score_mean_c32, &score_sums_c32, &score_ratio_c64, TESS_C64 },
        [TESS_C64] = { &score_mean_c64, &score_sums_c64, &score_ratio_c64, TESS_C64 },
    };
    return ops[dtype];
}

/* Temporary arrays, all to be released. */
typedef struct score {
    score_ops  ops;
    tess_array in[2], weights, mean[2];
    tess_array both, left, right, ratio;
} score;

static void release(score *s)
{
    tess_array *all[] = { &s->in[0], &s->in[1], &s->weights, &s->mean[0], &s->mean[1],
                          &s->both,  &s->left,  &s->right,   &s->ratio };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) tess_release(all[k]);
}

/* Do the elements of each batch, as many as those of `shape`, follow each other, or is there but one? */
static bool is_in_order(const tess_array *a, const tess_shape *shape)
{
    const int64_t n = shape->d * shape->h * shape->w, step = a->strides.b < 0 ? -a->strides.b : a->strides.b;
    tess_array    one = *a;
    one.shape.b = 1;
    if (tess_n_elements(&one) == 1) return true;
    return tess_n_elements(&one) == n && tess_is_contiguous(&one, 'C') && (a->shape.b == 1 || step == 0 || step >= n);
}

/* The array itself, or a copy in the dtype that is computed in. Reductions by operators add in an order that follows
 * the layout: so that scores do not, all arrays have the same. */
static tess_status convert(tess_array *to, const tess_array *in, tess_dtype dtype, const tess_shape *shape)
{
    const bool in_order = in->flags & TESS_SCALAR || is_in_order(in, shape);
    tess_array view = *in;
    if (!in_order) TESS_TRY(tess_broadcast(&view, in, TESS_SHAPE(in->shape.b, shape->d, shape->h, shape->w)));
    if (!in_order || in->dtype != dtype || in->flags & TESS_SCALAR) {
        TESS_TRY(tess_cast(to, &view, dtype, NULL));
        return TESS_OK;
    }
    *to = *in;
    TESS_TRY(tess_retain(to));
    return TESS_OK;
}

static tess_status make_means(score *s, bool centre, tess_device device)
{
    for (int k = 0; k < 2; k++) {
        TESS_TRY(tess__make("correlate_score", &s->mean[k], TESS_SHAPE(centre ? s->in[k].shape.b : 1, 1, 1, 1),
                            s->ops.result, device, !centre));
        if (!centre) continue;
        tess_array  weights = s->weights;
        const bool  single = weights.shape.b > s->in[k].shape.b;
        tess_array *mean = &s->mean[k];
        if (single) { /* one array, and weights for each batch: so are its means */
            tess_release(mean);
            TESS_TRY(tess__make("correlate_score", mean, TESS_SHAPE(weights.shape.b, 1, 1, 1), s->ops.result, device,
                                false));
        }
        TESS_TRY(tess_call(s->ops.mean, &s->in[k], &weights, mean));
    }
    return TESS_OK;
}

static tess_status run(tess_array *out, const tess_array *lhs, const tess_array *rhs, const tess_shape *shape,
                       const tess_correlate_score_opts *o)
{
    const tess_dtype  dtype = tess__correlate_dtype(lhs->dtype, rhs->dtype);
    const tess_array *weights = o->weights ? o->weights : &tess_f64(1);
    score             s = { .ops = ops_of(dtype) };
    tess_status       status = TESS_OK;
    TESS_GOTO(done, status, convert(&s.in[0], lhs, dtype, shape));
    TESS_GOTO(done, status, convert(&s.in[1], rhs, dtype, shape));
    TESS_GOTO(done, status, tess_full(&s.weights, TESS_SHAPE(1, 1, 1, 1), TESS_F64, out->device, 1));
    if (weights->flags & TESS_SCALAR) { /* of the host: it becomes one of the device */
        TESS_GOTO(done, status, tess_cast(&s.weights, weights, TESS_F64, NULL));
    } else {
        tess_release(&s.weights);
        TESS_GOTO(done, status, convert(&s.weights, weights, TESS_F64, shape));
    }
    TESS_GOTO(done, status, make_means(&s, o->centre, out->device));
    TESS_GOTO(done, status, tess__make("correlate_score", &s.both, out->shape, s.ops.result, out->device, false));
    TESS_GOTO(done, status, tess__make("correlate_score", &s.left, out->shape, TESS_F64, out->device, false));
    TESS_GOTO(done, status, tess__make("correlate_score", &s.right, out->shape, TESS_F64, out->device, false));
    TESS_GOTO(
        done, status,
        tess_call(s.ops.sums, &s.in[0], &s.in[1], &s.weights, &s.mean[0], &s.mean[1], &s.both, &s.left, &s.right));
    if (o->normalize) TESS_GOTO(done, status, tess_call(s.ops.ratio, &s.both, &s.left, &s.right, &s.ratio));
    TESS_GOTO(done, status, tess_cast(out, o->normalize ? &s.ratio : &s.both, out->dtype, NULL));
done:
    release(&s);
    return status;
}

static tess_status check_weights(const tess_array *weights, const tess_array *lhs, const tess_shape *shape)
{
    TESS_TRY(tess__check_numbers("correlate_score", "opts->weights", weights));
    TESS_TRY(tess__check_real("correlate_score", "opts->weights", weights));
    TESS_TRY(tess__check_broadcast("correlate_score", "opts->weights", weights, "lhs and rhs", shape));
    if (!(weights->flags & TESS_SCALAR))
        TESS_TRY(tess__check_device_of("correlate_score", "lhs", lhs, "opts->weights", weights));
    return TESS_OK;
}

tess_status tess_correlate_score(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                 const tess_correlate_score_opts *opts)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    static const char *const  names[2] = { "lhs", "rhs" };
    tess_correlate_score_opts o;
    tess_shape                shape;
    const char               *fn = "correlate_score";
    TESS_TRY(tess__resolve(&tess__info_correlate_score, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "lhs", lhs));
    TESS_TRY(tess__check_numbers(fn, "rhs", rhs));
    TESS_TRY(tess__common_shape(&shape, fn, names, (const tess_array *const[]){ lhs, rhs }, 2));
    TESS_TRY(tess__check_device_of(fn, "lhs", lhs, "rhs", rhs));
    if (o.weights) TESS_TRY(check_weights(o.weights, lhs, &shape));
    const tess_dtype result = ops_of(tess__correlate_dtype(lhs->dtype, rhs->dtype)).result;
    const bool       made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, TESS_SHAPE(shape.b, 1, 1, 1), made ? result : out->dtype, lhs->device));
    if (!made) {
        TESS_TRY(tess__check_converts(fn, "out", out, result));
        TESS_TRY(tess__check_overlap(fn, out, "lhs", lhs, false));
        TESS_TRY(tess__check_overlap(fn, out, "rhs", rhs, false));
        TESS_TRY(tess__check_apart(fn, "out", out, "opts->weights", o.weights));
    }
    tess_status status = TESS_OK;
    if (tess__has_elements(out)) TESS_GOTO(done, status, run(out, lhs, rhs, &shape, &o));
done:
    return tess__finish(tess__error_under(status, fn), out, made);
}
