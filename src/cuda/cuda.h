/* CUDA backend: its table, and one function for each kind of request. */
#ifndef TESS_CUDA_CUDA_H
#define TESS_CUDA_CUDA_H

#include "backend.h"

extern const tess__backend tess__cuda_backend;

struct tess__cuda_call;

/* One element-wise operation inside a call. */
tess_status tess__cuda_ewise_on(struct tess__cuda_call *call, const tess__ewise *work);

/* Work queued within a call, which holds its arrays, or by itself on a stream of this backend; a file each. */
#define REQUEST(kind, device, arrays)                                                                                  \
    tess_status tess__cuda_##kind(struct tess__cuda_call *call, const tess__##kind *work);
#define REQUEST_HOST(kind, arrays)
#define REQUEST_ON(kind) tess_status tess__cuda_##kind(tess_stream *stream, const tess__##kind *work);
#define REQUEST_OWN(kind, device) REQUEST_ON(kind)
#define REQUEST_MANY(kind) tess_status tess__cuda_##kind(tess_stream *stream, const tess__##kind *work, int n);
#include "requests/requests.def"

tess_status tess__cuda_fft_prepare(void **held, const tess__fft *work, tess_info_fft_plan *info);
tess_status tess__cuda_transfer(const tess__transfer *work);
tess_status tess__cuda_op_prepare(tess_device device, const struct tess__operator *op);

#endif
