/* Tree reduction by a user-defined operator. GROUP threads reduce one result, or a chunk of one: each goes through
 * its own packs, then their states are combined as a tree. The program also defines THREADS (of a block, which has
 * THREADS / GROUP results), ROUNDS (packs of a thread that are read before the first is computed), COLUMNS (1:
 * neighbouring threads have neighbouring results, 0: neighbouring packs) and JOIN (1: what is reduced are the states
 * of chunks). */
enum { SLOTS = THREADS / GROUP };

#if JOIN
static __device__ void reduce(const tess__gpu_op &p, state &s, int64_t result, int64_t first, int64_t last, int64_t *at)
{
    const state *const states = (const state *)p.states + result * p.per_result;
    tess_fault         fault;
    fault.set = 0;
    for (int64_t i = first; i < last; i += GROUP) combine(&p, s, states[i * p.per_chunk], &fault);
    report(p, ~(uint64_t)1, fault);
}
#else
/* Packs first, first + GROUP, … up to last. */
static __device__ void reduce(const tess__gpu_op &p, state &s, int64_t result, int64_t first, int64_t last, int64_t *at)
{
    for (int64_t i = first; i < last; i += GROUP * ROUNDS) {
#define DECLARE(k, T) pack<T, PACK> x##k[ROUNDS];
        READS(DECLARE)
#undef DECLARE
        int64_t index_of[ROUNDS][4];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            if (i + r * GROUP >= last) break;
#pragma unroll
            for (int d = 0; d < 4; d++) index_of[r][d] = at[d];
            split<15 & ~KEPT>(index_of[r], p, (index_type)(i + r * GROUP));
            const int length = length_of(p, index_of[r]);
#define LOAD(k, T) load<T, k>(x##k[r], p, index_of[r], length);
            READS(LOAD)
#undef LOAD
        }
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            if (i + r * GROUP >= last) break;
            const int length = length_of(p, index_of[r]);
#pragma unroll
            for (int e = 0; e < PACK; e++) {
                if (e >= length) break;
                operands   x;
                tess_fault fault;
                fault.set = 0;
#define TAKE(k, T) x.p##k = x##k[r].at[e];
                READS(TAKE)
#undef TAKE
                const int64_t *const q = index_of[r];
                const int64_t        w = q[3] * PACK + e;
                body(&p, q[0], q[1], q[2], w, x, s, &fault, 0);
                report(p, number_of(p, q[0], q[1], q[2], w), fault);
            }
        }
    }
}
#endif

TESS_KERNEL(THREADS, tess__gpu_op, p)
{
    __shared__ state lanes[GROUP > 1 ? THREADS : 1];
    const int        lane = COLUMNS ? threadIdx.x / SLOTS : threadIdx.x % GROUP;
    const int        slot = COLUMNS ? threadIdx.x % SLOTS : threadIdx.x / GROUP;
    const int64_t    units = (p.n + SLOTS - 1) / SLOTS * p.chunks;
    tess_fault       fault;
    fault.set = 0;
    for (int64_t unit = blockIdx.x; unit < units; unit += gridDim.x) {
        const int64_t group = unit / p.chunks, chunk = unit - group * p.chunks, number = group * SLOTS + slot;
        const int64_t from = chunk * p.chunk, to = from + p.chunk < p.packs ? from + p.chunk : p.packs;
        int64_t       at[4] = { 0, 0, 0, 0 };
        state         s;
        start(s);
        if (number < p.n) {
            split<KEPT>(at, p, (index_type)number);
            reduce(p, s, number, from + lane, to, at);
        }
        if (GROUP > 1) {
            lanes[threadIdx.x] = s;
#pragma unroll
            for (int half = GROUP / 2; half > 0; half /= 2) {
                __syncthreads();
                if (lane >= half) continue;
                combine(&p, s, lanes[threadIdx.x + (COLUMNS ? half * SLOTS : half)], &fault);
                lanes[threadIdx.x] = s;
            }
            __syncthreads();
        }
        if (lane != 0 || number >= p.n) continue;
        if (p.chunks > 1) ((state *)p.states)[number * p.per_result + chunk * p.per_chunk] = s;
        else finish(&p, s, at, &fault);
    }
    report(p, ~(uint64_t)1, fault);
}
