/* Binary search: the insertion indices of values in sorted rows. */
#include "core/array/broadcast.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/check/promote.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "ops/index/indices.h"
#include "tessera/order.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "indices, 0 to n, in the shape of values; i64 or an integer type that can hold them"),
    TESS__IN("sorted", "rows of n numbers in ascending order, NaNs last; broadcast to those of values"),
    TESS__IN("values", "numbers to look up"),
    TESS__FLAG(tess_searchsorted_opts, right, "return the index after equal elements instead of before them"),
};
TESS__CALL(searchsorted, v[0].out, v[1].in, v[2].in, opts)
const tess_function_info tess__info_searchsorted =
    TESS__OP_OPTS(TESS_CUT_BATCHES, searchsorted, "order",
                  "Indices at which values would be inserted into sorted rows.", args, tess_searchsorted_opts);

/* The dtype of the search: few are enough, since the others convert to these losslessly. */
static tess_dtype kernel_dtype(tess_dtype common)
{
    if (common == TESS_F16) return TESS_F32;
    return tess_dtype_kind(common) != TESS_KIND_FLOAT && tess_dtype_size(common) < 4 ? TESS_I32 : common;
}

static tess_status check(const tess_array *sorted, const tess_array *values)
{
    const char *fn = "searchsorted";
    TESS_TRY(tess__check_numbers(fn, "sorted", sorted));
    TESS_TRY(tess__check_numbers(fn, "values", values));
    TESS_TRY(tess__check_ordered(fn, "sorted", sorted->dtype));
    TESS_TRY(tess__check_ordered(fn, "values", values->dtype));
    TESS_TRY(tess__check_on(fn, "values", values, "sorted", sorted));
    tess_shape rows = values->shape;
    rows.w = sorted->shape.w;
    TESS_TRY(tess__check_broadcast(fn, "sorted", sorted, "values", &rows));
    return TESS_OK;
}

static tess_status check_output(tess_array *out, const tess_array *sorted, const tess_array *values)
{
    const char       *fn = "searchsorted";
    const bool        made = tess__is_empty_out(out);
    const tess_device device = values->flags & TESS_SCALAR ? sorted->device : values->device;
    TESS_TRY(tess__output(fn, out, values->shape, made ? TESS_I64 : out->dtype, device));
    if (made) return TESS_OK;
    TESS_TRY(tess__check_holds(fn, "out", out, sorted->shape.w));
    TESS_TRY(tess__check_overlap(fn, out, "sorted", sorted, false));
    TESS_TRY(tess__check_overlap(fn, out, "values", values, false));
    return TESS_OK;
}

/* Rows that the search can read, or a copy in `held`. */
static tess_status prepare(tess_array *held, const tess_array **sorted, tess_dtype dtype)
{
    const tess_array *given = *sorted;
    const bool        contiguous = given->strides.w == 1 || given->shape.w <= 1;
    if (given->flags & TESS_SCALAR || given->dtype != dtype || !contiguous) {
        TESS_TRY(tess_cast(held, given, dtype, NULL));
        *sorted = held;
    }
    return TESS_OK;
}

tess_status tess_searchsorted(tess_array *out, const tess_array *sorted, const tess_array *values,
                              const tess_searchsorted_opts *opts)
{
    const char            *fn = "searchsorted";
    tess_searchsorted_opts o;
    TESS_TRY(tess__resolve(&tess__info_searchsorted, opts, &o));
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(check(sorted, values));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(check_output(out, sorted, values));
    if (!tess__has_elements(out)) return TESS_OK;
    const tess_array *both[2] = { sorted, values };
    tess__search      work = { .name = fn, .right = o.right };
    tess_array        held[2] = { { .data = NULL }, { .data = NULL } };
    tess_status       status = TESS_OK;
    work.dtype = kernel_dtype(tess__promote_all(both, 2));
    TESS_GOTO(done, status, prepare(&held[0], &sorted, work.dtype));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &values));
    for (int k = 0; k < 2; k++) TESS_GOTO(done, status, tess__bring(&held[k], out->device));
    work.out = *out, work.sorted = *sorted, work.values = *values;
    TESS_GOTO(done, status, tess__search_run(&work));
done:
    for (int k = 0; k < 2; k++) tess_release(&held[k]);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}
