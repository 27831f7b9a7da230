/* Metadata after a change of geometry: pixel size, origin, start, cell, extended header. */
#include "tessera/meta.h"

#include <math.h>

#include "tessera/error.h"

void tess_meta_forget_stats(tess_meta *meta)
{
    meta->min = meta->max = meta->mean = meta->std = 0;
    meta->stats = 0;
}

void tess_meta_forget_extended(tess_meta *meta)
{
    meta->extended_type[0] = 0;
    meta->extended_size = 0;
    meta->extended = NULL;
}

static bool any(const double v[3]) { return v[0] != 0 || v[1] != 0 || v[2] != 0; }

/* The start as it is after the change, rounded; true if that was whole along all axes. */
static bool moved_start(const tess_meta *meta, const double factor[3], const double shift[3], int64_t start[3])
{
    bool whole = true;
    for (int i = 0; i < 3; ++i) {
        const double moved = ((double)meta->start[i] + shift[i]) / factor[i];
        start[i] = (int64_t)rint(moved);
        whole = whole && fabs(moved - rint(moved)) < 1e-9;
    }
    return whole;
}

/* The samples of the cell are as many pixels of the new size, if that is whole. */
static void scale_grid(tess_meta *meta, const double factor[3])
{
    bool whole = true;
    for (int i = 0; i < 3; ++i) {
        const double n = (double)meta->grid[i] / factor[i];
        whole = whole && fabs(n - rint(n)) < 1e-6;
    }
    for (int i = 0; i < 3 && whole; ++i) meta->grid[i] = (int32_t)rint((double)meta->grid[i] / factor[i]);
    if (!whole) tess_meta_forget_cell(meta);
}

/* The origin is a point in space, also where the axes of the cell are not at right angles. */
static void move_origin(tess_meta *meta, const double pixels[3])
{
    double direction[3][3];
    tess_meta_axes(direction, meta, true);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k) meta->origin[i] += pixels[k] * meta->pixel_size[k] * direction[k][i];
}

tess_status tess_meta_scale(tess_meta *meta, const double factor[3], const double shift[3])
{
    TESS_CHECK(meta && factor && shift, TESS_EARG, "meta_scale: `%s` is NULL; it is required",
               !meta    ? "meta"
               : factor ? "shift"
                        : "factor");
    for (int i = 0; i < 3; ++i) {
        TESS_CHECK(factor[i] > 0 && isfinite(factor[i]), TESS_ERANGE,
                   "meta_scale: `factor` of axis %d is %g; a finite number above 0 is expected", i, factor[i]);
        TESS_CHECK(isfinite(shift[i]), TESS_ERANGE, "meta_scale: `shift` of axis %d is %g; a finite number is expected",
                   i, shift[i]);
    }
    const bool by_origin = any(meta->origin), crystal = meta->grid[2] > 0;
    const bool has_start = meta->start[0] != 0 || meta->start[1] != 0 || meta->start[2] != 0;
    bool       is_known = true; /* the pixel size, along axes that move */
    double     moved[3];
    for (int i = 0; i < 3; ++i) is_known = is_known && (meta->pixel_size[i] > 0 || (!meta->start[i] && shift[i] == 0));
    int64_t    start[3];
    const bool whole = moved_start(meta, factor, shift, start);
    const bool by_start = !by_origin && (((has_start || crystal) && whole) || !is_known);
    for (int i = 0; i < 3; ++i) {
        moved[i] = shift[i] + (by_origin ? 0 : (double)meta->start[i]);
        if (by_start) meta->start[i] = start[i];
    }
    if (!by_start) move_origin(meta, moved);
    /* A start that was not in use must not come into use. */
    for (int i = 0; i < 3 && !by_start; ++i)
        if (!by_origin || !any(meta->origin)) meta->start[i] = 0;
    scale_grid(meta, factor);
    for (int i = 0; i < 3; ++i) {
        meta->pixel_size[i] *= factor[i];
        if (factor[i] != 1 && !tess_meta_has_operators(meta)) tess_meta_forget_extended(meta);
    }
    return TESS_OK;
}

