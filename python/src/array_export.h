/* The layout of a tessera.Array as other packages see it: axes, strides in bytes, and NumPy's letter for the kind. */
#ifndef TESS_PYTHON_ARRAY_EXPORT_H
#define TESS_PYTHON_ARRAY_EXPORT_H

#include "array_type.h"

enum { MAX_EXPORTED_AXES = 6 };

typedef struct exported {
    int        ndim, itemsize;
    char       kind;
    Py_ssize_t shape[MAX_EXPORTED_AXES], strides[MAX_EXPORTED_AXES]; /* in bytes */
} exported;

exported array_describe(const array_object *self);

#endif
