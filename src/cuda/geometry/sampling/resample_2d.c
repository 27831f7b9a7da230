/* 2-D resampling at computed coordinates on a GPU, bit for bit as on the CPU: a thread for each result. */
#include "cuda/cuda.h"
#include "cuda/geometry/sampling/resample_2d_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"

enum { THREADS = 256 };

static const tess__cuda_source source =
    TESS__CUDA_SOURCE("geometry/sampling/resample_2d", "WIDE", "PARTS", "METHOD", "KIND");

tess_status tess__cuda_resample_2d(tess__cuda_call *call, const tess__resample_2d *work)
{
    const tess_dtype      real = tess_dtype_real(work->out.dtype);
    const tess_shape      shape = work->out.shape;
    tess__gpu_resample_2d p = { .out = tess__cuda_array(&work->out),
                                .in = tess__cuda_array(&work->in),
                                .n = shape.b * shape.h * shape.w,
                                .height = shape.h,
                                .width = shape.w,
                                .ctfs = tess__cuda_array(&work->ctfs),
                                .target = tess__cuda_array(&work->target),
                                .grid = work->grid,
                                .source = work->source };
    const int64_t         numbers[TESS__CUDA_WORDS] = { real == TESS_F64, real == work->out.dtype ? 1 : 2, work->interp,
                                                        work->grid.kind };
    if (work->in.shape.b == 1) p.in.stride[0] = 0;
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.n, THREADS), THREADS, &p));
    return TESS_OK;
}
