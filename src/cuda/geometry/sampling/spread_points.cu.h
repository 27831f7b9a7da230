/* Kernel of values at given points, added to the elements around them by atomic additions: one thread for each. */
#include "cuda/geometry/sampling/points.cu.h"

typedef TYPED(tess__point_axis) point_axis;

/* A value times the weight of a row of a window, added along x. */
static __device__ void add_row(real *row, const point_axis &x, int64_t stride, const real *value)
{
    const int taps = tess__interp_taps(METHOD);
#pragma unroll
    for (int k = 0; k < taps; k++) {
        if (x.index[k] < 0) continue;
        for (int part = 0; part < PARTS; part++)
            atomicAdd(row + x.index[k] * stride * PARTS + part, x.w[k] * value[part]);
    }
}

static __device__ void add_window(const tess__transform_source &s, const point_axis *axis, const real *value)
{
    const int taps = tess__interp_taps(METHOD), deep = DIMS == 3 ? taps : 1;
    for (int z = 0; z < deep; z++) {
        if (DIMS == 3 && axis[0].index[z] < 0) continue;
        real *plane = (real *)s.data + (DIMS == 3 ? axis[0].index[z] * s.stride[0] * PARTS : 0), part_z[PARTS];
        for (int part = 0; part < PARTS; part++) part_z[part] = DIMS == 3 ? axis[0].w[z] * value[part] : value[part];
        for (int y = 0; y < taps; y++) {
            real part_y[PARTS];
            if (axis[1].index[y] < 0) continue;
            for (int part = 0; part < PARTS; part++) part_y[part] = axis[1].w[y] * part_z[part];
            add_row(plane + axis[1].index[y] * s.stride[1] * PARTS, axis[2], s.stride[2], part_y);
        }
    }
}

TESS_KERNEL(TESS__GPU_POINTS_THREADS, tess__gpu_points, p)
{
    image_point at;
    point_axis  axis[3];
    const int   border = p.border == TESS_BORDER_NOTHING ? TESS_BORDER_CLAMP : p.border;
    if (!find_point(&at, p)) return;
    if (!TYPED(tess__point_counts)(&at.image, DIMS, p.cut, at.c)) return;
#pragma unroll
    for (int k = 3 - DIMS; k < 3; k++) {
        const double t = TYPED(tess__point_taps)(&axis[k], METHOD, at.c[k], p.shape[k], border);
        TYPED(tess__point_weights)(&axis[k], METHOD, t);
    }
    add_window(at.image, axis, (const real *)p.values.data + at.value * PARTS);
}
