/* Views: other shapes and strides of the same storage. Nothing is allocated or copied. */
#include "tessera/array.h"

#include <inttypes.h>

#include "core/check/check.h"
#include "core/array/layout.h"
#include "core/check/marks.h"
#include "core/array/region.h"
#include "core/check/text.h"
#include "core/array/view.h"

static tess_status check_view(const char *fn, const tess_array *view, const tess_array *a)
{
    TESS_TRY(tess__check_pointer(fn, "view", view));
    TESS_TRY(tess__check_array(fn, "a", a));
    return TESS_OK;
}

/* `a` seen from another element; the offset counts elements. An empty array's address does not matter and stays. */
static tess_array moved(const tess_array *a, int64_t offset)
{
    tess_array view = *a;
    if (tess__has_elements(a)) view.data = (char *)a->data + offset * tess__dtype_size(a->dtype);
    return view;
}

tess_status tess__permute(const char *fn, tess_array *view, const tess_array *a, int b, int d, int h, int w)
{
    int      axes[4] = { b, d, h, w };
    unsigned seen = 0;
    for (int k = 0; k < 4; k++) {
        if (axes[k] < 0) axes[k] += 4;
        seen |= axes[k] >= 0 && axes[k] < 4 ? (unsigned)TESS_B << axes[k] : 0;
    }
    TESS_CHECK(seen == TESS_ALL_AXES, TESS_EARG,
               "%s: `axes` are {%d,%d,%d,%d}; each of 0, 1, 2 and 3 (or -4 to -1) must occur once", fn, b, d, h, w);
    tess_array result = *a;
    for (int k = 0; k < 4; k++) {
        result.shape.dim[k] = a->shape.dim[axes[k]];
        result.strides.dim[k] = a->strides.dim[axes[k]];
    }
    *view = result;
    return TESS_OK;
}

tess_status tess_permute(tess_array *view, const tess_array *a, int b, int d, int h, int w)
{
    TESS_TRY(check_view("permute", view, a));
    TESS_TRY(tess__permute("permute", view, a, b, d, h, w));
    return TESS_OK;
}

tess_status tess_transpose(tess_array *view, const tess_array *a)
{
    TESS_TRY(check_view("transpose", view, a));
    tess_array result = *a;
    result.shape.h = a->shape.w, result.strides.h = a->strides.w;
    result.shape.w = a->shape.h, result.strides.w = a->strides.h;
    *view = result;
    return TESS_OK;
}

/* The size that a -1 stands for. */
static tess_status infer_size(const tess_array *a, tess_shape *shape)
{
    char    text[2][TESS__SHAPE_TEXT];
    int64_t others = 1;
    int     unknown = -1;
    for (int k = 0; k < 4; k++) {
        const int64_t size = shape->dim[k];
        TESS_CHECK(size >= 0 || (size == -1 && unknown < 0), TESS_ESHAPE,
                   "reshape: `shape` is %s; sizes of 0 or more, and at most one -1, are needed",
                   tess__shape_text(text[0], shape->dim));
        if (size < 0) unknown = k;
        else if (size > TESS__MAX_BYTES / (others > 0 ? others : 1)) others = 0; /* more than any array has */
        else others *= size;
    }
    const int64_t n = tess__elements(a), size = others ? n / others : 0;
    TESS_CHECK(others != 0 && size * others == n, TESS_ESHAPE,
               "reshape: `a` has shape %s, %" PRId64 " elements; no size in place of -1 gives %s the same number",
               tess__shape_text(text[0], a->shape.dim), n, tess__shape_text(text[1], shape->dim));
    shape->dim[unknown] = size;
    return TESS_OK;
}

static tess_status reject_reshape(const char *fn, const tess_array *a, tess_shape shape)
{
    char text[3][TESS__SHAPE_TEXT];
    TESS_FAIL(TESS_ELAYOUT,
              "%s: `a` has shape %s and strides %s, which cannot be viewed as %s without a copy; `tess_copy` it first",
              fn, tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], a->strides.dim),
              tess__shape_text(text[2], shape.dim));
}

