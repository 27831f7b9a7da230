/* Promotion: arrays of several dtypes where the library wants one, and integers, truth values and lists where it wants
 * floats: f32 for 8 and 16 bits, f64 for more.
 *
 * The library converts no such array by itself. Only a call that it rejects for a dtype is repeated, with other dtypes.
 */
#include <string.h>

#include "call.h"
#include "errors.h"
#include "work.h"

/* ---- One dtype for several operands ---- */

int operand_cast(operand *o, tess_dtype dtype)
{
    tess_array made = { .data = NULL };
    if (o->kind == OPERAND_NUMBER || o->array.dtype == dtype) return 0;
    const work_state  work = work_begin_on(&o->array);
    const tess_status status = work_end(&work, tess_cast(&made, &o->array, dtype, NULL));
    if (status != TESS_OK) return raise_status(status);
    if (o->releases) tess_release(&o->array);
    o->array = made;
    o->releases = true;
    return 0;
}

int operand_move(operand *o, tess_device device)
{
    tess_array made = { .data = NULL };
    if (o->array.device.kind == device.kind && o->array.device.index == device.index) return 0;
    const work_state  work = work_begin_on(&o->array);
    const tess_status status = work_end(&work, tess_to_device(&made, &o->array, device));
    if (status != TESS_OK) return raise_status(status);
    if (o->releases) tess_release(&o->array);
    o->array = made;
    o->releases = true;
    return 0;
}

/* Where there is no common dtype, the library says so. */
int operands_promote(operand *operands, int n)
{
    tess_dtype common = operands[0].array.dtype;
    for (int i = 1; i < n && common; i++)
        if (operands[i].array.dtype != common) common = tess_dtype_promote(common, operands[i].array.dtype);
    for (int i = 0; i < n && common; i++)
        if (operand_cast(&operands[i], common)) return -1;
    return 0;
}

/* ---- Functions of floats ---- */

typedef enum attempt {
    ATTEMPT_OWN,    /* each by its own size; a list as the first array */
    ATTEMPT_COMMON, /* all as the widest float among them */
    ATTEMPT_F64,    /* each as f64 */
    N_ATTEMPTS
} attempt;

typedef struct promotion {
    operand   *numbers[MAX_OPERANDS]; /* operands that are numbers, neither indices nor masks, */
    tess_dtype given[MAX_OPERANDS];   /* and their dtypes as they were given */
    int        n;
} promotion;

bool is_integer(tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    return kind == TESS_KIND_BOOL || kind == TESS_KIND_INT || kind == TESS_KIND_UINT;
}

/* The row says what its elements are for. */
static bool holds_numbers(const tess_arg_info *row)
{
    tess_shape        shape;
    tess_sample_kind  kind;
    const tess_status status = tess_arg_sample(&shape, &kind, row, TESS_SHAPE(1, 1, 1, 1));
    return status == TESS_OK && (kind == TESS_SAMPLE_ANY || kind == TESS_SAMPLE_COMPLEX);
}

static operand *operand_at(call *c, const tess_array *array)
{
    for (int i = 0; i < c->n_operands; i++)
        if (&c->operands[i].array == array) return &c->operands[i];
    return NULL;
}

static void find_numbers(call *c, promotion *p)
{
    const callable *f = c->function;
    for (int i = 0; i < f->n_parameters && p->n < MAX_OPERANDS; i++) {
        const parameter  *at = &f->parameters[i];
        const tess_array *array = NULL;
        if (!c->given[i] || !at->row || at->row->type != TESS_ARG_ARRAY) continue;
        if (at->use == USE_OPTION) memcpy(&array, c->opts + at->row->offset, sizeof array);
        else if (at->use == USE_VALUE) array = c->values[at->slot].in;
        operand *o = array ? operand_at(c, array) : NULL;
        if (!o || o->kind == OPERAND_NUMBER || !holds_numbers(at->row)) continue;
        p->numbers[p->n] = o;
        p->given[p->n++] = o->array.dtype;
    }
}

tess_dtype float_for(tess_dtype given)
{
    if (is_integer(given)) return tess_dtype_size(given) <= 2 ? TESS_F32 : TESS_F64;
    return given;
}

