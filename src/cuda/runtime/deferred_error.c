/* Deferred errors: what asynchronous work reports at the next synchronisation. */
#include "cuda/runtime/deferred_error.h"

#include <string.h>

#include "core/memory.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

/* So many may wait to be looked at; then the stream is waited for. */
enum { MOST_RECORDS = 1024 };

struct tess__cuda_record {
    tess__cuda_record    *next;
    tess__cu_address      address;
    tess__cuda_record_fn *look;
    tess_buffer          *keep;
    _Alignas(16) unsigned char context[];
};

static tess__cuda_record *take_all(tess__cuda_stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
    tess__cuda_record *all = s->records;
    s->records = NULL;
    s->n_records = 0;
    (void)pthread_mutex_unlock(&s->lock);
    return all;
}

static tess_status make_bytes(tess__cu_address *address, tess__cuda_call *call)
{
    TESS_TRY(tess__cuda_workspace_acquire(address, call, TESS__CUDA_RECORD_SIZE));
    TESS_CUDA(call, set_bytes, *address, 0, TESS__CUDA_RECORD_SIZE, call->stream->handle);
    return TESS_OK;
}

void tess__cuda_record_drop(tess__cuda_call *call, tess__cuda_record *record)
{
    if (!record) return;
    if (call) tess__cuda_workspace_release(call, record->address);
    if (record->keep) tess__buffer_release(record->keep);
    tess__free(record);
}

tess_status tess__cuda_record_new(tess__cuda_record **out, tess__cuda_call *call, tess__cuda_record_fn *look,
                                  const void *context, size_t size, tess_buffer *keep)
{
    if (call->stream->n_records >= MOST_RECORDS) TESS_TRY(tess__cuda_wait(call));
    tess__cuda_record *record = tess__alloc(sizeof *record + size);
    TESS_CHECK(record, TESS_ENOMEM, "%s: no memory for %zu bytes", call->name, sizeof *record + size);
    *record = (tess__cuda_record){ .look = look, .keep = keep };
    memcpy(record->context, context, size);
    if (keep) tess__buffer_retain(keep);
    const tess_status status = make_bytes(&record->address, call);
    if (status != TESS_OK) tess__cuda_record_drop(call, record);
    TESS_TRY(status);
    *out = record;
    return TESS_OK;
}

tess__cu_address tess__cuda_record_address(const tess__cuda_record *record) { return record->address; }

void tess__cuda_record_keep(tess__cuda_call *call, tess__cuda_record *record)
{
    tess__cuda_stream *s = call->stream;
    (void)pthread_mutex_lock(&s->lock);
    tess__cuda_record **last = &s->records;
    while (*last) last = &(*last)->next;
    *last = record;
    s->n_records++;
    (void)pthread_mutex_unlock(&s->lock);
}

static tess_status look_at(tess__cuda_call *call, const tess__cuda_record *record)
{
    _Alignas(16) unsigned char bytes[TESS__CUDA_RECORD_SIZE];
    TESS_CUDA(call, copy_out, bytes, record->address, sizeof bytes, call->stream->handle);
    TESS_CUDA(call, stream_sync, call->stream->handle);
    TESS_TRY(record->look(bytes, record->context));
    return TESS_OK;
}

tess_status tess__cuda_records_look(tess__cuda_call *call)
{
    if (!call->stream->n_records) return TESS_OK;
    tess_status        status = TESS_OK;
    tess__cuda_record *next = NULL;
    for (tess__cuda_record *record = take_all(call->stream); record; record = next) {
        next = record->next;
        if (status == TESS_OK) status = look_at(call, record);
        tess__cuda_record_drop(call, record);
    }
    TESS_TRY(status);
    return TESS_OK;
}

void tess__cuda_records_forget(tess__cuda_stream *stream, tess__cuda_call *call)
{
    tess__cuda_record *next = NULL;
    for (tess__cuda_record *record = take_all(stream); record; record = next) {
        next = record->next;
        tess__cuda_record_drop(call, record);
    }
}
