/* Outputs of a call: where they go, and what Python object they become. */
#include <string.h>

#include "array_type.h"
#include "axes.h"
#include "call.h"
#include "dlpack.h"
#include "dtypes.h"
#include "errors.h"
#include "named_tuple.h"
#include "numpy_types.h"
#include "torch.h"
#include "values.h"

/* ---- Before the call ---- */

static result *add_result(call *c, const char *name, const tess_arg_info *row, result_type type)
{
    result *r = &c->results[c->n_results++];
    memset(r, 0, sizeof *r);
    r->name = name;
    r->row = row;
    r->type = type;
    return r;
}

static PyObject *given_for(const call *c, parameter_use use)
{
    for (int i = c->function->n_parameters - 1; i >= 0; i--)
        if (c->function->parameters[i].use == use) return c->given[i];
    return NULL;
}

/* True for an axis that the caller sees in the results of a reduction: one of its own that is not reduced, or the
 * innermost of the reduced ones where they hold several results, also of a number. */
static bool is_kept_axis(const call *c, int axis)
{
    const int32_t all = TESS_ALL_AXES, set = c->axes ? c->axes : all;
    if (!(set & TESS_B << axis)) return axis >= 4 - c->ndim;
    bool innermost = true;
    for (int inner = axis + 1; inner < 4; inner++) innermost = innermost && !(set & TESS_B << inner);
    return innermost && c->function->reduced->flags & TESS_ARG_SEVERAL;
}

/* An array without the reduced axes gets them back, with size 1. */
static void insert_reduced_axes(const call *c, operand *o)
{
    const tess_array a = o->array;
    int              from = 3, kept = 0;
    for (int axis = 0; axis < 4; axis++) kept += is_kept_axis(c, axis);
    if (o->ndim != kept || o->ndim == c->ndim) return;
    for (int axis = 3; axis >= 0; axis--) {
        const bool here = is_kept_axis(c, axis);
        o->array.shape.dim[axis] = here ? a.shape.dim[from] : 1;
        o->array.strides.dim[axis] = here ? a.strides.dim[from--] : 0;
    }
}

/* The caller's array as an output. */
static int use_given(call *c, result *r, PyObject *object, tess_array **out)
{
    operand        *made;
    const parameter p = { .text = r->name, .row = r->row };
    if (axes_operand(c, &p, object, true, &made)) return -1;
    if (c->function->reduced) insert_reduced_axes(c, made);
    r->given = object;
    *out = &made->array;
    return 0;
}

/* out= of one output is an array; of several it is a tuple. */
static PyObject *one_of(const call *c, PyObject *out, int i)
{
    const int n = c->function->n_outputs;
    if (!out || (n == 1 && !PyTuple_Check(out))) return out;
    if (PyTuple_Check(out) && PyTuple_Size(out) == n) {
        PyObject *one = PyTuple_GetItem(out, i);
        return one == Py_None ? NULL : one;
    }
    PyErr_Format(PyExc_TypeError, "%s: out is %R; expected a tuple of %d arrays", name_of(c), out, n);
    return NULL;
}

static int output_array(call *c, int slot, const tess_arg_info *row, PyObject *object)
{
    result     *r = add_result(c, row->name, row, RESULT_ARRAY);
    tess_array *out = &r->array;
    if (object && use_given(c, r, object, &out)) return -1;
    c->values[slot].out = out;
    return 0;
}

/* True is a new one. */
static bool is_wish(PyObject *object) { return object == Py_True || object == Py_False; }

/* Where all outputs may be left out, the first one is not. */
static int asked_output(call *c, const parameter *p, PyObject *object, bool by_default)
{
    if (object == Py_False || (!object && !by_default)) return 0;
    return output_array(c, p->slot, p->row, object && !is_wish(object) ? object : NULL);
}

static int asked_option(call *c, const parameter *p, PyObject *object)
{
    if (!object || object == Py_False) return 0;
    const bool is_array = (p->row->flags & TESS_ARG_IS_ARRAY) != 0;
    if (!is_array && !is_wish(object)) {
        PyErr_Format(PyExc_TypeError, "%s: %s is %R; expected True or False", name_of(c), p->text, object);
        return -1;
    }
    result     *r = add_result(c, p->row->name, p->row, is_array ? RESULT_ARRAY : RESULT_NUMBER);
    void       *to = is_array ? (void *)&r->array : (void *)&r->number;
    tess_array *out;
    if (!is_wish(object)) {
        if (use_given(c, r, object, &out)) return -1;
        to = out;
    }
    memcpy(c->opts + p->row->offset, &to, sizeof to);
    return 0;
}

