/* Arrays from numbers, and from nested lists and tuples of them: i64, f64 or c64, as the numbers need it, or bool. */
#include "array_type.h"
#include "errors.h"
#include "names.h"
#include "operand.h"

typedef struct list_shape {
    int64_t     shape[4];
    int         ndim;
    number_kind kind; /* the most general of the numbers */
} list_shape;

static const tess_dtype dtype_of_kinds[] = {
    [NUMBER_BOOL] = TESS_BOOL, [NUMBER_INTEGER] = TESS_I64, [NUMBER_FLOAT] = TESS_F64, [NUMBER_COMPLEX] = TESS_C64
};

static bool is_list(PyObject *object) { return PyList_Check(object) || PyTuple_Check(object); }

static number_kind kind_of_array(const tess_array *a)
{
    switch (tess_dtype_kind(a->dtype)) {
    case TESS_KIND_BOOL: return NUMBER_BOOL;
    case TESS_KIND_INT:
    case TESS_KIND_UINT: return NUMBER_INTEGER;
    case TESS_KIND_COMPLEX: return NUMBER_COMPLEX;
    default: return NUMBER_FLOAT;
    }
}

/* By the letter of object.dtype.kind, as of NumPy's scalars: NUMBER_NONE where there is no such thing. */
static number_kind kind_by_dtype(PyObject *object)
{
    PyObject   *dtype = PyObject_GetAttr(object, names.dtype);
    PyObject   *kind = dtype ? PyObject_GetAttr(dtype, names.kind) : NULL;
    const char *letter = kind && PyUnicode_Check(kind) ? text_of(kind) : NULL;
    number_kind found = NUMBER_NONE;
    switch (letter ? letter[0] : 0) {
    case 'b': found = NUMBER_BOOL; break;
    case 'i':
    case 'u': found = NUMBER_INTEGER; break;
    case 'f': found = NUMBER_FLOAT; break;
    case 'c': found = NUMBER_COMPLEX; break;
    default: break;
    }
    Py_XDECREF(kind);
    Py_XDECREF(dtype);
    PyErr_Clear();
    return found;
}

number_kind kind_of_number(PyObject *object)
{
    if (PyBool_Check(object)) return NUMBER_BOOL;
    if (PyLong_Check(object)) return NUMBER_INTEGER;
    if (PyFloat_Check(object)) return NUMBER_FLOAT;
    if (PyComplex_Check(object)) return NUMBER_COMPLEX;
    if (is_array(object)) return kind_of_array(&((array_object *)object)->array);
    const number_kind kind = kind_by_dtype(object);
    if (kind != NUMBER_NONE) return kind;
    if (PyIndex_Check(object)) return NUMBER_INTEGER;
    return PyNumber_Check(object) ? NUMBER_FLOAT : NUMBER_NONE;
}

int complex_from_object(tess_c64 *number, PyObject *object)
{
    PyObject *made = PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, object, NULL);
    if (!made) return -1;
    *number = (tess_c64){ PyComplex_RealAsDouble(made), PyComplex_ImagAsDouble(made) };
    Py_DECREF(made);
    return 0;
}

/* All lists of one depth have one length. 0, or -1 with an exception. */
static int measure(list_shape *s, PyObject *object, int depth, const char *function, const char *argument)
{
    if (!is_list(object)) {
        const number_kind kind = kind_of_number(object);
        if (kind == NUMBER_NONE || depth != s->ndim) {
            PyErr_Format(PyExc_TypeError,
                         "%s: %s is a list that contains %R; expected numbers or nested lists of equal lengths",
                         function, argument, object);
            return -1;
        }
        if (kind > s->kind) s->kind = kind;
        return 0;
    }
    const Py_ssize_t n = PySequence_Size(object);
    if (depth >= s->ndim || n != s->shape[depth]) {
        PyErr_Format(PyExc_ValueError, "%s: %s is a list of lists with different lengths or depths", function,
                     argument);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_GetItem(object, i);
        const int failed = item ? measure(s, item, depth + 1, function, argument) : -1;
        Py_XDECREF(item);
        if (failed) return -1;
    }
    return 0;
}

