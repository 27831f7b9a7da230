/* Stockham FFT along one axis by a kernel of our own, which scales in the same pass; cuFFT needs a second one. */
#ifndef TESS_CUDA_FFT_COLUMNS_H
#define TESS_CUDA_FFT_COLUMNS_H

#include "cuda/runtime/device.h"

/* Can it, and is it worth a kernel? Both arrays are complex, of one shape and dtype; the input may be the output. */
bool tess__cuda_fft_columns_fit(const tess_array *out, const tess_array *in, int axis);

/* Compile its kernel now. */
tess_status tess__cuda_fft_columns_prepare(tess__cuda_call *call, int sign, const tess_array *out, int axis);

tess_status tess__cuda_fft_columns(tess__cuda_call *call, int sign, const tess_array *out, const tess_array *in,
                                   int axis, double scale);

#endif
