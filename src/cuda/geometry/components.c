/* Connected components on a GPU: three kernels over the elements. */
#include "cuda/cuda.h"
#include "cuda/geometry/components_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/runtime/memory.h"

enum { THREADS = 128 };

static const tess__cuda_source source = TESS__CUDA_SOURCE("geometry/components", "STEP");

static tess_status run(tess__cuda_call *call, const tess__components *work)
{
    const tess_shape    *shape = &work->out.shape;
    tess__gpu_components p = { .in = tess__cuda_array(&work->in),
                               .parent = (uintptr_t)work->out.data,
                               .n = shape->d * shape->h * shape->w,
                               .full = work->full };
    tess__cuda_grid(&p.grid, shape->dim);
    for (int step = TESS__GPU_COMPONENTS_BEGIN; step <= TESS__GPU_COMPONENTS_END; step++) {
        const int64_t numbers[TESS__CUDA_WORDS] = { step };
        TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.grid.n, THREADS), THREADS, &p));
    }
    return TESS_OK;
}

tess_status tess__cuda_components(tess_stream *stream, const tess__components *work)
{
    tess__cuda_call call;
    TESS_TRY(tess__cuda_begin(&call, work->name, stream));
    tess__cuda_use(&call, work->out.buffer);
    tess__cuda_use(&call, work->in.buffer);
    const tess_status status = run(&call, work);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}
