/* The files that one run of the command writes: none is written twice, and none replaces what is read. */
#ifndef TESSERA_FILES_OUTPUTS_OUTPUT_NAMES_H
#define TESSERA_FILES_OUTPUTS_OUTPUT_NAMES_H

#include "command/job.h"

struct output_names {
    void *tree;
};

/* Before the first is added. */
tess_status output_names_start(job *job);

/* Adds the file `path`, without brackets and ":fmt", that `what` names: an option such as "-o", or a generated name.
 * Files are told apart by what they are, not by how they are spelt: "./x" and a link to x are x. Fails if another
 * output has it, or an input; only -o may replace an argument of its own. The same `what` may add the same path
 * again. */
tess_status output_names_add(job *job, const char *what, const char *path);

/* A file that is about to be read, which an argument or a STAR file names: fails if an output would replace it. */
tess_status output_names_check_input(const job *job, const char *path);

void output_names_free(job *job);

#endif
