/* Repair of bad pixels: those of a mask become the median of the good ones around them. */
#include <string.h>

#include "core/device/cancel.h"
#include "core/check/check.h"
#include "core/check/error.h"
#include "core/device/float_env.h"
#include "core/device/memory.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/table/table.h"
#include "core/check/text.h"
#include "ops/op/library.h"
#include "ops/signal/motion/motion.h"
#include "tessera/ewise.h"
#include "tessera/motion.h"
#include "tessera/order.h"
#include "tessera/scalar.h"

static const char fn[] = "repair_pixels";

static const tess_arg_info args[] = {
    TESS__OUT("out", "the repaired images; may be the input itself", .axes = "B,1,h,w"),
    TESS__IN("in", "images {b,1,h,w}, f32 or f64", .axes = "B,1,h,w"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_PER_BATCH, "mask",
                  "mask that is not 0 at bad pixels, {1,1,h,w} or {b,1,h,w}", .sample = "mask", .axes = "B,1,h,w"),
};
TESS__CALL(repair_pixels, v[0].out, v[1].in, v[2].in)
const tess_function_info tess__info_repair_pixels = TESS__OP(
    TESS_CUT_BATCHES, repair_pixels, "motion", "Replace bad pixels by the median of their good neighbours.", args);

#include "ops/signal/repair_pixels.def"

static tess_status check(const tess_array *out, const tess_array *in, const tess_array *mask)
{
    char have[TESS__SHAPE_TEXT], want[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_numbers(fn, "mask", mask));
    TESS_CHECK(in->dtype == TESS_F32 || in->dtype == TESS_F64, TESS_EDTYPE, "%s: `in` is %s; f32 or f64 is needed", fn,
               tess_dtype_name(in->dtype));
    TESS_CHECK(in->shape.d == 1, TESS_ESHAPE, "%s: `in` has shape %s; images {b,1,h,w} are needed", fn,
               tess__shape_text(have, in->shape.dim));
    TESS_CHECK((mask->shape.b == in->shape.b || mask->shape.b == 1) && mask->shape.d == 1 &&
                   mask->shape.h == in->shape.h && mask->shape.w == in->shape.w,
               TESS_ESHAPE,
               "%s: `mask` has shape %s and `in` has shape %s; h and w must be equal, and b of the mask equal or 1", fn,
               tess__shape_text(have, mask->shape.dim), tess__shape_text(want, in->shape.dim));
    TESS_TRY(tess__check_device_of(fn, "mask", mask, "in", in));
    return TESS_OK;
}

/* What a mask says: which pixels are good, the indices of the others in an image, and what these become. */
typedef struct defects {
    tess_array good, indices, values; /* u8 {1,1,h,w}, i64 {1,1,1,n}, {b,1,1,n} */
} defects;

static tess_status find(defects *d, const tess_array *mask)
{
    tess_array  is_good = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess_equal(&is_good, mask, &tess_i64(0)));
    TESS_GOTO(done, status, tess_cast(&d->good, &is_good, TESS_U8, NULL));
    TESS_GOTO(done, status, tess_compress(NULL, &d->indices, mask, mask));
done:
    tess_release(&is_good);
    return status;
}

/* What the bad pixels become, of images that share them. */
static tess_status interpolate(defects *d, const tess_array *in)
{
    const int64_t      n = d->indices.shape.w;
    tess_op_def *const op = in->dtype == TESS_F64 ? &repair_pixels_f64 : &repair_pixels_f32;
    if (n == 0) return TESS_OK;
    TESS_TRY(tess__make(fn, &d->values, TESS_SHAPE(in->shape.b, 1, 1, n), in->dtype, in->device, false));
    TESS_TRY(tess_call(op, in, &d->good, &d->indices, in->shape.w, &d->values));
    return TESS_OK;
}

static tess_status put(const tess_array *out, const defects *d)
{
    for (int64_t b = 0; b < d->values.shape.b; b++) {
        const tess_array from = tess__frame_of(&d->values, b);
        tess_array       to = tess__frame_of(out, b);
        TESS_TRY(tess_put_flat(&to, &from, &d->indices, NULL));
    }
    return TESS_OK;
}

/* `each` images from number b on, which share mask b. */
static tess_array images_of(const tess_array *all, int64_t b, int64_t each)
{
    tess_array some = tess__frame_of(all, b);
    some.shape.b = each;
    return some;
}

/* The values of all pixels are there before the first one is written. */
static tess_status repair(tess_array *out, const tess_array *in, const tess_array *mask, defects *d)
{
    const int64_t masks = mask->shape.b, each = in->shape.b / masks;
    for (int64_t b = 0; b < masks; b++) {
        const tess_array one = tess__frame_of(mask, b), from = images_of(in, b, each);
        TESS_TRY(find(&d[b], &one));
        TESS_TRY(interpolate(&d[b], &from));
    }
    if (out->data != in->data) TESS_TRY(tess_copy(out, in));
    for (int64_t b = 0; b < masks; b++) {
        const tess_array to = images_of(out, b, each);
        TESS_TRY(put(&to, &d[b]));
    }
    return TESS_OK;
}

static tess_status run(tess_array *out, const tess_array *in, const tess_array *mask)
{
    const size_t   bytes = (size_t)mask->shape.b * sizeof(defects);
    defects *const d = tess__alloc(bytes);
    TESS_CHECK(d, TESS_ENOMEM, "%s: no memory for %zu bytes of masks", fn, bytes);
    memset(d, 0, bytes);
    const tess_status status = repair(out, in, mask, d);
    for (int64_t b = 0; b < mask->shape.b; b++) {
        tess_release(&d[b].good);
        tess_release(&d[b].indices);
        tess_release(&d[b].values);
    }
    tess__free(d);
    return status;
}

tess_status tess_repair_pixels(tess_array *out, const tess_array *in, const tess_array *mask)
{
    TESS__FLOAT_SCOPE();
    TESS__CALL_SCOPE();
    tess_status status = TESS_OK;
    TESS_TRY(check(out, in, mask));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, in->shape, in->dtype, in->device));
    if (!made) {
        TESS_TRY(tess__check_overlap(fn, out, "in", in, true));
        TESS_TRY(tess__check_overlap(fn, out, "mask", mask, false));
    }
    if (tess__has_elements(out)) status = run(out, in, mask);
    return tess__finish(tess__error_under(status, fn), out, made);
}
