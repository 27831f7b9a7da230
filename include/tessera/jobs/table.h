/* Descriptions of all jobs, for the command, bindings and documentation.
 *
 * A job is described by the same kind of rows as an operation (tessera/table.h): first the fields of its result struct
 * (TESS_ROLE_RESULT: ARRAY, COLUMNS, and numbers of its report as F64, I64 or FLAG), then sources and required values,
 * and options last. A result table has a column for each of the row's `choices`, whose help describes its contents and
 * unit.
 */
#ifndef TESSERA_JOBS_TABLE_H
#define TESSERA_JOBS_TABLE_H

#include "tessera/jobs/context.h"
#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"
#include "tessera/table.h"

TESS_BEGIN_C

typedef struct tess_job_info {
    tess_function_info function;    /* name (the job is tess_<name>), module "jobs/<header>", help, rows; no `call` */
    size_t             result_size; /* size of the result struct in bytes; it is zeroed before a run */
    tess_status (*run)(void *result, const tess_value *values, const void *opts, const tess_context *context);
    void (*release)(void *result); /* releases the contents of a result and zeroes it */
} tess_job_info;

/** Returns the number of jobs. */
TESS_API size_t tess_job_count(void);

/** Returns job `i`, in the order of their names; NULL if there is none. */
TESS_API const tess_job_info *tess_job_at(size_t i);

/** Finds a job by name, such as "local_resolution"; NULL if there is none. */
TESS_API const tess_job_info *tess_job_find(const char *name);

/**
 * Runs a job by its description, like tess_<name> with these arguments.
 *
 * `result` points to the job's zeroed result struct of result_size bytes; release it with `job->release`. `values` has
 * an element for each row that is an input or a required value, in their order; NULL for a job without any. `opts` is
 * the job's options struct, or NULL. Mark option values given by a caller with tess_option_given(&job->function, …).
 */
TESS_API TESS_MUST_CHECK tess_status tess_job_run(const tess_job_info *job, void *result, const tess_value *values,
                                                  const void *opts, const tess_context *context);

TESS_END_C

#endif
