/* The output rule of element-wise operations. */
#ifndef TESS_OPS_EWISE_EWISE_OUTPUT_H
#define TESS_OPS_EWISE_EWISE_OUTPUT_H

#include "tessera/array.h"

/* Allocate `out` with the shape that the inputs broadcast to, or check it: an allocated one may be larger than the
 * inputs, and of any dtype that the result can be converted to. A row (tess__row_of) can be written and is of the
 * inputs' shape. */
tess_status tess__ewise_output(int64_t *row, const char *fn, tess_array *out, tess_dtype dtype,
                               const char *const *names, const tess_array *const *inputs, int n);

/* Are all inputs that are not scalars on the device of `out`? */
tess_status tess__ewise_devices(const char *fn, const tess_array *out, const char *const *names,
                                const tess_array *const *inputs, int n);

#endif
