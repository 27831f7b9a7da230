/* Elements that are chosen among those of a block of threads: their bits, and how many come before them. */
#ifndef TESS_CUDA_INDEX_CHOSEN_CU_H
#define TESS_CUDA_INDEX_CHOSEN_CU_H

#include "cuda/index/mask_params.h"

enum { THREADS = 256, WARPS = THREADS / 32, EACH = TESS__GPU_MASK_BLOCK / WARPS };

static_assert(EACH == 32 * 32, "a lane keeps the chosen ones of one round");

__shared__ uint32_t counts[WARPS];

/* The first element of a thread's warp. */
static __device__ int64_t first_of_warp()
{
    return (int64_t)blockIdx.x * TESS__GPU_MASK_BLOCK + threadIdx.x / 32 * EACH;
}

/* Which of 32 elements are chosen, for each of 32 rounds: lane r keeps those of round r. */
template <class CHOSEN> static __device__ unsigned choose(int64_t first, CHOSEN is_chosen)
{
    const unsigned lane = threadIdx.x % 32;
    unsigned       kept = 0;
#pragma unroll 4
    for (unsigned r = 0; r < 32; r++) {
        const unsigned all = __ballot_sync(0xffffffffu, is_chosen(first + r * 32 + lane));
        if (lane == r) kept = all;
    }
    return kept;
}

static __device__ uint32_t sum_of_lanes(uint32_t x)
{
#pragma unroll
    for (int far = 16; far > 0; far /= 2) x += __shfl_xor_sync(0xffffffffu, x, far);
    return x;
}

/* How many are chosen by the first warps of the block. All threads call it. */
static __device__ int64_t chosen_before(unsigned warps, unsigned kept)
{
    const uint32_t count = sum_of_lanes((uint32_t)__popc(kept));
    if (threadIdx.x % 32 == 0) counts[threadIdx.x / 32] = count;
    __syncthreads();
    int64_t sum = 0;
    for (unsigned w = 0; w < warps; w++) sum += counts[w];
    return sum;
}

#endif
