/* Rotational averages of images and volumes, or of their power: the means of shells. */
#ifndef TESSERA_MAPS_ROTATIONAL_AVERAGE_H
#define TESSERA_MAPS_ROTATIONAL_AVERAGE_H

#include "files/slab_pipeline.h"

typedef struct shells {
    bool    power;
    bool    amplitude; /* with power: of |F|, not of |F|^2 */
    int64_t n;         /* shells, from 0: as far as the shortest side goes; of power, to the lowest Nyquist frequency */
    bool    angstrom;  /* the pixel size is known: lengths are in Å, else in pixels */
    double  length;    /* from shell to shell, the smallest pixel size; of power, the shortest side that is not of 1 */
    double *mean;      /* of all images or volumes; to be freed by shells_free */

    /* Called with the means of each image or volume, if it is not NULL. */
    tess_status (*each)(void *context, const double *means, int64_t image);
    void *context;
} shells;

/* Fills it in; `power`, `amplitude`, `each` and `context` are set before. A pixel is in the shell of its distance
 * from the middle n/2 over `length`, rounded; a coefficient in that of its frequency times it. Each axis has its own
 * pixel size, and the cell its angles. Power is |F|^2 over the number of pixels. A NaN makes its shell (of power,
 * all) NaN. */
tess_status shells_of_input(shells *s, job *job, input *in);
void        shells_free(shells *s);

/* The distance, or the frequency, of shell i. */
double shells_radius(const shells *s, int64_t i);

#endif
