/* Execution of user-defined operators on the CPU: the loop nest is planned, then run by the operator's mode. */
#include "cpu/op/run.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "core/array/layout.h"
#include "cpu/cpu.h"
#include "cpu/runtime/stream.h"
#include "lang/fault.h"

/* Rows shorter than this do not pay if another axis is much longer. */
enum { SHORT_ROW = 16, MUCH_LONGER = 8 };

/* Results of at most so many elements are better computed interleaved, if there are so many of them. */
enum { FEW_REDUCED = 128, MANY_RESULTS = 64 };

/* ---- Layout ---- */

static void *first_element(const tess__op_call *work, int k)
{
    return work->scalars >> k & 1 ? (void *)(uintptr_t)work->param[k].value : work->param[k].array.data;
}

/* Views and scatters as they are, and values. Loops may look at the first element of a view that has none. */
static void set_views(tess__job *job)
{
    static _Alignas(16) char nothing[16];
    const tess__op_call     *work = job->work;
    const uint32_t           views = job->op->roles.view | job->op->roles.scatter;
    for (uint32_t left = views; left; left &= left - 1) {
        const int k = __builtin_ctz(left);
        job->ptr[k] = tess__has_elements(&work->param[k].array) ? work->param[k].array.data : nothing;
        memcpy(job->stride[k], work->param[k].array.strides.dim, sizeof job->stride[k]);
        memcpy(job->shape[k], work->param[k].array.shape.dim, sizeof job->shape[k]);
    }
    for (uint32_t left = job->op->roles.val; left; left &= left - 1) {
        const int          k = __builtin_ctz(left);
        const tess__param *p = &job->op->tree->params[k];
        const void        *of_struct = work->structs + p->at;
        if (tess__is_struct(p->type)) memcpy(job->values[k], &of_struct, sizeof of_struct);
        else memcpy(job->values[k], work->param[k].value, sizeof job->values[k]);
        job->ptr[k] = NULL;
    }
    for (uint32_t left = job->op->roles.acc; left; left &= left - 1) job->ptr[__builtin_ctz(left)] = NULL;
}

/* All arrays as one row. */
static void lay_row(tess__job *job, uint32_t walked)
{
    const tess__op_call *work = job->work;
    job->n = job->size[3] = work->row;
    job->size[0] = job->size[1] = job->size[2] = 1;
    for (uint32_t left = walked; left; left &= left - 1) {
        const int k = __builtin_ctz(left);
        job->ptr[k] = first_element(work, k);
        job->stride[k][0] = job->stride[k][1] = job->stride[k][2] = 0;
        job->stride[k][3] = work->row == 1 || !tess__all_ones(&work->param[k].array.shape);
    }
}

/* The axes as they are. */
static void lay_in_order(tess__job *job, uint32_t walked)
{
    const tess__op_call *work = job->work;
    memcpy(job->size, work->domain.dim, sizeof job->size);
    job->n = job->size[0] * job->size[1] * job->size[2] * job->size[3];
    for (uint32_t left = walked; left; left &= left - 1) {
        const int         k = __builtin_ctz(left);
        const tess_array *a = &work->param[k].array;
        job->ptr[k] = first_element(work, k);
        for (int d = 0; d < 4; d++) job->stride[k][d] = a->shape.dim[d] == 1 ? 0 : a->strides.dim[d];
    }
}

static void swap_axes(tess__job *job, uint32_t walked, int a, int b)
{
    const int64_t size = job->size[a];
    job->size[a] = job->size[b], job->size[b] = size;
    for (uint32_t left = walked; left; left &= left - 1) {
        int64_t      *stride = job->stride[__builtin_ctz(left)];
        const int64_t s = stride[a];
        stride[a] = stride[b], stride[b] = s;
    }
}

static int longest_of(const tess__job *job, const bool among[3])
{
    int longest = -1;
    for (int d = 2; d >= 0; d--)
        if (among[d] && (longest < 0 || job->size[d] > job->size[longest])) longest = d;
    return longest;
}

static void lengthen_rows(tess__job *job, uint32_t walked)
{
    const int longest = longest_of(job, (const bool[3]){ true, true, true });
    if (job->size[3] < SHORT_ROW && job->size[longest] >= MUCH_LONGER * job->size[3])
        swap_axes(job, walked, longest, 3);
}

/* Many results of few elements each: an axis that is kept becomes that of the rows. */
static void put_results_inside(tess__job *job, uint32_t walked, int out)
{
    int64_t reduced = 1;
    bool    kept[4];
    for (int d = 0; d < 4; d++) {
        kept[d] = job->stride[out][d] != 0;
        if (!kept[d]) reduced *= job->size[d];
    }
    const int longest = longest_of(job, kept);
    if (!kept[3] && longest >= 0 && reduced <= FEW_REDUCED && job->size[longest] >= MANY_RESULTS)
        swap_axes(job, walked, longest, 3);
}

