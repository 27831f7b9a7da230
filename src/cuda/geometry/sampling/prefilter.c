/* B-spline prefilter on a GPU, bit for bit as on the CPU: a thread for each vector. */
#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/geometry/sampling/prefilter_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"

static const tess__cuda_source source = TESS__CUDA_SOURCE("geometry/sampling/prefilter", "WIDE", "PARTS", "TILED");

tess_status tess__cuda_prefilter(tess__cuda_call *call, const tess__prefilter *work)
{
    const tess_dtype    real = tess_dtype_real(work->in.dtype);
    const int           parts = real == work->in.dtype ? 1 : 2;
    const bool          tiled = work->axis == 3 && work->in.strides.w == 1 && work->out.strides.w == 1;
    tess_shape          vectors = work->in.shape;
    tess__gpu_prefilter p = { .out = tess__cuda_array(&work->out),
                              .in = tess__cuda_array(&work->in),
                              .n = work->in.shape.dim[work->axis],
                              .axis_stride = { work->out.strides.dim[work->axis], work->in.strides.dim[work->axis] },
                              .value = { work->value[0], work->value[1] },
                              .border = work->border };
    vectors.dim[work->axis] = 1;
    tess__cuda_grid(&p.grid, vectors.dim);
    const unsigned threads = tiled ? TESS__GPU_PREFILTER_TILE : TESS__GPU_PREFILTER_THREADS;
    const int64_t  numbers[TESS__CUDA_WORDS] = { real == TESS_F64, parts, tiled };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.grid.n * parts, threads), threads, &p));
    return TESS_OK;
}
