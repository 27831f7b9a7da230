/* Images of a source, slab by slab, into a sink or an array. */
#include "jobs/data/each_image.h"

#include "jobs/data/result_sink.h"

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

tess_status tess__each_image(const tess__each_image_plan *p, const tess_sink *sink, tess_array *result,
                             const tess_context *context)
{
    const tess_meta  *meta = p->meta ? p->meta : p->source->meta;
    tess__result_sink to = { .fn = p->fn, .sink = sink };
    TESS_TRY(tess__result_sink_begin(&to, result, p->source->shape, dtype_of_results(p), meta, context));
    return run(p, to.taken, to.sink, context);
}

tess_status tess__each_image_read(const tess__each_image_plan *p, int64_t taken, const tess_context *context)
{
    return run(p, taken, NULL, context);
}
