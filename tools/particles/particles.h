/* Particles of STAR files as verbs take them: halves by turns, the name of their stack, and parts of their tables. */
#ifndef TESSERA_PARTICLES_PARTICLES_H
#define TESSERA_PARTICLES_PARTICLES_H

#include "command/job.h"

/* Puts particles into half sets by turns, with a note, where their file has none. */
tess_status particles_need_halves(tess_particles *p, job *job);

/* Rows name images 1 to n of this stack, which the file that is written lists. */
tess_status particles_name_stack(tess_particles *p, job *job, const char *stack);
tess_status particles_write(const tess_particles *p, job *job, const char *path);

/* Elements first to first + n along b of an array with one for each particle; NULL of one without data. */
const tess_array *particles_part(tess_array *part, const tess_array *all, int64_t first, int64_t n);

/* CTFs of particles first to first + n without beam tilt; NULL if there are no CTFs. */
const tess_array *particles_even_ctfs(tess_array *part, const tess_particles *p, int64_t first, int64_t n);

/* Rows of CTFs that are 1 but for the phases of beam tilt; not made where there is none. */
tess_status particles_tilts(tess_array *tilts, const tess_particles *p);

/* Images of particles from `first` on with the phases that beam tilt changed put right: `images` itself where there is
 * none, else `made`, which is to be released. */
tess_status particles_without_tilt(const tess_array **right, tess_array *made, const tess_array *tilts,
                                   const tess_array *images, int64_t first);

/* Those of a half set among particles first to first + n, as numbers from 0 in {1,1,1,m} of i64; m may be 0. */
tess_status particles_of_half(tess_array *numbers, const tess_particles *p, int half, int64_t first, int64_t n);

/* Fails, naming the row, where one of these images, of particles from `first` on, is not finite. */
tess_status check_particles_finite(const tess_particles *p, const tess_array *images, int64_t first);

#endif
