/* Operations, called once on small arrays. */
#include "operation/warm.h"

#include <string.h>

#include "command/rows.h"

/* Long enough that the kernels of large arrays are taken. */
enum { SIDE = 256 };
static const tess_shape small = { .dim = { 4, 1, SIDE, SIDE } };

/* The images whose half spectra have that shape. */
static const tess_shape images = { .dim = { 4, 1, SIDE, 2 * (SIDE - 1) } };

typedef struct warming {
    tess_value     values[MAX_ROWS];
    tess_array     arrays[MAX_ROWS];
    tess_array     reduced;
    tess_reduction reduction;
    tess_shape     shape;
    double         number;
    unsigned char  element[128];
    tess_op       *op;
} warming;

/* Inputs that are rows of two numbers. */
static const char *const pairs[] = { "sizes", "halves", "semiaxes", "from", "to" };
enum { PAIRS = sizeof pairs / sizeof *pairs };

static tess_status take_array(warming *w, const tess_arg_info *row, int i, tess_device device, tess_dtype dtype)
{
    const bool is_mask = strcmp(row->name, "mask") == 0 || strcmp(row->name, "condition") == 0;
    const bool is_out = row->role == TESS_ROLE_OUT;
    if (is_out) w->values[i].out = &w->arrays[i];
    else w->values[i].in = &w->arrays[i];
    if (row->type == TESS_ARG_ARRAYS) {
        w->values[i].list.of.arrays = &w->arrays[i];
        w->values[i].list.n = 1;
    }
    if (is_out && !(row->flags & (TESS_ARG_MADE | TESS_ARG_KEPT))) return TESS_OK;
    if (strcmp(row->name, "indices") == 0)
        return tess_zeros(&w->arrays[i], TESS_SHAPE(1, 1, 1, SIDE), TESS_I64, device);
    if (strcmp(row->name, "origins") == 0)
        return tess_zeros(&w->arrays[i], TESS_SHAPE(small.b, 1, 1, 2), TESS_I64, device);
    if (strcmp(row->name, "doses") == 0 || strcmp(row->name, "curve") == 0)
        return tess_ones(&w->arrays[i], TESS_SHAPE(small.b, 1, 1, 1), TESS_F32, device);
    if (strcmp(row->name, "shifts") == 0)
        return tess_zeros(&w->arrays[i], TESS_SHAPE(small.b, 1, 1, 2), TESS_F32, device);
    if (strcmp(row->name, "angles") == 0 || strcmp(row->name, "points") == 0)
        return tess_ones(&w->arrays[i], TESS_SHAPE(small.b, 1, 1, 3), dtype, device);
    if (strcmp(row->name, "quats") == 0 || strcmp(row->name, "p") == 0 || strcmp(row->name, "q") == 0)
        return tess_ones(&w->arrays[i], TESS_SHAPE(small.b, 1, 1, 4), dtype, device);
    if (strcmp(row->name, "radii") == 0) return tess_ones(&w->arrays[i], TESS_SHAPE(1, 1, 1, 1), TESS_F32, device);
    for (int k = 0; k < PAIRS; k++)
        if (strcmp(row->name, pairs[k]) == 0) return tess_ones(&w->arrays[i], TESS_SHAPE(1, 1, 1, 2), TESS_F32, device);
    if (strcmp(row->name, "matrices") == 0 || strcmp(row->name, "generators") == 0)
        return tess_eye(&w->arrays[i], TESS_SHAPE(1, 1, 3, 3), dtype, device);
    return tess_ones(&w->arrays[i], small, is_mask ? TESS_BOOL : dtype, device);
}

static tess_status take_operator(warming *w, tess_value *v)
{
    TESS_TRY(tess_op_text(&w->op, "op f(in f64 z, in f64 y, in f64 x, out f32 m) { m = (f32)x; }"));
    v->op = w->op;
    return TESS_OK;
}

