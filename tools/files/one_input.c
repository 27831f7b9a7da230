/* What verbs share that make one file of another. */
#include "files/one_input.h"

#include "measure/cell_text.h"

/* ---- The input ---- */

tess_status on_input(job *j, tess_status (*work)(struct job *, input *))
{
    input in;
    TESS_TRY(input_open(&in, j, j->arguments[0], NEED_ANY));
    const tess_status status = work(j, &in);
    input_close(&in);
    return status;
}

tess_status on_input_to_output(job *j, tess_status (*work)(struct job *, input *))
{
    TESS_TRY(output_check(j, NULL));
    return on_input(j, work);
}

tess_status open_input(job *j, input *in)
{
    TESS_TRY(output_check(j, NULL));
    return input_open(in, j, j->arguments[0], NEED_ANY);
}

tess_status need_real(const job *j, const input *in)
{
    TESS_CHECK(tess_dtype_kind(in->info.dtype) != TESS_KIND_COMPLEX, TESS_EDTYPE,
               "%s: %s has complex numbers; real ones are needed", j->verb->name, in->name);
    return TESS_OK;
}

tess_status need_right_angles(const job *j, const input *in, bool volume, const char *what)
{
    char text[64];
    TESS_CHECK(!tess_meta_is_skew(&in->info.meta, volume), TESS_EUNSUPPORTED,
               "%s: %s needs axes at right angles; the cell of %s has angles of %s degrees", j->verb->name, what,
               in->name, cell_angles_text(text, &in->info.meta));
    return TESS_OK;
}

tess_dtype dtype_to_compute(tess_dtype dtype)
{
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_COMPLEX: return dtype == TESS_C64 ? TESS_C64 : TESS_C32;
    case TESS_KIND_FLOAT: return dtype == TESS_F64 ? TESS_F64 : TESS_F32;
    default: return tess_dtype_size(dtype) > 2 ? TESS_F64 : TESS_F32;
    }
}

tess_dtype dtype_to_keep(tess_dtype dtype)
{
    return dtype == TESS_F16 || dtype == TESS_C16 ? dtype : dtype_to_compute(dtype);
}

/* ---- The output ---- */

tess_meta meta_of(const input *in)
{
    tess_meta meta = in->info.meta;
    meta.stats = 0;
    return meta;
}

void tell_lost_cell(job *j, const input *in, const tess_meta *result)
{
    const tess_meta *meta = &in->info.meta;
    const bool       symmetry = meta->space_group > 1 && meta->space_group <= 230 && result->space_group <= 1;
    if (meta->grid[2] > 0 && result->grid[2] == 0)
        job_note(j, "%s: its cell, %d x %d x %d pixels, does not match the result, which becomes its own cell",
                 in->name, (int)meta->grid[2], (int)meta->grid[1], (int)meta->grid[0]);
    if (symmetry)
        job_note(j, "%s: the result does not have the symmetry of space group %d; 1 is written", in->name,
                 (int)meta->space_group);
}

slab_plan plan_of_sections(input *const *in, tess_shape shape)
{
    return (slab_plan){ .domain = shape,
                        .inputs = in,
                        .n_inputs = 1,
                        .out_shape = shape,
                        .out_dtype = in[0]->info.dtype,
                        .unit = "images" };
}

stream_plan plan_of_images(const input *in)
{
    const tess_dtype dtype = in->info.dtype;
    return (stream_plan){ .in_dtype = dtype, .out_dtype = dtype, .out_shape = in->info.shape, .meta = in->info.meta };
}

stream_plan plan_to_compute(const input *in)
{
    const tess_dtype dtype = dtype_to_compute(in->info.dtype);
    return (stream_plan){ .in_dtype = dtype,
                          .out_dtype = dtype,
                          .file_dtype = dtype_to_keep(in->info.dtype),
                          .out_shape = in->info.shape,
                          .meta = meta_of(in),
                          .volumes = in->info.shape.d > 1 };
}
