/* Lines whose elements lie close together, and threads that go along them side by side: what each has, and how they
 * know what is before it.
 *
 * The program defines, beside what scan.h needs: IN_PACKED and OUT_PACKED (1: elements of a thread lie side by side and
 * can be moved at once). */
#ifndef TESS_CUDA_KERNELS_SCAN_LANES_H
#define TESS_CUDA_KERNELS_SCAN_LANES_H

#include "cuda/kernels/scan.h"

enum { EACH = 4, WARPS = THREADS / 32 };

template <class T> struct alignas(sizeof(T) * EACH <= 16 ? sizeof(T) * EACH : 16) four {
    T at[EACH];
};

/* ---- States of other threads ---- */

static __device__ state from_lane_before(const state &s, int distance)
{
    uint64_t word[WORDS];
    state    other;
    memcpy(word, &s, sizeof word);
#pragma unroll
    for (int w = 0; w < WORDS; w++) word[w] = __shfl_up_sync(0xffffffffu, word[w], (unsigned)distance);
    memcpy(&other, word, sizeof other);
    return other;
}

/* What all lanes of the warp before this one have, and what its lanes have together. */
static __device__ state before_in_warp(const state &mine, state &all)
{
    const int lane = (int)threadIdx.x % 32;
    state     s = mine;
    for (int h = 1; h < 32; h *= 2) {
        const state other = from_lane_before(s, h);
        if (lane >= h) s = join(other, s);
    }
    uint64_t word[WORDS];
    memcpy(word, &s, sizeof word);
#pragma unroll
    for (int w = 0; w < WORDS; w++) word[w] = __shfl_sync(0xffffffffu, word[w], 31);
    memcpy(&all, word, sizeof all);
    const state other = from_lane_before(s, 1);
    return lane ? other : OPERATION::none();
}

/* What the warps before this one have, of which each lane knows the whole, and what all have. All threads of the block
 * call it. */
static __device__ state before_in_block(const state &mine, state &all)
{
    __shared__ uint64_t box[WARPS][WORDS];
    const int           warp = (int)threadIdx.x / 32;
    state               start = OPERATION::none();
    __syncthreads();
    if (threadIdx.x % 32 == 0) memcpy(box[warp], &mine, sizeof mine);
    __syncthreads();
    all = OPERATION::none();
    for (int w = 0; w < WARPS; w++) {
        state other;
        memcpy(&other, box[w], sizeof other);
        if (w == warp) start = all;
        all = join(all, other);
    }
    return start;
}

/* What the threads of a team of 2^team before this one have, and what all have. */
static __device__ state before_in_team(const state &mine, state &all, int team)
{
    const state before = before_in_warp(mine, all);
    if (team <= 5) return before;
    const state of_warp = all;
    return join(before_in_block(of_warp, all), before);
}

/* ---- Elements ---- */

/* How many elements a thread has, of so many that are left. */
static __device__ int some_of(int64_t left) { return left >= EACH ? EACH : left > 0 ? (int)left : 0; }

/* n of EACH elements of a line from element i on; what the others are is left open. */
static __device__ void read(four<in_type> &x, const tess__gpu_scan &p, int64_t line_at, int64_t i, int n)
{
    const in_type *from = (const in_type *)p.data[1] + line_at + (IN_PACKED ? i : i * p.along[1]);
    if (IN_PACKED && n == EACH) {
        x = *(const four<in_type> *)from;
        return;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e < n) x.at[e] = from[e * p.along[1]];
}

/* States of the first, the first two, … of n elements. */
static __device__ void run_along(state s[EACH], const four<in_type> &x, int n)
{
    s[0] = n > 0 ? state_of(x.at[0]) : OPERATION::none();
#pragma unroll
    for (int e = 1; e < EACH; e++) s[e] = e < n ? join(s[e - 1], state_of(x.at[e])) : s[e - 1];
}

static __device__ void write(const tess__gpu_scan &p, out_type *to, const four<out_type> &results, int n)
{
    if (OUT_PACKED && n == EACH) {
        *(four<out_type> *)to = results;
        return;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e < n) to[e * p.along[0]] = results.at[e];
}

/* Results from element i on, n of them: `inside` is what run_along says, `start` what comes before. */
static __device__ void give(const tess__gpu_scan &p, int64_t line_at, int64_t i, int n, const state &start,
                            const state inside[EACH])
{
    four<out_type> results;
    state          before = start;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const state here = join(start, inside[e]);
        if (e < n) results.at[e] = result_at(p, i + e, before, here);
        before = here;
    }
    write(p, (out_type *)p.data[0] + line_at + (OUT_PACKED ? i : i * p.along[0]), results, n);
}

#endif
