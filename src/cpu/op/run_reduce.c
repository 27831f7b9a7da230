/* Reductions by user-defined operators: fixed chunks and a fixed binary tree, so that results do not depend on threads.
 *
 * The axes are laid out as tiles want them, each of them reduced or kept. Results are computed in groups along the
 * innermost kept axis. Where that is the axis of rows, lanes are results, and a group is as many columns. Otherwise
 * each result has its own chunks, whose lanes are joined in halves. Chunks are joined as a binary tree of neighbours.
 */
#include <string.h>

#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/convert/convert.h"
#include "cpu/isa.h"
#include "cpu/op/half_lanes.h"
#include "cpu/op/run.h"
#include "cpu/reduce/binary_counter.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "tessera/device.h"

enum {
    CHUNK = 65536, /* elements, and more where there would be more chunks than these: each one finds the cache full */
    MANY_CHUNKS = 64,
    LONGEST_CHUNK = 262144,
    UNITS_PER_THREAD = 4
};

typedef struct reduction {
    tess__job    *job;
    bool          kept[4];
    bool          columns; /* lanes are results */
    int           along;   /* the axis that groups of results are taken from; -1: there is one result */
    int64_t       per_group, groups;
    int64_t       extent[4], chunks[4];     /* of a chunk, and how many of them, in each axis */
    int64_t       n_chunks;                 /* of one result, or group of columns */
    int64_t       count;                    /* elements of a result */
    bool          joins;                    /* some accumulators have no monoid */
    int32_t       lanes;                    /* of a tile */
    int64_t       width;                    /* lanes of a state */
    tess__row_fn *kernel[TESS__MAX_PARAMS]; /* that combines states, for each accumulator; NULL: by the join part */
    int64_t       size[TESS__MAX_PARAMS];   /* bytes of a lane */
    size_t        state_at[TESS__MAX_PARAMS], state_size; /* of `width` lanes */
    size_t        lanes_at[TESS__MAX_PARAMS], lanes_size; /* of TESS_LANES lanes */
    size_t        own_at[TESS__MAX_PARAMS], own_size;     /* as many of their own types */
    size_t        workspace;
    char         *states; /* of all chunks, if they are the threads' tasks */
} reduction;

/* The memory of a thread. */
typedef struct thread_memory {
    char *program, *lanes, *results, *own, *stack;
} thread_memory;

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

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

static void combine_one(const reduction *r, int i, char *into, const char *from, int64_t step, int64_t n)
{
    const int64_t s[3] = { 1, 1, step };
    char *const   p[3] = { into, into, (char *)(uintptr_t)from };
    if (r->job->op->acc[i].lane == TESS_F16) combine_halves(r->kernel[i], into, from, step, n);
    else r->kernel[i](p, s, n, NULL);
}

