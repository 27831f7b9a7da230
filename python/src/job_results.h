/* The result of a job as a Python object. */
#ifndef TESS_PYTHON_JOB_RESULTS_H
#define TESS_PYTHON_JOB_RESULTS_H

#include "call.h"

/* A tessera.jobs.Result with an attribute for each field of a job's result struct, whose arrays are taken over. */
PyObject *job_result(const call *c, void *of);

#endif
