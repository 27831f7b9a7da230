/* GEMV on the CPU: a matrix times a vector, read in place. The result has one column, and its vectors are rows of a; or
 * one row, and they are columns of b.
 *
 * An element of the result is the same whoever computes it: its sums are divided by the depth alone, at fixed indices,
 * and once more into interleaved chains. So the tasks of threads can be vectors, or blocks of the depth whose sums are
 * added in order when all are there.
 */
#include "cpu/linalg/gemv.h"

#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/minmax.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "tessera/device.h"

enum {
    DEPTH = TESS__MATMUL_DEPTH,
    ROWS = 64,       /* maximum vectors of one task, */
    COLUMNS = 16384, /* or if those are adjacent in memory; sums */
    NARROW = 256,    /* of this many need no workspace, and their rows are read one after the other */
    FAR = 64 << 20,  /* from this many bytes on, which no cache holds */
    UNIT = 16,       /* what the vectors of a task are a multiple of */
    /* Where blocks of steps are the tasks: */
    BLOCK_COLUMNS = 4096, /* maximum columns of a task */
    TASKS = 2,            /* of a thread, at least */
    LARGE = 4 << 20       /* bytes of the matrix, at least */
};

/* Estimated nanoseconds of one byte of the matrix. */
#define COST 0.05
/* And of one sum that the result is updated with. */
#define UPDATE_COST 0.5

typedef struct product {
    const tess__gemv_plan *plan;
    tess__workspaces      *sums; /* without memory: they are few */
    const char            *matrix, *v;
    char                  *out;
    int64_t                across, along, step, stride; /* step: of v; stride: of the result */
    int64_t                n, size;                     /* vectors, and bytes of an element */
    int64_t                at_once;    /* vectors that are read along the whole depth before the next */
    bool                   sequential; /* rows of adjacent ones are read one after the other */
    /* The round, if blocks of steps are the tasks: */
    int64_t pieces;            /* of all columns */
    int64_t first_k, n_blocks; /* its first step, and its blocks */
} product;

static int64_t ceil_div(int64_t n, int64_t size) { return (n + size - 1) / size; }

static int64_t in_units(int64_t n) { return ceil_div(n, UNIT) * UNIT; }

/* Forwards or backwards. */
static bool has_adjacent_vectors(const tess__matmul *w)
{
    return tess__magnitude(w->n == 1 ? w->a.strides.h : w->b.strides.w) == 1;
}

/* If the adjacent columns of a large matrix were divided among the threads, each would read a short run of every row,
 * and hardware prefetchers would not follow. Blocks of steps are the tasks instead, of runs as long as leave enough
 * tasks for the threads. The blocks of a round have sums of their own: COLUMNS for each thread, about. False if runs
 * would not be longer. */
static bool divide_depth(tess__gemv_plan *plan, int64_t n, int64_t per_thread, int64_t threads)
{
    const int64_t k = plan->work->k, size = tess__dtype_size(plan->work->dtype), blocks = ceil_div(k, DEPTH);
    const int64_t pieces = tess__max(ceil_div(n, BLOCK_COLUMNS), ceil_div(TASKS * threads, blocks));
    const int64_t columns = in_units(ceil_div(n, pieces)), capacity = ceil_div(n, columns) * columns;
    const bool    longer = columns > per_thread || n <= UNIT; /* so few are not divided otherwise */
    if (threads == 1 || !longer || n * k * size < LARGE) return false;
    plan->per_task = columns;
    plan->blocks = ceil_div(blocks, ceil_div(blocks * capacity, threads * COLUMNS));
    plan->bytes = plan->blocks * capacity * TESS__GEMV_BYTES;
    plan->workspaces = 1;
    return true;
}

tess__gemv_plan tess__gemv_plan_of(const tess__matmul *work, const tess__matmul_kernel *kernel, int64_t threads)
{
    const int64_t   n = work->n == 1 ? work->m : work->n, per_thread = in_units(ceil_div(n, threads));
    const bool      adjacent = has_adjacent_vectors(work);
    tess__gemv_plan plan = { .work = work, .kernel = kernel };
    if (adjacent && divide_depth(&plan, n, per_thread, threads)) return plan;
    plan.per_task = tess__min(per_thread, adjacent ? COLUMNS : ROWS);
    if (adjacent && plan.per_task > NARROW) plan.bytes = plan.per_task * TESS__GEMV_BYTES;
    plan.workspaces = threads;
    return plan;
}

static void gather(void *to, const void *from, int64_t step, int64_t n, int64_t size)
{
    for (int64_t i = 0; i < n; i++) memcpy((char *)to + i * size, (const char *)from + i * step * size, (size_t)size);
}

