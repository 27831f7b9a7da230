/* Basic slicing: a[3], a[..., 1:5], a[:, None, ::-1] are views, as NumPy's are.
 *
 * An index that is or holds a mask, a list or an array of integers is left to functions that are written in Python.
 */
#include "array_type.h"
#include "errors.h"
#include "operand.h"
#include "work.h"

/* The view while its axes are taken one by one from the left. */
typedef struct slicing {
    const array_object *from;
    int                 axis; /* of the four, that comes next */
    int                 ndim;
    int64_t             shape[4], strides[4];
    char               *data;
} slicing;

static int keep_axis(slicing *s, int64_t n, int64_t stride)
{
    if (s->ndim == 4) {
        PyErr_SetString(PyExc_IndexError, "an array has at most 4 axes");
        return -1;
    }
    s->shape[s->ndim] = n;
    s->strides[s->ndim++] = stride;
    return 0;
}

static void move(slicing *s, int64_t elements) { s->data += elements * (int64_t)tess_dtype_size(s->from->array.dtype); }

static int no_index(PyObject *key)
{
    PyErr_Clear();
    const bool is_short = PyFloat_Check(key) || PyUnicode_Check(key) || PyBool_Check(key);
    PyErr_Format(PyExc_IndexError,
                 "%R is not a valid index; expected integers, slices, ... or None, masks or arrays of integers",
                 is_short ? key : (PyObject *)Py_TYPE(key));
    return -1;
}

static int take_index(slicing *s, PyObject *key)
{
    const Py_ssize_t given = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (given == -1 && PyErr_Occurred()) return PyErr_ExceptionMatches(PyExc_TypeError) ? no_index(key) : -1;
    const int64_t n = s->from->array.shape.dim[s->axis], index = given < 0 ? given + n : given;
    if (index < 0 || index >= n) {
        PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for axis %d with size %lld", given,
                     s->axis - (4 - s->from->ndim), (long long)n);
        return -1;
    }
    move(s, index * s->from->array.strides.dim[s->axis++]);
    return 0;
}

static int take_slice(slicing *s, PyObject *key)
{
    Py_ssize_t start, stop, step;
    if (PySlice_Unpack(key, &start, &stop, &step) < 0) return -1;
    const Py_ssize_t n = PySlice_AdjustIndices((Py_ssize_t)s->from->array.shape.dim[s->axis], &start, &stop, step);
    const int64_t    stride = s->from->array.strides.dim[s->axis++];
    if (n > 0) move(s, start * stride);
    return keep_axis(s, n, n > 1 ? stride * step : stride);
}

static int take_all(slicing *s, int n)
{
    for (; n > 0; n--, s->axis++)
        if (keep_axis(s, s->from->array.shape.dim[s->axis], s->from->array.strides.dim[s->axis])) return -1;
    return 0;
}

static int take_key(slicing *s, PyObject *key)
{
    if (key == Py_None) return keep_axis(s, 1, 0);
    if (s->axis == 4) {
        PyErr_Format(PyExc_IndexError, "too many indices: the array has %d axes", s->from->ndim);
        return -1;
    }
    if (PySlice_Check(key)) return take_slice(s, key);
    if (PyIndex_Check(key) && !PyBool_Check(key)) return take_index(s, key);
    return no_index(key);
}

static int take_keys(slicing *s, PyObject *keys)
{
    const Py_ssize_t n = PyTuple_Size(keys);
    int              named = 0, ellipses = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *key = PyTuple_GetItem(keys, i);
        if (key == Py_Ellipsis) ellipses++;
        else if (key != Py_None) named++;
    }
    if (ellipses > 1) {
        PyErr_SetString(PyExc_IndexError, "an index can only have a single ellipsis ('...')");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *key = PyTuple_GetItem(keys, i);
        if (key == Py_Ellipsis ? take_all(s, s->from->ndim - named) : take_key(s, key)) return -1;
    }
    return take_all(s, 4 - s->axis);
}

static int make_view(PyObject *self, PyObject *key, tess_array *view, int *ndim)
{
    const array_object *from = (array_object *)self;
    slicing             s = { .from = from, .axis = 4 - from->ndim, .data = from->array.data };
    PyObject           *keys = PyTuple_Check(key) ? key : PyTuple_Pack(1, key);
    if (!keys) return -1;
    const int failed = take_keys(&s, keys);
    if (keys != key) Py_DECREF(keys);
    if (failed) return -1;
    *view = from->array;
    view->data = s.data;
    *ndim = s.ndim;
    for (int axis = 0; axis < 4; axis++) {
        const int i = axis - (4 - s.ndim);
        view->shape.dim[axis] = i >= 0 ? s.shape[i] : 1;
        view->strides.dim[axis] = i >= 0 ? s.strides[i] : 0;
    }
    return 0;
}

/* ---- Indices that are arrays ---- */

static PyObject *get_by_array, *set_by_array;

PyObject *array_set_indexing(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *get, *set;
    if (!PyArg_ParseTuple(args, "OO:_set_indexing", &get, &set)) return NULL;
    Py_INCREF(get);
    Py_INCREF(set);
    get_by_array = get;
    set_by_array = set;
    Py_RETURN_NONE;
}

static bool is_array_key(PyObject *key)
{
    if (PyLong_Check(key) || PySlice_Check(key) || PyTuple_Check(key) || key == Py_None || key == Py_Ellipsis)
        return false;
    if (PyList_Check(key)) return true;
    if (is_array(key)) return array_ndim(key) > 0 || array_of(key).dtype == TESS_BOOL;
    PyObject  *ndim = PyObject_GetAttrString(key, "ndim");
    const long n = ndim && PyLong_Check(ndim) ? PyLong_AsLong(ndim) : 0;
    Py_XDECREF(ndim);
    PyErr_Clear();
    return n > 0;
}

/* In a tuple a tuple is an array, as in NumPy. */
static bool holds_array_key(PyObject *key)
{
    if (!PyTuple_Check(key)) return is_array_key(key);
    for (Py_ssize_t i = 0, n = PyTuple_Size(key); i < n; i++) {
        PyObject *one = PyTuple_GetItem(key, i);
        if (PyTuple_Check(one) || is_array_key(one)) return true;
    }
    return false;
}

/* ---- Both ---- */

PyObject *array_get_item(PyObject *self, PyObject *key)
{
    tess_array view;
    int        ndim;
    if (get_by_array && holds_array_key(key)) return PyObject_CallFunctionObjArgs(get_by_array, self, key, NULL);
    return make_view(self, key, &view, &ndim) ? NULL : array_view(&view, ndim);
}

int array_set_item(PyObject *self, PyObject *key, PyObject *value)
{
    tess_array view;
    int        ndim;
    operand    from;
    if (!value) {
        PyErr_SetString(PyExc_TypeError, "elements of an array cannot be deleted");
        return -1;
    }
    if (set_by_array && holds_array_key(key)) {
        PyObject *none = PyObject_CallFunctionObjArgs(set_by_array, self, key, value, NULL);
        Py_XDECREF(none);
        return none ? 0 : -1;
    }
    if (make_view(self, key, &view, &ndim)) return -1;
    if (operand_read(&from, value, "Array", "value")) return -1;
    tess_status      status;
    const work_state work = work_begin_on(&view);
    if (from.array.flags & TESS_WEAK) status = tess_fill(&view, from.number[0]);
    else status = tess_cast(&view, &from.array, view.dtype, NULL);
    status = work_end(&work, status);
    operand_clear(&from);
    return status == TESS_OK ? 0 : raise_status(status);
}
