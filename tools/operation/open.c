/* The files and values of an operation that is called by the command. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "command/globals.h"
#include "files/headers/pixel_sizes.h"
#include "measure/number_table.h"
#include "operation/operands.h"

/* Arguments that a list of arrays takes: what the others leave. */
static int list_length(const operands *o, const job *j)
{
    int others = 0;
    for (size_t i = 0; i < o->op->n_args; i++)
        others += is_file_argument(&o->op->args[i]) && o->op->args[i].type == TESS_ARG_ARRAY;
    return j->n_arguments - others;
}

static tess_status open_list(operands *o, job *j, size_t i, int first)
{
    const int n = list_length(o, j);
    o->parts = calloc((size_t)n + 1, sizeof *o->parts);
    o->part_arrays = calloc((size_t)n + 1, sizeof *o->part_arrays);
    TESS_CHECK(o->parts && o->part_arrays, TESS_ENOMEM, "%s: no memory for %d inputs", o->op->name, n);
    for (o->n_parts = 0; o->n_parts < n; o->n_parts++)
        TESS_TRY(input_open(&o->parts[o->n_parts], j, j->arguments[first + o->n_parts], NEED_ANY));
    o->values[i].list.of.arrays = o->part_arrays;
    o->values[i].list.n = n;
    return TESS_OK;
}

/* A table in a text stands for a file of the same numbers. */
static tess_status open_table(operands *o, size_t i, const char *path)
{
    TESS_TRY(number_table_read(&o->tables[i], o->op->name, path));
    o->inputs[i].name = path;
    o->inputs[i].info.shape = o->tables[i].shape;
    o->inputs[i].info.dtype = TESS_F64;
    return TESS_OK;
}

/* A file, or a list of numbers. Numbers for each batch may also come as a table, {n,m}: n rows of m. */
static tess_status open_input_of_row(operands *o, job *j, size_t i, const char *text)
{
    bool is_list;
    TESS_TRY(numbers_argument(text, &o->arrays[i], &is_list));
    if (is_list) return TESS_OK;
    const bool rows = o->op->args[i].flags & TESS_ARG_ROWS;
    TESS_TRY(rows && is_number_table(text) ? open_table(o, i, text) : input_open(&o->inputs[i], j, text, NEED_ANY));
    const tess_shape s = o->inputs[i].info.shape;
    o->is_file[i] = true;
    o->is_rows[i] = rows && s.b == 1 && s.d == 1 && s.h > 1;
    return TESS_OK;
}

tess_shape shape_of_file(const operands *o, size_t i)
{
    const tess_shape s = o->inputs[i].info.shape;
    return o->is_rows[i] ? TESS_SHAPE(s.h, 1, 1, s.w) : s;
}

tess_status read_file(operands *o, job *j, size_t i)
{
    if (o->tables[i].data) TESS_TRY(tess_copy(&o->arrays[i], &o->tables[i]));
    else TESS_TRY(input_read_all(&o->inputs[i], j, &o->arrays[i], TESS_DTYPE_NONE));
    if (!o->is_rows[i]) return TESS_OK;
    const tess_array image = o->arrays[i];
    return tess_reshape(&o->arrays[i], &image, shape_of_file(o, i));
}

bool has_batches(const operands *o, size_t i)
{
    const tess_arg_info *row = &o->op->args[i];
    return o->is_file[i] && (row->role != TESS_ROLE_OPTION || row->flags & TESS_ARG_PER_BATCH);
}

/* Rows of numbers count where there is nothing that they are for: with other batches than an input's they are wrong. */
static bool is_counted(const operands *o, size_t i, bool rows)
{
    return has_batches(o, i) && ((o->op->args[i].flags & TESS_ARG_ROWS) != 0) == rows;
}

tess_shape largest_input(const operands *o)
{
    tess_shape most = TESS_SHAPE(1, 1, 1, 1);
    bool       any = false, rows = true;
    if (o->n_parts > 0) return o->parts[0].info.shape;
    for (size_t i = 0; i < o->op->n_args; i++) rows = rows && !is_counted(o, i, false);
    for (size_t i = 0; i < o->op->n_args; i++) {
        if (!is_counted(o, i, rows)) continue;
        const tess_shape s = shape_of_file(o, i);
        if (!any || s.b > most.b) most.b = s.b;
        for (int k = 1; k < 4 && !any; k++) most.dim[k] = s.dim[k];
        any = true;
    }
    return most;
}

/* Files of the size of the first one are used with it pixel by pixel. */
static void compare_pixel_sizes(const operands *o, job *j)
{
    const input *first = first_file(o);
    for (size_t i = 0; first && i < o->op->n_args; i++) {
        const tess_shape a = first->info.shape, b = o->inputs[i].info.shape;
        if (o->is_file[i] && a.d == b.d && a.h == b.h && a.w == b.w) warn_of_pixel_sizes(j, first, &o->inputs[i]);
    }
    for (int i = 1; i < o->n_parts; i++) warn_of_pixel_sizes(j, &o->parts[0], &o->parts[i]);
}

