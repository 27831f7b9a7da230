/* Stream compaction: elements chosen by a mask, and the inverse, place. */
#include <string.h>

#include "core/array/broadcast.h"
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "ops/index/indices.h"
#include "tessera/order.h"

static const tess_arg_info compress_args[] = {
    TESS__OUT_OPTIONAL("values", "the selected elements in b, d, h, w order; a zeroed array, or NULL"),
    TESS__OUT_OPTIONAL("indices", "their indices, i64; a zeroed array, or NULL"),
    TESS__IN("in", "array to select from; any dtype"),
    TESS__IN("mask", "selects elements where it is true or not 0; broadcast to in", .sample = "mask"),
};
TESS__CALL(compress, v[0].out, v[1].out, v[2].in, v[3].in)
const tess_function_info tess__info_compress =
    TESS__OP(TESS_CUT_NONE, compress, "order", "Select the elements whose mask is set.", compress_args);

static const tess_arg_info place_args[] = {
    TESS__OUT_KEPT("out", "allocated array to write to; elements whose mask is not set stay unchanged"),
    TESS__IN("values", "one value for each element selected, in b, d, h, w order, or one number for all"),
    TESS__IN("mask", "selects elements where it is true or not 0; broadcast to out", .sample = "mask"),
};
TESS__CALL(place, v[0].out, v[1].in, v[2].in)
const tess_function_info tess__info_place =
    TESS__OP(TESS_CUT_NONE, place, "order", "Write values to the elements whose mask is set.", place_args);

static tess_status check_mask(const char *fn, const char *name, const tess_array *array, const tess_array *mask)
{
    TESS_TRY(tess__check_numbers(fn, "mask", mask));
    TESS_TRY(tess__check_broadcast(fn, "mask", mask, name, &array->shape));
    TESS_TRY(tess__check_on(fn, name, array, "mask", mask));
    return TESS_OK;
}

/* Count the chosen elements of each block, into new counts; `total` is valid when the stream has been waited for. */
static tess_status count(tess__mask *work, int64_t *total)
{
    const int64_t blocks = (tess__elements(&work->array) + TESS__MASK_BLOCK - 1) / TESS__MASK_BLOCK;
    TESS_TRY(
        tess__make(work->name, &work->counts, TESS_SHAPE(1, 1, 1, blocks + 1), TESS_I64, work->array.device, false));
    work->kind = TESS__MASK_COUNT;
    work->total = total;
    TESS_TRY(tess__mask_run(work));
    work->total = NULL;
    return TESS_OK;
}

/* ---- Compress ---- */

static tess_status compress(tess_array *values, tess_array *indices, tess__mask *work)
{
    int64_t           total = 0;
    const tess_array *in = &work->array;
    if (tess__has_elements(in)) {
        TESS_TRY(tess__check_waits(work->name, in->device));
        TESS_TRY(count(work, &total));
        TESS_TRY(tess__sync(work->name, in->device));
    }
    const tess_shape shape = TESS_SHAPE(1, 1, 1, total);
    if (values) TESS_TRY(tess__make(work->name, values, shape, in->dtype, in->device, false));
    if (indices) TESS_TRY(tess__make(work->name, indices, shape, TESS_I64, in->device, false));
    if (total == 0) return TESS_OK;
    if (values) work->values = *values;
    if (indices) work->indices = *indices;
    work->kind = TESS__MASK_COMPRESS;
    TESS_TRY(tess__mask_run(work));
    return TESS_OK;
}

tess_status tess_compress(tess_array *values, tess_array *indices, const tess_array *in, const tess_array *mask)
{
    TESS__CALL_SCOPE();
    const char *fn = "compress";
    TESS_CHECK(values || indices, TESS_EARG, "compress: `values` and `indices` are `NULL`; at least one is needed");
    TESS_CHECK(values != indices, TESS_EARG,
               "compress: `values` and `indices` are the same array; they must be different");
    TESS_TRY(tess__check_zeroed(fn, "values", values));
    TESS_TRY(tess__check_zeroed(fn, "indices", indices));
    TESS_TRY(tess__check_array(fn, "in", in));
    TESS_TRY(check_mask(fn, "in", in, mask));
    tess_array  held[2] = { { .data = NULL }, { .data = NULL } };
    tess__mask  work = { .name = fn };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held[0], fn, &in));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &mask));
    TESS_GOTO(done, status, tess__bring(&held[1], in->device));
    TESS_GOTO(done, status, tess__check_device_of(fn, "in", in, "mask", mask));
    work.array = *in, work.mask = *mask;
    TESS_GOTO(done, status, compress(values, indices, &work));
done:
    tess_release(&work.counts);
    for (int k = 0; k < 2; k++) tess_release(&held[k]);
    if (values) (void)tess__finish(status, values, true);
    if (indices) (void)tess__finish(status, indices, true);
    return status;
}

/* ---- Place ---- */

/* Values as a contiguous run, in b, d, h, w order: a view, or a copy in `held`. Of a number, as many copies as a block
 * can need. */
static tess_status line_up(tess__mask *work, tess_array *held, const tess_array *values)
{
    const int64_t n = tess__elements(&work->array), size = (int64_t)tess_dtype_size(work->array.dtype);
    if (work->same) {
        const int64_t copies = n < TESS__MASK_BLOCK ? n : TESS__MASK_BLOCK;
        TESS_TRY(tess__make("place", held, TESS_SHAPE(1, 1, 1, copies), values->dtype, tess_cpu(), false));
        for (int64_t i = 0; i < copies; i++) memcpy((char *)held->data + i * size, values->data, (size_t)size);
        work->values = *held;
        return TESS_OK;
    }
    const bool copied = tess__has_elements(values) && !tess__is_contiguous(values);
    if (copied) TESS_TRY(tess_copy(held, values));
    work->values = copied ? *held : *values;
    work->values.shape = TESS_SHAPE(1, 1, 1, tess__elements(values));
    work->values.strides = (tess_strides){ { 0, 0, 0, 1 } };
    return TESS_OK;
}

static tess_status place(tess__mask *work, tess_array held[3], const tess_array *values, const tess_array *mask)
{
    TESS_TRY(tess__take_on("place", "values", &held[0], &values, &work->array));
    if (work->same && !tess__has_elements(&work->array)) return TESS_OK;
    TESS_TRY(line_up(work, &held[1], values));
    TESS_TRY(tess__hold(&held[2], "place", &mask));
    TESS_TRY(tess__bring(&held[2], work->array.device));
    work->mask = *mask;
    if (!work->same) TESS_TRY(count(work, NULL));
    work->kind = TESS__MASK_PLACE;
    TESS_TRY(tess__mask_run(work));
    return TESS_OK;
}

tess_status tess_place(tess_array *out, const tess_array *values, const tess_array *mask)
{
    TESS__CALL_SCOPE();
    const char *fn = "place";
    TESS_TRY(tess__check_writable(fn, "out", out));
    TESS_TRY(tess__check_array(fn, "values", values));
    TESS_TRY(check_mask(fn, "out", out, mask));
    TESS_TRY(tess__check_on(fn, "out", out, "values", values));
    TESS_TRY(tess__check_overlap(fn, out, "values", values, false));
    TESS_TRY(tess__check_overlap(fn, out, "mask", mask, false));
    tess_array  held[3] = { { .data = NULL }, { .data = NULL }, { .data = NULL } };
    tess__mask  work = { .name = fn, .array = *out, .same = (values->flags & TESS_SCALAR) != 0 };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, place(&work, held, values, mask));
done:
    tess_release(&work.counts);
    for (int k = 0; k < 3; k++) tess_release(&held[k]);
    return status;
}
