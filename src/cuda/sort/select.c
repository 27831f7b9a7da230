/* Radix selection: keys of long vectors by their ranks, digit by digit from the most significant one, among the keys
 * with the prefix that is already known. */
#include "cuda/sort/select.h"

#include "core/dtype.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/memory/contiguous.h"
#include "cuda/runtime/stream.h"

enum {
    DIGITS = 256,
    COUNT_THREADS = 512,
    CHUNKS = 1024, /* of all vectors, at least, if they are long enough: */
    MIN = 1 << 13, /* elements of a chunk */
    MAX = 1 << 18
};

static const tess__cuda_source counts_source = TESS__CUDA_SOURCE("sort/select_counts", "KEY_SIZE", "KEY_KIND");
static const tess__cuda_source step_source = TESS__CUDA_SOURCE("sort/select_step", "KEY_SIZE", "KEY_KIND", "MODE");

static tess_status find(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__cuda_vectors *s,
                        tess__gpu_select *p)
{
    const int     mode = s->mode == TESS__GPU_QUANTILES ? TESS__GPU_QUANTILES : TESS__GPU_PARTITION;
    const int64_t size = tess__dtype_size(s->dtype), state = (int64_t)sizeof(tess__gpu_rank_state);
    const int64_t each = state + TESS__GPU_RANKS * DIGITS * (int64_t)sizeof(uint64_t);
    const int64_t numbers[TESS__CUDA_WORDS] = { size, tess__cuda_key_kind(s->dtype), mode };
    TESS_TRY(tess__cuda_workspaces_acquire(&p->states, workspaces, call, s->vectors, each));
    TESS_CUDA(call, set_bytes, p->states, 0, (size_t)(s->vectors * each), call->stream->handle);
    p->counts = p->states + (uint64_t)(s->vectors * state);
    for (p->pass = 0; p->pass < (int)size; p->pass++) {
        TESS_TRY(tess__cuda_run_source(call, &counts_source, numbers, s->vectors * p->chunks, COUNT_THREADS, p));
        TESS_TRY(tess__cuda_run_source(call, &step_source, numbers, s->vectors, DIGITS, p));
    }
    return TESS_OK;
}

tess_status tess__cuda_select(tess__cuda_call *call, const tess__cuda_vectors *s, tess__cu_address pivots,
                              tess__cu_address starts)
{
    tess__cuda_workspaces workspaces = { .n = 0 };
    tess__gpu_select      p = { .order = tess__cuda_order(s),
                                .vectors = s->vectors,
                                .n = s->n,
                                .chunk = MIN,
                                .kth = s->kth,
                                .in = s->in,
                                .pivots = pivots,
                                .starts = starts,
                                .n_ranks = s->mode == TESS__GPU_QUANTILES ? 2 * (int)s->quantiles.n : 1,
                                .quantiles = s->quantiles };
    while (p.chunk < MAX && p.chunk * CHUNKS < s->vectors * s->n) p.chunk *= 2;
    p.chunks = (s->n + p.chunk - 1) / p.chunk;
    const tess_status status = find(call, &workspaces, s, &p);
    tess__cuda_workspaces_release(&workspaces, call);
    TESS_TRY(status);
    return TESS_OK;
}