tess_status tess_meta_crop(tess_meta *meta, tess_shape left)
{
    TESS_CHECK(meta, TESS_EARG, "meta_crop: `meta` is NULL; it is required");
    const double factor[3] = { 1, 1, 1 };
    const double shift[3] = { (double)left.d, (double)left.h, (double)left.w };
    TESS_TRY(tess_meta_scale(meta, factor, shift));
    if (!tess_meta_has_operators(meta)) tess_meta_forget_extended(meta);
    return TESS_OK;
}

/* The origin of a part of a cell in pixels along its axes; false where another field, or nothing, places it. */
static bool origin_in_pixels(const tess_meta *meta, double pixels[3])
{
    double reciprocal[3][3];
    for (int k = 0; k < 3; ++k)
        if (meta->grid[k] <= 0 || meta->pixel_size[k] <= 0) return false;
    tess_meta_reciprocal_axes(reciprocal, meta, true);
    for (int k = 0; k < 3; ++k) {
        pixels[k] = 0;
        for (int i = 0; i < 3; ++i) pixels[k] += meta->origin[i] * reciprocal[k][i] / meta->pixel_size[k];
    }
    return any(meta->origin);
}

static void set_origin(tess_meta *meta, const double pixels[3])
{
    for (int i = 0; i < 3; ++i) meta->origin[i] = 0;
    move_origin(meta, pixels);
    for (int i = 0; i < 3 && !any(meta->origin); ++i) meta->start[i] = 0; /* it was not in use */
}

static void swap_doubles(double *a, double *b)
{
    const double kept = *a;
    *a = *b;
    *b = kept;
}

/* Is it one of the axes 0 d, 1 h, 2 w? */
static tess_status check_axis(const char *fn, const char *name, int32_t axis)
{
    TESS_CHECK(axis >= 0 && axis <= 2, TESS_ERANGE, "%s: `%s` is %d; 0 (d), 1 (h) or 2 (w) is expected", fn, name,
               (int)axis);
    return TESS_OK;
}

tess_status tess_meta_swap_axes(tess_meta *meta, int32_t a, int32_t b)
{
    TESS_CHECK(meta, TESS_EARG, "meta_swap_axes: `meta` is NULL; it is required");
    TESS_TRY(check_axis("meta_swap_axes", "a", a));
    TESS_TRY(check_axis("meta_swap_axes", "b", b));
    if (a == b) return TESS_OK;
    double        pixels[3];
    const bool    by_origin = origin_in_pixels(meta, pixels);
    const double  size = meta->pixel_size[a], origin = meta->origin[a];
    const int64_t start = meta->start[a];
    const int32_t grid = meta->grid[a];
    const float   angle = meta->angles[2 - a]; /* of the axes that are not a */
    meta->pixel_size[a] = meta->pixel_size[b], meta->origin[a] = meta->origin[b], meta->start[a] = meta->start[b];
    meta->pixel_size[b] = size, meta->origin[b] = origin, meta->start[b] = start;
    meta->grid[a] = meta->grid[b], meta->angles[2 - a] = meta->angles[2 - b];
    meta->grid[b] = grid, meta->angles[2 - b] = angle;
    if (!by_origin) return TESS_OK;
    swap_doubles(&pixels[a], &pixels[b]);
    set_origin(meta, pixels);
    return TESS_OK;
}

tess_status tess_meta_mirror(tess_meta *meta, int32_t axis, int64_t behind)
{
    TESS_CHECK(meta, TESS_EARG, "meta_mirror: `meta` is NULL; it is required");
    TESS_TRY(check_axis("meta_mirror", "axis", axis));
    double     pixels[3];
    const bool by_origin = origin_in_pixels(meta, pixels);
    for (int i = 0; i < 3; ++i)
        if (i != 2 - axis && meta->angles[i] > 0) meta->angles[i] = 180 - meta->angles[i];
    if (meta->grid[axis] <= 0) return TESS_OK;
    meta->start[axis] = behind - meta->start[axis];
    if (!by_origin) return TESS_OK;
    pixels[axis] = (double)behind - pixels[axis];
    set_origin(meta, pixels);
    return TESS_OK;
}
