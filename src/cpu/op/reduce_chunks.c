/* Chunks of reductions by user-defined operators: lanes of accumulators joined in halves, a binary tree of states. */
#include <string.h>

#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/op/half_lanes.h"
#include "cpu/op/run_reduce.h"
#include "cpu/reduce/binary_counter.h"

/* ---- Combining ---- */

static void combine_halves(tess__row_fn *kernel, char *into, const char *from, int64_t step, int64_t n)
{
    float       wide[2][TESS_LANES];
    char *const p[3] = { (char *)wide[0], (char *)wide[0], (char *)wide[1] };
    for (int64_t done = 0; done < n; done += TESS_LANES) {
        const int64_t m = tess__min(n - done, TESS_LANES);
        tess__widen_halves(wide[0], into + done * 2, 1, m);
        tess__widen_halves(wide[1], from + done * 2 * step, step, m);
        kernel(p, (int64_t[]){ 1, 1, 1 }, m, NULL);
        tess__narrow_halves(into + done * 2, wide[0], m);
    }
}

void tess__combine_lanes(const tess__op_reduction *r, int i, char *into, const char *from, int64_t step, int64_t n)
{
    const int64_t s[3] = { 1, 1, step };
    char *const   p[3] = { into, into, (char *)(uintptr_t)from };
    if (r->job->op->acc[i].lane == TESS_F16) combine_halves(r->kernel[i], into, from, step, n);
    else r->kernel[i](p, s, n, NULL);
}

/* n lanes of `from`, at these offsets of each accumulator, into those of `into`. */
static void combine(const tess__op_reduction *r, const tess__op_reduce_memory *p, char *into, char *from,
                    const size_t *at, int64_t first, int64_t n)
{
    const tess__operator *op = r->job->op;
    void                 *acc[TESS__MAX_PARAMS], *other[TESS__MAX_PARAMS];
    for (int i = 0; i < op->n_acc; i++)
        if (r->kernel[i]) tess__combine_lanes(r, i, into + at[i], from + at[i] + first * r->size[i], 1, n);
    if (!r->joins) return;
    for (int i = 0; i < op->n_acc; i++) {
        acc[op->acc[i].param] = into + at[i];
        other[op->acc[i].param] = from + at[i] + first * r->size[i];
    }
    tess_tile tile = r->job->tile;
    tile.acc = acc;
    tile.other = other;
    for (int d = 0; d < 4; d++) tile.origin[d] = 0, tile.extent[d] = d == 3 ? n : 1;
    tess_fault fault = { .set = 0 };
    tile.fault = &fault;
    tess__run_part(op, TESS__PART_JOIN, &tile, p->program);
    if (fault.set) tess__keep_fault(r->job, INT64_MAX, &fault);
}

/* The same for accumulators that all have a kernel. */
static void join_simply(const tess__op_reduction *r, const tess__op_reduce_memory *p, int64_t n)
{
    for (int i = 0; i < r->job->op->n_acc; i++) {
        char   *lanes = p->lanes + r->lanes_at[i];
        int64_t left = n;
        for (int64_t half = r->lanes / 2; half > 0; half /= 2) {
            if (half >= left) continue;
            tess__combine_lanes(r, i, lanes, lanes + half * r->size[i], 1, left - half);
            left = half;
        }
    }
}

/* Lane 0 of `n` becomes all of them: with those half of n away, then a quarter, and so on. */
static void join_lanes(const tess__op_reduction *r, const tess__op_reduce_memory *p, int64_t n)
{
    if (!r->joins) {
        join_simply(r, p, n);
        return;
    }
    for (int64_t half = r->lanes / 2; half > 0; half /= 2) {
        if (half >= n) continue;
        combine(r, p, p->lanes, p->lanes, r->lanes_at, half, n - half);
        n = half;
    }
}

/* ---- One chunk ---- */

static void fill_lanes(char *out, const unsigned char *value, int64_t size, int64_t n)
{
    const tess__kernels *k = tess__cpu_kernels();
    tess__element        e;
    memcpy(e.bytes, value, 16);
    e.size = size;
    k->memory.fill[tess__size_class(size)]((char *[]){ out }, (int64_t[]){ 1 }, n, &e);
}

