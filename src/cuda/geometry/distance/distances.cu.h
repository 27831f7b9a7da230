/* Distance transform kernel: a thread an element looks along one axis, to both sides, as far as a smaller distance can
 * come from. The least of all is that of the lower envelope that the CPU computes.
 *
 * The program defines FIRST, the pass that reads truth values, and OUT, the dtype of results, or 0 where squares are
 * kept for the next pass. */
#include "cuda/geometry/distance/distances_params.h"
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"

enum { THREADS = 128 };

static __device__ double square_at(const tess__gpu_distances &p, int64_t offset)
{
#if FIRST
    return (((const uint8_t *)p.from.data)[offset] != 0) == (p.target != 0) ? 0.0 : __builtin_inf();
#else
    return ((const double *)p.from.data)[offset];
#endif
}

TESS_KERNEL(THREADS, tess__gpu_distances, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t       position[4];
    if (item >= p.grid.n) return;
    grid_position(position, p.grid, item);
    const int64_t offset = grid_offset(p.from.stride, position), stride = p.from.stride[p.axis];
    const int64_t n = p.grid.size[p.axis], here = position[p.axis];
    double        least = square_at(p, offset);
    for (int64_t k = 1; k <= here || k < n - here; k++) {
        if (tess__distance_from(0.0, p.step2, k) >= least) break;
        if (k <= here) {
            const double d = tess__distance_from(square_at(p, offset - k * stride), p.step2, k);
            least = d < least ? d : least;
        }
        if (k < n - here) {
            const double d = tess__distance_from(square_at(p, offset + k * stride), p.step2, k);
            least = d < least ? d : least;
        }
    }
    const int64_t to = grid_offset(p.to.stride, position);
#if OUT
    ((element<OUT>::stored *)p.to.data)[to] = (element<OUT>::stored)(p.squared ? least : __builtin_sqrt(least));
#else
    ((double *)p.to.data)[to] = least;
#endif
}
