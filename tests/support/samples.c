/* One valid call of any operation, with small arrays. */
#include "support/samples.h"

#include <stdlib.h>

static bool is_one_of(const char *name, const char *names)
{
    char padded[80];
    (void)snprintf(padded, sizeof padded, " %s ", name);
    return strstr(names, padded) != NULL;
}

static const float  element[32] = { 2.5f }; /* as many bytes as the largest element has */
static const double quantiles[] = { 0.25, 0.5 };

static tess_shape shape_of(const tess_arg_info *row, tess_sample_kind *kind)
{
    tess_shape shape = { 0 };
    CHECK_OK(tess_arg_sample(&shape, kind, row, TESS_SHAPE(2, 1, 4, 6)));
    return shape;
}

/* Numbers from 0.05 to 0.95 where they are floats. */
static tess_array make_input(const tess_arg_info *row)
{
    tess_array       a = { 0 }, made = { 0 };
    tess_sample_kind kind;
    const tess_shape s = shape_of(row, &kind);
    if (kind == TESS_SAMPLE_INDEX) return constant(TESS_I64, s.b, s.d, s.h, s.w, 0);
    if (kind == TESS_SAMPLE_INTEGER) return numbers(TESS_I32, s.b, s.d, s.h, s.w);
    if (kind == TESS_SAMPLE_IDENTITY) CHECK_OK(tess_eye(&a, s, TESS_F32, tess_cpu()));
    else CHECK_OK(tess_linspace(&a, s, TESS_F32, tess_cpu(), 0.05, 0.95, NULL));
    if (kind != TESS_SAMPLE_COMPLEX) return a;
    CHECK_OK(tess_complex(&made, &a, &tess_num(0.5)));
    tess_release(&a);
    return made;
}

/* An output that must have been made. */
static tess_array make_output(const tess_arg_info *row)
{
    tess_sample_kind kind;
    const tess_shape s = shape_of(row, &kind);
    return constant(kind == TESS_SAMPLE_INTEGER ? TESS_I32 : TESS_F32, s.b, s.d, s.h, s.w, 0);
}

static double number_of(const tess_arg_info *row, double otherwise)
{
    return row->sample ? strtod(row->sample, NULL) : otherwise;
}

static const void *make_struct(sample *c, const tess_arg_info *row)
{
    CHECK(row->size <= sizeof c->fields);
    for (const tess_arg_info *field = row->fields; field->name; field++)
        c->fields[field->offset / sizeof(double)] = number_of(field, field->fallback);
    return c->fields;
}

static int32_t whole_number(const tess_arg_info *row)
{
    switch (row->type) {
    case TESS_ARG_AXIS: return 3;
    case TESS_ARG_AXIS_SET: return TESS_H | TESS_W;
    case TESS_ARG_CHOICE: return row->choices[0].value;
    default: return 1;
    }
}

static void fill_value(sample *c, size_t i)
{
    const tess_arg_info *row = &c->op->args[i];
    tess_value          *v = &c->values[i];
    tess_sample_kind     kind;
    switch (row->type) {
    case TESS_ARG_ARRAY:
        if (row->role == TESS_ROLE_IN) c->arrays[i] = make_input(row);
        if (row->flags & (TESS_ARG_MADE | TESS_ARG_KEPT)) c->arrays[i] = make_output(row);
        if (row->role == TESS_ROLE_IN) v->in = &c->arrays[i];
        else v->out = &c->arrays[i];
        break;
    case TESS_ARG_ARRAYS:
        c->arrays[i] = make_input(row);
        v->list.of.arrays = &c->arrays[i];
        v->list.n = 1;
        break;
    case TESS_ARG_NUMBERS:
        v->list.of.numbers = quantiles;
        v->list.n = 2;
        break;
    case TESS_ARG_STRUCT: v->structure = make_struct(c, row); break;
    case TESS_ARG_OP:
        CHECK_OK(tess_op_text(&c->made, "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = (f32)x; }"));
        v->op = c->made;
        break;
    case TESS_ARG_REDUCTIONS:
        for (int k = 0; k < 2; k++)
            c->reductions[k] = (tess_reduction){ k ? TESS_REDUCE_MEAN : TESS_REDUCE_MAX, &c->reduced[k] };
        v->list.of.reductions = c->reductions;
        v->list.n = 2;
        break;
    case TESS_ARG_SHAPE:
        if (row->role == TESS_ROLE_OUT) v->result = &c->shape;
        else v->shape = shape_of(row, &kind);
        break;
    case TESS_ARG_DTYPE: v->dtype = TESS_F32; break;
    case TESS_ARG_DEVICE: v->device = tess_cpu(); break;
    case TESS_ARG_AXES: memcpy(v->axes, (int32_t[4]){ 0, 1, 3, 2 }, sizeof v->axes); break;
    case TESS_ARG_F64: v->f64 = number_of(row, 0.25); break;
    case TESS_ARG_I64: v->i64 = (int64_t)number_of(row, 2); break;
    case TESS_ARG_U64: v->u64 = 7; break;
    case TESS_ARG_ELEMENT: v->element = element; break;
    case TESS_ARG_RESULT: v->result = &c->number; break;
    case TESS_ARG_TEXT:
    case TESS_ARG_PATH: v->text = row->sample ? row->sample : "x"; break;
    default: v->i32 = whole_number(row);
    }
}

