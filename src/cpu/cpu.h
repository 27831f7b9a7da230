/* The CPU backend: its table, and one function for each kind of request. */
#ifndef TESS_CPU_CPU_H
#define TESS_CPU_CPU_H

#include "backend.h"

extern const tess__backend tess__cpu_backend;

/* Work done before the function returns, or put on a stream by itself; each kind is in a file of its own. */
#define REQUEST(kind, device, arrays) tess_status tess__cpu_##kind(const tess__##kind *work);
#define REQUEST_CHECKED(kind, device, arrays)                                                                          \
    REQUEST(kind, , ) tess_status tess__cpu_##kind##_check(const tess__##kind *work); /* before it is queued */
#define REQUEST_HOST(kind, arrays) REQUEST(kind, , )
#define REQUEST_ON(kind) tess_status tess__cpu_##kind(tess_stream *stream, const tess__##kind *work);
#define REQUEST_OWN(kind, device) REQUEST_ON(kind)
#define REQUEST_MANY(kind) tess_status tess__cpu_##kind(tess_stream *stream, const tess__##kind *work, int n);
#include "requests/requests.def"

tess_status tess__cpu_fft_prepare(void **held, const tess__fft *work, tess_info_fft_plan *info);
void        tess__cpu_fft_release(void *held);

/* Copies along a loop of two operands, before it returns. */
void tess__cpu_copy(const tess__loop *loop);

/* Applies an operator over its loop, before it returns. */
void tess__cpu_apply(const tess__ewise *work);

#endif
