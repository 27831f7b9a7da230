/* Runs of columns: what the kernels of 2-D resampling are handed. */
#ifndef TESS_CPU_GEOMETRY_SAMPLING_RESAMPLE_RUNS_H
#define TESS_CPU_GEOMETRY_SAMPLING_RESAMPLE_RUNS_H

#include <stdbool.h>

#include "formulas/geometry/resample_2d.op.h"

enum { TESS__RESAMPLE_BLOCK = 128 };

/* Columns w, w + 1 … of row h, whose positions are wanted. */
typedef struct tess__resample_columns {
    const tess__resample_grid *grid;
    double                     h, w;
    double                     direction[2]; /* RAYS: of the row, y and x */
    tess__ctf_line             in, out;      /* PHASES: the CTFs of the row */
} tess__resample_columns;

/* Columns of a row of the output, whose positions are known. */
typedef struct tess__resample_run {
    const tess__resample_source *source;
    const void                  *data;       /* of the image or spectrum that is read */
    int64_t                      stride[2];  /* of it along y and x, in elements */
    const double                *y, *x;      /* positions */
    bool                         is_ordered; /* neither y nor x both rise and fall */
    void                        *out;        /* of the first column */
    int64_t                      out_stride; /* in elements */
} tess__resample_run;

#endif
