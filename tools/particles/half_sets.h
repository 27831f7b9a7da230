/* Maps of two half sets: names of their files. */
#ifndef TESSERA_PARTICLES_HALF_SETS_H
#define TESSERA_PARTICLES_HALF_SETS_H

#include "command/job.h"

/* Names by an option that has {half} in its value, for 1 and 2; both may be written. Empty without the option. */
tess_status half_map_names(job *job, const char *name, char names[2][4096]);

#endif
