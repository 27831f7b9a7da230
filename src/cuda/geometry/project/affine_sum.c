/* Sums at positions of affine maps on a GPU, bit for bit as on the CPU: one kernel for each method. */
#include <string.h>

#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/geometry/project/affine_sum_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"

static const tess__cuda_source source =
    TESS__CUDA_SOURCE("geometry/project/affine_sum", "WIDE", "PARTS", "DIMS", "METHOD", "RAYS");

tess_status tess__cuda_affine_sum(tess__cuda_call *call, const tess__affine_sum *work)
{
    const tess_dtype     dtype = work->out.dtype;
    const tess_array    *in = &work->in;
    const int64_t        terms = work->maps.shape.d;
    tess__gpu_affine_sum p = { .out = tess__cuda_array(&work->out),
                               .in = tess__cuda_array(in),
                               .maps = (uint64_t)(uintptr_t)work->maps.data,
                               .rays = (uint64_t)(uintptr_t)work->rays.data,
                               .map_step = work->maps.shape.b == 1 ? 0 : terms,
                               .terms = terms,
                               .term_step = work->of_terms ? in->strides.b : 0,
                               .first = work->first,
                               .count = work->count,
                               .divisor = work->divisor,
                               .border = work->border,
                               .add = work->add };
    if (work->of_terms || in->shape.b == 1) p.in.stride[0] = 0;
    for (int k = 0; k < 4; k++) p.n[k] = work->out.shape.dim[k];
    for (int k = 0; k < 3; k++) p.shape[k] = in->shape.dim[k + 1];
    memcpy(p.outside, work->outside, sizeof p.outside);
    memcpy(p.volume, work->volume, sizeof p.volume);
    p.tiles[0] = tess__cuda_groups(p.n[2], TESS__GPU_SUM_HEIGHT);
    p.tiles[1] = tess__cuda_groups(p.n[3], TESS__GPU_SUM_WIDTH);
    const int64_t numbers[TESS__CUDA_WORDS] = { tess_dtype_real(dtype) == TESS_F64, tess_dtype_reals(dtype), work->dims,
                                                work->interp, work->rays.data != NULL };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, p.n[0] * p.n[1] * p.tiles[0] * p.tiles[1],
                                   TESS__GPU_SUM_THREADS, &p));
    return TESS_OK;
}