static int add_reduction(call *c, const parameter *p, PyObject *word)
{
    int32_t kind;
    if (c->n_reductions == 8) {
        PyErr_Format(PyExc_ValueError, "%s: %s has more than 8 names", name_of(c), p->text);
        return -1;
    }
    if (choice_from_object(&kind, p->row, word, name_of(c), p->text)) return -1;
    const tess_choice *choice = p->row->choices;
    while (choice->value != kind) choice++;
    result *r = add_result(c, choice->name, NULL, RESULT_ARRAY);
    c->reductions[c->n_reductions++] = (tess_reduction){ kind, &r->array };
    return 0;
}

static int named_reductions(call *c, const parameter *p, PyObject *words)
{
    const bool       several = PyTuple_Check(words) || PyList_Check(words);
    const Py_ssize_t n = several ? PySequence_Size(words) : 1;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *word = several ? PySequence_GetItem(words, i) : words;
        const int failed = word ? add_reduction(c, p, word) : -1;
        if (several) Py_XDECREF(word);
        if (failed) return -1;
    }
    c->values[p->slot].list.of.reductions = c->reductions;
    c->values[p->slot].list.n = c->n_reductions;
    return 0;
}

/* Integers where that is what a function draws; elsewhere f64, as in NumPy. */
static tess_dtype default_dtype(const tess_arg_info *row)
{
    tess_shape        shape;
    tess_sample_kind  kind;
    const tess_status status = tess_arg_sample(&shape, &kind, row, TESS_SHAPE(1, 1, 1, 1));
    return status == TESS_OK && kind == TESS_SAMPLE_INTEGER ? TESS_I64 : TESS_F64;
}

static int made_output(call *c, const parameter *p, PyObject *object)
{
    PyObject   *dtype_given = given_for(c, USE_DTYPE), *device_given = given_for(c, USE_DEVICE);
    tess_dtype  dtype = default_dtype(p->row);
    tess_device device = c->first ? c->first->array.device : default_device();
    tess_shape  shape;
    int         ndim;
    if (!object || c->values[p->slot].out) return 0; /* the caller's own */
    if (shape_from_object(&shape, &ndim, object, 1, name_of(c), p->text)) return -1;
    if (dtype_given && dtype_argument(&dtype, dtype_given, name_of(c))) return -1;
    if (device_given && device_from_object(&device, device_given)) return -1;
    result           *r = add_result(c, p->row->name, p->row, RESULT_ARRAY);
    const tess_status status = tess_empty(&r->array, shape, dtype, device);
    if (status != TESS_OK) return raise_status(status);
    c->values[p->slot].out = &r->array;
    if (ndim > c->ndim) c->ndim = ndim;
    return 0;
}

static int plain_outputs(call *c)
{
    const tess_function_info *info = c->function->info;
    PyObject                 *out = given_for(c, USE_OUT);
    int                       slot = 0, n = 0;
    for (size_t i = 0; i < info->n_args && info->args[i].role != TESS_ROLE_OPTION; i++, slot++) {
        const tess_arg_info *row = &info->args[i];
        if (row->role != TESS_ROLE_OUT || row->flags & (TESS_ARG_OPTIONAL | TESS_ARG_MADE | TESS_ARG_KEPT)) continue;
        if (row->type == TESS_ARG_ARRAY) {
            PyObject *given = one_of(c, out, n++);
            if ((!given && PyErr_Occurred()) || output_array(c, slot, row, given)) return -1;
        } else if (row->type == TESS_ARG_RESULT) {
            c->values[slot].result = &add_result(c, row->name, row, RESULT_NUMBER)->number;
        } else if (row->type == TESS_ARG_SHAPE) {
            c->values[slot].result = &add_result(c, row->name, row, RESULT_SHAPE)->shape;
        }
    }
    return 0;
}

int call_outputs(call *c)
{
    const callable *f = c->function;
    if (plain_outputs(c)) return -1;
    bool none = c->n_results == 0;
    for (int i = 0; i < f->n_parameters; i++) {
        const parameter *p = &f->parameters[i];
        int              failed = 0;
        if (p->use == USE_CHANGED) failed = made_output(c, p, c->given[i]);
        else if (p->use == USE_KINDS && c->given[i]) failed = named_reductions(c, p, c->given[i]);
        else if (p->use == USE_ASKED) {
            failed = asked_output(c, p, c->given[i], none);
            none = false;
        } else if (p->use == USE_ASKED_OPT) failed = asked_option(c, p, c->given[i]);
        if (failed) return -1;
    }
    return 0;
}

/* ---- After the call ---- */

/* Types whose module makes arrays from DLPack, so as not to look for it in each call. */
static PyTypeObject *last_type;
static PyObject     *last_constructor;

static PyObject *constructor_for(PyObject *object)
{
    if (last_type == Py_TYPE(object)) return last_constructor;
    PyObject *made = dlpack_constructor(object);
    if (!made) return NULL;
    Py_XDECREF(last_constructor);
    Py_XDECREF(last_type);
    Py_INCREF(Py_TYPE(object));
    last_type = Py_TYPE(object);
    last_constructor = made;
    return made;
}

