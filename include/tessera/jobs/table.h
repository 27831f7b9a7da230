/* The description of every job: what the command, bindings and documentation read.
 *
 * A job is described by the same rows as an operation (tessera/table.h): first the fields of its result struct
 * (TESS_ROLE_RESULT: ARRAY, COLUMNS, and numbers of its report as F64, I64 or FLAG), then sources and values that the
 * caller must give, options last. A table of a result has a column for each of the row's `choices`, whose help says
 * what it holds, with its unit.
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
    size_t             result_size; /* bytes of the result struct, which is zeroed before a run */
    tess_status (*run)(void *result, const tess_value *values, const void *opts, const tess_context *context);
    void (*release)(void *result); /* releases what a result holds, and zeroes it */
} tess_job_info;

/** Number of jobs. */
TESS_API size_t tess_job_count(void);

/** Job `i`, in the order of their names; NULL if there is none. */
TESS_API const tess_job_info *tess_job_at(size_t i);

/** The job of a name, as "local_resolution"; NULL if there is none. */
TESS_API const tess_job_info *tess_job_find(const char *name);

/**
 * Runs a job by its description: as tess_<name> with these arguments.
 *
 * `result` points to the job's result struct of result_size bytes, zeroed; release it by `job->release`. There is a
 * value for each row that is an input or a required value, in their order; a job without any takes NULL. `opts` is the
 * job's options struct, or NULL. A value of an option that a caller gave is marked by
 * tess_option_given(&job->function, …).
 */
TESS_API TESS_MUST_CHECK tess_status tess_job_run(const tess_job_info *job, void *result, const tess_value *values,
                                                  const void *opts, const tess_context *context);

TESS_END_C

#endif
