/* Parts of operations on slices of spectra: rotations and scales as arrays of f64, checks, axes. */
#include "ops/geometry/slices/slices.h"

#include <inttypes.h>

#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "ops/geometry/items/items.h"
#include "tessera/rotation.h"

/* ---- Rotations and scales ---- */

static bool are_quaternions(const tess_array *a)
{
    if (a->dtype < TESS_SCALAR_DTYPE_COUNT) return a->shape.w == 4;
    return a->dtype == TESS_VEC4_F32 || a->dtype == TESS_VEC4_F64;
}

/* Items that lie along b alone, as f64 numbers {n,1,rows,columns}. */
static tess_status take(tess_array *out, const tess__slice_parts *parts, tess__item_form form)
{
    char        text[TESS__SHAPE_TEXT];
    tess__items items;
    tess_status status = TESS_OK;
    TESS_TRY(tess__items_of(&items, parts->fn, parts->arg, parts->in, form));
    tess_array       view = items.first;
    const tess_shape n = view.shape;
    if (n.d != 1 || n.h != 1 || n.w != 1 || (n.b != 1 && n.b != parts->batches)) {
        tess__items_end(&items);
        TESS_FAIL(TESS_ESHAPE, "%s: `%s` is %s %s; one, or one for each of the %" PRId64 " `%s`, is needed along b",
                  parts->fn, parts->arg, tess_dtype_name(parts->in->dtype),
                  tess__shape_text(text, parts->in->shape.dim), parts->batches, parts->other);
    }
    view.shape.h = items.rows;
    view.shape.w = items.columns;
    view.strides.h = items.row_step;
    view.strides.w = items.column_step;
    status = tess_cast(out, &view, TESS_F64, NULL);
    tess__items_end(&items);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__slice_matrices(tess_array *out, const tess__slice_parts *parts, int size)
{
    const tess__item_form form = { TESS__ITEM_MATRIX, size, size, false };
    TESS_TRY(take(out, parts, form));
    return TESS_OK;
}

tess_status tess__slice_rotations(tess_array *out, const tess__slice_parts *parts)
{
    static const tess__item_form quaternion = { TESS__ITEM_VECTOR, 1, 4, true };
    tess_array                   quats = { .data = NULL };
    TESS_TRY(tess__check_array(parts->fn, parts->arg, parts->in));
    if (!are_quaternions(parts->in)) {
        TESS_TRY(tess__slice_matrices(out, parts, 3));
        return TESS_OK;
    }
    TESS_TRY(take(&quats, parts, quaternion));
    const tess_status status = tess_quat_to_matrix(out, &quats);
    tess_release(&quats);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__slice_count(int64_t *n, const char *fn, const tess_array *rotations)
{
    TESS_TRY(tess__check_array(fn, "rotations", rotations));
    const bool list = rotations->dtype < TESS_SCALAR_DTYPE_COUNT && are_quaternions(rotations);
    *n = list && rotations->shape.b == 1 ? rotations->shape.h : rotations->shape.b;
    return TESS_OK;
}

/* ---- Checks ---- */

tess_status tess__slice_check_dtype(const char *fn, const char *arg, const tess_array *a)
{
    const tess_dtype real = tess_dtype_real(a->dtype);
    TESS_CHECK((real == TESS_F32 || real == TESS_F64) && a->dtype < TESS_SCALAR_DTYPE_COUNT, TESS_EDTYPE,
               "%s: `%s` is %s; f32, f64, c32 or c64 is needed", fn, arg, tess_dtype_name(a->dtype));
    return TESS_OK;
}

tess_status tess__slice_check_images(const char *fn, const char *arg, tess_shape shape)
{
    char text[TESS__SHAPE_TEXT];
    TESS_CHECK(shape.d == 1, TESS_ESHAPE, "%s: `%s` is %s; the shape of images, {n,1,h,w}, is needed", fn, arg,
               tess__shape_text(text, shape.dim));
    return TESS_OK;
}

tess_status tess__slice_check_volume(const char *fn, const char *arg, tess_shape shape)
{
    char text[TESS__SHAPE_TEXT];
    TESS_CHECK(shape.b == 1, TESS_ESHAPE, "%s: `%s` is %s; the shape of a single volume, {1,d,h,w}, is needed", fn, arg,
               tess__shape_text(text, shape.dim));
    return TESS_OK;
}

double tess__slice_curve(double radius) { return radius == 0 ? 0 : 0.5 / radius; }

tess_status tess__slice_target(double target[3], const char *fn, tess_shape given, tess_shape shape)
{
    char text[TESS__SHAPE_TEXT];
    for (int k = 0; k < 3; k++) {
        const int64_t n = given.dim[k + 1];
        TESS_CHECK(n >= 0 && n < (int64_t)1 << 40, TESS_ERANGE,
                   "%s: `opts->target` is %s; sizes must be at least 1, or 0 for the default", fn,
                   tess__shape_text(text, given.dim));
        target[k] = (double)(n ? n : shape.dim[k + 1]);
    }
    return TESS_OK;
}

void tess__slice_axes(int64_t n[3], int32_t order[3], tess_shape shape, int layout)
{
    for (int k = 0; k < 3; k++) {
        n[k] = shape.dim[k + 1];
        order[k] = tess__fft_axis_of(layout, k + 1, n[k]).order;
    }
}
