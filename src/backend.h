/* What a backend offers: memory, streams, events, and a few kinds of work. An entry that is NULL is not supported.
 *
 * Operations describe their work as one of the structs of src/requests and hand it to the backend of the arrays'
 * device. All arguments have been checked before: apart from memory for a queue, only what depends on the data can go
 * wrong.
 */
#ifndef TESS_BACKEND_H
#define TESS_BACKEND_H

#include <stdatomic.h>

#include "core/device/memory.h"
#include "requests/transfer.h"
#include "tessera/device.h"

#define REQUEST(kind, device, arrays)
#define REQUEST_HOST(kind, arrays)
#define REQUEST_OWN(kind, device)
#define REQUEST_ON(kind)
#define REQUEST_MANY(kind)
#include "requests/requests.def"

typedef struct tess__backend tess__backend;

/* What every stream has; a backend's own stream begins with it. */
struct tess_stream {
    const tess__backend *backend;
    tess_device          device;
    atomic_int           references; /* its maker's, one for each thread that has it as its current stream, storage's */
    bool                 async;      /* work is queued, not done in the call */
};

/* What every event has. */
struct tess_event {
    const tess__backend *backend;
    tess_device          device;
};

struct tess__backend {
    const char *name; /* as in a device's text: "cpu" */

    int (*count)(void);
    tess_status (*why_none)(const char *fn, tess_device device); /* why count is 0, failing; NULL: it never is */
    tess_status (*info)(tess_info_device *info, tess_device device);

    /* Storage with one reference. `fn` begins the message if there is no memory. */
    tess_status (*buffer_new)(tess_buffer **out, const char *fn, tess_device device, int64_t size, bool zeroed);
    /* Storage on the host that this kind of device reaches without a detour. */
    tess_status (*buffer_pinned)(tess_buffer **out, const char *fn, int64_t size);
    /* Can memory of somebody else's be used on the device? NULL: any can. */
    tess_status (*check_memory)(const char *fn, const void *data, tess_device device);
    /* Is memory that is said to be the CPU's not of such a device? NULL: there is none apart. */
    tess_status (*check_host)(const char *fn, const void *data);
    int64_t (*memory_used)(tess_device device);
    tess_status (*memory_limit)(tess_device device, int64_t bytes); /* of arrays' storage; 0: none */
    tess_status (*memory_trim)(tess_device device);                 /* what is kept for later use goes back */
    /* Wait for the work of other libraries too, which have used storage of ours. NULL: they have none that is queued */
    void (*finish_others)(tess_device device);

    /* Where compiled kernels are kept, or why they are not. NULL: nothing is compiled. */
    tess_status (*kernel_cache)(const char *fn, char *path, size_t size);

    tess_stream *(*stream_default)(tess_device device);
    tess_status (*stream_new)(tess_stream **out, tess_device device, const tess_stream_opts *opts);
    tess_status (*stream_adopt)(tess_stream **out, tess_device device, void *handle); /* a stream of the caller's */
    void *(*stream_handle)(const tess_stream *stream);
    void (*stream_free)(tess_stream *stream); /* when no reference is left: finish, then free */
    /* Its maker gives it up, and others may not have: finish the work that is on it. NULL: stream_free does. */
    void (*stream_finish)(tess_stream *stream);
    tess_status (*stream_sync)(tess_stream *stream);
    bool (*stream_busy)(tess_stream *stream);
    bool (*stream_own)(tess_stream *stream); /* the calling thread is the stream's own, which cannot wait for it */

    tess_status (*event_new)(tess_event **out, tess_device device);
    void (*event_free)(tess_event *event);
    tess_status (*event_record)(tess_event *event, tess_stream *stream);
    tess_status (*event_sync)(tess_event *event);
    tess_status (*event_wait)(tess_event *event, tess_stream *stream);
    bool (*event_busy)(const tess_event *event);
    tess_status (*event_elapsed)(double *ms, const tess_event *start, const tess_event *end);

    /* To or from the host it is done when the call returns, but storage of buffer_pinned is written and read when the
     * current stream of the GPU comes to it. The host's own queued work on the arrays is done before. */
    tess_status (*transfer)(const tess__transfer *work);

    /* The kinds of work. Of several, all are queued or, if there is no memory, none. */
#define REQUEST_ON(kind) tess_status (*kind)(tess_stream * stream, const tess__##kind *work);
#define REQUEST(kind, device, arrays) REQUEST_ON(kind)
#define REQUEST_HOST(kind, arrays) REQUEST_ON(kind)
#define REQUEST_OWN(kind, device) REQUEST_ON(kind)
#define REQUEST_MANY(kind) tess_status (*kind)(tess_stream * stream, const tess__##kind *work, int n);
#include "requests/requests.def"

    /* Make what the first call of an operator would have to; NULL: there is nothing to make. */
    tess_status (*op_prepare)(tess_device device, const struct tess__operator *op);
    /* Make what transforms like `work`, whose arrays have shapes, dtypes and strides but need no data, will use, say
     * what that is, and hold it until it is released; `info` may be NULL. */
    tess_status (*fft_prepare)(void **held, const tess__fft *work, tess_info_fft_plan *info);
    void (*fft_release)(void *held);
};

/* The backend of a kind of device, or NULL if this build has none. */
const tess__backend *tess__backend_of(int32_t kind);

#endif
