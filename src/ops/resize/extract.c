/* Extraction of sub-regions (patches) from an array, and the atlas layout of images side by side. */
#include "ops/resize/extract.h"

#include <inttypes.h>
#include <math.h>

#include "core/check/check.h"
#include "core/device/engine.h"
#include "core/check/output.h"
#include "core/table/registry.h"
#include "core/device/stream.h"
#include "core/check/text.h"
#include "ops/resize/resize.h"

static const tess_arg_info args[] = {
    TESS__OUT("out", "the sub-regions {n,d,h,w}; any strides", .axes = "n,d,h,w"),
    TESS__IN("in", "array to cut them out of"),
    TESS__IN_TABLE("origins",
                   "integers {n,1,1,k}: position of the first element of each, as h, w or d, h, w or b, d, h, w",
                   .sample = "b,1,1,2 index", .axes = "n,1,1,k"),
    TESS__NEED(TESS_ARG_SHAPE, "shape", "shape of each sub-region; its b is 1", .sample = "1,1,2,2"),
    TESS__RESIZE_OPTS,
};
TESS__CALL(extract, v[0].out, v[1].in, v[2].in, v[3].shape, opts)
const tess_function_info tess__info_extract =
    TESS__OP_OPTS(TESS_CUT_NONE, extract, "resize", "Cut sub-regions out of an array.", args, tess_resize_opts);

static const tess_arg_info atlas_args[] = {
    TESS__ARG(TESS_ROLE_OUT, TESS_ARG_SHAPE, "atlas", "the shape {1,1,H,W} that holds all images", .axes = "1,1,h,w"),
    TESS__OUT("origins", "i64 {n,1,1,2}: h, w of each image's first element; may be NULL", .axes = "n,1,1,2"),
    TESS__NEED(TESS_ARG_I64, "n", "images", .sample = "6"),
    TESS__NEED(TESS_ARG_I64, "h", "height of an image"),
    TESS__NEED(TESS_ARG_I64, "w", "width of an image"),
};
TESS__CALL(atlas_layout, v[0].result, v[1].out, v[2].i64, v[3].i64, v[4].i64)
const tess_function_info tess__info_atlas_layout =
    TESS__OP(TESS_CUT_NONE, atlas_layout, "resize", "Layout of images side by side in one image.", atlas_args);

/* ---- Origins ---- */

tess_status tess__check_origins(const char *fn, const tess_array *origins, int64_t n, const char *arg,
                                const tess_array *whole)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_array(fn, "origins", origins));
    const tess_kind   kind = tess_dtype_kind(origins->dtype);
    const tess_shape *s = &origins->shape;
    TESS_CHECK(kind == TESS_KIND_INT || kind == TESS_KIND_UINT, TESS_EDTYPE,
               "%s: `origins` is %s; an integer type is needed", fn, tess_dtype_name(origins->dtype));
    TESS_CHECK(s->d == 1 && s->h == 1 && s->w >= 2 && s->w <= 4, TESS_ESHAPE,
               "%s: `origins` has shape %s; {n,1,1,k} with k from 2 (h, w) to 4 (b, d, h, w) is needed", fn,
               tess__shape_text(text[0], s->dim));
    TESS_CHECK(n < 0 || s->b == n, TESS_ESHAPE, "%s: `origins` has shape %s; one row for each of %" PRId64 " is needed",
               fn, tess__shape_text(text[0], s->dim), n);
    TESS_CHECK(s->w == 4 || whole->shape.b == 1 || whole->shape.b == s->b, TESS_ESHAPE,
               "%s: `%s` has shape %s and origins %s, which gives no batch index; the batch size of `%s` must be 1 or "
               "%" PRId64,
               fn, arg, tess__shape_text(text[0], whole->shape.dim), tess__shape_text(text[1], s->dim), arg, s->b);
    TESS_TRY(tess__check_device_of(fn, arg, whole, "origins", origins));
    return TESS_OK;
}

/* ---- Extract ---- */

static tess_status cut(const tess_array *out, const tess_array *in, const tess_array *origins,
                       const tess_resize_opts *o)
{
    tess__window work = { .name = "extract", .out = *out, .in = *in, .origins = *origins };
    TESS_TRY(tess__window_border(&work, o, in->dtype));
    TESS_TRY(tess__window_run(&work));
    return TESS_OK;
}

