/* The context of the library's jobs: device, memory and seed by the global options, progress as a line on the terminal,
 * warnings as those of the command. */
#ifndef TESSERA_COMMAND_CONTEXT_H
#define TESSERA_COMMAND_CONTEXT_H

#include "command/job.h"

/* For the jobs of this run. What they report goes to `job`, which must stay where it is. */
tess_context job_context(job *job);

/* After a job of the library, whatever came of it: takes its progress line away. Returns its status. */
tess_status job_context_end(job *job, tess_status status);

#endif
