/* NumPy without its C API: the struct behind __array_struct__, and the objects of the module when it is loaded. */
#ifndef TESS_PYTHON_NUMPY_TYPES_H
#define TESS_PYTHON_NUMPY_TYPES_H

#include "limited.h"

/* The array interface's C struct, as the interface's version 3 fixes it. */
typedef struct array_interface {
    int         two; /* 2: the mark of the struct */
    int         nd;
    char        typekind;
    int         itemsize;
    int         flags;
    Py_ssize_t *shape;
    Py_ssize_t *strides; /* in bytes */
    void       *data;
    PyObject   *descr;
} array_interface;

enum {
    INTERFACE_ALIGNED = 0x100,
    INTERFACE_NOTSWAPPED = 0x200,
    INTERFACE_WRITEABLE = 0x400,
};

/* numpy.ndarray and numpy.asarray, borrowed; NULL while nobody has imported NumPy. */
extern PyObject *numpy_ndarray, *numpy_asarray;

/* Look whether NumPy is loaded by now. True if it is. */
bool numpy_find(void);

/* Import it. 0, or -1 with an exception. */
int numpy_import(void);

#endif
