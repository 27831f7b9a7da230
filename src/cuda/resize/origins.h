/* Origins as parameters of kernels; see cuda/resize/origins.cu.h. */
#ifndef TESS_CUDA_RESIZE_ORIGINS_H
#define TESS_CUDA_RESIZE_ORIGINS_H

#include "cuda/resize/window_params.h"
#include "tessera/array.h"

/* Origins of windows onto, or sub-regions of, an array of so many batches. */
static inline tess__gpu_origins tess__cuda_origins(const tess_array *origins, int64_t batches)
{
    return (tess__gpu_origins){ .data = (uintptr_t)origins->data,
                                .stride = { origins->strides.b, origins->strides.w },
                                .count = (int32_t)origins->shape.w,
                                .batches = batches != 1 };
}

#endif
