/* Quantiles on the CPU: selects the elements of each vector by rank, and interpolates between two neighbours. */
#include <math.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/runtime/workspace.h"
#include "cpu/sort/axis_vectors.h"
#include "cpu/sort/select.h"
#include "formulas/quantile.op.h"
#include "tessera/device.h"
#include "tessera/reduce.h"

/* Estimated nanoseconds an element. */
#define COST 4.0

/* From this many quantiles of one vector on, it is sorted. */
enum { SORT_FROM = 4, SORT_LONG_FROM = 16 };

typedef struct quantiles {
    const tess__quantile    *work;
    tess__vectors            vectors;
    tess__order              order;
    const tess__key_kernel  *key;
    const tess__item_kernel *item;
    const double            *q;
    int64_t                  n_q, n, size; /* quantiles, elements of a vector, bytes of one */
    bool                     direct, sorts, is_long;
    tess__workspaces         workspaces;
} quantiles;

typedef struct workspace {
    char   *in;      /* the block's elements */
    double *results; /* of the block */
    char   *work[2]; /* keys, or what ranks of a long vector need */
} workspace;

_Static_assert((int)TESS__QUANTILE_LINEAR == TESS_QUANTILE_LINEAR &&
                   (int)TESS__QUANTILE_MEDIAN == TESS_QUANTILE_DEFAULT &&
                   (int)TESS__QUANTILE_NORMAL_UNBIASED == TESS_QUANTILE_NORMAL_UNBIASED,
               "methods are numbered twice");

/* ---- One vector ---- */

/* Elements of a vector by rank, from sorted keys or by selection. */
typedef struct ranked {
    const quantiles *c;
    tess__ranks     *ranks; /* of a long vector; or NULL */
    const char      *keys;  /* sorted, or in their order */
    char            *workspace;
    int64_t          nans;
} ranked;

static uint64_t key_at(const quantiles *c, const char *keys, int64_t i)
{
    switch (c->size) {
    case 1: return ((const uint8_t *)keys)[i];
    case 2: return ((const uint16_t *)(const void *)keys)[i];
    case 4: return ((const uint32_t *)(const void *)keys)[i];
    default: return ((const uint64_t *)(const void *)keys)[i];
    }
}

static void both_keys(const ranked *l, tess__between b, uint64_t keys[2])
{
    const quantiles *c = l->c;
    if (c->sorts) {
        keys[0] = key_at(c, l->keys, b.low);
        keys[1] = key_at(c, l->keys, b.high);
        return;
    }
    const bool two = b.high != b.low && b.part != 0;
    if (l->ranks) {
        keys[0] = keys[1] = tess__ranks_at(l->ranks, b.low);
        if (two) keys[1] = tess__ranks_at(l->ranks, b.high);
        return;
    }
    uint64_t next;
    keys[0] = keys[1] = c->key->select(l->keys, c->n, b.low, l->workspace);
    if (two && c->key->count_to(l->keys, c->n, keys[0], &next) <= b.high) keys[1] = next;
}

static void take_vector(const ranked *l, double *results)
{
    const quantiles *c = l->c;
    const int64_t    count = c->n - l->nans;
    for (int64_t i = 0; i < c->n_q; i++) {
        if (count == 0 || (l->nans && !c->work->skip_nan)) {
            results[i] = (double)NAN;
            continue;
        }
        const tess__between b = tess__quantile_find(c->work->method, c->q[i], count);
        uint64_t            keys[2];
        both_keys(l, b, keys);
        results[i] = tess__quantile_mix(c->work->method, tess__order_number(&c->order, keys[0]),
                                        tess__order_number(&c->order, keys[1]), b.part);
    }
}

static void do_vector(const quantiles *c, double *results, const char *in, const workspace *r)
{
    const uint64_t nan = tess__order_nan(&c->order);
    ranked         l = { .c = c, .keys = r->work[0], .workspace = r->work[1] };
    tess__ranks    ranks;
    if (c->is_long) {
        tess__ranks_start(&ranks, &c->order, in, c->n, r->work[0]);
        const int64_t count = c->n - ranks.nans; /* with the number of NaNs that the sample suggests */
        tess__ranks_look(&ranks, count > 0 ? tess__quantile_find(c->work->method, c->q[0], count).low : 0);
        if (tess__cancelled()) return;
        l.ranks = &ranks;
        l.nans = ranks.nans;
    } else {
        c->key->keys(r->work[0], in, c->n, &c->order);
        if (nan) l.nans = c->key->count_from(r->work[0], c->n, nan);
        if (c->sorts) l.keys = c->item->sort(r->work[0], r->work[1], c->n, 0);
    }
    take_vector(&l, results);
}

