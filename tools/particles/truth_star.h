/* STAR files of what was simulated, with RELION's labels. */
#ifndef TESSERA_PARTICLES_TRUTH_STAR_H
#define TESSERA_PARTICLES_TRUTH_STAR_H

#include "command/job.h"
#include "tessera/star.h"

/* The file of --star: it is given, ends with .star and may be written. */
tess_status truth_star_check(job *job);

/* The name of -o, without brackets, as the rows of the file call it; to be freed. NULL if there is no memory. */
char *truth_star_images(const job *job);

/* The table of one optics group: microscope and pixel size, and where `box` is above 0 that of particle images. */
tess_status truth_star_optics(tess_star *star, const tess_ctf *ctf, int64_t box);

/* Defoci and the angle of U of a CTF, and Euler angles rot, tilt, psi in degrees, into a row. */
tess_status truth_star_ctf(tess_star_table *rows, int64_t row, const tess_ctf *ctf);
tess_status truth_star_angles(tess_star_table *rows, int64_t row, const double angles[3]);

/* Writes it under the name of --star. */
tess_status truth_star_write(const job *job, const tess_star *star);

#endif
