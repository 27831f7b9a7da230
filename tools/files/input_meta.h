/* What is known of an input, when only some of it is chosen. */
#ifndef TESSERA_FILES_INPUT_META_H
#define TESSERA_FILES_INPUT_META_H

#include "files/input.h"

/* info.meta of what is left when these indices of b (of images) or d (of sections), counted in the whole file, are
 * chosen: statistics go, the origin moves with a run of sections, extended headers keep their records. */
tess_status meta_choose(input *in, job *job, bool along_b, const int64_t *chosen, int64_t n);

#endif
