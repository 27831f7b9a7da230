/* Points at which images and volumes are sampled: numbers or vectors as rows of numbers, checks, fewer rows. */
#include "ops/geometry/sampling/points.h"

#include <inttypes.h>

#include "core/check/check.h"
#include "core/check/output.h"
#include "core/check/text.h"
#include "ops/geometry/sampling/prefilter.h"
#include "tessera/device.h"

/* ---- Checks ---- */

static int vector_size(tess_dtype dtype)
{
    if (dtype == TESS_VEC2_F32 || dtype == TESS_VEC2_F64) return 2;
    return dtype == TESS_VEC3_F32 || dtype == TESS_VEC3_F64 ? 3 : 0;
}

tess_status tess__points_check(tess__points *points, const tess_array *coordinates, tess_shape image,
                               const char *image_name)
{
    const char *fn = points->name;
    char        text[TESS__SHAPE_TEXT];
    TESS_TRY(tess__check_array(fn, "coordinates", coordinates));
    const tess_shape shape = coordinates->shape;
    const int        vector = vector_size(coordinates->dtype);
    if (vector) {
        points->dims = vector;
        points->values = shape;
    } else {
        TESS_TRY(tess__check_numbers(fn, "coordinates", coordinates));
        TESS_CHECK(tess_dtype_kind(coordinates->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
                   "%s: `coordinates` is %s; a real type is needed", fn, tess_dtype_name(coordinates->dtype));
        TESS_CHECK(shape.w == 2 || shape.w == 3, TESS_ESHAPE,
                   "%s: `coordinates` has shape %s; expected y, x {b,n,m,2} or z, y, x {b,n,m,3}", fn,
                   tess__shape_text(text, shape.dim));
        points->dims = (int)shape.w;
        points->values = TESS_SHAPE(shape.b, 1, shape.d, shape.h);
    }
    TESS_CHECK(points->dims == 3 || image.d <= 1, TESS_ESHAPE,
               "%s: `coordinates` are y, x, and `%s` is a volume of shape %s; expected z, y, x", fn, image_name,
               tess__shape_text(text, image.dim));
    return TESS_OK;
}

bool tess__points_fit(const tess__points *points, tess_shape values)
{
    const tess_shape p = points->values;
    if (values.w != p.w) return false;
    return (values.d == p.d && values.h == p.h) || (p.d == 1 && values.d * values.h == p.h);
}

tess_status tess__points_options(const char *fn, const tess_array *out, const tess_array *in,
                                 const tess_coordinates_opts *o)
{
    char text[32];
    TESS_TRY(tess__check_border(fn, out, o->cut ? TESS_BORDER_VALUE : o->border, o->value, o->value_imag));
    TESS_CHECK(!o->cut || o->border != TESS_BORDER_NOTHING, TESS_EARG,
               "%s: `opts->cut` is 1 and `opts->border` is \"nothing\"; expected another border", fn);
    TESS_CHECK(o->value_imag == 0 || tess_dtype_kind(in->dtype) == TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: `opts->value_imag` is %s, but in is %s; complex elements are needed", fn,
               tess__number_text(text, o->value_imag), tess_dtype_name(in->dtype));
    TESS_TRY(tess__check_prefilter(fn, o->prefilter, o->interp));
    return TESS_OK;
}

/* ---- Numbers ---- */

/* Vectors as rows of numbers {b,d h,w,dims}; false: strides do not allow it. */
static bool view_vectors(tess_array *view, const tess_array *vectors, int dims)
{
    const tess_shape   n = vectors->shape;
    const tess_strides s = vectors->strides;
    if (n.d != 1 && n.h != 1 && s.d != n.h * s.h) return false;
    *view = *vectors;
    view->dtype = tess_dtype_real(vectors->dtype);
    view->shape = TESS_SHAPE(n.b, n.d * n.h, n.w, dims);
    view->strides = (tess_strides){ { s.b * dims, (n.h == 1 ? s.d : s.h) * dims, s.w * dims, 1 } };
    return true;
}

tess_status tess__points_take(tess__points *points, const tess_array *coordinates, tess_device device)
{
    tess_array  from = *coordinates, there = { .data = NULL };
    tess_status status = TESS_OK;
    if (!tess__same_device(coordinates->device, device)) {
        TESS_TRY(tess_to_device(&there, coordinates, device));
        from = there;
    }
    if (vector_size(from.dtype) && !view_vectors(&points->numbers, &from, points->dims)) {
        TESS_GOTO(done, status, tess_copy(&points->made, &from));
        (void)view_vectors(&points->numbers, &points->made, points->dims);
    } else if (!vector_size(from.dtype) && from.dtype != TESS_F32 && from.dtype != TESS_F64) {
        TESS_GOTO(done, status, tess_cast(&points->made, &from, TESS_F64, NULL));
        points->numbers = points->made;
    } else {
        if (!vector_size(from.dtype)) points->numbers = from;
        points->made = there;
        there = (tess_array){ .data = NULL };
    }
done:
    tess_release(&there);
    return status;
}

/* ---- Fewer rows ---- */

/* Returns true if `times` rows of n elements, `inner` apart in a row and `outer` from row to row, are equidistant;
 * `*stride` receives that distance. */
static bool are_even(int64_t *stride, int64_t n, int64_t inner, int64_t times, int64_t outer)
{
    if (n != 1 && times != 1 && outer != n * inner) return false;
    *stride = n == 1 ? outer : inner;
    return true;
}

void tess__points_merge(tess_array *numbers, tess_array *values)
{
    const tess_shape n = values->shape;
    int64_t          h, w, at;
    if (!are_even(&h, n.h, values->strides.h, n.d, values->strides.d)) return;
    values->shape = TESS_SHAPE(n.b, 1, n.d * n.h, n.w);
    values->strides.h = h;
    if (!are_even(&w, n.w, values->strides.w, n.d * n.h, h) ||
        !are_even(&at, n.w, numbers->strides.h, n.d * n.h, numbers->strides.d))
        return;
    values->shape = TESS_SHAPE(n.b, 1, 1, n.d * n.h * n.w);
    values->strides.w = w;
    numbers->shape = TESS_SHAPE(numbers->shape.b, 1, n.d * n.h * n.w, numbers->shape.w);
    numbers->strides.h = at;
}
