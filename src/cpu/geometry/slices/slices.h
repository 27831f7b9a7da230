/* What host code and kernels of slices of spectra hand to each other. */
#ifndef TESS_CPU_GEOMETRY_SLICES_SLICES_H
#define TESS_CPU_GEOMETRY_SLICES_SLICES_H

#include <stdbool.h>

#include "formulas/geometry/slice_spread.op.h"
#include "requests/geometry/slice_gather.h"
#include "requests/geometry/slice_spread.h"
#include "requests/geometry/spectrum_sample.h"

/* A row of the output of a spectrum_sample. */
typedef struct tess__sample_row {
    const tess__spectrum_sample *work;
    void                        *out; /* element 0 */
    const void                  *in;  /* element 0 of its batch */
    tess__spectrum_grid          from;
    tess__slice_frame            frame;      /* with the first rotation */
    const double                *rotations;  /* all of its batch */
    double                       q[2];       /* frequency along z and y */
    const double                *shift;      /* z, y, x; NULL: none */
    int64_t                      shifted[3]; /* index of frequency 0 of `in`, along each axis */
} tess__sample_row;

/* Planes of a volume that slices are spread into: those of |z| from low to high - 1. */
typedef struct tess__spread_task {
    const tess__slice_spread *work;
    tess__spectrum_grid       volume, weights;
    int64_t                   low, high;
    int64_t                   least[3], most[3]; /* frequencies that are stored, without -n/2 of half an axis */
    bool                      is_dense; /* neighbours along x lie beside each other, and weights as the volume does */
} tess__spread_task;

/* Cells of a dense volume that coefficients wait to be added to, while their memory is prefetched. */
enum { TESS__SPREAD_QUEUE = 48 };
#define TESS__NO_ROW INT64_MIN /* in no plane of the task */
typedef struct tess__spread_queue {
    int64_t n;
    struct {
        int64_t row[4];      /* offsets of its rows, by z and y, in coefficients, or TESS__NO_ROW */
        double  t[3];        /* position in the cell */
        double  re, im, own; /* the coefficient, and its weight */
    } cell[TESS__SPREAD_QUEUE];
} tess__spread_queue;

/* A row of a slice, on a side. */
typedef struct tess__spread_row {
    tess__slice_frame frame;
    double            y;               /* cycles per pixel */
    const void       *slice, *weights; /* element 0; NULL: weights are 1 */
    int               side;
    double            from_y[3], from_x[3]; /* what one row, and one column, add to its place; without curvature */
    double            inverse[3];           /* of from_x; 0 where that is nearly 0 */
} tess__spread_row;

enum { TESS__GATHER_COLUMNS = 64 };

/* Some columns of a row of what slices are gathered for. */
typedef struct tess__gather_row {
    const tess__slice_gather *work;
    void                     *out, *out_weights; /* column 0 of the row; NULL: no weights */
    tess__spectrum_grid       slices, slice_weights;
    tess__slice_frame         frame; /* of the output */
    double                    q[2];  /* its frequency along z and y */
} tess__gather_row;

#endif
