/* Devices, streams, events, threads and memory. */
#ifndef TESSERA_DEVICE_H
#define TESSERA_DEVICE_H

#include "tessera/base.h"
#include "tessera/error.h"

TESS_BEGIN_C

typedef struct tess_array tess_array;

/* ---- Devices ---------------------------------------------------------------------------------------------------- */

enum { TESS_CPU = 0, TESS_GPU = 1 };

/** A device: its kind and its index. Zeroed, it is the CPU. */
typedef struct tess_device {
    int32_t kind;  /* TESS_CPU or TESS_GPU */
    int32_t index; /* 0 for the CPU; the index of the GPU, from 0 */
} tess_device;

/** Returns the CPU as a tess_device, in C and C++. */
static inline tess_device tess_cpu(void)
{
    tess_device device = { TESS_CPU, 0 };
    return device;
}

/** Returns GPU `index` as a tess_device, without opening or checking it. */
static inline tess_device tess_gpu(int index)
{
    tess_device device = { TESS_GPU, 0 };
    device.index = index;
    return device;
}

/**
 * Parses the name of a device: "cpu", "gpu", "gpu:1", "cuda", "cuda:0" or "gpu:free". "gpu:free" is the GPU with the
 * most free memory, the first one if several are equal; finding it opens all GPUs.
 *
 * Fails with TESS_EPARSE if the text does not name a device, and with TESS_EDEVICE if this machine does not have the
 * device; the message lists the devices found.
 */
TESS_API TESS_MUST_CHECK tess_status tess_device_parse(tess_device *device, const char *text);

/** Writes the name of a device, such as "cpu" or "gpu:1", to `text`, truncated if it does not fit, and returns `text`.
 *  24 bytes are always enough. */
TESS_API char *tess_device_name(char *text, size_t size, tess_device device);

/** Returns the number of usable devices of this kind: 1 for TESS_CPU, 0 or more for TESS_GPU. */
TESS_API int tess_device_count(int32_t kind);

/** Properties of a device. Texts end with a zero byte. */
typedef struct tess_info_device {
    char     name[128];    /* the processor's name, "unknown" if the system does not report it */
    char     isa[64];      /* CPU: the instruction set of the kernels in use, and why; GPU: "sm_90, driver 13.0, …" */
    int64_t  memory_total; /* bytes */
    int64_t  memory_free;  /* bytes that can be allocated now; GPU: without the library's pool (tess_memory_trim) */
    int32_t  cores;        /* CPU: processors available to this process; GPU: multiprocessors */
    int32_t  threads;      /* CPU: number of threads used */
    int32_t  compute_capability; /* GPU: 90 is 9.0 */
    int32_t  driver_version;     /* GPU: the CUDA version of its driver; 13000 is 13.0 */
    int32_t  compiler_version;   /* GPU: version of NVRTC; 0: not installed, only kernels compiled earlier can run */
    int32_t  fft_version;        /* GPU: version of cuFFT; 0: not installed, Fourier transforms are rejected */
    int32_t  blas_version;       /* GPU: version of cuBLAS; 0: not installed, matrix products are rejected */
    uint32_t reserved[3];        /* 0 */
} tess_info_device;

/** Reports the properties of a device. The first call for a GPU loads CUDA's libraries to find their versions, which
 *  may take a few tenths of a second. */
TESS_API TESS_MUST_CHECK tess_status tess_device_info(tess_info_device *info, tess_device device);

/**
 * Writes to `path` the folder that caches compiled GPU kernels for later runs, truncated if it does not fit. The folder
 * is created if it does not exist. Works without a GPU.
 *
 * Fails with TESS_EIO, with the reason in the message, if the cache cannot be used: then each process compiles its
 * kernels again. `path` receives the folder in that case too, or an empty text if there is none.
 */
TESS_API TESS_MUST_CHECK tess_status tess_kernel_cache(char *path, size_t size);

/**
 * Copies `in` to `device`. A zeroed `out` is allocated there, C-contiguous. On the same device this is an ordinary
 * copy.
 *
 * Strides may be any on both sides; copies between two dense blocks are the fastest. The copy starts after the work
 * queued on the current streams of both devices. Between GPUs it is queued, like all their work. To and from the host
 * it is complete when the call returns:
 *  - from the host: `in` may be changed; later work on the GPU's current stream sees the copy.
 *  - to the host: `out` is complete (after tess_stream_sync if the CPU's current stream is asynchronous).
 *
 * With page-locked storage (tess_empty_pinned) the call does not wait. The copy is queued on the GPU's current stream,
 * keeps the storage alive, and is complete after tess_stream_sync of that stream, or tess_event_sync of an event
 * recorded behind it. Copies and kernels on different streams can then overlap. Until it is complete, everything on the
 * CPU that reads such an `out` sees old data, without an error: tess_get_*, tess_as_*, tess_format, operations,
 * tess_write. Everything that writes to such an `in` may change the data being copied. These functions synchronise with
 * the CPU's stream, not with the GPU's.
 */
