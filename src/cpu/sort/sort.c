/* Sort, argsort, top-k and partition along an axis on the CPU: blocks of vectors by each thread, or one vector by all.
 *
 * Numbers become order-preserving keys (keys.h), with their indices in the low bits or beside them where those are
 * wanted. A result depends on the vector alone: equal keys are equal numbers, or keep their order.
 */
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
#include "cpu/sort/sample_sort.h"
#include "cpu/sort/select.h"
#include "tessera/device.h"

/* Estimated nanoseconds an element. */
#define COST 8.0

typedef struct sorting {
    const tess__sort        *work;
    tess__vectors            vectors;
    tess__order              order;
    const tess__key_kernel  *key;
    const tess__item_kernel *item;
    int64_t                  n, size;   /* elements of a vector, bytes of one */
    int64_t                  results;   /* of a vector */
    int64_t                  item_size; /* bytes of what is sorted */
    bool                     indices;   /* items hold indices */
    bool                     wide;      /* items are pairs */
    bool                     parallel;  /* all threads work on one vector */
    bool                     direct_in; /* vectors are contiguous in memory */
    bool                     direct_values, direct_indices;
    tess__workspaces         workspaces;
} sorting;

/* Memory for the vectors of a block and for the work on one. Pointers that are not needed are NULL. */
typedef struct workspace {
    char    *in;      /* the block's elements */
    char    *values;  /* its results */
    int64_t *indices; /* and their indices */
    char    *work[3];
} workspace;

/* ---- Workspace ---- */

/* Lays out a workspace, from an address or from NULL; returns its size. */
static size_t lay_out(const sorting *s, workspace *r, char *memory)
{
    const int64_t width = s->vectors.width;
    const int     op = s->work->op;
    size_t        sizes[6] = { 0 }, sum = 0;
    if (!s->direct_in) sizes[0] = tess__aligned_size(width * s->n, s->size);
    if (s->work->values.data && !s->direct_values) sizes[1] = tess__aligned_size(width * s->results, s->size);
    if (s->indices && !s->direct_indices) sizes[2] = tess__aligned_size(width * s->results, sizeof(int64_t));
    for (int i = 0; i < 3; i++)
        if (op == TESS__TOPK || (op == TESS__ARGSORT && i < 2) || (op == TESS__SORT && i < 1))
            sizes[3 + i] = tess__aligned_size(s->n + 1, s->item_size);
    if (op == TESS__PARTITION) sizes[3] = tess__partition_size(s->n, s->size);
    if (s->parallel && op != TESS__PARTITION)
        sizes[5] += tess__sample_sort_size(); /* of TESS__TOPK: behind the items */
    char *at[6] = { NULL };
    for (int i = 0; i < 6; i++) {
        if (sizes[i] && memory) at[i] = memory + sum;
        sum += sizes[i];
    }
    *r = (workspace){ at[0], at[1], (int64_t *)(void *)at[2], { at[3], at[4], at[5] } };
    return sum;
}

/* ---- One contiguous vector ---- */

/* A vector and its results. */
typedef struct row {
    const sorting *s;
    const char    *in;
    char          *items; /* of sorted numbers: their values */
    int64_t       *indices;
} row;

static void make_keys(void *context, int64_t first, int64_t last)
{
    const row *v = context;
    v->s->key->keys(v->items + first * v->s->size, v->in + first * v->s->size, last - first, &v->s->order);
}

static void take_numbers(void *context, int64_t first, int64_t last)
{
    const row *v = context;
    char      *at = v->items + first * v->s->size;
    v->s->key->numbers(at, at, last - first, &v->s->order);
}

static void sort_vector(const sorting *s, char *out, const char *in, const workspace *r)
{
    row v = { s, in, out, NULL };
    if (s->parallel) {
        tess__sample_sort(
            s->item,
            &(tess__long_vector){ out, r->work[0], r->work[2], s->n, s->size, 0, { make_keys, take_numbers, &v } });
        return;
    }
    make_keys(&v, 0, s->n);
    s->key->numbers(out, s->item->sort(out, r->work[0], s->n, 0), s->n, &s->order);
}

static void make_items(void *context, int64_t first, int64_t last)
{
    const row *v = context;
    v->s->key->pack(v->items + first * v->s->item_size, v->in + first * v->s->size, last - first, first, v->s->wide,
                    &v->s->order);
}

