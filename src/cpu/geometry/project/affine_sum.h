/* What the kernels of sums and of footprints are told. */
#ifndef TESS_CPU_GEOMETRY_PROJECT_AFFINE_SUM_H
#define TESS_CPU_GEOMETRY_PROJECT_AFFINE_SUM_H

#include "core/minmax.h"
#include "formulas/geometry/footprint.op.h"
#include "requests/geometry/affine_sum.h"
#include "requests/geometry/footprint.h"

/* How many tiles of `each` elements, the last of them smaller, an axis of n > 0 has; and the size of the one that
 * begins at `first`. */
static inline int64_t tess__tiles_along(int64_t n, int64_t each) { return (n - 1) / each + 1; }
static inline int     tess__tile_size(int64_t n, int64_t first, int each) { return (int)tess__min(n - first, each); }

enum { TESS__SUM_ROWS = 8, TESS__SUM_BLOCK = 64 };

/* Results that are computed together, sample by sample and term by term, so that they find in the caches what their
 * neighbours have read. */
typedef struct tess__sum_tile {
    const tess__affine_sum *work;
    int64_t                 b, d, h, w;    /* of the first of them */
    int                     rows, columns; /* at most TESS__SUM_ROWS and TESS__SUM_BLOCK */
} tess__sum_tile;

enum { TESS__FOOTPRINT_ROWS = 16, TESS__FOOTPRINT_COLUMNS = 32 };

/* Pixels of an image. */
typedef struct tess__footprint_tile {
    const tess__footprint *work;
    int64_t                b, h, w;       /* of the first of them */
    int                    rows, columns; /* at most as above */
} tess__footprint_tile;

#endif
