/* Sequential scans of vectors that are side by side in memory, or short: one thread for each vector, or for a part
 * of one. */
#include "cuda/scan/scan.cu.h"

/* Elements that are read before they are used. */
enum { ROUNDS = 8 };

static __device__ void walk(const tess__gpu_scan &p, state &s, int64_t vector, int64_t part, bool writes)
{
    const vector_offsets offset = locate(p, vector);
    const in_type       *in = (const in_type *)p.data[1] + offset.at[1];
    out_type            *out = (out_type *)p.data[0] + offset.at[0];
    const int64_t        first = part * p.part, last = p.n - first < p.part ? p.n : first + p.part;
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

/* Totals of a vector's parts become what is before each. */
static __device__ void start_parts(const tess__gpu_scan &p, int64_t vector)
{
    state carry = OPERATION::none();
    for (int64_t part = 0; part < p.parts; part++) {
        const state mine = *part_state(p, vector, part);
        *part_state(p, vector, part) = carry;
        carry = join(carry, mine);
    }
}

/* Threads of one vector after the other have neighbouring vectors. */
TESS_KERNEL(THREADS, tess__gpu_scan, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int64_t part = p.parts == 1 ? 0 : i / p.vectors, vector = p.parts == 1 ? i : i % p.vectors;
    if (p.step == TESS__GPU_SCAN_STARTS) {
        if (i < p.vectors) start_parts(p, i);
        return;
    }
    if (vector >= p.vectors || part >= p.parts) return;
    const bool results = p.step == TESS__GPU_SCAN_RESULTS;
    state      s = p.part_states && results ? *part_state(p, vector, part) : OPERATION::none();
    walk(p, s, vector, part, results);
    if (!results) *part_state(p, vector, part) = s;
}