/* Axes reversed, sorted and merged by the plan; in a reduction by the order of the inputs. */
static void lay_planned(tess__job *job, uint32_t walked)
{
    const tess__op_call *work = job->work;
    const bool           reduces = job->op->mode == TESS_MODE_REDUCE;
    const uint32_t       outs = (job->op->roles.out | job->op->roles.inout) & walked;
    const uint32_t       order[2] = { reduces ? walked & ~outs : outs, reduces ? outs : walked & ~outs };
    const tess_array    *operands[TESS__MAX_PARAMS];
    int                  param[TESS__MAX_PARAMS], n = 0;
    tess__loop           loop;
    for (int i = 0; i < 2; i++)
        for (uint32_t left = order[i]; left; left &= left - 1) {
            param[n] = __builtin_ctz(left);
            operands[n] = &work->param[param[n]].array;
            n++;
        }
    tess__plan(&loop, work->domain, operands, n);
    const int lead = 4 - loop.n_dims;
    job->n = loop.n;
    for (int d = 0; d < 4; d++) job->size[d] = d < lead ? 1 : loop.shape[d - lead];
    for (int i = 0; i < n; i++) {
        const int  k = param[i];
        const bool number = work->scalars >> k & 1;
        job->ptr[k] = number ? first_element(work, k) : loop.data[i];
        for (int d = 0; d < 4; d++) job->stride[k][d] = d < lead || number ? 0 : loop.stride[i][d - lead];
    }
    if (loop.n == 1 && loop.n_dims == 1 && reduces) /* the plan says 1 for a lone element */
        for (int i = 0; i < n; i++) job->stride[param[i]][3] = 0;
    lengthen_rows(job, walked);
    if (reduces && outs) put_results_inside(job, walked, __builtin_ctz(outs));
}

static uint32_t contiguous(const tess__job *job, uint32_t walked)
{
    uint32_t contig = 0;
    for (uint32_t left = walked; left; left &= left - 1) {
        const int k = __builtin_ctz(left);
        if (job->stride[k][3] == 1) contig |= 1u << k;
    }
    return job->op->careful ? contig & ~job->work->same : contig;
}

static void lay_out(tess__job *job)
{
    const uint32_t walked = job->op->walked;
    set_views(job);
    if (job->work->row) lay_row(job, walked);
    else if (job->op->indexed) lay_in_order(job, walked);
    else lay_planned(job, walked);
    job->cost = (double)job->op->cost;
    tess_tile *t = &job->tile;
    memset(t, 0, sizeof *t);
    t->ptr = job->ptr;
    t->stride = (const int64_t(*)[4])job->stride;
    t->shape = (const int64_t(*)[4])job->shape;
    memcpy(t->size, job->size, sizeof t->size);
    t->val = job->values;
    t->ctx = job->op->ctx;
    t->contig = contiguous(job, walked);
}

/* ---- Faults ---- */

void tess__keep_fault(tess__job *job, int64_t number, const tess_fault *fault)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    (void)pthread_mutex_lock(&lock);
    if (job->fault_at < 0 || number < job->fault_at) {
        job->fault_at = number;
        job->fault = *fault;
    }
    (void)pthread_mutex_unlock(&lock);
}

/* ---- The call ---- */

/* Inputs that do not change along a row: what follows from them alone is computed once for each. */
static const tess__program *body_of(const tess__job *job)
{
    const tess__operator *op = job->op;
    uint32_t              still = 0;
    for (uint32_t left = op->roles.in; left && job->size[3] > 1; left &= left - 1) {
        const int k = __builtin_ctz(left);
        if (job->stride[k][3] == 0) still |= 1u << k;
    }
    const tess__program *special = op->still && still ? tess__still_program(op->still, still) : NULL;
    return special ? special : op->program[TESS__PART_BODY];
}

static size_t program_workspace(const tess__job *job)
{
    const tess__program *programs[] = { job->body, job->op->program[TESS__PART_JOIN],
                                        job->op->program[TESS__PART_POST] };
    size_t               max = 0;
    for (int i = 0; i < TESS__PARTS_OF_OPERATOR; i++) {
        const size_t size = programs[i] ? tess__aligned_size((int64_t)tess__vm_workspace(programs[i]), 1) : 0;
        max = size > max ? size : max;
    }
    return max;
}

static tess_status run_job(tess__job *job)
{
    job->fault_at = -1;
    lay_out(job);
    job->body = body_of(job);
    job->workspace = program_workspace(job);
    if (job->op->mode == TESS_MODE_REDUCE) TESS_TRY(tess__run_reduction(job));
    else if (job->n == 0) return TESS_OK;
    else if (job->op->roles.scatter) TESS_TRY(tess__run_scatter(job));
    else TESS_TRY(tess__run_tiles(job));
    if (job->fault_at >= 0) TESS_TRY(tess__operator_fault(job->op, &job->fault, (const int64_t(*)[4])job->shape));
    return TESS_OK;
}

static tess_status run(const void *payload, size_t size)
{
    (void)size;
    tess__job job;
    job.work = payload;
    job.op = job.work->op;
    return run_job(&job);
}

static void buffers(const void *payload, size_t size, void (*each)(tess_buffer *))
{
    (void)size;
    const tess__op_call *work = payload;
    const tess__roles   *roles = &work->op->roles;
    const uint32_t arrays = (roles->in | roles->out | roles->inout | roles->view | roles->scatter) & ~work->scalars;
    for (uint32_t left = arrays; left; left &= left - 1) each(work->param[__builtin_ctz(left)].array.buffer);
    each(work->keep);
}

tess_status tess__cpu_op_call(tess_stream *stream, const tess__op_call *work)
{
    const size_t size = offsetof(tess__op_call, param) + (size_t)work->n_params * sizeof work->param[0];
    return tess__submit(stream, work->name, run, work, size, buffers);
}
