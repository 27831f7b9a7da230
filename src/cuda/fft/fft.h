/* Fourier transforms on a GPU: what the complex and the real-to-real transforms share. */
#ifndef TESS_CUDA_FFT_FFT_H
#define TESS_CUDA_FFT_FFT_H

#include "cuda/runtime/device.h"

/* Complex numbers of a set of axes, the output from the input or in place; the result is scaled. */
tess_status tess__cuda_c2c(tess__cuda_call *call, int sign, uint32_t axes, const tess_array *out, const tess_array *in,
                           double scale);

/* Cosine and sine transforms. */
tess_status tess__cuda_r2r(tess__cuda_call *call, const tess__fft *work);

#endif
