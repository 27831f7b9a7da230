/* Where arrays live and where work runs: devices, streams, events, threads, memory. */
#ifndef TESSERA_DEVICE_H
#define TESSERA_DEVICE_H

#include "tessera/base.h"
#include "tessera/error.h"

TESS_BEGIN_C

typedef struct tess_array tess_array;

/* ---- Devices ---------------------------------------------------------------------------------------------------- */

enum { TESS_CPU = 0, TESS_GPU = 1 };

/** A device: what it is, and which one. Zeroed, it is the CPU. */
typedef struct tess_device {
    int32_t kind;  /* TESS_CPU or TESS_GPU */
    int32_t index; /* 0 for the CPU; the number of the GPU, from 0 */
} tess_device;

/** The CPU as a tess_device, in C and C++. */
static inline tess_device tess_cpu(void)
{
    tess_device device = { TESS_CPU, 0 };
    return device;
}

/** GPU number `index` as a tess_device. Nothing is opened or checked here. */
static inline tess_device tess_gpu(int index)
{
    tess_device device = { TESS_GPU, 0 };
    device.index = index;
    return device;
}

/**
 * The device that a text names: "cpu", "gpu", "gpu:1", "cuda", "cuda:0"; "gpu:free" is the GPU that has the most free
 * memory now, of equals the first. To know it, all GPUs are opened.
 *
 * Text that is no device is TESS_EPARSE. A device that is not on this machine is TESS_EDEVICE, with a message that
 * says what was looked for and what is there.
 */
TESS_API TESS_MUST_CHECK tess_status tess_device_parse(tess_device *device, const char *text);

/** Its name, "cpu" or "gpu:1", in `text`, cut if it does not fit. Returns `text`. 24 bytes are always enough. */
TESS_API char *tess_device_name(char *text, size_t size, tess_device device);

/** How many devices of this kind can be used here: 1 for TESS_CPU, 0 or more for TESS_GPU. */
TESS_API int tess_device_count(int32_t kind);

/** What is known of a device. Texts end in a zero byte. */
typedef struct tess_info_device {
    char     name[128];    /* the processor's name, "unknown" if the system does not tell */
    char     isa[64];      /* CPU: the instruction set whose kernels run, and why; GPU: "sm_90, driver 13.0, …" */
    int64_t  memory_total; /* bytes */
    int64_t  memory_free;  /* bytes the system could give now; GPU: without what our pool holds (tess_memory_trim) */
    int32_t  cores;        /* CPU: processors this process may use; GPU: multiprocessors */
    int32_t  threads;      /* CPU: threads that will be used */
    int32_t  compute_capability; /* GPU: 90 is 9.0 */
    int32_t  driver_version;     /* GPU: the version of CUDA that its driver is for; 13000 is 13.0 */
    int32_t  compiler_version;   /* GPU: that of NVRTC; 0: there is none, and kernels run that were compiled before */
    int32_t  fft_version;        /* GPU: that of cuFFT; 0: there is none, and Fourier transforms are rejected */
    int32_t  blas_version;       /* GPU: that of cuBLAS; 0: there is none, and products of matrices are rejected */
    uint32_t reserved[3];        /* 0 */
} tess_info_device;

/** The first call for a GPU opens CUDA's libraries, to ask for their versions: it may take a few tenths of a second. */
TESS_API TESS_MUST_CHECK tess_status tess_device_info(tess_info_device *info, tess_device device);

/**
 * The folder where compiled kernels of GPUs are kept for later runs, in `path`, cut if it does not fit; it is made if
 * it is not there. Works without a GPU.
 *
 * TESS_EIO, with a message that says why, if nothing can be kept there: then each process compiles its kernels anew.
 * `path` is the folder in that case too, or empty if there is none to name.
 */
TESS_API TESS_MUST_CHECK tess_status tess_kernel_cache(char *path, size_t size);

/**
 * Copy `in` to `device`. A zeroed `out` is allocated there, C-contiguous. The same device is a plain copy.
 *
 * Any strides, on both sides; one block to one block goes fastest. The copy waits for what was put on the current
 * streams of both devices before. Between GPUs it is queued, as all their work. To and from the host it is done when
 * the call returns, in this sense:
 *  - from the host: `in` may be changed; later work on the GPU's current stream sees the copy.
 *  - to the host: `out` is whole (after tess_stream_sync if the CPU's current stream is asynchronous).
 *
 * Page-locked storage of tess_empty_pinned is not waited for: the copy is queued on the GPU's current stream, keeps
 * the storage alive, and reads or writes it until tess_stream_sync of that stream, or an event behind it, says that it
 * is done. Copies and kernels on different streams then overlap. Before that, everything on the CPU that reads such an
 * `out` sees old data, without an error: tess_get_*, tess_as_*, tess_format, operations, tess_write; and everything
 * that writes such an `in` may change what is copied. They wait for the CPU's stream, not for the GPU's.
 */
