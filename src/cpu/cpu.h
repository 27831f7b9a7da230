/* The CPU backend. */
#ifndef TESS_CPU_CPU_H
#define TESS_CPU_CPU_H

#include "backend.h"

extern const tess__backend tess__cpu_backend;

/* Work on a stream of this backend, a file each. */
tess_status tess__cpu_ewise(tess_stream *stream, const tess__ewise *work, int n);
tess_status tess__cpu_iwise(tess_stream *stream, const tess__iwise *work);
tess_status tess__cpu_reduce(tess_stream *stream, const tess__reduce *work);
tess_status tess__cpu_scan(tess_stream *stream, const tess__scan *work);
tess_status tess__cpu_random(tess_stream *stream, const tess__random *work);
tess_status tess__cpu_matmul(tess_stream *stream, const tess__matmul *work);
tess_status tess__cpu_fft(tess_stream *stream, const tess__fft *work);
tess_status tess__cpu_fft_prepare(void **held, const tess__fft *work, tess_fft_plan_facts *facts);
void        tess__cpu_fft_release(void *held);
tess_status tess__cpu_lstsq(tess_stream *stream, const tess__lstsq *work);
tess_status tess__cpu_polyfit(tess_stream *stream, const tess__polyfit *work);
tess_status tess__cpu_window(tess_stream *stream, const tess__window *work);
tess_status tess__cpu_insert(tess_stream *stream, const tess__insert *work);
tess_status tess__cpu_bin(tess_stream *stream, const tess__bin *work);
tess_status tess__cpu_places(tess_stream *stream, const tess__places *work);
tess_status tess__cpu_mask(tess_stream *stream, const tess__mask *work);
tess_status tess__cpu_search(tess_stream *stream, const tess__search *work);
tess_status tess__cpu_unique(tess_stream *stream, const tess__unique *work);
tess_status tess__cpu_histogram(tess_stream *stream, const tess__histogram *work);
tess_status tess__cpu_sort(tess_stream *stream, const tess__sort *work);
tess_status tess__cpu_quantile(tess_stream *stream, const tess__quantile *work);
tess_status tess__cpu_op_call(tess_stream *stream, const tess__op_call *work);

/* The copy of a loop of two operands, at once. */
void tess__cpu_copy(const tess__loop *loop);

#endif
