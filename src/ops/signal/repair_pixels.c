/* Repair of bad pixels: those of a mask become the median of the good ones around them. */
#include "core/check.h"
#include "core/error.h"
#include "core/float_env.h"
#include "core/output.h"
#include "core/registry.h"
#include "core/table.h"
#include "core/text.h"
#include "ops/op/library.h"
#include "ops/signal/motion/motion.h"
#include "tessera/ewise.h"
#include "tessera/motion.h"
#include "tessera/order.h"
#include "tessera/scalar.h"

static const char fn[] = "repair_pixels";

static const tess_arg_info args[] = {
    TESS__OUT("out", "the images with bad pixels replaced; may be exactly in"),
    TESS__IN("in", "images {b,1,h,w}, f32 or f64"),
    TESS__FLAGGED(TESS_ROLE_IN, TESS_ARG_ARRAY, TESS_ARG_PER_BATCH, "mask",
                  "not 0 at bad pixels, {1,1,h,w} or {b,1,h,w}"),
};
TESS__CALL(repair_pixels, v[0].out, v[1].in, v[2].in)
const tess_function_info tess__info_repair_pixels =
    TESS__OP(TESS_CUT_BATCHES, repair_pixels, "motion", "Replace bad pixels by the median of good ones around.", args);

#include "ops/signal/repair_pixels.def"

static tess_status check(const tess_array *out, const tess_array *in, const tess_array *mask)
{
    char have[TESS__SHAPE_TEXT], want[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_pointer(fn, "out", out));
    TESS_TRY(tess__check_numbers(fn, "in", in));
    TESS_TRY(tess__check_numbers(fn, "mask", mask));
    TESS_CHECK(in->dtype == TESS_F32 || in->dtype == TESS_F64, TESS_EDTYPE, "%s: in is %s; f32 or f64 is needed", fn,
               tess_dtype_name(in->dtype));
    TESS_CHECK(in->shape.d == 1, TESS_ESHAPE, "%s: in has shape %s; images {b,1,h,w} are needed", fn,
               tess__shape_text(have, in->shape.dim));
    TESS_CHECK((mask->shape.b == in->shape.b || mask->shape.b == 1) && mask->shape.d == 1 &&
                   mask->shape.h == in->shape.h && mask->shape.w == in->shape.w,
               TESS_ESHAPE, "%s: mask has shape %s and in has shape %s; height and width must be equal, and b, or 1",
               fn, tess__shape_text(have, mask->shape.dim), tess__shape_text(want, in->shape.dim));
    TESS_TRY(tess__check_device_of(fn, "mask", mask, "in", in));
    return TESS_OK;
}

/* What a mask says: which pixels are good, and the indices of the others in an image. */
typedef struct defects {
    tess_array good, indices; /* u8 {1,1,h,w}, i64 {1,1,1,n} */
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

/* Images that share their bad pixels; `out` has what `in` has. */
static tess_status repair(tess_array *out, const tess_array *in, const defects *d)
{
    const int64_t      n = d->indices.shape.w;
    tess_op_def *const op = in->dtype == TESS_F64 ? &repair_pixels_f64 : &repair_pixels_f32;
    tess_array         values = { .data = NULL };
    tess_status        status = TESS_OK;
    if (n == 0) return TESS_OK;
    TESS_TRY(tess__make(fn, &values, TESS_SHAPE(in->shape.b, 1, 1, n), in->dtype, in->device, false));
    TESS_GOTO(done, status, tess_call(op, in, &d->good, &d->indices, in->shape.w, &values));
    for (int64_t b = 0; b < in->shape.b; b++) {
        const tess_array from = tess__frame_of(&values, b);
        tess_array       to = tess__frame_of(out, b);
        TESS_GOTO(done, status, tess_put_flat(&to, &from, &d->indices, NULL));
    }
done:
    tess_release(&values);
    return status;
}

static tess_status run(tess_array *out, const tess_array *in, const tess_array *mask)
{
    const int64_t masks = mask->shape.b, each = in->shape.b / masks;
    if (out->data != in->data) TESS_TRY(tess_copy(out, in));
    for (int64_t b = 0; b < masks; b++) {
        const tess_array one = tess__frame_of(mask, b);
        tess_array       from = tess__frame_of(in, b), to = tess__frame_of(out, b);
        defects          d = { .good = { .data = NULL } };
        from.shape.b = to.shape.b = each;
        tess_status status = find(&d, &one);
        if (status == TESS_OK) status = repair(&to, &from, &d);
        tess_release(&d.good);
        tess_release(&d.indices);
        TESS_TRY(status);
    }
    return TESS_OK;
}

tess_status tess_repair_pixels(tess_array *out, const tess_array *in, const tess_array *mask)
{
    TESS__FLOAT_SCOPE();
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