/* The shape by the first item of each depth. */
static int first_shape(list_shape *s, PyObject *object, const char *function, const char *argument)
{
    PyObject *at = object;
    Py_INCREF(at);
    while (is_list(at)) {
        const Py_ssize_t n = PySequence_Size(at);
        if (s->ndim == 4 || n < 0) {
            Py_DECREF(at);
            PyErr_Format(PyExc_ValueError, "%s: %s is a list of more than 4 axes", function, argument);
            return -1;
        }
        s->shape[s->ndim++] = n;
        PyObject *item = n ? PySequence_GetItem(at, 0) : NULL;
        Py_DECREF(at);
        if (!item) return n ? -1 : 0;
        at = item;
    }
    Py_DECREF(at);
    return 0;
}

static int put_number(const tess_array *a, int64_t i, PyObject *object)
{
    if (a->dtype == TESS_C64) {
        return complex_from_object(&((tess_c64 *)a->data)[i], object);
    } else if (a->dtype == TESS_F64) {
        ((double *)a->data)[i] = PyFloat_AsDouble(object);
    } else if (a->dtype == TESS_I64) {
        PyObject *index = PyNumber_Index(object);
        if (!index) return -1;
        ((int64_t *)a->data)[i] = PyLong_AsLongLong(index);
        Py_DECREF(index);
    } else {
        const int truth = PyObject_IsTrue(object);
        ((uint8_t *)a->data)[i] = truth > 0;
    }
    return PyErr_Occurred() ? -1 : 0;
}

static int list_changed(void)
{
    PyErr_SetString(PyExc_RuntimeError, "a list changed while it was read");
    return -1;
}

static int put_all(const tess_array *a, int64_t *i, PyObject *object, int depth)
{
    if (!is_list(object)) return put_number(a, (*i)++, object);
    const Py_ssize_t n = PySequence_Size(object);
    for (Py_ssize_t k = 0; k < n; k++) {
        PyObject *item = PySequence_GetItem(object, k);
        /* Numbers with methods of their own may have changed the lists since they were measured. */
        const int failed = !item || depth == 4 || *i >= tess_n_elements(a) ? -1 : put_all(a, i, item, depth + 1);
        Py_XDECREF(item);
        if (failed) { return PyErr_Occurred() ? -1 : list_changed(); }
    }
    return 0;
}

int operand_from_list(operand *o, PyObject *object, const char *function, const char *argument)
{
    return is_list(object) ? operand_from_numbers(o, object, function, argument) : 0;
}

int operand_from_numbers(operand *o, PyObject *object, const char *function, const char *argument)
{
    list_shape s = { { 0 }, 0, NUMBER_BOOL };
    if (first_shape(&s, object, function, argument) || measure(&s, object, 0, function, argument)) return -1;
    tess_shape shape = { { 1, 1, 1, 1 } };
    int64_t    n = 1;
    for (int i = 0; i < s.ndim; i++) n *= shape.dim[4 - s.ndim + i] = s.shape[i];
    o->array = (tess_array){ .data = NULL };
    const tess_status status = tess_empty(&o->array, shape, n ? dtype_of_kinds[s.kind] : TESS_F64, tess_cpu());
    if (status != TESS_OK) return raise_status(status);
    int64_t i = 0;
    o->ndim = s.ndim;
    o->kind = OPERAND_LIST;
    o->releases = true;
    int failed = n ? put_all(&o->array, &i, object, 0) : 0;
    if (!failed && i < n) failed = list_changed();
    if (!failed) return 1;
    if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
        PyErr_Clear();
        PyErr_Format(PyExc_OverflowError,
                     "%s: %s has an integer that 64 bits cannot hold; expected integers from -2^63 to "
                     "2^63 - 1, or floats",
                     function, argument);
    }
    tess_release(&o->array);
    o->releases = false;
    return -1;
}
