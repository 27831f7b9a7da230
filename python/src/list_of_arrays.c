/* Lists and tuples of arrays as one array with a new first axis, as NumPy's functions read them. */
#include "array_type.h"
#include "errors.h"
#include "numpy_types.h"
#include "operand.h"
#include "work.h"

static bool is_list(PyObject *object) { return PyList_Check(object) || PyTuple_Check(object); }

static bool has_axes(PyObject *object)
{
    if (PyLong_Check(object) || PyFloat_Check(object)) return false;
    if (is_array(object)) return array_ndim(object) > 0;
    PyObject  *ndim = PyObject_GetAttrString(object, "ndim");
    const long n = ndim && PyLong_Check(ndim) ? PyLong_AsLong(ndim) : 0;
    Py_XDECREF(ndim);
    PyErr_Clear();
    return n > 0;
}

/* Whether the first item, or the first of the first list, is an array. */
static bool begins_with_array(PyObject *object)
{
    PyObject *at = object;
    Py_INCREF(at);
    for (int depth = 0; depth < 4 && at && is_list(at); depth++) {
        PyObject *first = PySequence_Size(at) > 0 ? PySequence_GetItem(at, 0) : NULL;
        Py_DECREF(at);
        at = first;
    }
    const bool found = at && has_axes(at);
    Py_XDECREF(at);
    PyErr_Clear();
    return found;
}

/* The arrays of a list while they are joined. */
typedef struct parts {
    operand    *operands;
    PyObject  **objects;
    tess_array *arrays;
    int         n;
} parts;

static void drop_parts(parts *p)
{
    for (int i = 0; i < p->n; i++) {
        operand_clear(&p->operands[i]);
        Py_DECREF(p->objects[i]);
    }
    PyMem_Free(p->operands);
    PyMem_Free(p->objects);
    PyMem_Free(p->arrays);
}

static int make_parts(parts *p, Py_ssize_t n)
{
    p->operands = PyMem_Calloc((size_t)n, sizeof *p->operands);
    p->objects = PyMem_Calloc((size_t)n, sizeof *p->objects);
    p->arrays = PyMem_Calloc((size_t)n, sizeof *p->arrays);
    p->n = 0;
    if (p->operands && p->objects && p->arrays) return 0;
    PyErr_NoMemory();
    return -1;
}

static bool are_alike(const operand *x, const operand *y)
{
    bool same = x->ndim == y->ndim;
    for (int axis = 0; axis < 4; axis++) same = same && x->array.shape.dim[axis] == y->array.shape.dim[axis];
    return same;
}

static int read_parts(parts *p, PyObject *list, Py_ssize_t n, const char *function, const char *argument)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *object = PySequence_GetItem(list, i);
        if (!object || operand_read(&p->operands[i], object, function, argument)) {
            Py_XDECREF(object);
            return -1;
        }
        p->objects[p->n++] = object;
        if (are_alike(&p->operands[0], &p->operands[i])) continue;
        PyErr_Format(PyExc_ValueError, "%s: %s is a list of arrays with different shapes", function, argument);
        return -1;
    }
    if (p->operands[0].ndim < 4) return 0;
    PyErr_Format(PyExc_ValueError, "%s: %s is a list of arrays with 4 axes; at most 4 are allowed in total", function,
                 argument);
    return -1;
}

/* Of several dtypes the common one. */
static int join_parts(operand *o, const parts *p)
{
    const operand *first = &p->operands[0];
    tess_array     made = { .data = NULL };
    if (operands_promote(p->operands, p->n)) return -1;
    for (int i = 0; i < p->n; i++) p->arrays[i] = p->operands[i].array;
    const work_state  work = work_begin();
    const tess_status status = work_end(&work, tess_concatenate(&made, p->arrays, p->n, 3 - first->ndim));
    if (status != TESS_OK) return raise_status(status);
    o->array = made;
    o->releases = true;
    o->ndim = first->ndim + 1;
    o->kind = first->kind;
    o->source = p->objects[0];
    o->owner = p->objects[0]; /* results are made like it */
    Py_INCREF(o->owner);
    return 0;
}

int operand_from_arrays(operand *o, PyObject *object, const char *function, const char *argument)
{
    parts            p;
    const Py_ssize_t n = is_list(object) ? PySequence_Size(object) : 0;
    if (n <= 0 || !begins_with_array(object)) return 0;
    if (n > 1 << 20) {
        PyErr_Format(PyExc_ValueError, "%s: %s is a list of more than 2^20 arrays", function, argument);
        return -1;
    }
    int failed = make_parts(&p, n);
    if (!failed) failed = read_parts(&p, object, n, function, argument);
    if (!failed) failed = join_parts(o, &p);
    drop_parts(&p);
    return failed ? -1 : 1;
}
