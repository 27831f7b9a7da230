/* Staging buffers: copies between a GPU and pageable memory of the host go through a ring of page-locked chunks; one
 * is transferred while the next is filled or emptied. */
#ifndef TESS_CUDA_RUNTIME_STAGING_H
#define TESS_CUDA_RUNTIME_STAGING_H

#include <pthread.h>

#include "cuda/runtime/driver.h"

enum { TESS__CUDA_CHUNKS = 4 };

typedef struct tess__cuda_chunk {
    void          *memory; /* page-locked; NULL: not allocated yet */
    tess__cu_event mark;   /* recorded after the last copy from or to it */
} tess__cuda_chunk;

/* The chunks of a device, used as a ring. */
typedef struct tess__cuda_ring {
    pthread_mutex_t  lock; /* held for a whole copy */
    tess__cuda_chunk chunks[TESS__CUDA_CHUNKS];
    unsigned         next;
} tess__cuda_ring;

struct tess__cuda_call;

/* Up to here the driver takes bytes that are not page-locked during the call. */
#define TESS__CUDA_SMALL ((int64_t)64 << 10)

/* Enqueue a copy on the call's stream: `in` may be changed when this returns. Small copies do not use the
 * chunks. A copy larger than all chunks waits for the work on the stream; a smaller one does not, but its chunks
 * are free for others only after that work. */
tess_status tess__cuda_stage_in(struct tess__cuda_call *call, tess__cu_address out, const char *in, int64_t size);

/* Copy after the work on the call's stream: `out` is complete when this returns. */
tess_status tess__cuda_stage_out(struct tess__cuda_call *call, char *out, tess__cu_address in, int64_t size);

/* Free the chunks, once the copies through them are done. */
void tess__cuda_ring_trim(tess__cuda_ring *ring);

#endif
