/* Medians over the images or volumes of a stack, computed for a block of rows or columns at a time, as large as the
 * memory allows. */
#ifndef TESSERA_MOVIES_MEDIANS_H
#define TESSERA_MOVIES_MEDIANS_H

#include "files/outputs/output.h"
#include "movies/correction.h"

/* Medians over `axes`, which has b in it, of each `group` images or volumes (the last may be smaller), appended to
 * `file`, which was started with their shape. */
tess_status medians_of_groups(job *job, input *in, int axes, int64_t group, const tess_camera *correction,
                              output *file);

#endif
