/* Python's limited API of 3.9, and parts of the C API that had their layout long before they joined it.
 *
 * The buffer protocol (in the stable ABI from 3.11), METH_FASTCALL (from 3.10) and PyUnicode_AsUTF8AndSize (from 3.10)
 * are the same in 3.9: declared here, they let one binary run on all versions.
 */
#ifndef TESS_PYTHON_LIMITED_H
#define TESS_PYTHON_LIMITED_H

#define Py_LIMITED_API 0x03090000
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "tessera/array.h"

#ifndef METH_FASTCALL
#define METH_FASTCALL 0x0080
#endif

typedef PyObject *fast_function(PyObject *self, PyObject *const *args, Py_ssize_t n_args, PyObject *names);

#ifndef PyBUF_MAX_NDIM
typedef struct bufferinfo {
    void       *buf;
    PyObject   *obj;
    Py_ssize_t  len;
    Py_ssize_t  itemsize;
    int         readonly;
    int         ndim;
    char       *format;
    Py_ssize_t *shape;
    Py_ssize_t *strides;
    Py_ssize_t *suboffsets;
    void       *internal;
} Py_buffer;

#define PyBUF_WRITABLE 0x0001
#define PyBUF_FORMAT 0x0004
#define PyBUF_ND 0x0008
#define PyBUF_STRIDES (0x0010 | PyBUF_ND)
#define PyBUF_C_CONTIGUOUS (0x0020 | PyBUF_STRIDES)
#define PyBUF_F_CONTIGUOUS (0x0040 | PyBUF_STRIDES)
#define PyBUF_ANY_CONTIGUOUS (0x0080 | PyBUF_STRIDES)
#define PyBUF_RECORDS_RO (PyBUF_STRIDES | PyBUF_FORMAT)

PyAPI_FUNC(int) PyObject_CheckBuffer(PyObject *object);
PyAPI_FUNC(int) PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
PyAPI_FUNC(void) PyBuffer_Release(Py_buffer *view);
#endif

#ifndef Py_bf_getbuffer
#define Py_bf_getbuffer 1
#define Py_bf_releasebuffer 2
#endif

#if Py_LIMITED_API + 0 < 0x030a0000
PyAPI_FUNC(const char *) PyUnicode_AsUTF8AndSize(PyObject *text, Py_ssize_t *size);
#endif

/* A function as the void * that slots of types are given as. */
#define SLOT(function) (TESS_EXTENSION(void *)(function))

/* The UTF-8 of a str, which lives as long as it does; NULL with an exception. */
static inline const char *text_of(PyObject *text) { return PyUnicode_AsUTF8AndSize(text, NULL); }

#endif
