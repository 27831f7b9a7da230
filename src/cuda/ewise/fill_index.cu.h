/* Index fill: each element is computed from its index in the order of the loop; operand 0 is the output.
 *
 * The program defines DIMS and WIDE as for cuda/jit/loop.cu.h, TO, the number of the dtype, and INTEGRAL, ENDS and
 * FLOORS as tess__fill_index has them. */
#define PACK 1
#define ALIGNED 0
#include "cuda/jit/loop.cu.h"

enum { THREADS = TESS__GPU_LOOP_THREADS };

TESS_KERNEL(THREADS, tess__gpu_fill_index, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.loop.n) return;
    int64_t at[1];
    locate<1>(at, p.loop, (index_type)i);
    typename element<TO>::stored *const out = (typename element<TO>::stored *)p.loop.data[0] + at[0];
    if constexpr (INTEGRAL) {
        *out = element<TO>::store(convert<TO, TESS_I64>(p.int_start + i * p.int_step));
    } else {
        double x = p.scale * (p.start + (double)i * p.step);
        if (ENDS && i == p.loop.n - 1) x = p.last;
        if (FLOORS) x = floor(x);
        *out = element<TO>::store(convert<TO, TESS_F64>(x));
    }
}
