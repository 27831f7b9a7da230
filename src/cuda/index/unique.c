/* Unique elements of an array on a GPU: its keys are sorted, then blocks count and write those that differ from the
 * one before. */
#include "core/array/layout.h"
#include "cuda/cuda.h"
#include "cuda/index/block_counts.h"
#include "cuda/index/mask_params.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/memory/contiguous.h"
#include "cuda/sort/sort_vectors.h"

enum { THREADS = 256, ALL_AXES = 15, COUNT = 0, WRITE = 1, COUNT_EACH = 2 };

static const tess__cuda_source source = TESS__CUDA_SOURCE("index/unique", "KEY_SIZE", "KEY_KIND", "STEP");

static int64_t blocks_of(int64_t n) { return (n + TESS__GPU_MASK_BLOCK - 1) / TESS__GPU_MASK_BLOCK; }

static tess_status run(tess__cuda_call *call, const tess__unique *work, const tess__gpu_unique *p, int step,
                       int64_t blocks)
{
    const int64_t numbers[TESS__CUDA_WORDS] = { tess__dtype_size(work->in.dtype), tess__cuda_key_kind(work->in.dtype),
                                                step };
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, blocks, THREADS, p));
    return TESS_OK;
}

static tess__gpu_unique params_of(const tess__unique *work)
{
    const int bits = 8 * (int)tess__dtype_size(work->in.dtype);
    return (tess__gpu_unique){ .n = work->keys.shape.w,
                               .keys = (uintptr_t)work->keys.data,
                               .order = (uintptr_t)work->order.data,
                               .values = (uintptr_t)work->values.data,
                               .counts = (uintptr_t)work->counts.data,
                               .indices = (uintptr_t)work->indices.data,
                               .inverse = (uintptr_t)work->inverse.data,
                               .flip =
                                   tess_dtype_kind(work->in.dtype) == TESS_KIND_INT ? UINT64_C(1) << (bits - 1) : 0 };
}

/* How many different keys come before each block, and in all. */
static tess_status count(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__unique *work,
                         tess__gpu_unique *p)
{
    const int64_t blocks = blocks_of(p->n);
    TESS_TRY(tess__cuda_workspaces_acquire(&p->starts, workspaces, call, blocks + 1, sizeof(int64_t)));
    TESS_TRY(run(call, work, p, COUNT, blocks));
    TESS_TRY(tess__cuda_add_up(call, p->starts, blocks));
    return TESS_OK;
}

static tess_status sort(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__unique *work)
{
    tess__gpu_unique   p = params_of(work);
    tess__cuda_vectors s = { .mode = work->order.data ? TESS__GPU_ARGSORT : TESS__GPU_SORT,
                             .dtype = work->in.dtype,
                             .alike = true,
                             .raw_keys = true,
                             .vectors = 1,
                             .n = p.n,
                             .results = p.n,
                             .values = p.keys,
                             .indices = p.order };
    TESS_TRY(tess__cuda_rows_in(&s.in, workspaces, call, &work->in, ALL_AXES));
    TESS_TRY(tess__cuda_sort_vectors(call, &s));
    TESS_TRY(count(call, workspaces, work, &p));
    TESS_TRY(tess__cuda_fetch(work->n_unique, call, p.starts + (uint64_t)blocks_of(p.n) * sizeof(int64_t)));
    return TESS_OK;
}

static tess_status write(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__unique *work)
{
    tess__gpu_unique p = params_of(work);
    p.n_unique = work->values.data ? work->values.shape.w : work->counts.data ? work->counts.shape.w : 0;
    TESS_TRY(count(call, workspaces, work, &p));
    if (p.counts) TESS_TRY(tess__cuda_workspaces_acquire(&p.firsts, workspaces, call, p.n_unique, sizeof(int64_t)));
    TESS_TRY(run(call, work, &p, WRITE, blocks_of(p.n)));
    if (p.counts) TESS_TRY(run(call, work, &p, COUNT_EACH, (p.n_unique + THREADS - 1) / THREADS));
    return TESS_OK;
}

tess_status tess__cuda_unique(tess__cuda_call *call, const tess__unique *work)
{
    tess__cuda_workspaces workspaces = { .n = 0 };
    const tess_status     status =
        work->kind == TESS__UNIQUE_SORT ? sort(call, &workspaces, work) : write(call, &workspaces, work);
    tess__cuda_workspaces_release(&workspaces, call);
    TESS_TRY(status);
    return TESS_OK;
}
