/* Quantiles on a GPU: from sorted or selected keys, by interpolation between two neighbours. */
#include "core/array/layout.h"
#include "cuda/cuda.h"
#include "cuda/memory/contiguous.h"
#include "cuda/sort/sort_vectors.h"

static tess_status take(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__quantile *work)
{
    const tess_array  *in = &work->in;
    const int          axes = work->axes / TESS_B;
    tess__cuda_vectors s = { .mode = TESS__GPU_QUANTILES, .dtype = in->dtype, .n = 1 };
    for (int d = 0; d < 4; d++)
        if (axes >> d & 1) s.n *= in->shape.dim[d];
    s.vectors = tess__elements(in) / s.n;
    s.results = s.n;
    s.quantiles.n = work->q.shape.w;
    s.quantiles.method = work->method;
    s.quantiles.skip_nan = work->skip_nan;
    TESS_TRY(tess__cuda_rows_in(&s.in, workspaces, call, in, axes));
    TESS_TRY(tess__cuda_rows_for(&s.quantiles.out, workspaces, call, &work->out, axes, TESS_F64));
    TESS_TRY(tess__cuda_workspaces_acquire(&s.quantiles.q, workspaces, call, s.quantiles.n, sizeof(double)));
    TESS_TRY(tess__cuda_stage_in(call, s.quantiles.q, work->q.data, s.quantiles.n * (int64_t)sizeof(double)));
    TESS_TRY(tess__cuda_sort_vectors(call, &s));
    TESS_TRY(tess__cuda_rows_out(s.quantiles.out, call, &work->out, axes, TESS_F64));
    return TESS_OK;
}

tess_status tess__cuda_quantile(tess__cuda_call *call, const tess__quantile *work)
{
    tess__cuda_workspaces workspaces = { .n = 0 };
    const tess_status     status = take(call, &workspaces, work);
    tess__cuda_workspaces_release(&workspaces, call);
    TESS_TRY(status);
    return TESS_OK;
}
