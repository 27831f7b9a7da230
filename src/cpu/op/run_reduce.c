/* Reductions by user-defined operators: fixed chunks and a fixed binary tree, so that results do not depend on threads.
 *
 * The axes are laid out as tiles want them, each of them reduced or kept. Results are computed in groups along the
 * innermost kept axis. Where that is the axis of rows, lanes are results, and a group is as many columns. Otherwise
 * each result has its own chunks, whose lanes are joined in halves. Chunks are joined as a binary tree of neighbours.
 */
#include "cpu/op/run_reduce.h"

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/minmax.h"
#include "cpu/isa.h"
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

static int64_t ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }

/* ---- Layout ---- */

/* Kernels that combine lanes; half precision is combined as f32. */
static void find_kernels(tess__op_reduction *r)
{
    const tess__kernels *k = tess__cpu_kernels();
    for (int i = 0; i < r->job->op->n_acc; i++) {
        const tess__accumulator *a = &r->job->op->acc[i];
        r->joins |= a->op < 0;
        r->kernel[i] = a->op < 0 ? NULL : k->ewise.op[a->op][a->lane == TESS_F16 ? TESS_F32 : a->lane];
    }
}

/* Which axes are kept, and along which one groups are taken. */
static void find_axes(tess__op_reduction *r)
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

static void cut_chunks(tess__op_reduction *r)
{
    const bool cut[4] = { !r->kept[0], !r->kept[1], !r->kept[2], !r->kept[3] };
    int64_t    max = CHUNK;
    while (max < LONGEST_CHUNK && r->count * r->width / max > MANY_CHUNKS) max *= 2;
    r->n_chunks = tess__cut_chunks(r->extent, r->chunks, r->job->size, cut, max / r->width);
}

static void cut_groups(tess__op_reduction *r, int64_t per_group)
{
    r->per_group = per_group;
    if (r->along < 0) return;
    r->groups = ceil_div(r->job->size[r->along], per_group);
    for (int d = 0; d < r->along; d++)
        if (r->kept[d]) r->groups *= r->job->size[d];
}

static void place_memory(tess__op_reduction *r)
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

static tess__op_reduce_memory memory_of(const tess__op_reduction *r, char *workspace)
{
    tess__op_reduce_memory p;
    p.program = workspace;
    p.lanes = workspace + r->job->workspace;
    p.results = p.lanes + (r->columns ? 0 : r->lanes_size);
    p.own = p.results + r->lanes_size;
    p.stack = p.own + r->own_size;
    return p;
}

static tess__op_results find_group(const tess__op_reduction *r, int64_t number)
{
    tess__op_results found = { .n = 1, .number = number };
    if (r->along < 0) return found;
    const int64_t *size = r->job->size, per_axis = ceil_div(size[r->along], r->per_group);
    int64_t        left = number / per_axis;
    found.origin[r->along] = (number - left * per_axis) * r->per_group;
    for (int d = r->along - 1; d >= 0; d--) {
        if (!r->kept[d]) continue;
        found.origin[d] = left % size[d];
        left /= size[d];
    }
    found.n = tess__min(size[r->along] - found.origin[r->along], r->per_group);
    return found;
}

/* ---- Tasks of groups ---- */

/* Results that are not lanes, one after the other. */
static void reduce_rows(const tess__op_reduction *r, const tess__op_reduce_memory *p, const tess__op_results *group)
{
    tess__op_results one = *group;
    one.n = 1;
    one.number = group->number * r->per_group;
    for (int64_t i = 0; i < group->n; i++, one.number++) {
        tess__keep_results(r, p, tess__run_all_chunks(r, p, &one), i, 1);
        if (r->along >= 0) one.origin[r->along]++;
    }
}

static void reduce_groups(const void *context, char *workspace, int64_t first, int64_t last)
{
    const tess__op_reduction    *r = context;
    const tess__op_reduce_memory p = memory_of(r, workspace);
    for (int64_t g = first; g < last; g++) {
        const tess__op_results group = find_group(r, g);
        if (r->columns) tess__keep_results(r, &p, tess__run_all_chunks(r, &p, &group), 0, group.n);
        else reduce_rows(r, &p, &group);
        tess__write_results(r, &p, &group);
    }
}

static void groups_task(void *context, int64_t first, int64_t last)
{
    const tess__op_reduction *r = context;
    tess__with_workspace(r->job, r->workspace, reduce_groups, r, first, last);
}

static tess_status no_memory(const tess__op_reduction *r, size_t size)
{
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for %zu bytes of workspace", r->job->op->name, size);
}

static tess_status run_group_tasks(tess__op_reduction *r, bool alone)
{
    /* A group costs something beside its elements: lanes are set and joined. */
    const double  cost = r->job->cost * (double)r->job->n / (double)r->groups + 300;
    const int64_t grain = alone ? r->groups : tess__grain(r->groups, cost);
    if (!tess__job_workspaces(r->job, r->workspace, ceil_div(r->groups, grain))) return no_memory(r, r->workspace);
    tess__parallel(r->groups, grain, groups_task, r);
    tess__job_workspaces_free(r->job, r->workspace);
    return TESS_OK;
}

/* ---- Tasks of chunks ---- */

/* Chunks of all groups, which are single results or columns; their states are kept. */
static void run_chunks(const void *context, char *workspace, int64_t first, int64_t last)
{
    const tess__op_reduction    *r = context;
    const tess__op_reduce_memory p = memory_of(r, workspace);
    for (int64_t unit = first; unit < last; unit++) {
        const tess__op_results group = find_group(r, unit / r->n_chunks);
        tess__run_chunk(r, &p, &group, unit % r->n_chunks, r->states + (size_t)unit * r->state_size);
    }
}

static void chunks_task(void *context, int64_t first, int64_t last)
{
    const tess__op_reduction *r = context;
    tess__with_workspace(r->job, r->workspace, run_chunks, r, first, last);
}

static void join_chunks(const void *context, char *workspace, int64_t first, int64_t last)
{
    const tess__op_reduction    *r = context;
    const tess__op_reduce_memory p = memory_of(r, workspace);
    for (int64_t g = first; g < last; g++) {
        const tess__op_results group = find_group(r, g);
        char                  *states = r->states + (size_t)(g * r->n_chunks) * r->state_size;
        tess__keep_results(r, &p, tess__merge_chunks(r, &p, states, group.n), 0, group.n);
        tess__write_results(r, &p, &group);
    }
}

/* Few groups of many chunks: the threads' tasks are chunks. */
static tess_status run_chunk_tasks(tess__op_reduction *r)
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
    if (!tess__cancelled()) tess__with_workspace(r->job, r->workspace, join_chunks, r, 0, r->groups);
    tess__job_workspaces_free(r->job, r->workspace);
    tess__free(r->states);
    return TESS_OK;
}

/* ---- The reduction ---- */

static bool has_results(const tess__job *job)
{
    for (uint32_t left = job->op->roles.out; left; left &= left - 1)
        if (tess_is_empty(&job->work->param[__builtin_ctz(left)].array)) return false;
    return true;
}

tess_status tess__run_reduction(tess__job *job)
{
    tess__op_reduction r;
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
    cut_groups(&r, r.columns ? r.width : 1);
    if (!alone && r.groups < wanted && r.groups * r.n_chunks > r.groups) return run_chunk_tasks(&r);
    if (!r.columns) {
        const int64_t fair = r.groups / wanted;
        cut_groups(&r, fair < 1 ? 1 : tess__min(fair, TESS_LANES));
    }
    return run_group_tasks(&r, alone);
}
