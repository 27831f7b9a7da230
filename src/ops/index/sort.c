/* Sort, argsort, partition and top-k of vectors along an axis: checks and request. */
#include <inttypes.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "tessera/order.h"

/* ---- Descriptions ---- */

#define IN_ROW TESS__IN("in", "real numbers; any strides")
#define AXIS_ROW TESS__NEED(TESS_ARG_AXIS, "axis", "axis to sort along")

static const tess_arg_info sort_args[] = { TESS__OUT("out", "the sorted elements; may be the input (in place)"), IN_ROW,
                                           AXIS_ROW,
                                           TESS__FLAG(tess_sort_opts, descending, "sort in descending order") };
TESS__CALL(sort, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_sort =
    TESS__OP_OPTS(TESS_CUT_BATCHES, sort, "order", "Sort elements along an axis.", sort_args, tess_sort_opts);

static const tess_arg_info argsort_args[] = {
    TESS__OUT("out", "the indices, i64 or an integer type that can hold them"), IN_ROW, AXIS_ROW,
    TESS__FLAG(tess_sort_opts, descending, "sort in descending order")
};
TESS__CALL(argsort, v[0].out, v[1].in, v[2].i32, opts)
const tess_function_info tess__info_argsort = TESS__OP_OPTS(
    TESS_CUT_BATCHES, argsort, "order", "Indices that would sort along an axis.", argsort_args, tess_sort_opts);

static const tess_arg_info partition_args[] = {
    TESS__OUT("out", "the partitioned elements; may be the input (in place)"),
    IN_ROW,
    TESS__NEED(TESS_ARG_I64, "kth", "index of the element between the parts; negative from the end"),
    AXIS_ROW,
};
TESS__CALL(partition, v[0].out, v[1].in, v[2].i64, v[3].i32)
const tess_function_info tess__info_partition = TESS__OP(
    TESS_CUT_BATCHES, partition, "order", "Partition elements along an axis around the k-th smallest.", partition_args);

static const tess_arg_info topk_args[] = {
    TESS__OUT_OPTIONAL("values", "the elements, the largest first; may be NULL"),
    TESS__OUT_OPTIONAL("indices", "their indices, i64 or an integer type that can hold them; may be NULL"),
    IN_ROW,
    TESS__NEED(TESS_ARG_I64, "k", "number of elements to select along the axis"),
    AXIS_ROW,
    TESS__FLAG(tess_topk_opts, smallest, "select the smallest instead, the smallest first"),
};
TESS__CALL(topk, v[0].out, v[1].out, v[2].in, v[3].i64, v[4].i32, opts)
const tess_function_info tess__info_topk =
    TESS__OP_OPTS(TESS_CUT_BATCHES, topk, "order", "Select the largest elements along an axis, and their indices.",
                  topk_args, tess_topk_opts);

/* ---- Checks ---- */

static tess_status check_input(const char *fn, const tess_array *in, int *axis)
{
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_ordered(fn, "in", in->dtype));
    TESS_TRY(tess__check_axis(fn, "axis", axis));
    return TESS_OK;
}

/* Largest integer of a dtype, or -1 of other dtypes. */
static int64_t largest_of(tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    const int       bits = 8 * (int)tess_dtype_size(dtype);
    if (kind == TESS_KIND_INT) return INT64_MAX >> (64 - bits);
    if (kind == TESS_KIND_UINT) return bits == 64 ? INT64_MAX : (INT64_C(1) << bits) - 1;
    return -1;
}

/* An output that is allocated, here if `*made` says so. It is disjoint from the input. */
static tess_status take_output(const char *fn, const char *arg, tess_array *out, bool *made, const tess_array *in,
                               tess_shape shape, tess_dtype dtype)
{
    char have[TESS__SHAPE_TEXT], want[TESS__SHAPE_TEXT];
    *made = tess__is_empty_out(out);
    if (*made) {
        TESS_TRY(tess__make(fn, out, shape, dtype, in->device, false));
        return TESS_OK;
    }
    TESS_TRY(tess__check_writable(fn, arg, out));
    TESS_CHECK(memcmp(&out->shape, &shape, sizeof shape) == 0, TESS_ESHAPE, "%s: `%s` has shape %s; %s is needed", fn,
               arg, tess__shape_text(have, out->shape.dim), tess__shape_text(want, shape.dim));
    TESS_TRY(tess__check_device_of(fn, arg, out, "in", in));
    TESS_TRY(tess__check_disjoint(fn, arg, out, "in", in));
    return TESS_OK;
}

