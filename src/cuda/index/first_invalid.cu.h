/* Search for the first invalid element, in order. The program defines DTYPE and WHAT, a TESS__GPU_NO_MEAN … */
#include "cuda/index/first_invalid_params.h"
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"

enum { THREADS = 256, ROUNDS = 4 };

template <class T> static __device__ bool is_bad(T x)
{
#if WHAT == TESS__GPU_NO_MEAN
    return !((double)x >= 0 && (double)x <= 0x1p53);
#else
    return !((double)x - (double)x == 0);
#endif
}

template <int D> static __device__ bool bad_at(const tess__gpu_find &p, int64_t at)
{
    const typename element<D>::held x = element<D>::load(((const typename element<D>::stored *)p.in.data)[at]);
    if constexpr (element<D>::kind == KIND_COMPLEX) return is_bad(x.re) || is_bad(x.im);
    else return is_bad(x);
}

TESS_KERNEL(THREADS, tess__gpu_find, p)
{
    const int64_t first = (int64_t)blockIdx.x * (THREADS * ROUNDS) + threadIdx.x;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const int64_t i = first + r * THREADS;
        int64_t       position[4];
        if (i >= p.grid.n) return;
        grid_position(position, p.grid, i);
        if (!bad_at<DTYPE>(p, grid_offset(p.in.stride, position))) continue;
        atomicMin((unsigned long long *)p.first, (unsigned long long)i);
        return;
    }
}
