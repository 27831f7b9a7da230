/* The rows of a STAR file, written again for a stack that was made of its images. */
#ifndef TESSERA_FILES_STAR_ROWS_H
#define TESSERA_FILES_STAR_ROWS_H

#include "files/input.h"

/* `in` was opened from a STAR file; `stack` has the images that are chosen, in their order. */
tess_status restar(job *j, const input *in, const char *stack, const char *path);

#endif