static tess_status open_arguments(operands *o, job *j)
{
    int next = 0;
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_arg_info *row = &o->op->args[i];
        if (!is_file_argument(row)) continue;
        if (row->type == TESS_ARG_ARRAYS) {
            TESS_TRY(open_list(o, j, i, next));
            next += o->n_parts;
            continue;
        }
        const char *text = j->arguments[next++];
        if (row->role == TESS_ROLE_IN) o->values[i].in = &o->arrays[i];
        if (row->role == TESS_ROLE_IN && number_argument(text, &o->numbers[i], &o->arrays[i])) continue;
        TESS_TRY(open_input_of_row(o, j, i, text));
    }
    compare_pixel_sizes(o, j);
    return TESS_OK;
}

const input *first_file(const operands *o)
{
    for (size_t i = 0; i < o->op->n_args; i++)
        if (o->is_file[i]) return &o->inputs[i];
    return o->n_parts ? &o->parts[0] : NULL;
}

/* Of the first file, or --apix; 0 if there is none. */
static double known_pixel_size(const operands *o, const job *j)
{
    return first_file(o) ? first_file(o)->info.meta.pixel_size[2] : job_number(j, "apix", 0);
}

/* What is taken when a required value was not given; false if there is nothing that could be. */
static bool take_default(operands *o, const job *j, const tess_arg_info *row, tess_value *value)
{
    switch (row->type) {
    case TESS_ARG_DEVICE: value->device = j->device; return true;
    case TESS_ARG_AXIS_SET: value->i32 = 0; return true;
    case TESS_ARG_U64: value->u64 = 0; return strcmp(row->name, "seed") == 0;
    case TESS_ARG_DTYPE: value->dtype = TESS_F32; return first_file(o) == NULL;
    case TESS_ARG_STRUCT: value->structure = NULL; return row->flags & TESS_ARG_OPTIONAL;
    case TESS_ARG_F64: value->f64 = is_pixel_size(row) ? known_pixel_size(o, j) : 0; return value->f64 > 0;
    default: return false;
    }
}

static tess_status find_dtype(const operands *o, const job *j, tess_dtype *dtype)
{
    *dtype = TESS_F32;
    const tess_arg_info *row = main_output(o->op);
    const char          *text = job_text(j, "dtype", NULL);
    return row && (row->flags & TESS_ARG_MADE) && text ? parse_dtype(dtype, "--dtype", text) : TESS_OK;
}

/* A pixel size that was not given is that of the file. */
static void complete_struct(operands *o, const job *j, const tess_arg_info *row)
{
    const double known = known_pixel_size(o, j);
    for (const tess_arg_info *field = row->fields; field->name; field++) {
        char  *at = (char *)o->workspace.structure + field->offset;
        double value;
        memcpy(&value, at, sizeof value);
        if (is_pixel_size(field) && value == 0) memcpy(at, &known, sizeof known);
    }
}

static tess_status take_values(operands *o, const job *j)
{
    tess_dtype dtype;
    char       called[ROW_CALLED];
    TESS_TRY(find_dtype(o, j, &dtype));
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_arg_info *row = &o->op->args[i];
        if (row->role == TESS_ROLE_OUT && row->type == TESS_ARG_SHAPE) o->values[i].result = &o->shape;
        if (row->role == TESS_ROLE_OUT && row->type == TESS_ARG_RESULT) o->values[i].result = &o->numbers[i];
        if (row->role != TESS_ROLE_REQUIRED && row->type != TESS_ARG_REDUCTIONS) continue;
        const char *text = row->type == TESS_ARG_DEVICE ? NULL : job_text(j, row->name, NULL);
        if (text) {
            TESS_TRY(value_from_text(row, text, dtype, &o->values[i], &o->workspace));
            if (row->type == TESS_ARG_STRUCT) complete_struct(o, j, row);
            continue;
        }
        TESS_CHECK(take_default(o, j, row, &o->values[i]), TESS_EARG, "%s: %s is needed: %s", o->op->name,
                   row_called(called, row->name), row->help);
    }
    return TESS_OK;
}

/* An input that is an option, or one that may be left out. */
static tess_status take_array(operands *o, job *j, size_t i, const char *text)
{
    const tess_arg_info *row = &o->op->args[i];
    const tess_array    *pointer = &o->arrays[i];
    if (row->role == TESS_ROLE_IN) o->values[i].in = pointer;
    else memcpy((char *)o->opts + row->offset, &pointer, sizeof pointer);
    if (number_argument(text, &o->numbers[i], &o->arrays[i])) return TESS_OK;
    TESS_TRY(open_input_of_row(o, j, i, text));
    return TESS_OK;
}

