/* Kernel of samples at given points: one thread for each. */
#if DIMS == 3 && METHOD > 6 && !defined(TESS_SIMULATED)
#define TESS__UNROLL_Z _Pragma("unroll 1") /* planes of 36 or 64 taps are not written out for each z */
#endif
#include "cuda/geometry/sampling/points.cu.h"

TESS_KERNEL(TESS__GPU_POINTS_THREADS, tess__gpu_points, p)
{
    image_point at;
    real        result[PARTS];
    if (!find_point(&at, p)) return;
    if (!TYPED(tess__point_sample)(result, &at.image, DIMS, PARTS, METHOD, p.cut, at.c)) return;
    real *out = (real *)p.values.data + at.value * PARTS;
#pragma unroll
    for (int part = 0; part < PARTS; part++) out[part] = result[part];
}
