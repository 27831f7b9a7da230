/* Appends all of an input to an output that was started. */
#include "files/append_input.h"
#include "files/slab_pipeline.h"

static tess_status pass_on(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    *out = in[0];
    progress_add(context, part->nb * part->nz);
    return TESS_OK;
}

tess_status append_input(job *j, input *in, output *out, tess_dtype dtype, progress *bar)
{
    input *const inputs[] = { in };
    tess_shape   shape = in->info.shape;
    if (!dtype) dtype = in->info.dtype;
    slab_plan plan = {
        .domain = shape, .inputs = inputs, .n_inputs = 1, .in_dtypes = &dtype, .out_shape = shape, .out_dtype = dtype
    };
    return stream_slabs(j, &plan, out, pass_on, bar);
}