static tess_status take_option(operands *o, job *j, size_t i, const char *text)
{
    const tess_arg_info *row = &o->op->args[i];
    double *const        number = &o->numbers[i];
    if (is_file_option(row)) return take_array(o, j, i, text);
    if (is_printed_option(row)) memcpy((char *)o->opts + row->offset, &number, sizeof number);
    else if (row->role == TESS_ROLE_OPTION && row->type != TESS_ARG_RESULT)
        TESS_TRY(option_from_text(o->op, row, text, o->opts, &o->workspace));
    return TESS_OK;
}

static tess_status take_options(operands *o, job *j)
{
    if (o->op->opts_size > 0) {
        o->opts = calloc(1, o->op->opts_size);
        TESS_CHECK(o->opts, TESS_ENOMEM, "%s: no memory for its options", o->op->name);
    }
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_arg_info *row = &o->op->args[i];
        const char          *text = is_verb_option(o->op, row) ? job_text(j, row->name, NULL) : NULL;
        if (text) TESS_TRY(take_option(o, j, i, text));
    }
    return TESS_OK;
}

static void add_result(operands *o, const char *name, const char *file, tess_array *array)
{
    o->results[o->n_results++] = (result){ .name = name, .file = file, .array = array };
}

/* Which results are wanted: those with files, or all if there are none. */
static void find_results(operands *o, const job *j)
{
    o->prints = true;
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_arg_info *row = &o->op->args[i];
        if (!is_file_written(row)) continue;
        const char *file = job_text(j, row == main_output(o->op) ? "output" : row->name, NULL);
        if (file) o->prints = false;
        if (row->role == TESS_ROLE_OPTION && !file) continue;
        add_result(o, row->name, file, &o->arrays[i]);
        o->results[o->n_results - 1].of_all = row->flags & TESS_ARG_OF_ALL;
        if (row->role == TESS_ROLE_OUT) o->values[i].out = &o->arrays[i];
        else memcpy((char *)o->opts + row->offset, &o->results[o->n_results - 1].array, sizeof(tess_array *));
    }
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_arg_info *row = &o->op->args[i];
        if (row->type == TESS_ARG_REDUCTIONS)
            for (int64_t k = 0; k < o->values[i].list.n; k++)
                for (const tess_choice *c = row->choices; c->name; c++)
                    if (c->value == o->workspace.reductions[k].kind)
                        add_result(o, c->name, NULL, &o->workspace.reduced[k]);
    }
}

/* Outputs that may be left out, and are not wanted, are. */
static void leave_out(operands *o, const job *j)
{
    for (size_t i = 0; i < o->op->n_args && !o->prints; i++) {
        const tess_arg_info *row = &o->op->args[i];
        if (row->role != TESS_ROLE_OUT || !(row->flags & TESS_ARG_OPTIONAL)) continue;
        if (!job_has(j, row == main_output(o->op) ? "output" : row->name)) o->values[i].out = NULL;
    }
}

tess_status operands_open(operands *o, job *j)
{
    TESS_TRY(open_arguments(o, j));
    o->workspace.pixel_size = known_pixel_size(o, j);
    TESS_TRY(take_values(o, j));
    TESS_TRY(take_options(o, j));
    find_results(o, j);
    leave_out(o, j);
    return TESS_OK;
}

void complete_shapes(operands *o, tess_shape in)
{
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_arg_info *row = &o->op->args[i];
        tess_shape          *shape = &o->values[i].shape;
        if (row->role != TESS_ROLE_REQUIRED || row->type != TESS_ARG_SHAPE) continue;
        for (int k = 0; k < 4; k++)
            if (shape->dim[k] == INT64_MIN)
                shape->dim[k] = row->flags & TESS_ARG_COUNTS_BATCH ? in.dim[k]
                                : row->flags & TESS_ARG_PER_AXIS   ? (int64_t)row->fallback
                                                                   : 1;
    }
}

void operands_close(operands *o)
{
    for (int i = 0; i < MAX_ROWS; i++) {
        if (o->is_file[i] || o->inputs[i].file) input_close(&o->inputs[i]);
        tess_release(&o->arrays[i]);
        tess_release(&o->tables[i]);
        if (i >= o->n_results) continue;
        if (o->results[i].started) output_discard(&o->results[i].out);
        tess_release(&o->results[i].whole);
    }
    for (int i = 0; i < o->n_parts; i++) {
        input_close(&o->parts[i]);
        tess_release(&o->part_arrays[i]);
    }
    value_workspace_free(&o->workspace);
    free(o->parts);
    free(o->part_arrays);
    free(o->opts);
}
