/* Tiled matrix product of 64-bit integers, out = alpha a b + beta out, modulo 2^64: a block computes one tile of the
 * result after the other. */
#include "cuda/linalg/matmul_params.h"

enum { TILE = 16 };

static __device__ const uint64_t *first_of(const tess__gpu_matrix &m, int64_t b, int64_t d)
{
    return (const uint64_t *)m.data + b * m.stride[0] + d * m.stride[1];
}

__shared__ uint64_t left[TILE][TILE + 1], right[TILE][TILE + 1];

static __device__ void compute(const tess__gpu_matmul &p, int64_t number)
{
    const int64_t   batch = number / p.tiles, tile = number % p.tiles, b = batch / p.d, d = batch % p.d;
    const int       r = (int)threadIdx.x / TILE, c = (int)threadIdx.x % TILE;
    const int64_t   row = tile / p.across * TILE + r, column = tile % p.across * TILE + c;
    const uint64_t *x = first_of(p.a, b, d), *y = first_of(p.b, b, d);
    uint64_t        sum = 0;
    for (int64_t k = 0; k < p.k; k += TILE) {
        left[r][c] = row < p.m && k + c < p.k ? x[row * p.a.stride[2] + (k + c) * p.a.stride[3]] : 0;
        right[r][c] = column < p.n && k + r < p.k ? y[(k + r) * p.b.stride[2] + column * p.b.stride[3]] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += left[r][i] * right[i][c];
        __syncthreads();
    }
    if (row >= p.m || column >= p.n) return;
    uint64_t *out = (uint64_t *)first_of(p.out, b, d) + row * p.out.stride[2] + column * p.out.stride[3];
    *out = p.beta ? (uint64_t)p.alpha * sum + (uint64_t)p.beta * *out : (uint64_t)p.alpha * sum;
}

TESS_KERNEL(TILE *TILE, tess__gpu_matmul, p)
{
    for (int64_t number = blockIdx.x; number < p.all; number += gridDim.x) compute(p, number);
}
