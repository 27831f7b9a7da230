/* Scatter-add along an axis, with indices sorted before: elements of one index are neighbours, in their order, and the
 * thread of the first adds them all, so that sums are those of a sequential loop.
 *
 * The program defines DIMS and WIDE of the loop, REAL (the dtype of a real) and TARGET (bytes of a target). */
#include "cuda/jit/elements.cu.h"
#include "cuda/index/take_put_params.h"
#include "cuda/jit/loop.cu.h"

enum { THREADS = TESS__GPU_LOOP_THREADS };

typedef unit<TARGET>::type    target;
typedef element<REAL>::stored real;

template <int R>
static __device__ typename element<R>::stored sum(typename element<R>::stored x, typename element<R>::stored y)
{
    if constexpr (R == TESS_BOOL) return x != 0 || y != 0;
    else if constexpr (R == TESS_F16) return element<R>::store(element<R>::load(x) + element<R>::load(y));
    else if constexpr (R == TESS_I64) return (int64_t)((uint64_t)x + (uint64_t)y);
    else if constexpr (R == TESS_I32) return (int32_t)((uint32_t)x + (uint32_t)y);
    else return (typename element<R>::stored)(x + y);
}

TESS_KERNEL(THREADS, tess__gpu_add, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.loop.n) return;
    int64_t at[3];
    locate<3>(at, p.loop, (index_type)i);
    const target *const  sorted = (const target *)p.sorted;
    const int64_t        first = (const target *)p.loop.data[2] + at[2] - sorted;
    const target         own = sorted[first];
    const int64_t *const order = (const int64_t *)p.order;
    if (first > 0 && sorted[first - 1] == own) return;
    const real *const in = (const real *)p.loop.data[0] + at[0] - first * p.along;
    real *const       out = (real *)p.loop.data[1] + at[1] + (int64_t)own * p.step;
    real              all = *out;
    for (int64_t k = first; k < p.n && sorted[k] == own; k++) all = sum<REAL>(all, in[order[k] * p.along]);
    *out = all;
}
