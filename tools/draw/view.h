/* A picture of images or of a volume: what `tessera view` shows, and how. */
#ifndef TESSERA_DRAW_VIEW_H
#define TESSERA_DRAW_VIEW_H

#include "draw/picture_out.h"
#include "picture/sheet.h"

typedef struct view {
    job        *job;
    input       in;
    picture_out out;
    sheet       sheet;
    sheet_opts  opts;
    bool        power, numbers, default_contrast;
    nonfinite   odd;          /* NaNs and infinities that were read */
    double      cutoff, edge; /* cycles per pixel; 0: no filter */
} view;

/* What the options say that do not depend on the input; of the filter, which does. */
tess_status view_read_options(view *v);
tess_status view_read_filter(view *v);

/* Columns and rows of a montage of n images, by --montage. */
tess_status view_read_montage(const view *v, int64_t n, int64_t *columns, int64_t *rows);

/* Density is a small part of a map, and most of it nearly 0: mean and sd say little of it, and would show 0 as grey.
 * Where the user chose no contrast, that of volumes is by percentiles. */
void view_map_contrast(view *v);

/* Image i of what was chosen, as f32 {1,1,h,w}; of complex numbers the magnitudes. */
tess_status view_read_image(view *v, int64_t i, tess_array *image);

/* Draws the planes xy, xz and zy of a volume through the point of --at, which is x, y, z in `cut`. */
tess_status view_planes(view *v, double cut[3]);

#endif
