/* Radix sort of short vectors, each by one block in shared memory, from the least significant digit.
 *
 * The program defines KEY_SIZE, KEY_KIND, THREADS, ITEMS and MODE (a TESS__GPU_SORT …). */
#include "cuda/sort/keys.cu.h"
#include "cuda/sort/radix.cu.h"
#include "cuda/sort/vector_quantiles.cu.h"

enum { INDICES = MODE == TESS__GPU_ARGSORT };

__shared__ radix_workspace workspace;
__shared__ key             keys[TILE];
__shared__ uint16_t        indices[INDICES ? TILE : 1];

/* Keys of a vector; after its end the largest key. */
static __device__ void load_vector(key (&k)[ITEMS], const key *in, const tess__gpu_vectors &p)
{
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const uint32_t at = first_item() + 32 * i;
        k[i] = at < p.n ? key_of(in[at], p.order) : LAST_KEY;
    }
}

/* In `keys` afterwards, and in `indices`. */
static __device__ void sort_vector(key (&k)[ITEMS])
{
    uint32_t rank[ITEMS], index[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) index[i] = first_item() + 32 * i;
    for (int shift = 0; shift < KEY_BITS; shift += 8) {
        rank_items(
            workspace, [&](int i) { return (uint32_t)(k[i] >> shift) & 255; }, rank);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            keys[rank[i]] = k[i];
            if constexpr (INDICES) indices[rank[i]] = (uint16_t)index[i];
        }
        __syncthreads();
        if (shift + 8 == KEY_BITS) return;
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            k[i] = keys[first_item() + 32 * i];
            if constexpr (INDICES) index[i] = indices[first_item() + 32 * i];
        }
        __syncthreads();
    }
}

/* Three-way partition of the vector around its pivot; in `keys` afterwards. */
static __device__ void partition_vector(const key *in, const tess__gpu_vectors &p)
{
    key       k[ITEMS];
    uint32_t  rank[ITEMS];
    const key pivot = keys[p.kth];
    load_vector(k, in, p);
    const auto partition = [&](int i) {
        return first_item() + 32 * i >= p.n || k[i] > pivot ? 2u : (uint32_t)(k[i] == pivot);
    };
    rank_items(workspace, partition, rank);
#pragma unroll
    for (int i = 0; i < ITEMS; i++) keys[rank[i]] = k[i];
    __syncthreads();
}

static __device__ void write_vector(int64_t vector, const key *in, const tess__gpu_vectors &p)
{
    key *const     values = (key *)p.values + vector * p.results;
    int64_t *const out = (int64_t *)p.indices + vector * p.results;
    for (uint32_t i = threadIdx.x; i < p.results; i += THREADS) {
        if constexpr (INDICES) {
            if (p.indices) out[i] = indices[i];
            if (p.values) values[i] = p.order.raw_keys ? keys[i] : taken(in[indices[i]]);
        } else {
            values[i] = result_of(keys[i], p.order);
        }
    }
}

TESS_KERNEL(THREADS, tess__gpu_vectors, p)
{
    for (int64_t vector = blockIdx.x; vector < p.vectors; vector += gridDim.x) {
        const key *const in = (const key *)p.in + vector * p.n;
        key              k[ITEMS];
        load_vector(k, in, p);
        sort_vector(k);
#if MODE == TESS__GPU_QUANTILES
        vector_quantiles(keys, p.n, vector, p.quantiles, threadIdx.x, THREADS, p.order);
#else
        if constexpr (MODE == TESS__GPU_PARTITION) partition_vector(in, p);
        write_vector(vector, in, p);
#endif
        __syncthreads();
    }
}
