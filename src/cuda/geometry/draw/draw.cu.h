/* Kernel of shapes: some threads to a row of the output, each every so many elements, and the largest coverage of all
 * shapes at each.
 *
 * The program defines IN and OUT, dtypes (IN is 0 where the shapes themselves are written), KIND and OP. */
#include "cuda/geometry/draw/draw_params.h"
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"

enum { THREADS = 128, SOURCE = IN ? IN : OUT, HELD = element<OUT>::kind == KIND_COMPLEX ? TESS_C64 : TESS_F64 };

static __device__ double coverage_at(const tess__draw_spec &s, const double *size, double z, double y, double x)
{
#if KIND == TESS__DRAW_SPHERE
    return tess__draw_sphere_at(&s, size, z, y, x);
#elif KIND == TESS__DRAW_ELLIPSOID
    return tess__draw_ellipsoid_at(&s, size, z, y, x);
#elif KIND == TESS__DRAW_CUBOID
    return tess__draw_cuboid_at(&s, size, z, y, x);
#elif KIND == TESS__DRAW_CYLINDER
    return tess__draw_cylinder_at(&s, size, z, y, x);
#elif KIND == TESS__DRAW_TORUS
    return tess__draw_torus_at(&s, size, z, y, x);
#else
    return tess__draw_capsule_at(&s, size, z, y, x);
#endif
}

static __device__ double largest_coverage(const tess__gpu_draw &p, const tess__draw_spec &s,
                                          const tess__draw_shape *shapes, const double at[3])
{
    double most = 0.0;
    for (int64_t i = 0; i < p.n_shapes; i++) {
        const tess__draw_shape *shape = &shapes[i];
        double                  u[3];
#pragma unroll
        for (int k = 0; k < 3; k++)
            u[k] = __builtin_fma(shape->at[k][2], at[2], tess__draw_start(shape, k, at[0], at[1]));
        const double e = coverage_at(s, shape->size, u[0], u[1], u[2]);
        most = most > e ? most : e;
    }
    return most;
}

/* The result of an element of dtype D, in H, which is HELD. */
template <int D, int H>
static __device__ typename element<H>::held result_of(const tess__draw_spec &s, typename element<D>::held x, double c)
{
    typename element<H>::held y = convert<H, D>(x);
    if constexpr (H == TESS_C64) y.re = tess__draw_result(&s, y.re, c), y.im = tess__draw_imaginary(&s, y.im, c);
    else y = tess__draw_result(&s, y, c);
    return y;
}

TESS_KERNEL(THREADS, tess__gpu_draw, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t       position[4];
    if (item >= p.rows.n) return;
    grid_position(position, p.rows, item);
    tess__draw_spec s = p.spec;
    s.op = OP;
    const tess__draw_shape *shapes = (const tess__draw_shape *)p.shapes + position[0] * p.batch_step;
    double                  at[3];
    at[0] = (double)tess__draw_coordinate(p.order[1], p.logical[1], position[1]);
    at[1] = (double)tess__draw_coordinate(p.order[2], p.logical[2], position[2]);
    for (int64_t w = position[3]; w < p.width; w += p.rows.size[3]) {
        const int64_t place[4] = { position[0], position[1], position[2], w };
        at[2] = (double)tess__draw_coordinate(p.order[3], p.logical[3], w);
        const double          c = tess__draw_counted(&s, largest_coverage(p, s, shapes, at));
        element<OUT>::stored *to = (element<OUT>::stored *)p.out.data + grid_offset(p.out.stride, place);
#if IN == 0
        const element<OUT>::held none = {};
        *to = element<OUT>::store(convert<OUT, HELD>(result_of<OUT, HELD>(s, none, c)));
#else
        const element<SOURCE>::stored x = ((const element<SOURCE>::stored *)p.in.data)[grid_offset(p.in.stride, place)];
#if IN == OUT
        if (tess__draw_action(&s, c) == TESS__DRAW_COPY) {
            *to = x;
            continue;
        }
#endif
        *to = element<OUT>::store(convert<OUT, HELD>(result_of<SOURCE, HELD>(s, element<SOURCE>::load(x), c)));
#endif
    }
}
