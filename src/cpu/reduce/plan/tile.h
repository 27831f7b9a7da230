/* Packing of reduced elements: tiles of an input copied into contiguous rows of numbers.
 *
 * Neighbours in memory may be numbers of other results, or numbers of one result that are far apart. Walking such an
 * input number by number would touch a cache line for each and use a few bytes of it. A tile takes whole lines, and the
 * kernels then read contiguous numbers in their order, so that results have the same bits as for any other layout.
 */
#ifndef TESS_CPU_REDUCE_PLAN_TILE_H
#define TESS_CPU_REDUCE_PLAN_TILE_H

#include "cpu/reduce/plan/plan.h"

/* Which axis is nearest in memory: the innermost reduced one, whose numbers are read as they lie; the innermost kept
 * one, so that tiles take several results; or another reduced one, so that tiles take many numbers of a result. */
enum { TESS__NEAREST_ALONG, TESS__NEAREST_RESULTS, TESS__NEAREST_NUMBERS };

int tess__nearest_axis(const tess__reduce_plan *p, int k);

/* The numbers of a tile of one result: whole turns of the axis that is nearest in memory, as far as a tile may grow. */
int64_t tess__tile_numbers(const tess__reduce_plan *p, int k);

/* Where a tile that begins with number `first` ends, so that the next one begins with a turn of that axis. */
int64_t tess__tile_end(const tess__reduce_plan *p, int k, int64_t first, int64_t numbers);

/* A tile in the making: numbers first to first + n - 1 of `columns` neighbouring results. Element i of column c goes to
 * out[c * column_stride + i * number_stride], in elements. */
typedef struct tess__tile {
    const char *base; /* of the first result in the input */
    int64_t     first, n, columns;
    char       *out;
    int64_t     number_stride, column_stride;
} tess__tile;

void tess__pack_tile(const tess__reduce_plan *p, int k, tess_dtype dtype, const tess__tile *tile);

#endif
