/* What becomes of metadata where an array is scaled, cropped, mirrored or has axes swapped, and unit cells of crystals,
 * whose axes need not be at right angles.
 *
 * An operation on arrays knows nothing of pixel sizes and origins. What is written after it has the right header where
 * the metadata of the input go the same way. Axes are 0 d, 1 h, 2 w.
 */
#ifndef TESSERA_META_H
#define TESSERA_META_H

#include "tessera/filter.h"
#include "tessera/io.h"

TESS_BEGIN_C

/* ---- Geometry ---- */

/** Makes pixels along each axis `factor` times as large and begins `shift` old pixels further on. Binning by n is
 *  factor n and shift (n - 1) / 2. Only the field that places the map changes: the origin where any of it is not 0;
 *  else the start, where any of it is not 0 or the map is one of a crystal, and all of it stays an integer; else the
 *  start is added to the origin and becomes 0. Where the pixel size is not known the start is rounded. Angles of the
 *  cell stay, and so do its edges where the new pixels divide them; elsewhere the array becomes the cell. Factors must
 *  be above 0. */
TESS_API TESS_MUST_CHECK tess_status tess_meta_scale(tess_meta *meta, const double factor[3], const double shift[3]);

/** Begins with pixel `left` of d, h and w (below 0: pixels were added), and forgets an extended header unless it is the
 *  symmetry of a crystal. */
TESS_API TESS_MUST_CHECK tess_status tess_meta_crop(tess_meta *meta, tess_shape left);

/** Swaps two axes. */
TESS_API TESS_MUST_CHECK tess_status tess_meta_swap_axes(tess_meta *meta, int32_t a, int32_t b);

/** Mirrors an axis: angles to it become 180 degrees minus them. A part of a cell is mirrored with the cell, where
 *  `behind` pixels follow it if it starts at 0; an array that is its own cell stays where it is. */
TESS_API TESS_MUST_CHECK tess_status tess_meta_mirror(tess_meta *meta, int32_t axis, int64_t behind);

/** Forgets minimum, maximum, mean and standard deviation. */
TESS_API void tess_meta_forget_stats(tess_meta *meta);

/** Forgets the extended header. */
TESS_API void tess_meta_forget_extended(tess_meta *meta);

/* ---- Unit cells ---- */

/** An angle of the cell in degrees: 0 alpha (y to z), 1 beta (z to x), 2 gamma (x to y); 90 where none is given. */
TESS_API double tess_meta_angle(const tess_meta *meta, int32_t i);

/** Are axes not at right angles? Of an image, gamma alone counts. */
TESS_API bool tess_meta_is_skew(const tess_meta *meta, bool volume);

/** Directions of the axes d, h, w as vectors z, y, x of length 1: x along w, y in the plane of w and h, as PDB has
 *  it. */
TESS_API void tess_meta_axes(double direction[3][3], const tess_meta *meta, bool volume);

/** Directions of the reciprocal axes of d, h, w as vectors z, y, x: the product of each is 1 with its own axis and 0
 *  with the others. Planes of pixels lie 1 / length of a pixel apart. */
TESS_API void tess_meta_reciprocal_axes(double reciprocal[3][3], const tess_meta *meta, bool volume);

/** The metric of frequencies in cycles per pixel of w, with which lengths are those in 1/Å, times the pixel size along
 *  w. Pixels of unknown size are alike. */
TESS_API tess_metric tess_meta_metric(const tess_meta *meta, bool volume);

/** The highest frequency along an axis, in cycles per pixel of w. */
TESS_API double tess_meta_highest_frequency(const tess_meta *meta, bool volume);

/** Is the extended header the symmetry of the cell, and not records of single sections? */
TESS_API bool tess_meta_has_operators(const tess_meta *meta);

/** Forgets the space group of a crystal: its operators are of the axes as they were. */
TESS_API void tess_meta_forget_symmetry(tess_meta *meta);

/** Forgets the cell that the array was a part of, and its symmetry: the array becomes the cell. */
TESS_API void tess_meta_forget_cell(tess_meta *meta);

TESS_END_C

#endif
