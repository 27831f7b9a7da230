/* Axes of arguments and results: an array's own axes come last, and any number of axes in front counts batches. */
#ifndef TESS_PYTHON_AXES_H
#define TESS_PYTHON_AXES_H

#include "call.h"

/* Note ndim= of the call. 0, or -1 with an exception. */
int axes_read_ndim(call *c);

/* Read an array argument or output of a row, with its axes where the library expects them. 0, or -1 with an exception.
 */
int axes_operand(call *c, const parameter *p, PyObject *object, bool output, operand **made);

/* A shape that counts batches: the sizes of one image or volume, or all sizes. Returns 1 if it was read, 0 if it has no
 * such meaning in this call, -1 with an exception. */
int axes_read_shape(call *c, const parameter *p, PyObject *object, tess_shape *shape);

/* One of the four axes, of a number that counts the caller's axes. 0, or -1 with an exception. */
int axes_find(const call *c, const parameter *p, long long number, int *axis);

/* A result with the axes that the caller expects, which is taken over; NULL with an exception. */
PyObject *axes_result(const call *c, result *r);

/* A result that is a shape: the sizes of its own axes. */
PyObject *axes_shape(const call *c, const result *r);

#endif
