/* Several results of a function as a tuple whose items have names. */
#ifndef TESS_PYTHON_NAMED_TUPLE_H
#define TESS_PYTHON_NAMED_TUPLE_H

#include "limited.h"

/* The type for "function name name …", made once: borrowed. NULL with an exception. */
PyObject *named_tuple_type(const char *words);

/* Module function: what pickle calls to make one again. */
PyObject *named_tuple_rebuild(PyObject *module, PyObject *args);

#endif
