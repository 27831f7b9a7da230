/* Search for invalid elements, before anything is written. */
#ifndef TESS_CUDA_INDEX_FIRST_INVALID_H
#define TESS_CUDA_INDEX_FIRST_INVALID_H

#include "cuda/index/first_invalid_params.h"
#include "cuda/runtime/device.h"

/* The number, in b, d, h, w order, of the first element that is `what`, a TESS__GPU_NO_MEAN …, and its value, or of a
 * complex one that of its bad part; -1 if there is none. Waits for the stream. */
tess_status tess__cuda_find(int64_t *index, double *value, tess__cuda_call *call, const tess_array *in, int what);

#endif
