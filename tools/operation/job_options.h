/* Jobs of the library in the command: their options by their rows, and their values. */
#ifndef TESSERA_OPERATION_JOB_OPTIONS_H
#define TESSERA_OPERATION_JOB_OPTIONS_H

#include "main/job.h"

/* The options that the rows of a job become, but for those that a verb fills itself (`fills` of verb), ended by a NULL
 * name. They live until the end of the process. */
const option *job_row_options(const tess_job_info *info, const char *fills);

/* What quantities are converted with: the pixel size in Å, 0 if it is not known, and pixels of the smallest side. */
typedef struct job_scale {
    double  pixel_size;
    int64_t side;
} job_scale;

/* Fills the options of a job with the numbers and words that were given; sources are the caller's affair. */
tess_status job_fill_options(const job *job, const tess_job_info *info, job_scale scale, void *opts);

#endif