TESS_API TESS_MUST_CHECK tess_status tess_to_device(tess_array *out, const tess_array *in, tess_device device);

/* ---- Streams ---------------------------------------------------------------------------------------------------- */

/* A stream runs the work queued on it in order. Each thread has one current stream per device, and every function
 * queues its work there. The default stream of the CPU is synchronous: work is done when the function returns. All
 * streams of a GPU are asynchronous. Functions synchronise with them if they return numbers to the host, if the shape
 * of their result depends on the data, if the host reads parameters from arrays (rows of filters and CTFs, shapes to be
 * drawn, matrices of projections), or if they check elements before they write: exact casts, indices of take and put,
 * tess_place, tess_histogram with edges or without a range, means of tess_random_poisson, tess_lstsq; or if the host
 * computes them, as factors of matrices. docs/streams.md lists all of them. Streams of one GPU do not wait for each
 * other: if work on one stream needs work on another, record an event and wait for it (tess_event_wait).
 *
 * Arguments are always checked before a function returns, on every stream. Later errors stay on the stream and are
 * reported, with the operation's name, by the next call that synchronises: tess_stream_sync, tess_get_*, tess_format,
 * tess_to_device to the host. Such errors are a value that does not fit in an exact cast (asynchronous CPU streams) and
 * an index of a user-defined operator that is out of range. Queued work keeps the storage it uses alive. Borrowed
 * memory (tess_wrap without `drop`) is the exception: the caller must keep it alive until the work is done. */
typedef struct tess_stream tess_stream;

typedef struct tess_stream_opts {
    int32_t  async;       /* 1: return at once and run the work on a thread of the stream [0: work is done in the call];
                             ignored on a GPU, whose streams are always asynchronous */
    uint32_t reserved[7]; /* must be 0 */
} tess_stream_opts;

/** Creates a stream on a device. The caller frees it with tess_stream_free. */
TESS_API TESS_MUST_CHECK tess_status tess_stream_new(tess_stream **stream, tess_device device,
                                                     const tess_stream_opts *opts);

/**
 * Finishes the queued work and frees the stream. NULL is allowed. Errors not yet reported are lost: call
 * tess_stream_sync first.
 *
 * A thread that still has it as its current stream keeps it alive until it sets another. Default streams are not freed.
 */
TESS_API void tess_stream_free(tess_stream *stream);

/**
 * Wraps the caller's CUDA stream, a CUstream or cudaStream_t of the device's primary context (the one used by the CUDA
 * runtime, PyTorch and CuPy); NULL is CUDA's default stream. The library's work and the caller's run on it in the order
 * in which they were queued.
 *
 * tess_stream_free waits for its work but does not destroy `cuda_stream`, which must exist until then. Arrays allocated
 * or used on it may outlive it; no other thread may release one while tess_stream_free runs.
 */
TESS_API TESS_MUST_CHECK tess_status tess_stream_adopt(tess_stream **stream, tess_device device, void *cuda_stream);

/** Returns the CUstream of a GPU stream, for other CUDA code; NULL for a CPU stream and for an adopted default
 *  stream. */
TESS_API void *tess_stream_handle(const tess_stream *stream);

/**
 * Returns this thread's current stream on a device; never NULL for the CPU. It belongs to the library or to its
 * creator.
 *
 * Returns NULL, with a message, for a GPU that does not exist. tess_stream_sync, tess_stream_set_current and
 * tess_event_record take NULL for the CPU's stream and succeed, so check the result, or call
 * tess_device_count(TESS_GPU) first.
 */
TESS_API tess_stream *tess_stream_current(tess_device device);

/** Returns the default stream of a device, which is current until another is set; it is never freed. Returns NULL for a
 *  GPU that does not exist: see tess_stream_current. */
TESS_API tess_stream *tess_stream_default(tess_device device);

/** Makes `stream` the current one of this thread on its device; NULL restores the CPU's default stream.
 *  tess_stream_set_current(tess_stream_default(gpu)) restores that of a GPU. */
TESS_API TESS_MUST_CHECK tess_status tess_stream_set_current(tess_stream *stream);

/** Waits until all work queued on the stream (NULL: the CPU's current one) is done. Returns its first error, once. */
TESS_API TESS_MUST_CHECK tess_status tess_stream_sync(tess_stream *stream);

/** Returns true while work queued on the stream is not done. Never waits. */
TESS_API bool tess_stream_busy(tess_stream *stream);

