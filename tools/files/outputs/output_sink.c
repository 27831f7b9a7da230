/* The output of a verb as the sink of a job of the library. */
#include "files/outputs/output_sink.h"

/* With --dry-run the job ends here, where it knows what it would write. */
static tess_status begin(void *user, tess_shape shape, tess_dtype dtype, const tess_meta *meta)
{
    output_sink *s = user;
    s->shape = shape;
    const tess_dtype written = s->dtype != TESS_DTYPE_NONE ? s->dtype : dtype;
    TESS_TRY(output_planned(s->job, NULL, shape, written, &s->is_planned));
    TESS_CHECK(!s->is_planned, TESS_ECANCELLED, "%s: --dry-run writes nothing", s->job->verb->name);
    return output_start(&s->out, s->job, NULL, shape, written, s->meta ? s->meta : meta);
}

static tess_status append(void *user, const tess_array *images)
{
    return output_append(&((output_sink *)user)->out, images);
}

void output_sink_make(output_sink *s, job *j, tess_dtype dtype, const tess_meta *meta)
{
    *s = (output_sink){ .job = j, .meta = meta, .dtype = dtype };
    s->sink = (tess_sink){ .begin = begin, .append = append, .user = s };
}

tess_status output_sink_end(output_sink *s, tess_status status)
{
    if (!s->is_planned || status != TESS_ECANCELLED) return output_end(&s->out, s->job, status);
    tess_error_clear();
    return TESS_OK;
}
