/* Deferred errors: what asynchronous work reports at the next synchronisation. Each has a few bytes on the device,
 * all zero at first, that a kernel may fill; they are checked when the stream is synchronised. */
#ifndef TESS_CUDA_RUNTIME_DEFERRED_ERROR_H
#define TESS_CUDA_RUNTIME_DEFERRED_ERROR_H

#include "cuda/runtime/device.h"

enum { TESS__CUDA_DEFERRED_SIZE = 128 };

/* The status that the bytes of a deferred error mean, TESS_OK if they are zero; `context` is that of
 * tess__cuda_deferred_new. */
typedef tess_status tess__cuda_deferred_fn(const void *bytes, const void *context);

typedef struct tess__cuda_deferred tess__cuda_deferred;

/* A deferred error for work that this call is about to launch. `context` is copied, and `keep` is held, until it has
 * been checked. */
tess_status tess__cuda_deferred_new(tess__cuda_deferred **out, tess__cuda_call *call, tess__cuda_deferred_fn *check,
                                    const void *context, size_t size, tess_buffer *keep);

/* Where it is on the device. */
tess__cu_address tess__cuda_deferred_address(const tess__cuda_deferred *deferred);

/* When all of the work has been launched: it is the stream's now. If the work could not be launched, it is dropped. */
void tess__cuda_deferred_keep(tess__cuda_call *call, tess__cuda_deferred *deferred);
void tess__cuda_deferred_drop(tess__cuda_call *call, tess__cuda_deferred *deferred);

/* Check the deferred errors of a stream; the status of the first that reports one. */
tess_status tess__cuda_deferred_check(tess__cuda_call *call);

/* Drop those of a stream unchecked. `call`: on it, or NULL if its device does not work. */
void tess__cuda_deferred_forget(tess__cuda_stream *stream, tess__cuda_call *call);

#endif