static tess_status check_shape(tess_shape *shape, const tess_array *in, const tess_array *origins)
{
    char text[TESS__SHAPE_TEXT];
    TESS_CHECK(shape->b == 1, TESS_ESHAPE, "extract: `shape` is %s; the shape of one sub-region, {1,d,h,w}, is needed",
               tess__shape_text(text, shape->dim));
    TESS_TRY(tess__check_shape("extract", "shape", *shape, in->dtype));
    shape->b = origins->shape.b;
    TESS_TRY(tess__check_shape("extract", "the shape of the result", *shape, in->dtype));
    return TESS_OK;
}

tess_status tess_extract(tess_array *out, const tess_array *in, const tess_array *origins, tess_shape shape,
                         const tess_resize_opts *opts)
{
    tess_resize_opts o;
    TESS_TRY(tess__check_pointer("extract", "out", out));
    TESS_TRY(tess__check_array("extract", "in", in));
    TESS_TRY(tess__resize_options(&o, &tess__info_extract, opts, out, in));
    TESS_TRY(tess__check_origins("extract", origins, -1, "in", in));
    TESS_TRY(check_shape(&shape, in, origins));
    TESS_TRY(tess__check_border_source("extract", &o, in, shape));
    const bool made = tess__is_empty_out(out);
    TESS_TRY(tess__output("extract", out, shape, in->dtype, in->device));
    if (!made) {
        TESS_TRY(tess__check_overlap("extract", out, "in", in, false));
        TESS_TRY(tess__check_overlap("extract", out, "origins", origins, false));
    }
    if (!tess__has_elements(out)) return TESS_OK;
    tess_array  held[2] = { { .data = NULL }, { .data = NULL } };
    tess_status status = TESS_OK;
    TESS_GOTO(done, status, tess__hold(&held[0], "extract", &in));
    TESS_GOTO(done, status, tess__hold(&held[1], "extract", &origins));
    TESS_GOTO(done, status, cut(out, in, origins, &o));
done:
    tess_release(&held[0]);
    tess_release(&held[1]);
    TESS_TRY(tess__finish(status, out, made));
    return TESS_OK;
}

/* ---- Atlas ---- */

/* The square root of n, rounded up. */
static int64_t root_above(int64_t n)
{
    int64_t root = (int64_t)sqrt((double)n);
    while (root * root < n) root++;
    while ((root - 1) * (root - 1) >= n) root--;
    return root;
}

/* An allocated array may be in use by queued work. */
static tess_status write_origins(tess_array *origins, int64_t n, int64_t columns, int64_t h, int64_t w)
{
    const bool made = tess__is_empty_out(origins);
    TESS_TRY(tess__output_named("atlas_layout", "origins", origins, TESS_SHAPE(n, 1, 1, 2), TESS_I64, tess_cpu()));
    if (!made) TESS_TRY(tess__sync("atlas_layout", tess_cpu()));
    for (int64_t i = 0; i < n; i++) {
        int64_t *at = (int64_t *)origins->data + i * origins->strides.b;
        at[0] = i / columns * h;
        at[origins->strides.w] = i % columns * w;
    }
    return TESS_OK;
}

tess_status tess_atlas_layout(tess_shape *atlas, tess_array *origins, int64_t n, int64_t h, int64_t w)
{
    TESS_TRY(tess__check_pointer("atlas_layout", "atlas", atlas));
    TESS_CHECK(n >= 1 && n <= TESS__MAX_BYTES, TESS_ERANGE,
               "atlas_layout: `n` is %" PRId64 "; 1 to 2^60 images are allowed", n);
    TESS_CHECK(h >= 1 && w >= 1, TESS_ESHAPE,
               "atlas_layout: `h` is %" PRId64 " and w is %" PRId64 "; sizes of 1 or more are needed", h, w);
    const int64_t columns = root_above(n), rows = (n - 1) / columns + 1;
    tess_shape    shape = TESS_SHAPE(1, 1, 0, 0);
    TESS_CHECK(!__builtin_mul_overflow(rows, h, &shape.h) && !__builtin_mul_overflow(columns, w, &shape.w), TESS_ESHAPE,
               "atlas_layout: `h` is %" PRId64 " and w is %" PRId64 ": %" PRId64 " rows or %" PRId64
               " columns of such images exceed 2^63",
               h, w, rows, columns);
    TESS_TRY(tess__check_shape("atlas_layout", "the atlas", shape, TESS_U8));
    if (origins) TESS_TRY(write_origins(origins, n, columns, h, w));
    *atlas = shape;
    return TESS_OK;
}
