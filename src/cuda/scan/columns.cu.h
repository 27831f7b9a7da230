/* Sequential scans of vectors that are side by side in memory, or short: one thread for each vector, or for a chunk
 * of one. */
#include "cuda/scan/scan.cu.h"

/* Elements that are read before they are used. */
enum { ROUNDS = 8 };

static __device__ void walk(const tess__gpu_scan &p, state &s, int64_t vector, int64_t chunk, bool writes)
{
    const vector_offsets offset = locate(p, vector);
    const in_type       *in = (const in_type *)p.data[1] + offset.at[1];
    out_type            *out = (out_type *)p.data[0] + offset.at[0];
    const int64_t        first = chunk * p.chunk, last = p.n - first < p.chunk ? p.n : first + p.chunk;
    for (int64_t i = first; i < last; i += ROUNDS) {
        in_type x[ROUNDS];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++)
            if (i + r < last) x[r] = in[(i + r) * p.along[1]];
#pragma unroll
        for (int r = 0; r < ROUNDS; r++) {
            if (i + r >= last) break;
            const state before = s;
            s = join(s, state_of(x[r]));
            if (writes) out[(i + r) * p.along[0]] = result_at(p, i + r, before, s);
        }
    }
}

/* Totals of a vector's chunks become what is before each. */
static __device__ void start_chunks(const tess__gpu_scan &p, int64_t vector)
{
    state carry = OPERATION::none();
    for (int64_t chunk = 0; chunk < p.chunks; chunk++) {
        const state mine = *chunk_state(p, vector, chunk);
        *chunk_state(p, vector, chunk) = carry;
        carry = join(carry, mine);
    }
}

/* Threads of one vector after the other have neighbouring vectors. */
TESS_KERNEL(THREADS, tess__gpu_scan, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int64_t chunk = p.chunks == 1 ? 0 : i / p.vectors, vector = p.chunks == 1 ? i : i % p.vectors;
    if (p.step == TESS__GPU_SCAN_STARTS) {
        if (i < p.vectors) start_chunks(p, i);
        return;
    }
    if (vector >= p.vectors || chunk >= p.chunks) return;
    const bool results = p.step == TESS__GPU_SCAN_RESULTS;
    state      s = p.chunk_states && results ? *chunk_state(p, vector, chunk) : OPERATION::none();
    walk(p, s, vector, chunk, results);
    if (!results) *chunk_state(p, vector, chunk) = s;
}