static tess_status check_count(const char *fn, const tess_array *a, tess_shape shape)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_shape(fn, "shape", shape, a->dtype));
    const int64_t n = shape.b * shape.d * shape.h * shape.w;
    TESS_CHECK(n == tess__elements(a), TESS_ESHAPE,
               "%s: `a` has shape %s, %" PRId64 " elements; the new shape is %s, %" PRId64
               " elements; the numbers must be equal",
               fn, tess__shape_text(text[0], a->shape.dim), tess__elements(a), tess__shape_text(text[1], shape.dim), n);
    return TESS_OK;
}

/* To a shape that holds as many elements. */
static tess_status reshape(const char *fn, tess_array *view, const tess_array *a, tess_shape shape)
{
    tess_strides strides;
    if (!tess__has_elements(a)) strides = tess_strides_contiguous(shape, 'C');
    else if (!tess__reshape_strides(a, shape, &strides)) return reject_reshape(fn, a, shape);
    if (view != a) *view = *a;
    view->shape = shape;
    view->strides = strides;
    return TESS_OK;
}

tess_status tess_reshape(tess_array *view, const tess_array *a, tess_shape shape)
{
    TESS_TRY(check_view("reshape", view, a));
    if ((shape.b | shape.d | shape.h | shape.w) < 0) TESS_TRY(infer_size(a, &shape));
    TESS_TRY(check_count("reshape", a, shape));
    TESS_TRY(reshape("reshape", view, a, shape));
    return TESS_OK;
}

tess_status tess_flatten(tess_array *view, const tess_array *a)
{
    TESS_TRY(check_view("flatten", view, a));
    TESS_TRY(reshape("flatten", view, a, tess_shape_of(1, 1, 1, tess_n_elements(a))));
    return TESS_OK;
}

tess_status tess_broadcast(tess_array *view, const tess_array *a, tess_shape shape)
{
    TESS_TRY(check_view("broadcast", view, a));
    TESS_TRY(tess__check_shape("broadcast", "shape", shape, a->dtype));
    char       text[2][TESS__SHAPE_TEXT];
    tess_array result = *a;
    for (int k = 0; k < 4; k++) {
        if (a->shape.dim[k] == shape.dim[k]) continue;
        TESS_CHECK(a->shape.dim[k] == 1, TESS_ESHAPE,
                   "broadcast: `a` has shape %s; axis %d cannot become %" PRId64
                   " of %s: only a size of 1 can be repeated",
                   tess__shape_text(text[0], a->shape.dim), k, shape.dim[k], tess__shape_text(text[1], shape.dim));
        result.strides.dim[k] = 0;
    }
    result.shape = shape;
    *view = result;
    return TESS_OK;
}

tess_status tess_slice(tess_array *view, const tess_array *a, int axis, int64_t from, int64_t to, int64_t step)
{
    TESS_TRY(check_view("slice", view, a));
    TESS_TRY(tess__check_axis("slice", "axis", &axis));
    tess_array result = *a;
    TESS_TRY(tess__take_range("slice", &result, axis, tess_from_to_step(from, to, step)));
    *view = result;
    return TESS_OK;
}

tess_status tess_subregion(tess_array *view, const tess_array *a, tess_region region)
{
    TESS_TRY(check_view("subregion", view, a));
    const tess_range ranges[4] = { region.b, region.d, region.h, region.w };
    tess_array       result = *a;
    for (int k = 0; k < 4; k++) TESS_TRY(tess__take_range("subregion", &result, k, ranges[k]));
    *view = result;
    return TESS_OK;
}

tess_status tess_subregion_text(tess_array *view, const tess_array *a, const char *text)
{
    TESS_TRY(check_view("subregion_text", view, a));
    TESS_TRY(tess__check_pointer("subregion_text", "text", text));
    tess_range ranges[4];
    TESS_TRY(tess__parse_ranges(text, ranges));
    tess_array result = *a;
    for (int k = 0; k < 4; k++) TESS_TRY(tess__take_range("subregion_text", &result, k, ranges[k]));
    *view = result;
    return TESS_OK;
}

