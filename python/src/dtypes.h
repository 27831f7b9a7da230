/* Element types as others name them: NumPy's kinds and sizes, formats of buffers, dtype= of a call. */
#ifndef TESS_PYTHON_DTYPES_H
#define TESS_PYTHON_DTYPES_H

#include "limited.h"

/* The dtype of elements of NumPy's kind ('f', 'i', …) and size in bytes; TESS_DTYPE_NONE where there is none. */
tess_dtype dtype_of_kind(char kind, int64_t size);

/* NumPy's kind of the reals or complex numbers of a dtype; 'V' for those NumPy does not have. */
char kind_of_dtype(tess_dtype dtype);

/* The dtype of elements that a buffer's format describes, or TESS_DTYPE_NONE. *swapped: of the other byte order. */
tess_dtype dtype_of_format(const char *format, int64_t size, bool *swapped);

/* A dtype from "f32", "float32", float, numpy.float32, a numpy.dtype or torch.float32. 0, or -1 with an exception. */
int dtype_from_object(tess_dtype *dtype, PyObject *object);

/* The same of the argument dtype of a function, which the message names. */
int dtype_argument(tess_dtype *dtype, PyObject *object, const char *function);

/* A device from "cpu", "gpu:0" or a torch.device. 0, or -1 with an exception. */
int device_from_object(tess_device *device, PyObject *object);

#endif
