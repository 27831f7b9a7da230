/* A job of the library as a verb runs it. */
#include "operation/job_call.h"

#include <stdlib.h>
#include <string.h>

#include "command/context.h"
#include "command/options.h"
#include "operation/job_options.h"

/* What an option names is a volume where the first argument is one, as a mask of it. */
static input_need need_of(const job_call *c, const tess_arg_info *row)
{
    if (row->flags & TESS_ARG_VOLUME) return NEED_VOLUME;
    if (row->flags & TESS_ARG_IMAGES) return NEED_IMAGES;
    return row->role == TESS_ROLE_OPTION && c->n_in > 0 && c->in[0].info.shape.d > 1 ? NEED_VOLUME : NEED_ANY;
}

static tess_status open_source(job_call *c, const char *name, const tess_arg_info *row, bool beside,
                               const tess_source **source)
{
    const input_need need = need_of(c, row);
    TESS_TRY(beside ? input_open_beside(&c->in[c->n_in], c->job, name, need, false)
                    : input_open(&c->in[c->n_in], c->job, name, need));
    *source = input_source(&c->in[c->n_in++]);
    return TESS_OK;
}

/* Arguments in the order of the rows of sources; optional ones may be missing at the end. Other values are the verb's
 * affair. */
static tess_status open_arguments(job_call *c)
{
    const tess_function_info *f = &c->info->function;
    int                       n = 0, value = 0;
    for (size_t i = 0; i < f->n_args; i++) {
        const tess_arg_info *row = &f->args[i];
        if (row->role != TESS_ROLE_IN && row->role != TESS_ROLE_REQUIRED) continue;
        const bool is_given = row->type == TESS_ARG_SOURCE && n < c->job->n_arguments;
        if (is_given) TESS_TRY(open_source(c, c->job->arguments[n], row, false, &c->values[value].source));
        n += row->type == TESS_ARG_SOURCE;
        value++;
    }
    return TESS_OK;
}

static tess_status open_options(job_call *c)
{
    const tess_function_info *f = &c->info->function;
    for (size_t i = 0; i < f->n_args; i++) {
        const tess_arg_info *row = &f->args[i];
        const tess_source   *source = NULL;
        if (row->role != TESS_ROLE_OPTION || row->type != TESS_ARG_SOURCE || !job_has(c->job, row->name)) continue;
        if (lists_name(c->job->verb->fills, row->name)) continue;
        const bool beside = lists_name(c->job->verb->beside, row->name);
        TESS_TRY(open_source(c, job_text(c->job, row->name, ""), row, beside, &source));
        memcpy((char *)c->opts + row->offset, &source, sizeof source);
    }
    return TESS_OK;
}

static job_scale scale_of(const tess_source *source)
{
    job_scale scale = { source->meta->pixel_size[2], INT64_MAX };
    for (int k = 1; k < 4; k++)
        if (source->shape.dim[k] > 1 && source->shape.dim[k] < scale.side) scale.side = source->shape.dim[k];
    return scale;
}

tess_status job_call_open(job_call *c, job *j) { return job_call_open_other(c, j, j->verb->job); }

tess_status job_call_open_other(job_call *c, job *j, const char *name)
{
    const tess_job_info *info = tess_job_find(name);
    *c = (job_call){ .info = info, .job = j };
    TESS_CHECK(info, TESS_EARG, "%s: the library has no job %s", j->verb->name, name);
    c->opts = calloc(1, info->function.opts_size);
    c->result = calloc(1, info->result_size);
    TESS_CHECK(c->opts && c->result, TESS_ENOMEM, "%s: no memory", j->verb->name);
    TESS_TRY(open_arguments(c));
    TESS_TRY(open_options(c));
    return job_fill_options(j, info, scale_of(&c->in[0].source), c->opts);
}

tess_status job_call_run(job_call *c)
{
    const tess_context context = job_context(c->job);
    return job_context_end(c->job, tess_job_run(c->info, c->result, c->values, c->opts, &context));
}

void job_call_close(job_call *c)
{
    if (c->result) c->info->release(c->result);
    while (c->n_in > 0) input_close(&c->in[--c->n_in]);
    free(c->opts);
    free(c->result);
}
