/* Device memory from a stream-ordered memory pool of the library. */
#ifndef TESS_CUDA_RUNTIME_MEMORY_H
#define TESS_CUDA_RUNTIME_MEMORY_H

#include "cuda/runtime/device.h"

tess_status tess__cuda_pool_open(tess__cuda_device *device, const char *fn);

/* Storage of an array. */
tess_status tess__cuda_buffer_new(tess_buffer **out, const char *fn, tess_device device, int64_t size, bool zeroed);

/* Work on `stream` uses the buffer: storage of the pool is not freed before that work is done, any other is kept.
 * Called for each buffer of an operation, at most TESS__CUDA_KEPT in a call. NULL is allowed. */
void tess__cuda_use(tess__cuda_call *call, tess_buffer *buffer);

int64_t     tess__cuda_memory_used(tess_device device);
tess_status tess__cuda_memory_limit(tess_device device, int64_t bytes);
tess_status tess__cuda_memory_trim(tess_device device);
void        tess__cuda_finish_others(tess_device device);

/* When something found no memory on the call's device: wait for all its work, release what the call's stream and the
 * default one keep, and return unused memory of our pool to the driver. Then one retry is worth it. Without a lock, as
 * tess__cuda_let_go. */
void tess__cuda_free_up(const tess__cuda_call *call);

/* The same, but nothing is released; a lock may be held. */
void tess__cuda_free_pool(const tess__cuda_call *call);

/* Workspace of a call, on its stream: valid for all work that the call launches between acquire and release. */
tess_status tess__cuda_workspace_acquire(tess__cu_address *workspace, tess__cuda_call *call, size_t size);
void        tess__cuda_workspace_release(tess__cuda_call *call, tess__cu_address workspace);

#endif
