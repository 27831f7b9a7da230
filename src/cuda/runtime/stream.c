/* CUDA streams. The driver queues the work; the library keeps alive the storage that the work uses. */
#include "cuda/runtime/stream.h"

#include <string.h>

#include "core/device/memory.h"
#include "cuda/vendor/cublas.h"

/* ---- What is kept ---- */

/* `works`: the driver may be called. */
static void let_go(tess__cuda_kept *kept, bool works)
{
    for (int i = 0; i < kept->n; i++) tess__buffer_release(kept->buffers[i]);
    if (kept->mark && works) (void)tess__driver.event_free(kept->mark);
    tess__free(kept);
}

static void let_go_all(tess__cuda_kept *kept, bool works)
{
    while (kept) {
        tess__cuda_kept *next = kept->next;
        let_go(kept, works);
        kept = next;
    }
}

static tess__cuda_kept *take_kept(tess__cuda_stream *s)
{
    (void)pthread_mutex_lock(&s->lock);
    tess__cuda_kept *kept = s->kept;
    s->kept = NULL;
    (void)pthread_mutex_unlock(&s->lock);
    return kept;
}

/* What has no mark waits for a sync of the stream. */
void tess__cuda_let_go(tess__cuda_stream *s)
{
    while (atomic_load_explicit(&s->kept, memory_order_relaxed)) {
        (void)pthread_mutex_lock(&s->lock);
        tess__cuda_kept *oldest = s->kept;
        if (oldest && (!oldest->mark || tess__driver.event_query(oldest->mark) != 0)) oldest = NULL;
        if (oldest) s->kept = oldest->next;
        (void)pthread_mutex_unlock(&s->lock);
        if (!oldest) return;
        let_go(oldest, true); /* outside the lock: it may call what the owner of the storage gave us */
    }
}

static void append(tess__cuda_stream *s, tess__cuda_kept *kept)
{
    tess__cuda_kept *last = s->kept;
    while (last && last->next) last = last->next;
    if (last) last->next = kept;
    else s->kept = kept;
}

static tess__cu_event mark_of(const tess__cuda_stream *s)
{
    tess__cu_event mark = NULL;
    if (tess__driver.event_new(&mark, TESS__CU_EVENT_NO_TIMING) != 0) return NULL;
    if (tess__driver.event_record(mark, s->handle) == 0) return mark;
    (void)tess__driver.event_free(mark);
    return NULL;
}

void tess__cuda_keep_all(tess__cuda_call *call)
{
    tess__cuda_stream *s = call->stream;
    tess__cuda_kept   *kept = tess__alloc(sizeof *kept);
    if (kept) {
        *kept = (tess__cuda_kept){ .mark = mark_of(s), .n = call->n_kept };
        memcpy(kept->buffers, call->kept, (size_t)call->n_kept * sizeof call->kept[0]);
        (void)pthread_mutex_lock(&s->lock);
        append(s, kept);
        (void)pthread_mutex_unlock(&s->lock);
    } else { /* nowhere to note it: wait */
        (void)tess__driver.stream_sync(s->handle);
        for (int i = 0; i < call->n_kept; i++) tess__buffer_release(call->kept[i]);
    }
    call->n_kept = 0;
}

/* Wait for the stream, then release what was kept when the wait began: other threads may have queued more. */
static tess__cu_result wait_for(tess__cuda_stream *s)
{
    tess__cuda_kept      *kept = take_kept(s);
    const tess__cu_result code = tess__driver.stream_sync(s->handle);
    if (code == 0) {
        let_go_all(kept, true);
        return 0;
    }
    (void)tess__driver.stream_sync(s->handle); /* callers have work on memory of theirs that ends with this call */
    (void)pthread_mutex_lock(&s->lock);
    tess__cuda_kept *newer = s->kept;
    s->kept = kept;
    append(s, newer);
    (void)pthread_mutex_unlock(&s->lock);
    return code;
}

/* ---- Order ---- */

