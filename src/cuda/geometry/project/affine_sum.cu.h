/* Kernel of sums at positions of affine maps: one result a thread, in tiles, so that neighbours read neighbours.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, DIMS: 2 or 3, METHOD: a tess_interp, and RAYS:
 * terms are weighed in a volume. */
#include "cuda/geometry/project/affine_sum_params.h"
#include "formulas/geometry/affine_sum.op.h"
#include "cuda/geometry/project/sum_elements.cu.h"

/* Add the samples of all terms at k. */
static __device__ void add_terms(double *sum, tess__sum_source &source, const tess__gpu_affine_sum &p,
                                 const int64_t at[4], int64_t k)
{
    const double *map = (const double *)p.maps + at[0] * p.map_step * TESS__SUM_MAP;
    const real   *in = (const real *)p.in.data + at[0] * p.in.stride[0] * PARTS;
    const double  d = (double)at[1], h = (double)at[2], w = (double)at[3];
    double        c[3], weight = 1;
#if RAYS
    const tess__sum_row ray = tess__sum_row_of((const double *)p.rays + at[0] * TESS__SUM_MAP, (double)k, d, h);
    for (int axis = 0; axis < 3; axis++) c[axis] = tess__sum_coordinate(&ray, axis, w);
    weight = tess__sum_inside(c[0], c[1], c[2], p.volume);
    if (!(weight > 0)) return;
#endif
    for (int64_t i = 0; i < p.terms; i++, map += TESS__SUM_MAP, in += p.term_step * PARTS) {
        real value[PARTS];
#if RAYS
        const tess__sum_row row = tess__sum_row_through(map, &ray);
#else
        const tess__sum_row row = tess__sum_row_of(map, (double)k, d, h);
#endif
        for (int axis = 0; axis < 3; axis++) c[axis] = tess__sum_coordinate(&row, axis, w);
        source.data = in;
        if (tess__sum_method(&row, DIMS, METHOD) == METHOD) TYPED(tess__sum_sample)(value, &source, METHOD, PARTS, c);
        else TYPED(tess__sum_sample)(value, &source, TESS_INTERP_NEAREST, PARTS, c);
        for (int part = 0; part < PARTS; part++)
            sum[part] = RAYS ? __builtin_fma(weight, (double)value[part], sum[part]) : sum[part] + (double)value[part];
    }
}

TESS_KERNEL(TESS__GPU_SUM_THREADS, tess__gpu_affine_sum, p)
{
    int64_t          at[4];
    double           sum[PARTS];
    tess__sum_source source;
    if (!find_result(p, at)) return;
    source.dims = DIMS;
    source.border = p.border;
    for (int k = 0; k < 2; k++) source.outside[k] = p.outside[k];
    for (int k = 0; k < 3; k++) {
        source.stride[k] = p.in.stride[k + 1];
        source.shape[k] = p.shape[k];
    }
    for (int part = 0; part < PARTS; part++) sum[part] = 0;
    for (int64_t k = p.first; k < p.first + p.count; k++) add_terms(sum, source, p, at, k);
    for (int part = 0; part < PARTS; part++) sum[part] = sum[part] / p.divisor;
    put_result(p, at, sum);
}
