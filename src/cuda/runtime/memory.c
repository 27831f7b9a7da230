/* Device memory from stream-ordered memory pools. A buffer remembers the streams that use it; it is freed to the
 * pool after their work, without waiting here. */
#include "cuda/runtime/memory.h"

#include <inttypes.h>
#include <string.h>

#include "core/device/memory.h"
#include "core/device/stream.h"
#include "cuda/runtime/stream.h"

enum { MAX_STREAMS = 16 };

/* An allocation from the pool. */
typedef struct block {
    tess__cuda_device *device;
    tess__cu_address   address;
    int64_t            size;
    pthread_mutex_t    lock;
    int                n_streams;
    tess__cuda_stream *streams[MAX_STREAMS]; /* that have used it, the first has allocated it; each holds a reference */
} block;

/* ---- The pool ---- */

tess_status tess__cuda_pool_open(tess__cuda_device *device, const char *fn)
{
    if (device->pool) return TESS_OK;
    const tess__cuda_call    call = { .name = fn, .device = device };
    const tess__cu_pool_spec spec = { .allocation_type = 1, .location_type = 1, .location = device->handle };
    uint64_t                 keep = UINT64_MAX; /* freed memory stays with us until it is trimmed */
    tess__cu_pool            pool = NULL;
    TESS_CUDA(&call, pool_new, &pool, &spec);
    const tess__cu_result code = tess__driver.pool_set(pool, TESS__CU_POOL_RELEASE_THRESHOLD, &keep);
    if (code) (void)tess__driver.pool_free(pool);
    TESS_TRY(tess__cuda_status(&call, "pool_set", code));
    device->pool = pool;
    return TESS_OK;
}

void tess__cuda_free_pool(const tess__cuda_call *call)
{
    (void)tess__driver.context_sync(); /* memory that is freed after queued work becomes free only then */
    (void)tess__driver.pool_trim(call->device->pool, 0);
}

/* What is released is freed in the order of streams, so the pool is trimmed after that. */
void tess__cuda_free_up(const tess__cuda_call *call)
{
    (void)tess__driver.context_sync();
    tess__cuda_let_go(call->stream);
    tess__cuda_let_go(call->device->first);
    tess__cuda_free_pool(call);
}

/* Memory of the pool. */
static tess_status take(tess__cu_address *address, const tess__cuda_call *call, size_t size)
{
    tess__cu_stream stream = call->stream->handle;
    tess__cu_result code = tess__driver.allocate(address, size, call->device->pool, stream);
    if (code == TESS__CU_OUT_OF_MEMORY) {
        tess__cuda_free_up(call);
        code = tess__driver.allocate(address, size, call->device->pool, stream);
    }
    size_t unused = 0, total = 0;
    if (code == TESS__CU_OUT_OF_MEMORY) (void)tess__driver.memory_info(&unused, &total);
    TESS_CHECK(code != TESS__CU_OUT_OF_MEMORY, TESS_ENOMEM,
               "%s: no memory for %zu bytes on gpu:%d, which has %zu bytes, %zu of them free", call->name, size,
               call->device->index, total, unused);
    TESS_TRY(tess__cuda_status(call, "allocate", code));
    return TESS_OK;
}

tess_status tess__cuda_workspace_acquire(tess__cu_address *workspace, tess__cuda_call *call, size_t size)
{
    *workspace = 0;
    TESS_TRY(take(workspace, call, size ? size : 1));
    return TESS_OK;
}

void tess__cuda_workspace_release(tess__cuda_call *call, tess__cu_address workspace)
{
    if (workspace) (void)tess__driver.release(workspace, call->stream->handle);
}

/* ---- Storage ---- */

static void hold(tess__cuda_stream *stream) { atomic_fetch_add(&stream->base.references, 1); }

static void let_go(tess__cuda_stream *stream)
{
    if (atomic_fetch_sub(&stream->base.references, 1) == 1) tess__cuda_stream_free(&stream->base);
}

/* The first stream waits for the work of the others, then frees. A failure is not reported: the device may be lost. */
static void give_back(block *b)
{
    tess__cuda_call call;
    if (!tess__cuda_begin_quietly(&call, b->device)) return;
    for (int i = 1; i < b->n_streams; i++) tess__cuda_after(b->streams[0], b->streams[i]);
    (void)tess__driver.release(b->address, b->streams[0]->handle);
    tess__cuda_end(&call);
}

static void drop(void *context)
{
    block *b = context;
    give_back(b);
    atomic_fetch_sub(&b->device->used, b->size);
    for (int i = 0; i < b->n_streams; i++) let_go(b->streams[i]);
    (void)pthread_mutex_destroy(&b->lock);
    tess__free(b);
}

static tess_status reserve(const tess__cuda_call *call, int64_t size)
{
    tess__cuda_device *d = call->device;
    const int64_t      limit = atomic_load(&d->limit);
    int64_t            used = atomic_load(&d->used);
    do {
        TESS_CHECK(limit == 0 || size <= limit - used, TESS_ENOMEM,
                   "%s: `%" PRId64 " bytes` of memory are needed on gpu:%d in addition to `%" PRId64
                   " bytes` in use, and the limit is `%" PRId64 " bytes``memory_limit| (tess_device_memory_limit_set)`",
                   call->name, size, d->index, used, limit);
    } while (!atomic_compare_exchange_weak(&d->used, &used, used + size));
    return TESS_OK;
}

