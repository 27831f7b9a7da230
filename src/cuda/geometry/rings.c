/* Sums into rings of a spectrum on a GPU, bit for bit as on the CPU: tables of chunks, a warp each, then
 * merged. */
#include "core/dtype.h"
#include "core/minmax.h"
#include "cuda/cuda.h"
#include "cuda/geometry/rings_params.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/memory/contiguous.h"
#include "cuda/runtime/stream.h"

enum {
    THREADS = 128,
    MERGE_THREADS = 256,
    TABLE_BYTES = 1 << 28 /* of chunks at a time */
};

static const tess__cuda_source source = TESS__CUDA_SOURCE("geometry/rings", "IN", "KIND", "TERMS");
static const tess__cuda_source merge = TESS__CUDA_SOURCE("geometry/rings_merge", NULL);
static const int64_t           no_numbers[TESS__CUDA_WORDS];

static tess__gpu_ctfs ctfs_of(const tess_array *a)
{
    return (tess__gpu_ctfs){ .data = (uint64_t)(uintptr_t)a->data,
                             .batch = a->shape.b == 1 ? 0 : a->strides.b,
                             .row = a->shape.h == 1 ? 0 : a->strides.h };
}

/* Chunks of all batches, as many as the workspace holds, added to the sums before the next ones. */
static tess_status run(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__rings *work)
{
    const tess_shape shape = work->in.shape;
    tess__gpu_rings  p = { .grid = work->grid,
                           .in = tess__cuda_array(&work->in),
                           .batches = shape.b,
                           .depth = shape.d,
                           .height = shape.h,
                           .width = shape.w,
                           .ctfs = ctfs_of(&work->ctfs),
                           .target = ctfs_of(&work->target),
                           .out = (tess__cu_address)(uintptr_t)work->out.data,
                           .sums = TESS__RINGS_SUMS(work->terms) };
    const int64_t    numbers[TESS__CUDA_WORDS] = { work->in.dtype, work->grid.kind, work->terms };
    const int64_t    tables = TESS__RINGS_LANES * (p.grid.rings + 2) * p.sums;
    const int64_t    sums = p.batches * p.grid.rings * p.sums, all = p.batches * p.grid.chunks;
    const int64_t    slots = tess__clamp(TABLE_BYTES / (tables * (int64_t)sizeof(double)), 1, all);
    TESS_TRY(tess__cuda_workspaces_acquire(&p.tables, workspaces, call, slots * tables, sizeof(double)));
    TESS_CUDA(call, set_bytes, p.out, 0, (size_t)sums * sizeof(double), call->stream->handle);
    for (p.first = 0; p.first < all; p.first += slots) {
        p.n = tess__min(slots, all - p.first);
        TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(p.n, THREADS / 32), THREADS, &p));
        TESS_TRY(
            tess__cuda_run_source(call, &merge, no_numbers, tess__cuda_groups(sums, MERGE_THREADS), MERGE_THREADS, &p));
    }
    return TESS_OK;
}

tess_status tess__cuda_rings(tess__cuda_call *call, const tess__rings *work)
{
    tess__cuda_workspaces workspaces = { .n = 0 };
    const tess_status     status = run(call, &workspaces, work);
    tess__cuda_workspaces_release(&workspaces, call);
    TESS_TRY(status);
    return TESS_OK;
}
