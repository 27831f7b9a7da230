/* Sorting along an axis on a GPU: vectors are copied to contiguous workspace where needed, sorted, and copied back. */
#include "core/array/layout.h"
#include "cuda/cuda.h"
#include "cuda/memory/contiguous.h"
#include "cuda/sort/sort_vectors.h"

static int mode_of(int op)
{
    return op == TESS__SORT ? TESS__GPU_SORT : op == TESS__PARTITION ? TESS__GPU_PARTITION : TESS__GPU_ARGSORT;
}

static tess_status sort(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__sort *work)
{
    const tess_array  *in = &work->in;
    const int          axes = 1 << work->axis, mode = mode_of(work->op);
    const int64_t      n = in->shape.dim[work->axis];
    tess__cuda_vectors s = { .mode = mode,
                             .dtype = in->dtype,
                             .descending = work->descending,
                             .alike = mode == TESS__GPU_ARGSORT,
                             .vectors = tess__elements(in) / n,
                             .n = n,
                             .results = work->op == TESS__TOPK ? work->k : n,
                             .kth = work->k };
    TESS_TRY(tess__cuda_rows_in(&s.in, workspaces, call, in, axes));
    TESS_TRY(tess__cuda_rows_for(&s.values, workspaces, call, &work->values, axes, in->dtype));
    TESS_TRY(tess__cuda_rows_for(&s.indices, workspaces, call, &work->indices, axes, TESS_I64));
    TESS_TRY(tess__cuda_sort_vectors(call, &s));
    TESS_TRY(tess__cuda_rows_out(s.values, call, &work->values, axes, in->dtype));
    TESS_TRY(tess__cuda_rows_out(s.indices, call, &work->indices, axes, TESS_I64));
    return TESS_OK;
}

tess_status tess__cuda_sort(tess__cuda_call *call, const tess__sort *work)
{
    tess__cuda_workspaces workspaces = { .n = 0 };
    const tess_status     status = sort(call, &workspaces, work);
    tess__cuda_workspaces_release(&workspaces, call);
    TESS_TRY(status);
    return TESS_OK;
}
