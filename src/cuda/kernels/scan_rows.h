/* Running operations along lines whose elements lie close together: a team of threads, a warp or a block, goes along
 * each line, a tile at a time. scan_team.h says what the program defines. */
#include "cuda/kernels/scan_team.h"

/* All threads go round equally often: they wait for each other. */
TESS_KERNEL(THREADS, tess__gpu_scan, p)
{
    const int64_t    line = (int64_t)blockIdx.x * (THREADS >> p.team) + (threadIdx.x >> p.team);
    const int64_t    lane = threadIdx.x & ((1u << p.team) - 1), n_here = line < p.lines ? p.n : 0;
    const line_place place = locate(p, n_here ? line : 0);
    state            carry = OPERATION::none();
    for (int64_t from = 0; from < p.n; from += (int64_t)EACH << p.team) {
        const int64_t i = from + EACH * lane, n = n_here - i;
        four<in_type> x;
        state         inside[EACH], all;
        read(x, p, (const in_type *)p.data[1] + place.at[1] + i * p.along[1], n);
        add_up(inside, x, n);
        const state start = join(carry, before_in_team(inside[EACH - 1], all, p.team));
        carry = join(carry, all);
        write(p, (out_type *)p.data[0] + place.at[0] + i * p.along[0], start, inside, i, n);
    }
}
