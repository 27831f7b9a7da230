/* Rotational averages of images and volumes, or of their power: the means of shells. */
#ifndef TESSERA_SHELLS_H
#define TESSERA_SHELLS_H

#include "stream.h"

typedef struct shells {
    bool    power;
    int64_t n;    /* shells, from 0: as far as the smallest side goes */
    int64_t side; /* the smallest side that is not 1, pixels: shell k of power is at k / side cycles per pixel */
    double *mean; /* of all images or volumes; to be freed by shells_free */

    /* Called with the means of each image or volume, if it is not NULL. */
    tess_status (*each)(void *context, const double *means, int64_t image);
    void *context;
} shells;

/* Fills it in; `power`, `each` and `context` are set before. A pixel is in the shell of its distance from the middle
 * n/2, rounded; a coefficient in that of its frequency times `side`. Power is |F|^2 over the number of pixels. A NaN
 * makes its shell (of power, all) NaN. */
tess_status shells_of_input(shells *s, job *job, input *in);
void        shells_free(shells *s);

#endif
