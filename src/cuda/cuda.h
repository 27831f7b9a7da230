/* The GPU as a backend. */
#ifndef TESS_CUDA_CUDA_H
#define TESS_CUDA_CUDA_H

#include "backend.h"

extern const tess__backend tess__cuda_backend;

tess_status tess__cuda_transfer(const tess__transfer *work);
tess_status tess__cuda_ewise(tess_stream *stream, const tess__ewise *work, int n);

#endif
