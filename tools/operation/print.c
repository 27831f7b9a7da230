/* Results of operations as numbers. */
#include <inttypes.h>
#include <string.h>

#include "operation/operands.h"

/* Some of the results, which are of one shape. */
typedef struct result_range {
    tess_array *const *arrays;
    int                first, n;
} result_range;

static const char axis_names[4][2] = { "b", "d", "h", "w" };

/* An element as a cell: integers without a point, complex ones in two. */
static tess_status print_element(table *t, const char *name, const tess_array *a, const int64_t at[4])
{
    switch (tess_dtype_kind(a->dtype)) {
    case TESS_KIND_BOOL:
    case TESS_KIND_INT:
    case TESS_KIND_UINT: {
        int64_t value;
        TESS_TRY(tess_get_i64(&value, a, at[0], at[1], at[2], at[3]));
        table_integer(t, name, value);
        return TESS_OK;
    }
    case TESS_KIND_COMPLEX: {
        tess_c64         value;
        char             part[80];
        const tess_dtype real = tess_dtype_real(a->dtype);
        TESS_TRY(tess_get_c64(&value, a, at[0], at[1], at[2], at[3]));
        (void)snprintf(part, sizeof part, "%s.re", name);
        table_number_as(t, part, value.re, real);
        (void)snprintf(part, sizeof part, "%s.im", name);
        table_number_as(t, part, value.im, real);
        return TESS_OK;
    }
    default: {
        double value;
        TESS_TRY(tess_get_f64(&value, a, at[0], at[1], at[2], at[3]));
        table_number_as(t, name, value, a->dtype);
        return TESS_OK;
    }
    }
}

/* One number, for scripts: nothing else on the line, and all digits unless --digits says how many. */
static tess_status print_bare(const tess_array *a, const job *j)
{
    char   text[32];
    double value;
    if (tess_dtype_kind(a->dtype) == TESS_KIND_FLOAT) {
        TESS_TRY(tess_get_f64(&value, a, 0, 0, 0, 0));
        (void)printf("%s\n", number_text_digits(text, value, a->dtype, (int)job_integer(j, "digits", 17)));
        return TESS_OK;
    }
    int64_t whole;
    TESS_TRY(tess_get_i64(&whole, a, 0, 0, 0, 0));
    (void)printf("%" PRId64 "\n", whole);
    return TESS_OK;
}

static bool is_form(const job *j) { return job_has(j, "json") || job_has(j, "tsv"); }

/* Results that are numbers or shapes; false if there are none. */
static bool put_values(table *t, const operands *o, const job *j)
{
    char text[100];
    bool any = false;
    for (size_t i = 0; i < o->op->n_args; i++) {
        const tess_arg_info *row = &o->op->args[i];
        const bool           asked = is_printed_option(row) && job_has(j, row->name);
        if (row->role != TESS_ROLE_OUT && !asked) continue;
        if (row->type == TESS_ARG_RESULT) table_number(t, row->name, o->numbers[i]);
        if (row->type == TESS_ARG_SHAPE) {
            (void)snprintf(text, sizeof text, "%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64, o->shape.b, o->shape.d,
                           o->shape.h, o->shape.w);
            table_list(t, row->name, text);
        }
        any |= row->type == TESS_ARG_RESULT || row->type == TESS_ARG_SHAPE;
    }
    return any;
}

static void print_values(const operands *o, job *j)
{
    table     *t = table_new(j, stdout);
    const bool any = put_values(t, o, j);
    if (any) table_row(t);
    if (any) table_end(t);
    else table_free(t);
}

/* In a form for programs, numbers and shapes stand in each row: there is one table. */
static tess_status print_row(table *t, const operands *o, const job *j, const result_range *r, const int64_t at[4])
{
    if (is_form(j)) (void)put_values(t, o, j);
    for (int k = 0; k < 4; k++)
        if (r->arrays[0]->shape.dim[k] > 1) table_integer(t, axis_names[k], at[k]);
    for (int i = 0; i < r->n; i++) TESS_TRY(print_element(t, o->results[r->first + i].name, r->arrays[i], at));
    table_row(t);
    return TESS_OK;
}

/* Results of one shape are columns of one table. */
static tess_status print_table(const operands *o, job *j, const result_range *r)
{
    const tess_shape s = r->arrays[0]->shape;
    table           *t = table_new(j, stdout);
    tess_status      status = TESS_OK;
    for (int64_t b = 0; b < s.b; b++)
        for (int64_t d = 0; d < s.d; d++)
            for (int64_t h = 0; h < s.h; h++)
                for (int64_t w = 0; w < s.w && status == TESS_OK; w++)
                    status = print_row(t, o, j, r, (int64_t[4]){ b, d, h, w });
    table_end(t);
    return status;
}

/* Neighbouring results of one shape share a table; a form for programs is one table. */
static tess_status print_arrays(const operands *o, job *j, tess_array *const *arrays)
{
    const tess_array *a = arrays[0];
    char              called[ROW_CALLED];
    for (int i = 0; i < o->n_results; i++) {
        TESS_CHECK(!is_form(j) || tess_same_shape(a, arrays[i]), TESS_EARG,
                   "%s: %s and %s differ in shape and cannot form one table; name files for them, with -o and %s, or "
                   "leave out --json and --tsv",
                   o->op->name, o->results[0].name, o->results[i].name, row_called(called, o->results[i].name));
        TESS_CHECK(tess_n_elements(arrays[i]) <= MAX_PRINTED, TESS_EARG,
                   "%s: %s has %" PRId64 " elements; name a file for it, with -o", o->op->name, o->results[i].name,
                   tess_n_elements(arrays[i]));
    }
    if (!is_form(j) && o->n_results == 1 && tess_n_elements(a) == 1 && tess_dtype_kind(a->dtype) != TESS_KIND_COMPLEX)
        return print_bare(a, j);
    for (int first = 0, n = 0; first < o->n_results; first += n) {
        for (n = 1; first + n < o->n_results && tess_same_shape(arrays[first], arrays[first + n]);) n++;
        TESS_TRY(print_table(o, j, &(result_range){ arrays + first, first, n }));
    }
    return TESS_OK;
}

tess_status print_results(operands *o, job *j)
{
    tess_array *arrays[MAX_ROWS] = { NULL };
    const bool  rows = o->prints && o->n_results > 0;
    if (!rows || !is_form(j)) print_values(o, j);
    if (!rows) return TESS_OK;
    for (int i = 0; i < o->n_results; i++)
        arrays[i] = o->results[i].whole.data ? &o->results[i].whole : o->results[i].array;
    return print_arrays(o, j, arrays);
}
