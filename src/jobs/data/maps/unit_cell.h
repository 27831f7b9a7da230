/* Axes of unit cells that jobs need at right angles. */
#ifndef TESS_JOBS_DATA_MAPS_UNIT_CELL_H
#define TESS_JOBS_DATA_MAPS_UNIT_CELL_H

#include "tessera/jobs/source.h"

/* Fails, naming the angles, where axes of a source are not at right angles: x and y, with `volume` also z. `what` needs
 * them, "the CTF"; `fn` is the job, for messages. */
tess_status tess__need_right_angles(const char *fn, const tess_source *source, bool volume, const char *what);

#endif
