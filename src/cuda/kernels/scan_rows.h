/* Running operations along lines whose elements lie close together, of which each is gone along by a team of threads, a
 * warp or a block, a tile at a time. */
#include "cuda/kernels/scan_lanes.h"

/* All threads of a block go round equally often: they wait for each other. */
TESS_KERNEL(THREADS, tess__gpu_scan, p)
{
    const int64_t    line = (int64_t)blockIdx.x * (THREADS >> p.team) + (threadIdx.x >> p.team);
    const int64_t    lane = threadIdx.x & ((1u << p.team) - 1), last = line < p.lines ? p.n : 0;
    const line_place place = locate(p, line < p.lines ? line : 0);
    state            carry = OPERATION::none();
    for (int64_t tile = 0; tile < p.n; tile += (int64_t)EACH << p.team) {
        const int64_t i = tile + EACH * lane;
        const int     n = some_of(last - i);
        state         inside[EACH], all;
        four<in_type> x;
        read(x, p, place.at[1], i, n);
        run_along(inside, x, n);
        const state start = join(carry, before_in_team(inside[EACH - 1], all, p.team));
        carry = join(carry, all);
        give(p, place.at[0], i, n, start, inside);
    }
}
