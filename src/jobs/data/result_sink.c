/* Sinks of results: that of the options, or an array within the memory budget. */
#include "jobs/data/result_sink.h"

tess_status tess__result_sink_check(const tess__result_sink *s)
{
    TESS_CHECK(!s->sink || s->sink->append, TESS_EARG, "%s: `opts->sink` is zeroed; an initialised sink is expected",
               s->fn);
    return TESS_OK;
}

/* Results that are kept count as memory that is in use. */
static tess_status count_bytes(tess__result_sink *s, tess_shape shape, tess_dtype dtype, const tess_context *context)
{
    const double all =
        (double)shape.b * (double)shape.d * (double)shape.h * (double)shape.w * (double)tess_dtype_size(dtype);
    TESS_CHECK(all < (double)context->memory, TESS_ENOMEM,
               "%s: the results take %.0f MiB, but `context->memory` allows %.0f MiB; use `opts->sink`", s->fn,
               all / 1048576, (double)context->memory / 1048576);
    s->taken = (int64_t)all;
    return TESS_OK;
}

tess_status tess__result_sink_begin(tess__result_sink *s, tess_array *result, tess_shape shape, tess_dtype dtype,
                                    const tess_meta *meta, const tess_context *context)
{
    TESS_TRY(tess__result_sink_check(s));
    if (!s->sink) {
        TESS_TRY(count_bytes(s, shape, dtype, context));
        TESS_TRY(tess_sink_array(&s->own, result));
        s->sink = &s->own;
    }
    if (!s->sink->begin) return TESS_OK;
    return tess__callback_failed(s->fn, "the sink", s->sink->begin(s->sink->user, shape, dtype, meta));
}
