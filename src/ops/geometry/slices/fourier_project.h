/* What projection and reconstruction by central slices share: sizes of images and of their padded cubes, rows of
 * numbers for each image, and shifts that move the centre to index 0 or back. */
#ifndef TESS_OPS_GEOMETRY_SLICES_FOURIER_PROJECT_H
#define TESS_OPS_GEOMETRY_SLICES_FOURIER_PROJECT_H

#include "tessera/fourier_project.h"

/* The side of images and of the padded cube, of a half spectrum {1,p,p,p/2+1}; an error if it is none of `padding`. */
tess_status tess__padded_sides(int64_t *side, int64_t *padded, const char *fn, const char *arg,
                               const tess_array *spectrum, int32_t padding);

/* Square images {n,1,s,s} of real numbers. */
tess_status tess__square_images(const char *fn, const char *arg, const tess_array *images);

/* Rows {1 or n,1,1,m} of real numbers, m from `least` to `most`. */
tess_status tess__rows_of_images(const char *fn, const char *arg, const tess_array *rows, int64_t n, int64_t least,
                                 int64_t most);

/* Shifts {1 or n,1,1,2} of images with a side of s pixels on a device: `sign` times s/2, rounded down, is added to
 * `given`, or to 0 where that is NULL. `out` is zeroed, and released by the caller. */
tess_status tess__centred_shifts(tess_array *out, const char *fn, const tess_array *given, int64_t side, int sign,
                                 tess_device device);

/* Spectra of images, f32 or f64, whose centre, moved by `shifts` (NULL: 0), becomes index 0. */
tess_status tess__centred_spectra(tess_array *spectra, const char *fn, const tess_array *images,
                                  const tess_array *shifts);

#endif
