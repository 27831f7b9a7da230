/* tessera.op: operators from text as callables. */
#ifndef TESS_PYTHON_OPERATOR_H
#define TESS_PYTHON_OPERATOR_H

#include "limited.h"

/* Make the type in the module. 0, or -1 with an exception. */
int operator_type_make(PyObject *module);

/* An operator of an operator, or of a str: a new reference. TypeError for anything else. */
PyObject *operator_from_object(PyObject *object);

const struct tess_op *operator_of(PyObject *operator_object);

#endif
