/* Unit cells of files: directions of axes that need not be at right angles, and the frequencies that follow from them.
 *
 * Pixels of unknown size are alike along all axes, and unknown angles are right ones. Without `volume`, the array is a
 * stack of images, and what is known along d does not count.
 */
#ifndef TESSERA_JOBS_UNIT_CELL_H
#define TESSERA_JOBS_UNIT_CELL_H

#include "tessera/filter.h"
#include "tessera/io.h"

TESS_BEGIN_C

/** Are axes that matter not at right angles? Those of images are w and h alone. */
TESS_API bool tess_meta_is_skew(const tess_meta *meta, bool volume);

/** Directions of the axes d, h, w as vectors z, y, x of length 1: x along w, y in the plane of w and h, as PDB has
 *  it. */
TESS_API void tess_meta_axes(double axes[3][3], const tess_meta *meta, bool volume);

/** Directions of the reciprocal axes of d, h, w as vectors z, y, x: each has a product of 1 with the axis of its own,
 *  and 0 with the others. Planes of pixels lie 1 / (its length) pixels apart. */
TESS_API void tess_meta_reciprocal_axes(double axes[3][3], const tess_meta *meta, bool volume);

/** The metric of frequencies in cycles per pixel of w: their lengths are those in 1/Å, times the size of a pixel along
 *  w. */
TESS_API tess_metric tess_meta_metric(const tess_meta *meta, bool volume);

/** The highest frequency along an axis, in cycles per pixel of w. */
TESS_API double tess_meta_highest_frequency(const tess_meta *meta, bool volume);

TESS_END_C

#endif
