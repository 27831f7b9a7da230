/* Appends all of an input to an output that was started. */
#ifndef TESSERA_FILES_APPEND_INPUT_H
#define TESSERA_FILES_APPEND_INPUT_H

#include "files/outputs/output.h"

/* Slab by slab, read as `dtype` (NONE: as it is); `bar` moves on by each image. */
tess_status append_input(job *j, input *in, output *out, tess_dtype dtype, progress *bar);

#endif
