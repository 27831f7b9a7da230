/* Kernel of voxel-driven projection: one pixel a thread.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, and METHOD: a tess_interp. */
#include "cuda/geometry/project/affine_sum_params.h"
#include "formulas/geometry/footprint.op.h"
#include "cuda/geometry/project/sum_elements.cu.h"

TESS_KERNEL(TESS__GPU_SUM_THREADS, tess__gpu_footprint, p)
{
    int64_t              at[4];
    double               sum[PARTS];
    tess__sum_source     source;
    tess__footprint_view view;
    if (!find_result(p, at)) return;
    source.data = (const void *)p.in.data;
    source.dims = 3;
    source.border = TESS_BORDER_ZERO;
    for (int k = 0; k < 3; k++) {
        source.stride[k] = p.in.stride[k + 1];
        source.shape[k] = p.shape[k];
    }
    (void)tess__footprint_view_of(&view, (const double *)p.maps + at[0] * TESS__SUM_MAP, METHOD);
    TYPED(tess__footprint)(sum, &source, &view, PARTS, at[2], at[3]);
    put_result(p, at, sum);
}
