/* Meta data after a change of geometry: what becomes of pixel size, origin, start, cell and records. */
#ifndef TESSERA_MEASURE_GEOMETRY_H
#define TESSERA_MEASURE_GEOMETRY_H

#include "tessera.h"

/* The statistics of the header are those of the data no more. */
void meta_forget_statistics(tess_meta *meta);

/* Drop the extended header. */
void meta_drop_records(tess_meta *meta);

/* Pixels along the axes z, y, x are `factor` times as large, and the first one lies `shift` old pixels on. Only the
 * field that says where the map is changes: the origin if any of it is not 0; else the start, if any of it is not 0, or
 * the map is one of a crystal, and all of it stays whole; else the start is added to the origin, and is 0 from there
 * on. Where the pixel size is not known there is no origin in Å: the start is rounded. Angles of the cell stay, and its
 * edges do where the new pixels divide them: elsewhere the array becomes the cell. */
void meta_scale(tess_meta *meta, const double factor[3], const double shift[3]);

/* What was pixel `left` along each axis (d, h, w) is the first now; and what was an extended header goes, unless
 * it is the symmetry of a crystal. */
void meta_crop(tess_meta *meta, tess_shape left);

/* The half spectrum on the storage of real images whose rows are 2 (w/2+1) elements apart, and the real images, w wide,
 * on that of a half spectrum: for transforms in place. */
tess_array half_spectrum_of(const tess_array *real);
tess_array real_images_of(const tess_array *spectrum, int64_t w);

/* Swap two of the axes 0 d, 1 h, 2 w; mirror one of them, which makes 180 degrees minus them of the angles to it. A
 * part of a cell is mirrored with the cell, where `behind` pixels follow it if it starts at 0; an array that is its own
 * cell stays where it is. */
void meta_swap(tess_meta *meta, int a, int b);
void meta_mirror(tess_meta *meta, int axis, int64_t behind);

#endif
