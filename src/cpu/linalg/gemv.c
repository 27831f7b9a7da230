/* GEMV on the CPU: a matrix times a vector, read in place. The result has one column, and its vectors are rows of a; or
 * one row, and they are columns of b.
 *
 * An element of the result is the same whoever computes it: its sums are divided by the depth alone, at fixed indices,
 * and once more into interleaved chains.
 */
#include "cpu/linalg/gemv.h"

#include <string.h>

#include "core/dtype.h"
#include "core/layout.h"
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
    UNIT = 16        /* what the vectors of a task are a multiple of */
};

/* Estimated nanoseconds of one byte of the matrix. */
#define COST 0.05

typedef struct product {
    const tess__gemv_plan *plan;
    tess__workspaces      *sums; /* without memory: they are few */
    const char            *matrix, *v;
    char                  *out;
    int64_t                across, along, step, stride; /* step: of v; stride: of the result */
    int64_t                n, size;                     /* vectors, and bytes of an element */
    int64_t                at_once;    /* vectors that are read along the whole depth before the next */
    bool                   sequential; /* rows of adjacent ones are read one after the other */
} product;

static int64_t ceil_div(int64_t n, int64_t size) { return (n + size - 1) / size; }

/* Forwards or backwards. */
static bool has_adjacent_vectors(const tess__matmul *w)
{
    return tess__magnitude(w->n == 1 ? w->a.strides.h : w->b.strides.w) == 1;
}

/* The number of threads is asked once: it may change while the work runs. */
tess__gemv_plan tess__gemv_plan_of(const tess__matmul *work, const tess__matmul_kernel *kernel)
{
    const int64_t   n = work->n == 1 ? work->m : work->n, unit = UNIT;
    const int64_t   per_thread = ceil_div(ceil_div(n, tess_threads_get()), unit) * unit;
    const bool      adjacent = has_adjacent_vectors(work);
    tess__gemv_plan plan = { .work = work,
                             .kernel = kernel,
                             .per_task = tess__min(per_thread, adjacent ? COLUMNS : ROWS) };
    if (adjacent && plan.per_task > NARROW) plan.bytes = plan.per_task * TESS__GEMV_BYTES;
    return plan;
}

static void gather(void *to, const void *from, int64_t step, int64_t n, int64_t size)
{
    for (int64_t i = 0; i < n; i++) memcpy((char *)to + i * size, (const char *)from + i * step * size, (size_t)size);
}

static void multiply_vectors(void *context, int64_t first, int64_t last)
{
    const product             *p = context;
    const tess__matmul        *w = p->plan->work;
    const tess__matmul_kernel *kernel = p->plan->kernel;
    const int64_t              per_task = p->plan->per_task;
    double                     few[NARROW * TESS__GEMV_BYTES / 8], part[DEPTH]; /* of elements of up to 8 bytes */
    char                      *workspace = p->sums->memory ? tess__workspace_acquire(p->sums) : NULL;
    void                      *sums = workspace ? (void *)workspace : few;
    for (int64_t i = first * per_task; i < tess__min(last * per_task, p->n); i += p->at_once)
        for (int64_t k = 0; k < w->k; k += DEPTH) {
            tess__gemv  in = { .matrix = p->matrix + (i * p->across + k * p->along) * p->size,
                               .v = p->v + k * p->step * p->size,
                               .across = p->across,
                               .along = p->along,
                               .count = tess__min(p->at_once, p->n - i),
                               .depth = tess__min(DEPTH, w->k - k),
                               .sequential = p->sequential };
            char *const out = p->out + i * p->stride * p->size;
            if (p->step != 1) {
                gather(part, in.v, p->step, in.depth, p->size);
                in.v = part;
            }
            kernel->gemv(sums, &in);
            kernel->update(out, p->stride, sums, in.count, w->alpha, k ? 1 : w->beta);
        }
    if (workspace) tess__workspace_release(p->sums, workspace);
}

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
    const int64_t n = ceil_div(p.n, plan->per_task);
    tess__parallel(n, tess__grain(n, COST * (double)(plan->per_task * w->k * p.size)), multiply_vectors, &p);
}
