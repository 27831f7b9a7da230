/* DLPack's capsules: what torch, CuPy, JAX and NumPy exchange arrays by. */
#ifndef TESS_PYTHON_DLPACK_H
#define TESS_PYTHON_DLPACK_H

#include "limited.h"

/* A capsule of an array: "dltensor_versioned" if the consumer's max_version is 1 or more, else "dltensor". */
PyObject *dlpack_export(const tess_array *array, int ndim, bool versioned);

/* An array from a capsule of either form, which is used up. 0, or -1 with an exception. */
int dlpack_take_capsule(tess_array *array, int *ndim, PyObject *capsule);

/* An array from an object's __dlpack__(). 0, or -1 with an exception. The array holds a reference. */
int dlpack_import(tess_array *array, int *ndim, PyObject *object);

/* from_dlpack of the module that an object's type comes from, a new reference; NULL with an exception. */
PyObject *dlpack_constructor(PyObject *object);

#endif
