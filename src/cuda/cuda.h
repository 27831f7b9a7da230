/* The GPU as a backend. */
#ifndef TESS_CUDA_CUDA_H
#define TESS_CUDA_CUDA_H

#include "backend.h"

extern const tess__backend tess__cuda_backend;

struct tess__cuda_call;

/* One piece of element-wise work inside a call. */
tess_status tess__cuda_ewise_on(struct tess__cuda_call *call, const tess__ewise *work);

tess_status tess__cuda_random(tess_stream *stream, const tess__random *work);
tess_status tess__cuda_matmul(tess_stream *stream, const tess__matmul *work);
tess_status tess__cuda_lstsq(tess_stream *stream, const tess__lstsq *work);
tess_status tess__cuda_polyfit(tess_stream *stream, const tess__polyfit *work);
tess_status tess__cuda_window(tess_stream *stream, const tess__window *work);
tess_status tess__cuda_insert(tess_stream *stream, const tess__insert *work);
tess_status tess__cuda_bin(tess_stream *stream, const tess__bin *work);
tess_status tess__cuda_places(tess_stream *stream, const tess__places *work);
tess_status tess__cuda_mask(tess_stream *stream, const tess__mask *work);
tess_status tess__cuda_search(tess_stream *stream, const tess__search *work);
tess_status tess__cuda_unique(tess_stream *stream, const tess__unique *work);
tess_status tess__cuda_histogram(tess_stream *stream, const tess__histogram *work);
tess_status tess__cuda_sort(tess_stream *stream, const tess__sort *work);
tess_status tess__cuda_quantile(tess_stream *stream, const tess__quantile *work);
tess_status tess__cuda_fft(tess_stream *stream, const tess__fft *work);
tess_status tess__cuda_fft_prepare(void **held, const tess__fft *work, tess_fft_plan_facts *facts);
tess_status tess__cuda_transfer(const tess__transfer *work);
tess_status tess__cuda_ewise(tess_stream *stream, const tess__ewise *work, int n);
tess_status tess__cuda_iwise(tess_stream *stream, const tess__iwise *work);
tess_status tess__cuda_reduce(tess_stream *stream, const tess__reduce *work);
tess_status tess__cuda_scan(tess_stream *stream, const tess__scan *work);
tess_status tess__cuda_op_call(tess_stream *stream, const tess__op_call *work);
tess_status tess__cuda_op_prepare(tess_device device, const struct tess__operator *op);

#endif