/** Returns the device of a stream. */
TESS_API tess_device tess_stream_device(const tess_stream *stream);

/* ---- Events ----------------------------------------------------------------------------------------------------- */

/* An event: a mark in a stream, reached when all work queued before it is done. */
typedef struct tess_event tess_event;

TESS_API TESS_MUST_CHECK tess_status tess_event_new(tess_event **event, tess_device device);

/** Frees an event. NULL is allowed; work that waits for it continues to wait. */
TESS_API void tess_event_free(tess_event *event);

/** Records the event at the end of a stream (NULL: the current one of the CPU). Recording it again moves it. */
TESS_API TESS_MUST_CHECK tess_status tess_event_record(tess_event *event, tess_stream *stream);

/** Blocks this thread until the event is reached. An event that was never recorded counts as reached. */
TESS_API TESS_MUST_CHECK tess_status tess_event_sync(tess_event *event);

/** Makes later work on `stream` wait for the event, without blocking this thread. Event and stream must both belong to
 *  the CPU, or both to GPUs, which may differ. Mixing the CPU and a GPU is an error: tess_to_device keeps that order,
 *  or use tess_event_sync. */
TESS_API TESS_MUST_CHECK tess_status tess_event_wait(tess_event *event, tess_stream *stream);

/** Returns true while the event is recorded and not yet reached. Never waits. */
TESS_API bool tess_event_busy(const tess_event *event);

/** Returns the time between two events in milliseconds. Fails if one of them has not been reached. */
TESS_API TESS_MUST_CHECK tess_status tess_event_elapsed(double *ms, const tess_event *start, const tess_event *end);

/* ---- Threads ---------------------------------------------------------------------------------------------------- */

/**
 * Sets the maximum number of threads for work on the CPU, including the calling one; 0 restores the default.
 *
 * The default is TESS_THREADS from the environment, otherwise the number of processors available to this process.
 * Results do not depend on it. The setting applies to the whole process and may be changed at any time from any thread.
 */
TESS_API TESS_MUST_CHECK tess_status tess_threads_set(int n);

/** Returns the maximum number of threads for work on the CPU. */
TESS_API int tess_threads_get(void);

/**
 * Limits the CPU kernels to this instruction set: "base", "v3", "v4" on x86-64, "neon" (or "base"), "sve" on AArch64;
 * NULL restores the best one of this processor. Results do not depend on it.
 *
 * TESS_CPU in the environment does the same at startup. Fails with TESS_EDEVICE if the processor lacks the instruction
 * set.
 */
TESS_API TESS_MUST_CHECK tess_status tess_cpu_limit_set(const char *isa);

/* ---- Memory ----------------------------------------------------------------------------------------------------- */

/**
 * Limits the arrays' storage on the CPU to `bytes`: allocations beyond that fail. 0 restores the default, the machine's
 * physical memory. Released storage that is kept for reuse (tess_memory_trim) counts too, and is freed when needed.
 */
TESS_API TESS_MUST_CHECK tess_status tess_memory_limit_set(int64_t bytes);

/** Limits the arrays' storage on any device; for a GPU, 0 means no limit other than its memory. Temporary workspace
 *  does not count. */
TESS_API TESS_MUST_CHECK tess_status tess_device_memory_limit_set(tess_device device, int64_t bytes);

/** Returns the bytes of array storage in use on a device, allocated by this library. */
TESS_API int64_t tess_memory_used(tess_device device);

/**
 * Returns memory kept for reuse to the system. Synchronises with the device.
 *
 * Released arrays of a GPU stay in a pool of the library, from which new ones are allocated within a microsecond. Other
 * programs, and other libraries in this process, cannot use that memory.
 *
 * On the CPU, released storage of 4 MiB and more is kept for the next array of the same size: at most 512 MiB, or 1/16
 * of the machine's memory where that is less. Together with the arrays it stays within the memory limit, and it raises
 * the peak memory of the process by at most 64 MiB. A block unused for a second is freed at the next allocation; all of
 * them are freed when the system runs out of memory.
 */
TESS_API TESS_MUST_CHECK tess_status tess_memory_trim(tess_device device);

/** An allocator of memory on the CPU. Both functions may be called from any thread. */
typedef struct tess_allocator {
    void *(*alloc)(void *context, size_t size, size_t alignment); /* returns NULL if out of memory; alignment: a power
                                                                     of 2 */
    void (*free)(void *context, void *memory, size_t size);
    void *context;
} tess_allocator;

/**
 * Makes the library allocate all further memory with these functions; NULL restores its own.
 *
 * Memory allocated before is freed by the functions it came from, which must stay valid until then.
 */
TESS_API TESS_MUST_CHECK tess_status tess_allocator_set(const tess_allocator *allocator);

TESS_END_C

#endif
