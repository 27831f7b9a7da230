/* Sums into shells of a spectrum on a GPU, bit for bit as on the CPU: tables of chunks, a thread for each shell and
 * lane, and then a thread for each sum. */
#include "core/dtype.h"
#include "core/minmax.h"
#include "cuda/cuda.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/memory/contiguous.h"
#include "cuda/runtime/stream.h"
#include "cuda/signal/shells_params.h"

enum {
    THREADS = 128,
    MERGE_THREADS = 256,
    SHELLS = THREADS / TESS__SHELL_LANES, /* of a block */
    TABLE_BYTES = 1 << 28                 /* of chunks at a time */
};

static const tess__cuda_source source = TESS__CUDA_SOURCE("signal/shells", "LHS", "RHS", "CONES", "NEAREST");
static const tess__cuda_source merge = TESS__CUDA_SOURCE("signal/shells_merge", NULL);
static const int64_t           no_numbers[TESS__CUDA_WORDS];

static tess__gpu_shells params_of(const tess__shells *work)
{
    const bool pair = work->rhs.data != NULL;
    return (tess__gpu_shells){ .grid = work->grid,
                               .lhs = tess__cuda_array(&work->lhs),
                               .rhs = tess__cuda_array(pair ? &work->rhs : &work->lhs),
                               .depth = work->lhs.shape.d,
                               .height = work->lhs.shape.h,
                               .cones = work->axes.data ? work->axes.shape.h : 1,
                               .groups = tess__cuda_groups(work->grid.shells + 1, SHELLS),
                               .axes = (tess__cu_address)(uintptr_t)work->axes.data,
                               .out = (tess__cu_address)(uintptr_t)work->out.data,
                               .batches = work->lhs.shape.b,
                               .sums = pair ? TESS__SHELL_PAIR : TESS__SHELL_POWER,
                               .cosine = work->cosine,
                               .stretch = (double)work->grid.axis[2].n / (double)work->grid.m };
}

/* Chunks of all batches, as many as the workspace holds, added to the sums before the next ones. */
static tess_status run(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__shells *work)
{
    tess__gpu_shells p = params_of(work);
    const bool       pair = work->rhs.data != NULL;
    const int64_t    numbers[TESS__CUDA_WORDS] = { work->lhs.dtype, pair ? work->rhs.dtype : 0, work->axes.data != NULL,
                                                   work->nearest };
    const int64_t    table = p.cones * (p.grid.shells + 1) * p.sums;
    const int64_t    sums = p.batches * p.cones * p.grid.shells * p.sums;
    const int64_t    all = p.batches * p.grid.chunks;
    const int64_t    slots = tess__clamp(TABLE_BYTES / (table * (int64_t)sizeof(double)), 1, all);
    TESS_TRY(tess__cuda_workspaces_acquire(&p.tables, workspaces, call, slots * table, sizeof(double)));
    TESS_CUDA(call, set_bytes, p.out, 0, (size_t)sums * sizeof(double), call->stream->handle);
    for (p.first = 0; p.first < all; p.first += slots) {
        p.n = tess__min(slots, all - p.first);
        TESS_TRY(tess__cuda_run_source(call, &source, numbers, p.n * p.cones * p.groups, THREADS, &p));
        TESS_TRY(
            tess__cuda_run_source(call, &merge, no_numbers, tess__cuda_groups(sums, MERGE_THREADS), MERGE_THREADS, &p));
    }
    return TESS_OK;
}

tess_status tess__cuda_shells(tess_stream *stream, const tess__shells *work)
{
    tess__cuda_call       call;
    tess__cuda_workspaces workspaces = { .n = 0 };
    TESS_TRY(tess__cuda_begin(&call, work->name, stream));
    tess__cuda_use(&call, work->out.buffer);
    tess__cuda_use(&call, work->lhs.buffer);
    tess__cuda_use(&call, work->rhs.buffer);
    tess__cuda_use(&call, work->axes.buffer);
    const tess_status status = run(&call, &workspaces, work);
    tess__cuda_workspaces_release(&workspaces, &call);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}
