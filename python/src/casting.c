/* out= and operators in place: a result is converted to the dtype of the caller's array only where NumPy does, from
 * integers to floats and to complex numbers, and within each of these kinds.
 *
 * The library converts to any dtype. Which one a result would have of itself is found by the same call for arrays of no
 * elements, or for reductions of one, whose outputs are new.
 */
#include <string.h>

#include "call.h"
#include "errors.h"

typedef struct trial {
    tess_value values[MAX_VALUES];
    _Alignas(16) unsigned char opts[MAX_OPTION_BYTES];
    tess_array inputs[MAX_OPERANDS], outputs[MAX_VALUES];
    int        n_inputs, n_outputs;
    bool       empties_all; /* not only the first input and batches: some functions want one batch of others */
} trial;

/* Bool, integers, floats, complex numbers; -1 for others. Each is converted to those behind it. */
static int rank_of(tess_dtype dtype)
{
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_BOOL: return 0;
    case TESS_KIND_INT:
    case TESS_KIND_UINT: return 1;
    case TESS_KIND_FLOAT: return 2;
    case TESS_KIND_COMPLEX: return 3;
    default: return -1;
    }
}

static bool is_out(const tess_arg_info *row)
{
    return row->role == TESS_ROLE_OUT && row->type == TESS_ARG_ARRAY && !(row->flags & (TESS_ARG_MADE | TESS_ARG_KEPT));
}

static bool is_made_by_call(const call *c, const tess_array *array)
{
    for (int i = 0; i < c->n_results; i++)
        if (array == &c->results[i].array) return true;
    return false;
}

/* True if the result could be of a kind that the array is not: floats only get complex numbers of complex ones. */
static bool may_narrow(const call *c, const tess_array *out)
{
    const int rank = rank_of(out->dtype);
    bool      narrows = rank == 0 || rank == 1;
    for (int i = 0; i < c->n_operands && rank == 2; i++)
        narrows = narrows || (&c->operands[i].array != out && rank_of(c->operands[i].array.dtype) == 3);
    return narrows;
}

/* ---- The same call for less ---- */

static const tess_array *smaller(const call *c, trial *t, const tess_arg_info *row, const tess_array *from)
{
    if (!from || t->n_inputs == MAX_OPERANDS) return from;
    tess_array *a = &t->inputs[t->n_inputs++];
    *a = *from;
    if (from->flags & TESS_SCALAR) return a;
    const bool is_own = row->flags & TESS_ARG_ROWS || (row->axes && *row->axes != 'B');
    if (!c->function->reduced) {
        if (a->shape.b > 1 || t->n_inputs == 1 || (t->empties_all && !is_own)) a->shape.b = 0;
        return a;
    }
    for (int axis = 0; axis < 4 && !is_own; axis++)
        if (a->shape.dim[axis] > 1) a->shape.dim[axis] = 1;
    return a;
}

static void take_option(const call *c, trial *t, const tess_arg_info *row)
{
    const tess_array *array = NULL;
    if (row->type != TESS_ARG_ARRAY && row->type != TESS_ARG_RESULT) return;
    if (row->type == TESS_ARG_ARRAY && !(row->flags & TESS_ARG_WRITTEN)) {
        memcpy(&array, t->opts + row->offset, sizeof array);
        array = smaller(c, t, row, array);
    }
    memcpy(t->opts + row->offset, &array, sizeof array);
}

static void take_arguments(const call *c, trial *t)
{
    const tess_function_info *info = c->function->info;
    int                       slot = 0;
    t->n_inputs = t->n_outputs = 0;
    memcpy(t->values, c->values, (size_t)c->function->n_values * sizeof *t->values);
    memcpy(t->opts, c->opts, info->opts_size);
    for (size_t i = 0; i < info->n_args; i++) {
        const tess_arg_info *row = &info->args[i];
        if (row->role == TESS_ROLE_OPTION) {
            take_option(c, t, row);
            continue;
        }
        if (row->role == TESS_ROLE_IN && row->type == TESS_ARG_ARRAY)
            t->values[slot].in = smaller(c, t, row, c->values[slot].in);
        else if (row->role == TESS_ROLE_OUT && row->type == TESS_ARG_ARRAY && c->values[slot].out) {
            tess_array *made = &t->outputs[t->n_outputs++];
            *made = (tess_array){ .data = NULL };
            t->values[slot].out = made;
        } else if (row->type == TESS_ARG_SHAPE && row->role == TESS_ROLE_REQUIRED) {
            const bool counts = t->empties_all && row->flags & TESS_ARG_COUNTS_BATCH;
            if (counts || c->values[slot].shape.b > 1) t->values[slot].shape.b = 0;
        }
        slot++;
    }
}

