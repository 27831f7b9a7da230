/* Running operations along long lines, in one pass: each block has a tile, tells the others what it comes to, and
 * needs of them what all tiles before it come to.
 *
 * Tiles are taken in the order of a counter, so that those before are being worked on. GROUP tiles are a group. What
 * is before a tile is what is before its group, and the tiles of the group before it, put together in a fixed tree:
 * nothing depends on who was faster. The program defines, beside what scan_lanes.h needs, ROUNDS, what a thread has of
 * a tile. */
#include "cuda/kernels/scan_lanes.h"

enum { TURN = 32 * EACH, WARP_TILE = ROUNDS * TURN, TILE = WARPS * WARP_TILE, GROUP = 2 * THREADS };

/* What a tile comes to, or all up to the end of a group. */
struct slot {
    uint64_t word[WORDS], ready;
};

static __device__ void tell(slot *to, const state &s)
{
    memcpy(to->word, &s, sizeof to->word);
    __threadfence();
    *(volatile uint64_t *)&to->ready = 1;
}

static __device__ state hear(const slot *from)
{
    uint64_t word[WORDS];
    state    s;
    while (!*(const volatile uint64_t *)&from->ready) {}
    __threadfence();
#pragma unroll
    for (int w = 0; w < WORDS; w++) word[w] = *(const volatile uint64_t *)&from->word[w];
    memcpy(&s, word, sizeof s);
    return s;
}

static __device__ int64_t take_ticket(const tess__gpu_scan &p)
{
    __shared__ unsigned long long ticket;
    if (threadIdx.x == 0) ticket = atomicAdd((unsigned long long *)p.room, 1ull);
    __syncthreads();
    return (int64_t)ticket;
}

/* The state before tile `tile` of a line, whose slots are given; `mine` is what the tile comes to. */
static __device__ state before_tile(slot *tiles, slot *groups, int64_t tile, const state &mine)
{
    const int64_t group = tile / GROUP, first = group * GROUP;
    const int64_t one = first + 2 * (int64_t)threadIdx.x;
    state         all, two = OPERATION::none();
    if (threadIdx.x == 0) tell(&tiles[tile], mine);
    for (int k = 0; k < 2; k++)
        if (one + k < tile) two = join(two, hear(&tiles[one + k]));
    (void)before_in_team(two, all, 8);
    const state start = group ? hear(&groups[group - 1]) : OPERATION::none();
    all = join(start, all);
    if (threadIdx.x == 0 && tile % GROUP == GROUP - 1) tell(&groups[group], join(all, mine));
    return all;
}

/* WHOLE: no element is missing. */
template <bool WHOLE> static __device__ void scan_tile(const tess__gpu_scan &p, int64_t line, int64_t tile)
{
    const int64_t    n_groups = (p.parts + GROUP - 1) / GROUP;
    slot *const      tiles = (slot *)(p.room + 16) + line * p.parts;
    slot *const      groups = (slot *)(p.room + 16) + p.lines * p.parts + line * n_groups;
    const line_place place = locate(p, line);
    const int        warp = (int)threadIdx.x / 32, lane = (int)threadIdx.x % 32;
    const int64_t    first = tile * TILE + warp * WARP_TILE + lane * EACH;
    four<in_type>    x[ROUNDS];
    state            start[ROUNDS], inside[EACH], all, sum = OPERATION::none();
#pragma unroll
    for (int r = 0; r < ROUNDS; r++)
        read(x[r], p, place.at[1], first + r * TURN, WHOLE ? EACH : some_of(p.n - (first + r * TURN)));
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        run_along(inside, x[r], WHOLE ? EACH : some_of(p.n - (first + r * TURN)));
        start[r] = join(sum, before_in_warp(inside[EACH - 1], all));
        sum = join(sum, all);
    }
    const state in_block = before_in_block(sum, all);
    const state before = join(before_tile(tiles, groups, tile, all), in_block);
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int n = WHOLE ? EACH : some_of(p.n - (first + r * TURN));
        run_along(inside, x[r], n);
        give(p, place.at[0], first + r * TURN, n, join(before, start[r]), inside);
    }
}

/* While some blocks wait for others, the rest must keep memory busy. */
TESS_KERNEL_TIGHT(THREADS, WORDS == 1 ? 3 : 2, tess__gpu_scan, p)
{
    const int64_t ticket = take_ticket(p), line = ticket / p.parts, tile = ticket % p.parts;
    if ((tile + 1) * TILE <= p.n) scan_tile<true>(p, line, tile);
    else scan_tile<false>(p, line, tile);
}
