/* Updates of metadata when an array is scaled, cropped, mirrored or has axes swapped, and unit cells of crystals, whose
 * axes need not be at right angles.
 *
 * Array operations know nothing of pixel sizes and origins. To write a correct header after them, apply the
 * corresponding functions to the metadata of the input. Axes are 0 d, 1 h, 2 w.
 */
#ifndef TESSERA_META_H
#define TESSERA_META_H

#include "tessera/filter.h"
#include "tessera/io.h"

TESS_BEGIN_C

/* ---- Geometry ---- */

/** Multiplies the pixel size along each axis by `factor` and moves the first pixel by `shift` old pixels. Binning by n
 *  has factor n and shift (n - 1) / 2. Only the field that positions the map changes. That is the origin, if any
 *  component is not 0; otherwise the start, if any component is not 0 or the map is that of a crystal, and the start
 *  remains an integer. Otherwise the start is added to the origin and becomes 0. If the pixel size is not known, the
 *  start is rounded. The angles of the cell stay, and so do its edges if the new pixels divide them; otherwise the
 *  array becomes the cell. Factors must be above 0. */
TESS_API TESS_MUST_CHECK tess_status tess_meta_scale(tess_meta *meta, const double factor[3], const double shift[3]);

/** Makes pixel `left` of d, h and w the first one (below 0: pixels were added), and removes an extended header unless
 *  it is the symmetry of a crystal. */
TESS_API TESS_MUST_CHECK tess_status tess_meta_crop(tess_meta *meta, tess_shape left);

/** Swaps two axes. */
TESS_API TESS_MUST_CHECK tess_status tess_meta_swap_axes(tess_meta *meta, int32_t a, int32_t b);

/** Mirrors an axis: its angles to the others become 180 degrees minus the angle. A part of a cell is mirrored with the
 *  cell; `behind` is the number of pixels that follow it if it starts at 0. An array that is its own cell stays in
 *  place. */
TESS_API TESS_MUST_CHECK tess_status tess_meta_mirror(tess_meta *meta, int32_t axis, int64_t behind);

/** Removes minimum, maximum, mean and standard deviation. */
TESS_API void tess_meta_forget_stats(tess_meta *meta);

/** Removes the extended header. */
TESS_API void tess_meta_forget_extended(tess_meta *meta);

/* ---- Unit cells ---- */

/** Returns an angle of the cell in degrees: 0 alpha (y to z), 1 beta (z to x), 2 gamma (x to y); 90 if it is not
 *  given. */
TESS_API double tess_meta_angle(const tess_meta *meta, int32_t i);

/** Returns true if axes are not at right angles; for an image only gamma matters. */
TESS_API bool tess_meta_is_skew(const tess_meta *meta, bool volume);

/** Computes the directions of the axes d, h, w as unit vectors z, y, x: x along w, y in the plane of w and h, as in the
 *  PDB format. */
TESS_API void tess_meta_axes(double direction[3][3], const tess_meta *meta, bool volume);

/** Computes the reciprocal axes of d, h, w as vectors z, y, x: the scalar product of each is 1 with its own axis and 0
 *  with the others. The distance of planes of pixels is 1 / length, in pixels. */
TESS_API void tess_meta_reciprocal_axes(double reciprocal[3][3], const tess_meta *meta, bool volume);

/** Returns the metric of frequencies in cycles per pixel of w, which gives lengths in 1/Å times the pixel size along w.
 *  Pixels of unknown size count as equal. */
TESS_API tess_metric tess_meta_metric(const tess_meta *meta, bool volume);

/** Returns the highest frequency along an axis, in cycles per pixel of w. */
TESS_API double tess_meta_highest_frequency(const tess_meta *meta, bool volume);

/** Returns true if the extended header holds the symmetry of the cell, not records of single sections. */
TESS_API bool tess_meta_has_operators(const tess_meta *meta);

/** Removes the space group of a crystal, whose operators refer to the previous axes. */
TESS_API void tess_meta_forget_symmetry(tess_meta *meta);

/** Removes the cell of which the array was a part, and its symmetry: the array becomes the cell. */
TESS_API void tess_meta_forget_cell(tess_meta *meta);

TESS_END_C

#endif