tess_status tess_index(tess_array *view, const tess_array *a, int axis, int64_t index)
{
    TESS_TRY(check_view("index", view, a));
    TESS_TRY(tess__check_axis("index", "axis", &axis));
    TESS_TRY(tess__check_index("index", "index", axis, a->shape.dim[axis], &index));
    tess_array result = moved(a, index * a->strides.dim[axis]);
    result.shape.dim[axis] = 1;
    *view = result;
    return TESS_OK;
}

tess_status tess_view_at(tess_array *view, const tess_array *a, int axis, int64_t index)
{
    TESS_TRY(check_view("view_at", view, a));
    TESS_TRY(tess__check_axis("view_at", "axis", &axis));
    TESS_TRY(tess__check_index("view_at", "index", axis, a->shape.dim[axis], &index));
    tess_array result = moved(a, index * a->strides.dim[axis]);
    for (int k = axis; k > 0; k--) {
        result.shape.dim[k] = a->shape.dim[k - 1];
        result.strides.dim[k] = a->strides.dim[k - 1];
    }
    result.shape.b = 1;
    result.strides.b = tess_strides_contiguous(result.shape, 'C').b;
    *view = result;
    return TESS_OK;
}

/* One step of a walk; `*more` is false at its end. */
static tess_status step_along(tess_along *walk, tess_array *view, const tess_array *a, int axis, bool *more)
{
    TESS_TRY(check_view("along_next", view, a));
    TESS_TRY(tess__check_axis("along_next", "axis", &axis));
    TESS_CHECK(walk->next >= 0, TESS_EARG, "along_next: `walk->next` is %" PRId64 "; 0 starts a walk", walk->next);
    *more = walk->next < a->shape.dim[axis];
    if (!*more) return TESS_OK;
    walk->index = walk->next++;
    TESS_TRY(tess_view_at(view, a, axis, walk->index));
    return TESS_OK;
}

bool tess_along_next(tess_along *walk, tess_array *view, const tess_array *a, int axis)
{
    bool more = false;
    if (tess__check_pointer("along_next", "walk", walk) != TESS_OK) return false;
    walk->status = step_along(walk, view, a, axis, &more);
    return more && walk->status == TESS_OK;
}

tess_status tess_reverse(tess_array *view, const tess_array *a, int axes)
{
    TESS_TRY(check_view("reverse", view, a));
    TESS_CHECK((axes & ~TESS_ALL_AXES) == 0, TESS_EARG,
               "reverse: `axes` is %d; a set of TESS_B, TESS_D, TESS_H and TESS_W is needed, not the number of an axis",
               axes);
    int64_t    offset = 0;
    tess_array result = *a;
    for (int k = 0; k < 4; k++) {
        if (!(axes & TESS_B << k)) continue;
        offset += (a->shape.dim[k] - 1) * a->strides.dim[k];
        result.strides.dim[k] = -a->strides.dim[k];
    }
    result.data = moved(a, offset).data;
    *view = result;
    return TESS_OK;
}

tess_status tess_squeeze_left(tess_array *view, const tess_array *a)
{
    TESS_TRY(check_view("squeeze_left", view, a));
    tess_array result = *a;
    int        to = 3;
    for (int k = 3; k >= 0; k--) {
        if (a->shape.dim[k] == 1) continue;
        result.shape.dim[to] = a->shape.dim[k];
        result.strides.dim[to--] = a->strides.dim[k];
    }
    for (; to >= 0; to--) {
        result.shape.dim[to] = 1;
        result.strides.dim[to] = to < 3 ? result.strides.dim[to + 1] * result.shape.dim[to + 1] : 1;
    }
    *view = result;
    return TESS_OK;
}

/* Strides in larger elements: all must be whole multiples of the ratio. */
static tess_status check_multiples(const tess_array *a, tess_dtype dtype, int64_t ratio)
{
    char text[TESS__SHAPE_TEXT];
    for (int k = 0; k < 3; k++)
        TESS_CHECK(a->shape.dim[k] == 1 || a->strides.dim[k] % ratio == 0, TESS_ELAYOUT,
                   "reinterpret: `a` has strides %s of %s; that of axis %d must be a multiple of %" PRId64 " for %s",
                   tess__shape_text(text, a->strides.dim), tess_dtype_name(a->dtype), k, ratio, tess_dtype_name(dtype));
    return TESS_OK;
}

