/* Operations of the library as verbs, by their descriptors. */
#ifndef TESSERA_OPERATION_OPERATION_H
#define TESSERA_OPERATION_OPERATION_H

#include "command/job.h"
#include "command/rows.h"

/* The verb that an operation is. Lives until the end of the process. */
tess_status operation_verb(const tess_function_info *op, const verb **v);

/* Read the files, call the operation, write or print what it gives (run.c). */
tess_status operation_run(job *j);

#endif
