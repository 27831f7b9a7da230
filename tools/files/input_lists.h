/* Inputs by list: @names.txt stands for the paths in that file. */
#ifndef TESSERA_FILES_INPUT_LISTS_H
#define TESSERA_FILES_INPUT_LISTS_H

#include "command/job.h"

/* Puts the paths of each list in the place of its argument: one path per line, blanks around it cut off, empty lines
 * and those that begin with # skipped; @- is a list on standard input. Paths are relative to the current folder. */
tess_status input_lists_read(job *job);

void input_lists_free(job *job);

#endif
