/* Tensors of torch, where it is loaded. */
#ifndef TESS_PYTHON_TORCH_H
#define TESS_PYTHON_TORCH_H

#include "operand.h"

operand_reader operand_from_torch;

/* A tensor of an array on the CPU, if `like` is one: NULL, without an exception, if it is not. */
PyObject *torch_from_array(PyObject *like, const tess_array *array, int ndim);

/* torch has none, and ends the process where it meets them. */
bool has_negative_strides(const tess_array *array);

#endif
