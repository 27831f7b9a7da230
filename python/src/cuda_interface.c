/* CUDA's array interface, version 3: memory of a GPU as a dict, as Numba, CuPy and RAPIDS describe it. */
#include <stdlib.h>
#include <string.h>

#include "dtypes.h"
#include "errors.h"
#include "names.h"
#include "operand.h"

static int bad_interface(const char *function, const char *argument, const char *what)
{
    if (!PyErr_Occurred())
        PyErr_Format(PyExc_ValueError, "%s: __cuda_array_interface__ of %s: %s is missing or invalid", function,
                     argument, what);
    return -1;
}

/* A tuple of at most four integers. -1 with or without an exception. */
static int read_integers(PyObject *tuple, Py_ssize_t numbers[4])
{
    const Py_ssize_t n = tuple && PyTuple_Check(tuple) ? PyTuple_Size(tuple) : -1;
    if (n < 0 || n > 4) return -1;
    for (Py_ssize_t i = 0; i < n; i++) {
        numbers[i] = PyLong_AsSsize_t(PyTuple_GetItem(tuple, i));
        if (numbers[i] == -1 && PyErr_Occurred()) return -1;
    }
    return (int)n;
}

static tess_dtype dtype_of_typestr(PyObject *typestr)
{
    const char *text = typestr && PyUnicode_Check(typestr) ? text_of(typestr) : NULL;
    if (!text || strlen(text) < 3 || !strchr("<|=", text[0])) return TESS_DTYPE_NONE;
    return dtype_of_kind(text[1], strtol(text + 2, NULL, 10));
}

static int take_interface(operand *o, PyObject *dict, const char *function, const char *argument)
{
    Py_ssize_t shape[4], strides[4];
    PyObject  *given = PyDict_GetItemString(dict, "strides"), *data = PyDict_GetItemString(dict, "data");
    PyObject  *typestr = PyDict_GetItemString(dict, "typestr");
    o->ndim = read_integers(PyDict_GetItemString(dict, "shape"), shape);
    if (o->ndim < 0) return bad_interface(function, argument, "the shape");
    o->array = (tess_array){ .dtype = dtype_of_typestr(typestr), .device = tess_gpu(0) };
    if (!o->array.dtype) return bad_interface(function, argument, "the typestr");
    const bool strided = given && given != Py_None;
    if (strided && read_integers(given, strides) != o->ndim) return bad_interface(function, argument, "the strides");
    if (!operand_layout(&o->array, o->ndim, shape, strided ? strides : NULL))
        return bad_interface(function, argument, "a stride");
    if (!data || !PyTuple_Check(data) || PyTuple_Size(data) != 2) return bad_interface(function, argument, "the data");
    o->array.data = PyLong_AsVoidPtr(PyTuple_GetItem(data, 0));
    if (!o->array.data && PyErr_Occurred()) return -1;
    const int read_only = PyObject_IsTrue(PyTuple_GetItem(data, 1));
    if (read_only < 0) return -1;
    o->array.flags = read_only ? TESS_READ_ONLY : 0;
    return 0;
}

/* The interface does not say which GPU: it is the first one that knows the address. */
static int find_device(operand *o)
{
    const tess_array a = o->array;
    tess_status      status = TESS_OK;
    for (int i = 0; i == 0 || i < tess_device_count(TESS_GPU); i++) {
        const tess_wrap_opts opts = { .strides = &a.strides,
                                      .device = tess_gpu(i),
                                      .read_only = a.flags & TESS_READ_ONLY ? 1 : 0 };
        status = tess_wrap(&o->array, a.data, a.shape, a.dtype, &opts);
        if (status == TESS_OK) return 1;
    }
    return raise_status(status);
}

/* Wait for what the producer has put on the stream that it names: 1 is CUDA's default one, and None has been waited
 * for. */
static int wait_for_producer(const operand *o, PyObject *dict)
{
    PyObject    *given = PyDict_GetItemString(dict, "stream");
    tess_stream *stream = NULL;
    if (!given || given == Py_None) return 0;
    const unsigned long long number = PyLong_AsUnsignedLongLong(given);
    if (PyErr_Occurred()) return -1;
    void       *handle = number == 1 ? NULL : (void *)(uintptr_t)number;
    tess_status status = tess_stream_adopt(&stream, o->array.device, handle);
    if (status == TESS_OK) status = tess_stream_sync(stream);
    tess_stream_free(stream);
    return status == TESS_OK ? 0 : raise_status(status);
}

int operand_from_cuda_interface(operand *o, PyObject *object, const char *function, const char *argument)
{
    PyObject *dict = PyType_Check(object) ? NULL : PyObject_GetAttr(object, names.cuda_array_interface);
    if (!dict) {
        PyErr_Clear();
        return 0;
    }
    int taken = PyDict_Check(dict) ? take_interface(o, dict, function, argument)
                                   : bad_interface(function, argument, "the dict");
    o->kind = OPERAND_BUFFER;
    if (taken == 0) taken = find_device(o);
    if (taken == 1 && wait_for_producer(o, dict)) taken = -1;
    Py_DECREF(dict);
    return taken;
}
