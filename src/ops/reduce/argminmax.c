/* Index of the smallest and largest element over a set of axes: the first of equals, or the last one. */
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/op/op.h"
#include "ops/reduce/reduce.h"
#include "tessera/op.h"
#include "tessera/reduce.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the indices, with size 1 in the reduced axes; any strides"),
    TESS__IN("in", "array to reduce; any strides"),
    TESS__NEED_REDUCED(0, "axes to reduce; 0 means all"),
    TESS__FLAG(tess_argmin_opts, skip_nan, "ignore NaNs"),
    TESS__FLAG(tess_argmin_opts, last, "index of the last of equal elements instead of the first"),
};
TESS__CALL(argmin, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_argmin = TESS__OP_OPTS(
    TESS_CUT_BATCHES, argmin, "reduce", "Index of the smallest element over a set of axes.", args, tess_argmin_opts);
TESS__CALL(argmax, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_argmax = TESS__OP_OPTS(
    TESS_CUT_BATCHES, argmax, "reduce", "Index of the largest element over a set of axes.", args, tess_argmin_opts);

typedef struct request {
    const char      *fn;
    int              op;
    tess_argmin_opts opts;
} request;

static tess_status find_first(tess__reducing *c, const request *r, tess_array *out)
{
    c->work.skip_nan = r->opts.skip_nan;
    tess_status status = tess__reduce_add(c, r->op);
    if (status == TESS_OK) status = tess__reduce_output(c, 0, "out", out);
    TESS_TRY(tess__reduce_end(c, status));
    return TESS_OK;
}

/* ---- The last one ---- */

/* -1, where all are NaN, stays. */
static tess__kept_op from_the_end = {
    "op from_the_end(inout i64 index, val i64 max) { index = index < 0 ? index : max - index; }", NULL
};

/* Indices of the first ones in the opposite order, counted from the other end, and converted to those of `out`. */
static tess_status reduce_reversed(tess__reducing *c, const tess_array *out)
{
    tess_array     indices = { .data = NULL };
    int64_t        max = -1;
    tess_status    status = TESS_OK;
    const tess_op *op = NULL;
    TESS_TRY(tess__op_kept(&op, &from_the_end));
    TESS_TRY(tess__make(c->work.name, &indices, c->result, TESS_I64, out->device, false));
    c->work.item[0].out[0] = indices;
    max += tess__elements(&c->work.in[0]) / tess__elements(&indices);
    const tess_bind binds[] = { tess__bind_array(&indices), tess__bind_i64(max) };
    TESS_GOTO(done, status, tess__reduce_end(c, TESS_OK));
    TESS_GOTO(done, status, tess_run(op, binds, 2, NULL));
    tess_array to = *out;
    TESS_GOTO(done, status, tess_cast(&to, &indices, TESS_DTYPE_NONE, NULL));
done:
    tess_release(&indices);
    return status;
}

static tess_status find_last(tess__reducing *c, const request *r, tess_array *out)
{
    const bool made = out && tess__is_empty_out(out);
    c->work.skip_nan = r->opts.skip_nan;
    TESS_TRY(tess__reduce_add(c, r->op));
    TESS_TRY(tess__reduce_output(c, 0, "out", out));
    c->n_made = 0; /* what was made is released here */
    if (!tess__has_elements(out)) return TESS_OK;
    const tess_array in = c->work.in[0];
    tess_status      status = TESS_OK;
    TESS_GOTO(done, status, tess_reverse(&c->work.in[0], &in, c->work.axes));
    TESS_GOTO(done, status, reduce_reversed(c, out));
done:
    return tess__finish(tess__error_under(status, r->fn), out, made);
}

static tess_status find(tess_array *out, const tess_array *in, int axes, const request *r)
{
    tess__reducing c;
    TESS_TRY(tess__reduce_begin(&c, r->fn, in, axes));
    if (r->opts.last) TESS_TRY(find_last(&c, r, out));
    else TESS_TRY(find_first(&c, r, out));
    return TESS_OK;
}

tess_status tess_argmin(tess_array *out, const tess_array *in, int axes, const tess_argmin_opts *opts)
{
    request r = { .fn = "argmin", .op = TESS__R_ARGMIN };
    TESS_TRY(tess__resolve(&tess__info_argmin, opts, &r.opts));
    TESS_TRY(find(out, in, axes, &r));
    return TESS_OK;
}

tess_status tess_argmax(tess_array *out, const tess_array *in, int axes, const tess_argmin_opts *opts)
{
    request r = { .fn = "argmax", .op = TESS__R_ARGMAX };
    TESS_TRY(tess__resolve(&tess__info_argmax, opts, &r.opts));
    TESS_TRY(find(out, in, axes, &r));
    return TESS_OK;
}
