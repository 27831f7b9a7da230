/* The GPU as a backend. */
#ifndef TESS_CUDA_CUDA_H
#define TESS_CUDA_CUDA_H

#include "backend.h"

extern const tess__backend tess__cuda_backend;

tess_status tess__cuda_ewise(tess_stream *stream, const tess__ewise *work, int n);
tess_status tess__cuda_op_call(tess_stream *stream, const tess__op_call *work);
tess_status tess__cuda_op_prepare(tess_device device, const struct tess__operator *op);

#endif
