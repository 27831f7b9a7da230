/* Meta data after a change of geometry: pixel size, origin, start, cell, records. */
#include "measure/geometry.h"

#include <math.h>

#include "measure/unit_cell.h"

void meta_forget_statistics(tess_meta *meta)
{
    meta->min = meta->max = meta->mean = meta->std = 0;
    meta->stats = 0;
}

void meta_drop_records(tess_meta *meta)
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
    if (!whole) unit_cell_forget(meta);
}

/* The origin is a point in space, also where the axes of the cell are not at right angles. */
static void move_origin(tess_meta *meta, const double pixels[3])
{
    double direction[3][3];
    tess_meta_axes(direction, meta, true);
    for (int i = 0; i < 3; ++i)
        for (int k = 0; k <= i; ++k) meta->origin[i] += pixels[k] * meta->pixel_size[k] * direction[k][i];
}

void meta_scale(tess_meta *meta, const double factor[3], const double shift[3])
{
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
        if (factor[i] != 1 && !unit_cell_has_operators(meta)) meta_drop_records(meta);
    }
}

void meta_crop(tess_meta *meta, tess_shape left)
{
    const double factor[3] = { 1, 1, 1 };
    const double shift[3] = { (double)left.d, (double)left.h, (double)left.w };
    meta_scale(meta, factor, shift);
    if (!unit_cell_has_operators(meta)) meta_drop_records(meta);
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

void meta_swap(tess_meta *meta, int a, int b)
{
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
    if (!by_origin) return;
    swap_doubles(&pixels[a], &pixels[b]);
    set_origin(meta, pixels);
}

void meta_mirror(tess_meta *meta, int axis, int64_t behind)
{
    double     pixels[3];
    const bool by_origin = origin_in_pixels(meta, pixels);
    for (int i = 0; i < 3; ++i)
        if (i != 2 - axis && meta->angles[i] > 0) meta->angles[i] = 180 - meta->angles[i];
    if (meta->grid[axis] <= 0) return;
    meta->start[axis] = behind - meta->start[axis];
    if (!by_origin) return;
    pixels[axis] = (double)behind - pixels[axis];
    set_origin(meta, pixels);
}

/* ---- Transforms in place ---- */

tess_array half_spectrum_of(const tess_array *real)
{
    tess_array spectrum = *real;
    spectrum.dtype = tess_dtype_complex(real->dtype);
    spectrum.shape = tess_rfft_shape(real->shape);
    for (int k = 0; k < 3; k++) spectrum.strides.dim[k] = real->strides.dim[k] / 2;
    return spectrum;
}

tess_array real_images_of(const tess_array *spectrum, int64_t w)
{
    tess_array real = *spectrum;
    real.dtype = tess_dtype_real(spectrum->dtype);
    real.shape.w = w;
    for (int k = 0; k < 3; k++) real.strides.dim[k] = 2 * spectrum->strides.dim[k];
    return real;
}