TESS_API TESS_MUST_CHECK tess_status tess_to_device(tess_array *out, const tess_array *in, tess_device device);

/* ---- Streams ---------------------------------------------------------------------------------------------------- */

/* A stream runs the work put on it in order. Each thread has one current stream per device, and every function puts
 * its work there. The default stream of the CPU is synchronous: work is done when the function returns. Streams of a
 * GPU are all asynchronous. Functions wait for them that return numbers to the host, whose result has a shape that
 * depends on the elements, or that look at elements before they write anything: exact casts, indices that are taken
 * from or put to, tess_place, tess_histogram with edges or without a range, means of tess_random_poisson, tess_lstsq.
 * Streams of one GPU do not wait for each other: put an event between work on one and work on another that needs it.
 *
 * Arguments are always checked before a function returns, on every stream. What can go wrong later (on an asynchronous
 * stream of the CPU a value that does not fit in an exact cast, on any one an index of a user's operator) stays on the
 * stream and comes out, with the operation's name, at the next call that waits or gives values: tess_stream_sync,
 * tess_get_*, tess_format, tess_to_device to the host. Queued work keeps the storage it uses alive; borrowed memory
 * (tess_wrap without `drop`) must outlive it by the caller's care. */
typedef struct tess_stream tess_stream;

typedef struct tess_stream_opts {
    int32_t  async;       /* 1: return at once and work on a thread of the stream's own [0: work is done in the call];
                             on a GPU it means nothing: streams there are always asynchronous */
    uint32_t reserved[7]; /* must be 0 */
} tess_stream_opts;

/** Make a stream on a device. The caller owns it: tess_stream_free. */
TESS_API TESS_MUST_CHECK tess_status tess_stream_new(tess_stream **stream, tess_device device,
                                                     const tess_stream_opts *opts);

/**
 * Finish the queued work and free the stream. NULL is allowed. Errors that nobody has asked for are lost: sync first.
 *
 * A thread that still has it as its current stream keeps it alive until it sets another. Default streams stay.
 */
TESS_API void tess_stream_free(tess_stream *stream);

/**
 * A stream of the caller's, a CUstream or cudaStream_t of the device's primary context (the one that CUDA's runtime,
 * PyTorch and CuPy use), as one of ours; NULL is CUDA's default stream. Work of both sides on it runs in one order.
 *
 * tess_stream_free waits for its work and leaves `cuda_stream` itself to the caller; it must live until then. Arrays
 * that were made or used on it may live on; no other thread may release one while tess_stream_free runs.
 */
TESS_API TESS_MUST_CHECK tess_status tess_stream_adopt(tess_stream **stream, tess_device device, void *cuda_stream);

/** The CUstream of a GPU's stream, for other CUDA code; NULL for the CPU's and for an adopted default stream. */
TESS_API void *tess_stream_handle(const tess_stream *stream);

/**
 * This thread's current stream on a device; never NULL for the CPU. Owned by the library or by who made it.
 *
 * NULL, with a message, for a GPU that is not here. To tess_stream_sync, tess_stream_set_current and tess_event_record
 * NULL is the CPU's stream, and they succeed: ask tess_device_count(TESS_GPU) before, or look at what comes back.
 */
TESS_API tess_stream *tess_stream_current(tess_device device);

/** The stream that is current on a device before any is set; it is never freed. NULL, which then stands for the CPU's
 *  stream, for a GPU that is not here: see tess_stream_current. */
TESS_API tess_stream *tess_stream_default(tess_device device);

/** Make `stream` the current one of this thread on its device; NULL brings back the CPU's default stream. That of a
 *  GPU comes back with tess_stream_set_current(tess_stream_default(gpu)). */
TESS_API TESS_MUST_CHECK tess_status tess_stream_set_current(tess_stream *stream);

/** Wait until all work put on the stream (NULL: the CPU's current one) is done. Returns its first error, once. */
TESS_API TESS_MUST_CHECK tess_status tess_stream_sync(tess_stream *stream);

/** True while work put on the stream is not done. Never waits. */
TESS_API bool tess_stream_busy(tess_stream *stream);

