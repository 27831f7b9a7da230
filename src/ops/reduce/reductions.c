/* Reductions over a set of axes. */
#include "core/check/check.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/reduce/reduce.h"
#include "tessera/reduce.h"

/* ---- Descriptions ---- */

#define OUT_ROW TESS__OUT("out", "the results, with size 1 in the reduced axes; any strides")
#define IN_ROW TESS__IN("in", "array to reduce; any strides")
#define AXES_ROW TESS__NEED_REDUCED(0, "axes to reduce; 0 means all")
#define SKIP_ROW(opts) TESS__FLAG(opts, skip_nan, "ignore NaNs")
#define COMPENSATED_ROW(opts) TESS__FLAG(opts, compensated, "compensate the rounding errors of f64 sums")
#define DDOF_ROW(opts)                                                                                                 \
    TESS__OPT_I32(opts, ddof, "", 0, -(double)INT32_MAX, INT32_MAX,                                                    \
                  "subtracted from the number of elements to give the divisor")

static const tess_arg_info sum_args[] = { OUT_ROW, IN_ROW, AXES_ROW, SKIP_ROW(tess_sum_opts),
                                          COMPENSATED_ROW(tess_sum_opts) };
TESS__CALL(sum, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_sum =
    TESS__OP_OPTS(TESS_CUT_BATCHES, sum, "reduce", "Sum over a set of axes.", sum_args, tess_sum_opts);
TESS__CALL(mean, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_mean =
    TESS__OP_OPTS(TESS_CUT_BATCHES, mean, "reduce", "Mean over a set of axes.", sum_args, tess_sum_opts);

static const tess_arg_info plain_args[] = { OUT_ROW, IN_ROW, AXES_ROW, SKIP_ROW(tess_reduce_opts) };
#define PLAIN(name, help)                                                                                              \
    TESS__CALL(name, v[0].out, v[1].in, v[2].i32, opts)                                                                \
    const tess_function_info tess__info_##name =                                                                       \
        TESS__OP_OPTS(TESS_CUT_BATCHES, name, "reduce", help, plain_args, tess_reduce_opts)
PLAIN(prod, "Product over a set of axes.");
PLAIN(min, "Smallest element over a set of axes.");
PLAIN(max, "Largest element over a set of axes.");
PLAIN(logsumexp, "Logarithm of the sum of exponentials over a set of axes.");

static const tess_arg_info var_args[] = { OUT_ROW, IN_ROW, AXES_ROW, DDOF_ROW(tess_var_opts), SKIP_ROW(tess_var_opts) };
TESS__CALL(var, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_var =
    TESS__OP_OPTS(TESS_CUT_BATCHES, var, "reduce", "Variance over a set of axes.", var_args, tess_var_opts);
TESS__CALL(std, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_std =
    TESS__OP_OPTS(TESS_CUT_BATCHES, std, "reduce", "Standard deviation over a set of axes.", var_args, tess_var_opts);

static const tess_arg_info mean_var_args[] = {
    TESS__OUT("mean", "the means"), TESS__OUT("var", "the variances"), IN_ROW, AXES_ROW, DDOF_ROW(tess_var_opts),
    SKIP_ROW(tess_var_opts)
};
TESS__CALL(mean_var, v[0].out, v[1].out, v[2].in, v[3].i32, opts)
const tess_function_info tess__info_mean_var = TESS__OP_OPTS(
    TESS_CUT_BATCHES, mean_var, "reduce", "Mean and variance over a set of axes.", mean_var_args, tess_var_opts);

static const tess_arg_info mean_std_args[] = { TESS__OUT("mean", "the means"),
                                               TESS__OUT("std", "the standard deviations"),
                                               IN_ROW,
                                               AXES_ROW,
                                               DDOF_ROW(tess_var_opts),
                                               SKIP_ROW(tess_var_opts) };
TESS__CALL(mean_std, v[0].out, v[1].out, v[2].in, v[3].i32, opts)
const tess_function_info tess__info_mean_std =
    TESS__OP_OPTS(TESS_CUT_BATCHES, mean_std, "reduce", "Mean and standard deviation over a set of axes.",
                  mean_std_args, tess_var_opts);

static const tess_arg_info minmax_args[] = { TESS__OUT("min", "the smallest elements"),
                                             TESS__OUT("max", "the largest elements"), IN_ROW, AXES_ROW,
                                             SKIP_ROW(tess_reduce_opts) };
TESS__CALL(minmax, v[0].out, v[1].out, v[2].in, v[3].i32, opts)
const tess_function_info tess__info_minmax =
    TESS__OP_OPTS(TESS_CUT_BATCHES, minmax, "reduce", "Smallest and largest element over a set of axes.", minmax_args,
                  tess_reduce_opts);

static const tess_choice orders[] = {
    { "l2", TESS_NORM_L2, "root of the sum of squares" },
    { "l1", TESS_NORM_L1, "sum of magnitudes" },
    { "max", TESS_NORM_MAX, "largest magnitude" },
    { NULL, 0, NULL },
};
static const tess_arg_info norm_args[] = {
    OUT_ROW, IN_ROW, AXES_ROW, TESS__OPT_CHOICE(tess_norm_opts, order, TESS_NORM_L2, orders, "order of the norm"),
    SKIP_ROW(tess_norm_opts)
};
TESS__CALL(norm, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_norm =
    TESS__OP_OPTS(TESS_CUT_BATCHES, norm, "reduce", "Norm over a set of axes.", norm_args, tess_norm_opts);

static const tess_arg_info truth_args[] = { OUT_ROW, IN_ROW, AXES_ROW };
TESS__CALL(any, v[0].out, v[1].in, v[2].i32)
const tess_function_info tess__info_any =
    TESS__OP(TESS_CUT_BATCHES, any, "reduce", "Is any element non-zero, over a set of axes?", truth_args);
TESS__CALL(all, v[0].out, v[1].in, v[2].i32)
const tess_function_info tess__info_all =
    TESS__OP(TESS_CUT_BATCHES, all, "reduce", "Are all elements non-zero, over a set of axes?", truth_args);
TESS__CALL(count_nonzero, v[0].out, v[1].in, v[2].i32)
const tess_function_info tess__info_count_nonzero =
    TESS__OP(TESS_CUT_BATCHES, count_nonzero, "reduce", "Number of non-zero elements over a set of axes.", truth_args);

static const tess_arg_info dot_args[] = { OUT_ROW,
                                          TESS__IN("a", "first factors; broadcast to b"),
                                          TESS__IN("b", "second factors; broadcast to a"),
                                          AXES_ROW,
                                          SKIP_ROW(tess_sum_opts),
                                          COMPENSATED_ROW(tess_sum_opts) };
TESS__CALL(dot, v[0].out, v[1].in, v[2].in, v[3].i32, opts)
const tess_function_info tess__info_dot =
    TESS__OP_OPTS(TESS_CUT_BATCHES, dot, "reduce", "Sum of products over a set of axes.", dot_args, tess_sum_opts);

static const tess_arg_info weighted_args[] = { OUT_ROW, IN_ROW, TESS__IN("weights", "real weights; broadcast to in"),
                                               AXES_ROW };
TESS__CALL(weighted_mean, v[0].out, v[1].in, v[2].in, v[3].i32)
const tess_function_info tess__info_weighted_mean =
    TESS__OP(TESS_CUT_BATCHES, weighted_mean, "reduce", "Weighted mean over a set of axes.", weighted_args);

static const tess_arg_info rmsd_args[] = { OUT_ROW, TESS__IN("a", "first operand; broadcast to b"),
                                           TESS__IN("b", "second operand; broadcast to a"), AXES_ROW };
TESS__CALL(rmsd, v[0].out, v[1].in, v[2].in, v[3].i32)
const tess_function_info tess__info_rmsd =
    TESS__OP(TESS_CUT_BATCHES, rmsd, "reduce", "Root-mean-square difference over a set of axes.", rmsd_args);

static const tess_choice reduction_kinds[] = {
    { "sum", TESS_REDUCE_SUM, "as tess_sum" },
    { "prod", TESS_REDUCE_PROD, "as tess_prod" },
    { "mean", TESS_REDUCE_MEAN, "as tess_mean" },
    { "var", TESS_REDUCE_VAR, "as tess_var" },
    { "std", TESS_REDUCE_STD, "as tess_std" },
    { "norm", TESS_REDUCE_NORM, "as tess_norm, L2" },
    { "min", TESS_REDUCE_MIN, "as tess_min" },
    { "max", TESS_REDUCE_MAX, "as tess_max" },
    { "argmin", TESS_REDUCE_ARGMIN, "as tess_argmin" },
    { "argmax", TESS_REDUCE_ARGMAX, "as tess_argmax" },
    { "any", TESS_REDUCE_ANY, "as tess_any" },
    { "all", TESS_REDUCE_ALL, "as tess_all" },
    { "count_nonzero", TESS_REDUCE_COUNT_NONZERO, "as tess_count_nonzero" },
    { NULL, 0, NULL },
};
static const tess_arg_info reduce_args[] = { { .name = "items",
                                               .help = "kinds of reduction, and arrays for their results",
                                               .unit = "",
                                               .choices = reduction_kinds,
                                               .role = TESS_ROLE_OUT,
                                               .type = TESS_ARG_REDUCTIONS },
                                             IN_ROW,
                                             AXES_ROW,
                                             DDOF_ROW(tess_var_opts),
                                             SKIP_ROW(tess_var_opts) };
TESS__CALL(reduce, v[0].list.of.reductions, (int)v[0].list.n, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_reduce =
    TESS__OP_OPTS(TESS_CUT_BATCHES, reduce, "reduce", "Several reductions in one pass.", reduce_args, tess_var_opts);

/* ---- One input ---- */

typedef struct settings {
    bool    skip_nan, compensated;
    int32_t ddof;
} settings;

/* An output of one reduction; NULL name: not wanted. */
typedef struct output {
    const char *name;
    tess_array *array;
} output;

static tess_status run(tess__reducing *c, int op, const output out[2], settings s)
{
    c->work.skip_nan = s.skip_nan;
    c->work.compensated = s.compensated;
    c->work.ddof = s.ddof;
    const bool  disjoint = out[0].name && out[1].name && tess__reduce_mean_disjoint(c, op);
    tess_status status = tess__reduce_add(c, disjoint ? TESS__R_MEAN : op);
    for (int which = 0; which < 2 && status == TESS_OK; which++) {
        if (which == 1 && disjoint) status = tess__reduce_add(c, op);
        if (out[which].name && status == TESS_OK)
            status = tess__reduce_output(c, which, out[which].name, out[which].array);
    }
    TESS_TRY(tess__reduce_end(c, status));
    return TESS_OK;
}

static tess_status reduce_one(const char *fn, int op, int which, tess_array *out, const tess_array *in, int axes,
                              settings s)
{
    tess__reducing c;
    output         outputs[2] = { { NULL, NULL }, { NULL, NULL } };
    outputs[which] = (output){ "out", out };
    TESS_TRY(tess__reduce_begin(&c, fn, in, axes));
    TESS_TRY(run(&c, op, outputs, s));
    return TESS_OK;
}

tess_status tess_sum(tess_array *out, const tess_array *in, int axes, const tess_sum_opts *opts)
{
    tess_sum_opts o;
    TESS_TRY(tess__resolve(&tess__info_sum, opts, &o));
    TESS_TRY(reduce_one("sum", TESS__R_SUM, 0, out, in, axes, (settings){ o.skip_nan, o.compensated, 0 }));
    return TESS_OK;
}

tess_status tess_mean(tess_array *out, const tess_array *in, int axes, const tess_sum_opts *opts)
{
    tess_sum_opts o;
    TESS_TRY(tess__resolve(&tess__info_mean, opts, &o));
    TESS_TRY(reduce_one("mean", TESS__R_MEAN, 0, out, in, axes, (settings){ o.skip_nan, o.compensated, 0 }));
    return TESS_OK;
}

/* Functions that have no option but skip_nan; `which` is the operation's output that they ask for. */
#define PLAIN_FUNCTION(name, op, which)                                                                                \
    tess_status tess_##name(tess_array *out, const tess_array *in, int axes, const tess_reduce_opts *opts)             \
    {                                                                                                                  \
        tess_reduce_opts o;                                                                                            \
        TESS_TRY(tess__resolve(&tess__info_##name, opts, &o));                                                         \
        TESS_TRY(reduce_one(#name, op, which, out, in, axes, (settings){ o.skip_nan, false, 0 }));                     \
        return TESS_OK;                                                                                                \
    }
PLAIN_FUNCTION(prod, TESS__R_PROD, 0)
PLAIN_FUNCTION(min, TESS__R_MINMAX, 0)
PLAIN_FUNCTION(max, TESS__R_MINMAX, 1)
PLAIN_FUNCTION(logsumexp, TESS__R_LOGSUMEXP, 0)

#define TRUTH_FUNCTION(name, op)                                                                                       \
    tess_status tess_##name(tess_array *out, const tess_array *in, int axes)                                           \
    {                                                                                                                  \
        TESS_TRY(reduce_one(#name, op, 0, out, in, axes, (settings){ false, false, 0 }));                              \
        return TESS_OK;                                                                                                \
    }
TRUTH_FUNCTION(any, TESS__R_ANY)
TRUTH_FUNCTION(all, TESS__R_ALL)
TRUTH_FUNCTION(count_nonzero, TESS__R_COUNT)

#define VAR_FUNCTION(name, op)                                                                                         \
    tess_status tess_##name(tess_array *out, const tess_array *in, int axes, const tess_var_opts *opts)                \
    {                                                                                                                  \
        tess_var_opts o;                                                                                               \
        TESS_TRY(tess__resolve(&tess__info_##name, opts, &o));                                                         \
        TESS_TRY(reduce_one(#name, op, 1, out, in, axes, (settings){ o.skip_nan, false, o.ddof }));                    \
        return TESS_OK;                                                                                                \
    }
VAR_FUNCTION(var, TESS__R_VAR)
VAR_FUNCTION(std, TESS__R_STD)

static tess_status reduce_both(const char *fn, int op, const output out[2], const tess_array *in, int axes, settings s)
{
    tess__reducing c;
    TESS_TRY(tess__reduce_begin(&c, fn, in, axes));
    TESS_TRY(run(&c, op, out, s));
    return TESS_OK;
}

tess_status tess_mean_var(tess_array *mean, tess_array *var, const tess_array *in, int axes, const tess_var_opts *opts)
{
    tess_var_opts o;
    const output  out[2] = { { "mean", mean }, { "var", var } };
    TESS_TRY(tess__resolve(&tess__info_mean_var, opts, &o));
    TESS_TRY(reduce_both("mean_var", TESS__R_VAR, out, in, axes, (settings){ o.skip_nan, false, o.ddof }));
    return TESS_OK;
}

tess_status tess_mean_std(tess_array *mean, tess_array *std, const tess_array *in, int axes, const tess_var_opts *opts)
{
    tess_var_opts o;
    const output  out[2] = { { "mean", mean }, { "std", std } };
    TESS_TRY(tess__resolve(&tess__info_mean_std, opts, &o));
    TESS_TRY(reduce_both("mean_std", TESS__R_STD, out, in, axes, (settings){ o.skip_nan, false, o.ddof }));
    return TESS_OK;
}

tess_status tess_minmax(tess_array *min, tess_array *max, const tess_array *in, int axes, const tess_reduce_opts *opts)
{
    tess_reduce_opts o;
    const output     out[2] = { { "min", min }, { "max", max } };
    TESS_TRY(tess__resolve(&tess__info_minmax, opts, &o));
    TESS_TRY(reduce_both("minmax", TESS__R_MINMAX, out, in, axes, (settings){ o.skip_nan, false, 0 }));
    return TESS_OK;
}

tess_status tess_norm(tess_array *out, const tess_array *in, int axes, const tess_norm_opts *opts)
{
    tess_norm_opts o;
    TESS_TRY(tess__resolve(&tess__info_norm, opts, &o));
    const int op = o.order == TESS_NORM_L1    ? TESS__R_NORM_L1
                   : o.order == TESS_NORM_MAX ? TESS__R_NORM_MAX
                                              : TESS__R_NORM_L2;
    TESS_TRY(reduce_one("norm", op, 0, out, in, axes, (settings){ o.skip_nan, false, 0 }));
    return TESS_OK;
}

/* ---- Two inputs ---- */

static tess_status reduce_two(const char *fn, int op, tess_array *out, const tess_array *a, const tess_array *b,
                              int axes, settings s)
{
    tess__reducing    c;
    const bool        weighted = op == TESS__R_WEIGHTED_MEAN;
    const char *const names[2] = { weighted ? "in" : "a", weighted ? "weights" : "b" };
    const output      outputs[2] = { { "out", out }, { NULL, NULL } };
    TESS_TRY(tess__reduce_begin_two(&c, fn, names, a, b, axes, weighted));
    TESS_TRY(run(&c, op, outputs, s));
    return TESS_OK;
}

tess_status tess_dot(tess_array *out, const tess_array *a, const tess_array *b, int axes, const tess_sum_opts *opts)
{
    tess_sum_opts o;
    TESS_TRY(tess__resolve(&tess__info_dot, opts, &o));
    TESS_TRY(reduce_two("dot", TESS__R_DOT, out, a, b, axes, (settings){ o.skip_nan, o.compensated, 0 }));
    return TESS_OK;
}

tess_status tess_weighted_mean(tess_array *out, const tess_array *in, const tess_array *weights, int axes)
{
    TESS_TRY(reduce_two("weighted_mean", TESS__R_WEIGHTED_MEAN, out, in, weights, axes, (settings){ false, false, 0 }));
    return TESS_OK;
}

tess_status tess_rmsd(tess_array *out, const tess_array *a, const tess_array *b, int axes)
{
    TESS_TRY(reduce_two("rmsd", TESS__R_RMSD, out, a, b, axes, (settings){ false, false, 0 }));
    return TESS_OK;
}

/* ---- Fused reductions ---- */

static const struct {
    int op, which;
} kinds[] = {
    [TESS_REDUCE_SUM] = { TESS__R_SUM, 0 },
    [TESS_REDUCE_PROD] = { TESS__R_PROD, 0 },
    [TESS_REDUCE_MEAN] = { TESS__R_MEAN, 0 },
    [TESS_REDUCE_VAR] = { TESS__R_VAR, 1 },
    [TESS_REDUCE_STD] = { TESS__R_STD, 1 },
    [TESS_REDUCE_NORM] = { TESS__R_NORM_L2, 0 },
    [TESS_REDUCE_MIN] = { TESS__R_MINMAX, 0 },
    [TESS_REDUCE_MAX] = { TESS__R_MINMAX, 1 },
    [TESS_REDUCE_ARGMIN] = { TESS__R_ARGMIN, 0 },
    [TESS_REDUCE_ARGMAX] = { TESS__R_ARGMAX, 0 },
    [TESS_REDUCE_ANY] = { TESS__R_ANY, 0 },
    [TESS_REDUCE_ALL] = { TESS__R_ALL, 0 },
    [TESS_REDUCE_COUNT_NONZERO] = { TESS__R_COUNT, 0 },
};

static tess_status add_item(tess__reducing *c, const tess_reduction *item, int i)
{
    static const char *const names[TESS__MAX_REDUCTIONS] = { "items[0].out", "items[1].out", "items[2].out",
                                                             "items[3].out", "items[4].out", "items[5].out",
                                                             "items[6].out", "items[7].out" };
    const int                max = (int)(sizeof kinds / sizeof *kinds) - 1;
    TESS_CHECK(item->kind >= 1 && item->kind <= max, TESS_EARG,
               "reduce: `items`[%d].kind is %d; a tess_reduction_kind from 1 (sum) to %d (count_nonzero) is needed", i,
               (int)item->kind, max);
    TESS_TRY(tess__reduce_add(c, kinds[item->kind].op));
    TESS_TRY(tess__reduce_output(c, kinds[item->kind].which, names[i], item->out));
    return TESS_OK;
}

tess_status tess_reduce(const tess_reduction *items, int n, const tess_array *in, int axes, const tess_var_opts *opts)
{
    tess_var_opts  o;
    tess__reducing c;
    TESS_TRY(tess__resolve(&tess__info_reduce, opts, &o));
    TESS_CHECK(n >= 1 && n <= TESS__MAX_REDUCTIONS, TESS_ERANGE, "reduce: `n` is %d; 1 to %d is allowed", n,
               TESS__MAX_REDUCTIONS);
    TESS_TRY(tess__check_pointer("reduce", "items", items));
    TESS_TRY(tess__reduce_begin(&c, "reduce", in, axes));
    c.work.skip_nan = o.skip_nan;
    c.work.ddof = o.ddof;
    tess_status status = TESS_OK;
    for (int i = 0; i < n && status == TESS_OK; i++) status = add_item(&c, &items[i], i);
    TESS_TRY(tess__reduce_end(&c, status));
    return TESS_OK;
}
