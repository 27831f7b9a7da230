/* Special values of arguments, as in NumPy: means of no elements are NaN, and integers have no negative powers. */
#include <math.h>
#include <string.h>

#include "call.h"
#include "errors.h"
#include "work.h"

static bool is_named(const call *c, const char *name)
{
    const char *own = c->function->original ? c->function->original : name_of(c);
    return strcmp(own, name) == 0;
}

/* ---- Means of no elements ---- */

static bool skips_nans(const call *c)
{
    const callable *f = c->function;
    for (int i = f->n_positional; i < f->n_parameters; i++)
        if (strcmp(f->parameters[i].text, "skip_nan") == 0) return c->given[i] && PyObject_IsTrue(c->given[i]) == 1;
    return false;
}

static bool is_mean(const call *c)
{
    static const char *const means[] = { "mean", "median", "weighted_mean", "mean_std", "mean_var" };
    for (size_t i = 0; i < sizeof means / sizeof *means; i++)
        if (is_named(c, means[i])) return true;
    return skips_nans(c) && (is_named(c, "quantile") || is_named(c, "quantiles"));
}

/* One NaN in place of no elements, along the same axes. 0, or -1 with an exception. */
static int put_nan(operand *o)
{
    const tess_array old = o->array;
    tess_array       made = { .data = NULL };
    if (!tess_is_empty(&old)) return 0;
    const tess_status status = tess_full(&made, TESS_SHAPE(1, 1, 1, 1), float_for(old.dtype), old.device, (double)NAN);
    if (status != TESS_OK) return raise_status(status);
    for (int axis = 0; axis < 4; axis++) made.shape.dim[axis] = old.shape.dim[axis] ? old.shape.dim[axis] : 1;
    made.strides = TESS_STRIDES(0, 0, 0, 0);
    if (o->releases) tess_release(&o->array);
    o->array = made;
    o->releases = true;
    return 0;
}

int call_without_elements(call *c)
{
    bool is_empty = false;
    for (int i = 0; i < c->n_operands; i++) is_empty = is_empty || tess_is_empty(&c->operands[i].array);
    if (!is_empty || !is_mean(c)) return -1;
    PyErr_Clear();
    for (int i = 0; i < c->n_operands; i++)
        if (put_nan(&c->operands[i])) return -1;
    return call_library(c) == TESS_OK ? 0 : -1;
}

/* ---- Powers of integers ---- */

static bool is_whole(const operand *o)
{
    return o->kind == OPERAND_NUMBER ? kind_of_number(o->source) <= NUMBER_INTEGER : is_integer(o->array.dtype);
}

/* The smallest exponent; 0 for those on a GPU, which are not waited for. */
static int smallest(const operand *o, int64_t *least)
{
    const tess_array *a = &o->array;
    *least = 0;
    if (o->kind == OPERAND_NUMBER) {
        int64_t whole;
        memcpy(&whole, o->number, sizeof whole);
        if (a->dtype == TESS_I64 ? whole < 0 : a->dtype == TESS_F64 && o->number[0] < 0) *least = -1;
        return 0;
    }
    if (a->device.kind != TESS_CPU || tess_is_empty(a) || tess_dtype_kind(a->dtype) != TESS_KIND_INT) return 0;
    const work_state  work = work_begin_on(a);
    const tess_status status = work_end(&work, tess_host_min_int(least, a));
    return status == TESS_OK ? 0 : raise_status(status);
}

int call_powers(const call *c)
{
    int64_t least;
    if (c->n_operands < 2 || !is_named(c, "pow") || !is_whole(&c->operands[0]) || !is_whole(&c->operands[1])) return 0;
    if (smallest(&c->operands[1], &least)) return -1;
    if (least >= 0) return 0;
    return raise_text(TESS_EARG,
                      "%s: y has negative integers, and x has dtype %s; expected x of floats, as in 2.0 ** -1",
                      name_of(c), tess_dtype_name(c->operands[0].array.dtype));
}