/* ---- What is wrong ---- */

static int refuse(const call *c, const tess_arg_info *row, const tess_array *out, tess_dtype own)
{
    const bool  in_place = out->data == c->operands[0].array.data;
    const char *name = c->function->n_outputs > 1 ? row->name : in_place ? c->function->parameters[0].text : "out";
    const char *given = tess_dtype_name(out->dtype), *wanted = tess_dtype_name(own),
               *where = in_place ? " in place" : "";
    if (rank_of(own) == 3)
        return raise_text(TESS_EDTYPE,
                          "%s: the result has dtype %s, which does not fit into %s of dtype %s%s; expected %s of dtype "
                          "%s, or the real part of the result alone",
                          name_of(c), wanted, name, given, where, name, wanted);
    return raise_text(TESS_EDTYPE,
                      "%s: the result has dtype %s, which does not fit into %s of dtype %s%s; expected %s of dtype %s, "
                      "or the result converted by astype('%s') or tessera.cast",
                      name_of(c), wanted, name, given, where, name, wanted, given);
}

/* Arithmetic of truth values is that of u8 here, and of truth values in NumPy. */
static bool is_of_truth(const call *c, tess_dtype own)
{
    bool truth = own == TESS_U8 && c->function->info->cut == TESS_CUT_ELEMENTS;
    for (int i = 0; i < c->n_operands; i++) truth = truth && c->operands[i].array.dtype == TESS_BOOL;
    return truth;
}

static int check_kinds(const call *c, const trial *t)
{
    const tess_function_info *info = c->function->info;
    int                       slot = 0;
    for (size_t i = 0; i < info->n_args && info->args[i].role != TESS_ROLE_OPTION; i++, slot++) {
        const tess_array *out = c->values[slot].out;
        if (!is_out(&info->args[i]) || !out || is_made_by_call(c, out)) continue;
        const tess_dtype own = t->values[slot].out->dtype;
        const int        rank = rank_of(out->dtype);
        if (rank >= 0 && rank_of(own) > rank && !is_of_truth(c, own)) return refuse(c, &info->args[i], out, own);
    }
    return 0;
}

static bool must_try(const call *c)
{
    const tess_function_info *info = c->function->info;
    int                       slot = 0;
    for (size_t i = 0; i < info->n_args && info->args[i].role != TESS_ROLE_OPTION; i++, slot++) {
        const tess_array *out = c->values[slot].out;
        if (is_out(&info->args[i]) && out && !is_made_by_call(c, out) && may_narrow(c, out)) return true;
    }
    return false;
}

static tess_status try_empty(const call *c, trial *t, bool all)
{
    const tess_function_info *info = c->function->info;
    t->empties_all = all;
    take_arguments(c, t);
    return info->call(t->values, info->opts_size ? t->opts : NULL);
}

tess_dtype call_own_dtype(const call *c)
{
    trial            t;
    const bool       works = try_empty(c, &t, true) == TESS_OK || try_empty(c, &t, false) == TESS_OK;
    const tess_dtype own = works && t.n_outputs ? t.outputs[0].dtype : TESS_DTYPE_NONE;
    for (int i = 0; i < t.n_outputs; i++) tess_release(&t.outputs[i]);
    return own;
}

/* What the call itself refuses, it says better. */
int call_casts(const call *c)
{
    trial t;
    int   failed = 0;
    if (c->n_operands == 0 || !must_try(c)) return 0;
    if (try_empty(c, &t, true) == TESS_OK || try_empty(c, &t, false) == TESS_OK) failed = check_kinds(c, &t);
    for (int i = 0; i < t.n_outputs; i++) tess_release(&t.outputs[i]);
    return failed;
}
