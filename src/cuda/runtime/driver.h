/* CUDA driver API: the functions that are used, declared here, so that no CUDA header is needed. */
#ifndef TESS_CUDA_RUNTIME_DRIVER_H
#define TESS_CUDA_RUNTIME_DRIVER_H

#include "tessera/device.h"

typedef int                        tess__cu_result; /* 0 is success */
typedef int                        tess__cu_device;
typedef uint64_t                   tess__cu_address; /* of memory on a device */
typedef struct tess__cu_context_  *tess__cu_context;
typedef struct tess__cu_stream_   *tess__cu_stream;
typedef struct tess__cu_event_    *tess__cu_event;
typedef struct tess__cu_module_   *tess__cu_module;
typedef struct tess__cu_function_ *tess__cu_function;
typedef struct tess__cu_pool_     *tess__cu_pool;

/* Results with a meaning of their own. */
enum {
    TESS__CU_INVALID_VALUE = 1,
    TESS__CU_OUT_OF_MEMORY = 2,
    TESS__CU_NOT_INITIALISED = 3,
    TESS__CU_DEINITIALISED = 4,
    TESS__CU_NO_DEVICE = 100,
    TESS__CU_NOT_READY = 600,
    TESS__CU_ILLEGAL_ADDRESS = 700
};

/* Attributes of devices and pools, flags. */
enum {
    TESS__CU_MULTIPROCESSORS = 16,
    TESS__CU_UNIFIED_ADDRESSING = 41,
    TESS__CU_MAJOR = 75,
    TESS__CU_MINOR = 76,
    TESS__CU_PAGEABLE_ACCESS = 88,
    TESS__CU_POOLS_SUPPORTED = 115,
    TESS__CU_L2_BYTES = 38,
    TESS__CU_POOL_REUSE_OPPORTUNISTIC = 2,
    TESS__CU_POOL_RELEASE_THRESHOLD = 4,
    TESS__CU_POOL_RESERVED_NOW = 5,
    TESS__CU_POOL_USED_NOW = 7,
    TESS__CU_STREAM_NON_BLOCKING = 1,
    TESS__CU_STREAM_PER_THREAD = 2, /* a handle */
    TESS__CU_EVENT_DEFAULT = 0,
    TESS__CU_EVENT_NO_TIMING = 2,
    TESS__CU_HOST_PORTABLE = 1, /* page-locked for all contexts */
    TESS__CU_POINTER_MEMORY_TYPE = 2,
    TESS__CU_POINTER_IS_MANAGED = 8,
    TESS__CU_POINTER_DEVICE_ORDINAL = 9,
    TESS__CU_MEMORY_TYPE_HOST = 1,
    TESS__CU_MEMORY_TYPE_DEVICE = 2
};

/* Properties of a memory pool; the driver's own layout, 88 bytes. */
typedef struct tess__cu_pool_spec {
    int32_t  allocation_type; /* 1: pinned, the only one */
    int32_t  handle_types;    /* 0: not shared with other processes */
    int32_t  location_type;   /* 1: a device */
    int32_t  location;
    void    *security;
    uint64_t max_size; /* bytes; 0: no limit */
    uint16_t usage;
    uint8_t  reserved[54];
} tess__cu_pool_spec;

