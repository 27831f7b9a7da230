/* TEMPORARY NAME of command/job.h. */
#include "command/job.h"
