/* Deferred errors: what asynchronous work reports at the next synchronisation. */
#include "cuda/runtime/deferred_error.h"

#include <string.h>

#include "core/device/memory.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

/* So many may be pending; then the stream is synchronised. */
enum { MAX_DEFERRED = 1024 };

struct tess__cuda_deferred {
    tess__cuda_deferred    *next;
    tess__cu_address        address;
    tess__cuda_deferred_fn *check;
    tess_buffer            *keep;
    _Alignas(16) unsigned char context[];
};

static tess__cuda_deferred *take_all(tess__cuda_stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
    tess__cuda_deferred *all = s->deferred;
    s->deferred = NULL;
    s->n_deferred = 0;
    (void)pthread_mutex_unlock(&s->lock);
    return all;
}

static tess_status make_bytes(tess__cu_address *address, tess__cuda_call *call)
{
    TESS_TRY(tess__cuda_workspace_acquire(address, call, TESS__CUDA_DEFERRED_SIZE));
    TESS_CUDA(call, set_bytes, *address, 0, TESS__CUDA_DEFERRED_SIZE, call->stream->handle);
    return TESS_OK;
}

void tess__cuda_deferred_drop(tess__cuda_call *call, tess__cuda_deferred *deferred)
{
    if (!deferred) return;
    if (call) tess__cuda_workspace_release(call, deferred->address);
    if (deferred->keep) tess__buffer_release(deferred->keep);
    tess__free(deferred);
}

tess_status tess__cuda_deferred_new(tess__cuda_deferred **out, tess__cuda_call *call, tess__cuda_deferred_fn *check,
                                    const void *context, size_t size, tess_buffer *keep)
{
    if (call->stream->n_deferred >= MAX_DEFERRED) TESS_TRY(tess__cuda_wait(call));
    tess__cuda_deferred *deferred = tess__alloc(sizeof *deferred + size);
    TESS_CHECK(deferred, TESS_ENOMEM, "%s: no memory for %zu bytes", call->name, sizeof *deferred + size);
    *deferred = (tess__cuda_deferred){ .check = check, .keep = keep };
    memcpy(deferred->context, context, size);
    if (keep) tess__buffer_retain(keep);
    const tess_status status = make_bytes(&deferred->address, call);
    if (status != TESS_OK) tess__cuda_deferred_drop(call, deferred);
    TESS_TRY(status);
    *out = deferred;
    return TESS_OK;
}

tess__cu_address tess__cuda_deferred_address(const tess__cuda_deferred *deferred) { return deferred->address; }

void tess__cuda_deferred_keep(tess__cuda_call *call, tess__cuda_deferred *deferred)
{
    tess__cuda_stream *s = call->stream;
    (void)pthread_mutex_lock(&s->lock);
    tess__cuda_deferred **last = &s->deferred;
    while (*last) last = &(*last)->next;
    *last = deferred;
    s->n_deferred++;
    (void)pthread_mutex_unlock(&s->lock);
}

static tess_status check_one(tess__cuda_call *call, const tess__cuda_deferred *deferred)
{
    _Alignas(16) unsigned char bytes[TESS__CUDA_DEFERRED_SIZE];
    TESS_CUDA(call, copy_out, bytes, deferred->address, sizeof bytes, call->stream->handle);
    TESS_CUDA(call, stream_sync, call->stream->handle);
    TESS_TRY(deferred->check(bytes, deferred->context));
    return TESS_OK;
}

tess_status tess__cuda_deferred_check(tess__cuda_call *call)
{
    if (!call->stream->n_deferred) return TESS_OK;
    tess_status          status = TESS_OK;
    tess__cuda_deferred *next = NULL;
    for (tess__cuda_deferred *deferred = take_all(call->stream); deferred; deferred = next) {
        next = deferred->next;
        if (status == TESS_OK) status = check_one(call, deferred);
        tess__cuda_deferred_drop(call, deferred);
    }
    TESS_TRY(status);
    return TESS_OK;
}

void tess__cuda_deferred_forget(tess__cuda_stream *stream, tess__cuda_call *call)
{
    tess__cuda_deferred *next = NULL;
    for (tess__cuda_deferred *deferred = take_all(stream); deferred; deferred = next) {
        next = deferred->next;
        tess__cuda_deferred_drop(call, deferred);
    }
}
