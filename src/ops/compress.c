/* Elements chosen by a mask, and brought back. */
#include "core/check.h"
#include "core/engine.h"
#include "core/table.h"
#include "ops/infos.h"
#include "ops/places.h"
#include "tessera/order.h"

static const tess_arg_info compress_args[] = {
    TESS__OUT("values", "the chosen elements in b, d, h, w order; zeroed, or NULL"),
    TESS__OUT("places", "their places, i64; zeroed, or NULL"),
    TESS__IN("in", "what is chosen from; any dtype"),
    TESS__IN("mask", "bool, or numbers that are not 0; broadcast to in"),
};
const tess_op_info tess__info_compress =
    TESS__INFO("compress", "order", "The elements whose mask is set, one behind the other.", compress_args);

static const tess_arg_info place_args[] = {
    TESS__OUT("out", "what values are brought to; was made; elements without a mask stay"),
    TESS__IN("values", "as many as the mask has set, in b, d, h, w order"),
    TESS__IN("mask", "bool, or numbers that are not 0; broadcast to out"),
};
const tess_op_info tess__info_place =
    TESS__INFO("place", "order", "Values in turn to the elements whose mask is set.", place_args);

static tess_status check_mask(const char *fn, const tess_array *array, const tess_array *mask)
{
    TESS_TRY(tess__check_numbers(fn, "mask", mask));
    TESS_TRY(tess__check_broadcast(fn, "mask", mask, &array->shape));
    TESS_TRY(tess__check_on(fn, array, "mask", mask));
    return TESS_OK;
}

/* Count what each block has, into counts that are made; `total` is valid when the stream has been waited for. */
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

static tess_status compress(tess_array *values, tess_array *places, tess__mask *work)
{
    int64_t           total = 0;
    const tess_array *in = &work->array;
    if (tess__has_elements(in)) {
        TESS_TRY(count(work, &total));
        TESS_TRY(tess__sync(work->name, in->device));
    }
    const tess_shape shape = TESS_SHAPE(1, 1, 1, total);
    if (values) TESS_TRY(tess__make(work->name, values, shape, in->dtype, in->device, false));
    if (places) TESS_TRY(tess__make(work->name, places, shape, TESS_I64, in->device, false));
    if (total == 0) return TESS_OK;
    if (values) work->values = *values;
    if (places) work->places = *places;
    work->kind = TESS__MASK_COMPRESS;
    TESS_TRY(tess__mask_run(work));
    return TESS_OK;
}

tess_status tess_compress(tess_array *values, tess_array *places, const tess_array *in, const tess_array *mask)
{
    const char *fn = "compress";
    TESS_CHECK(values || places, TESS_EARG, "compress: values and places are NULL; one of them is needed");
    TESS_CHECK(values != places, TESS_EARG, "compress: values and places are the same array; two are needed");
    TESS_TRY(tess__check_zeroed(fn, "values", values));
    TESS_TRY(tess__check_zeroed(fn, "places", places));
    TESS_TRY(tess__check_array(fn, "in", in));
    TESS_TRY(check_mask(fn, in, mask));
    tess_array  held[2] = { { .data = NULL }, { .data = NULL } };
    tess__mask  work = { .name = fn };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held[0], fn, &in));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &mask));
    work.array = *in, work.mask = *mask;
    TESS_GOTO(done, status, compress(values, places, &work));
done:
    tess_release(&work.counts);
    for (int k = 0; k < 2; k++) tess_release(&held[k]);
    if (values) (void)tess__finish(status, values, true);
    if (places) (void)tess__finish(status, places, true);
    return status;
}

/* ---- Place ---- */

/* Values one behind the other, in b, d, h, w order: a view, or a copy in `held`. */
static tess_status line_up(tess_array *line, tess_array *held, const tess_array *values)
{
    const tess_array *v = values;
    if (values->flags & TESS_SCALAR) TESS_TRY(tess__hold(held, "place", &v));
    else if (tess__has_elements(values) && !tess__is_plain(values)) {
        TESS_TRY(tess_copy(held, values));
        v = held;
    }
    *line = *v;
    line->shape = TESS_SHAPE(1, 1, 1, tess__elements(values));
    line->strides = (tess_strides){ { 0, 0, 0, 1 } };
    return TESS_OK;
}

tess_status tess_place(tess_array *out, const tess_array *values, const tess_array *mask)
{
    const char *fn = "place";
    TESS_TRY(tess__check_writable(fn, "out", out));
    TESS_TRY(tess__check_array(fn, "values", values));
    TESS_TRY(check_mask(fn, out, mask));
    TESS_CHECK(values->dtype == out->dtype, TESS_EDTYPE, "place: values is %s and out is %s; the same dtype is needed",
               tess_dtype_name(values->dtype), tess_dtype_name(out->dtype));
    TESS_TRY(tess__check_on(fn, out, "values", values));
    TESS_TRY(tess__check_overlap(fn, out, "values", values, false));
    TESS_TRY(tess__check_overlap(fn, out, "mask", mask, false));
    tess_array  held[2] = { { .data = NULL }, { .data = NULL } };
    tess__mask  work = { .name = fn, .array = *out };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, line_up(&work.values, &held[0], values));
    TESS_GOTO(done, status, tess__hold(&held[1], fn, &mask));
    work.mask = *mask;
    TESS_GOTO(done, status, count(&work, NULL));
    work.kind = TESS__MASK_PLACE;
    TESS_GOTO(done, status, tess__mask_run(&work));
done:
    tess_release(&work.counts);
    for (int k = 0; k < 2; k++) tess_release(&held[k]);
    return status;
}
