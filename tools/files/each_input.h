/* Verbs that make one file of another, run for each of several inputs. */
#ifndef TESSERA_FILES_EACH_INPUT_H
#define TESSERA_FILES_EACH_INPUT_H

#include "command/job.h"

/* Runs the verb once for each argument. "{name}" in -o and in other options is the name of the input, without folder
 * and ending. Whether all outputs can be written, and are different, is looked at before any work. After a failure it
 * stops, or with --keep-going goes on, and says at the end what failed. What is printed is one table of all inputs. */
tess_status run_for_each(job *j);

#endif
