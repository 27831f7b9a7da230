/* Onesweep radix sort of long vectors: one pass over the data for each digit, from the least significant one; or one
 * pass for a three-way partition. */
#include "cuda/sort/onesweep.h"

#include "core/dtype.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/memory/contiguous.h"
#include "cuda/runtime/stream.h"

enum {
    DIGITS = 256,
    COUNT_THREADS = 512,
    ITEMS = 16,          /* of a thread */
    COUNT_CHUNKS = 1024, /* of all vectors, at least, if they are long enough: */
    COUNT_MIN = 1 << 13, /* elements of a chunk */
    COUNT_MAX = 1 << 18
};

/* Vectors of so many elements need counts of 64 bits, since two bits of a word say what it is. */
#define WIDE_FROM (INT64_C(1) << 30)

static const tess__cuda_source counts_source =
    TESS__CUDA_SOURCE("sort/digit_histogram", "KEY_SIZE", "KEY_KIND", "WIDE");
static const tess__cuda_source starts_source = TESS__CUDA_SOURCE("sort/digit_starts", "WIDE");
static const tess__cuda_source pass_source =
    TESS__CUDA_SOURCE("sort/onesweep", "KEY_SIZE", "KEY_KIND", "MODE", "THREADS", "WIDE");

/* What the passes over long vectors have in common. */
typedef struct passes {
    const tess__cuda_vectors *s;
    int64_t                   size, kind, wide, word; /* bytes of a key and of a count */
    int64_t                   threads, tiles;         /* tiles of a vector */
    int                       n;                      /* passes */
    tess__cuda_workspaces     workspaces;
    tess__cu_address          next, counts, state; /* one workspace */
    tess__gpu_pass            p;
} passes;

/* Tile counters, digit counts and look-back states: all of them 0 at first. */
static tess_status make_counts(passes *c, tess__cuda_call *call)
{
    const int64_t    counters = 8 * (int64_t)sizeof(uint64_t), counts = c->s->vectors * c->n * DIGITS * c->word;
    const int64_t    state = c->s->vectors * c->tiles * c->n * DIGITS * c->word, all = counters + counts + state;
    tess__cu_address workspace;
    TESS_TRY(tess__cuda_workspaces_acquire(&workspace, &c->workspaces, call, all, 1));
    TESS_CUDA(call, set_bytes, workspace, 0, (size_t)all, call->stream->handle);
    c->next = workspace;
    c->counts = workspace + (uint64_t)counters;
    c->state = c->counts + (uint64_t)counts;
    return TESS_OK;
}

/* Vectors are cut into chunks, so that there are enough blocks, but not too many. */
static tess_status count_digits(passes *c, tess__cuda_call *call)
{
    const tess__cuda_vectors *s = c->s;
    tess__gpu_counts          p = { .order = c->p.order,
                                    .vectors = s->vectors,
                                    .n = s->n,
                                    .in = s->in,
                                    .counts = c->counts,
                                    .chunk = COUNT_MIN /* at first */ };
    while (p.chunk < COUNT_MAX && p.chunk * COUNT_CHUNKS < s->vectors * s->n) p.chunk *= 2;
    p.chunks = (s->n + p.chunk - 1) / p.chunk;
    const int64_t numbers[TESS__CUDA_WORDS] = { c->size, c->kind, c->wide }, only[TESS__CUDA_WORDS] = { c->wide };
    TESS_TRY(tess__cuda_run_source(call, &counts_source, numbers, s->vectors * p.chunks, COUNT_THREADS, &p));
    TESS_TRY(tess__cuda_run_source(call, &starts_source, only, s->vectors * c->n, DIGITS, &p));
    return TESS_OK;
}

static tess_status run_pass(passes *c, tess__cuda_call *call, int mode, int pass)
{
    const int64_t numbers[TESS__CUDA_WORDS] = { c->size, c->kind, mode, c->threads, c->wide };
    const int64_t tiles = c->s->vectors * c->tiles;
    c->p.pass = pass;
    c->p.next = c->next + (uint64_t)pass * sizeof(uint64_t);
    c->p.state = c->state + (uint64_t)(pass * tiles * DIGITS * c->word);
    TESS_TRY(tess__cuda_run_source(call, &pass_source, numbers, tiles, (unsigned)c->threads, &c->p));
    return TESS_OK;
}

/* Double buffers of keys and indices between the passes: two workspaces each, or, of keys, one and the output. */
typedef struct buffers {
    tess__cu_address keys[2], indices[2];
} buffers;

