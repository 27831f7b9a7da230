/* Scans (prefix sums, products, minima and maxima) along an axis. */
#include "tessera/scan.h"

#include <math.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/array/rows.h"
#include "core/table/table.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the cumulative results; may be the input (in place)"),
    TESS__IN("in", "array to accumulate"),
    TESS__NEED(TESS_ARG_AXIS, "axis", "axis to accumulate along"),
    TESS__FLAG(tess_scan_opts, exclusive, "exclude from each result its own element"),
    TESS__FLAG(tess_scan_opts, reverse, "start from the end of the axis"),
};
TESS__CALL(cumsum, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_cumsum =
    TESS__OP_OPTS(TESS_CUT_BATCHES, cumsum, "scan", "Cumulative sum along an axis.", args, tess_scan_opts);
TESS__CALL(cumprod, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_cumprod =
    TESS__OP_OPTS(TESS_CUT_BATCHES, cumprod, "scan", "Cumulative product along an axis.", args, tess_scan_opts);
TESS__CALL(cummin, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_cummin =
    TESS__OP_OPTS(TESS_CUT_BATCHES, cummin, "scan", "Cumulative minimum along an axis.", args, tess_scan_opts);
TESS__CALL(cummax, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_cummax =
    TESS__OP_OPTS(TESS_CUT_BATCHES, cummax, "scan", "Cumulative maximum along an axis.", args, tess_scan_opts);

static const tess_function_info *const infos[TESS__SCANS] = {
    [TESS__SCAN_SUM] = &tess__info_cumsum,
    [TESS__SCAN_PROD] = &tess__info_cumprod,
    [TESS__SCAN_MIN] = &tess__info_cummin,
    [TESS__SCAN_MAX] = &tess__info_cummax,
};

static bool is_extreme(int op) { return op == TESS__SCAN_MIN || op == TESS__SCAN_MAX; }

static tess_status check_input(int op, const tess_array *in)
{
    const char *fn = infos[op]->name;
    TESS_TRY(tess__check_numbers(fn, "in", in));
    if (is_extreme(op)) TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    return TESS_OK;
}

/* The default dtype of a result. */
static tess_dtype result_dtype(int op, tess_dtype in) { return is_extreme(op) ? in : tess__sum_of(in); }

/* f64 where that is requested for floats. */
static tess_dtype kernel_dtype(int op, tess_dtype result, tess_dtype out)
{
    if (is_extreme(op) || tess_dtype_real(out) != TESS_F64) return result;
    return result == TESS_F32 ? TESS_F64 : result == TESS_C32 ? TESS_C64 : result;
}

/* ---- Results of no elements ---- */

typedef union number {
    int64_t  i64;
    uint64_t u64;
    double   f64[2];
} number;

/* The neutral element, in the widest dtype of its kind, which is returned. */
static tess_dtype neutral_number(number *n, int op, tess_dtype result)
{
    const tess_kind kind = tess_dtype_kind(result);
    const bool      min = op == TESS__SCAN_MAX;
    const int       bits = 8 * (int)tess_dtype_size(result);
    memset(n, 0, sizeof *n);
    if (kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX) {
        n->f64[0] = !is_extreme(op) ? op == TESS__SCAN_PROD : min ? -(double)INFINITY : (double)INFINITY;
        return kind == TESS_KIND_FLOAT ? TESS_F64 : TESS_C64;
    }
    if (!is_extreme(op)) n->i64 = op == TESS__SCAN_PROD;
    else if (kind == TESS_KIND_BOOL) n->i64 = !min;
    else if (kind == TESS_KIND_INT) n->i64 = min ? INT64_MIN >> (64 - bits) : INT64_MAX >> (64 - bits);
    else n->u64 = min ? 0 : UINT64_MAX >> (64 - bits);
    return kind == TESS_KIND_UINT ? TESS_U64 : TESS_I64;
}

static tess_status set_neutral(tess__scan *work, int op, tess_dtype result)
{
    number           n;
    const tess_dtype dtype = tess_dtype_real(neutral_number(&n, op, result));
    work->neutral.size = (int64_t)tess_dtype_size(work->stored[0]);
    memset(work->neutral.bytes, 0, sizeof work->neutral.bytes);
    TESS_TRY(tess__convert(work->neutral.bytes, work->stored[0], &n, dtype));
    return TESS_OK;
}

/* ---- The call ---- */

/* Sums of complex numbers are those of their parts, which become the axis among the dimensions. */
static void split_parts(tess_array *a, int axis)
{
    for (int d = 0; d < 4; d++) a->strides.dim[d] *= 2;
    a->shape.dim[axis] = 2;
    a->strides.dim[axis] = 1;
    a->dtype = tess_dtype_real(a->dtype);
}

static tess_status run(int op, const tess_array *out, const tess_array *in, int axis, const tess_scan_opts *o)
{
    const tess_dtype result = result_dtype(op, in->dtype);
    const bool       parts = op == TESS__SCAN_SUM && tess_dtype_kind(result) == TESS_KIND_COMPLEX;
    tess_array       vectors[2] = { *out, *in };
    tess__scan       work;
    work.name = infos[op]->name;
    work.device = out->device;
    work.op = op;
    work.kernel = kernel_dtype(op, result, out->dtype);
    if (parts) work.kernel = tess_dtype_real(work.kernel);
    work.exclusive = o->exclusive;
    work.in_place = out->data == in->data;
    work.n = in->shape.dim[axis];
    for (int k = 0; k < 2; k++) {
        tess_array   *a = &vectors[k];
        const int64_t stride = a->strides.dim[axis], size = (int64_t)tess_dtype_size(a->dtype);
        if (o->reverse) a->data = (char *)a->data + (work.n - 1) * stride * size;
        work.along[k] = (o->reverse ? -stride : stride) * (parts ? 2 : 1);
        if (parts) split_parts(a, axis);
        else a->shape.dim[axis] = 1;
        work.stored[k] = a->dtype;
    }
    const tess_array *operands[2] = { &vectors[0], &vectors[1] };
    tess__plan(&work.vectors, vectors[0].shape, operands, 2);
    TESS_TRY(set_neutral(&work, op, parts ? tess_dtype_real(result) : result));
    TESS_TRY(tess__scan_run(&work));
    return TESS_OK;
}

/* Vectors are walked in the order of memory, whatever that is, if it is the same for both arrays. */
static tess_status run_in_rows(int op, const tess_array *out, const tess_array *in, int axis, const tess_scan_opts *o)
{
    tess__rows  rows = { .name = infos[op]->name };
    tess_array  to = *out, from = *in;
    tess_status status = TESS_OK;
    if (memcmp(&out->strides, &in->strides, sizeof out->strides) != 0) {
        TESS_GOTO(done, status, tess__rows_read(&rows, &from));
        TESS_GOTO(done, status, tess__rows_write(&rows, &to, false));
    }
    TESS_GOTO(done, status, run(op, &to, &from, axis, o));
done:
    TESS_TRY(tess__rows_end(&rows, status));
    return TESS_OK;
}

static tess_status scan(int op, tess_array *out, const tess_array *in, int axis, const tess_scan_opts *opts)
{
    const char    *fn = infos[op]->name;
    tess_scan_opts o;
    TESS_TRY(tess__resolve(infos[op], opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(op, in));
    TESS_TRY(tess__check_axis(fn, "axis", &axis));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output_like(fn, out, in, result_dtype(op, in->dtype)));
    if (!tess__has_elements(out)) return TESS_OK;
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    TESS_GOTO(done, status, run_in_rows(op, out, in, axis, &o));
done:
    tess_release(&held);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}

tess_status tess_cumsum(tess_array *out, const tess_array *in, int axis, const tess_scan_opts *opts)
{
    TESS_TRY(scan(TESS__SCAN_SUM, out, in, axis, opts));
    return TESS_OK;
}

tess_status tess_cumprod(tess_array *out, const tess_array *in, int axis, const tess_scan_opts *opts)
{
    TESS_TRY(scan(TESS__SCAN_PROD, out, in, axis, opts));
    return TESS_OK;
}

tess_status tess_cummin(tess_array *out, const tess_array *in, int axis, const tess_scan_opts *opts)
{
    TESS_TRY(scan(TESS__SCAN_MIN, out, in, axis, opts));
    return TESS_OK;
}

tess_status tess_cummax(tess_array *out, const tess_array *in, int axis, const tess_scan_opts *opts)
{
    TESS_TRY(scan(TESS__SCAN_MAX, out, in, axis, opts));
    return TESS_OK;
}