/* Sums of `count` vectors from number i on, over the block of steps from k on, */
static void sum_block(const product *p, void *sums, int64_t i, int64_t count, int64_t k)
{
    double     part[DEPTH]; /* of elements of up to 8 bytes */
    tess__gemv in = { .matrix = p->matrix + (i * p->across + k * p->along) * p->size,
                      .v = p->v + k * p->step * p->size,
                      .across = p->across,
                      .along = p->along,
                      .count = count,
                      .depth = tess__min(DEPTH, p->plan->work->k - k),
                      .sequential = p->sequential };
    if (p->step != 1) {
        gather(part, in.v, p->step, in.depth, p->size);
        in.v = part;
    }
    p->plan->kernel->gemv(sums, &in);
}

/* and the update of their results, for which blocks come in order. */
static void update(const product *p, const void *sums, int64_t i, int64_t count, int64_t k)
{
    const tess__matmul *w = p->plan->work;
    p->plan->kernel->update(p->out + i * p->stride * p->size, p->stride, sums, count, w->alpha, k ? 1 : w->beta);
}

/* ---- Vectors as tasks ---- */

static void multiply_vectors(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    const int64_t  per_task = p->plan->per_task, end = tess__min(last * per_task, p->n);
    double         few[NARROW * TESS__GEMV_BYTES / 8];
    char          *workspace = p->sums->memory ? tess__workspace_acquire(p->sums) : NULL;
    void          *sums = workspace ? (void *)workspace : few;
    for (int64_t i = first * per_task; i < end; i += p->at_once)
        for (int64_t k = 0; k < p->plan->work->k; k += DEPTH) {
            sum_block(p, sums, i, tess__min(p->at_once, p->n - i), k);
            update(p, sums, i, tess__min(p->at_once, p->n - i), k);
        }
    if (workspace) tess__workspace_release(p->sums, workspace);
}

/* ---- Blocks of steps as tasks ---- */

static char *sums_of_task(const product *p, int64_t task)
{
    return p->sums->memory + task * p->plan->per_task * TESS__GEMV_BYTES;
}

static void sum_blocks(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    for (int64_t task = first; task < last; task++) {
        const int64_t i = task % p->pieces * p->plan->per_task, k = p->first_k + task / p->pieces * DEPTH;
        sum_block(p, sums_of_task(p, task), i, tess__min(p->plan->per_task, p->n - i), k);
    }
}

static void update_columns(void *context, int64_t first, int64_t last)
{
    const product *p = context;
    const int64_t  per_task = p->plan->per_task;
    for (int64_t i = first, end; i < last; i = end) {
        const int64_t piece = i / per_task;
        end = tess__min(last, (piece + 1) * per_task);
        for (int64_t block = 0; block < p->n_blocks; block++)
            update(p, sums_of_task(p, block * p->pieces + piece) + i % per_task * p->size, i, end - i,
                   p->first_k + block * DEPTH);
    }
}

static void multiply_in_rounds(product *p)
{
    const int64_t k = p->plan->work->k, steps = p->plan->blocks * DEPTH;
    const double  cost = COST * (double)(p->plan->per_task * DEPTH * p->size);
    p->pieces = ceil_div(p->n, p->plan->per_task);
    for (p->first_k = 0; p->first_k < k && !tess__cancelled(); p->first_k += steps) {
        p->n_blocks = ceil_div(tess__min(steps, k - p->first_k), DEPTH);
        const int64_t n = p->n_blocks * p->pieces;
        tess__parallel(n, tess__grain(n, cost), sum_blocks, p);
        tess__parallel(p->n, tess__grain(p->n, UPDATE_COST * (double)p->n_blocks), update_columns, p);
    }
}

/* ---- One product ---- */

void tess__gemv_run(const tess__gemv_plan *plan, tess__workspaces *sums, char *out, const char *a, const char *b)
{
    const tess__matmul *w = plan->work;
    const bool          column = w->n == 1;
    const tess_strides *sa = &w->a.strides, *sb = &w->b.strides, *so = &w->out.strides;
    product             p = { .plan = plan,
                              .sums = sums,
                              .matrix = column ? a : b,
                              .v = column ? b : a,
                              .out = out,
                              .across = column ? sa->h : sb->w,
                              .along = column ? sa->w : sb->h,
                              .step = column ? sb->h : sa->w,
                              .stride = column ? so->h : so->w,
                              .n = column ? w->m : w->n,
                              .size = tess__dtype_size(w->dtype) };
    if (p.across == -1) { /* the last comes first */
        p.matrix -= (p.n - 1) * p.size;
        p.out += (p.n - 1) * p.stride * p.size;
        p.across = 1;
        p.stride = -p.stride;
    }
    /* Rows of one batch are read as streams, which hardware prefetchers follow; of more they would lose track. */
    p.at_once = p.across == 1 || w->k <= DEPTH ? plan->per_task : TESS__GEMV_BATCH;
    p.sequential = plan->per_task <= NARROW && p.n * w->k * p.size >= FAR;
    if (plan->blocks) {
        multiply_in_rounds(&p);
        return;
    }
    const int64_t n = ceil_div(p.n, plan->per_task);
    tess__parallel(n, tess__grain(n, COST * (double)(plan->per_task * w->k * p.size)), multiply_vectors, &p);
}
