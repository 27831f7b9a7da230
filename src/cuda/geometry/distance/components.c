/* Connected components on a GPU: kernels over the elements, and over parts of each batch for the numbers of the
 * components. */
#include "cuda/cuda.h"
#include "cuda/geometry/distance/components_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/runtime/memory.h"

enum { THREADS = 128 };

static const tess__cuda_source source = TESS__CUDA_SOURCE("geometry/distance/components", "STEP", "OUT");

static tess_status run_steps(tess__cuda_call *call, const tess__components *work, const tess__gpu_components *p)
{
    const int64_t batches = work->out.shape.b, parts = batches * p->parts, all = p->grid.n;
    const int64_t threads[TESS__GPU_COMPONENTS_STEPS] = { all, all, all, parts, batches, parts, all };
    for (int step = 0; step < TESS__GPU_COMPONENTS_STEPS; step++) {
        const bool    puts = step == TESS__GPU_COMPONENTS_PUT;
        const int64_t numbers[TESS__CUDA_WORDS] = { step, puts ? work->out.dtype : 0 };
        TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(threads[step], THREADS), THREADS, p));
    }
    return TESS_OK;
}

tess_status tess__cuda_components(tess__cuda_call *call, const tess__components *work)
{
    const tess_shape    *shape = &work->out.shape;
    const int64_t        n = shape->d * shape->h * shape->w;
    tess__gpu_components p = { .in = tess__cuda_array(&work->in),
                               .out = tess__cuda_array(&work->out),
                               .counts = (uintptr_t)work->counts.data,
                               .n = n,
                               .parts = tess__cuda_groups(n, TESS__GPU_COMPONENTS_PART),
                               .full = work->full };
    tess__cu_address     parent = 0, before = 0;
    tess_status          status = TESS_OK;
    tess__cuda_grid(&p.grid, shape->dim);
    TESS_TRY(tess__cuda_workspace_acquire(&parent, call, (size_t)(shape->b * n) * sizeof(int64_t)));
    TESS_GOTO(done, status,
              tess__cuda_workspace_acquire(&before, call, (size_t)(shape->b * p.parts) * sizeof(int64_t)));
    p.parent = parent;
    p.before = before;
    TESS_GOTO(done, status, run_steps(call, work, &p));
done:
    tess__cuda_workspace_release(call, parent);
    if (before) tess__cuda_workspace_release(call, before);
    return status;
}