static void start_lanes(const tess__op_reduction *r, char *lanes, const size_t *at, int64_t n)
{
    for (int i = 0; i < r->job->op->n_acc; i++) fill_lanes(lanes + at[i], r->job->op->acc[i].start, r->size[i], n);
}

void tess__run_chunk(const tess__op_reduction *r, const tess__op_reduce_memory *p, const tess__op_results *of,
                     int64_t chunk, char *state)
{
    const tess__operator *op = r->job->op;
    tess_tile             tile = r->job->tile;
    void                 *acc[TESS__MAX_PARAMS];
    const int64_t         number = of->number * r->n_chunks + chunk;
    for (int d = 3; d >= 0; d--) {
        tile.origin[d] = of->origin[d];
        tile.extent[d] = d == 3 && r->columns ? of->n : 1;
        if (r->kept[d]) continue;
        const int64_t at = chunk % r->chunks[d];
        chunk /= r->chunks[d];
        tile.origin[d] = at * r->extent[d];
        tile.extent[d] = tess__min(r->job->size[d] - tile.origin[d], r->extent[d]);
    }
    char         *lanes = r->columns ? state : p->lanes;
    const size_t *at = r->columns ? r->state_at : r->lanes_at;
    const int64_t used = tess__min(tile.extent[3], r->lanes);
    start_lanes(r, lanes, at, r->columns ? used : r->lanes);
    for (int i = 0; i < op->n_acc; i++) acc[op->acc[i].param] = lanes + at[i];
    tile.acc = acc;
    tile.lanes = r->lanes;
    tess__run_tile(r->job, &tile, number, p->program);
    if (r->columns) return;
    join_lanes(r, p, used);
    for (int i = 0; i < op->n_acc; i++) memcpy(state + r->state_at[i], lanes + at[i], (size_t)r->size[i]);
}

/* ---- All chunks ---- */

/* The tree of chunks: where the state of each level lies. The last group may have fewer lanes than the others. */
typedef struct tree {
    const tess__op_reduction     *r;
    const tess__op_reduce_memory *p;
    int64_t                       n; /* lanes */
    tess__binary_counter          counter;
    char                         *state[TESS__COUNTER_MAX_LEVELS];
} tree;

static void merge_level(void *context, int level)
{
    const tree *t = context;
    combine(t->r, t->p, t->state[level], t->state[level + 1], t->r->state_at, 0, t->n);
}

static void tree_begin(tree *t, const tess__op_reduction *r, const tess__op_reduce_memory *p, int64_t n)
{
    t->r = r;
    t->p = p;
    t->n = n;
    t->counter = (tess__binary_counter){ 0 };
}

static void push(tree *t, char *state)
{
    t->state[t->counter.levels] = state;
    tess__counter_push(&t->counter, merge_level, t);
}

/* The state of all chunks. */
static char *merge_all(tree *t)
{
    tess__counter_end(&t->counter, merge_level, t);
    return t->state[0];
}

char *tess__run_all_chunks(const tess__op_reduction *r, const tess__op_reduce_memory *p, const tess__op_results *of)
{
    tree t;
    tree_begin(&t, r, p, of->n);
    t.state[0] = p->stack;
    if (r->n_chunks == 0) start_lanes(r, p->stack, r->state_at, of->n);
    for (int64_t c = 0; c < r->n_chunks; c++) {
        char *state = p->stack + (size_t)t.counter.levels * r->state_size;
        tess__run_chunk(r, p, of, c, state);
        push(&t, state);
    }
    return merge_all(&t);
}

char *tess__merge_chunks(const tess__op_reduction *r, const tess__op_reduce_memory *p, char *states, int64_t n)
{
    tree t;
    tree_begin(&t, r, p, n);
    for (int64_t c = 0; c < r->n_chunks; c++) push(&t, states + (size_t)c * r->state_size);
    return merge_all(&t);
}
