/* The table of jobs: found and run by their descriptions. */
#include "tessera/jobs/table.h"

#include <string.h>

#define JOB(name) extern const tess_job_info tess__job_##name;
#include "jobs/run/jobs.def"
#undef JOB

static const tess_job_info *const jobs[] = {
#define JOB(name) &tess__job_##name,
#include "jobs/run/jobs.def"
#undef JOB
};

size_t tess_job_count(void) { return sizeof jobs / sizeof *jobs; }

const tess_job_info *tess_job_at(size_t i) { return i < tess_job_count() ? jobs[i] : NULL; }

const tess_job_info *tess_job_find(const char *name)
{
    for (size_t i = 0; name && i < tess_job_count(); i++)
        if (strcmp(jobs[i]->function.name, name) == 0) return jobs[i];
    return NULL;
}

/* Has the job rows that are neither results nor options? */
static bool takes_values(const tess_job_info *job)
{
    for (size_t i = 0; i < job->function.n_args; i++) {
        const int32_t role = (int32_t)job->function.args[i].role;
        if (role != TESS_ROLE_RESULT && role != TESS_ROLE_OPTION) return true;
    }
    return false;
}

tess_status tess_job_run(const tess_job_info *job, void *result, const tess_value *values, const void *opts,
                         const tess_context *context)
{
    TESS_CHECK(job && result && (values || !takes_values(job)), TESS_EARG, "job_run: `%s` is `NULL`",
               !job      ? "job"
               : !result ? "result"
                         : "values");
    return job->run(result, values, opts, context);
}
