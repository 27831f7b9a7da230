/* Planning of reductions on a GPU: order of axes, packs, and threads for each result. */
#include "cuda/reduce/plan.h"

#include <string.h>

#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/minmax.h"
#include "cuda/jit/division.h"

enum {
    THREADS = TESS__CUDA_REDUCE_THREADS,
    WARP_TEAM = 5,     /* 2^5 threads */
    BLOCK_TEAM = 8,    /* 2^8 threads */
    MIN_CHUNK = 2048,  /* groups of a chunk of a row: 32 KB */
    MAX_CHUNK = 65536, /* so that no sum is long */
    ROW_CHUNKS = 1056, /* chunks of all rows that keep a GPU busy: 8 for each multiprocessor of an H200 */
    FEW_ROWS = 4096,   /* up to so many are reduced by blocks rather than warps */
    SHORT_ROW = 128,   /* groups; a block would be idle */
    BUSY = 262144,     /* threads that keep a GPU busy */
    COLUMN_TASK = 8,   /* minimum of numbers of a column that a thread takes */
    COLUMN_CHUNK = 16, /* the same where chunks are merged later */
    MIN_ACROSS = 8,    /* threads side by side: a cache line */
    PACK_SLOTS = 12    /* of states that fit the registers of a thread */
};

/* One axis. */
typedef struct axis {
    int64_t size, in[2], number, out[TESS__GPU_RESULTS];
} axis;

typedef struct axes {
    int  n;
    axis at[TESS__GPU_AXES];
} axes;

typedef struct planner {
    const tess__reduce     *work;
    tess__cuda_reduce_plan *plan;
    int64_t                 size[2]; /* bytes of an element; 0: no such input in memory */
    int                     n_outputs;
    axes                    kept, reduced;
} planner;

/* ---- Axes in the order of memory ---- */

static int64_t stride_of(const tess_array *a, int d) { return a->shape.dim[d] == 1 ? 0 : a->strides.dim[d]; }

static bool is_wanted(const tess__reduce *work, int k) { return work->item[k / 2].out[k % 2].data != NULL; }

/* Bytes between neighbours along an axis; an axis along which nothing changes is best the outermost. */
static int64_t step_of(const planner *w, const axis *a)
{
    int64_t largest = 0;
    for (int k = 0; k < 2; k++) {
        const int64_t bytes = tess__magnitude(a->in[k]) * w->size[k];
        if (bytes > largest) largest = bytes;
    }
    return largest ? largest : INT64_MAX;
}

/* Reverses an axis, if the first input that changes along it has a negative stride. */
static void reverse(planner *w, axis *a)
{
    tess__gpu_reduce *p = &w->plan->p;
    const int64_t     last = a->size - 1;
    if (a->in[0] > 0 || (a->in[0] == 0 && a->in[1] >= 0)) return;
    for (int k = 0; k < 2; k++) {
        p->in[k] += (uint64_t)(last * a->in[k] * w->size[k]);
        a->in[k] = -a->in[k];
    }
    p->first_number += last * a->number;
    a->number = -a->number;
    for (int k = 0; k < w->n_outputs; k++) {
        if (!is_wanted(w->work, k)) continue;
        p->out[k] += (uint64_t)(last * a->out[k] * tess__dtype_size(w->work->item[k / 2].out[k % 2].dtype));
        a->out[k] = -a->out[k];
    }
}

static void insert(const planner *w, axes *to, const axis *a)
{
    int i = to->n++;
    for (; i > 0 && step_of(w, a) > step_of(w, &to->at[i - 1]); i--) to->at[i] = to->at[i - 1];
    to->at[i] = *a;
}

static bool is_run(const axis *outer, const axis *inner, int n_outputs, bool numbered)
{
    bool run = !numbered || outer->number == inner->number * inner->size;
    for (int k = 0; k < 2; k++) run = run && outer->in[k] == inner->in[k] * inner->size;
    for (int k = 0; k < n_outputs; k++) run = run && outer->out[k] == inner->out[k] * inner->size;
    return run;
}

static void join_runs(axes *all, int n_outputs, bool numbered)
{
    int last = 0;
    for (int i = 1; i < all->n; i++) {
        const bool    run = is_run(&all->at[last], &all->at[i], n_outputs, numbered);
        const int64_t outer = run ? all->at[last].size : 1;
        if (!run) last++;
        all->at[last] = all->at[i];
        all->at[last].size *= outer;
    }
    if (all->n) all->n = last + 1;
}

