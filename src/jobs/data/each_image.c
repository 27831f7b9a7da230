/* Images of a source, slab by slab, into a sink or an array. */
#include "jobs/data/each_image.h"

static tess_status pass_on(void *user, tess_array *out, const tess_array *in, const tess_slab *slab)
{
    (void)user;
    (void)slab;
    *out = in[0];
    return TESS_OK;
}

static tess_dtype dtype_of_results(const tess__each_image_plan *p)
{
    return p->out_dtype != TESS_DTYPE_NONE ? p->out_dtype : p->dtype;
}

static tess_status run(const tess__each_image_plan *p, int64_t taken, const tess_sink *sink,
                       const tess_context *context)
{
    const tess_source *const sources[] = { p->source };
    const tess_slab_plan     plan = { .name = p->fn,
                                      .domain = p->source->shape,
                                      .sources = sources,
                                      .in_dtypes = &p->dtype,
                                      .n_sources = 1,
                                      .whole = p->volumes,
                                      .images = !p->volumes,
                                      .out_shape = p->source->shape,
                                      .out_dtype = dtype_of_results(p),
                                      .extra = p->extra,
                                      .taken = taken + p->taken,
                                      .stage = p->volumes ? "sections" : "images" };
    return tess_slabs_run(&plan, sink, p->step ? p->step : pass_on, p->user, context);
}

/* Results that are kept count as memory that is in use. */
static tess_status bytes_of_result(int64_t *bytes, const tess__each_image_plan *p, const tess_context *context)
{
    const tess_shape s = p->source->shape;
    const double     all =
        (double)s.b * (double)s.d * (double)s.h * (double)s.w * (double)tess_dtype_size(dtype_of_results(p));
    TESS_CHECK(all < (double)context->memory, TESS_ENOMEM,
               "%s: the results are %.0f MiB, and `context->memory` allows %.0f MiB; `opts->sink` is needed", p->fn,
               all / 1048576, (double)context->memory / 1048576);
    *bytes = (int64_t)all;
    return TESS_OK;
}

tess_status tess__each_image(const tess__each_image_plan *p, const tess_sink *sink, tess_array *result,
                             const tess_context *context)
{
    tess_sink own;
    int64_t   taken = 0;
    TESS_CHECK(!sink || sink->append, TESS_EARG, "%s: `opts->sink` is zeroed; a sink that was filled is expected",
               p->fn);
    if (!sink) {
        TESS_TRY(bytes_of_result(&taken, p, context));
        TESS_TRY(tess_sink_array(&own, result));
        sink = &own;
    }
    const tess_meta *meta = p->meta ? p->meta : p->source->meta;
    if (sink->begin) TESS_TRY(sink->begin(sink->user, p->source->shape, dtype_of_results(p), meta));
    return run(p, taken, sink, context);
}

tess_status tess__each_image_read(const tess__each_image_plan *p, int64_t taken, const tess_context *context)
{
    return run(p, taken, NULL, context);
}