/** The device of a stream. */
TESS_API tess_device tess_stream_device(const tess_stream *stream);

/* ---- Events ----------------------------------------------------------------------------------------------------- */

/* A mark in a stream: reached when all work put on the stream before it is done. */
typedef struct tess_event tess_event;

TESS_API TESS_MUST_CHECK tess_status tess_event_new(tess_event **event, tess_device device);

/** Free an event. NULL is allowed; work that waits for it still does. */
TESS_API void tess_event_free(tess_event *event);

/** Put the mark at the end of a stream (NULL: the current one of the CPU). A second record moves the mark. */
TESS_API TESS_MUST_CHECK tess_status tess_event_record(tess_event *event, tess_stream *stream);

/** Wait on this thread until the mark is reached. An event that was never recorded counts as reached. */
TESS_API TESS_MUST_CHECK tess_status tess_event_sync(tess_event *event);

/** Make later work of `stream` wait until the mark is reached, without waiting here. Both are of the CPU, or both of
 *  GPUs, which may be two. Between the CPU and a GPU it is an error: tess_to_device keeps that order, and
 *  tess_event_sync waits. */
TESS_API TESS_MUST_CHECK tess_status tess_event_wait(tess_event *event, tess_stream *stream);

/** True while the mark is recorded and not reached. Never waits. */
TESS_API bool tess_event_busy(const tess_event *event);

/** Milliseconds between two marks that were reached; an error if one was not. */
TESS_API TESS_MUST_CHECK tess_status tess_event_elapsed(double *ms, const tess_event *start, const tess_event *end);

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

/**
 * Let work on the CPU use up to `n` threads, the calling one included; 0 brings back the default.
 *
 * The default is TESS_THREADS from the environment, else the number of processors this process may run on. Results
 * do not depend on it. A process-wide setting that may be changed at any time from any thread.
 */
TESS_API TESS_MUST_CHECK tess_status tess_threads_set(int n);

/** How many threads work on the CPU may use now. */
TESS_API int tess_threads_get(void);

/**
 * Use at most the kernels of this instruction set: "base", "v3", "v4" on x86-64, "neon" (or "base"), "sve" on
 * AArch64; NULL brings back the best of this processor. Results do not depend on it.
 *
 * TESS_CPU in the environment does the same at the start. One that this processor lacks is TESS_EDEVICE.
 */
TESS_API TESS_MUST_CHECK tess_status tess_cpu_limit_set(const char *isa);

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

/**
 * Reject allocations that would bring the arrays' storage on the CPU above `bytes`; 0 brings back the default, the
 * machine's physical memory. Released storage that is kept for later use (tess_memory_trim) counts too, and makes way.
 */
TESS_API TESS_MUST_CHECK tess_status tess_memory_limit_set(int64_t bytes);

/** The same for any device; 0 is no limit but what a GPU has. Memory that functions work in for a while does not
 *  count. */
TESS_API TESS_MUST_CHECK tess_status tess_device_memory_limit_set(tess_device device, int64_t bytes);

/** Bytes of array storage in use on a device, made by this library. */
TESS_API int64_t tess_memory_used(tess_device device);

/**
 * Give memory that is kept for later use back to the system, after waiting for the device's work.
 *
 * Released arrays of a GPU stay in a pool of the library's, from where the next ones are made in a microsecond. Other
 * programs, and other libraries of this one, cannot use it.
 *
 * On the CPU, released storage of 4 MiB and more is kept for the next array of the same size: at most 512 MiB, or 1/16
 * of the machine's memory where that is less. With what arrays use it stays within the memory limit, and never raises
 * what the process has taken at most by more than 64 MiB. A block that no array has used for a second goes back at the
 * next allocation, and all of them do where the system has no memory left.
 */
TESS_API TESS_MUST_CHECK tess_status tess_memory_trim(tess_device device);

/** Where memory on the CPU comes from. Both functions may be called from any thread. */
typedef struct tess_allocator {
    void *(*alloc)(void *context, size_t size, size_t alignment); /* NULL when there is none; alignment: a power of 2 */
    void (*free)(void *context, void *memory, size_t size);
    void *context;
} tess_allocator;

/**
 * Take all memory of the library from these functions from now on; NULL brings back its own.
 *
 * What was allocated before is freed by the functions it came from. They must outlive all of it.
 */
TESS_API TESS_MUST_CHECK tess_status tess_allocator_set(const tess_allocator *allocator);

TESS_END_C

#endif
