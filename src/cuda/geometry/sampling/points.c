/* Samples at given points and their adjoint on a GPU: one thread for each point. Samples are bit for bit those of the
 * CPU. */
#include <string.h>

#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/geometry/sampling/points_params.h"
#include "cuda/jit/division.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"

static const tess__cuda_source sample_source =
    TESS__CUDA_SOURCE("geometry/sampling/sample_points", "WIDE", "PARTS", "DIMS", "METHOD", "WIDE_POINTS");
static const tess__cuda_source spread_source =
    TESS__CUDA_SOURCE("geometry/sampling/spread_points", "WIDE", "PARTS", "DIMS", "METHOD", "WIDE_POINTS");

/* The parameters of values at points and an image, and how many blocks there are. */
static int64_t set_params(tess__gpu_points *p, const tess_array *values, const tess_array *image,
                          const tess_array *points)
{
    const int64_t blocks = tess__cuda_groups(values->shape.w, TESS__GPU_POINTS_THREADS), rows = points->shape.d;
    *p = (tess__gpu_points){ .values = tess__cuda_array(values),
                             .image = tess__cuda_array(image),
                             .points = tess__cuda_address(points),
                             .width = values->shape.w,
                             .blocks = tess__cuda_divisor(blocks),
                             .rows = tess__cuda_divisor(rows),
                             .h = tess__cuda_divisor(values->shape.h) };
    for (int k = 0; k < 4; k++) p->point_stride[k] = points->strides.dim[k];
    if (points->shape.b == 1) p->point_stride[0] = 0;
    if (image->shape.b == 1) p->image.stride[0] = 0;
    for (int k = 0; k < 3; k++) p->shape[k] = image->shape.dim[k + 1];
    return blocks * rows * values->shape.b;
}

/* `method`: the axes of an image, and a tess_interp. */
static tess_status run(tess__cuda_call *call, const tess__cuda_source *source, const tess__gpu_points *p,
                       tess_dtype values, tess_dtype points, const int32_t method[2], int64_t blocks)
{
    const int64_t numbers[TESS__CUDA_WORDS] = { tess_dtype_real(values) == TESS_F64, tess_dtype_reals(values),
                                                method[0], method[1], points == TESS_F64 };
    TESS_TRY(tess__cuda_run_source(call, source, numbers, blocks, TESS__GPU_POINTS_THREADS, p));
    return TESS_OK;
}

tess_status tess__cuda_sample_points(tess__cuda_call *call, const tess__sample_points *work)
{
    tess__gpu_points p;
    const int64_t    blocks = set_params(&p, &work->out, &work->in, &work->points);
    p.border = work->border;
    p.cut = work->cut;
    memcpy(p.outside, work->outside, sizeof p.outside);
    TESS_TRY(run(call, &sample_source, &p, work->out.dtype, work->points.dtype,
                 (const int32_t[]){ work->dims, work->interp }, blocks));
    return TESS_OK;
}

tess_status tess__cuda_spread_points(tess__cuda_call *call, const tess__spread_points *work)
{
    tess__gpu_points p;
    const int64_t    blocks = set_params(&p, &work->in, &work->out, &work->points);
    p.border = work->border;
    p.cut = work->cut;
    TESS_TRY(run(call, &spread_source, &p, work->in.dtype, work->points.dtype,
                 (const int32_t[]){ work->dims, work->interp }, blocks));
    return TESS_OK;
}
