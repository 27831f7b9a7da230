/* Arrays as text: str() is that of NumPy, repr() adds the dtype and the device. */
#include "array_type.h"
#include "errors.h"

/* The text of four axes without the brackets of those on the left, and as many characters less in each line. */
static size_t drop_brackets(char *text, size_t n, size_t dropped)
{
    size_t used = 0, column = 0;
    while (n > 0 && text[n - 1] == '\n') n--;
    n -= dropped < n ? dropped : n;
    for (size_t i = 0; i < n; i++) {
        if (text[i] == '\n' || column >= dropped) text[used++] = text[i];
        column = text[i] == '\n' ? 0 : column + 1;
    }
    return used;
}

PyObject *array_str(PyObject *self)
{
    const tess_array       a = array_of(self);
    const size_t           dropped = 4 - (size_t)array_ndim(self);
    const tess_format_opts opts = { .no_header = 1, .all_axes = 1 };
    size_t                 n = 0;
    if (tess_is_empty(&a)) return PyUnicode_FromString("[]");
    tess_status status = tess_format(NULL, 0, &n, &a, &opts);
    char       *text = status == TESS_OK ? PyMem_Malloc(n + 1) : NULL;
    if (status == TESS_OK && !text) return PyErr_NoMemory();
    if (status == TESS_OK) status = tess_format(text, n + 1, NULL, &a, &opts);
    if (status != TESS_OK) {
        PyMem_Free(text);
        return raised(status);
    }
    PyObject *made = PyUnicode_FromStringAndSize(text, (Py_ssize_t)drop_brackets(text, n, dropped));
    PyMem_Free(text);
    return made;
}

PyObject *array_repr(PyObject *self)
{
    PyObject *text = array_str(self), *from = PyUnicode_FromString("\n"), *to = PyUnicode_FromString("\n      ");
    PyObject *shifted = text && from && to ? PyUnicode_Replace(text, from, to, -1) : NULL, *made = NULL;
    char      device[24];
    (void)tess_device_name(device, sizeof device, array_of(self).device);
    const bool  host = array_of(self).device.kind == TESS_CPU;
    const char *dtype = tess_dtype_name(array_of(self).dtype);
    if (shifted && host) made = PyUnicode_FromFormat("Array(%U, dtype='%s')", shifted, dtype);
    else if (shifted) made = PyUnicode_FromFormat("Array(%U, dtype='%s', device='%s')", shifted, dtype, device);
    Py_XDECREF(shifted);
    Py_XDECREF(to);
    Py_XDECREF(from);
    Py_XDECREF(text);
    return made;
}
