/* Stockham FFT along one axis by a kernel of our own, which scales and filters in the same pass; cuFFT needs more. */
#ifndef TESS_CUDA_FFT_COLUMNS_H
#define TESS_CUDA_FFT_COLUMNS_H

#include "cuda/runtime/device.h"

/* Can it, and is it worth a kernel? Both arrays are complex, of one shape and dtype; the input may be the output. */
bool tess__cuda_fft_columns_fit(const tess_array *out, const tess_array *in, int axis);

/* Compile its kernel now. */
tess_status tess__cuda_fft_columns_prepare(tess__cuda_call *call, int sign, const tess_array *out, int axis);

/* What is done in the same pass: elements are multiplied by `multipliers` before, and by `scale` after it. Those are
 * NULL, or real, of the shape of a batch and contiguous; then batches are those of B alone, or axes between are 1. */
typedef struct tess__cuda_fft_factors {
    double            scale;
    const tess_array *multipliers;
} tess__cuda_fft_factors;

tess_status tess__cuda_fft_columns(tess__cuda_call *call, int sign, const tess_array *out, const tess_array *in,
                                   int axis, tess__cuda_fft_factors factors);

#endif
