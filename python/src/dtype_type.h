/* tessera.dtype: an element type as a Python object. */
#ifndef TESS_PYTHON_DTYPE_TYPE_H
#define TESS_PYTHON_DTYPE_TYPE_H

#include "limited.h"

/* Make the type in the module. 0, or -1 with an exception. */
int dtype_type_make(PyObject *module);

/* The object of an element type, of which there is one: a new reference. */
PyObject *dtype_object(tess_dtype dtype);

#endif
