/* The point of a thread: its coordinates, the offset of its value, its image.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, DIMS: 2 or 3, METHOD: a tess_interp, and
 * WIDE_POINTS: coordinates are f64. */
#include "cuda/geometry/reals.cu.h"
#include "cuda/geometry/sampling/points_params.h"
#include "cuda/jit/division.cu.h"
#include "formulas/geometry/points.op.h"

#if WIDE_POINTS
typedef double coordinate;
#else
typedef float coordinate;
#endif

struct image_point {
    double                 c[3];
    int64_t                value; /* offset, in elements */
    tess__transform_source image;
};

/* False beyond the last point of a row. */
static __device__ bool find_point(image_point *at, const tess__gpu_points &p)
{
    const uint32_t line = quotient_of(blockIdx.x, p.blocks), b = quotient_of(line, p.rows);
    const uint32_t row = line - b * p.rows.size, d = quotient_of(row, p.h), h = row - d * p.h.size;
    const int64_t  w = (int64_t)(blockIdx.x - line * p.blocks.size) * TESS__GPU_POINTS_THREADS + threadIdx.x;
    if (w >= p.width) return false;
    const coordinate *c =
        (const coordinate *)p.points + b * p.point_stride[0] + row * p.point_stride[1] + w * p.point_stride[2];
    at->c[0] = 0.0;
#pragma unroll
    for (int k = 0; k < DIMS; k++) at->c[3 - DIMS + k] = (double)c[k * p.point_stride[3]];
    at->value = b * p.values.stride[0] + d * p.values.stride[1] + h * p.values.stride[2] + w * p.values.stride[3];
    at->image.data = (const real *)p.image.data + b * p.image.stride[0] * PARTS;
    at->image.border = p.border;
    at->image.outside[0] = p.outside[0];
    at->image.outside[1] = p.outside[1];
#pragma unroll
    for (int k = 0; k < 3; k++) {
        at->image.stride[k] = p.image.stride[k + 1];
        at->image.shape[k] = p.shape[k];
    }
    return true;
}
