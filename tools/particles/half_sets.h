/* Maps of two half sets: names of their files, and how far they agree. */
#ifndef TESSERA_PARTICLES_HALF_SETS_H
#define TESSERA_PARTICLES_HALF_SETS_H

#include "main/job.h"

/* Names by an option that has {half} in its value, for 1 and 2; both may be written. Empty without the option. */
tess_status half_map_names(job *job, const char *name, char names[2][4096]);

/* A note with the resolution at which the Fourier shell correlation falls below 0.143 and 0.5: in Å, or where the pixel
 * size is 0 in pixels. */
tess_status tell_resolution(job *job, const tess_array *one, const tess_array *two, double pixel_size);

#endif
