/* Guinier plots: ln(amplitude) against 1/d^2, the straight line through it, and its picture. */
#ifndef TESSERA_MAPS_GUINIER_H
#define TESSERA_MAPS_GUINIER_H

#include "command/job.h"

typedef struct guinier {
    int64_t       n;
    double        step;      /* frequency of shell 1 in 1/Å */
    const double *amplitude; /* of each shell */
    const double *sharpened; /* after sharpening, for the plot; may be NULL */
    double        from, to;  /* range of the fit, resolutions in Å from coarse to fine */
    double        bfactor;   /* Å^2: 4 times the slope */
    double        intercept; /* at frequency 0 */
    double        correlation;
} guinier;

/* Fits the line; fails where fewer than two shells lie between the resolutions. */
tess_status guinier_fit(guinier *g, const char *fn);

/* Amplitudes as points and the line over its range; to a file that ends with .svg or .png. */
tess_status guinier_plot(const guinier *g, const char *path, bool overwrite);

#endif
