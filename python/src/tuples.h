/* Numbers of C as tuples, and numbers that may not be known as None. */
#ifndef TESS_PYTHON_TUPLES_H
#define TESS_PYTHON_TUPLES_H

#include "limited.h"

PyObject *tuple_of_i64(const int64_t *numbers, int n);

PyObject *number_or_none(bool known, double number);

#endif
