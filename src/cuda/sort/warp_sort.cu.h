/* Rank sort of vectors of up to 32 elements within a warp: each thread counts the elements that go before its own.
 *
 * The program defines KEY_SIZE, KEY_KIND and MODE (a TESS__GPU_SORT …). */
#include "cuda/sort/keys.cu.h"
#include "cuda/sort/vector_quantiles.cu.h"

enum { THREADS = 256 };

#if KEY_SIZE == 8
typedef uint64_t shuffled;
#else
typedef uint32_t shuffled;
#endif

__shared__ key sorted[THREADS];

/* Where this thread's element goes in a three-way partition of its vector. */
static __device__ uint32_t index_in_partition(key k, key pivot, bool there, unsigned vector)
{
    const unsigned lower = (1u << threadIdx.x % 32) - 1;
    const unsigned below = __ballot_sync(0xffffffffu, there && k < pivot) & vector;
    const unsigned equal = __ballot_sync(0xffffffffu, there && k == pivot) & vector;
    const unsigned above = __ballot_sync(0xffffffffu, there && k > pivot) & vector;
    if (k < pivot) return (uint32_t)__popc(below & lower);
    if (k == pivot) return (uint32_t)(__popc(below) + __popc(equal & lower));
    return (uint32_t)(__popc(below) + __popc(equal) + __popc(above & lower));
}

TESS_KERNEL(THREADS, tess__gpu_vectors, p)
{
    const uint32_t   width = (uint32_t)p.width, own = threadIdx.x & (width - 1), start = threadIdx.x - own;
    const int64_t    vector = (int64_t)blockIdx.x * (THREADS / width) + threadIdx.x / width;
    const bool       there = vector < p.vectors && own < p.n;
    const key *const in = (const key *)p.in + vector * p.n;
    const key        x = there ? in[own] : 0, k = there ? key_of(x, p.order) : LAST_KEY;
    uint32_t         rank = 0;
    for (uint32_t j = 0; j < p.n; j++) {
        const key other = (key)__shfl_sync(0xffffffffu, (shuffled)k, (int)j, (int)width);
        rank += other < k || (other == k && j < own);
    }
#if MODE == TESS__GPU_SORT
    if (there) ((key *)p.values)[vector * p.n + rank] = result_of(k, p.order);
#elif MODE == TESS__GPU_ARGSORT
    if (!there || rank >= p.results) return;
    if (p.indices) ((int64_t *)p.indices)[vector * p.results + rank] = own;
    if (p.values) ((key *)p.values)[vector * p.results + rank] = p.order.raw_keys ? k : taken(x);
#else
    if (there) sorted[start + rank] = k;
    __syncwarp();
#if MODE == TESS__GPU_PARTITION
    const unsigned all = width == 32 ? 0xffffffffu : ((1u << width) - 1) << start % 32;
    const uint32_t at = index_in_partition(k, sorted[start + p.kth], there, all);
    if (there) ((key *)p.values)[vector * p.n + at] = result_of(k, p.order);
#else
    if (vector < p.vectors) vector_quantiles(&sorted[start], p.n, vector, p.quantiles, own, width, p.order);
#endif
#endif
}
