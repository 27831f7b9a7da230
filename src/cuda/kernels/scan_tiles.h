/* Running operations along long lines whose elements lie close together, which are read and written once: a block takes
 * the next tile of a line, tells its total, and learns from those before it what comes before.
 *
 * Totals are put together in one order, whenever they come, so that results have the same bits each time: the last
 * tile of a group tells the group's total, and the last one of a section of groups what comes before the next section.
 * A tile has the totals of tiles before it in its group, of groups before that in its section, and what is before the
 * section. All tiles before one that was taken are at work or done.
 *
 * scan_team.h says what the program defines. */
#include "cuda/kernels/scan_team.h"

enum {
    SEGMENTS = TESS__GPU_SCAN_SEGMENTS(sizeof(in_type)),
    SEGMENT = 32 * EACH, /* elements of a warp */
    GROUP = TESS__GPU_SCAN_GROUP
};

/* ---- What tiles tell ---- */

/* Each half of a word travels with a mark that it is there: 8 bytes are read and written as one. */
static __device__ void tell(uint64_t place, const state &s)
{
    volatile uint64_t *to = (volatile uint64_t *)place;
    uint64_t           word[WORDS];
    memcpy(word, &s, sizeof word);
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        to[2 * w] = (word[w] & 0xffffffffu) | (uint64_t)1 << 32;
        to[2 * w + 1] = word[w] >> 32 | (uint64_t)1 << 32;
    }
}

static __device__ state wait_for(uint64_t place)
{
    volatile const uint64_t *from = (volatile const uint64_t *)place;
    uint64_t                 word[WORDS];
    state                    s;
#pragma unroll
    for (int w = 0; w < WORDS; w++) {
        uint64_t low, high;
        do {
            low = from[2 * w];
            high = from[2 * w + 1];
        } while (!(low >> 32) || !(high >> 32));
        word[w] = (low & 0xffffffffu) | high << 32;
    }
    memcpy(&s, word, sizeof s);
    return s;
}

static __device__ uint64_t place_of(uint64_t room, int64_t number)
{
    return room + (uint64_t)number * (2 * WORDS * sizeof(uint64_t));
}

__shared__ int64_t  taken_tile;
__shared__ uint64_t before_tile[3][WORDS]; /* tiles of its group, groups of its section, sections */

/* What the first `n` of these places, fewer than 32, will have told, put together by a warp. */
static __device__ state told_by(uint64_t room, int64_t first, int n)
{
    const int lane = (int)threadIdx.x % 32;
    state     all;
    (void)before_in_warp(lane < n ? wait_for(place_of(room, first + lane)) : OPERATION::none(), all);
    return all;
}

/* What comes before tile `part` of a line, whose total is `total`. All threads of the block call it: a warp waits for
 * the tiles, one for the groups, and one for the section. */
static __device__ state start_of(const tess__gpu_scan &p, int64_t line, int64_t part, const state &total)
{
    const int64_t group = part / GROUP, section = group / GROUP, tile = line * p.parts + part;
    const int     place = (int)(part % GROUP), group_place = (int)(group % GROUP), warp = (int)threadIdx.x / 32;
    const int64_t group_at = line * p.groups + group, section_at = line * p.sections + section;
    const bool    first_lane = threadIdx.x % 32 == 0;
    state         before, start;
    if (threadIdx.x == 0) tell(place_of(p.room, tile), total);
    if (warp == 0) {
        before = told_by(p.room, tile - place, place);
        if (first_lane && place == GROUP - 1) tell(place_of(p.group_room, group_at), join(before, total));
    } else if (warp == 1) {
        before = told_by(p.group_room, group_at - group_place, group_place);
    } else if (warp == 2) {
        before = section ? wait_for(place_of(p.section_room, section_at)) : OPERATION::none();
    }
    if (first_lane && warp < 3) memcpy(before_tile[warp], &before, sizeof before);
    __syncthreads();
    memcpy(&start, before_tile[2], sizeof start);
    for (int k = 1; k >= 0; k--) {
        memcpy(&before, before_tile[k], sizeof before);
        start = join(start, before);
    }
    if (threadIdx.x == 0 && place == GROUP - 1 && group_place == GROUP - 1 && section + 1 < p.sections)
        tell(place_of(p.section_room, section_at + 1), join(start, total));
    return start;
}

/* ---- Tiles ---- */

/* Elements that a line has from number i on, as far as a thread asks. */
template <bool WHOLE> static __device__ int64_t left_from(const tess__gpu_scan &p, int64_t i)
{
    return WHOLE ? (int64_t)EACH : p.n - i;
}

/* States of elements are made twice, rather than kept while the tile waits. */
static __device__ void forget(four<in_type> &x)
{
    uint32_t word[sizeof x / sizeof(uint32_t)];
    memcpy(word, &x, sizeof word);
#pragma unroll
    for (int w = 0; w < (int)(sizeof word / sizeof word[0]); w++) TESS_FORGET(word[w]);
    memcpy(&x, word, sizeof x);
}

/* WHOLE: the tile has all its elements. */
template <bool WHOLE> static __device__ void scan_tile(const tess__gpu_scan &p, int64_t line, int64_t part)
{
    const int64_t    first = part * p.part + threadIdx.x / 32 * (SEGMENTS * SEGMENT) + threadIdx.x % 32 * EACH;
    const line_place place = locate(p, line);
    const in_type   *in = (const in_type *)p.data[1] + place.at[1] + first * p.along[1];
    out_type        *out = (out_type *)p.data[0] + place.at[0] + first * p.along[0];
    four<in_type>    x[SEGMENTS];
    state            before[SEGMENTS], inside[EACH], warp = OPERATION::none(), total;
#pragma unroll
    for (int k = 0; k < SEGMENTS; k++)
        read(x[k], p, in + k * SEGMENT * p.along[1], left_from<WHOLE>(p, first + k * SEGMENT));
#pragma unroll
    for (int k = 0; k < SEGMENTS; k++) {
        state all;
        add_up(inside, x[k], left_from<WHOLE>(p, first + k * SEGMENT));
        before[k] = join(warp, before_in_warp(inside[EACH - 1], all));
        warp = join(warp, all);
    }
    const state before_warp = before_warp_in_team(warp, total);
    const state start = join(start_of(p, line, part, total), before_warp);
#pragma unroll
    for (int k = 0; k < SEGMENTS; k++) forget(x[k]);
#pragma unroll
    for (int k = 0; k < SEGMENTS; k++) {
        const int64_t i = first + k * SEGMENT, n = left_from<WHOLE>(p, i);
        add_up(inside, x[k], n);
        write(p, out + k * SEGMENT * p.along[0], join(start, before[k]), inside, i, n);
    }
}

TESS_KERNEL_TIGHT(THREADS, WORDS > 1 ? 2 : 4, tess__gpu_scan, p)
{
    if (threadIdx.x == 0) taken_tile = (int64_t)atomicAdd((unsigned long long *)p.next, 1ull);
    __syncthreads();
    const int64_t line = p.lines == 1 ? 0 : taken_tile / p.parts, part = taken_tile - line * p.parts;
    if (p.n - part * p.part >= p.part) scan_tile<true>(p, line, part);
    else scan_tile<false>(p, line, part);
}
