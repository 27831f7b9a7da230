/* Parallel reductions on the CPU: tasks are blocks of results and, where these are few, subtrees of their chunks. */
#include "cpu/reduce/reduce.h"

#include <stddef.h>
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/runtime/workspace.h"
#include "tessera/device.h"

/* ---- Blocks of results ---- */

/* Block number `block`: its first result's index along each kept axis, and how many it has. */
static int64_t locate_block(const tess__reduction *r, int64_t block, int64_t index[4])
{
    const tess__nest *kept = &r->plan.kept;
    const int         inner = kept->n_dims - 1;
    index[inner] = block % r->n_along * r->block;
    block /= r->n_along;
    for (int d = inner - 1; d >= 0; d--) {
        index[d] = block % kept->size[d];
        block /= kept->size[d];
    }
    return tess__min(kept->size[inner] - index[inner], r->block);
}

/* The index of a result in the order of the kept axes. */
static int64_t flat_index(const tess__reduction *r, const int64_t index[4])
{
    int64_t flat = 0;
    for (int d = 0; d < r->plan.kept.n_dims; d++) flat = flat * r->plan.kept.size[d] + index[d];
    return flat;
}

/* Where output k of a block goes, or NULL. */
static char *output_at(const tess__reduction *r, int k, const int64_t index[4])
{
    char *to = r->plan.data[TESS__OUT + k];
    for (int d = 0; to && d < r->plan.kept.n_dims; d++)
        to += index[d] * r->plan.kept.in[TESS__OUT + k][d] * r->plan.size[TESS__OUT + k];
    return to;
}

/* The outputs of a block, from the states of its results, `step` slots apart. */
static void finish_block(const tess__reduction *r, tess__slot *state, int64_t step, int64_t columns,
                         const int64_t index[4], double *values)
{
    const bool counted = r->work.skip_nan;
    for (int k = 0; k < 2 * r->work.n_items; k++) {
        const tess__method     *m = &r->item[k / 2].method;
        tess__slot             *s = state + r->item[k / 2].base * step;
        const int64_t          *counts = counted ? &s[m->slots * step].i : &r->plan.reduced.n;
        const tess__destination to = { output_at(r, k, index), r->work.item[k / 2].out[k % 2].dtype,
                                       r->plan.kept.in[TESS__OUT + k][r->plan.kept.n_dims - 1] };
        if (to.to) tess__put_outputs(m, k % 2, &(tess__results){ s, step, columns, counts, counted }, &to, values);
    }
}

/* ---- Workspaces ---- */

/* A workspace that is divided; while `memory` is NULL, its parts are counted. */
typedef struct division {
    char  *memory;
    size_t used;
} division;

/* The next n elements, aligned; NULL if there are none. */
static void *take(division *d, int64_t n, int64_t size)
{
    const size_t at = d->used;
    d->used += tess__aligned_size(n, size);
    return d->memory && n ? d->memory + at : NULL;
}

static bool is_by_columns(const tess__reduction *r) { return r->mode == TESS__BY_COLUMNS || r->mode == TESS__GATHERED; }

/* Levels of a tree. Where elements are added to one state one is enough, except to merge subtrees. The strategy alone
 * says it: the number of threads may change before the work runs. */
static int levels_for(const tess__reduction *r)
{
    bool ordered = is_by_columns(r);
    for (int i = 0; i < r->work.n_items; i++) ordered = ordered || r->item[i].method.ordered;
    return tess__counter_levels(ordered ? r->n_chunks : r->n_subs);
}

