/* Appends all of an input to an output that was started. */
#include "files/append_input.h"
#include "files/one_input.h"

static tess_status pass_on(void *context, tess_array *out, const tess_array *in, const slab *part)
{
    *out = in[0];
    progress_add(context, part->nb * part->nz);
    return TESS_OK;
}

tess_status append_input(job *j, input *in, output *out, tess_dtype dtype, progress *bar)
{
    slab_plan plan = plan_of_sections(&in, in->info.shape);
    if (dtype) plan.in_dtypes = &dtype, plan.out_dtype = dtype;
    plan.unit = NULL;
    return stream_slabs(j, &plan, out, pass_on, bar);
}
