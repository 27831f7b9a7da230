/* NumPy without its C API: the struct behind __array_struct__, the layout of its arrays, its objects once loaded. */
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

/* The head of a numpy.ndarray and of its dtype: the same in all of NumPy 1 and 2. */
typedef struct ndarray_descr {
    PyObject_HEAD PyObject *type;
    char                    kind, letter, byteorder, flags;
    int                     number;
} ndarray_descr;

typedef struct ndarray_object {
    PyObject_HEAD char *data;
    int                 nd;
    Py_ssize_t         *shape;
    Py_ssize_t         *strides; /* in bytes */
    PyObject           *base;
    ndarray_descr      *descr;
    int                 flags; /* INTERFACE_ALIGNED, INTERFACE_WRITEABLE */
} ndarray_object;

/* numpy.ndarray and numpy.asarray; NULL while nobody has imported NumPy. */
extern PyObject *numpy_ndarray, *numpy_asarray;

/* True if ndarray_object was found to be how this NumPy's arrays lie in memory. */
extern bool numpy_layout_is_known;

/* Look whether NumPy is loaded by now. True if it is. */
bool numpy_find(void);

/* Import it. 0, or -1 with an exception. */
int numpy_import(void);

/* The dtype of an array's elements; TESS_DTYPE_NONE if there is none, or they are of the other byte order. */
tess_dtype dtype_of_ndarray(const ndarray_object *array);

/* A new ndarray of a C-contiguous array on the CPU, whose reference is taken over. `array` is zeroed. */
PyObject *numpy_from_array(tess_array *array, int ndim);

/* A NumPy scalar of an array of one element, which is released. */
PyObject *numpy_scalar(tess_array *array);

/* NumPy's dtype of elements, a new reference; NULL with an exception where it has none. */
PyObject *numpy_dtype(tess_dtype dtype);

/* Make the type that owns the memory of such arrays. 0, or -1 with an exception. */
int numpy_memory_type_make(void);

#endif