void sample_make(sample *c, const tess_function_info *op)
{
    memset(c, 0, sizeof *c);
    c->op = op;
    for (size_t i = 0; i < op->n_args; i++)
        if (op->args[i].role != TESS_ROLE_OPTION) fill_value(c, i);
}

void sample_free(sample *c)
{
    for (int i = 0; i < SAMPLE_ROWS; i++) tess_release(&c->arrays[i]);
    for (int i = 0; i < 2; i++) tess_release(&c->reduced[i]);
    tess_op_release(c->made);
}

bool sample_is_of_files(const tess_function_info *op) { return is_one_of(op->module, " io mrc star sidecar "); }

bool sample_is_output(const tess_arg_info *row)
{
    if (row->role == TESS_ROLE_OUT) return row->type == TESS_ARG_ARRAY;
    return row->role == TESS_ROLE_OPTION && (row->flags & TESS_ARG_WRITTEN);
}

void sample_name(char name[80], const tess_arg_info *row)
{
    (void)snprintf(name, 80, "%s%s", row->role == TESS_ROLE_OPTION ? "opts->" : "", row->name);
}

void sample_set_option(sample *s, size_t row)
{
    tess_array *pointer = &s->arrays[row];
    memcpy(s->opts + s->op->args[row].offset, &pointer, sizeof pointer);
}

void sample_give_option(sample *c, size_t i)
{
    tess_sample_kind kind;
    const tess_shape shape = shape_of(&c->op->args[i], &kind);
    CHECK_OK(tess_linspace(&c->arrays[i], shape, TESS_F64, tess_cpu(), 0.05, 0.95, NULL));
    sample_set_option(c, i);
}

/* Weights of a volume are read where those of its slices are asked for; sums of weights where weights are. */
static void give_companion(sample *s, const char *name)
{
    for (size_t i = 0; i < s->op->n_args; i++) {
        const tess_arg_info *row = &s->op->args[i];
        tess_sample_kind     kind;
        if (row->role != TESS_ROLE_OPTION || strcmp(row->name, name) != 0) continue;
        CHECK_OK(tess_ones(&s->arrays[i], shape_of(row, &kind), TESS_F32, tess_cpu()));
        sample_set_option(s, i);
    }
}

void sample_ask_results(sample *s)
{
    for (size_t i = 0; i < s->op->n_args; i++)
        if (s->op->args[i].role == TESS_ROLE_OPTION && sample_is_output(&s->op->args[i])) sample_set_option(s, i);
    if (strcmp(s->op->name, "insert") == 0) {
        const tess_insert_opts add = { .add = 1 };
        memcpy(s->opts + offsetof(tess_insert_opts, add), &add.add, sizeof add.add);
        give_companion(s, "weight_sums");
    }
    if (strcmp(s->op->name, "fourier_extract") == 0) give_companion(s, "weights");
}

tess_status sample_call(const sample *s)
{
    return tess_function_call(s->op, s->values, s->op->opts_size ? s->opts : NULL);
}
