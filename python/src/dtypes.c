/* Names of element types: NumPy's, those of the buffer protocol, Python's types and torch's. */
#include "dtypes.h"

#include <string.h>

#include "errors.h"
#include "names.h"

tess_dtype dtype_of_kind(char kind, int64_t size)
{
    switch (kind) {
    case 'b': return size == 1 ? TESS_BOOL : TESS_DTYPE_NONE;
    case 'i': return size == 1 ? TESS_I8 : size == 2 ? TESS_I16 : size == 4 ? TESS_I32 : size == 8 ? TESS_I64 : 0;
    case 'u': return size == 1 ? TESS_U8 : size == 2 ? TESS_U16 : size == 4 ? TESS_U32 : size == 8 ? TESS_U64 : 0;
    case 'f': return size == 2 ? TESS_F16 : size == 4 ? TESS_F32 : size == 8 ? TESS_F64 : 0;
    case 'c': return size == 8 ? TESS_C32 : size == 16 ? TESS_C64 : 0;
    default: return TESS_DTYPE_NONE;
    }
}

char kind_of_dtype(tess_dtype dtype)
{
    switch (tess_dtype_kind(dtype)) {
    case TESS_KIND_BOOL: return 'b';
    case TESS_KIND_INT: return 'i';
    case TESS_KIND_UINT: return 'u';
    case TESS_KIND_FLOAT: return 'f';
    case TESS_KIND_COMPLEX: return dtype == TESS_C16 ? 'V' : 'c';
    default: return 'V';
    }
}

/* The size is the item's: "l" has 4 or 8 bytes. */
tess_dtype dtype_of_format(const char *format, int64_t size, bool *swapped)
{
    const uint16_t one = 1;
    const bool     little = *(const unsigned char *)&one == 1;
    *swapped = false;
    if (!format) return TESS_U8;
    if (strchr("@=<>!", *format) && *format) {
        *swapped = size > 1 && ((*format == '<' && !little) || ((*format == '>' || *format == '!') && little));
        format++;
    }
    const bool  is_complex = *format == 'Z';
    const char *letter = format + is_complex;
    if (!letter[0] || letter[1]) return TESS_DTYPE_NONE;
    if (is_complex) return strchr("fd", *letter) ? dtype_of_kind('c', size) : TESS_DTYPE_NONE;
    if (*letter == '?') return dtype_of_kind('b', size);
    if (strchr("bhilqn", *letter)) return dtype_of_kind('i', size);
    if (strchr("BHILQNc", *letter)) return dtype_of_kind('u', size);
    return strchr("efd", *letter) ? dtype_of_kind('f', size) : TESS_DTYPE_NONE;
}

static tess_dtype dtype_of_python_type(PyObject *object)
{
    if (object == (PyObject *)&PyFloat_Type) return TESS_F64;
    if (object == (PyObject *)&PyLong_Type) return TESS_I64;
    if (object == (PyObject *)&PyBool_Type) return TESS_BOOL;
    return object == (PyObject *)&PyComplex_Type ? TESS_C64 : TESS_DTYPE_NONE;
}

/* A new str that names what the object is: itself, its name, or what it prints as. */
static PyObject *name_of_object(PyObject *object)
{
    if (PyUnicode_Check(object)) {
        Py_INCREF(object);
        return object;
    }
    PyObject *name = PyObject_GetAttr(object, PyType_Check(object) ? names.type_name : names.name);
    if (name && PyUnicode_Check(name)) return name;
    Py_XDECREF(name);
    PyErr_Clear();
    return PyObject_Str(object);
}

/* NumPy's strings, whose sizes are in bytes: "<i8" always, "f4" where it is no name of ours. */
static tess_dtype dtype_of_string(const char *text)
{
    const uint16_t one = 1;
    const char     native = *(const unsigned char *)&one ? '<' : '>';
    const bool     ordered = *text == native || *text == '=' || *text == '|';
    const char    *letter = text + ordered, *digits = letter + 1;
    if (strcmp(letter, "?") == 0 || strcmp(text, "bool_") == 0) return TESS_BOOL;
    if (!*letter || strlen(digits) < 1 || strlen(digits) > 2 || strspn(digits, "0123456789") != strlen(digits))
        return TESS_DTYPE_NONE;
    const int size = digits[1] ? 10 * (digits[0] - '0') + digits[1] - '0' : digits[0] - '0';
    return dtype_of_kind(*letter, size);
}

int dtype_from_object(tess_dtype *dtype, PyObject *object)
{
    *dtype = dtype_of_python_type(object);
    if (*dtype) return 0;
    PyObject   *name = name_of_object(object);
    const char *text = name ? text_of(name) : NULL;
    int         failed = -1;
    if (text) {
        const char       *dot = strrchr(text, '.'); /* torch.float32 */
        const tess_status status = tess_dtype_parse(dtype, dot ? dot + 1 : text);
        if (status != TESS_OK) *dtype = dtype_of_string(text);
        failed = status == TESS_OK || *dtype ? 0 : raise_status(status);
    }
    Py_XDECREF(name);
    return failed;
}

static PyObject *name_argument(const char *old, const void *function)
{
    static const char begin[] = "dtype: name is ";
    if (strncmp(old, begin, sizeof begin - 1) != 0) return NULL;
    return PyUnicode_FromFormat("%s: dtype is %s", (const char *)function, old + sizeof begin - 1);
}

int dtype_argument(tess_dtype *dtype, PyObject *object, const char *function)
{
    if (dtype_from_object(dtype, object) == 0) return 0;
    errors_reword(name_argument, function);
    return -1;
}

int device_from_object(tess_device *device, PyObject *object)
{
    PyObject   *name = PyObject_Str(object);
    const char *text = name ? text_of(name) : NULL;
    int         failed = -1;
    if (text) {
        const tess_status status = tess_device_parse(device, text);
        failed = status == TESS_OK ? 0 : raise_status(status);
    }
    Py_XDECREF(name);
    return failed;
}