/* The dtype with the kind of `given`, real or complex, and the precision of `like`. */
static tess_dtype as_precise_as(tess_dtype given, tess_dtype like)
{
    const bool is_complex = tess_dtype_kind(given) == TESS_KIND_COMPLEX;
    return is_complex ? tess_dtype_complex(like) : tess_dtype_real(like);
}

/* The widest float among arrays, or where there are only lists, among these. */
static tess_dtype common_float(const promotion *p)
{
    tess_dtype common = TESS_DTYPE_NONE;
    for (int of_lists = 0; of_lists < 2 && !common; of_lists++)
        for (int i = 0; i < p->n; i++) {
            const tess_dtype real = tess_dtype_real(float_for(p->given[i]));
            if ((p->numbers[i]->kind == OPERAND_LIST) == of_lists)
                common = common ? tess_dtype_promote(common, real) : real;
        }
    return common;
}

static tess_dtype dtype_for(const promotion *p, int i, attempt which)
{
    const tess_dtype given = p->given[i];
    const bool       is_list = p->numbers[i]->kind == OPERAND_LIST;
    if (which == ATTEMPT_COMMON) return as_precise_as(given, common_float(p));
    if (!is_integer(given) && !is_list) return given;
    if (which == ATTEMPT_F64) return as_precise_as(given, TESS_F64);
    return is_list ? as_precise_as(given, common_float(p)) : float_for(given);
}

/* 1 if any dtype changes, 0 if none does, -1 with an exception. */
static int promote(const promotion *p, attempt which)
{
    int changed = 0;
    for (int i = 0; i < p->n; i++) {
        const tess_dtype dtype = dtype_for(p, i, which);
        if (!dtype || dtype == p->numbers[i]->array.dtype) continue;
        if (operand_cast(p->numbers[i], dtype)) return -1;
        changed = 1;
    }
    return changed;
}

static bool has_any(const promotion *p)
{
    for (int i = 0; i < p->n; i++)
        if (is_integer(p->given[i]) || p->numbers[i]->kind == OPERAND_LIST) return true;
    return false;
}

/* The attempt that succeeds: TESS_OK; else the status of the last one, whose exception is set. */
static tess_status try_all(call *c, const promotion *p)
{
    tess_status status = TESS_EDTYPE;
    for (attempt which = ATTEMPT_OWN; which < N_ATTEMPTS && status == TESS_EDTYPE; which++) {
        const int changed = promote(p, which);
        if (changed < 0) return TESS_ENOMEM;
        if (changed == 0) continue;
        PyErr_Clear();
        status = call_library(c);
    }
    return status;
}

int call_promoted(call *c)
{
    promotion p = { .n = 0 };
    PyObject *type, *error, *traceback;
    find_numbers(c, &p);
    if (!has_any(&p)) return -1;
    PyErr_Fetch(&type, &error, &traceback);
    const tess_status status = try_all(c, &p);
    if (status == TESS_EDTYPE) {
        PyErr_Restore(type, error, traceback); /* instead of what was said of dtypes that are not the caller's */
        return -1;
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    return status == TESS_OK ? 0 : -1;
}

/* ---- Lists and scalars beside arrays of another device ---- */

int call_moved(call *c)
{
    const operand *first = c->first;
    bool           moved = false;
    PyObject      *type, *error, *traceback;
    PyErr_Fetch(&type, &error, &traceback);
    for (int i = 0; i < c->n_operands; i++) {
        operand *o = &c->operands[i];
        if (o == first || (o->kind != OPERAND_LIST && o->kind != OPERAND_SCALAR)) continue;
        const tess_device device = o->array.device, wanted = first->array.device;
        if (device.kind == wanted.kind && device.index == wanted.index) continue;
        if (operand_move(o, wanted)) break;
        moved = true;
    }
    if (!moved || PyErr_Occurred()) {
        PyErr_Clear();
        PyErr_Restore(type, error, traceback);
        return -1;
    }
    Py_XDECREF(type);
    Py_XDECREF(error);
    Py_XDECREF(traceback);
    const tess_status status = call_library(c);
    if (status == TESS_OK) return 0;
    return status == TESS_EDTYPE ? call_promoted(c) : -1;
}
