/* Sums of stored elements, as the CPU makes them. */
#ifndef TESS_CUDA_OP_SUM_CU_H
#define TESS_CUDA_OP_SUM_CU_H

#include "cuda/jit/elements.cu.h"

/* Integers wrap. */
template <int D>
static __device__ typename element<D>::stored sum_of(typename element<D>::stored x, typename element<D>::held y)
{
    typedef typename element<D>::held held;
    const held                        z = element<D>::load(x);
    held                              sum;
    if constexpr (element<D>::kind == KIND_COMPLEX) sum.re = z.re + y.re, sum.im = z.im + y.im;
    else if constexpr (is_integer<D>::value) sum = (held)((uint64_t)z + (uint64_t)y);
    else sum = z + y;
    return element<D>::store(sum);
}

#endif
