/* CUDA streams and events, and the storage that is kept alive until their work is done. */
#ifndef TESS_CUDA_RUNTIME_STREAM_H
#define TESS_CUDA_RUNTIME_STREAM_H

#include "cuda/runtime/deferred_error.h"
#include "cuda/runtime/device.h"

/* Storage that is not of the pool, which frees in the order of streams: held until the event after its work is
 * reached. */
typedef struct tess__cuda_kept {
    struct tess__cuda_kept *next;
    tess__cu_event          mark; /* NULL: there was none to be had */
    int                     n;
    tess_buffer            *buffers[TESS__CUDA_KEPT];
} tess__cuda_kept;

struct tess__cuda_stream {
    struct tess_stream         base;
    tess__cuda_device         *device;
    _Atomic(tess__cu_stream)   handle;                /* of an adopted one that is freed: that of the device's first */
    bool                       adopted;               /* the caller's: not destroyed here */
    atomic_bool                ended;                 /* its user has freed it, and what was on it then is done */
    pthread_mutex_t            lock;                  /* of what follows */
    _Atomic(tess__cuda_kept *) kept;                  /* oldest first */
    char                       last[TESS__CUDA_NAME]; /* the operation whose kernel was the last one put here */
    tess__cuda_deferred       *deferred;              /* oldest first */
    atomic_int                 n_deferred;
};

/* Hold the buffers of call->kept until the work that is on its stream now is done. */
void tess__cuda_keep_all(tess__cuda_call *call);

/* Release what is kept for work that is done. Within a call and without a lock: the release functions of its owners
 * are called. */
void tess__cuda_let_go(tess__cuda_stream *stream);

/* `later` waits for all work that is on `earlier` now. When there is no way to tell it to, this thread does. Both are
 * of the current context's device. */
void tess__cuda_after(tess__cuda_stream *later, const tess__cuda_stream *earlier);

/* Note whose kernel was put on a stream, and ask. */
void tess__cuda_note_work(tess__cuda_stream *stream, const char *name);
void tess__cuda_last_work(tess__cuda_stream *stream, char name[TESS__CUDA_NAME]);

/* Wait for the stream. */
tess_status tess__cuda_wait(tess__cuda_call *call);

/* Before values are copied to the host: deferred errors of the stream are reported now, and nothing is written then.
 */
tess_status tess__cuda_settle(tess__cuda_call *call);

/* The device's default stream, created when the device is opened. */
tess_status tess__cuda_stream_first(tess__cuda_device *device, const char *fn);

tess_stream *tess__cuda_stream_default(tess_device device);
tess_status  tess__cuda_stream_new(tess_stream **out, tess_device device, const tess_stream_opts *opts);
tess_status  tess__cuda_stream_adopt(tess_stream **out, tess_device device, void *handle);
void        *tess__cuda_stream_handle(const tess_stream *stream);
void         tess__cuda_stream_free(tess_stream *stream);
void         tess__cuda_stream_finish(tess_stream *stream);
tess_status  tess__cuda_stream_sync(tess_stream *stream);
bool         tess__cuda_stream_busy(tess_stream *stream);

tess_status tess__cuda_event_new(tess_event **out, tess_device device);
void        tess__cuda_event_free(tess_event *event);
tess_status tess__cuda_event_record(tess_event *event, tess_stream *stream);
tess_status tess__cuda_event_sync(tess_event *event);
tess_status tess__cuda_event_wait(tess_event *event, tess_stream *stream);
bool        tess__cuda_event_busy(const tess_event *event);
tess_status tess__cuda_event_elapsed(double *ms, const tess_event *start, const tess_event *end);

#endif
