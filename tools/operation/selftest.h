/* Checks that the library computes on this machine what naive loops do. */
#ifndef TESSERA_OPERATION_SELFTEST_H
#define TESSERA_OPERATION_SELFTEST_H

#include "command/job.h"

/* Prints a line for each check; sets the exit code if one does not hold. */
tess_status selftest_run(job *j);

#endif
