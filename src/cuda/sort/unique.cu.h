/* Unique keys of a sorted sequence: counted by blocks, then written; or the count of each, once it is known where each
 * begins.
 *
 * The program defines KEY_SIZE, KEY_KIND and STEP (0: count, 1: write, 2: counts of each). */
#include "cuda/index/mask_params.h"
#include "cuda/sort/keys.cu.h"

enum { THREADS = 256, WARPS = THREADS / 32, EACH = TESS__GPU_MASK_BLOCK / WARPS };

__shared__ uint32_t counts[WARPS];

static __device__ bool is_first(const key *keys, int64_t i) { return i == 0 || keys[i] != keys[i - 1]; }

/* For each of 32 rounds, which of 32 keys differ from the one before: lane r keeps those of round r. */
static __device__ unsigned choose(const tess__gpu_unique &p, int64_t first)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned       kept = 0;
#pragma unroll 4
    for (unsigned r = 0; r < 32; r++) {
        const int64_t  i = first + r * 32 + lane;
        const unsigned all = __ballot_sync(0xffffffffu, i < p.n && is_first((const key *)p.keys, i));
        if (lane == r) kept = all;
    }
    return kept;
}

/* Key i, which is number `rank` of the different ones, and the first of its kind or not. */
static __device__ void write(const tess__gpu_unique &p, int64_t i, int64_t rank, bool first)
{
    const int64_t *const order = (const int64_t *)p.order;
    if (p.inverse) ((int64_t *)p.inverse)[order[i]] = rank;
    if (!first) return;
    tess__gpu_order rising;
    rising.flip = p.flip;
    rising.sign = 0;
    if (p.values) ((key *)p.values)[rank] = number_of(((const key *)p.keys)[i], rising);
    if (p.indices) ((int64_t *)p.indices)[rank] = order[i];
    if (p.firsts) ((int64_t *)p.firsts)[rank] = i;
}

static __device__ uint32_t sum_of_lanes(uint32_t x)
{
#pragma unroll
    for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(0xffffffffu, x, far);
    return x;
}

#if STEP < 2
TESS_KERNEL(THREADS, tess__gpu_unique, p)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t  first = (int64_t)blockIdx.x * TESS__GPU_MASK_BLOCK + warp * EACH;
    const unsigned kept = choose(p, first);
    const uint32_t count = sum_of_lanes((uint32_t)__popc(kept));
    if (lane == 0) counts[warp] = count;
    __syncthreads();
    int64_t rank = 0;
    for (unsigned w = 0; w < (STEP == 0 ? WARPS : warp); w++) rank += counts[w];
    if constexpr (STEP == 0) {
        if (threadIdx.x == 0) ((int64_t *)p.starts)[blockIdx.x] = rank;
    } else {
        rank += ((const int64_t *)p.starts)[blockIdx.x] - 1; /* of the last different one before */
        for (unsigned r = 0; r < 32; r++) {
            const int64_t  i = first + r * 32 + lane;
            const unsigned all = __shfl_sync(0xffffffffu, kept, (int)r);
            if (i < p.n) write(p, i, rank + __popc(all & (2u << lane) - 1), all >> lane & 1);
            rank += __popc(all);
        }
    }
}
#else
TESS_KERNEL(THREADS, tess__gpu_unique, p)
{
    const int64_t *const firsts = (const int64_t *)p.firsts;
    const int64_t        i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < p.n_unique) ((int64_t *)p.counts)[i] = (i + 1 < p.n_unique ? firsts[i + 1] : p.n) - firsts[i];
}
#endif
