/* Page-locked (pinned) memory of the host, which GPUs can read and write directly. */
#ifndef TESS_CUDA_RUNTIME_PINNED_H
#define TESS_CUDA_RUNTIME_PINNED_H

#include "cuda/runtime/device.h"

tess_status tess__cuda_buffer_pinned(tess_buffer **out, const char *fn, int64_t size);

/* Is it storage of that function's? */
bool tess__cuda_is_pinned(const tess_buffer *buffer);

/* Is it page-locked by whomsoever? Such memory is used after a copy has been put on a stream. Within a call. */
bool tess__cuda_is_locked(const void *memory, int64_t size);

#endif
