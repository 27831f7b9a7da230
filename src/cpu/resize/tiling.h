/* Where windows and sub-regions lie: origins of any integer dtype, as places in b, d, h, w.
 *
 * Windows that lie near each other read, or write, the same lines of memory. Dealt out to tiles of the array that fit
 * into a cache, and taken tile by tile, they find these there, in whatever order the list names them.
 */
#ifndef TESS_CPU_RESIZE_TILING_H
#define TESS_CPU_RESIZE_TILING_H

#include "backend.h"

/* So many are looked at in one go. */
enum { TESS__ORIGINS = 1 << 14 };

/* Tiles that are worth their list, at most. */
enum { TESS__TILES_PER_WINDOW = 4 };

typedef struct tess__place {
    int64_t at[4];
    int64_t number; /* of the window */
} tess__place;

/* Origins `first` to first + n - 1, n at most TESS__ORIGINS, of windows onto an array of `batches`; each coordinate is
 * brought within 2^60. With k coordinates below 4, origin i lies in batch i, or in the only one. */
void tess__read_origins(tess__place *indices, const tess_array *origins, int64_t first, int64_t n, int64_t batches);

/* An array cut into tiles. */
typedef struct tess__tiling {
    int64_t size[4]; /* of a tile; the last one along an axis may be smaller */
    int64_t n[4];    /* tiles along each axis */
} tess__tiling;

/* Tiles of a window's size or of twice, four times .. that, as far as `bytes` of each element of the array leave them
 * in a cache, but at least so many as are wanted, if that can be, and hardly more than `most`: with few windows in a
 * large array, most tiles would have none. */
tess__tiling tess__cut_into_tiles(const tess_shape *array, const int64_t window[4], int64_t bytes, int64_t min,
                                  int64_t max);

int64_t tess__count_tiles(const tess__tiling *tiling);

/* Places by tiles: those of tile t are place[first[t]] to place[first[t + 1] - 1], in the order they were given. */
typedef struct tess__bucketed {
    int64_t *first;
    int32_t *place;
} tess__bucketed;

/* Each of n places to every tile that a window there may touch; with windows of one element, to one. What lies outside
 * goes to the nearest. */
void tess__scatter_to_buckets(tess__bucketed *bucketed, const tess__tiling *tiling, const int64_t window[4],
                              const tess__place *indices, int64_t n);

/* Memory for a list of n places, and for dealing out that many, taken before anything is written: then nothing can fail
 * halfway. tess__free(*places) and tess__free(dealt->first) give it back. */
tess_status tess__list_indices(const char *fn, tess__place **indices, int64_t n);
tess_status tess__list_tiles(const char *fn, tess__bucketed *bucketed, const tess__tiling *tiling,
                             const int64_t window[4], int64_t n);

#endif
