/* Work on files slab by slab: the library's slab pipeline, on inputs and into outputs of the command. */
#include "files/slab_pipeline.h"

#include "command/context.h"

int64_t images_at_a_time(const job *j, int64_t n_images, int64_t per_image)
{
    const int64_t fit = per_image > 0 ? j->memory / per_image : n_images;
    return fit < 1 ? 1 : fit > n_images ? n_images : fit;
}

tess_status image_fits(const job *j, tess_shape shape, int64_t bytes)
{
    TESS_CHECK(bytes <= j->memory, TESS_ENOMEM,
               "%s: an image of %lld x %lld and its result take %lld MiB; --mem allows %lld MiB", j->verb->name,
               (long long)shape.w, (long long)shape.h, (long long)(bytes >> 20) + 1, (long long)(j->memory >> 20));
    return TESS_OK;
}

tess_status volume_fits(const job *j, tess_shape shape, int64_t bytes)
{
    TESS_CHECK(bytes <= j->memory, TESS_ENOMEM,
               "%s: a volume of %lld x %lld x %lld must be held in memory as a whole, which takes %lld MiB; --mem "
               "allows %lld MiB",
               j->verb->name, (long long)shape.w, (long long)shape.h, (long long)shape.d, (long long)(bytes >> 20) + 1,
               (long long)(j->memory >> 20));
    return TESS_OK;
}

int64_t bytes_to_pack(tess_shape shape, tess_dtype dtype)
{
    enum { BATCH = 1 << 20 }; /* elements of small images that are written together */
    const int64_t image = shape.h * shape.w, all = shape.b * shape.d * image, batch = image > BATCH ? image : BATCH;
    return (batch < all ? batch : all) * (int64_t)tess_dtype_size(dtype);
}

/* What the writer keeps. */
static int64_t writer_bytes(const slab_plan *plan, const output *out)
{
    const tess_dtype asked = out ? out->dtype : TESS_DTYPE_NONE, made = plan->out_dtype;
    const bool       converts = asked != TESS_DTYPE_NONE && asked != made;
    if (!out || !(plan->whole || plan->images)) return 0;
    return converts || plan->packs ? bytes_to_pack(plan->out_shape, converts ? asked : made) : 0;
}

static tess_status append(void *out, const tess_array *part) { return output_append(out, part); }

tess_status stream_slabs(job *j, const slab_plan *plan, output *out, slab_step work, void *user)
{
    const tess_sink    sink = { .append = append, .user = out };
    const tess_source *sources[STREAM_INPUTS];
    tess_context       context = job_context(j);
    context.device = plan->device;
    for (int i = 0; i < plan->n_inputs; ++i) sources[i] = input_source(plan->inputs[i]);
    const tess_slab_plan slabs = { .name = j->verb->name,
                                   .domain = plan->domain,
                                   .sources = sources,
                                   .in_dtypes = plan->in_dtypes,
                                   .n_sources = plan->n_inputs,
                                   .whole = plan->whole,
                                   .images = plan->images,
                                   .in_place = plan->in_place,
                                   .need = plan->need,
                                   .need_user = plan->context,
                                   .out_shape = plan->out_shape,
                                   .out_dtype = plan->out_dtype,
                                   .row = plan->row,
                                   .extra = plan->extra,
                                   .taken = plan->taken + writer_bytes(plan, out),
                                   .stage = plan->unit };
    return job_context_end(j, tess_slabs_run(&slabs, out ? &sink : NULL, work, user, &context));
}

tess_status stream_slabs_to_file(job *j, const slab_plan *plan, const tess_meta *meta, slab_step work, void *context)
{
    output           out = { 0 };
    const tess_dtype dtype = plan->file_dtype != TESS_DTYPE_NONE ? plan->file_dtype : plan->out_dtype;
    bool             skip;
    TESS_TRY(output_planned(j, NULL, plan->out_shape, dtype, &skip));
    if (skip) return TESS_OK;
    TESS_TRY(output_start(&out, j, NULL, plan->out_shape, dtype, meta));
    TESS_TRY(output_end(&out, j, stream_slabs(j, plan, &out, work, context)));
    return TESS_OK;
}

/* ---- By images, or by whole volumes ---- */

typedef struct by_image {
    step  step;
    void *context;
} by_image;

static tess_status step_by_image(void *context, tess_array *out, const tess_array *in, const slab *s)
{
    const by_image *b = context;
    if (!b->step) *out = in[0];
    return b->step ? b->step(b->context, out, in, s->b) : TESS_OK;
}

tess_status stream_run(job *j, input *in, const stream_plan *plan, step work, void *context)
{
    input *const     inputs[] = { in };
    const slab_plan  slabs = { .domain = plan->out_shape,
                               .device = j->device,
                               .inputs = inputs,
                               .n_inputs = 1,
                               .in_dtypes = &plan->in_dtype,
                               .whole = plan->volumes,
                               .images = !plan->volumes,
                               .out_shape = plan->out_shape,
                               .out_dtype = plan->out_dtype,
                               .file_dtype = plan->file_dtype,
                               .in_place = plan->in_place,
                               .row = plan->row,
                               .packs = plan->packs,
                               .extra = plan->volumes ? plan->extra / plan->out_shape.d : plan->extra,
                               .taken = plan->taken,
                               .unit = plan->volumes ? "sections" : "images" };
    const tess_shape shape = in->info.shape;
    TESS_CHECK(shape.b * shape.d == plan->out_shape.b * plan->out_shape.d || plan->volumes, TESS_ESHAPE,
               "%s: %lld images in, %lld out", j->verb->name, (long long)(shape.b * shape.d),
               (long long)(plan->out_shape.b * plan->out_shape.d));
    by_image by = { work, context };
    return stream_slabs_to_file(j, &slabs, &plan->meta, step_by_image, &by);
}
