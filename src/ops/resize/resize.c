/* Crop and pad, with borders. */
#include "ops/resize/resize.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/check/text.h"

/* The rows that all have. */
#define ROWS(done) TESS__OUT("out", "the result; any strides"), TESS__IN("in", "array to " done)

static const tess_arg_info resize_args[] = {
    ROWS("crop and pad"),
    TESS__NEED_SHAPE("shape", "shape of the result; 0 keeps the size of the input", .sample = "b,d,h+2,w+2"),
    TESS__RESIZE_OPTS,
};
TESS__CALL(resize, v[0].out, v[1].in, v[2].shape, opts)
const tess_function_info tess__info_resize =
    TESS__OP_OPTS(TESS_CUT_BATCHES, resize, "resize", "Crop and pad about the centre.", resize_args, tess_resize_opts,
                  .metadata = TESS_METADATA_CENTRED);

static const tess_arg_info pad_args[] = {
    ROWS("pad"),
    TESS__NEED_SIZES(0, "before", "elements to add before the first, along each axis; negative: to remove",
                     .sample = "0,0,1,1"),
    TESS__NEED_SIZES(0, "after", "elements to add after the last, along each axis; negative: to remove",
                     .sample = "0,0,1,1"),
    TESS__RESIZE_OPTS,
};
TESS__CALL(pad, v[0].out, v[1].in, v[2].shape, v[3].shape, opts)
const tess_function_info tess__info_pad =
    TESS__OP_OPTS(TESS_CUT_BATCHES, pad, "resize", "Add elements on both sides of each axis.", pad_args,
                  tess_resize_opts, .metadata = TESS_METADATA_PADDED);

static const tess_arg_info crop_args[] = {
    ROWS("crop"),
    TESS__NEED_SIZES(0, "before", "elements to remove from the start, along each axis", .sample = "0,0,1,1"),
    TESS__NEED_SIZES(0, "after", "elements to remove from the end, along each axis", .sample = "0,0,1,1"),
};
TESS__CALL(crop, v[0].out, v[1].in, v[2].shape, v[3].shape)
const tess_function_info tess__info_crop =
    TESS__OP(TESS_CUT_BATCHES, crop, "resize", "Remove elements from both sides of each axis.", crop_args,
             .metadata = TESS_METADATA_CROPPED);
#undef ROWS

/* ---- Options ---- */

tess_status tess__resize_options(tess_resize_opts *o, const tess_function_info *info, const tess_resize_opts *opts,
                                 const tess_array *out, const tess_array *in)
{
    const char *fn = info->name;
    char        text[32];
    TESS_TRY(tess__resolve(info, opts, o));
    TESS_TRY(tess__check_border(fn, out, o->border, o->value, o->value_imag));
    TESS_CHECK(o->value_imag == 0 || tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `opts->value_imag` is %s and in is %s; a complex type is needed", fn,
               tess__number_text(text, o->value_imag), tess_dtype_name(in->dtype));
    return TESS_OK;
}

static bool takes_elements(int border) { return border == TESS_BORDER_CLAMP || tess__border_repeats(border); }

tess_status tess__check_border_source(const char *fn, const tess_resize_opts *o, const tess_array *in, tess_shape shape)
{
    char text[2][TESS__SHAPE_TEXT];
    if (tess__has_elements(in) || !takes_elements(o->border)) return TESS_OK;
    TESS_CHECK(
        !(shape.b && shape.d && shape.h && shape.w), TESS_ESHAPE,
        "%s: `in` has shape %s, without elements for the border of %s; `opts->border` must be zero, value or nothing",
        fn, tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], shape.dim));
    return TESS_OK;
}

tess_status tess__window_border(tess__window *work, const tess_resize_opts *o, tess_dtype dtype)
{
    const tess_dtype real = tess_dtype_real(dtype);
    const int64_t    size = tess__dtype_size(real);
    const bool       is_complex = tess_dtype_kind(dtype) == TESS_KIND_COMPLEX;
    work->border = o->border;
    work->outside.size = tess__dtype_size(dtype);
    memset(work->outside.bytes, 0, sizeof work->outside.bytes);
    for (int i = 0; i < tess_dtype_reals(dtype) && o->border == TESS_BORDER_VALUE; i++)
        TESS_TRY(tess__convert(work->outside.bytes + i * size, real, is_complex && i ? &o->value_imag : &o->value,
                               TESS_F64));
    return TESS_OK;
}

/* ---- The work ---- */

/* The elements that are in both, as one copy. */
static tess_status copy_inside(const char *fn, const tess_array *out, const tess_array *in, const int64_t before[4])
{
    tess_array        to = *out, from = *in;
    const tess_array *inputs[1] = { &from };
    tess__ewise       work;
    for (int k = 0; k < 4; k++) {
        const int64_t first = before[k] > 0 ? before[k] : 0, end = before[k] + in->shape.dim[k];
        const int64_t n = (end < out->shape.dim[k] ? end : out->shape.dim[k]) - first;
        if (n <= 0) return TESS_OK;
        to.shape.dim[k] = from.shape.dim[k] = n;
        to.data = (char *)to.data + first * to.strides.dim[k] * tess__dtype_size(to.dtype);
        from.data = (char *)from.data + (first - before[k]) * from.strides.dim[k] * tess__dtype_size(from.dtype);
    }
    work.name = fn;
    work.kind = TESS__COPY;
    TESS_TRY(tess__ewise_run(&work, &to, inputs, 1));
    return TESS_OK;
}