static void sort_axes(planner *w, bool numbered)
{
    const tess__reduce *work = w->work;
    int64_t             number = 1;
    for (int d = 3; d >= 0; d--) {
        const int64_t size = work->shape.dim[d];
        const bool    reduced = (work->axes & TESS_B << d) != 0;
        axis          a = { .size = size };
        if (size == 1) continue;
        for (int k = 0; k < work->n_inputs; k++)
            if (w->size[k]) a.in[k] = stride_of(&work->in[k], d);
        if (reduced) a.number = number;
        if (reduced) number *= size;
        for (int k = 0; k < w->n_outputs && !reduced; k++)
            if (is_wanted(work, k)) a.out[k] = work->item[k / 2].out[k % 2].strides.dim[d];
        reverse(w, &a);
        insert(w, reduced ? &w->reduced : &w->kept, &a);
    }
    join_runs(&w->kept, w->n_outputs, false);
    join_runs(&w->reduced, 0, numbered);
    if (w->kept.n == 0) w->kept = (axes){ .n = 1, .at = { { .size = 1 } } };
    if (w->reduced.n == 0) w->reduced = (axes){ .n = 1, .at = { { .size = 1 } } };
}

static int64_t count(const axes *all)
{
    int64_t n = 1;
    for (int i = 0; i < all->n; i++) n *= all->at[i].size;
    return n;
}

static const axis *innermost(const axes *all) { return &all->at[all->n - 1]; }

/* ---- Vector loads and stores ---- */

/* The widest load or store, of at most `whole` bytes, that divides an address and all strides but for the one of
 * `along`, which is 1. `outs`: of output k, else of input k. */
static int64_t load_bytes(const planner *w, bool outs, int k, int64_t size, const axis *along, int64_t whole)
{
    uint64_t bits = outs ? w->plan->p.out[k] : w->plan->p.in[k];
    for (int side = 0; side < 2; side++) {
        const axes *all = side ? &w->reduced : &w->kept;
        for (int i = 0; i < all->n; i++)
            if (&all->at[i] != along) bits |= (uint64_t)((outs ? all->at[i].out[k] : all->at[i].in[k]) * size);
    }
    int64_t bytes = 16;
    while (bytes > 1 && (bits % (uint64_t)bytes || whole % bytes)) bytes /= 2;
    return bytes;
}

static int64_t largest_element(const planner *w) { return tess__max(tess__max(w->size[0], w->size[1]), 1); }

/* Numbers that are read together, and how. */
static void set_group(planner *w)
{
    tess__cuda_reduce_shape *s = &w->plan->shape;
    const axis              *inner = innermost(&w->reduced);
    s->group = (uint8_t)tess__max(16 / largest_element(w), 1);
    s->within = w->reduced.n == 1 || inner->size % s->group == 0;
    for (int k = 0; k < w->work->n_inputs; k++)
        if (w->size[k] && s->within && inner->in[k] == 1)
            s->bytes[k] = (uint8_t)load_bytes(w, false, k, w->size[k], inner, s->group * w->size[k]);
}

/* Can PACK columns of every input that changes along them be read at once? */
static bool packs(const planner *w, int64_t pack)
{
    const axis *inner = innermost(&w->kept);
    if (inner->size % pack) return false;
    for (int k = 0; k < w->work->n_inputs; k++) {
        if (!w->size[k] || inner->in[k] == 0) continue;
        const int64_t whole = pack * w->size[k];
        if (inner->in[k] != 1 || load_bytes(w, false, k, w->size[k], inner, whole) < tess__min(whole, 16)) return false;
    }
    return true;
}

static bool writes_packs(const planner *w, int64_t pack)
{
    const axis *inner = innermost(&w->kept);
    for (int k = 0; k < w->n_outputs; k++) {
        if (!is_wanted(w->work, k)) continue;
        const int64_t size = tess__dtype_size(w->work->item[k / 2].out[k % 2].dtype), whole = pack * size;
        if (inner->out[k] != 1 || load_bytes(w, true, k, size, inner, whole) < tess__min(whole, 16)) return false;
    }
    return true;
}

static void set_pack(planner *w, int slots)
{
    tess__cuda_reduce_shape *s = &w->plan->shape;
    int64_t                  pack = tess__max(16 / largest_element(w), 1);
    while (pack > 1 && (pack * slots > PACK_SLOTS || !packs(w, pack))) pack /= 2;
    s->pack = (uint8_t)pack;
    s->packed = writes_packs(w, pack);
    for (int k = 0; k < w->work->n_inputs; k++)
        if (w->size[k] && innermost(&w->kept)->in[k] == 1) s->bytes[k] = (uint8_t)tess__min(pack * w->size[k], 16);
}

/* ---- Threads ---- */

/* The smallest e with 2^e >= x. */
static int32_t exponent(int64_t x)
{
    int32_t e = 0;
    while (((int64_t)1 << e) < x) e++;
    return e;
}

static int64_t quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }

static void divide_rows(tess__cuda_reduce_plan *plan)
{
    tess__gpu_reduce *p = &plan->p;
    const int64_t     groups = tess__max(quotient(p->reduced.n, plan->shape.group), 1);
    p->chunk = groups;
    if (groups > MIN_CHUNK) {
        p->team = BLOCK_TEAM;
        const double all = (double)groups * (double)p->results / ROW_CHUNKS; /* may be beyond int64 where all are one */
        if (all < MAX_CHUNK)
            p->chunk = tess__min(groups, tess__max(MIN_CHUNK, quotient((int64_t)all + 1, 1024) * 1024));
        else p->chunk = tess__min(groups, MAX_CHUNK);
    } else if (groups > SHORT_ROW && p->results < FEW_ROWS) {
        p->team = BLOCK_TEAM;
    } else {
        p->team = (int32_t)tess__min(WARP_TEAM, exponent(quotient(groups, 4)));
    }
    p->chunks = quotient(groups, p->chunk);
    p->result_step = p->chunks;
    p->chunk_step = 1;
    plan->blocks = quotient(p->results * p->chunks, THREADS >> p->team);
}

