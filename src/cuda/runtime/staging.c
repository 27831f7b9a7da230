/* Staging buffers: copies through a ring of page-locked chunks. Large copies on the host run on several threads, as
 * any copy on the CPU. */
#include "cuda/runtime/staging.h"

#include <string.h>

#include "core/array/layout.h"
#include "core/minmax.h"
#include "cuda/runtime/device.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

#define CHUNK ((int64_t)8 << 20)
#define SHARED ((int64_t)1 << 20) /* from so many bytes on a copy on the host is shared among threads */

/* ---- On the host ---- */

static tess_status copy_shared(const char *name, char *to, const char *from, int64_t size)
{
    const tess__backend *cpu = tess__backend_of(TESS_CPU);
    const tess_shape     shape = { { 1, 1, 1, size } };
    const tess_array     source = { .shape = shape,
                                    .strides = tess_strides_contiguous(shape, 'C'),
                                    .data = (void *)(uintptr_t)from,
                                    .dtype = TESS_U8 };
    tess_array           target = source;
    const tess_array    *inputs[1] = { &source };
    tess__ewise          work;
    target.data = to;
    work.name = name;
    work.kind = TESS__COPY;
    tess__plan_row(&work.loop, size, &target, inputs, 1);
    TESS_TRY(cpu->ewise(cpu->stream_default(tess_cpu()), &work, 1));
    return TESS_OK;
}

static tess_status copy_on_host(const char *name, char *to, const char *from, int64_t size)
{
    if (size >= SHARED) TESS_TRY(copy_shared(name, to, from, size));
    else memcpy(to, from, (size_t)size);
    return TESS_OK;
}

/* ---- The ring ---- */

static tess_status make(tess__cuda_chunk *chunk, tess__cuda_call *call)
{
    tess__cuda_chunk made = { NULL, NULL };
    TESS_CUDA(call, event_new, &made.mark, TESS__CU_EVENT_NO_TIMING);
    tess__cu_result code = tess__driver.host_allocate(&made.memory, (size_t)CHUNK, TESS__CU_HOST_PORTABLE);
    if (code == TESS__CU_OUT_OF_MEMORY) {
        tess__cuda_free_pool(call); /* the ring's lock is held */
        code = tess__driver.host_allocate(&made.memory, (size_t)CHUNK, TESS__CU_HOST_PORTABLE);
    }
    if (code) (void)tess__driver.event_free(made.mark);
    TESS_CHECK(code != TESS__CU_OUT_OF_MEMORY, TESS_ENOMEM, "%s: no memory for %lld bytes of page-locked memory",
               call->name, (long long)CHUNK);
    TESS_TRY(tess__cuda_status(call, "host_allocate", code));
    *chunk = made;
    return TESS_OK;
}

/* The next chunk, when the copy that it was last used for is done. */
static tess_status next_chunk(tess__cuda_chunk **out, tess__cuda_call *call)
{
    tess__cuda_ring  *ring = &call->device->ring;
    tess__cuda_chunk *chunk = &ring->chunks[ring->next % TESS__CUDA_CHUNKS];
    if (chunk->memory) TESS_CUDA(call, event_sync, chunk->mark);
    else TESS_TRY(make(chunk, call));
    ring->next++;
    *out = chunk;
    return TESS_OK;
}

/* Without a mark nobody could tell when the chunk is free again. */
static tess_status mark(tess__cuda_call *call, const tess__cuda_chunk *chunk)
{
    const tess__cu_result code = tess__driver.event_record(chunk->mark, call->stream->handle);
    if (code) (void)tess__driver.stream_sync(call->stream->handle);
    TESS_TRY(tess__cuda_status(call, "event_record", code));
    return TESS_OK;
}

void tess__cuda_ring_trim(tess__cuda_ring *ring)
{
    (void)pthread_mutex_lock(&ring->lock);
    for (int i = 0; i < TESS__CUDA_CHUNKS; i++) {
        tess__cuda_chunk *chunk = &ring->chunks[i];
        if (!chunk->memory) continue;
        (void)tess__driver.event_sync(chunk->mark); /* of a copy that another thread has put there just now */
        (void)tess__driver.host_release(chunk->memory);
        (void)tess__driver.event_free(chunk->mark);
        *chunk = (tess__cuda_chunk){ NULL, NULL };
    }
    (void)pthread_mutex_unlock(&ring->lock);
}

/* ---- Copies ---- */

static tess_status stage_in(tess__cuda_call *call, tess__cu_address out, const char *in, int64_t size)
{
    for (int64_t at = 0; at < size; at += CHUNK) {
        tess__cuda_chunk *chunk = NULL;
        const int64_t     n = tess__min(size - at, CHUNK);
        TESS_TRY(next_chunk(&chunk, call));
        TESS_TRY(copy_on_host(call->name, chunk->memory, in + at, n));
        TESS_CUDA(call, copy_in, out + (uint64_t)at, chunk->memory, (size_t)n, call->stream->handle);
        TESS_TRY(mark(call, chunk));
    }
    return TESS_OK;
}

static tess_status stage_out(tess__cuda_call *call, char *out, tess__cu_address in, int64_t size)
{
    tess__cuda_chunk *chunks[TESS__CUDA_CHUNKS];
    int64_t           sent = 0;
    for (int64_t at = 0; at < size; at += CHUNK) {
        for (; sent < size && sent < at + TESS__CUDA_CHUNKS * CHUNK; sent += CHUNK) {
            tess__cuda_chunk *chunk = NULL;
            TESS_TRY(next_chunk(&chunk, call));
            TESS_CUDA(call, copy_out, chunk->memory, in + (uint64_t)sent, (size_t)tess__min(size - sent, CHUNK),
                      call->stream->handle);
            TESS_TRY(mark(call, chunk));
            chunks[sent / CHUNK % TESS__CUDA_CHUNKS] = chunk;
        }
        const tess__cuda_chunk *chunk = chunks[at / CHUNK % TESS__CUDA_CHUNKS];
        TESS_CUDA(call, event_sync, chunk->mark);
        TESS_TRY(copy_on_host(call->name, out + at, chunk->memory, tess__min(size - at, CHUNK)));
    }
    return TESS_OK;
}

/* A copy that needs more chunks than there are waits for its stream first, so that nobody else waits for the lock. */
tess_status tess__cuda_stage_in(tess__cuda_call *call, tess__cu_address out, const char *in, int64_t size)
{
    if (size <= TESS__CUDA_SMALL) {
        TESS_CUDA(call, copy_in, out, in, (size_t)size, call->stream->handle);
        if (call->device->reads_host) TESS_CUDA(call, stream_sync, call->stream->handle); /* the caller may change it */
        return TESS_OK;
    }
    if (size > TESS__CUDA_CHUNKS * CHUNK) TESS_CUDA(call, stream_sync, call->stream->handle);
    (void)pthread_mutex_lock(&call->device->ring.lock);
    const tess_status status = stage_in(call, out, in, size);
    (void)pthread_mutex_unlock(&call->device->ring.lock);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__cuda_stage_out(tess__cuda_call *call, char *out, tess__cu_address in, int64_t size)
{
    TESS_CUDA(call, stream_sync, call->stream->handle);
    (void)pthread_mutex_lock(&call->device->ring.lock);
    const tess_status status = stage_out(call, out, in, size);
    (void)pthread_mutex_unlock(&call->device->ring.lock);
    TESS_TRY(status);
    return TESS_OK;
}
