/* Overlap bitmap of sub-regions and slices of an array: each warp computes 32 sub-regions by 32 slices.
 *
 * The program defines ORIGIN, the dtype of origins. */
#include "cuda/jit/elements.cu.h"
#include "cuda/resize/insert_params.h"
#include "cuda/resize/origins.cu.h"

enum { THREADS = TESS__GPU_INSERT_THREADS, WARP = 32, WARPS = THREADS / WARP };

/* The slices from..to that a sub-region reaches along each axis, numbered over all axes. */
struct reach {
    int32_t from[4], to[4];
};

static __device__ reach reach_of(const tess__gpu_insert &p, int64_t number)
{
    int64_t named[4];
    reach   r;
    if (number < p.end) origin_at(named, p.origins, number);
#pragma unroll
    for (int k = 0; k < 4; k++) {
        r.from[k] = 0, r.to[k] = -1;
        if (number >= p.end || p.first_slice[k] < 0) continue;
        const int64_t at = origin_along(named, p.name[k]), end = at + p.region[k];
        const int64_t from = at > 0 ? at : 0, to = end < p.size[k] ? end : p.size[k];
        if (from >= to) continue;
        r.from[k] = (int32_t)(p.first_slice[k] + (from >> p.slice_shift[k]));
        r.to[k] = (int32_t)(p.first_slice[k] + ((to - 1) >> p.slice_shift[k]));
    }
    return r;
}

TESS_KERNEL(THREADS, tess__gpu_insert, p)
{
    const int      lane = (int)threadIdx.x % WARP, warp = (int)threadIdx.x / WARP;
    const uint32_t groups = (uint32_t)((p.slices - 1) / WARP + 1), some = blockIdx.x / groups;
    const int32_t  slice = (int32_t)(blockIdx.x % groups) * WARP;
    const reach    r = reach_of(p, p.first + (int64_t)some * THREADS + threadIdx.x);
    uint32_t       mine = 0; /* marks of slice + lane */
    for (int s = 0; s < WARP; s++) {
        bool hit = false;
#pragma unroll
        for (int k = 0; k < 4; k++) hit |= slice + s >= r.from[k] && slice + s <= r.to[k];
        const uint32_t marks = __ballot_sync(0xffffffffu, hit);
        if (s == lane) mine = marks;
    }
    if (slice + lane < p.slices)
        ((uint32_t *)p.marks)[(slice + lane) * p.words * 2 + (int64_t)some * WARPS + warp] = mine;
}
