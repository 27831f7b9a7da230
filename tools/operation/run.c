/* Runs an operation for the command: files in, the call, files or numbers out. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/globals.h"
#include "files/on_device.h"
#include "operation/operands.h"

static tess_status read_whole(operands *o, job *j)
{
    for (size_t i = 0; i < o->op->n_args; i++)
        if (o->is_file[i]) TESS_TRY(read_file(o, j, i));
    for (int i = 0; i < o->n_parts; i++) TESS_TRY(input_read_all(&o->parts[i], j, &o->part_arrays[i], TESS_DTYPE_NONE));
    return TESS_OK;
}

tess_status call_on_device(operands *o, job *j)
{
    for (size_t i = 0; i < o->op->n_args; i++)
        if (!(o->op->args[i].flags & TESS_ARG_HOST)) TESS_TRY(move_array(&o->arrays[i], j->device));
    for (int i = 0; i < o->n_parts; i++) TESS_TRY(move_array(&o->part_arrays[i], j->device));
    TESS_TRY(tess_function_call(o->op, o->values, o->opts));
    for (int i = 0; i < o->n_results; i++) TESS_TRY(move_array(o->results[i].array, tess_cpu()));
    return TESS_OK;
}

/* An output that must be there before: by --shape and --dtype, or like the input. */
static tess_status make_output(operands *o, job *j)
{
    const tess_arg_info *row = main_output(o->op);
    if (!row || !(row->flags & TESS_ARG_MADE)) return TESS_OK;
    tess_shape  shape;
    tess_dtype  dtype = TESS_F32;
    const char *shape_text = job_text(j, "shape", NULL), *dtype_text = job_text(j, "dtype", NULL);
    TESS_CHECK(shape_text || first_file(o), TESS_EARG, "%s: --shape is needed, as --shape 1,1,64,64", o->op->name);
    if (shape_text) TESS_TRY(parse_shape(&shape, "--shape", shape_text));
    else shape = first_file(o)->info.shape;
    if (dtype_text) TESS_TRY(parse_dtype(&dtype, "--dtype", dtype_text));
    return tess_zeros(&o->arrays[row - o->op->args], shape, dtype, j->device);
}

static tess_status write_results(operands *o, job *j)
{
    tess_meta meta;
    for (int i = 0; i < o->n_results; i++) {
        const result *r = &o->results[i];
        if (!r->file) continue;
        TESS_TRY(result_meta(o, j, r->array->shape, &meta));
        TESS_TRY(output_write(j, r->file, r->array, &meta));
    }
    return TESS_OK;
}

static tess_status run_whole(operands *o, job *j)
{
    TESS_TRY(read_whole(o, j));
    TESS_TRY(make_output(o, j));
    TESS_TRY(call_on_device(o, j));
    return write_results(o, j);
}

/* Before anything is computed that would only be thrown away. */
static tess_status check_printing(const operands *o)
{
    if (!o->prints || o->op->cut != TESS_CUT_ELEMENTS) return TESS_OK;
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_shape s = o->inputs[i].info.shape;
        TESS_CHECK(!o->is_file[i] || s.b * s.d * s.h * s.w <= MAX_PRINTED, TESS_EARG,
                   "%s: no output, and %" PRId64 " elements are too many to print; name a file with -o", o->op->name,
                   s.b * s.d * s.h * s.w);
    }
    return TESS_OK;
}

static tess_status run(operands *o, job *j)
{
    bool done = false;
    TESS_TRY(operands_open(o, j));
    complete_shapes(o, largest_input(o));
    TESS_TRY(check_printing(o));
    if (job_has(j, "dry-run")) {
        for (int i = 0; i < o->n_results; i++)
            if (o->results[i].file) (void)printf("would write %s\n", o->results[i].file);
        return TESS_OK;
    }
    TESS_TRY(run_in_parts(o, j, &done));
    if (!done) TESS_TRY(run_whole(o, j));
    return print_results(o, j);
}

tess_status operation_run(job *j)
{
    operands *o = calloc(1, sizeof *o);
    TESS_CHECK(o, TESS_ENOMEM, "%s: no memory", j->verb->name);
    o->op = j->op;
    const tess_status status = run(o, j);
    operands_close(o);
    free(o);
    if (status == TESS_EDTYPE && main_output(j->op) && (main_output(j->op)->flags & TESS_ARG_MADE))
        return tess__note(status, __FILE__, __LINE__, __func__, "run", "the type of the result is set by --dtype");
    return status;
}
