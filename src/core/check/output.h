/* The output rule: an empty (zeroed) array is allocated, an allocated one is checked and written into. */
#ifndef TESS_CORE_CHECK_OUTPUT_H
#define TESS_CORE_CHECK_OUTPUT_H

#include "tessera/array.h"

/* True for an empty struct, whose storage is to be allocated: the output rule. */
static inline bool tess__is_empty_out(const tess_array *out)
{
    return out->data == NULL && out->dtype == TESS_DTYPE_NONE;
}

/* A new C-contiguous array, zeroed if asked; `*out` is not read. */
tess_status tess__make(const char *fn, tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device,
                       bool zeroed);

/* The output rule: allocate `out` with this shape, dtype and device if it is empty, else check that it has them and can
 * be written. */
tess_status tess__output_named(const char *fn, const char *arg, tess_array *out, tess_shape shape, tess_dtype dtype,
                               tess_device device);

static inline tess_status tess__output(const char *fn, tess_array *out, tess_shape shape, tess_dtype dtype,
                                       tess_device device)
{
    return tess__output_named(fn, "out", out, shape, dtype, device);
}

/* The output rule for results of the input's shape, which may be computed in place; an allocated output may be of any
 * dtype that they convert to. */
tess_status tess__output_like(const char *fn, tess_array *out, const tess_array *in, tess_dtype result);

/* A scalar of the caller's (tessera/scalar.h) is valid only during the call. Work that would take it by its address
 * takes a copy instead: if `*in` is one, `held` becomes that copy, to be released when the work has been handed on, and
 * `*in` points to it. `held` is zeroed. */
tess_status tess__hold(tess_array *held, const char *fn, const tess_array **in);

/* The end of an operation: if it failed, an output that it had allocated is released, so that `out` is as it was. */
tess_status tess__finish(tess_status status, tess_array *out, bool made);

#endif