/* NAME, name in the library, arguments. */
#define TESS__DRIVER_FUNCTIONS(X)                                                                                      \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(version, "cuDriverGetVersion", (int *version))                                                                   \
    X(error_name, "cuGetErrorName", (tess__cu_result code, const char **text))                                         \
    X(error_string, "cuGetErrorString", (tess__cu_result code, const char **text))                                     \
    X(device_count, "cuDeviceGetCount", (int *count))                                                                  \
    X(device_get, "cuDeviceGet", (tess__cu_device * device, int ordinal))                                              \
    X(device_name, "cuDeviceGetName", (char *name, int size, tess__cu_device device))                                  \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, tess__cu_device device))                                  \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, tess__cu_device device))                   \
    X(primary_retain, "cuDevicePrimaryCtxRetain", (tess__cu_context * context, tess__cu_device device))                \
    X(context_get, "cuCtxGetCurrent", (tess__cu_context * context))                                                    \
    X(context_set, "cuCtxSetCurrent", (tess__cu_context context))                                                      \
    X(context_push, "cuCtxPushCurrent_v2", (tess__cu_context context))                                                 \
    X(context_pop, "cuCtxPopCurrent_v2", (tess__cu_context * context))                                                 \
    X(context_sync, "cuCtxSynchronize", (void))                                                                        \
    X(memory_info, "cuMemGetInfo_v2", (size_t * unused, size_t * total))                                               \
    X(pool_new, "cuMemPoolCreate", (tess__cu_pool * pool, const tess__cu_pool_spec *spec))                             \
    X(pool_free, "cuMemPoolDestroy", (tess__cu_pool pool))                                                             \
    X(pool_set, "cuMemPoolSetAttribute", (tess__cu_pool pool, int attribute, void *value))                             \
    X(pool_get, "cuMemPoolGetAttribute", (tess__cu_pool pool, int attribute, void *value))                             \
    X(pool_trim, "cuMemPoolTrimTo", (tess__cu_pool pool, size_t keep))                                                 \
    X(allocate, "cuMemAllocFromPoolAsync",                                                                             \
      (tess__cu_address * address, size_t size, tess__cu_pool pool, tess__cu_stream stream))                           \
    X(release, "cuMemFreeAsync", (tess__cu_address address, tess__cu_stream stream))                                   \
    X(host_allocate, "cuMemHostAlloc", (void **memory, size_t size, unsigned flags))                                   \
    X(host_release, "cuMemFreeHost", (void *memory))                                                                   \
    X(pointer_attributes, "cuPointerGetAttributes",                                                                    \
      (unsigned n, const int *attributes, void **values, tess__cu_address pointer))                                    \
    X(copy_in, "cuMemcpyHtoDAsync_v2", (tess__cu_address out, const void *in, size_t size, tess__cu_stream stream))    \
    X(copy_out, "cuMemcpyDtoHAsync_v2", (void *out, tess__cu_address in, size_t size, tess__cu_stream stream))         \
    X(copy_within, "cuMemcpyDtoDAsync_v2",                                                                             \
      (tess__cu_address out, tess__cu_address in, size_t size, tess__cu_stream stream))                                \
    X(copy_across, "cuMemcpyPeerAsync",                                                                                \
      (tess__cu_address out, tess__cu_context out_context, tess__cu_address in, tess__cu_context in_context,           \
       size_t size, tess__cu_stream stream))                                                                           \
    X(set_bytes, "cuMemsetD8Async", (tess__cu_address out, unsigned char value, size_t size, tess__cu_stream stream))  \
    X(stream_new, "cuStreamCreate", (tess__cu_stream * stream, unsigned flags))                                        \
    X(stream_free, "cuStreamDestroy_v2", (tess__cu_stream stream))                                                     \
    X(stream_context, "cuStreamGetCtx", (tess__cu_stream stream, tess__cu_context * context))                          \
    X(stream_sync, "cuStreamSynchronize", (tess__cu_stream stream))                                                    \
    X(stream_query, "cuStreamQuery", (tess__cu_stream stream))                                                         \
    X(stream_wait, "cuStreamWaitEvent", (tess__cu_stream stream, tess__cu_event event, unsigned flags))                \
    X(event_new, "cuEventCreate", (tess__cu_event * event, unsigned flags))                                            \
    X(event_free, "cuEventDestroy_v2", (tess__cu_event event))                                                         \
    X(event_record, "cuEventRecord", (tess__cu_event event, tess__cu_stream stream))                                   \
    X(event_query, "cuEventQuery", (tess__cu_event event))                                                             \
    X(event_sync, "cuEventSynchronize", (tess__cu_event event))                                                        \
    X(event_elapsed, "cuEventElapsedTime", (float *ms, tess__cu_event start, tess__cu_event end))                      \
    X(module_load, "cuModuleLoadData", (tess__cu_module * module, const void *image))                                  \
    X(module_free, "cuModuleUnload", (tess__cu_module module))                                                         \
    X(module_function, "cuModuleGetFunction",                                                                          \
      (tess__cu_function * function, tess__cu_module module, const char *name))                                        \
    X(launch, "cuLaunchKernel",                                                                                        \
      (tess__cu_function function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,       \
       unsigned shared, tess__cu_stream stream, void **arguments, void **extra))

typedef struct tess__driver_table {
#define TESS__DRIVER_MEMBER(name, symbol, arguments) tess__cu_result(*name) arguments;
    TESS__DRIVER_FUNCTIONS(TESS__DRIVER_MEMBER)
#undef TESS__DRIVER_MEMBER
} tess__driver_table;

/* The driver's functions, once tess__driver_need has succeeded. */
extern tess__driver_table tess__driver;

/* Open the driver and find its devices, once. Later calls are cheap. After a fork, in a child of a process that used
 * it, it fails: the driver does not work there. The message names GPU number `index`. */
tess_status tess__driver_need(const char *fn, int index);

/* Does the driver work here? It is opened if nobody has asked before; no failure is recorded. */
bool tess__driver_works(void);

/* The same, but it is never opened for this. */
bool tess__driver_is_open(void);

/* How many devices can be used: 0 if there is no driver, or none that works. */
int tess__driver_devices(void);

/* The driver's version as it tells it: 12040 is 12.4. 0 if there is none. */
int tess__driver_version(void);

#endif
