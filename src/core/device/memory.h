/* Host allocator, through which all of the library's memory comes, and reference-counted array storage. */
#ifndef TESS_CORE_DEVICE_MEMORY_H
#define TESS_CORE_DEVICE_MEMORY_H

#include <stdatomic.h>

#include "tessera/array.h"

/* Memory for the library's own objects, aligned to 64 bytes, not zeroed; NULL when there is none. Does not count
 * against the limit. */
void *tess__alloc(size_t size);
void  tess__free(void *memory);

/* From now on blocks of a caller's allocator, which may be gone, stay where they are. Each destructor that frees calls
 * it first: in which order they run is not defined. */
void tess__memory_at_exit(void);

/* Storage of an array: memory and how to release it. */
struct tess_buffer {
    atomic_int_fast64_t references;
    void               *data;
    int64_t             size; /* bytes that count against the limit; 0 for memory of the caller's */
    tess_device         device;
    void (*drop)(void *context); /* releases the memory */
    void *context;
};

/* Host storage of `size` bytes, aligned to 64 bytes (2 MiB when large), with one reference; zeroed if asked. `fn` is
 * the public function, for the message. */
tess_status tess__buffer_host(tess_buffer **out, const char *fn, int64_t size, bool zeroed);

/* A buffer over memory that the caller owns. */
tess_status tess__buffer_wrap(tess_buffer **out, const char *fn, void *data, tess_device device, void (*drop)(void *),
                              void *context);

/* The same, with bytes on the host that count against the limit, which may be exceeded. */
tess_status tess__buffer_counted(tess_buffer **out, const char *fn, void *data, int64_t size, void (*drop)(void *),
                                 void *context);

/* Bytes that count against the limit of the host. */
int64_t tess__host_memory_used(void);

/* Gives freed blocks that are kept for later use back to the system. */
void tess__host_memory_trim(void);

void tess__buffer_retain(tess_buffer *buffer);
void tess__buffer_release(tess_buffer *buffer);

#endif
