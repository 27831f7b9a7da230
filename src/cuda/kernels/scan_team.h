/* What threads that go along a line together share: states of each other, and elements that lie side by side.
 *
 * The program defines, beside what scan.h needs: IN_PACKED and OUT_PACKED (1: elements of a thread lie side by side and
 * can be moved at once). */
#ifndef TESS_CUDA_KERNELS_SCAN_TEAM_H
#define TESS_CUDA_KERNELS_SCAN_TEAM_H

#include "cuda/kernels/lanes.h"
#include "cuda/kernels/scan.h"

enum { EACH = 4, WARPS = THREADS / 32 };

template <class T> struct alignas(sizeof(T) * EACH <= 16 ? sizeof(T) * EACH : 16) four {
    T at[EACH];
};

/* ---- States of other threads ---- */

static __device__ state from_lane_before(const state &s, int distance)
{
    return from_other_lane(s, [=](uint64_t x) { return __shfl_up_sync(0xffffffffu, x, (unsigned)distance); });
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
    all = from_other_lane(s, [](uint64_t x) { return __shfl_sync(0xffffffffu, x, 31); });
    const state other = from_lane_before(s, 1);
    return lane ? other : OPERATION::none();
}

/* What the warps of the block before this one have, and what all have together; `of_warp` is what this one has. All
 * threads of the block call it. */
static __device__ state before_warp_in_team(const state &of_warp, state &all)
{
    __shared__ uint64_t box[WARPS][WORDS];
    const int           warp = (int)threadIdx.x / 32;
    state               start = OPERATION::none(), sum = OPERATION::none();
    __syncthreads();
    if (threadIdx.x % 32 == 0) memcpy(box[warp], &of_warp, sizeof of_warp);
    __syncthreads();
    for (int w = 0; w < WARPS; w++) {
        state other;
        memcpy(&other, box[w], sizeof other);
        if (w == warp) start = sum;
        sum = join(sum, other);
    }
    all = sum;
    return start;
}

/* What the threads of a team before this one have, and what all have together. All threads of the block call it. */
static __device__ state before_in_team(const state &mine, state &all, int team)
{
    state       of_warp;
    const state before = before_in_warp(mine, of_warp);
    all = of_warp;
    return team <= 5 ? before : join(before_warp_in_team(of_warp, all), before);
}

/* ---- Elements ---- */

/* n of EACH elements of a line from `from` on. */
static __device__ void read(four<in_type> &x, const tess__gpu_scan &p, const in_type *from, int64_t n)
{
    if (IN_PACKED && n >= EACH) {
        x = *(const four<in_type> *)from;
        return;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e < n) x.at[e] = from[e * p.along[1]];
}

/* The states of the first, of the first two, of all of them. */
static __device__ void add_up(state inside[EACH], const four<in_type> &x, int64_t n)
{
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const state one = e < n ? state_of(x.at[e]) : OPERATION::none();
        inside[e] = e ? join(inside[e - 1], one) : one;
    }
}

/* The results of these elements, of which the first is number i of its line and `start` the state before it. */
static __device__ void write(const tess__gpu_scan &p, out_type *to, const state &start, const state inside[EACH],
                             int64_t i, int64_t n)
{
    four<out_type> results;
    state          before = start;
#pragma unroll
    for (int e = 0; e < EACH; e++) {
        const state here = join(start, inside[e]);
        if (e < n) results.at[e] = result_at(p, i + e, before, here);
        before = here;
    }
    if (OUT_PACKED && n >= EACH) {
        *(four<out_type> *)to = results;
        return;
    }
#pragma unroll
    for (int e = 0; e < EACH; e++)
        if (e < n) to[e * p.along[0]] = results.at[e];
}

#endif
