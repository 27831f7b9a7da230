/* Lossless check of a conversion: finds the first element, in the order of the loop, that the conversion changes.
 *
 * The program defines DIMS and WIDE as for cuda/jit/loop.cu.h, and FROM and TO, the numbers of dtypes. A value is
 * converted losslessly if it comes back the same both when clamped and when wrapped on the way: each alone is fooled
 * by limits that round. */
#define PACK 1
#define ALIGNED 0
#include "cuda/jit/loop.cu.h"

enum { THREADS = TESS__GPU_LOOP_THREADS };

template <int D> static __device__ bool differ(typename element<D>::held x, typename element<D>::held y)
{
    if constexpr (element<D>::kind == KIND_FLOAT) return x != y && (x == x || y == y);
    else return x != y;
}

template <int T, int F> static __device__ bool changes(typename element<F>::held x)
{
    return differ<F>(x, convert_wrapping<F, T>(element<T>::load(element<T>::store(convert<T, F>(x))))) ||
           differ<F>(x, convert_wrapping<F, T>(element<T>::load(element<T>::store(convert_wrapping<T, F>(x)))));
}

template <int F> static __device__ bool changes_at(const tess__gpu_lossless &p, int64_t at)
{
    constexpr int                   from = real_of<F>::value, to = real_of<TO>::value;
    const typename element<F>::held x = element<F>::load(((const typename element<F>::stored *)p.loop.data[1])[at]);
    if constexpr (element<F>::kind == KIND_COMPLEX) return changes<to, from>(x.re) || changes<to, from>(x.im);
    else return changes<to, from>(x);
}

TESS_KERNEL(THREADS, tess__gpu_lossless, p)
{
    __shared__ unsigned long long first;
    const int64_t                 i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    bool                          changed = false;
    if (threadIdx.x == 0) first = ~0ull;
    __syncthreads();
    if (i < p.loop.n) {
        int64_t at[2];
        locate<2>(at, p.loop, (index_type)i);
        changed = changes_at<FROM>(p, at[1]);
    }
    if (changed) atomicMin(&first, (unsigned long long)i);
    __syncthreads();
    if (threadIdx.x == 0 && first != ~0ull) atomicMin((unsigned long long *)p.first, first);
}
