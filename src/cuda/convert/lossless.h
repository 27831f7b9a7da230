/* Lossless check before a cast on a GPU. */
#ifndef TESS_CUDA_CONVERT_LOSSLESS_H
#define TESS_CUDA_CONVERT_LOSSLESS_H

#include "cuda/runtime/device.h"

/* TESS_ERANGE, with the index and value of the first element that would change. It waits for the stream: nothing may be
 * written if one value does not fit. */
tess_status tess__cuda_check_lossless(tess__cuda_call *call, const tess__ewise *work);

#endif