static tess_status make_buffers(buffers *t, passes *c, tess__cuda_call *call, bool indices)
{
    const tess__cuda_vectors *s = c->s;
    const int64_t             all = s->vectors * s->n;
    *t = (buffers){ { 0, s->values }, { 0, 0 } };
    if (c->n == 1) return TESS_OK;
    TESS_TRY(tess__cuda_workspaces_acquire(&t->keys[0], &c->workspaces, call, all, c->size));
    if (indices) TESS_TRY(tess__cuda_workspaces_acquire(&t->keys[1], &c->workspaces, call, all, c->size));
    for (int k = 0; k < 2 && indices; k++)
        TESS_TRY(tess__cuda_workspaces_acquire(&t->indices[k], &c->workspaces, call, all, c->word));
    return TESS_OK;
}

static tess_status run_passes(passes *c, tess__cuda_call *call)
{
    const tess__cuda_vectors *s = c->s;
    const bool                indices = s->mode == TESS__GPU_ARGSORT;
    buffers                   t;
    TESS_TRY(make_buffers(&t, c, call, indices));
    for (int pass = 0; pass < c->n; pass++) {
        const int to = pass & 1, from = !to;
        c->p.first = pass == 0;
        c->p.last = pass == c->n - 1;
        c->p.in = c->p.first ? s->in : t.keys[from];
        c->p.indices_in = t.indices[from];
        c->p.out = c->p.last ? s->values : t.keys[to];
        c->p.indices_out = c->p.last ? s->indices : t.indices[to];
        TESS_TRY(run_pass(c, call, s->mode, pass));
    }
    return TESS_OK;
}

static bool is_partition(const tess__cuda_vectors *s)
{
    return s->mode == TESS__GPU_PARTITION || s->mode == TESS__GPU_CHOOSE;
}

static void begin_passes(passes *c, const tess__cuda_vectors *s)
{
    *c = (passes){
        .s = s, .size = tess__dtype_size(s->dtype), .kind = tess__cuda_key_kind(s->dtype), .wide = s->n >= WIDE_FROM
    };
    c->word = c->wide ? 8 : 4;
    c->threads = c->size == 8 || c->wide ? 256 : 512;
    c->tiles = (s->n + c->threads * ITEMS - 1) / (c->threads * ITEMS);
    c->n = is_partition(s) ? 1 : (int)c->size;
    c->p = (tess__gpu_pass){ .order = tess__cuda_order(s),
                             .vectors = s->vectors,
                             .n = s->n,
                             .tiles = c->tiles,
                             .results = s->results,
                             .numbers = s->in,
                             .passes = c->n };
}

static tess_status copy_input(tess__cuda_vectors *s, passes *c, tess__cuda_call *call)
{
    const int64_t    all = s->vectors * s->n;
    tess__cu_address copy;
    TESS_TRY(tess__cuda_workspaces_acquire(&copy, &c->workspaces, call, all, c->size));
    TESS_CUDA(call, copy_within, copy, s->in, (size_t)(all * c->size), call->stream->handle);
    s->in = copy;
    return TESS_OK;
}

/* Digit histograms, then a pass for each digit; or one pass for a three-way partition. */
static tess_status sort_digits(passes *c, tess__cuda_call *call)
{
    TESS_TRY(make_counts(c, call));
    if (!c->p.starts) {
        c->p.starts = c->counts;
        TESS_TRY(count_digits(c, call));
    }
    TESS_TRY(run_passes(c, call));
    return TESS_OK;
}

/* In index one pass would overwrite what it has not read yet. */
static tess_status run(tess__cuda_call *call, const tess__cuda_vectors *request, tess__cu_address pivots,
                       tess__cu_address starts)
{
    tess__cuda_vectors s = *request;
    passes             c;
    tess_status        status = TESS_OK;
    begin_passes(&c, &s);
    c.p.pivots = pivots;
    c.p.starts = starts;
    if (c.n == 1 && s.in == s.values) TESS_GOTO(done, status, copy_input(&s, &c, call));
    TESS_GOTO(done, status, sort_digits(&c, call));
done:
    tess__cuda_workspaces_release(&c.workspaces, call);
    return status;
}

tess_status tess__cuda_sort_long(tess__cuda_call *call, const tess__cuda_vectors *s)
{
    TESS_TRY(run(call, s, 0, 0));
    return TESS_OK;
}

tess_status tess__cuda_partition_long(tess__cuda_call *call, const tess__cuda_vectors *s, tess__cu_address pivots,
                                      tess__cu_address starts)
{
    TESS_TRY(run(call, s, pivots, starts));
    return TESS_OK;
}