/* n lanes of `from`, at these offsets of each accumulator, into those of `into`. */
static void combine(const reduction *r, const thread_memory *p, char *into, char *from, const size_t *at, int64_t first,
                    int64_t n)
{
    const tess__operator *op = r->job->op;
    void                 *acc[TESS__MAX_PARAMS], *other[TESS__MAX_PARAMS];
    for (int i = 0; i < op->n_acc; i++)
        if (r->kernel[i]) combine_one(r, i, into + at[i], from + at[i] + first * r->size[i], 1, n);
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
static void join_simply(const reduction *r, const thread_memory *p, int64_t n)
{
    for (int i = 0; i < r->job->op->n_acc; i++) {
        char   *lanes = p->lanes + r->lanes_at[i];
        int64_t left = n;
        for (int64_t half = r->lanes / 2; half > 0; half /= 2) {
            if (half >= left) continue;
            combine_one(r, i, lanes, lanes + half * r->size[i], 1, left - half);
            left = half;
        }
    }
}

/* Lane 0 of `n` becomes all of them: with those half of n away, then a quarter, and so on. */
static void join_lanes(const reduction *r, const thread_memory *p, int64_t n)
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

/* The tree of chunks: where the state of each level lies. The last group may have fewer lanes than the others. */
typedef struct tree {
    const reduction     *r;
    const thread_memory *p;
    int64_t              n; /* lanes */
    tess__binary_counter counter;
    char                *state[TESS__COUNTER_MAX_LEVELS];
} tree;

static void merge_level(void *context, int level)
{
    const tree *t = context;
    combine(t->r, t->p, t->state[level], t->state[level + 1], t->r->state_at, 0, t->n);
}

static void tree_begin(tree *t, const reduction *r, const thread_memory *p, int64_t n)
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

/* ---- Chunks ---- */

static void fill_lanes(char *out, const unsigned char *value, int64_t size, int64_t n)
{
    const tess__kernels *k = tess__cpu_kernels();
    tess__element        e;
    memcpy(e.bytes, value, 16);
    e.size = size;
    k->memory.fill[tess__size_class(size)]((char *[]){ out }, (int64_t[]){ 1 }, n, &e);
}

static void start_lanes(const reduction *r, char *lanes, const size_t *at, int64_t n)
{
    for (int i = 0; i < r->job->op->n_acc; i++) fill_lanes(lanes + at[i], r->job->op->acc[i].start, r->size[i], n);
}

/* The position of the first result of a group, and how many it has. */
static int64_t group_origin(const reduction *r, int64_t group, int64_t origin[4])
{
    for (int d = 0; d < 4; d++) origin[d] = 0;
    if (r->along < 0) return 1;
    const int64_t *size = r->job->size, per_axis = ceil_div(size[r->along], r->per_group);
    int64_t        left = group / per_axis;
    origin[r->along] = (group - left * per_axis) * r->per_group;
    for (int d = r->along - 1; d >= 0; d--) {
        if (!r->kept[d]) continue;
        origin[d] = left % size[d];
        left /= size[d];
    }
    return tess__min(size[r->along] - origin[r->along], r->per_group);
}

/* One chunk of the result at `origin`, or of so many columns; its state goes to `state`. */
static void run_chunk(const reduction *r, const thread_memory *p, const int64_t origin[4], int64_t columns,
                      int64_t chunk, int64_t number, char *state)
{
    const tess__operator *op = r->job->op;
    tess_tile             tile = r->job->tile;
    void                 *acc[TESS__MAX_PARAMS];
    for (int d = 3; d >= 0; d--) {
        tile.origin[d] = origin[d];
        tile.extent[d] = d == 3 && r->columns ? columns : 1;
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

/* ---- Results ---- */

/* The results of a group, whose states lie in p->results as lanes do. */
static void finish_group(const reduction *r, const thread_memory *p, const int64_t origin[4], int64_t n)
{
    const tess__operator *op = r->job->op;
    void                 *acc[TESS__MAX_PARAMS];
    for (int i = 0; i < op->n_acc; i++) {
        const tess__accumulator *a = &op->acc[i];
        char                    *lanes = p->results + r->lanes_at[i];
        if (a->has_constant) combine_one(r, i, lanes, (const char *)a->constant, 0, n);
        acc[a->param] = lanes;
        if (a->own == a->lane) continue;
        const tess__conversion c = tess__conversion_of(a->lane, a->own, TESS__CLAMP, TESS_PART_DEFAULT);
        acc[a->param] = p->own + r->own_at[i];
        c.row((char *[]){ p->own + r->own_at[i], lanes }, (int64_t[]){ 1, 1 }, n, &c);
    }
    void    *ptr[TESS__MAX_PARAMS];
    int64_t  stride[TESS__MAX_PARAMS][4];
    uint32_t contig = 0;
    memcpy(ptr, r->job->ptr, (size_t)op->n_params * sizeof *ptr);
    memcpy(stride, r->job->stride, (size_t)op->n_params * sizeof *stride);
    for (uint32_t left = op->roles.out; left; left &= left - 1) {
        const int      k = __builtin_ctz(left);
        const int64_t *s = r->job->stride[k];
        int64_t        offset = 0;
        for (int d = 0; d < 4; d++) offset += r->kept[d] ? origin[d] * s[d] : 0;
        ptr[k] = (char *)ptr[k] + offset * tess__dtype_size(op->tree->params[k].type);
        for (int d = 0; d < 3; d++) stride[k][d] = 0;
        stride[k][3] = r->along < 0 ? 1 : s[r->along];
        if (stride[k][3] == 1) contig |= 1u << k;
    }
    if (!tess__has_part(op, TESS__PART_POST)) {
        uint32_t outs = op->roles.out;
        for (int i = 0; i < op->n_acc; i++, outs &= outs - 1) {
            const int           k = __builtin_ctz(outs);
            const int64_t       size = tess__dtype_size(op->acc[i].own);
            const tess__element e = { .size = size };
            tess__cpu_kernels()->memory.copy[tess__size_class(size)]((char *[]){ ptr[k], acc[op->acc[i].param] },
                                                                     (int64_t[]){ stride[k][3], 1 }, n, &e);
        }
        return;
    }
    tess_fault fault = { .set = 0 };
    tess_tile  tile = r->job->tile;
    tile.contig = contig;
    tile.fault = &fault;
    tile.ptr = ptr;
    tile.stride = (const int64_t(*)[4])stride;
    tile.acc = acc;
    tile.count = r->count;
    for (int d = 0; d < 4; d++) tile.origin[d] = 0, tile.extent[d] = d == 3 ? n : 1;
    tess__run_part(op, TESS__PART_POST, &tile, p->program);
    if (fault.set) tess__keep_fault(r->job, INT64_MAX, &fault);
}

/* A state as results number `at` and on. */
static void keep_results(const reduction *r, const thread_memory *p, const char *state, int64_t at, int64_t n)
{
    for (int i = 0; i < r->job->op->n_acc; i++)
        memcpy(p->results + r->lanes_at[i] + at * r->size[i], state + r->state_at[i], (size_t)(n * r->size[i]));
}

/* What is reduced to one state, chunk by chunk. */
static void reduce_here(const reduction *r, const thread_memory *p, const int64_t origin[4], int64_t columns,
                        int64_t number, int64_t at)
{
    tree t;
    tree_begin(&t, r, p, columns);
    t.state[0] = p->stack;
    if (r->n_chunks == 0) start_lanes(r, p->stack, r->state_at, columns);
    for (int64_t c = 0; c < r->n_chunks; c++) {
        char *state = p->stack + (size_t)t.counter.levels * r->state_size;
        run_chunk(r, p, origin, columns, c, number * r->n_chunks + c, state);
        push(&t, state);
    }
    keep_results(r, p, merge_all(&t), at, columns);
}

static thread_memory thread_memory_of(const reduction *r, char *workspace)
{
    thread_memory p;
    p.program = workspace;
    p.lanes = workspace + r->job->workspace;
    p.results = p.lanes + (r->columns ? 0 : r->lanes_size);
    p.own = p.results + r->lanes_size;
    p.stack = p.own + r->own_size;
    return p;
}

static void reduce_groups(const void *context, char *workspace, int64_t first, int64_t last)
{
    const reduction    *r = context;
    const thread_memory p = thread_memory_of(r, workspace);
    int64_t             origin[4];
    for (int64_t g = first; g < last; g++) {
        const int64_t n = group_origin(r, g, origin);
        if (r->columns) {
            reduce_here(r, &p, origin, n, g, 0);
        } else {
            int64_t at[4];
            memcpy(at, origin, sizeof at);
            for (int64_t i = 0; i < n; i++) {
                if (r->along >= 0) at[r->along] = origin[r->along] + i;
                reduce_here(r, &p, at, 1, g * r->per_group + i, i);
            }
        }
        finish_group(r, &p, origin, n);
    }
}

/* ---- Threads ---- */

static void groups_task(void *context, int64_t first, int64_t last)
{
    const reduction *r = context;
    tess__with_workspace(r->job, r->workspace, reduce_groups, r, first, last);
}

/* Chunks of all groups, which are single results or columns; their states are kept. */
static void run_chunks(const void *context, char *workspace, int64_t first, int64_t last)
{
    const reduction    *r = context;
    const thread_memory p = thread_memory_of(r, workspace);
    int64_t             origin[4];
    for (int64_t unit = first; unit < last; unit++) {
        const int64_t group = unit / r->n_chunks;
        const int64_t n = group_origin(r, group, origin);
        run_chunk(r, &p, origin, n, unit - group * r->n_chunks, unit, r->states + (size_t)unit * r->state_size);
    }
}

static void chunks_task(void *context, int64_t first, int64_t last)
{
    const reduction *r = context;
    tess__with_workspace(r->job, r->workspace, run_chunks, r, first, last);
}

static void join_chunks(const void *context, char *workspace, int64_t first, int64_t last)
{
    const reduction    *r = context;
    const thread_memory p = thread_memory_of(r, workspace);
    int64_t             origin[4];
    for (int64_t g = first; g < last; g++) {
        const int64_t n = group_origin(r, g, origin);
        tree          t;
        tree_begin(&t, r, &p, n);
        for (int64_t c = 0; c < r->n_chunks; c++) push(&t, r->states + (size_t)(g * r->n_chunks + c) * r->state_size);
        keep_results(r, &p, merge_all(&t), 0, n);
        finish_group(r, &p, origin, n);
    }
}

static tess_status no_memory(const reduction *r, size_t size)
{
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for %zu bytes to reduce in", r->job->op->name, size);
}

/* ---- Layout ---- */

/* Kernels that combine lanes; half precision is combined as f32. */
static void find_kernels(reduction *r)
{
    const tess__kernels *k = tess__cpu_kernels();
    for (int i = 0; i < r->job->op->n_acc; i++) {
        const tess__accumulator *a = &r->job->op->acc[i];
        r->joins |= a->op < 0;
        r->kernel[i] = a->op < 0 ? NULL : k->ewise.op[a->op][a->lane == TESS_F16 ? TESS_F32 : a->lane];
    }
}

/* Which axes are kept, and along which one groups are taken. */
static void find_axes(reduction *r)
{
    const tess__job *job = r->job;
    const int        out = job->op->roles.out ? __builtin_ctz(job->op->roles.out) : -1;
    r->along = -1;
    r->count = 1;
    r->groups = 1;
    for (int d = 0; d < 4; d++) {
        r->kept[d] = out >= 0 && job->stride[out][d] != 0 && job->size[d] != 1;
        if (r->kept[d]) r->along = d;
        else r->count *= job->size[d];
    }
    r->columns = r->along == 3;
    r->width = r->columns ? tess__min(job->size[3], TESS_LANES) : 1;
}

static void cut_chunks(reduction *r)
{
    const bool cut[4] = { !r->kept[0], !r->kept[1], !r->kept[2], !r->kept[3] };
    int64_t    max = CHUNK;
    while (max < LONGEST_CHUNK && r->count * r->width / max > MANY_CHUNKS) max *= 2;
    r->n_chunks = tess__cut_chunks(r->extent, r->chunks, r->job->size, cut, max / r->width);
}

static void group(reduction *r, int64_t per_group)
{
    r->per_group = per_group;
    if (r->along < 0) return;
    r->groups = ceil_div(r->job->size[r->along], per_group);
    for (int d = 0; d < r->along; d++)
        if (r->kept[d]) r->groups *= r->job->size[d];
}

static void place_memory(reduction *r)
{
    const tess__operator *op = r->job->op;
    r->state_size = r->lanes_size = r->own_size = 0;
    for (int i = 0; i < op->n_acc; i++) {
        r->size[i] = tess__dtype_size(op->acc[i].lane);
        r->state_at[i] = r->state_size;
        r->lanes_at[i] = r->lanes_size;
        r->own_at[i] = r->own_size;
        r->state_size += r->columns ? tess__aligned_size(r->width, r->size[i]) : 16;
        r->lanes_size += (size_t)(TESS_LANES * r->size[i]);
        if (op->acc[i].own != op->acc[i].lane) r->own_size += (size_t)(TESS_LANES * tess__dtype_size(op->acc[i].own));
    }
    r->lanes_size = tess__aligned_size((int64_t)r->lanes_size, 1);
    r->own_size = tess__aligned_size((int64_t)r->own_size, 1);
    r->state_size = r->columns ? r->state_size : (r->state_size + 15) / 16 * 16;
    r->workspace = r->job->workspace + (r->columns ? 1 : 2) * r->lanes_size + r->own_size +
                   (size_t)tess__counter_levels(r->n_chunks) * r->state_size;
}

/* Few groups of many chunks: the threads' tasks are chunks. */
static tess_status run_chunk_tasks(reduction *r)
{
    const int64_t units = r->groups * r->n_chunks;
    const size_t  size = (size_t)units * r->state_size;
    r->states = tess__alloc(size);
    if (!r->states) return no_memory(r, size);
    if (!tess__job_workspaces(r->job, r->workspace, units)) {
        tess__free(r->states);
        return no_memory(r, r->workspace);
    }
    const double cost = r->job->cost * (double)r->job->n / (double)units;
    tess__parallel(units, tess__grain(units, cost), chunks_task, r);
    tess__with_workspace(r->job, r->workspace, join_chunks, r, 0, r->groups);
    tess__job_workspaces_free(r->job, r->workspace);
    tess__free(r->states);
    return TESS_OK;
}

static tess_status run_group_tasks(reduction *r, bool alone)
{
    /* A group costs something beside its elements: lanes are set and joined. */
    const double  cost = r->job->cost * (double)r->job->n / (double)r->groups + 300;
    const int64_t grain = alone ? r->groups : tess__grain(r->groups, cost);
    if (!tess__job_workspaces(r->job, r->workspace, ceil_div(r->groups, grain))) return no_memory(r, r->workspace);
    tess__parallel(r->groups, grain, groups_task, r);
    tess__job_workspaces_free(r->job, r->workspace);
    return TESS_OK;
}

static bool has_results(const tess__job *job)
{
    for (uint32_t left = job->op->roles.out; left; left &= left - 1)
        if (tess_is_empty(&job->work->param[__builtin_ctz(left)].array)) return false;
    return true;
}

tess_status tess__run_reduction(tess__job *job)
{
    reduction r;
    if (!has_results(job)) return TESS_OK;
    r.job = job;
    r.joins = false;
    find_axes(&r);
    find_kernels(&r);
    r.lanes = r.columns || r.joins ? TESS_LANES : TESS_ROW_LANES;
    cut_chunks(&r);
    place_memory(&r);
    /* Loops that scatter would meet at the same elements. */
    const bool    alone = job->op->roles.scatter || tess__grain(job->n, job->cost) >= job->n;
    const int64_t wanted = alone ? 1 : (int64_t)UNITS_PER_THREAD * tess_threads_get();
    group(&r, r.columns ? r.width : 1);
    if (!alone && r.groups < wanted && r.groups * r.n_chunks > r.groups) return run_chunk_tasks(&r);
    if (!r.columns) {
        const int64_t fair = r.groups / wanted;
        group(&r, fair < 1 ? 1 : tess__min(fair, TESS_LANES));
    }
    return run_group_tasks(&r, alone);
}
