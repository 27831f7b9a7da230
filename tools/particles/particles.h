/* Particles of STAR files as verbs take them: halves by turns, the name of their stack, and parts of their tables. */
#ifndef TESSERA_PARTICLES_PARTICLES_H
#define TESSERA_PARTICLES_PARTICLES_H

#include "command/job.h"

/* Puts particles into half sets by turns, with a note, where their file has none. */
tess_status particles_need_halves(tess_particles *p, job *job);

/* Rows name images 1 to n of this stack, which the file that is written lists. */
tess_status particles_name_stack(tess_particles *p, job *job, const char *stack);
tess_status particles_write(const tess_particles *p, job *job, const char *path);

#endif