/* ---- All vectors ---- */

static size_t lay_out(const quantiles *c, workspace *r, char *memory)
{
    const size_t in = c->direct ? 0 : tess__aligned_size(c->vectors.width * c->n, c->size);
    const size_t results = tess__aligned_size(c->vectors.width * c->n_q, sizeof(double));
    const size_t keys = tess__aligned_size(c->n + 1, c->size);
    if (memory) {
        r->in = c->direct ? NULL : memory;
        r->results = (double *)(void *)(memory + in);
        r->work[0] = memory + in + results;
        r->work[1] = r->work[0] + keys;
    }
    return in + results + (c->is_long ? tess__ranks_size(c->n, c->size) : 2 * keys);
}

static void do_block(const quantiles *c, int64_t block, const workspace *r)
{
    tess_array       in = tess__vectors_block(&c->vectors, &c->work->in, block);
    const tess_array out = tess__vectors_block(&c->vectors, &c->work->out, block);
    const tess_array results = tess__vectors_workspace(&c->vectors, &out, r->results, TESS_F64);
    const int64_t    width = tess__vectors_in(&c->vectors, &in);
    if (r->in) {
        const tess_array there = in;
        in = tess__vectors_workspace(&c->vectors, &there, r->in, there.dtype);
        tess__vectors_move(&in, &there);
    }
    const int64_t step = in.strides.dim[c->vectors.next] * c->size;
    for (int64_t l = 0; l < width && !tess__cancelled(); l++)
        do_vector(c, r->results + l * c->n_q, (char *)in.data + l * step, r);
    tess__vectors_move(&out, &results);
}

static void run_blocks(void *context, int64_t first, int64_t last)
{
    quantiles *c = context;
    char      *memory = tess__workspace_acquire(&c->workspaces);
    workspace  r;
    (void)lay_out(c, &r, memory);
    for (int64_t block = first; block < last; block++) do_block(c, block, &r);
    tess__workspace_release(&c->workspaces, memory);
}

static void prepare(quantiles *c, const tess__quantile *work)
{
    const int64_t size = tess__dtype_size(work->in.dtype);
    const int class = __builtin_ctzll((uint64_t)size), axes = work->axes / TESS_B;
    memset(c, 0, sizeof *c);
    c->work = work;
    c->order = tess__order_of(work->in.dtype, false, false);
    c->key = tess__cpu_kernels()->sort.key[class];
    c->item = tess__cpu_kernels()->sort.item[class];
    c->size = size;
    c->q = work->q.data;
    c->n_q = work->q.shape.w;
    tess__vectors_of(&c->vectors, &work->in, axes, false);
    c->n = c->vectors.n;
    c->direct = tess__vectors_contiguous(&c->vectors, &work->in);
    c->sorts = c->n_q >= (c->n > TESS__LONG_VECTOR ? SORT_LONG_FROM : SORT_FROM);
    c->is_long = c->n > TESS__LONG_VECTOR && !c->sorts;
    if (c->n > TESS__LONG_VECTOR && (c->direct || c->vectors.blocks < tess_threads_get()))
        tess__vectors_of(&c->vectors, &work->in, axes, true);
}

tess_status tess__cpu_quantile(const tess__quantile *work)
{
    quantiles c;
    workspace r;
    prepare(&c, work);
    const int64_t blocks = c.vectors.blocks;
    const bool    alone = c.is_long && blocks < tess_threads_get(); /* all threads work on each vector */
    const size_t  bytes = lay_out(&c, &r, NULL);
    TESS_CHECK(tess__workspaces_make(&c.workspaces, bytes, alone ? 1 : blocks), TESS_ENOMEM,
               "%s: no memory for a workspace of %zu bytes for each thread", work->name, bytes);
    const double cost = COST * (double)c.n * (double)c.vectors.width;
    if (alone) run_blocks(&c, 0, blocks);
    else tess__parallel(blocks, tess__grain(blocks, cost), run_blocks, &c);
    tess__workspaces_free(&c.workspaces);
    return TESS_OK;
}
