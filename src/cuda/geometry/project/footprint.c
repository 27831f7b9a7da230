/* Voxel-driven projection on a GPU, bit for bit as on the CPU: one kernel for each method. */
#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/geometry/project/affine_sum_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"

static const tess__cuda_source source = TESS__CUDA_SOURCE("geometry/project/footprint", "WIDE", "PARTS", "METHOD");

tess_status tess__cuda_footprint(tess__cuda_call *call, const tess__footprint *work)
{
    const tess_dtype    dtype = work->out.dtype;
    tess__gpu_footprint p = { .out = tess__cuda_array(&work->out),
                              .in = tess__cuda_array(&work->in),
                              .maps = (uint64_t)(uintptr_t)work->maps.data,
                              .add = work->add };
    for (int k = 0; k < 4; k++) p.n[k] = work->out.shape.dim[k];
    for (int k = 0; k < 3; k++) p.shape[k] = work->in.shape.dim[k + 1];
    p.tiles[0] = tess__cuda_groups(p.n[2], TESS__GPU_SUM_HEIGHT);
    p.tiles[1] = tess__cuda_groups(p.n[3], TESS__GPU_SUM_WIDTH);
    const int64_t numbers[TESS__CUDA_WORDS] = { tess_dtype_real(dtype) == TESS_F64, tess_dtype_reals(dtype),
                                                work->interp };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, p.n[0] * p.n[1] * p.tiles[0] * p.tiles[1],
                                   TESS__GPU_SUM_THREADS, &p));
    return TESS_OK;
}
