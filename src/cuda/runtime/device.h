/* CUDA devices of this machine: the state that is kept for each, and how a call enters one. */
#ifndef TESS_CUDA_RUNTIME_DEVICE_H
#define TESS_CUDA_RUNTIME_DEVICE_H

#include <pthread.h>
#include <stdatomic.h>

#include "backend.h"
#include "cuda/runtime/driver.h"
#include "cuda/runtime/staging.h"

enum {
    TESS__CUDA_DEVICES = 32, /* that are used */
    TESS__CUDA_OLDEST = 70,  /* compute capability that kernels need */
    TESS__CUDA_KEPT = 32,    /* buffers of a call */
    TESS__CUDA_NAME = 40     /* of an operation, cut */
};

typedef struct tess__cuda_stream tess__cuda_stream;
void                             tess__cuda_last_work(tess__cuda_stream *stream, char name[TESS__CUDA_NAME]);

typedef struct tess__cuda_device {
    int                 index;
    tess__cu_device     handle;
    tess__cu_context    context; /* the primary one, which other CUDA code of the process uses too */
    int                 sm;      /* compute capability: 90 is 9.0 */
    int                 multiprocessors;
    bool                reads_host; /* any memory of the host, by itself and when it comes to it */
    tess__cu_pool       pool;       /* of all memory that the library takes */
    tess__cuda_stream  *first;      /* its default stream */
    atomic_int          lost;       /* the driver's code when it stopped to work; 0: it works */
    atomic_int_fast64_t used;       /* bytes of arrays */
    atomic_int_fast64_t limit;      /* of these; 0: none */
    tess__cuda_ring     ring;       /* that copies to and from the host go through */
} tess__cuda_device;

/* Work on a device: between begin and end its context is this thread's current one. */
typedef struct tess__cuda_call {
    const char        *name; /* of the operation, for messages */
    tess__cuda_device *device;
    tess__cuda_stream *stream;
    bool               pushed;
    int                n_kept;
    tess_buffer       *kept[TESS__CUDA_KEPT]; /* storage to be held until the work of the call is done */
} tess__cuda_call;

/* A device that works, or a status that says why it does not. */
tess_status tess__cuda_device_need(tess__cuda_device **device, const char *fn, int index);

/* The same device if somebody has opened it before, else NULL; lost or not. */
tess__cuda_device *tess__cuda_device_known(int index);

/* Begin work on a device, or on a stream of one; tess__cuda_end is called only if it succeeded. */
tess_status tess__cuda_begin_on(tess__cuda_call *call, const char *fn, int index);
tess_status tess__cuda_begin(tess__cuda_call *call, const char *fn, tess_stream *stream);
/* Make the context of call->device current. */
tess_status tess__cuda_enter(tess__cuda_call *call);
void        tess__cuda_end(tess__cuda_call *call);

/* Begin what only gives back, or asks: false if the device is of no use any more, and nothing is recorded then. */
bool tess__cuda_begin_quietly(tess__cuda_call *call, tess__cuda_device *device);

/* A status for a result of the driver: out of memory, a device that is lost, or what the driver says; `what` was
 * called. 0 is TESS_OK. */
tess_status tess__cuda_status(const tess__cuda_call *call, const char *what, tess__cu_result code);

/* Call a function of the driver and return its failure, or go to `label` with it. */
#define TESS_CUDA(call, function, ...)                                                                                 \
    do {                                                                                                               \
        const tess__cu_result code_ = tess__driver.function(__VA_ARGS__);                                              \
        if (code_) TESS_TRY(tess__cuda_status(call, #function, code_));                                                \
    } while (0)
#define TESS_CUDA_GOTO(label, status, call, function, ...)                                                             \
    do {                                                                                                               \
        const tess__cu_result code_ = tess__driver.function(__VA_ARGS__);                                              \
        if (code_) TESS_GOTO(label, status, tess__cuda_status(call, #function, code_));                                \
    } while (0)

tess_status tess__cuda_info(tess_info_device *info, tess_device device);

#endif