static bool numpy_has(tess_dtype dtype) { return kind_of_dtype(dtype) != 'V'; }

static int make_strides_positive(tess_array *array)
{
    tess_array made = { .data = NULL };
    if (!has_negative_strides(array)) return 0;
    const tess_status status = tess_copy(&made, array);
    tess_release(array);
    *array = made;
    return status == TESS_OK ? 0 : raise_status(status);
}

PyObject *object_of_kind(const operand *first, tess_array *array, int ndim)
{
    const operand_kind kind = first ? first->kind : OPERAND_ARRAY;
    const bool         host = array->device.kind == TESS_CPU, known = numpy_has(array->dtype);
    if (kind == OPERAND_NUMBER && ndim == 0 && known) {
        PyObject *number = array_element(array);
        tess_release(array);
        return number;
    }
    const bool of_numpy = kind == OPERAND_NUMPY || kind == OPERAND_SCALAR;
    const bool for_numpy = of_numpy && host && known && numpy_find();
    if (for_numpy && ndim == 0) return numpy_scalar(array);
    if (for_numpy && tess_is_contiguous(array, 'C')) return numpy_from_array(array, ndim);
    if (kind == OPERAND_DLPACK && make_strides_positive(array)) return NULL;
    PyObject *tensor = kind == OPERAND_DLPACK && known ? torch_from_array(first->source, array, ndim) : NULL;
    if (tensor || PyErr_Occurred()) {
        tess_release(array);
        return tensor;
    }
    PyObject *own = array_take(array, ndim), *made = own;
    *array = (tess_array){ .data = NULL };
    if (!own) return NULL;
    if (for_numpy) {
        made = PyObject_CallFunctionObjArgs(numpy_asarray, own, NULL);
        Py_DECREF(own);
    } else if (kind == OPERAND_DLPACK && known) {
        PyObject *constructor = constructor_for(first->source);
        made = constructor ? PyObject_CallFunctionObjArgs(constructor, own, NULL) : NULL;
        Py_DECREF(own);
    }
    return made;
}

/* How many axes of an array cannot be dropped from the left. */
static int least_ndim(const tess_array *a)
{
    int ndim = 4;
    while (ndim > 0 && a->shape.dim[4 - ndim] == 1) ndim--;
    return ndim;
}

/* Take the reduced axes out; returns how many axes are left. */
static int drop_reduced_axes(const call *c, tess_array *a)
{
    tess_array kept = *a;
    int        to = 3, ndim = 0;
    for (int axis = 3; axis >= 0; axis--) {
        if (!is_kept_axis(c, axis)) continue;
        kept.shape.dim[to] = a->shape.dim[axis];
        kept.strides.dim[to--] = a->strides.dim[axis];
        ndim++;
    }
    for (; to >= 0; to--) kept.shape.dim[to] = 1;
    *a = kept;
    return ndim;
}

static PyObject *object_of_array(const call *c, result *r)
{
    int ndim = c->ndim;
    if (c->function->lays_out && r->row && (r->row->axes || c->space)) return axes_result(c, r);
    if (c->function->reduced && !c->keepdims) ndim = drop_reduced_axes(c, &r->array);
    const int least = least_ndim(&r->array);
    if (ndim > 4) ndim = 4;
    return object_of_kind(c->first, &r->array, ndim > least ? ndim : least);
}

static PyObject *object_of(const call *c, result *r)
{
    if (r->given) {
        Py_INCREF(r->given);
        return r->given;
    }
    if (r->type == RESULT_NUMBER) return PyFloat_FromDouble(r->number);
    if (r->type == RESULT_SHAPE) return axes_shape(c, r);
    return object_of_array(c, r);
}

/* ---- Several results: a tuple with names ---- */

static PyObject *tuple_type_for(const call *c)
{
    char   words[400];
    size_t used = (size_t)snprintf(words, sizeof words, "%s", name_of(c));
    for (int i = 0; i < c->n_results && used < sizeof words; i++)
        used += (size_t)snprintf(words + used, sizeof words - used, " %s", c->results[i].name);
    return named_tuple_type(words);
}

PyObject *call_results(call *c)
{
    if (c->n_results == 1) return object_of(c, &c->results[0]);
    if (c->n_results == 0) Py_RETURN_NONE;
    PyObject *type = tuple_type_for(c), *made = type ? PyStructSequence_New((PyTypeObject *)type) : NULL;
    for (int i = 0; made && i < c->n_results; i++) {
        PyObject *one = object_of(c, &c->results[i]);
        if (one) PyStructSequence_SetItem(made, i, one);
        else Py_CLEAR(made);
    }
    return made;
}
