/* Particles of STAR files: reading the columns of one kind. */
#ifndef TESS_JOBS_DATA_PARTICLES_PARTICLES_H
#define TESS_JOBS_DATA_PARTICLES_PARTICLES_H

#include "tessera/jobs/particles.h"

/* Fails where particles that are about to be opened or made are NULL or not zeroed. */
tess_status tess__check_particles_zeroed(const char *fn, const tess_particles *p);

/* Angles, which must be there, and origins, which are 0 where they are not. Optics groups of several pixel sizes are an
 * error. */
tess_status tess__particles_read_poses(tess_particles *p);

/* CTFs of rows and optics groups, each with the pixel size of its row unless the caller gave one for all; a warning
 * names columns of aberrations that are not used. */
tess_status tess__particles_read_ctfs(tess_particles *p, bool size_is_given, const tess_context *context);

/* rlnRandomSubset, which must be there. */
tess_status tess__particles_read_halves(tess_particles *p);

/* The columns of angles and of origins, in Å or in pixels as tess_particles_put_poses has it. */
tess_status tess__particles_put_angles(tess_particles *p);
tess_status tess__particles_put_origins(tess_particles *p);

#endif
