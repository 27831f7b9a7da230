/* Affine transforms on a GPU, bit for bit as on the CPU: tiles of results, one kernel for each method. */
#include <string.h>

#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/geometry/sampling/transform_params.h"
#include "cuda/jit/division.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "formulas/geometry/transform.op.h"

static const tess__cuda_source source =
    TESS__CUDA_SOURCE("geometry/sampling/transform", "WIDE", "PARTS", "DIMS", "METHOD");

tess_status tess__cuda_transform(tess__cuda_call *call, const tess__transform *work)
{
    const tess_dtype    real = tess_dtype_real(work->out.dtype);
    const int           bytes = (int)tess_dtype_size(work->out.dtype);
    tess__gpu_transform p = { .out = tess__cuda_array(&work->out),
                              .in = tess__cuda_array(&work->in),
                              .matrices = (uint64_t)(uintptr_t)work->matrices.data,
                              .matrix_step = work->matrices.shape.b == 1 ? 0 : work->dims * (work->dims + 1),
                              .border = work->border };
    for (int k = 0; k < 4; k++) p.n[k] = work->out.shape.dim[k];
    for (int k = 0; k < 3; k++) p.shape[k] = work->in.shape.dim[k + 1];
    memcpy(p.from, work->from, sizeof p.from);
    memcpy(p.to, work->to, sizeof p.to);
    memcpy(p.outside, work->outside, sizeof p.outside);
    const int64_t tiles[3] = { tess__cuda_groups(p.n[1], TESS__GPU_TRANSFORM_DEPTH(work->dims)),
                               tess__cuda_groups(p.n[2], TESS__GPU_TRANSFORM_HEIGHT(work->dims, bytes)),
                               tess__cuda_groups(p.n[3], TESS__GPU_TRANSFORM_WIDTH(work->dims, bytes)) };
    for (int k = 0; k < 3; k++) p.tiles[k] = tess__cuda_divisor(tiles[k]);
    const int64_t numbers[TESS__CUDA_WORDS] = { real == TESS_F64, real == work->out.dtype ? 1 : 2, work->dims,
                                                work->interp };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, p.n[0] * tiles[0] * tiles[1] * tiles[2],
                                   TESS__GPU_TRANSFORM_THREADS, &p));
    return TESS_OK;
}