static tess_status take_value(warming *w, const tess_function_info *op, int i, tess_device device, tess_dtype dtype)
{
    const tess_arg_info *row = &op->args[i];
    const bool           of_spectra = strcmp(op->module, "fft") == 0 || strcmp(op->module, "filter") == 0 ||
                            strcmp(op->module, "fourier_mask") == 0 || strcmp(op->module, "ctf") == 0;
    const bool is_spectrum = of_spectra && (op->args[1].role == TESS_ROLE_IN || strcmp(op->name, "ctf_fit") == 0);
    static const double half = 0.5, ctf[32] = { 1, 1, 1, 0, 0, 300, 0.1, 2.7 };
    tess_value         *v = &w->values[i];
    switch (row->type) {
    case TESS_ARG_SHAPE:
        v->shape = is_spectrum ? images : small;
        if (strcmp(op->name, "extract") == 0 || strcmp(row->name, "patch") == 0) v->shape.b = 1;
        for (int k = 0; k < 4 && (row->flags & TESS_ARG_PER_AXIS); k++) v->shape.dim[k] = (int64_t)row->fallback;
        if (row->role == TESS_ROLE_OUT) v->result = &w->shape;
        break;
    case TESS_ARG_RESULT: v->result = &w->number; break;
    case TESS_ARG_DTYPE: v->dtype = dtype; break;
    case TESS_ARG_DEVICE: v->device = device; break;
    case TESS_ARG_AXIS: v->i32 = 3; break;
    case TESS_ARG_AXIS_SET: v->i32 = TESS_H | TESS_W; break;
    case TESS_ARG_AXES: memcpy(v->axes, (int32_t[4]){ 0, 1, 3, 2 }, sizeof v->axes); break;
    case TESS_ARG_F64: v->f64 = strcmp(row->name, "high") == 0 || strcmp(row->name, "stop") == 0 ? 2 : 0.5; break;
    case TESS_ARG_I64: v->i64 = strcmp(row->name, "high") == 0 ? 9 : 2; break;
    case TESS_ARG_U64: v->u64 = 0; break;
    case TESS_ARG_CHOICE: v->i32 = row->choices[0].value; break;
    case TESS_ARG_ELEMENT: v->element = w->element; break;
    case TESS_ARG_NUMBERS:
        v->list.of.numbers = &half;
        v->list.n = 1;
        break;
    case TESS_ARG_STRUCT: v->structure = ctf; break;
    case TESS_ARG_OP: return take_operator(w, v);
    case TESS_ARG_REDUCTIONS:
        w->reduction = (tess_reduction){ row->choices[0].value, &w->reduced };
        v->list.of.reductions = &w->reduction, v->list.n = 1;
        break;
    default: v->i32 = 1; break;
    }
    return TESS_OK;
}

static tess_status call_once(const tess_function_info *op, tess_device device, tess_dtype dtype)
{
    warming     w;
    tess_status status = TESS_OK;
    memset(&w, 0, sizeof w);
    for (int i = 0; i < (int)op->n_args; i++) {
        const tess_arg_info *row = &op->args[i];
        if (row->role == TESS_ROLE_OPTION) continue;
        if (row->type == TESS_ARG_ARRAY || row->type == TESS_ARG_ARRAYS)
            TESS_GOTO(done, status, take_array(&w, row, i, device, dtype));
        else TESS_GOTO(done, status, take_value(&w, op, i, device, dtype));
    }
    TESS_GOTO(done, status, tess_function_call(op, w.values, NULL));
    TESS_GOTO(done, status, tess_stream_sync(tess_stream_current(device)));
done:
    for (int i = 0; i < MAX_ROWS; i++) tess_release(&w.arrays[i]);
    tess_release(&w.reduced);
    tess_op_release(w.op);
    return status;
}

tess_status warm_operation(const tess_function_info *op, tess_device device, tess_dtype *dtype)
{
    const tess_dtype choices[] = { *dtype, tess_dtype_complex(*dtype), TESS_I32 };
    tess_status      status = TESS_OK;
    for (int i = 0; i < 3; i++) {
        *dtype = choices[i];
        status = call_once(op, device, choices[i]);
        if (status != TESS_EDTYPE) break;
    }
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
