/* Aberrations of STAR files beyond defocus, astigmatism and Cs: beam tilt, and columns that are not used. */
#ifndef TESSERA_PARTICLES_ABERRATIONS_H
#define TESSERA_PARTICLES_ABERRATIONS_H

#include "main/job.h"
#include "tessera/star.h"

/* The beam tilt of a row or its optics group as tess_ctf has it: (h, w), milliradian; 0 where there is none. */
tess_status star_beam_tilt(double tilt[2], const tess_star *star, const tess_star_table *rows, int64_t row);

/* A warning that names columns of higher aberrations and of the magnification that rows or optics groups have. */
void warn_of_aberrations(job *job, const tess_star *star, const tess_star_table *rows, const char *path);

#endif