static tess_status take_indices(const char *fn, const char *arg, tess_array *out, bool *made, const tess_array *in,
                                tess_shape shape, int64_t n)
{
    *made = false;
    if (!tess__is_empty_out(out)) {
        TESS_TRY(tess__check_array(fn, arg, out));
        const tess_kind kind = tess_dtype_kind(out->dtype);
        TESS_CHECK(kind == TESS_KIND_INT || kind == TESS_KIND_UINT, TESS_EDTYPE,
                   "%s: `%s` is %s; i64, or integers that can hold the indices, are needed", fn, arg,
                   tess_dtype_name(out->dtype));
        TESS_CHECK(n - 1 <= largest_of(out->dtype), TESS_EDTYPE,
                   "%s: `%s` is %s, which cannot hold indices up to %" PRId64 "; a wider integer type is needed", fn,
                   arg, tess_dtype_name(out->dtype), n - 1);
    }
    TESS_TRY(take_output(fn, arg, out, made, in, shape, TESS_I64));
    return TESS_OK;
}

/* Run, on a copy of a scalar of the caller's. */
static tess_status run(tess__sort *work, const tess_array *in)
{
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__has_elements(in)) return TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, work->name, &in));
    work->in = *in;
    TESS_GOTO(done, status, tess__sort_run(work));
done:
    tess_release(&held);
    return status;
}

/* ---- Calls ---- */

tess_status tess_sort(tess_array *out, const tess_array *in, int axis, const tess_sort_opts *opts)
{
    const char    *fn = "sort";
    tess_sort_opts o;
    TESS_TRY(tess__resolve(&tess__info_sort, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(fn, in, &axis));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output_like(fn, out, in, in->dtype));
    tess__sort work = { .name = fn, .op = TESS__SORT, .axis = axis, .descending = o.descending, .values = *out };
    TESS_TRY(tess__finish(run(&work, in), out, made));
    return TESS_OK;
}

tess_status tess_argsort(tess_array *out, const tess_array *in, int axis, const tess_sort_opts *opts)
{
    const char    *fn = "argsort";
    tess_sort_opts o;
    bool           made = false;
    TESS_TRY(tess__resolve(&tess__info_argsort, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(fn, in, &axis));
    TESS_TRY(take_indices(fn, "out", out, &made, in, in->shape, in->shape.dim[axis]));
    tess__sort work = { .name = fn, .op = TESS__ARGSORT, .axis = axis, .descending = o.descending, .indices = *out };
    TESS_TRY(tess__finish(run(&work, in), out, made));
    return TESS_OK;
}

tess_status tess_partition(tess_array *out, const tess_array *in, int64_t kth, int axis)
{
    const char *fn = "partition";
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check_input(fn, in, &axis));
    TESS_TRY(tess__check_index(fn, "kth", axis, in->shape.dim[axis], &kth));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output_like(fn, out, in, in->dtype));
    tess__sort work = { .name = fn, .op = TESS__PARTITION, .axis = axis, .k = kth, .values = *out };
    TESS_TRY(tess__finish(run(&work, in), out, made));
    return TESS_OK;
}

/* Both outputs of topk, as far as they are wanted. */
static tess_status take_outputs(tess_array *values, tess_array *indices, bool made[2], const tess_array *in, int64_t k,
                                int axis)
{
    const char *fn = "topk";
    tess_shape  shape = in->shape;
    shape.dim[axis] = k;
    if (values) {
        TESS_TRY(take_output(fn, "values", values, &made[0], in, shape, in->dtype));
        TESS_TRY(tess__check_converts(fn, "values", values, in->dtype));
    }
    if (indices) TESS_TRY(take_indices(fn, "indices", indices, &made[1], in, shape, in->shape.dim[axis]));
    if (values && indices && tess__has_elements(values))
        TESS_TRY(tess__check_disjoint(fn, "values", values, "indices", indices));
    return TESS_OK;
}

tess_status tess_topk(tess_array *values, tess_array *indices, const tess_array *in, int64_t k, int axis,
                      const tess_topk_opts *opts)
{
    const char    *fn = "topk";
    tess_topk_opts o;
    bool           made[2] = { false, false };
    tess_status    status = TESS_OK;
    TESS_TRY(tess__resolve(&tess__info_topk, opts, &o));
    TESS_CHECK(values || indices, TESS_EARG, "topk: `values` and `indices` are both NULL; at least one is needed");
    TESS_TRY(check_input(fn, in, &axis));
    TESS_CHECK(k >= 0 && k <= in->shape.dim[axis], TESS_ERANGE,
               "topk: `k` is %" PRId64 "; 0 to %" PRId64 ", the size of axis %d, is allowed", k, in->shape.dim[axis],
               axis);
    TESS_GOTO(done, status, take_outputs(values, indices, made, in, k, axis));
    tess__sort work = { .name = fn, .op = TESS__TOPK, .axis = axis, .descending = !o.smallest, .k = k };
    if (values) work.values = *values;
    if (indices) work.indices = *indices;
    if (k > 0) TESS_GOTO(done, status, run(&work, in));
done:
    if (status != TESS_OK && made[0]) tess_release(values);
    if (status != TESS_OK && made[1]) tess_release(indices);
    return status;
}
