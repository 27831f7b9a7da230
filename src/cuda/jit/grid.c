/* 4-D grids and strided arrays as parameters of kernels. */
#include "cuda/jit/grid.h"

#include "core/dtype.h"
#include "core/array/plan.h"
#include "cuda/jit/division.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/staging.h"
#include "cuda/runtime/stream.h"

void tess__cuda_grid(tess__gpu_grid *grid, const int64_t size[4])
{
    grid->n = 1;
    for (int d = 0; d < 4; d++) {
        grid->size[d] = size[d];
        grid->n *= size[d];
        grid->divisor[d] = tess__cuda_divisor(size[d]);
    }
}

void tess__cuda_grid_in_order(tess__gpu_grid *grid, tess__gpu_array *out, const tess_array *a)
{
    tess__loop loop;
    int64_t    size[4] = { 1, 1, 1, 1 };
    tess__plan_in_order(&loop, a->shape, &a, 1);
    const int skip = 4 - loop.n_dims;
    *out = (tess__gpu_array){ .data = (uintptr_t)loop.data[0] };
    for (int d = 0; d < loop.n_dims; d++) {
        size[skip + d] = loop.shape[d];
        out->stride[skip + d] = loop.stride[0][d];
    }
    tess__cuda_grid(grid, size);
}

tess__gpu_array tess__cuda_array(const tess_array *a)
{
    tess__gpu_array array = { .data = (uintptr_t)a->data };
    for (int d = 0; d < 4; d++) array.stride[d] = a->shape.dim[d] == 1 ? 0 : a->strides.dim[d];
    return array;
}

tess_status tess__cuda_number(tess__cu_address *workspace, tess_array *a, tess__cuda_call *call)
{
    *workspace = 0;
    if (!a->data || a->device.kind == TESS_GPU) return TESS_OK;
    const size_t size = (size_t)tess__dtype_size(a->dtype);
    TESS_TRY(tess__cuda_workspace_acquire(workspace, call, size));
    TESS_TRY(tess__cuda_stage_in(call, *workspace, a->data, (int64_t)size));
    a->data = (void *)(uintptr_t)*workspace;
    a->buffer = NULL;
    return TESS_OK;
}
