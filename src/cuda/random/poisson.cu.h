/* Poisson random numbers, each from a Philox counter of its own. The program defines DTYPE, that of the reals that
 * are stored, PARTS, the reals of an element, and MEAN, the dtype of means. */
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"
#include "cuda/random/random_params.h"
#include "tessera/math/random.op.h"

enum { THREADS = 256 };

TESS_KERNEL(THREADS, tess__gpu_poisson, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t       at[4];
    if (i >= p.grid.n * PARTS) return;
    grid_position(at, p.grid, i / PARTS);
    double mean = p.mean;
    if (p.means.data)
        mean = convert<TESS_F64, MEAN>(
            element<MEAN>::load(((const element<MEAN>::stored *)p.means.data)[grid_offset(p.means.stride, at)]));
    const uint64_t number = p.index + (uint64_t)i;
    const double   x = tess__random_poisson(tess__poisson_of(mean), p.seed, p.stream, number,
                                            tess__random_block(p.seed, p.stream, number, 0));
    ((element<DTYPE>::stored *)p.out.data)[grid_offset(p.out.stride, at) * PARTS + i % PARTS] =
        element<DTYPE>::store(convert<DTYPE, TESS_F64>(x));
}
