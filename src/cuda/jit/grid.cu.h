/* 4-D grids: coordinates from a linear index, and offsets of elements in strided arrays. */
#ifndef TESS_CUDA_JIT_GRID_CU_H
#define TESS_CUDA_JIT_GRID_CU_H

#include "cuda/jit/division.cu.h"
#include "cuda/jit/grid_params.h"

static __device__ void grid_position(int64_t position[4], const tess__gpu_grid &g, int64_t number)
{
    if (g.n < (int64_t)1 << 31) {
        uint32_t left = (uint32_t)number;
#pragma unroll
        for (int d = 3; d > 0; d--) {
            const uint32_t next = quotient_of(left, g.divisor[d]);
            position[d] = (int64_t)(left - next * (uint32_t)g.size[d]);
            left = next;
        }
        position[0] = (int64_t)left;
    } else {
#pragma unroll
        for (int d = 3; d > 0; d--) {
            position[d] = number % g.size[d];
            number /= g.size[d];
        }
        position[0] = number;
    }
}

/* The offset, in elements, of a position in an array. */
static __device__ int64_t grid_offset(const int64_t stride[4], const int64_t position[4])
{
    return position[0] * stride[0] + position[1] * stride[1] + position[2] * stride[2] + position[3] * stride[3];
}

#endif