static bool is_inside(const tess_array *out, const tess_array *in, const int64_t before[4])
{
    for (int k = 0; k < 4; k++)
        if (before[k] > 0 || out->shape.dim[k] - before[k] > in->shape.dim[k]) return false;
    return true;
}

static tess_status run(const char *fn, const tess_array *out, const tess_array *in, const int64_t before[4],
                       const tess_resize_opts *o)
{
    if (o->border == TESS_BORDER_NOTHING || is_inside(out, in, before)) {
        TESS_TRY(copy_inside(fn, out, in, before));
        return TESS_OK;
    }
    tess__window work = { .name = fn, .out = *out, .in = *in };
    for (int k = 0; k < 4; k++) work.origin[k] = -before[k];
    TESS_TRY(tess__window_border(&work, o, in->dtype));
    TESS_TRY(tess__window_run(&work));
    return TESS_OK;
}

/* `in` with `before` elements more before each axis, as `shape`. */
static tess_status resize(const char *fn, tess_array *out, const tess_array *in, tess_shape shape,
                          const int64_t before[4], const tess_resize_opts *o)
{
    TESS_TRY(tess__check_shape(fn, "the shape of the result", shape, in->dtype));
    TESS_TRY(tess__check_border_source(fn, o, in, shape));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output(fn, out, shape, in->dtype, in->device));
    if (!made) TESS_TRY(tess__check_overlap(fn, out, "in", in, false));
    if (!tess__has_elements(out)) return TESS_OK;
    tess_array  held = { .data = NULL };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held, fn, &in));
    TESS_GOTO(done, status, run(fn, out, in, before, o));
done:
    tess_release(&held);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}

/* Both counts, of elements added, are in range and give a valid shape. */
static tess_status check_counts(const char *fn, const tess_array *in, tess_shape before, tess_shape after, int sign,
                                tess_shape *shape)
{
    char text[3][TESS__SHAPE_TEXT];
    for (int k = 0; k < 4; k++) {
        for (int side = 0; side < 2; side++) {
            const tess_shape *counts = side ? &after : &before;
            TESS_CHECK(counts->dim[k] >= (sign < 0 ? 0 : -TESS__MAX_BYTES) && counts->dim[k] <= TESS__MAX_BYTES,
                       TESS_ERANGE, "%s: `%s` is %s; counts from %s to 2^60 are allowed", fn, side ? "after" : "before",
                       tess__shape_text(text[0], counts->dim), sign < 0 ? "0" : "-2^60");
        }
        shape->dim[k] = in->shape.dim[k] + sign * (before.dim[k] + after.dim[k]);
        TESS_CHECK(shape->dim[k] >= 0, TESS_ESHAPE,
                   "%s: `in` has shape %s, `before` is %s and `after` is %s: that leaves %" PRId64
                   " elements along axis %d; 0 "
                   "or more are needed",
                   fn, tess__shape_text(text[0], in->shape.dim), tess__shape_text(text[1], before.dim),
                   tess__shape_text(text[2], after.dim), shape->dim[k], k);
    }
    return TESS_OK;
}

/* ---- The functions ---- */

tess_status tess_resize(tess_array *out, const tess_array *in, tess_shape shape, const tess_resize_opts *opts)
{
    tess_resize_opts o;
    int64_t          before[4];
    TESS_TRY(tess__check_pointer("resize", "out", out));
    TESS_TRY(tess__check_array("resize", "in", in));
    TESS_TRY(tess__resize_options(&o, &tess__info_resize, opts, out, in));
    TESS_TRY(tess__check_shape("resize", "shape", shape, in->dtype));
    for (int k = 0; k < 4; k++) {
        if (shape.dim[k] == 0) shape.dim[k] = in->shape.dim[k];
        before[k] = shape.dim[k] / 2 - in->shape.dim[k] / 2;
    }
    TESS_TRY(resize("resize", out, in, shape, before, &o));
    return TESS_OK;
}

tess_status tess_pad(tess_array *out, const tess_array *in, tess_shape before, tess_shape after,
                     const tess_resize_opts *opts)
{
    tess_resize_opts o;
    tess_shape       shape;
    TESS_TRY(tess__check_pointer("pad", "out", out));
    TESS_TRY(tess__check_array("pad", "in", in));
    TESS_TRY(tess__resize_options(&o, &tess__info_pad, opts, out, in));
    TESS_TRY(check_counts("pad", in, before, after, 1, &shape));
    TESS_TRY(resize("pad", out, in, shape, before.dim, &o));
    return TESS_OK;
}

tess_status tess_crop(tess_array *out, const tess_array *in, tess_shape before, tess_shape after)
{
    const tess_resize_opts o = { .border = TESS_BORDER_ZERO };
    tess_shape             shape;
    TESS_TRY(tess__check_pointer("crop", "out", out));
    TESS_TRY(tess__check_array("crop", "in", in));
    TESS_TRY(check_counts("crop", in, before, after, -1, &shape));
    for (int k = 0; k < 4; k++) before.dim[k] = -before.dim[k];
    TESS_TRY(resize("crop", out, in, shape, before.dim, &o));
    return TESS_OK;
}
