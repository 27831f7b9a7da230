/* Values of the options of jobs of the library. */
#ifndef TESSERA_OPERATION_JOB_OPTIONS_H
#define TESSERA_OPERATION_JOB_OPTIONS_H

#include "command/job.h"

/* What quantities are converted with: the pixel size in Å, 0 if it is not known, and pixels of the smallest side. */
typedef struct job_scale {
    double  pixel_size;
    int64_t side;
} job_scale;

/* Fills the options of a job with the numbers and words that were given; sources are the caller's affair. */
tess_status job_fill_options(const job *job, const tess_job_info *info, job_scale scale, void *opts);

#endif