static void unpack(const sorting *s, int64_t *indices, const void *items, int64_t n)
{
    const uint64_t   *words = items;
    const tess__pair *pairs = items;
    for (int64_t i = 0; i < n; i++) indices[i] = s->wide ? (int64_t)pairs[i].index : (int64_t)(uint32_t)words[i];
}

static void take_indices(void *context, int64_t first, int64_t last)
{
    const row *v = context;
    unpack(v->s, v->indices + first, v->items + first * v->s->item_size, last - first);
}

static int low_bits(const sorting *s) { return s->wide ? 0 : TESS__INDEX_BITS; }

static void argsort_vector(const sorting *s, int64_t *indices, const char *in, const workspace *r)
{
    row v = { s, in, r->work[0], indices };
    if (s->parallel) {
        tess__sample_sort(
            s->item,
            &(tess__long_vector){
                v.items, r->work[1], r->work[2], s->n, s->item_size, low_bits(s), { make_items, take_indices, &v } });
        return;
    }
    make_items(&v, 0, s->n);
    unpack(s, indices, s->item->sort(v.items, r->work[1], s->n, low_bits(s)), s->n);
}

/* Words with an index each are distinct, so exactly k - 1 of them are below the one of rank k - 1. */
static void topk_vector(const sorting *s, char *values, int64_t *indices, const char *in, const workspace *r)
{
    const int64_t k = s->work->k;
    int64_t       n = s->n, above;
    char         *items = r->work[0], *other = r->work[1];
    row           v = { s, in, items, NULL };
    if (!s->parallel) make_items(&v, 0, n);
    if (!s->wide && !s->parallel && k < n / 2) {
        const tess__key_kernel *words = tess__cpu_kernels()->sort.key[3];
        const uint64_t          last = words->select(items, n, k - 1, other);
        words->split(other, r->work[2], items, n, last, &n, &above);
        items = r->work[1], other = r->work[0];
        memcpy(items + n++ * (int64_t)sizeof last, &last, sizeof last);
    }
    if (s->parallel)
        tess__sample_sort(
            s->item,
            &(tess__long_vector){ items, other, r->work[2], n, s->item_size, low_bits(s), { make_items, NULL, &v } });
    else items = s->item->sort(items, other, n, low_bits(s));
    if (tess__cancelled()) return;
    unpack(s, indices, items, k);
    if (!values) return;
    s->key->take(values, in, indices, k);
    if (s->order.kind == TESS__KEY_BOOL) { /* bytes other than 0 become 1 */
        const tess__order rising = { .size = s->order.size, .kind = TESS__KEY_BOOL };
        s->key->keys(values, values, k, &rising);
    }
}

static void do_vector(const sorting *s, char *values, int64_t *indices, const char *in, const workspace *r)
{
    switch (s->work->op) {
    case TESS__SORT: sort_vector(s, values, in, r); break;
    case TESS__ARGSORT: argsort_vector(s, indices, in, r); break;
    case TESS__TOPK: topk_vector(s, values, indices, in, r); break;
    default: tess__partition(values, in, s->n, s->work->k, &s->order, r->work[0]); break;
    }
}

/* ---- Blocks of vectors ---- */

/* A block of an output as it lies in memory, and the vectors that are written: the same, or in the workspace. */
typedef struct target {
    tess_array there, vectors;
} target;

static target target_of(const sorting *s, const tess_array *out, int64_t block, void *memory, tess_dtype dtype)
{
    target t = { .there = { .data = NULL } };
    if (!out->data) return t;
    t.there = tess__vectors_block(&s->vectors, out, block);
    t.vectors = memory ? tess__vectors_workspace(&s->vectors, &t.there, memory, dtype) : t.there;
    return t;
}

static void *vector_at(const sorting *s, const tess_array *block, int64_t vector)
{
    if (!block->data) return NULL;
    return (char *)block->data + vector * block->strides.dim[s->vectors.next] * tess__dtype_size(block->dtype);
}

