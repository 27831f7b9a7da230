/* What a backend offers: memory, streams, events, and a few kinds of work. An entry that is NULL is not supported.
 *
 * Operations describe their work as one of the structs below and hand it to the backend of the arrays' device. All
 * arguments have been checked before: apart from memory for a queue, only what depends on the data can go wrong.
 */
#ifndef TESS_BACKEND_H
#define TESS_BACKEND_H

#include <stdatomic.h>

#include "core/memory.h"
#include "core/plan.h"
#include "tessera/device.h"

typedef struct tess__backend tess__backend;

/* What every stream has; a backend's own stream begins with it. */
struct tess_stream {
    const tess__backend *backend;
    tess_device          device;
    atomic_int           references; /* its maker's, and one for each thread that has it as its current stream */
};

/* What every event has. */
struct tess_event {
    const tess__backend *backend;
    tess_device          device;
};

/* Kinds of element-wise work. */
enum {
    TESS__COPY, /* out = in, elements of any size */
    TESS__FILL, /* out = param.element */
    TESS__CAST  /* out = in converted from `from` to `to` */
};

/* One element of any dtype. */
typedef struct tess__element {
    _Alignas(16) unsigned char bytes[128];
    int64_t size; /* bytes in use */
} tess__element;

/* Element-wise work. Plain data: it can be copied into a queue. */
typedef struct tess__ewise {
    const char *name; /* of the operation, for messages */
    int32_t     kind;
    int32_t     from, to; /* TESS__CAST: dtypes */
    int32_t     mode;     /* TESS__CAST: a TESS_CAST_ */
    int32_t     part;     /* TESS__CAST: a TESS_PART_; ABS or POWER only, the others are views */
    tess__loop  loop;
    union {
        tess__element element; /* TESS__FILL */
        tess_array    source;  /* TESS__CAST, exact: the input as the caller gave it, to name the place */
    } param;
} tess__ewise;

/* Work that writes values made from the index of an element in b, d, h, w order. */
typedef struct tess__iwise {
    const char *name;
    tess_array  out;
    int64_t     n;                   /* elements of out */
    double      start, step, scale;  /* out = scale * (start + index * step) */
    int64_t     int_start, int_step; /* the same in integers, used if `integral` */
    double      last;                /* the last element itself, if `ends` */
    bool        integral, ends;
    bool        floors; /* round down before the conversion */
} tess__iwise;

struct tess__backend {
    const char *name; /* as in a device's text: "cpu" */

    int (*count)(void);
    tess_status (*info)(tess_device_facts *facts, tess_device device);

    /* Storage with one reference. `fn` begins the message if there is no memory. */
    tess_status (*buffer_new)(tess_buffer **out, const char *fn, tess_device device, int64_t size, bool zeroed);

    tess_stream *(*stream_default)(tess_device device);
    tess_status (*stream_new)(tess_stream **out, tess_device device, const tess_stream_opts *opts);
    void (*stream_free)(tess_stream *stream); /* when no reference is left: finish, then free */
    tess_status (*stream_sync)(tess_stream *stream);
    bool (*stream_busy)(tess_stream *stream);

    tess_status (*event_new)(tess_event **out, tess_device device);
    void (*event_free)(tess_event *event);
    tess_status (*event_record)(tess_event *event, tess_stream *stream);
    tess_status (*event_sync)(tess_event *event);
    tess_status (*event_wait)(tess_event *event, tess_stream *stream);
    bool (*event_busy)(const tess_event *event);
    tess_status (*event_elapsed)(double *ms, const tess_event *start, const tess_event *end);

    /* n pieces of work, in this order. Queued all or, if there is no memory, not at all. */
    tess_status (*ewise)(tess_stream *stream, const tess__ewise *work, int n);
    tess_status (*iwise)(tess_stream *stream, const tess__iwise *work);
};

/* The backend of a kind of device, or NULL if this build has none. */
const tess__backend *tess__backend_of(int32_t kind);

/* The same for a device that must be there; otherwise a status with a message that begins with `fn`. */
tess_status tess__backend_need(const tess__backend **backend, const char *fn, tess_device device);

#endif
