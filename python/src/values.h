/* Python objects as values of arguments: one converter for each type that a description has. */
#ifndef TESS_PYTHON_VALUES_H
#define TESS_PYTHON_VALUES_H

#include "call.h"

/* Write the value of an argument at `to`: a tess_value, or a field of the options. 0, or -1 with an exception. */
int value_from_object(call *c, const parameter *p, PyObject *object, void *to);

/* Reads an object as the value of a parameter, into `to`: 0, or -1 with an exception. */
typedef int converter(call *c, const parameter *p, PyObject *object, void *to);

/* Up to four sizes, or one number, right-aligned; axes on the left of them are `fill`. */
int shape_from_object(tess_shape *shape, int *ndim, PyObject *object, int64_t fill, const char *function,
                      const char *argument);

/* The value of a choice by its name. */
int choice_from_object(int32_t *value, const tess_arg_info *row, PyObject *object, const char *function,
                       const char *argument);

/* The device on which functions make arrays of nothing: that of `with tessera.device(…)`, else the CPU. */
tess_device default_device(void);

#endif