void tess__cuda_after(tess__cuda_stream *later, const tess__cuda_stream *earlier)
{
    tess__cu_event mark = NULL;
    if (tess__driver.event_new(&mark, TESS__CU_EVENT_NO_TIMING) != 0 ||
        tess__driver.event_record(mark, earlier->handle) != 0 || tess__driver.stream_wait(later->handle, mark, 0) != 0)
        (void)tess__driver.stream_sync(earlier->handle);
    if (mark) (void)tess__driver.event_free(mark);
}

void tess__cuda_note_work(tess__cuda_stream *stream, const char *name)
{
    (void)pthread_mutex_lock(&stream->lock);
    (void)strncpy(stream->last, name, sizeof stream->last - 1);
    (void)pthread_mutex_unlock(&stream->lock);
}

void tess__cuda_last_work(tess__cuda_stream *stream, char name[TESS__CUDA_NAME])
{
    (void)pthread_mutex_lock(&stream->lock);
    if (stream->last[0]) memcpy(name, stream->last, sizeof stream->last);
    (void)pthread_mutex_unlock(&stream->lock);
}

/* ---- Streams ---- */

static tess_status make(tess__cuda_stream **out, tess__cuda_call *call, const tess__cu_stream *adopted)
{
    tess__cuda_stream *s = tess__alloc(sizeof *s);
    TESS_CHECK(s, TESS_ENOMEM, "%s: no memory for %zu bytes", call->name, sizeof *s);
    *s = (tess__cuda_stream){ .device = call->device, .adopted = adopted != NULL };
    tess__cu_stream       fresh = NULL;
    const tess__cu_result code = adopted ? 0 : tess__driver.stream_new(&fresh, TESS__CU_STREAM_NON_BLOCKING);
    s->handle = adopted ? *adopted : fresh;
    if (code) tess__free(s);
    TESS_TRY(tess__cuda_status(call, "stream_new", code));
    (void)pthread_mutex_init(&s->lock, NULL);
    s->base.backend = tess__backend_of(TESS_GPU);
    s->base.device = tess_gpu(call->device->index);
    s->base.async = true;
    atomic_init(&s->base.references, 1);
    *out = s;
    return TESS_OK;
}

tess_status tess__cuda_stream_first(tess__cuda_device *device, const char *fn)
{
    if (device->first) return TESS_OK;
    tess__cuda_call call = { .name = fn, .device = device };
    TESS_TRY(tess__cuda_enter(&call));
    const tess_status status = make(&device->first, &call, NULL);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}

tess_stream *tess__cuda_stream_default(tess_device device)
{
    tess__cuda_device *d = tess__cuda_device_known(device.index); /* a lost one has a stream, whose work is rejected */
    if (!d && tess__cuda_device_need(&d, "stream_current", device.index) != TESS_OK) return NULL;
    return &d->first->base;
}

tess_status tess__cuda_stream_new(tess_stream **out, tess_device device, const tess_stream_opts *opts)
{
    (void)opts; /* work on a GPU is always queued */
    tess__cuda_call    call;
    tess__cuda_stream *made = NULL;
    TESS_TRY(tess__cuda_begin_on(&call, "stream_new", device.index));
    const tess_status status = make(&made, &call, NULL);
    tess__cuda_end(&call);
    TESS_TRY(status);
    *out = &made->base;
    return TESS_OK;
}

static tess_status check_adoptable(tess__cuda_call *call, tess__cu_stream handle)
{
    tess__cu_context context = NULL;
    TESS_CHECK((uintptr_t)handle != TESS__CU_STREAM_PER_THREAD, TESS_EARG,
               "stream_adopt: `cuda_stream` is CU_STREAM_PER_THREAD, which differs between threads; a stream that is "
               "the same in all threads is needed");
    TESS_CUDA(call, stream_context, handle, &context);
    TESS_CHECK(context == call->device->context, TESS_EDEVICE,
               "stream_adopt: cuda_stream %p must be of the primary context of gpu:%d", (void *)handle,
               call->device->index);
    return TESS_OK;
}

