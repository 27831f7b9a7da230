/* Radix selection, digit step: finds the next digit of the key of each wanted rank from the counts and, after the last
 * digit, writes quantiles or pivots. One block for each vector.
 *
 * The program defines KEY_SIZE, KEY_KIND and MODE (TESS__GPU_QUANTILES or TESS__GPU_PARTITION). */
#include "cuda/sort/keys.cu.h"
#include "cuda/sort/vector_quantiles.cu.h"

enum { THREADS = 256, DIGITS = 256, WARPS = THREADS / 32 };

__shared__ uint64_t sums[WARPS];

/* The ranks, once the NaNs have been counted. */
static __device__ void set_ranks(const tess__gpu_select &p, tess__gpu_rank_state &state)
{
#if MODE == TESS__GPU_QUANTILES
    const int64_t count = p.n - (int64_t)state.nans;
    for (int i = 0; i < p.quantiles.n && count > 0; i++) {
        const tess__between b = tess__quantile_find(p.quantiles.method, ((const double *)p.quantiles.q)[i], count);
        state.rank[2 * i] = (uint64_t)b.low;
        state.rank[2 * i + 1] = (uint64_t)b.high;
    }
#else
    state.rank[0] = (uint64_t)p.kth;
#endif
}

/* The digit of rank j: that with which the sum of counts goes beyond it. */
static __device__ void add_digit(const uint64_t *counts, int j, tess__gpu_rank_state &state)
{
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const uint64_t own = counts[state.slot[j] * DIGITS + threadIdx.x], wanted = state.rank[j];
    uint64_t       upto = own;
    for (unsigned far = 1; far < 32; far *= 2) {
        const uint64_t other = __shfl_up_sync(0xffffffffu, upto, far);
        if (lane >= far) upto += other;
    }
    if (lane == 31) sums[warp] = upto;
    __syncthreads();
    for (unsigned w = 0; w < warp; w++) upto += sums[w];
    if (upto - own <= wanted && wanted < upto) {
        state.prefix[j] = state.prefix[j] << 8 | threadIdx.x;
        state.rank[j] = wanted - (upto - own);
        state.same[j] = own;
    }
    __syncthreads();
}

/* Ranks whose keys begin alike have one slot. */
static __device__ void set_slots(int n, tess__gpu_rank_state &state)
{
    state.n_slots = 0;
    for (int j = 0; j < n; j++) {
        state.slot[j] = -1;
        for (int i = 0; i < j && state.slot[j] < 0; i++)
            if (state.prefix[i] == state.prefix[j]) state.slot[j] = state.slot[i];
        if (state.slot[j] < 0) state.slot[j] = state.n_slots++;
    }
}

static __device__ void finish(const tess__gpu_select &p, int64_t vector, const tess__gpu_rank_state &state)
{
#if MODE == TESS__GPU_QUANTILES
    const int64_t count = p.n - (int64_t)state.nans, i = threadIdx.x;
    double *const out = (double *)p.quantiles.out + vector * p.quantiles.n;
    if (i >= p.quantiles.n) return;
    out[i] = __builtin_nan("");
    if (count == 0 || (count < p.n && !p.quantiles.skip_nan)) return;
    const tess__between b = tess__quantile_find(p.quantiles.method, ((const double *)p.quantiles.q)[i], count);
    out[i] = tess__quantile_mix(p.quantiles.method, f64_of((key)state.prefix[2 * i], p.order),
                                f64_of((key)state.prefix[2 * i + 1], p.order), b.part);
#else
    if (threadIdx.x > 0) return;
    uint64_t *const starts = (uint64_t *)p.starts + 3 * vector;
    ((key *)p.pivots)[vector] = (key)state.prefix[0];
    starts[0] = 0;
    starts[1] = (uint64_t)p.kth - state.rank[0];
    starts[2] = starts[1] + state.same[0];
#endif
}

TESS_KERNEL(THREADS, tess__gpu_select, p)
{
    const int64_t         vector = blockIdx.x;
    tess__gpu_rank_state &state = ((tess__gpu_rank_state *)p.states)[vector];
    uint64_t *const       counts = (uint64_t *)p.counts + vector * (TESS__GPU_RANKS * DIGITS);
    if (p.pass == 0 && threadIdx.x == 0) set_ranks(p, state);
    __syncthreads();
    for (int j = 0; j < p.n_ranks; j++) add_digit(counts, j, state);
    if (p.pass == KEY_SIZE - 1) {
        finish(p, vector, state);
        return;
    }
    if (threadIdx.x == 0) set_slots(p.n_ranks, state);
    for (int i = threadIdx.x; i < TESS__GPU_RANKS * DIGITS; i += THREADS) counts[i] = 0;
}
