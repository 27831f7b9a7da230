/* Merging the sums of chunks: a block for 32 sums of a batch and cone, of which each warp adds the chunks of a group,
 * and the first warp the groups, in their order.
 *
 * The program defines WARPS and LANES: tables of a chunk, which are added first. */
#include "cuda/signal/radial_bins_params.h"

enum { THREADS = 32 * WARPS };

/* Sum i of a cone: what the chunks of a group have. */
static __device__ double sum_of_group(const tess__gpu_radial_bins &p, int64_t b, int64_t cone, int64_t group, int64_t i)
{
    const int64_t begin = group * p.grid.group, size = p.grid.window * p.sums;
    const int64_t end = begin + p.grid.group < p.chunks ? begin + p.grid.group : p.chunks;
    double        sum = 0;
#pragma unroll 8
    for (int64_t k = b * p.chunks + begin; k < b * p.chunks + end; k++) {
        const int64_t at = i - ((const int32_t *)p.firsts)[k] * p.sums;
        if (at < 0 || at >= size) continue;
        const double *table = (const double *)p.tables + (k * p.cones + cone) * LANES * size + at;
        double        chunk = table[0];
        for (int lane = 1; lane < LANES; lane++) chunk += table[lane * size];
        sum += chunk;
    }
    return sum;
}

TESS_KERNEL(THREADS, tess__gpu_radial_bins, p)
{
    __shared__ double sums[WARPS][32];
    const int64_t     per_cone = p.grid.shells * p.sums, tiles = (per_cone - 1) / 32 + 1,
                  groups = (p.chunks - 1) / p.grid.group + 1;
    const int     lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    const int64_t item = blockIdx.x / tiles, b = item / p.cones, cone = item - b * p.cones;
    const int64_t i = (blockIdx.x - item * tiles) * 32 + lane;
    double       *out = (double *)p.out + ((p.batch + b) * p.all_cones + p.cone + cone) * per_cone + i;
    double        sum = p.chunk > 0 && i < per_cone ? *out : 0.0;
    for (int64_t first = 0; first < groups; first += WARPS) {
        sums[warp][lane] = first + warp < groups ? sum_of_group(p, b, cone, first + warp, i) : 0.0;
        __syncthreads();
        for (int k = 0; k < WARPS; k++)
            if (warp == 0 && first + k < groups) sum += sums[k][lane];
        __syncthreads();
    }
    if (warp == 0 && i < per_cone) *out = sum;
}
