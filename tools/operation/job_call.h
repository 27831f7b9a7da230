/* A job of the library as a verb runs it: inputs opened, options filled in, run with the command's context. */
#ifndef TESSERA_OPERATION_JOB_CALL_H
#define TESSERA_OPERATION_JOB_CALL_H

#include "files/input.h"

enum { JOB_INPUTS = 8 };

typedef struct job_call {
    const tess_job_info *info;
    job                 *job;
    input                in[JOB_INPUTS]; /* arguments, then files that options name */
    int                  n_in;
    tess_value           values[JOB_INPUTS]; /* in the order of the rows; the verb sets those that are no sources */
    void                *opts, *result;
} job_call;

/* Opens the sources that arguments and options name and fills in the options of the job that the verb names; the
 * pixel size is that of the first input. To be closed, also after a failure. */
tess_status job_call_open(job_call *call, job *job);

/* The same of a verb that runs a job of another name by the same options. */
tess_status job_call_open_other(job_call *call, job *job, const char *name);

tess_status job_call_run(job_call *call);
void        job_call_close(job_call *call);

#endif
