/* Histogram by atomic additions: each block counts one chunk of a result, in copies in shared memory if there are few
 * bins.
 *
 * The program defines DIMS and WIDE of the loop over elements, IN (their dtype) and SHARED (1: few bins). */
#include "cuda/jit/elements.cu.h"
#include "cuda/index/bin_lookup.cu.h"
#include "cuda/jit/loop.cu.h"

enum { THREADS = 256, WARPS = THREADS / 32, CAPACITY = 8192, AT_ONCE = 4 };

__shared__ unsigned counts[SHARED ? CAPACITY : 1];

static __device__ void count(const tess__gpu_histogram &p, int64_t result, int64_t first)
{
    const int64_t                    end = first + p.chunk < p.elements.n ? first + p.chunk : p.elements.n;
    const int32_t                    bins = (int32_t)p.bins.n;
    const element<IN>::stored *const in = (const element<IN>::stored *)p.elements.data[0] + result_at(p, result, 0);
    unsigned long long *const        table = (unsigned long long *)p.tables + result * p.bins.n;
    const int                        copies = SHARED ? (CAPACITY / bins < WARPS ? CAPACITY / bins : WARPS) : 1;
    unsigned *const                  own = counts + (SHARED ? threadIdx.x / 32 % copies * bins : 0);
    if constexpr (SHARED) {
        for (int i = threadIdx.x; i < copies * bins; i += THREADS) counts[i] = 0;
        __syncthreads();
    }
    for (int64_t base = first + threadIdx.x; base < end; base += AT_ONCE * THREADS) {
        double x[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (base + k * THREADS >= end) break;
            int64_t at[1];
            locate<1>(at, p.elements, (index_type)(base + k * THREADS));
            x[k] = convert<TESS_F64, IN>(element<IN>::load(in[at[0]]));
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; k++) {
            if (base + k * THREADS >= end) break;
            const int32_t bin = bin_of(x[k], p.bins);
            if (bin < 0) continue;
            if constexpr (SHARED) atomicAdd(&own[bin], 1u);
            else atomicAdd(&table[bin], 1ull);
        }
    }
    if constexpr (SHARED) {
        __syncthreads();
        for (int i = threadIdx.x; i < bins; i += THREADS) {
            unsigned long long sum = 0;
            for (int c = 0; c < copies; c++) sum += counts[c * bins + i];
            if (sum) atomicAdd(&table[i], sum);
        }
    }
}

TESS_KERNEL(THREADS, tess__gpu_histogram, p)
{
    for (int64_t number = blockIdx.x; number < p.results.n * p.chunks; number += gridDim.x) {
        count(p, number / p.chunks, number % p.chunks * p.chunk);
        if constexpr (SHARED) __syncthreads(); /* the next one clears what this one adds up */
    }
}
