/* Integers of Python's as operands of element-wise functions, as in NumPy 2: of numbers alone they are i64, and beside
 * arrays of integers they must fit the dtype of these.
 */
#include <string.h>

#include "call.h"
#include "errors.h"

/* The operand of a parameter that computes with numbers; NULL for masks and what is left out. */
static operand *operand_of(call *c, const parameter *p)
{
    const bool is_input = p->use == USE_VALUE && p->row->role == TESS_ROLE_IN && p->row->type == TESS_ARG_ARRAY;
    if (!is_input || (p->row->sample && strcmp(p->row->sample, "mask") == 0)) return NULL;
    for (int i = 0; i < c->n_operands; i++)
        if (&c->operands[i].array == c->values[p->slot].in) return &c->operands[i];
    return NULL;
}

static bool is_whole_number(const operand *o)
{
    return o->kind == OPERAND_NUMBER && kind_of_number(o->source) == NUMBER_INTEGER;
}

static bool has_whole_number(const call *c)
{
    for (int i = 0; i < c->n_operands; i++)
        if (is_whole_number(&c->operands[i])) return c->function->info->cut == TESS_CUT_ELEMENTS;
    return false;
}

void call_whole_numbers(call *c)
{
    const callable *f = c->function;
    if (!has_whole_number(c)) return;
    for (int i = 0; i < f->n_positional; i++) {
        const operand *o = operand_of(c, &f->parameters[i]);
        if (o && (o->kind != OPERAND_NUMBER || kind_of_number(o->source) > NUMBER_INTEGER)) return;
    }
    for (int i = 0; i < f->n_positional; i++) {
        operand *o = operand_of(c, &f->parameters[i]);
        if (!o || !is_whole_number(o) || !(o->array.flags & TESS_WEAK)) continue;
        const int64_t whole = (int64_t)o->number[0];
        memcpy(o->number, &whole, sizeof whole);
        o->array.dtype = TESS_I64;
        o->array.flags &= ~(uint32_t)TESS_WEAK;
    }
}

/* ---- Range ---- */

/* The dtype of the arrays of integers beside a number; none if there are none, or arrays of others. */
static tess_dtype common_integer(call *c)
{
    const callable *f = c->function;
    tess_dtype      common = TESS_DTYPE_NONE;
    for (int i = 0; i < f->n_positional; i++) {
        const operand *o = operand_of(c, &f->parameters[i]);
        if (!o || o->kind == OPERAND_NUMBER) continue;
        if (!is_integer(o->array.dtype)) return TESS_DTYPE_NONE;
        common = common ? tess_dtype_promote(common, o->array.dtype) : o->array.dtype;
    }
    return common && is_integer(common) && common != TESS_BOOL ? common : TESS_DTYPE_NONE;
}

typedef struct range {
    long long          low;
    unsigned long long high;
} range;

static range range_of(tess_dtype dtype)
{
    const int bits = 8 * (int)tess_dtype_size(dtype);
    if (tess_dtype_kind(dtype) == TESS_KIND_UINT) return (range){ 0, UINT64_MAX >> (64 - bits) };
    const long long high = INT64_MAX >> (64 - bits);
    return (range){ -high - 1, (unsigned long long)high };
}

static bool is_within(const operand *o, range r)
{
    long long          whole = (long long)o->number[0];
    unsigned long long natural;
    memcpy(&natural, o->number, sizeof natural);
    if (o->array.dtype == TESS_U64) return natural <= r.high;
    if (o->array.dtype == TESS_I64) memcpy(&whole, o->number, sizeof whole);
    return whole >= r.low && (whole < 0 || (unsigned long long)whole <= r.high);
}

/* Whether the function computes in integers: it does with 0 in place of each number. */
static bool makes_integers(call *c)
{
    operand before[MAX_OPERANDS];
    memcpy(before, c->operands, (size_t)c->n_operands * sizeof *before);
    for (int i = 0; i < c->n_operands; i++) {
        operand *o = &c->operands[i];
        if (!is_whole_number(o)) continue;
        o->number[0] = 0;
        o->array.dtype = TESS_F64;
        o->array.flags |= TESS_WEAK;
    }
    const tess_dtype own = call_own_dtype(c);
    memcpy(c->operands, before, (size_t)c->n_operands * sizeof *before);
    return own && is_integer(own) && own != TESS_BOOL;
}

int call_ranges(call *c)
{
    const callable *f = c->function;
    if (!has_whole_number(c) || (f->cast >= 0 && c->given[f->cast])) return 0;
    const tess_dtype common = common_integer(c);
    if (!common) return 0;
    const range r = range_of(common);
    for (int i = 0; i < f->n_positional; i++) {
        const operand *o = operand_of(c, &f->parameters[i]);
        if (!o || !is_whole_number(o) || is_within(o, r) || !makes_integers(c)) continue;
        PyErr_Format(PyExc_OverflowError,
                     "%s: %s is %S, and arrays have the dtype %s; expected %lld to %llu, or arrays of a wider dtype",
                     name_of(c), f->parameters[i].text, o->source, tess_dtype_name(common), r.low, r.high);
        return -1;
    }
    return 0;
}