static tess_status make(block *b, tess__cuda_call *call, int64_t size, bool zeroed)
{
    TESS_TRY(reserve(call, size));
    tess_status status = take(&b->address, call, size ? (size_t)size : 1);
    if (status == TESS_OK && zeroed && size)
        status = tess__cuda_status(call, "set_bytes",
                                   tess__driver.set_bytes(b->address, 0, (size_t)size, call->stream->handle));
    if (status == TESS_OK) return TESS_OK;
    if (b->address) (void)tess__driver.release(b->address, call->stream->handle);
    atomic_fetch_sub(&call->device->used, size);
    return tess__trace(status, __FILE__, __LINE__, __func__, "make");
}

static tess_status check_found(const char *fn, const block *b)
{
    TESS_CHECK(b, TESS_ENOMEM, "%s: no memory for %zu bytes", fn, sizeof *b);
    return TESS_OK;
}

tess_status tess__cuda_buffer_new(tess_buffer **out, const char *fn, tess_device device, int64_t size, bool zeroed)
{
    tess__cuda_call call;
    tess_status     status;
    tess_stream    *stream = NULL;
    TESS_TRY(tess__stream_need(&stream, fn, device));
    TESS_TRY(tess__cuda_begin(&call, fn, stream));
    block *b = tess__alloc(sizeof *b);
    if (b) *b = (block){ .device = call.device, .size = size };
    TESS_GOTO(done, status, check_found(fn, b));
    TESS_GOTO(done, status, make(b, &call, size, zeroed));
    (void)pthread_mutex_init(&b->lock, NULL);
    b->streams[b->n_streams++] = call.stream;
    hold(call.stream);
    TESS_GOTO(done, status, tess__buffer_wrap(out, fn, (void *)(uintptr_t)b->address, device, drop, b));
    b = NULL;
done:
    if (b && b->n_streams) drop(b);
    else tess__free(b);
    tess__cuda_end(&call);
    return status;
}

/* ---- Use ---- */

static bool is_known(const block *b, const tess__cuda_stream *stream)
{
    for (int i = 0; i < b->n_streams; i++)
        if (b->streams[i] == stream) return true;
    return false;
}

/* Another thread may have gone on with a stream that was freed. */
static bool is_over(const tess__cuda_stream *s)
{
    return atomic_load(&s->ended) && tess__driver.stream_query(s->handle) == 0;
}

/* Under the lock: moves streams that have ended to `ended`; returns how many. */
static int take_ended(block *b, tess__cuda_stream *ended[MAX_STREAMS])
{
    int n = 1, n_ended = 0;
    for (int i = 1; i < b->n_streams; i++)
        if (is_over(b->streams[i])) ended[n_ended++] = b->streams[i];
        else b->streams[n++] = b->streams[i];
    b->n_streams = n;
    return n_ended;
}

/* One more stream; false if there are too many to be remembered. What the pool gave is there when the stream that took
 * it comes so far: the new one waits for that. */
static bool note_stream(block *b, tess__cuda_stream *stream)
{
    tess__cuda_stream *ended[MAX_STREAMS];
    (void)pthread_mutex_lock(&b->lock);
    bool      known = is_known(b, stream);
    const int n_ended = !known && b->n_streams == MAX_STREAMS ? take_ended(b, ended) : 0;
    if (!known) {
        tess__cuda_after(stream, b->streams[0]);
        known = b->n_streams < MAX_STREAMS;
        if (known) {
            b->streams[b->n_streams++] = stream;
            hold(stream);
        }
    }
    (void)pthread_mutex_unlock(&b->lock);
    for (int i = 0; i < n_ended; i++) let_go(ended[i]);
    return known;
}

/* Is the storage of the pool, and does it know by itself that the stream uses it? */
static bool is_noted(tess_buffer *buffer, tess__cuda_stream *stream)
{
    if (buffer->drop != drop) return false;
    block *b = buffer->context;
    return b->streams[0] == stream || note_stream(b, stream);
}

void tess__cuda_use(tess__cuda_call *call, tess_buffer *buffer)
{
    if (!buffer || is_noted(buffer, call->stream) || call->n_kept == TESS__CUDA_KEPT) return;
    tess__buffer_retain(buffer);
    call->kept[call->n_kept++] = buffer;
}

/* ---- What is in use ---- */

int64_t tess__cuda_memory_used(tess_device device)
{
    tess__cuda_device *d = tess__cuda_device_known(device.index);
    return d ? atomic_load(&d->used) : 0;
}

tess_status tess__cuda_memory_limit(tess_device device, int64_t bytes)
{
    tess__cuda_device *d = NULL;
    TESS_TRY(tess__cuda_device_need(&d, "device_memory_limit_set", device.index));
    atomic_store(&d->limit, bytes);
    return TESS_OK;
}

tess_status tess__cuda_memory_trim(tess_device device)
{
    tess__cuda_call call;
    TESS_TRY(tess__cuda_begin_on(&call, "memory_trim", device.index));
    tess__cu_result code =
        tess__driver.context_sync(); /* memory that is freed after queued work becomes free only then */
    if (code == 0) {
        tess__cuda_ring_trim(&call.device->ring);
        code = tess__driver.pool_trim(call.device->pool, 0);
    }
    tess__cuda_end(&call);
    TESS_TRY(tess__cuda_status(&call, "pool_trim", code));
    return TESS_OK;
}

void tess__cuda_finish_others(tess_device device)
{
    tess__cuda_call    call;
    tess__cuda_device *d = tess__cuda_device_known(device.index);
    if (!d || !tess__cuda_begin_quietly(&call, d)) return;
    (void)tess__driver.context_sync();
    tess__cuda_end(&call);
}
