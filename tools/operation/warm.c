/* Operations, called once on small arrays. */
#include "operation/warm.h"

#include <stdlib.h>
#include <string.h>

#include "command/rows.h"

/* Long enough that the kernels of large arrays are taken. */
static const tess_shape standard = { .dim = { 4, 1, 256, 256 } };

typedef struct warming {
    tess_value     values[MAX_ROWS];
    tess_array     arrays[MAX_ROWS];
    tess_array     reduced;
    tess_reduction reduction;
    tess_shape     shape;
    double         number;
    double         fields[32]; /* of a struct */
    unsigned char  element[128];
    tess_op       *op;
} warming;

static tess_dtype dtype_of(tess_sample_kind kind, tess_dtype dtype)
{
    switch (kind) {
    case TESS_SAMPLE_COMPLEX: return tess_dtype_complex(dtype);
    case TESS_SAMPLE_INTEGER: return TESS_I32;
    case TESS_SAMPLE_INDEX: return TESS_I64;
    case TESS_SAMPLE_MASK: return TESS_BOOL;
    default: return dtype;
    }
}

static tess_status take_array(warming *w, const tess_arg_info *row, int i, tess_device device, tess_dtype dtype)
{
    tess_array      *a = &w->arrays[i];
    const bool       is_out = row->role == TESS_ROLE_OUT;
    tess_shape       shape;
    tess_sample_kind kind;
    if (is_out) w->values[i].out = a;
    else w->values[i].in = a;
    if (row->type == TESS_ARG_ARRAYS) {
        w->values[i].list.of.arrays = a;
        w->values[i].list.n = 1;
    }
    if (is_out && !(row->flags & (TESS_ARG_MADE | TESS_ARG_KEPT))) return TESS_OK;
    TESS_TRY(tess_arg_sample(&shape, &kind, row, standard));
    if (kind == TESS_SAMPLE_IDENTITY) return tess_eye(a, shape, dtype, device);
    if (kind == TESS_SAMPLE_INDEX) return tess_zeros(a, shape, TESS_I64, device);
    return tess_ones(a, shape, dtype_of(kind, dtype), device);
}

static double number_of(const tess_arg_info *row, double otherwise)
{
    return row->sample ? strtod(row->sample, NULL) : otherwise;
}

static tess_status take_shape(warming *w, const tess_arg_info *row, tess_value *v)
{
    tess_sample_kind kind;
    if (row->role == TESS_ROLE_OUT) {
        v->result = &w->shape;
        return TESS_OK;
    }
    return tess_arg_sample(&v->shape, &kind, row, standard);
}

static tess_status take_struct(warming *w, const tess_arg_info *row, tess_value *v)
{
    TESS_CHECK(row->size <= sizeof w->fields, TESS_EUNSUPPORTED,
               "warm: a %s has %zu bytes; at most %zu bytes are allowed", row->name, row->size, sizeof w->fields);
    for (const tess_arg_info *field = row->fields; field->name; field++) {
        const double number = number_of(field, field->fallback);
        memcpy((char *)w->fields + field->offset, &number, sizeof number);
    }
    v->structure = w->fields;
    return TESS_OK;
}

static tess_status take_operator(warming *w, tess_value *v)
{
    TESS_TRY(tess_op_text(&w->op, "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = (f32)x; }"));
    v->op = w->op;
    return TESS_OK;
}

static tess_status take_value(warming *w, const tess_arg_info *row, int i, tess_device device, tess_dtype dtype)
{
    static const double half = 0.5;
    tess_value         *v = &w->values[i];
    switch (row->type) {
    case TESS_ARG_SHAPE: return take_shape(w, row, v);
    case TESS_ARG_RESULT: v->result = &w->number; break;
    case TESS_ARG_DTYPE: v->dtype = dtype; break;
    case TESS_ARG_DEVICE: v->device = device; break;
    case TESS_ARG_AXIS: v->i32 = 3; break;
    case TESS_ARG_AXIS_SET: v->i32 = TESS_H | TESS_W; break;
    case TESS_ARG_AXES: memcpy(v->axes, (int32_t[4]){ 0, 1, 3, 2 }, sizeof v->axes); break;
    case TESS_ARG_F64: v->f64 = number_of(row, 0.5); break;
    case TESS_ARG_I64: v->i64 = (int64_t)number_of(row, 2); break;
    case TESS_ARG_TEXT: v->text = row->sample; break;
    case TESS_ARG_U64: v->u64 = 0; break;
    case TESS_ARG_CHOICE: v->i32 = row->choices[0].value; break;
    case TESS_ARG_ELEMENT: v->element = w->element; break;
    case TESS_ARG_NUMBERS:
        v->list.of.numbers = &half;
        v->list.n = 1;
        break;
    case TESS_ARG_STRUCT: return take_struct(w, row, v);
    case TESS_ARG_OP: return take_operator(w, v);
    case TESS_ARG_REDUCTIONS:
        w->reduction = (tess_reduction){ row->choices[0].value, &w->reduced };
        v->list.of.reductions = &w->reduction, v->list.n = 1;
        break;
    default: v->i32 = 1; break;
    }
    return TESS_OK;
}

tess_status warm_operation(const tess_function_info *op, tess_device device, tess_dtype dtype)
{
    warming     w;
    tess_status status = TESS_OK;
    memset(&w, 0, sizeof w);
    for (int i = 0; i < (int)op->n_args; i++) {
        const tess_arg_info *row = &op->args[i];
        if (row->role == TESS_ROLE_OPTION) continue;
        if (row->type == TESS_ARG_ARRAY || row->type == TESS_ARG_ARRAYS)
            TESS_GOTO(done, status, take_array(&w, row, i, device, dtype));
        else TESS_GOTO(done, status, take_value(&w, row, i, device, dtype));
    }
    TESS_GOTO(done, status, tess_function_call(op, w.values, NULL));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(device)));
done:
    for (int i = 0; i < MAX_ROWS; i++) tess_release(&w.arrays[i]);
    tess_release(&w.reduced);
    tess_op_release(w.op);
    return status;
}

tess_status warm_text(const char *text, tess_device device)
{
    static const tess_dtype letters[] = { TESS_F32, TESS_F32, TESS_F32 };
    tess_op                *op = NULL;
    TESS_TRY(tess_op_text(&op, text));
    const tess_status status = tess_op_prepare(op, device, letters, 3);
    tess_op_release(op);
    return status;
}
