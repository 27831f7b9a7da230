/* Curves from files of images: histograms, radial means, and radial means of power spectra. Read image by image, or
 * volume by volume. */
#ifndef TESSERA_DRAW_PROFILES_H
#define TESSERA_DRAW_PROFILES_H

#include "files/input.h"

typedef struct profile {
    double *x, *y;    /* to be freed */
    int64_t n;        /* numbers in y; a histogram has n + 1 edges in x */
    bool    angstrom; /* lengths in x are in Å, not in pixels: the pixel size is known */
} profile;

/* The range of the finite values, widening low and high. */
tess_status profile_range(input *in, double *low, double *high);

/* How many values lie in each of n bins from low to high. */
tess_status profile_histogram(profile *p, input *in, double low, double high, int64_t bins);

/* The mean of each shell around the middle, as `tessera radial` prints it; x is a length. Of stacks, the mean of
 * all. */
tess_status profile_radial(profile *p, input *in, job *job);

/* The mean power of each shell of frequencies, as `tessera radial --power`; x in cycles per length. */
tess_status profile_spectrum(profile *p, input *in, job *job);

void profile_free(profile *p);

#endif
