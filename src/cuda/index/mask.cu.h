/* Stream compaction: elements selected by a mask, in b, d, h, w order, are counted, gathered, or scattered back; one
 * block of threads for each block of elements.
 *
 * The program defines DIMS and WIDE of the loop, MASK (the dtype), UNIT (bytes that are moved at once) and KIND (a
 * TESS__GPU_MASK_). */
#include "cuda/index/chosen.cu.h"
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/loop.cu.h"

typedef unit<UNIT>::type moved;

static __device__ bool is_chosen(const tess__gpu_mask &p, int64_t i)
{
    if (i >= p.loop.n) return false;
    int64_t at[2];
    locate<2>(at, p.loop, (index_type)i);
    return convert<TESS_BOOL, MASK>(element<MASK>::load(((const element<MASK>::stored *)p.loop.data[1])[at[1]])) != 0;
}

/* Element i, which is the chosen one number `rank`. */
static __device__ void move_element(const tess__gpu_mask &p, int64_t i, int64_t rank)
{
    int64_t at[2];
    locate<2>(at, p.loop, (index_type)i);
    moved *const       element_at = (moved *)p.loop.data[0] + at[0];
    moved *const       values = (moved *)p.values + rank * p.units;
    const moved *const one = (const moved *)p.value;
    if constexpr (KIND == TESS__GPU_MASK_PLACE) {
        for (int64_t u = 0; u < p.units; u++) element_at[u] = p.values ? values[u] : one[u];
    } else {
        if (p.indices) ((int64_t *)p.indices)[rank] = i;
        for (int64_t u = 0; p.values && u < p.units; u++) values[u] = element_at[u];
    }
}

TESS_KERNEL(THREADS, tess__gpu_mask, p)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t  first = first_of_warp();
    const unsigned kept = choose(first, [&](int64_t i) { return is_chosen(p, i); });
    int64_t        rank = chosen_before(KIND == TESS__GPU_MASK_COUNT ? WARPS : warp, kept);
    if constexpr (KIND == TESS__GPU_MASK_COUNT) {
        if (threadIdx.x == 0) ((int64_t *)p.starts)[blockIdx.x] = rank;
    } else {
        if (p.starts) rank += ((const int64_t *)p.starts)[blockIdx.x];
        for (unsigned r = 0; r < 32; r++) {
            const unsigned all = __shfl_sync(0xffffffffu, kept, (int)r);
            if (all >> lane & 1) move_element(p, first + r * 32 + lane, rank + __popc(all & ((1u << lane) - 1)));
            rank += __popc(all);
        }
    }
}
