/* Stream compaction: elements selected by a mask, in b, d, h, w order, are counted, gathered, or scattered back; one
 * block of threads for each block of elements.
 *
 * The program defines DIMS and WIDE of the loop, MASK (the dtype), UNIT (bytes that are moved at once) and KIND (a
 * TESS__GPU_MASK_). */
#include "cuda/jit/elements.cu.h"
#include "cuda/index/mask_params.h"
#include "cuda/jit/loop.cu.h"

enum { THREADS = 256, WARPS = THREADS / 32, EACH = TESS__GPU_MASK_BLOCK / WARPS };

typedef unit<UNIT>::type moved;

static_assert(EACH == 32 * 32, "a lane keeps the chosen ones of one round");

__shared__ uint32_t counts[WARPS];

static __device__ bool is_chosen(const tess__gpu_mask &p, const int64_t (&at)[2])
{
    return convert<TESS_BOOL, MASK>(element<MASK>::load(((const element<MASK>::stored *)p.loop.data[1])[at[1]])) != 0;
}

/* Which of 32 elements are chosen, for each of 32 rounds: lane r keeps those of round r. */
static __device__ unsigned choose(const tess__gpu_mask &p, int64_t first)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned       kept = 0;
#pragma unroll 4
    for (unsigned r = 0; r < 32; r++) {
        const int64_t i = first + r * 32 + lane;
        bool          chosen = false;
        if (i < p.loop.n) {
            int64_t at[2];
            locate<2>(at, p.loop, (index_type)i);
            chosen = is_chosen(p, at);
        }
        const unsigned all = __ballot_sync(0xffffffffu, chosen);
        if (lane == r) kept = all;
    }
    return kept;
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

static __device__ uint32_t sum_of_lanes(uint32_t x)
{
#pragma unroll
    for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(0xffffffffu, x, far);
    return x;
}

TESS_KERNEL(THREADS, tess__gpu_mask, p)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t  first = (int64_t)blockIdx.x * TESS__GPU_MASK_BLOCK + warp * EACH;
    const unsigned kept = choose(p, first);
    const uint32_t count = sum_of_lanes((uint32_t)__popc(kept));
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    int64_t rank = 0;
    for (unsigned w = 0; w < (KIND == TESS__GPU_MASK_COUNT ? WARPS : warp); w++) rank += counts[w];
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