static void do_block(const sorting *s, int64_t block, const workspace *r)
{
    const tess__sort *work = s->work;
    tess_array        in = tess__vectors_block(&s->vectors, &work->in, block);
    const int64_t     width = tess__vectors_in(&s->vectors, &in);
    if (r->in) {
        const tess_array there = in;
        in = tess__vectors_workspace(&s->vectors, &there, r->in, there.dtype);
        tess__vectors_move(&in, &there);
    }
    const target values = target_of(s, &work->values, block, r->values, in.dtype);
    const target indices = target_of(s, &work->indices, block, r->indices, TESS_I64);
    for (int64_t l = 0; l < width && !tess__cancelled(); l++) {
        int64_t *p = indices.vectors.data ? vector_at(s, &indices.vectors, l) : r->indices;
        do_vector(s, vector_at(s, &values.vectors, l), p, vector_at(s, &in, l), r);
    }
    if (r->values) tess__vectors_move(&values.there, &values.vectors);
    if (r->indices && indices.there.data) tess__vectors_move(&indices.there, &indices.vectors);
}

static void run_blocks(void *context, int64_t first, int64_t last)
{
    sorting  *s = context;
    char     *memory = tess__workspace_acquire(&s->workspaces);
    workspace r;
    (void)lay_out(s, &r, memory);
    for (int64_t block = first; block < last; block++) do_block(s, block, &r);
    tess__workspace_release(&s->workspaces, memory);
}

/* ---- All vectors ---- */

static void prepare_kernels(sorting *s)
{
    const tess__sort *work = s->work;
    s->indices = work->op == TESS__ARGSORT || work->op == TESS__TOPK;
    s->n = work->in.shape.dim[work->axis];
    s->results = work->op == TESS__TOPK ? work->k : s->n;
    s->size = tess__dtype_size(work->in.dtype);
    s->order = tess__order_of(work->in.dtype, work->descending, s->indices);
    s->wide = s->indices && (s->size == 8 || s->n > (int64_t)UINT32_MAX);
    s->item_size = !s->indices ? s->size : s->wide ? (int64_t)sizeof(tess__pair) : (int64_t)sizeof(uint64_t);
    s->key = tess__cpu_kernels()->sort.key[tess__log2_size(s->size)];
    s->item = tess__cpu_kernels()->sort.item[tess__log2_size(s->item_size)];
}

/* Long enough that sample sort pays for a single thread too. */
static bool is_very_long(const sorting *s)
{
    return s->work->op != TESS__PARTITION && s->item_size >= 8 && !s->item->divides &&
           s->n >= TESS__SAMPLE_SORT_ALONE / s->item_size;
}

static void prepare_vectors(sorting *s)
{
    const tess__sort *work = s->work;
    const tess_array *values = &work->values, *indices = &work->indices;
    const int         axes = 1 << work->axis, threads = tess_threads_get();
    tess__vectors_of(&s->vectors, &work->in, axes, false);
    s->parallel = s->n >= TESS__SAMPLE_SORT_MIN && (tess_n_elements(&work->in) / s->n < threads || is_very_long(s));
    s->direct_in = tess__vectors_contiguous(&s->vectors, &work->in);
    s->direct_values = values->data && values->dtype == work->in.dtype && tess__vectors_contiguous(&s->vectors, values);
    s->direct_indices = indices->data && indices->dtype == TESS_I64 && tess__vectors_contiguous(&s->vectors, indices);
    if (s->parallel || (s->direct_in && (s->direct_values || !values->data) && (s->direct_indices || !indices->data)))
        tess__vectors_of(&s->vectors, &work->in, axes, true);
    /* A long vector is still read when results are written. */
    if (work->op == TESS__PARTITION && s->n > TESS__LONG_VECTOR && values->data == work->in.data) s->direct_in = false;
}

tess_status tess__cpu_sort(const tess__sort *work)
{
    sorting   s;
    workspace r;
    s.work = work;
    prepare_kernels(&s);
    prepare_vectors(&s);
    const int64_t blocks = s.vectors.blocks;
    const size_t  bytes = lay_out(&s, &r, NULL);
    TESS_CHECK(tess__workspaces_make(&s.workspaces, bytes, s.parallel ? 1 : blocks), TESS_ENOMEM,
               "%s: no memory for a workspace of %zu bytes for each thread", work->name, bytes);
    const double cost = COST * (double)s.n * (double)s.vectors.width;
    if (s.parallel) run_blocks(&s, 0, blocks);
    else tess__parallel(blocks, tess__grain(blocks, cost), run_blocks, &s);
    tess__workspaces_free(&s.workspaces);
    return TESS_OK;
}
