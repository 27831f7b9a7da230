/* Statistics of all values of a source, by the library's job. */
#ifndef TESSERA_MEASURE_STATISTICS_H
#define TESSERA_MEASURE_STATISTICS_H

#include "command/job.h"

/* A row of tess_stack_statistics; read part by part with a progress line. */
tess_status statistics_of(double row[TESS_STATISTICS_COLUMNS], job *job, const tess_source *source);

#endif
