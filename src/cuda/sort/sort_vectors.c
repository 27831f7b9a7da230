/* Sorting of contiguous vectors by length: up to 32 elements by a part of a warp, some thousand by a block, longer
 * ones by onesweep radix sort or radix selection. */
#include "cuda/sort/sort_vectors.h"

#include "core/dtype.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/memory/contiguous.h"
#include "cuda/sort/onesweep.h"
#include "cuda/sort/select.h"

enum { WARP_MAX = 32, BLOCK_MAX = 4096, WARP_THREADS = 256, RANK_THREADS = 128, MAX_BLOCKS = INT32_MAX };

static const tess__cuda_source warp_source = TESS__CUDA_SOURCE("sort/warp_sort", "KEY_SIZE", "KEY_KIND", "MODE");
static const tess__cuda_source block_source =
    TESS__CUDA_SOURCE("sort/block_sort", "KEY_SIZE", "KEY_KIND", "MODE", "THREADS", "ITEMS");
static const tess__cuda_source quantiles_source = TESS__CUDA_SOURCE("sort/quantiles", "KEY_SIZE", "KEY_KIND", "MODE");
static const tess__cuda_source chosen_source = TESS__CUDA_SOURCE("sort/topk_indices", NULL);

/* ---- Keys ---- */

int tess__cuda_key_kind(tess_dtype dtype)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    return kind == TESS_KIND_FLOAT  ? TESS__GPU_KEY_FLOAT
           : kind == TESS_KIND_BOOL ? TESS__GPU_KEY_BOOL
                                    : TESS__GPU_KEY_INTEGER;
}

tess__gpu_order tess__cuda_order(const tess__cuda_vectors *s)
{
    const int      bits = 8 * (int)tess__dtype_size(s->dtype);
    const uint64_t top = UINT64_C(1) << (bits - 1), all = UINT64_MAX >> (64 - bits);
    const bool     is_signed = tess_dtype_kind(s->dtype) == TESS_KIND_INT;
    return (tess__gpu_order){ .flip = (is_signed ? top : 0) ^ (s->descending ? all : 0),
                              .sign = s->descending ? top : 0,
                              .alike = s->alike,
                              .raw_keys = s->raw_keys };
}

/* ---- Short vectors ---- */

static tess_status sort_short(tess__cuda_call *call, const tess__cuda_vectors *s)
{
    const int64_t     size = tess__dtype_size(s->dtype), kind = tess__cuda_key_kind(s->dtype);
    tess__gpu_vectors p = { .order = tess__cuda_order(s),
                            .vectors = s->vectors,
                            .n = s->n,
                            .results = s->results,
                            .kth = s->kth,
                            .width = 1,
                            .in = s->in,
                            .values = s->values,
                            .indices = s->indices,
                            .quantiles = s->quantiles };
    while (p.width < s->n) p.width *= 2;
    if (s->n <= WARP_MAX) {
        const int64_t numbers[TESS__CUDA_WORDS] = { size, kind, s->mode };
        const int64_t each = WARP_THREADS / p.width;
        TESS_TRY(tess__cuda_run_source(call, &warp_source, numbers, (s->vectors + each - 1) / each, WARP_THREADS, &p));
        return TESS_OK;
    }
    const int64_t threads = s->n <= 256 ? 64 : s->n <= 1024 ? 128 : 256, items = threads / 16;
    const int64_t numbers[TESS__CUDA_WORDS] = { size, kind, s->mode, threads, items };
    const int64_t blocks = s->vectors < MAX_BLOCKS ? s->vectors : MAX_BLOCKS;
    TESS_TRY(tess__cuda_run_source(call, &block_source, numbers, blocks, (unsigned)threads, &p));
    return TESS_OK;
}

/* ---- Long vectors ---- */

