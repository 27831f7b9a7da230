/* Copies, conversions and scaling between arrays of one GPU: the steps around calls of vendor libraries. */
#ifndef TESS_CUDA_MEMORY_MOVE_H
#define TESS_CUDA_MEMORY_MOVE_H

#include "cuda/runtime/device.h"

/* out = in, of one dtype. */
tess_status tess__cuda_copy(tess__cuda_call *call, const tess_array *out, const tess_array *in);

/* out = in converted, clamping; of a complex number that becomes real, the real part. */
tess_status tess__cuda_convert(tess__cuda_call *call, const tess_array *out, const tess_array *in);

/* out = in * by, of one dtype: f32, f64, c32 or c64; may be the same view. */
tess_status tess__cuda_scale(tess__cuda_call *call, const tess_array *out, const tess_array *in, double by);

/* out = the complex conjugate of in. */
tess_status tess__cuda_conjugate(tess__cuda_call *call, const tess_array *out, const tess_array *in);

/* out = 0. */
tess_status tess__cuda_clear(tess__cuda_call *call, const tess_array *out);

/* A C-contiguous array in workspace of the call, to be released with tess__cuda_workspace_release(call, data). */
tess_status tess__cuda_workspace_array(tess_array *out, tess__cuda_call *call, tess_shape shape, tess_dtype dtype);

#endif
