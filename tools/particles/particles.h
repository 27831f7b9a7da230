/* Particles of STAR files as verbs take them: half sets, the name of their stack, and parts of their tables. */
#ifndef TESSERA_PARTICLES_PARTICLES_H
#define TESSERA_PARTICLES_PARTICLES_H

#include "command/job.h"

/* Assigns particles alternately to half sets, with a note, where their file has none. */
tess_status particles_need_halves(tess_particles *p, job *job);

/* Lets rows name images 1 to n of this stack, and writes them. */
tess_status particles_name_stack(tess_particles *p, job *job, const char *stack);
tess_status particles_write(const tess_particles *p, job *job, const char *path);

#endif