/* Many quantiles: of sorted keys, in a workspace of their own. */
static tess_status take_quantiles(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__cuda_vectors *s)
{
    const int64_t numbers[TESS__CUDA_WORDS] = { tess__dtype_size(s->dtype), tess__cuda_key_kind(s->dtype), s->mode };
    const int64_t n = s->vectors * s->quantiles.n;
    tess__cuda_vectors keys = *s;
    tess__gpu_vectors p = { .order = tess__cuda_order(s), .vectors = s->vectors, .n = s->n, .quantiles = s->quantiles };
    keys.mode = TESS__GPU_SORT;
    keys.raw_keys = true;
    TESS_TRY(tess__cuda_workspaces_acquire(&p.in, workspaces, call, s->vectors * s->n, numbers[0]));
    keys.values = p.in;
    TESS_TRY(tess__cuda_sort_long(call, &keys));
    TESS_TRY(tess__cuda_run_source(call, &quantiles_source, numbers, (n + RANK_THREADS - 1) / RANK_THREADS,
                                   RANK_THREADS, &p));
    return TESS_OK;
}

static tess_status partition_vectors(tess__cuda_call *call, tess__cuda_workspaces *workspaces,
                                     const tess__cuda_vectors *s)
{
    tess__cu_address pivots, starts;
    TESS_TRY(tess__cuda_workspaces_acquire(&pivots, workspaces, call, s->vectors, tess__dtype_size(s->dtype)));
    TESS_TRY(tess__cuda_workspaces_acquire(&starts, workspaces, call, 3 * s->vectors, sizeof(uint64_t)));
    TESS_TRY(tess__cuda_select(call, s, pivots, starts));
    TESS_TRY(tess__cuda_partition_long(call, s, pivots, starts));
    return TESS_OK;
}

/* Top k of each vector: a partition selects them, in the order of their indices but with those equal to the k-th at
 * the end; then these few are sorted. */
static tess_status choose_first(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__cuda_vectors *s)
{
    const int64_t      n = s->vectors * s->results;
    const int64_t      no_numbers[TESS__CUDA_WORDS] = { 0 };
    tess__cuda_vectors chosen = *s, few = *s;
    tess__gpu_chosen   p = { .vectors = s->vectors, .n = s->results, .out = s->indices };
    chosen.mode = TESS__GPU_CHOOSE;
    chosen.kth = s->results - 1;
    TESS_TRY(tess__cuda_workspaces_acquire(&chosen.values, workspaces, call, n, tess__dtype_size(s->dtype)));
    TESS_TRY(tess__cuda_workspaces_acquire(&chosen.indices, workspaces, call, n, sizeof(int64_t)));
    TESS_TRY(tess__cuda_workspaces_acquire(&few.indices, workspaces, call, n, sizeof(int64_t)));
    TESS_TRY(partition_vectors(call, workspaces, &chosen));
    few.in = chosen.values;
    few.n = s->results;
    TESS_TRY(tess__cuda_sort_vectors(call, &few));
    p.chosen = chosen.indices;
    p.order = few.indices;
    if (p.out) TESS_TRY(tess__cuda_run_source(call, &chosen_source, no_numbers, (n + 255) / 256, 256, &p));
    return TESS_OK;
}

static tess_status sort_long(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__cuda_vectors *s)
{
    if (s->mode == TESS__GPU_QUANTILES) {
        if (s->quantiles.n <= TESS__CUDA_SELECT_MAX) TESS_TRY(tess__cuda_select(call, s, 0, 0));
        else TESS_TRY(take_quantiles(call, workspaces, s));
    } else if (s->mode == TESS__GPU_PARTITION) {
        TESS_TRY(partition_vectors(call, workspaces, s));
    } else if (s->mode == TESS__GPU_ARGSORT && s->results < s->n / 2 && !s->raw_keys) {
        TESS_TRY(choose_first(call, workspaces, s));
    } else {
        TESS_TRY(tess__cuda_sort_long(call, s));
    }
    return TESS_OK;
}

/* ---- Way in ---- */

tess_status tess__cuda_sort_vectors(tess__cuda_call *call, const tess__cuda_vectors *s)
{
    tess__cuda_workspaces workspaces = { .n = 0 };
    if (s->n <= BLOCK_MAX) {
        TESS_TRY(sort_short(call, s));
        return TESS_OK;
    }
    const tess_status status = sort_long(call, &workspaces, s);
    tess__cuda_workspaces_release(&workspaces, call);
    TESS_TRY(status);
    return TESS_OK;
}
