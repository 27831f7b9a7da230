/* The output of a verb as the sink of a job of the library. */
#include "files/output_sink.h"

static tess_status begin(void *user, tess_shape shape, tess_dtype dtype, const tess_meta *meta)
{
    output_sink *s = user;
    (void)meta;
    return output_start(&s->out, s->job, NULL, shape, s->dtype != TESS_DTYPE_NONE ? s->dtype : dtype, s->meta);
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

tess_status output_sink_end(output_sink *s, tess_status status) { return output_end(&s->out, s->job, status); }