tess_status tess__cuda_stream_adopt(tess_stream **out, tess_device device, void *handle)
{
    tess__cuda_call       call;
    tess__cuda_stream    *made = NULL;
    const tess__cu_stream theirs = handle;
    tess_status           status;
    TESS_TRY(tess__cuda_begin_on(&call, "stream_adopt", device.index));
    TESS_GOTO(done, status, check_adoptable(&call, theirs));
    TESS_GOTO(done, status, make(&made, &call, &theirs));
    *out = &made->base;
done:
    tess__cuda_end(&call);
    return status;
}

void *tess__cuda_stream_handle(const tess_stream *stream) { return ((const tess__cuda_stream *)stream)->handle; }

/* Storage that was allocated on it may keep it alive for long: what it keeps itself is released now. The caller may
 * destroy an adopted stream after this, and CUDA does not survive the use of one that is gone: what is left to do, as
 * freeing that storage, goes on the device's first stream. */
void tess__cuda_stream_finish(tess_stream *stream)
{
    tess__cuda_stream *s = (tess__cuda_stream *)stream;
    tess__cuda_call    call;
    if (!tess__cuda_begin_quietly(&call, s->device)) return;
    call.stream = s;
    atomic_store(&s->ended, wait_for(s) == 0);
    tess__cuda_deferred_forget(s, &call);
    if (s->adopted) {
        if (s->handle) tess__cublas_forget(&call); /* CUDA's own default stream stays */
        s->handle = s->device->first->handle;
    }
    tess__cuda_end(&call);
}

/* On a device that is lost there is no work any more that what is kept would be kept for. */
void tess__cuda_stream_free(tess_stream *stream)
{
    tess__cuda_stream *s = (tess__cuda_stream *)stream;
    tess__cuda_call    call;
    if (s == s->device->first) return;
    const bool works = tess__cuda_begin_quietly(&call, s->device);
    call.stream = s;
    if (works) (void)wait_for(s);
    tess__cuda_deferred_forget(s, works ? &call : NULL);
    if (works && !s->adopted) {
        tess__cublas_forget(&call);
        (void)tess__driver.stream_free(s->handle);
    }
    let_go_all(s->kept, works);
    if (works) tess__cuda_end(&call);
    (void)pthread_mutex_destroy(&s->lock);
    tess__free(s);
}

tess_status tess__cuda_wait(tess__cuda_call *call)
{
    TESS_TRY(tess__cuda_status(call, "stream_sync", wait_for(call->stream)));
    TESS_TRY(tess__cuda_deferred_check(call));
    return TESS_OK;
}

tess_status tess__cuda_settle(tess__cuda_call *call)
{
    if (call->stream->n_deferred) TESS_TRY(tess__cuda_wait(call));
    return TESS_OK;
}

/* A stream that cannot be entered is waited for all the same: results may be on their way to memory of callers that
 * ends with their calls. If its device is lost, there is nothing to wait for, nor to keep anything for. */
static void wait_outside(tess__cuda_stream *s)
{
    if (atomic_load(&s->device->lost)) let_go_all(take_kept(s), false);
    else (void)tess__driver.stream_sync(s->handle);
}

tess_status tess__cuda_stream_sync(tess_stream *stream)
{
    tess__cuda_call call;
    tess_status     status = tess__cuda_begin(&call, "stream_sync", stream);
    if (status != TESS_OK) wait_outside((tess__cuda_stream *)stream);
    TESS_TRY(status);
    status = tess__cuda_wait(&call);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}

bool tess__cuda_stream_busy(tess_stream *stream)
{
    const tess__cuda_stream *s = (const tess__cuda_stream *)stream;
    tess__cuda_call          call;
    if (!tess__cuda_begin_quietly(&call, s->device)) return false;
    const tess__cu_result code = tess__driver.stream_query(s->handle);
    tess__cuda_end(&call);
    return code == TESS__CU_NOT_READY;
}