/* `pack` is what elements would allow, whatever is made of them: so the order of sums does not depend on the items. */
static void divide_columns(tess__cuda_reduce_plan *plan, int64_t pack)
{
    tess__gpu_reduce *p = &plan->p;
    const int64_t     n = p->reduced.n, all = tess__max(p->results / pack, 1);
    int64_t           along = 1; /* threads that share a column */
    while (THREADS / along > MIN_ACROSS || THREADS / along > all) {
        if (2 * along > THREADS || all * along >= BUSY || n / (2 * along) < COLUMN_TASK) break;
        along *= 2;
    }
    const int64_t chunks = tess__max(tess__min(BUSY / (all * along), n / (along * COLUMN_CHUNK)), 1);
    p->team = exponent(THREADS / along);
    p->chunk = tess__max(quotient(n, chunks), 1);
    p->chunks = tess__max(quotient(n, p->chunk), 1);
    p->result_step = 1;
    p->chunk_step = p->results;
    plan->blocks = quotient(p->results / plan->shape.pack, THREADS / along) * p->chunks;
}

static void divide_merging(tess__cuda_reduce_plan *plan)
{
    const tess__gpu_reduce *p = &plan->p;
    if (p->chunks == 1) return;
    plan->merge_team = (int32_t)tess__min(WARP_TEAM, exponent(quotient(p->chunks, 4)));
    if (p->chunks > SHORT_ROW && p->results < FEW_ROWS) plan->merge_team = BLOCK_TEAM;
    plan->merge_blocks = quotient(p->results, THREADS >> plan->merge_team);
}

/* ---- All ---- */

static void set_nest(tess__gpu_nest *nest, const axes *all, int64_t pack)
{
    nest->n = count(all);
    for (int i = 0; i < all->n; i++) {
        nest->size[i] = all->at[i].size / (i == all->n - 1 ? pack : 1);
        for (int k = 0; k < 2; k++) nest->in[k][i] = all->at[i].in[k];
        nest->divisor[i] = tess__cuda_divisor(tess__max(nest->size[i], 1));
    }
}

static void set_nests(planner *w)
{
    tess__gpu_reduce *p = &w->plan->p;
    set_nest(&p->kept, &w->kept, w->plan->shape.pack);
    set_nest(&p->reduced, &w->reduced, 1);
    p->results = p->kept.n;
    for (int i = 0; i < w->reduced.n; i++) p->number[i] = w->reduced.at[i].number;
    for (int i = 0; i < w->kept.n; i++)
        for (int k = 0; k < w->n_outputs; k++) p->out_stride[k][i] = w->kept.at[i].out[k];
}

static void begin(planner *w)
{
    tess__gpu_reduce *p = &w->plan->p;
    p->ddof = w->work->ddof;
    for (int k = 0; k < w->work->n_inputs; k++) {
        const tess_array *in = &w->work->in[k];
        const int64_t     size = tess__dtype_size(in->dtype);
        if (in->flags & TESS_SCALAR) {
            memcpy(p->value[k], in->data, (size_t)size);
            continue;
        }
        w->size[k] = size;
        p->in[k] = (uintptr_t)in->data;
    }
    for (int k = 0; k < w->n_outputs; k++)
        if (is_wanted(w->work, k)) p->out[k] = (uintptr_t)w->work->item[k / 2].out[k % 2].data;
}

void tess__cuda_plan_reduction(tess__cuda_reduce_plan *plan, const tess__reduce *work, int slots, bool numbered)
{
    planner                  w = { .work = work, .plan = plan, .n_outputs = 2 * work->n_items };
    tess__cuda_reduce_shape *s = &plan->shape;
    memset(plan, 0, sizeof *plan);
    begin(&w);
    sort_axes(&w, numbered);
    const bool one = count(&w.kept) == 1;
    s->columns =
        !one && (count(&w.reduced) <= 1 || step_of(&w, innermost(&w.kept)) < step_of(&w, innermost(&w.reduced)));
    s->kept_dims = (uint8_t)w.kept.n;
    s->reduced_dims = (uint8_t)w.reduced.n;
    s->pack = 1;
    if (s->columns) set_pack(&w, slots);
    else set_group(&w);
    set_nests(&w);
    s->wide = plan->p.results >= INT32_MAX || plan->p.reduced.n >= INT32_MAX - 65536;
    if (s->columns) divide_columns(plan, tess__max(16 / largest_element(&w), 1));
    else divide_rows(plan);
    divide_merging(plan);
}
