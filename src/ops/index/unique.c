/* Unique elements by sorting. */
#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/index/indices.h"
#include "tessera/order.h"

static const tess_arg_info args[] = {
    TESS__OUT_OPTIONAL("values", "the distinct elements in ascending order; a zeroed array, or NULL"),
    TESS__OUT_OPTIONAL("counts", "number of occurrences of each, i64; a zeroed array, or NULL"),
    TESS__OUT_OPTIONAL("indices", "first index of each, i64; a zeroed array, or NULL"),
    TESS__OUT_OPTIONAL(
        "inverse",
        "index into values for each element, in the shape of in; i64 or an integer type that can hold it; or NULL"),
    TESS__IN("in", "real numbers"),
};
TESS__CALL(unique, v[0].out, v[1].out, v[2].out, v[3].out, v[4].in)
const tess_function_info tess__info_unique =
    TESS__OP(TESS_CUT_NONE, unique, "order", "Find the distinct elements of an array, in ascending order.", args);

enum { VALUES, COUNTS, INDICES, INVERSE, OUTPUTS };
static const char *const names[OUTPUTS] = { "values", "counts", "indices", "inverse" };

static tess_status check_outputs(tess_array *const out[OUTPUTS], const tess_array *in)
{
    TESS_CHECK(out[VALUES] || out[COUNTS] || out[INDICES] || out[INVERSE], TESS_EARG,
               "unique: `values`, `counts`, `indices` and `inverse` are `NULL`; at least one is needed");
    for (int k = 0; k < OUTPUTS; k++)
        for (int i = 0; i < k; i++)
            TESS_CHECK(!out[k] || out[k] != out[i], TESS_EARG,
                       "unique: `%s` and `%s` are the same array; they must be different", names[i], names[k]);
    for (int k = 0; k < INVERSE; k++) TESS_TRY(tess__check_zeroed("unique", names[k], out[k]));
    const tess_array *inverse = out[INVERSE];
    if (!inverse || tess__is_empty_out(inverse)) return TESS_OK;
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_writable("unique", "inverse", inverse));
    TESS_TRY(tess__check_holds("unique", "inverse", inverse, 0));
    TESS_CHECK(tess_same_shape(inverse, in), TESS_ESHAPE, "unique: `inverse` has shape %s; %s is needed",
               tess__shape_text(text[0], inverse->shape.dim), tess__shape_text(text[1], in->shape.dim));
    TESS_TRY(tess__check_device_of("unique", "inverse", inverse, "in", in));
    TESS_TRY(tess__check_disjoint("unique", "inverse", inverse, "in", in));
    return TESS_OK;
}

/* Sort, and wait: `*n` different elements. */
static tess_status sort(tess__unique *work, bool indices, int64_t *n)
{
    const tess_array *in = &work->in;
    const int64_t     size = (int64_t)tess_dtype_size(in->dtype);
    const tess_dtype  dtype = size == 1 ? TESS_U8 : size == 2 ? TESS_U16 : size == 4 ? TESS_U32 : TESS_U64;
    const tess_shape  flat = TESS_SHAPE(1, 1, 1, tess__elements(in));
    *n = 0;
    if (flat.w == 0) return TESS_OK;
    TESS_TRY(tess__check_waits(work->name, in->device));
    TESS_TRY(tess__make(work->name, &work->keys, flat, dtype, in->device, false));
    if (indices) TESS_TRY(tess__make(work->name, &work->order, flat, TESS_I64, in->device, false));
    work->kind = TESS__UNIQUE_SORT;
    work->n_unique = n;
    TESS_TRY(tess__unique_run(work));
    TESS_TRY(tess__sync(work->name, in->device));
    return TESS_OK;
}

/* The outputs, now that their length is known. `inverse` is always i64 and contiguous, and converted at the end. */
static tess_status write(tess__unique *work, tess_array *const out[OUTPUTS], tess_array *inverse, int64_t n)
{
    const tess_array *in = &work->in;
    const tess_shape  shape = TESS_SHAPE(1, 1, 1, n);
    for (int k = 0; k < INVERSE; k++)
        if (out[k])
            TESS_TRY(tess__make(work->name, out[k], shape, k == VALUES ? in->dtype : TESS_I64, in->device, false));
    if (inverse) TESS_TRY(tess__make(work->name, inverse, in->shape, TESS_I64, in->device, false));
    if (n == 0) return TESS_OK;
    if (out[VALUES]) work->values = *out[VALUES];
    if (out[COUNTS]) work->counts = *out[COUNTS];
    if (out[INDICES]) work->indices = *out[INDICES];
    if (inverse) work->inverse = *inverse;
    work->kind = TESS__UNIQUE_WRITE;
    TESS_TRY(tess__unique_run(work));
    if (inverse && inverse != out[INVERSE]) TESS_TRY(tess_cast(out[INVERSE], inverse, out[INVERSE]->dtype, NULL));
    return TESS_OK;
}

static tess_status unique(tess_array *const out[OUTPUTS], const tess_array *in)
{
    tess__unique work = { .name = "unique", .in = *in };
    tess_array   scratch = { .data = NULL }, *inverse = out[INVERSE];
    const bool   given = inverse && !tess__is_empty_out(inverse);
    int64_t      n = 0;
    tess_status  status = TESS_OK;
    if (given) inverse = &scratch;
    TESS_GOTO(done, status, sort(&work, out[INDICES] || out[INVERSE], &n));
    if (given && n > 0) TESS_GOTO(done, status, tess__check_holds("unique", "inverse", out[INVERSE], n - 1));
    TESS_GOTO(done, status, write(&work, out, inverse, n));
done:
    tess_release(&work.keys);
    tess_release(&work.order);
    tess_release(&scratch);
    for (int k = 0; k < OUTPUTS && status != TESS_OK; k++)
        if (out[k] && !(k == INVERSE && given)) tess_release(out[k]);
    return status;
}

tess_status tess_unique(tess_array *values, tess_array *counts, tess_array *indices, tess_array *inverse,
                        const tess_array *in)
{
    TESS__CALL_SCOPE();
    tess_array *const out[OUTPUTS] = { values, counts, indices, inverse };
    TESS_TRY(tess__check_numbers("unique", "in", in));
    TESS_TRY(tess__check_ordered("unique", "in", in->dtype));
    TESS_TRY(check_outputs(out, in));
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, "unique", &in));
    TESS_GOTO(done, status, unique(out, in));
done:
    tess_release(&held);
    return status;
}
