/* Radix selection, histogram step: counts the next digit of the keys that have the prefix of a wanted rank, one chunk
 * of a vector for each block.
 *
 * The program defines KEY_SIZE and KEY_KIND. */
#include "cuda/sort/keys.cu.h"

enum { THREADS = 512, DIGITS = 256, AT_ONCE = 8 };

__shared__ unsigned counts[TESS__GPU_RANKS][DIGITS];
__shared__ unsigned nans;
__shared__ key      prefixes[TESS__GPU_RANKS]; /* one for each slot */

/* In the first pass all keys count, and slots are copies for some of the warps each. */
static __device__ void count_key(key k, unsigned own, int slots, int shift)
{
    const unsigned digit = (unsigned)(k >> shift & 255);
    if (shift + 8 == KEY_BITS) {
        atomicAdd(&counts[own][digit], 1u);
        if (KEY_KIND == TESS__GPU_KEY_FLOAT && k >= FIRST_NAN) atomicAdd(&nans, 1u);
        return;
    }
    const key above = (key)(k >> shift >> 8);
    for (int s = 0; s < slots; s++)
        if (above == prefixes[s]) atomicAdd(&counts[s][digit], 1u);
}

TESS_KERNEL(THREADS, tess__gpu_select, p)
{
    const int64_t         vector = blockIdx.x / p.chunks, first = blockIdx.x % p.chunks * p.chunk;
    const int64_t         end = first + p.chunk < p.n ? first + p.chunk : p.n;
    const int             shift = KEY_BITS - 8 * (p.pass + 1);
    const unsigned        own = threadIdx.x / 32 % TESS__GPU_RANKS;
    const key *const      in = (const key *)p.in + vector * p.n;
    tess__gpu_rank_state *state = (tess__gpu_rank_state *)p.states + vector;
    const int             slots = p.pass == 0 ? TESS__GPU_RANKS : state->n_slots;
    for (int i = threadIdx.x; i < TESS__GPU_RANKS * DIGITS; i += THREADS) (&counts[0][0])[i] = 0;
    if (threadIdx.x < p.n_ranks && p.pass > 0) prefixes[state->slot[threadIdx.x]] = (key)state->prefix[threadIdx.x];
    if (threadIdx.x == 0) nans = 0;
    __syncthreads();
    for (int64_t base = first + threadIdx.x; base < end; base += AT_ONCE * THREADS) {
        key k[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (base + i * THREADS < end) k[i] = in[base + i * THREADS];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (base + i * THREADS < end) count_key(key_of(k[i], p.order), own, slots, shift);
    }
    __syncthreads();
    unsigned long long *const out = (unsigned long long *)p.counts + vector * (TESS__GPU_RANKS * DIGITS);
    for (int i = threadIdx.x; i < slots * DIGITS; i += THREADS) {
        const unsigned count = (&counts[0][0])[i];
        if (count) atomicAdd(&out[p.pass == 0 ? i % DIGITS : i], (unsigned long long)count);
    }
    if (threadIdx.x == 0 && nans) atomicAdd((unsigned long long *)&state->nans, (unsigned long long)nans);
}
