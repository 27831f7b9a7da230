/* Distance transform on a GPU: a kernel for each axis, over squares in two workspaces in turn. */
#include "core/dtype.h"
#include "core/minmax.h"
#include "cuda/cuda.h"
#include "cuda/geometry/distance/distances_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/runtime/memory.h"

enum { THREADS = 128 };

static const tess__cuda_source source = TESS__CUDA_SOURCE("geometry/distance/distances", "FIRST", "OUT");

/* Batches from `first` on of an array. */
static tess__gpu_array batches_of(const tess_array *a, int64_t first)
{
    tess__gpu_array part = tess__cuda_array(a);
    part.data += (uint64_t)(first * a->strides.b * tess__dtype_size(a->dtype));
    return part;
}

static tess__gpu_array squares_at(tess__cu_address workspace, const tess_shape *shape)
{
    tess__gpu_array a = { .data = workspace };
    int64_t         stride = 1;
    for (int k = 3; k >= 0; k--) {
        a.stride[k] = stride;
        stride *= shape->dim[k];
    }
    return a;
}

static tess_status run_batches(tess__cuda_call *call, const tess__distances *work, int64_t first, int64_t n,
                               const tess__cu_address workspaces[2])
{
    const tess_shape   *shape = &work->in.shape;
    const int           last = shape->d > 1 ? 1 : shape->h > 1 ? 2 : 3;
    const int64_t       sizes[4] = { n, shape->d, shape->h, shape->w };
    tess__gpu_distances p = { .to = batches_of(&work->in, first), .target = work->target, .squared = work->squared };
    tess__cuda_grid(&p.grid, sizes);
    for (int axis = 3, pass = 0; axis >= last; axis--) {
        const bool    is_last = axis == last;
        const int64_t numbers[TESS__CUDA_WORDS] = { pass == 0, is_last ? work->out.dtype : 0 };
        if (axis != 3 && shape->dim[axis] == 1) continue;
        p.axis = axis;
        p.step2 = work->step2[axis];
        p.from = p.to;
        p.to = is_last ? batches_of(&work->out, first) : squares_at(workspaces[pass % 2], shape);
        TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.grid.n, THREADS), THREADS, &p));
        pass++;
    }
    return TESS_OK;
}

tess_status tess__cuda_distances(tess__cuda_call *call, const tess__distances *work)
{
    const tess_shape *shape = &work->in.shape;
    const int64_t     together = tess__distance_batches(shape);
    const size_t      bytes = sizeof(double) * (size_t)(together * shape->d * shape->h * shape->w);
    const int         axes = 1 + (shape->h > 1) + (shape->d > 1);
    tess__cu_address  workspaces[2] = { 0, 0 };
    tess_status       status = TESS_OK;
    for (int k = 0; k < axes - 1; k++)
        TESS_GOTO(done, status, tess__cuda_workspace_acquire(&workspaces[k], call, bytes));
    for (int64_t b = 0; b < shape->b; b += together)
        TESS_GOTO(done, status, run_batches(call, work, b, tess__min(together, shape->b - b), workspaces));
done:
    for (int k = 0; k < 2; k++)
        if (workspaces[k]) tess__cuda_workspace_release(call, workspaces[k]);
    return status;
}
