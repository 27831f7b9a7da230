/* Unique keys of a sorted sequence: counted by blocks, then written; or the count of each, once it is known where each
 * begins.
 *
 * The program defines KEY_SIZE, KEY_KIND and STEP (0: count, 1: write, 2: counts of each). */
#include "cuda/index/chosen.cu.h"
#include "cuda/sort/keys.cu.h"

/* Does key i differ from the one before? */
static __device__ bool is_first(const tess__gpu_unique &p, int64_t i)
{
    const key *const keys = (const key *)p.keys;
    return i < p.n && (i == 0 || keys[i] != keys[i - 1]);
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

#if STEP < 2
TESS_KERNEL(THREADS, tess__gpu_unique, p)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const int64_t  first = first_of_warp();
    const unsigned kept = choose(first, [&](int64_t i) { return is_first(p, i); });
    int64_t        rank = chosen_before(STEP == 0 ? WARPS : warp, kept);
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
