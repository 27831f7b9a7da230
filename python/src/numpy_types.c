/* NumPy found at run time: it is never imported for its own sake, since that takes longer than all else at import. */
#include "numpy_types.h"

#include "names.h"

PyObject *numpy_ndarray, *numpy_asarray;

static int take(PyObject *numpy)
{
    PyObject *type = PyObject_GetAttrString(numpy, "ndarray");
    PyObject *function = type ? PyObject_GetAttrString(numpy, "asarray") : NULL;
    if (!function) {
        Py_XDECREF(type);
        return -1;
    }
    numpy_ndarray = type;
    numpy_asarray = function;
    return 0;
}

bool numpy_find(void)
{
    if (numpy_ndarray) return true;
    PyObject *numpy = PyImport_GetModule(names.numpy);
    if (!numpy || take(numpy)) PyErr_Clear(); /* not there, or half-imported */
    Py_XDECREF(numpy);
    return numpy_ndarray != NULL;
}

int numpy_import(void)
{
    if (numpy_find()) return 0;
    PyObject *numpy = PyImport_ImportModule("numpy");
    if (!numpy) return -1;
    const int failed = take(numpy);
    Py_DECREF(numpy);
    return failed;
}