/* Divides a workspace; returns its size. */
static size_t lay_out(const tess__reduction *r, tess__reduce_memory *m, char *memory)
{
    division      d = { memory, 0 };
    const bool    by_columns = is_by_columns(r);
    const int64_t columns = r->mode == TESS__BY_ROWS ? 1 : r->block, states = r->slots * r->block;
    const int64_t chunk = by_columns ? 0 : TESS__CHUNK;
    m->tree = (tess__tree){ .item = r->item, .n_items = r->work.n_items, .slots = r->slots, .adds_states = by_columns };
    m->tree.slot = take(&d, states * levels_for(r), sizeof(tess__slot));
    m->state = take(&d, states, sizeof(tess__slot));
    m->values = take(&d, 2 * r->block, sizeof(double));
    for (int k = 0; k < 2; k++) {
        const bool there = k < r->work.n_inputs;
        m->raw[k] = take(&d, there && !r->tile[k] ? chunk : 0, r->plan.size[k]);
        m->ready[k] = take(&d, r->all_direct || !there ? 0 : chunk, 16);
        m->tile[k].out = take(&d, there ? r->tile[k] * columns : 0, r->plan.size[k]);
    }
    const int64_t rows = by_columns ? tess__min(r->plan.reduced.n, r->run) : 0;
    m->rows = take(&d, r->work.n_inputs * rows, sizeof *m->rows);
    m->columns = take(&d, by_columns ? tess__columns_workspace(rows, r->block) : 0, 1);
    m->converted = take(&d, r->converts ? rows * r->block : 0, tess__dtype_size(r->item[0].method.read[0]));
    return d.used;
}

/* ---- Tasks ---- */

/* A reduction with the memory of its threads. Trivially copyable: it can be copied into a queue. */
typedef struct execution {
    tess__reduction  r;
    tess__workspaces workspaces;
    tess__slot      *partial; /* states of subtrees: [sub][slot][result]; NULL if there is only one */
} execution;

/* The states of the `columns` results from `base` on, of chunks first to last - 1: at the tree's level 0. */
static void run_range(const tess__reduction *r, const char *const base[2], int64_t columns, int64_t first, int64_t last,
                      tess__reduce_memory *memory)
{
    tess__tree_begin(&memory->tree, columns);
    if (is_by_columns(r)) tess__add_columns(r, base, first, last, memory);
    else tess__add_rows(r, base, first, last, memory);
    tess__tree_end(&memory->tree);
}

/* Task block * n_subs + sub is subtree `sub` of block `block`. */
static void run_task(const execution *running, int64_t task, tess__reduce_memory *memory)
{
    const tess__reduction *r = &running->r;
    const tess__nest      *kept = &r->plan.kept;
    const int              inner = kept->n_dims - 1;
    const int64_t          sub = task % r->n_subs, first = sub * r->sub_chunks;
    const int64_t          last = tess__min(first + r->sub_chunks, r->n_chunks);
    int64_t                index[4];
    const int64_t columns = locate_block(r, task / r->n_subs, index), at_once = r->mode == TESS__BY_ROWS ? 1 : columns;
    tess__slot   *state = memory->state;
    int64_t       step = columns;
    const char   *base[2] = { NULL, NULL };
    for (int k = 0; k < r->work.n_inputs; k++) {
        base[k] = r->work.in[k].flags & TESS_SCALAR ? r->number[k] : r->plan.data[k];
        for (int d = 0; d <= inner; d++) base[k] += index[d] * kept->in[k][d] * r->plan.size[k];
    }
    if (r->short_output >= 0 &&
        tess__reduce_short_columns(r, base, columns, output_at(r, r->short_output, index), memory))
        return;
    if (running->partial) state = running->partial + sub * r->slots * kept->n + flat_index(r, index), step = kept->n;
    else if (at_once == columns) state = memory->tree.slot;
    for (int64_t c = 0; c < columns; c += at_once) {
        run_range(r, base, at_once, first, last, memory);
        for (int w = 0; w < r->slots && state != memory->tree.slot; w++)
            memcpy(state + w * step + c, memory->tree.slot + w * at_once, (size_t)at_once * sizeof *state);
        for (int k = 0; k < r->work.n_inputs; k++) base[k] += kept->in[k][inner] * r->plan.size[k];
    }
    if (!running->partial) finish_block(r, state, columns, columns, index, memory->values);
}

static void run_tasks(void *context, int64_t first, int64_t last)
{
    execution             *running = context;
    const tess__reduction *r = &running->r;
    tess__reduce_memory    memory;
    char                  *workspace = tess__workspace_acquire(&running->workspaces);
    (void)lay_out(r, &memory, workspace);
    for (int64_t task = first; task < last; task++) run_task(running, task, &memory);
    if (r->nt) tess__stores_done();
    tess__workspace_release(&running->workspaces, workspace);
}

