/* Columns of rows of a spectrum as kernels add them to shells. */
#ifndef TESS_CPU_SIGNAL_RADIAL_BINS_H
#define TESS_CPU_SIGNAL_RADIAL_BINS_H

#include <stdbool.h>

#include "formulas/radial_bins.op.h"

enum {
    TESS__RADIAL_BLOCK = 264, /* columns, at most: a multiple of the lanes, no less than a chunk of MIRRORED has */
    TESS__RADIAL_PLACE = 4    /* numbers of the place of a column */
};
_Static_assert(TESS__RADIAL_BLOCK % TESS__RADIAL_LANES == 0, "a block begins with the first lane");
_Static_assert((int)TESS__RADIAL_BLOCK >= (int)TESS__RADIAL_COLUMNS, "a chunk is one block");

/* Columns of a row, whose slots in the tables of a chunk are wanted. */
typedef struct tess__radial_columns {
    const tess__radial_grid *grid;
    const tess__radial_row  *row;
    const double            *f, *weight; /* of these columns: frequencies, and how often they count */
    int32_t                  first;      /* shell of the chunk */
} tess__radial_columns;

/* Their slots, their parts in these, and their positions. */
typedef struct tess__radial_places {
    double  *lower, *upper, *position;
    int32_t *slot, *next;
} tess__radial_places;

/* Places of a block of n columns in memory. */
static inline tess__radial_places tess__radial_places_in(double *memory, int64_t n)
{
    _Static_assert(3 * sizeof(double) + 2 * sizeof(int32_t) == TESS__RADIAL_PLACE * sizeof(double),
                   "what a column has");
    int32_t *slots = (int32_t *)(void *)(memory + 2 * n);
    return (tess__radial_places){ memory, memory + n, memory + 3 * n, slots, slots + n };
}

/* Those of the columns from number i on. */
static inline tess__radial_places tess__radial_places_from(const tess__radial_places *at, int64_t i)
{
    return (tess__radial_places){ at->lower + i, at->upper + i, at->position + i, at->slot + i, at->next + i };
}

/* Neighbouring columns of rows that are added to each other, and the tables of their chunk. */
typedef struct tess__radial_run {
    int                 members;                   /* rows: 1, 2 or 4 */
    bool                nearest;                   /* all parts of `next` are 0 */
    const void         *lhs[TESS__RADIAL_MEMBERS]; /* contiguous numbers, at the first column; */
    const void         *rhs[TESS__RADIAL_MEMBERS]; /* for PAIR */
    tess__radial_places at;
    int                 lane;   /* of the first column */
    int64_t             stride; /* numbers from one table to the next */
    int64_t             window; /* shells of a cone in a table */
    int64_t             cones;  /* 0: no cones */
    const double       *axes;   /* of the cones: (z, y, x) */
    double              cosine;
    const double       *z, *y; /* components of each row, */
    const double       *x;     /* those of the columns, */
    double              side;  /* and their sign */
} tess__radial_run;

#endif