/* Where the elements of an array that has some lie: their address and strides fit the other type. */
static tess_status check_reinterpret(const tess_array *a, tess_dtype dtype, int64_t from, int64_t to)
{
    char text[2][TESS__SHAPE_TEXT];
    TESS_CHECK((uintptr_t)a->data % (uintptr_t)tess__dtype_alignment(dtype) == 0, TESS_ELAYOUT,
               "reinterpret: `a` begins at %p, which is not aligned for %s; a multiple of %d bytes is needed", a->data,
               tess_dtype_name(dtype), (int)tess__dtype_alignment(dtype));
    if (from == to) return TESS_OK;
    TESS_CHECK(a->strides.w == 1 || a->shape.w == 1, TESS_ELAYOUT,
               "reinterpret: `a` has shape %s and strides %s; %s as %s needs a contiguous width%s",
               tess__shape_text(text[0], a->shape.dim), tess__shape_text(text[1], a->strides.dim),
               tess_dtype_name(a->dtype), tess_dtype_name(dtype),
               tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX
                   ? " (see " TESS__MARK("tess_real_view") ", " TESS__MARK("tess_imag_view") ")"
                   : "");
    if (to > from) TESS_TRY(check_multiples(a, dtype, to / from));
    return TESS_OK;
}

tess_status tess_reinterpret(tess_array *view, const tess_array *a, tess_dtype dtype)
{
    TESS_TRY(check_view("reinterpret", view, a));
    TESS_TRY(tess__check_dtype("reinterpret", "dtype", dtype));
    const int64_t from = tess__dtype_size(a->dtype), to = tess__dtype_size(dtype);
    tess_array    result = *a;
    TESS_CHECK(from % to == 0 || to % from == 0, TESS_EDTYPE,
               "reinterpret: `a` is %s of %d bytes and dtype %s of %d; one size must be a multiple of the other",
               tess_dtype_name(a->dtype), (int)from, tess_dtype_name(dtype), (int)to);
    TESS_CHECK(to < from || a->shape.w % (to / from) == 0, TESS_ESHAPE,
               "reinterpret: `a` has width %" PRId64 " of %s; a multiple of %" PRId64 " is needed for %s", a->shape.w,
               tess_dtype_name(a->dtype), to / from, tess_dtype_name(dtype));
    if (tess__has_elements(a)) TESS_TRY(check_reinterpret(a, dtype, from, to));
    if (from != to) {
        for (int k = 0; k < 3; k++)
            result.strides.dim[k] = to > from ? a->strides.dim[k] / (to / from) : a->strides.dim[k] * (from / to);
        result.strides.w = 1;
        result.shape.w = to > from ? a->shape.w / (to / from) : a->shape.w * (from / to);
    }
    result.dtype = dtype;
    result.flags &= ~(uint32_t)(TESS_SCALAR | TESS_WEAK); /* these are about the number, which this is no longer */
    TESS_TRY(tess__check_shape("reinterpret", "the result", result.shape, dtype));
    *view = result;
    return TESS_OK;
}

static tess_status part_view(const char *fn, tess_array *view, const tess_array *a, int part)
{
    TESS_TRY(check_view(fn, view, a));
    TESS_CHECK(tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `a` has dtype %s; a complex type (c16, c32, c64) is needed", fn, tess_dtype_name(a->dtype));
    tess_array result = *a;
    result.dtype = tess_dtype_real(a->dtype);
    for (int k = 0; k < 4; k++) result.strides.dim[k] = 2 * a->strides.dim[k];
    *view = moved(&result, part);
    return TESS_OK;
}

tess_status tess_real_view(tess_array *view, const tess_array *a)
{
    TESS_TRY(part_view("real_view", view, a, 0));
    return TESS_OK;
}

tess_status tess_imag_view(tess_array *view, const tess_array *a)
{
    TESS_TRY(part_view("imag_view", view, a, 1));
    return TESS_OK;
}
