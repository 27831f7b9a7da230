/* Elements of an array as numbers of Python: float(a), a.item(), a.tolist(), len(a), iteration. */
#include <string.h>

#include "array_type.h"
#include "errors.h"

PyObject *array_element(const tess_array *a)
{
    tess_status status;
    if (tess_dtype_kind(a->dtype) == TESS_KIND_COMPLEX) {
        tess_c64 c;
        status = tess_get_c64(&c, a, 0, 0, 0, 0);
        return status == TESS_OK ? PyComplex_FromDoubles(c.re, c.im) : raised(status);
    }
    if (tess_dtype_kind(a->dtype) == TESS_KIND_FLOAT) {
        double x;
        status = tess_get_f64(&x, a, 0, 0, 0, 0);
        return status == TESS_OK ? PyFloat_FromDouble(x) : raised(status);
    }
    int64_t i;
    status = tess_get_i64(&i, a, 0, 0, 0, 0);
    if (status != TESS_OK) return raised(status);
    if (a->dtype == TESS_BOOL) return PyBool_FromLong(i != 0);
    if (a->dtype == TESS_U64 && i == INT64_MAX) { /* it was clamped, perhaps */
        tess_array word;
        uint64_t   whole;
        status = tess_reinterpret(&word, a, TESS_I64);
        if (status == TESS_OK) status = tess_get_i64(&i, &word, 0, 0, 0, 0);
        memcpy(&whole, &i, sizeof whole);
        return status == TESS_OK ? PyLong_FromUnsignedLongLong(whole) : raised(status);
    }
    return PyLong_FromLongLong(i);
}

static PyObject *only_element(PyObject *self)
{
    const tess_array a = array_of(self);
    if (tess_n_elements(&a) == 1) return array_element(&a);
    PyErr_Format(PyExc_TypeError, "an array of %lld elements is not a number; expected 1 element",
                 (long long)tess_n_elements(&a));
    return NULL;
}

/* The element number `i` in C order. */
static PyObject *flat_element(PyObject *self, Py_ssize_t i)
{
    tess_array    a = array_of(self);
    const int64_t n = tess_n_elements(&a);
    int64_t       rest = i < 0 ? i + n : i, offset = 0;
    if (rest < 0 || rest >= n) {
        PyErr_Format(PyExc_IndexError, "index %zd is out of bounds for an array of %lld elements", i, (long long)n);
        return NULL;
    }
    for (int axis = 3; axis >= 0; axis--) {
        offset += rest % a.shape.dim[axis] * a.strides.dim[axis];
        rest /= a.shape.dim[axis];
        a.shape.dim[axis] = 1;
    }
    a.data = (char *)a.data + offset * (int64_t)tess_dtype_size(a.dtype);
    return array_element(&a);
}

PyObject *array_item(PyObject *self, PyObject *index)
{
    if (PyTuple_Size(index) == 0) return only_element(self);
    if (PyTuple_Size(index) == 1 && !PyTuple_Check(PyTuple_GetItem(index, 0))) {
        const Py_ssize_t i = PyNumber_AsSsize_t(PyTuple_GetItem(index, 0), PyExc_IndexError);
        return i == -1 && PyErr_Occurred() ? NULL : flat_element(self, i);
    }
    PyObject *view = array_get_item(self, PyTuple_Size(index) == 1 ? PyTuple_GetItem(index, 0) : index);
    PyObject *element = view ? only_element(view) : NULL;
    Py_XDECREF(view);
    return element;
}

static PyObject *nested_list(const tess_array *a, int axis)
{
    if (axis == 4) return array_element(a);
    PyObject *list = PyList_New(0);
    for (int64_t i = 0; list && i < a->shape.dim[axis]; i++) {
        tess_array view;
        PyObject  *value = NULL;
        if (tess_index(&view, a, axis, i) == TESS_OK) value = nested_list(&view, axis + 1);
        else (void)raise_status(tess_error_status());
        if (!value || PyList_Append(list, value)) Py_CLEAR(list);
        Py_XDECREF(value);
    }
    return list;
}

PyObject *array_to_list(PyObject *self, PyObject *none)
{
    (void)none;
    const tess_array a = array_of(self);
    return nested_list(&a, 4 - array_ndim(self));
}

int array_is_true(PyObject *self)
{
    const tess_array a = array_of(self);
    if (tess_n_elements(&a) > 1) {
        PyErr_SetString(PyExc_ValueError, "the truth value of an array with more than one element is ambiguous; use "
                                          "any or all");
        return -1;
    }
    if (tess_is_empty(&a)) return 0;
    PyObject *element = array_element(&a);
    const int truth = element ? PyObject_IsTrue(element) : -1;
    Py_XDECREF(element);
    return truth;
}

PyObject *array_to_float(PyObject *self)
{
    PyObject *element = only_element(self), *number = element ? PyNumber_Float(element) : NULL;
    Py_XDECREF(element);
    return number;
}

PyObject *array_to_int(PyObject *self)
{
    PyObject *element = only_element(self), *number = element ? PyNumber_Long(element) : NULL;
    Py_XDECREF(element);
    return number;
}

PyObject *array_to_index(PyObject *self)
{
    PyObject *element = only_element(self), *number = element ? PyNumber_Index(element) : NULL;
    Py_XDECREF(element);
    return number;
}

PyObject *array_to_complex(PyObject *self, PyObject *none)
{
    (void)none;
    PyObject *element = only_element(self);
    PyObject *number = element ? PyObject_CallFunctionObjArgs((PyObject *)&PyComplex_Type, element, NULL) : NULL;
    Py_XDECREF(element);
    return number;
}

Py_ssize_t array_length(PyObject *self)
{
    if (array_ndim(self) > 0) return (Py_ssize_t)array_of(self).shape.dim[4 - array_ndim(self)];
    PyErr_SetString(PyExc_TypeError, "len() of an array without axes");
    return -1;
}

/* Of iteration: a row is an array, and an element a number. */
PyObject *array_sequence_item(PyObject *self, Py_ssize_t i)
{
    PyObject *key = PyLong_FromSsize_t(i), *value = key ? array_get_item(self, key) : NULL;
    Py_XDECREF(key);
    if (!value || array_ndim(value) > 0 || tess_dtype_kind(array_of(value).dtype) == TESS_KIND_COMPOUND) return value;
    PyObject *number = only_element(value);
    Py_DECREF(value);
    return number;
}

PyObject *array_iterate(PyObject *self) { return array_length(self) < 0 ? NULL : PySeqIter_New(self); }
