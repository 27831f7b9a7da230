/* Pixel sizes of sources that are used together. */
#include "jobs/data/pixels.h"

#include <math.h>

static double along_w(const tess_source *source) { return source->meta ? source->meta->pixel_size[2] : 0; }

tess_status tess__pixel_size(double *size, const char *fn, const tess_source *source, double given)
{
    const tess_meta *meta = source->meta;
    if (given > 0) {
        *size = given;
        return TESS_OK;
    }
    TESS_CHECK(along_w(source) > 0, TESS_EARG, "%s: the pixel size of %s is not known; give `opts->pixel_size`", fn,
               source->name);
    TESS_CHECK(tess_meta_is_cubic(meta, source->shape.d > 1), TESS_EUNSUPPORTED,
               "%s: %s has pixels of %g x %g x %g A, or axes that are not at right angles; cubic pixels are needed", fn,
               source->name, meta->pixel_size[2], meta->pixel_size[1], meta->pixel_size[0]);
    *size = along_w(source);
    return TESS_OK;
}

void tess__warn_of_pixel_sizes(const tess_context *context, const tess_source *one, const tess_source *other)
{
    const double a = along_w(one), b = along_w(other);
    if (!tess_pixel_sizes_differ(a, b)) return;
    tess__warn(
        context,
        "%s has pixels of %.6g A and %s of %.6g A; they are combined pixel by pixel, as if both had pixels of %.6g A",
        one->name, a, other->name, b, a);
}

tess_status tess__need_real(const char *fn, const tess_source *source)
{
    TESS_CHECK(tess_dtype_kind(source->dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: %s has complex numbers; real numbers are needed", fn, source->name);
    return TESS_OK;
}

tess_dtype tess__dtype_to_compute(tess_dtype dtype)
{
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_COMPLEX: return dtype == TESS_C64 ? TESS_C64 : TESS_C32;
    case TESS_KIND_FLOAT: return dtype == TESS_F64 ? TESS_F64 : TESS_F32;
    default: return tess_dtype_size(dtype) > 2 ? TESS_F64 : TESS_F32;
    }
}

/* ---- What is known of pixels ---- */

bool tess_pixel_sizes_differ(double one, double other)
{
    return one > 0 && other > 0 && fabs(other - one) > 1e-4 * one;
}

/* Sizes in headers are exact to seven digits. */
static bool is_like_w(const tess_meta *meta, int axis)
{
    const double w = meta->pixel_size[2], other = meta->pixel_size[axis];
    return !(w > 0 && other > 0) || fabs(w / other - 1) <= 1e-6;
}

/* Angles in headers are exact to seven digits, and some were computed. */
static bool is_right(float degrees) { return !(degrees > 0) || fabs((double)degrees - 90) < 1e-3; }

bool tess_meta_is_cubic(const tess_meta *meta, bool volume)
{
    for (int i = volume ? 0 : 2; i < 3; ++i)
        if (!is_right(meta->angles[i])) return false;
    return is_like_w(meta, 1) && (!volume || is_like_w(meta, 0));
}
