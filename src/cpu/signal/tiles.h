/* Tiles of a stencil: which results a task computes, and its elements with their halo, gathered into a workspace. */
#ifndef TESS_CPU_SIGNAL_TILES_H
#define TESS_CPU_SIGNAL_TILES_H

#include "cpu/convert/convert.h"
#include "cpu/kernels.h"
#include "cpu/runtime/workspace.h"
#include "requests/stencil.h"

/* How a stencil is divided. Axes are d, h, w. */
typedef struct tess__tiles {
    tess__stencil        work;
    const tess__kernels *kernels;                     /* of one instruction set for all of it */
    int64_t              radius[3], first[3], end[3]; /* results that are computed */
    int64_t              tile[3], count[3];           /* results of a tile; tiles */
    int64_t              n;                           /* tiles of all batches */
    int64_t              size, pitch;                 /* bytes of a gathered element, and of a row with its halo */
    tess__row_fn        *load;                        /* elements as they are gathered */
    const void          *load_param;
    tess__element        outside; /* as gathered */
} tess__tiles;

/* A tile: its first result and how many there are. */
typedef struct tess__tile {
    int64_t batch, first[3], n[3];
} tess__tile;

/* All but the loading: `size` is that of a gathered element, `bytes` what the rows of a tile may take. */
void tess__tiles_plan(tess__tiles *t, const tess__stencil *work, int64_t size, int64_t bytes);

/* Loads elements as numbers of work->computed, by `conversion`, which must stay where it is. */
void tess__tiles_load_numbers(tess__tiles *t, tess__conversion *conversion);

tess__tile tess__tile_at(const tess__tiles *t, int64_t number);

/* Row (d, h) of the input, with the halo of a tile along w, in `to`; d and h may lie outside. False, and nothing is
 * written, where the whole row is outside. */
bool tess__gather_row(const tess__tiles *t, const tess__tile *tile, int64_t d, int64_t h, char *to);

/* The same with the rows that are outside filled. */
void tess__gather_any_row(const tess__tiles *t, const tess__tile *tile, int64_t d, int64_t h, char *to);

/* n gathered elements set to what is outside. */
void tess__fill_outside(const tess__tiles *t, char *to, int64_t n);

/* The address of a result. */
char *tess__result_at(const tess__tiles *t, const tess__tile *tile, int64_t d, int64_t h);

/* Runs tiles: convolve.c, rank.c, running/running.c for means, minima and maxima of windows, and similar/bilateral.c
 * and similar/nl_means.c. */
tess_status tess__cpu_convolve(const tess__stencil *work);
tess_status tess__cpu_rank(const tess__stencil *work);
tess_status tess__cpu_running(const tess__stencil *work);
tess_status tess__cpu_bilateral(const tess__stencil *work);
tess_status tess__cpu_nl_means(const tess__stencil *work);

#endif