/* Merges the subtrees of each result, in the order of a single tree. */
static void merge_subtrees(const execution *running)
{
    const tess__reduction *r = &running->r;
    tess__reduce_memory    memory;
    tess__tree            *t = &memory.tree;
    (void)lay_out(r, &memory, running->workspaces.memory);
    t->adds_states = true;
    for (int64_t block = 0; block < r->n_blocks; block++) {
        int64_t       index[4];
        const int64_t columns = locate_block(r, block, index);
        tess__tree_begin(t, columns);
        for (int64_t sub = 0; sub < r->n_subs; sub++) {
            const tess__slot *from = running->partial + sub * r->slots * r->plan.kept.n + flat_index(r, index);
            for (int w = 0; w < r->slots; w++)
                memcpy(tess__tree_slot(t, 0) + w * columns, from + w * r->plan.kept.n, (size_t)columns * sizeof *from);
            tess__tree_push(t);
        }
        tess__tree_end(t);
        finish_block(r, t->slot, columns, columns, index, memory.values);
    }
}

/* ---- Entry ---- */

static void free_memory(execution *e)
{
    tess__workspaces_free(&e->workspaces);
    tess__free(e->partial);
    e->workspaces.taken = NULL;
    e->partial = NULL;
}

static tess_status allocate_memory(execution *e)
{
    const tess__reduction *r = &e->r;
    tess__reduce_memory    memory;
    const size_t           bytes = lay_out(r, &memory, NULL), all = (size_t)(r->n_subs * r->slots * r->plan.kept.n);
    e->partial = NULL;
    if (!tess__workspaces_make(&e->workspaces, bytes, r->n_blocks * r->n_subs))
        TESS_FAIL(TESS_ENOMEM, "%s: no memory for a workspace of %zu bytes for each thread", r->work.name, bytes);
    if (r->n_subs == 1) return TESS_OK;
    e->partial = tess__alloc(all * sizeof(tess__slot));
    if (e->partial) return TESS_OK;
    tess__workspaces_free(&e->workspaces);
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for %zu bytes of partial results", r->work.name, all * sizeof(tess__slot));
}

static tess_status run(const void *payload, size_t size)
{
    execution    *e = (execution *)(uintptr_t)payload; /* whose workspaces are taken and released */
    const int64_t n_tasks = e->r.n_blocks * e->r.n_subs;
    (void)size;
    if (n_tasks == 1) run_tasks(e, 0, 1);
    else tess__parallel(n_tasks, tess__grain(n_tasks, e->r.cost / (double)n_tasks), run_tasks, e);
    if (e->partial && !tess__cancelled()) merge_subtrees(e);
    free_memory(e);
    return TESS_OK;
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    const tess__reduction *r = &((const execution *)payload)->r;
    (void)size;
    for (int k = 0; k < r->work.n_inputs; k++) each(r->work.in[k].buffer);
    for (int k = 0; k < 2 * r->work.n_items; k++)
        if (r->plan.data[TESS__OUT + k]) each(r->work.item[k / 2].out[k % 2].buffer);
}

static tess_status reduce_large(tess_stream *stream, const tess__reduce *work)
{
    execution        e;
    tess__reduction *r = &e.r;
    memcpy(&r->work, work, offsetof(tess__reduce, item) + (size_t)work->n_items * sizeof work->item[0]);
    tess__choose_strategy(r);
    for (int k = 0; k < work->n_inputs; k++)
        if (work->in[k].flags & TESS_SCALAR) memcpy(r->number[k], work->in[k].data, (size_t)r->plan.size[k]);
    if (r->plan.kept.n == 0) return TESS_OK;
    TESS_TRY(allocate_memory(&e));
    const tess_status status = tess__submit(stream, work->name, run, &e, sizeof e, buffers);
    if (status != TESS_OK) free_memory(&e);
    return status;
}

tess_status tess__cpu_reduce(tess_stream *stream, const tess__reduce *work)
{
    tess_status status;
    return tess__reduce_small(stream, work, &status) ? status : reduce_large(stream, work);
}
