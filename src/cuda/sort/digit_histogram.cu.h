/* Digit histograms of a radix sort: all digits of long vectors, one chunk of a vector for each block.
 *
 * The program defines KEY_SIZE, KEY_KIND and WIDE (1: counts of 64 bits). */
#include "cuda/sort/keys.cu.h"

enum { THREADS = 512, DIGITS = 256, COPIES = KEY_SIZE == 8 ? 2 : 4, AT_ONCE = 8 };

#if WIDE
typedef unsigned long long number;
#else
typedef unsigned number;
#endif

/* Several copies, so that warps are less in each other's way. */
__shared__ unsigned counts[COPIES][KEY_SIZE * DIGITS];

TESS_KERNEL(THREADS, tess__gpu_counts, p)
{
    const int64_t    vector = blockIdx.x / p.chunks, first = blockIdx.x % p.chunks * p.chunk;
    const int64_t    end = first + p.chunk < p.n ? first + p.chunk : p.n;
    const key *const in = (const key *)p.in + vector * p.n;
    number *const    out = (number *)p.counts + vector * (KEY_SIZE * DIGITS);
    unsigned *const  own = counts[threadIdx.x / 32 % COPIES];
    for (int i = threadIdx.x; i < COPIES * KEY_SIZE * DIGITS; i += THREADS) (&counts[0][0])[i] = 0;
    __syncthreads();
    for (int64_t base = first + threadIdx.x; base < end; base += AT_ONCE * THREADS) {
        key k[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (base + i * THREADS < end) k[i] = in[base + i * THREADS];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            if (base + i * THREADS >= end) break;
            const key x = key_of(k[i], p.order);
#pragma unroll
            for (int pass = 0; pass < KEY_SIZE; pass++)
                atomicAdd(&own[pass * DIGITS + (unsigned)(x >> 8 * pass & 255)], 1u);
        }
    }
    __syncthreads();
    for (int i = threadIdx.x; i < KEY_SIZE * DIGITS; i += THREADS) {
        number sum = 0;
        for (int c = 0; c < COPIES; c++) sum += counts[c][i];
        if (sum) atomicAdd(&out[i], sum);
    }
}
