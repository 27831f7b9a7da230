/* Arrays as text: str() and repr() are those of NumPy; repr() has the dtype always, and the device of a GPU. */
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

static PyObject *text_of_elements(PyObject *self, const tess_format_opts *opts)
{
    const tess_array a = array_of(self);
    const size_t     dropped = 4 - (size_t)array_ndim(self);
    size_t           n = 0;
    if (tess_is_empty(&a)) return PyUnicode_FromString("[]");
    tess_status status = tess_format(NULL, 0, &n, &a, opts);
    char       *text = status == TESS_OK ? PyMem_Malloc(n + 1) : NULL;
    if (status == TESS_OK && !text) return PyErr_NoMemory();
    if (status == TESS_OK) status = tess_format(text, n + 1, NULL, &a, opts);
    if (status != TESS_OK) {
        PyMem_Free(text);
        return raised(status);
    }
    const size_t used = drop_brackets(text, n, dropped);
    size_t       start = 0;
    while (array_ndim(self) == 0 && start < used && text[start] == ' ') start++; /* nothing to be in line with */
    PyObject *made = PyUnicode_FromStringAndSize(text + start, (Py_ssize_t)(used - start));
    PyMem_Free(text);
    return made;
}

/* Brackets of axes that the array has not are dropped: lines have room for them. */
enum { LINE = 75, AROUND = 7 }; /* "Array(" and ")" */

/* A number of f64 alone is that of Python, with all its digits. */
static PyObject *text_of_number(const tess_array *a)
{
    PyObject *number = array_element(a), *text = number ? PyObject_Str(number) : NULL;
    Py_XDECREF(number);
    return text;
}

PyObject *array_str(PyObject *self)
{
    const tess_array a = array_of(self);
    if (array_ndim(self) == 0 && a.dtype == TESS_F64) return text_of_number(&a);
    const int unseen = 4 - array_ndim(self);
    return text_of_elements(self, &(tess_format_opts){ .no_header = 1, .all_axes = 1, .width = LINE + 2 * unseen });
}

/* What follows the elements: the shape where none tell it, the dtype, and the device if it is a GPU. */
static PyObject *text_behind(PyObject *self)
{
    const tess_array a = array_of(self);
    char             device[24];
    PyObject        *shape = array_shape_of(self, NULL), *made = NULL;
    const bool       untold = tess_is_empty(&a) && array_ndim(self) > 1;
    const bool       host = a.device.kind == TESS_CPU;
    (void)tess_device_name(device, sizeof device, a.device);
    PyObject *told = !shape ? NULL : untold ? PyUnicode_FromFormat(", shape=%R", shape) : PyUnicode_FromString("");
    if (told)
        made = PyUnicode_FromFormat("%U, dtype='%s'%s%s%s", told, tess_dtype_name(a.dtype), host ? "" : ", device='",
                                    host ? "" : device, host ? "" : "'");
    Py_XDECREF(told);
    Py_XDECREF(shape);
    return made;
}

/* The reference to `text`, which may be NULL, is taken over. */
static PyObject *replaced(PyObject *text, const char *from, const char *to)
{
    PyObject *old = PyUnicode_FromString(from), *new = PyUnicode_FromString(to);
    PyObject *made = text && old && new ? PyUnicode_Replace(text, old, new, -1) : NULL;
    Py_XDECREF(new);
    Py_XDECREF(old);
    Py_XDECREF(text);
    return made;
}

PyObject *array_repr(PyObject *self)
{
    const int              unseen = 4 - array_ndim(self);
    const tess_format_opts opts = { .no_header = 1, .all_axes = 1, .commas = 1, .width = LINE - AROUND + 2 * unseen };
    PyObject              *behind = text_behind(self), *made = NULL;
    PyObject              *text = replaced(text_of_elements(self, &opts), "\n", "\n      ");
    text = replaced(text, "      \n", "\n"); /* a line that is blank stays so */
    if (text && behind) made = PyUnicode_FromFormat("Array(%U%U)", text, behind);
    Py_XDECREF(text);
    Py_XDECREF(behind);
    return made;
}
