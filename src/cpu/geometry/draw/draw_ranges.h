/* Ranges of a row that a shape covers in part or wholly, found before any element of it is computed. */
#ifndef TESS_CPU_GEOMETRY_DRAW_DRAW_RANGES_H
#define TESS_CPU_GEOMETRY_DRAW_DRAW_RANGES_H

#include "cpu/geometry/kernels.h"

/* Coordinates along a row from `first` to before `last`. */
typedef struct tess__draw_range {
    int64_t first, last;
} tess__draw_range;

/* Outside `support` nothing is covered, and all of `inside`, which lies in it, is covered wholly: by the arithmetic of
 * the kernels, for which both leave a margin. Either may be empty. Both lie within `within`. */
void tess__draw_ranges(tess__draw_range *support, tess__draw_range *inside, const tess__shape_row *row,
                       tess__draw_range within);

#endif
