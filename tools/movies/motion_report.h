/* What is told of the motion of a movie: shifts as STAR with RELION's labels or as TSV, and a plot of trajectories. */
#ifndef TESSERA_MOVIES_MOTION_REPORT_H
#define TESSERA_MOVIES_MOTION_REPORT_H

#include "files/input.h"
#include "movies/exposure.h"

typedef struct motion {
    const input    *in;
    double          pixel_size; /* Å */
    const exposure *exposure;
    tess_array      shifts;           /* f64 {n,1,1,2}: (h, w) of whole frames, pixels, on the host */
    int64_t         patches[2];       /* along y and x; 1, 1: none */
    tess_array      positions, local; /* f64 {p,1,1,2} and {p,1,n,2} of the patches, or no data */
    tess_array      model;            /* f64 {2,1,1,18}, or no data */
    double          residual;         /* of the model, pixels rms */
} motion;

/* Write shifts to a file, STAR if its name ends so, else TSV. */
tess_status motion_write_shifts(const motion *m, const char *path, bool overwrite);

/* Draw the trajectory of the whole frames, and those of the patches 10 times as large at their positions. */
tess_status motion_plot(const motion *m, const char *path, bool overwrite);

/* The length of the way of whole frames, in pixels. */
double motion_length(const motion *m);

#endif
