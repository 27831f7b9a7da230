/* Shared code of both scan kernels: elements, vectors and states.
 *
 * The program defines: OPERATION, a struct of items.cu.h; SLOTS, of its state; IN_DTYPE and OUT_DTYPE, as stored;
 * EXCLUSIVE; DIMS, of the loops over vectors, 1 to 4; WIDE (1: 2^31 vectors or more). */
#ifndef TESS_CUDA_SCAN_SCAN_CU_H
#define TESS_CUDA_SCAN_SCAN_CU_H

#include "cuda/jit/division.cu.h"
#include "cuda/scan/items.cu.h"
#include "cuda/scan/scan_params.h"

enum { THREADS = 256 };

typedef element<IN_DTYPE>::stored  in_type;
typedef element<OUT_DTYPE>::stored out_type;
typedef OPERATION::state           state;

static_assert(sizeof(state) == 8 * SLOTS, "the host allocates workspace for the states");

static __device__ state join(const state &a, const state &b) { return OPERATION::join(a, b); }

template <class OP> static __device__ state one_state(in_type x)
{
    if constexpr (OP::raw) return OP::of(x);
    else return OP::of(convert<OP::read, IN_DTYPE>(element<IN_DTYPE>::load(x)));
}

static __device__ state state_of(in_type x) { return one_state<OPERATION>(x); }

static __device__ out_type result_of(const state &s)
{
    return element<OUT_DTYPE>::store(convert<OUT_DTYPE, OPERATION::wide>(OPERATION::value(s)));
}

/* Result `i` of a vector, of which `here` is the state with element i and `before` without. */
static __device__ out_type result_at(const tess__gpu_scan &p, int64_t i, const state &before, const state &here)
{
    if constexpr (EXCLUSIVE) {
        out_type first;
        memcpy(&first, p.neutral, sizeof first);
        return i == 0 ? first : result_of(before);
    } else {
        return result_of(here);
    }
}

/* Where a vector begins in both operands, in elements. */
struct vector_offsets {
    int64_t at[2];
};

static __device__ vector_offsets locate(const tess__gpu_scan &p, int64_t vector)
{
#if WIDE
    int64_t i = vector;
#else
    uint32_t i = (uint32_t)vector;
#endif
    vector_offsets offset = { { 0, 0 } };
#pragma unroll
    for (int d = DIMS - 1; d > 0; d--) {
#if WIDE
        const int64_t quotient = i / p.size[d];
        const int64_t index = i - quotient * p.size[d];
#else
        const uint32_t quotient = quotient_of(i, p.divisor[d]);
        const int64_t  index = i - quotient * (uint32_t)p.size[d];
#endif
        i = quotient;
        for (int k = 0; k < 2; k++) offset.at[k] += index * p.stride[k][d];
    }
    for (int k = 0; k < 2; k++) offset.at[k] += (int64_t)i * p.stride[k][0];
    return offset;
}

static __device__ state *chunk_state(const tess__gpu_scan &p, int64_t vector, int64_t chunk)
{
    return (state *)p.chunk_states + (vector * p.vector_step + chunk * p.chunk_step);
}

#endif
