/* Tiling of windows and sub-regions: origins of any integer dtype as positions, sorted into tiles of an array.
 *
 * Windows that lie near each other read, or write, the same cache lines. Sorted into buckets, tiles of the array that
 * fit into a cache, and taken tile by tile, they find these there, in whatever order the list names them.
 */
#ifndef TESS_CPU_RESIZE_TILING_H
#define TESS_CPU_RESIZE_TILING_H

#include "backend.h"

/* The size of a batch of origins. */
enum { TESS__ORIGINS = 1 << 14 };

/* The maximum of tiles for which buckets pay. */
enum { TESS__TILES_PER_WINDOW = 4 };

typedef struct tess__position {
    int64_t at[4];  /* b, d, h, w */
    int64_t number; /* of the window */
} tess__position;

/* Origins `first` to first + n - 1, n at most TESS__ORIGINS, of windows onto an array of `batches`; each coordinate is
 * clamped to within 2^60. With k coordinates below 4, origin i lies in batch i, or in the only one. */
void tess__read_origins(tess__position *out, const tess_array *origins, int64_t first, int64_t n, int64_t batches);

/* An array divided into tiles. */
typedef struct tess__tiling {
    int64_t size[4]; /* of a tile; the last one along an axis may be smaller */
    int64_t n[4];    /* tiles along each axis */
} tess__tiling;

/* Tiles of a window's size or of twice, four times .. that, as far as `bytes` of each element of the array leave them
 * in a cache, but at least `min` of them, if that can be, and hardly more than `max`: with few windows in a
 * large array, most tiles would have none. */
tess__tiling tess__cut_into_tiles(const tess_shape *array, const int64_t window[4], int64_t bytes, int64_t min,
                                  int64_t max);

int64_t tess__count_tiles(const tess__tiling *tiling);

/* Positions by tiles: the numbers of those of tile t are index[first[t]] to index[first[t + 1] - 1], in their order. */
typedef struct tess__bucketed {
    int64_t *first;
    int32_t *index;
} tess__bucketed;

/* Adds each of n positions to every tile that a window there may touch; with windows of one element, to one. What lies
 * outside belongs to the nearest. */
void tess__scatter_to_buckets(tess__bucketed *bucketed, const tess__tiling *tiling, const int64_t window[4],
                              const tess__position *positions, int64_t n);

/* Memory for a list of n positions, and for their buckets, allocated before anything is written: then nothing can fail
 * halfway. tess__free(*positions) and tess__free(bucketed->first) give it back. */
tess_status tess__list_positions(const char *fn, tess__position **positions, int64_t n);
tess_status tess__list_tiles(const char *fn, tess__bucketed *bucketed, const tess__tiling *tiling,
                             const int64_t window[4], int64_t n);

#endif
