/* Tuples of integers, and None for a number that is not known. */
#include "tuples.h"

PyObject *tuple_of_i64(const int64_t *numbers, int n)
{
    PyObject *tuple = PyTuple_New(n);
    for (int i = 0; tuple && i < n; i++) {
        PyObject *number = PyLong_FromLongLong(numbers[i]);
        if (!number || PyTuple_SetItem(tuple, i, number)) Py_CLEAR(tuple);
    }
    return tuple;
}

PyObject *number_or_none(bool known, double number)
{
    if (known) return PyFloat_FromDouble(number);
    Py_INCREF(Py_None);
    return Py_None;
}
