/* Execution of user-defined operators on the CPU: the job that element-wise, scatter and reduce modes share. */
#ifndef TESS_CPU_OP_RUN_H
#define TESS_CPU_OP_RUN_H

#include "backend.h"
#include "cpu/op/vm.h"
#include "cpu/runtime/workspace.h"
#include "lang/operator.h"

/* Memory of a thread up to this size is on its stack. */
enum { TESS__SMALL_WORKSPACE = 65536 };

/* A call as tiles see it: the axes laid out, the addresses of all operands. Shared by the threads of the call, which
 * copy `tile` and set what is theirs. */
typedef struct tess__job {
    const tess__op_call  *work;
    const tess__operator *op;
    const tess__program  *body;    /* that of these strides; NULL: native code */
    double                cost;    /* of an element, in nanoseconds */
    int64_t               n;       /* elements of the domain */
    int64_t               size[4]; /* of the domain, as laid out */
    void                 *ptr[TESS__MAX_PARAMS];
    int64_t               stride[TESS__MAX_PARAMS][4];
    int64_t               shape[TESS__MAX_PARAMS][4];        /* views and scatters alone */
    _Alignas(16) unsigned char values[TESS__MAX_PARAMS][16]; /* of structs: where they are */
    tess_tile        tile;
    size_t           workspace;  /* bytes that programs need, for each thread */
    tess__workspaces workspaces; /* of threads, where they are not on the stack */
    int64_t          fault_at;   /* the first tile, by its number, that had a fault; -1: none */
    tess_fault       fault;
} tess__job;

/* One part of the operator on a tile. The workspace has job->workspace bytes. */
static inline void tess__run_part(const tess__operator *op, int part, const tess_tile *tile, void *workspace)
{
    if (op->native[part]) op->native[part](tile);
    else tess__vm_run(op->program[part], tile, workspace);
}

/* The operator has a part of its own for this. */
static inline bool tess__has_part(const tess__operator *op, int part) { return op->native[part] || op->program[part]; }

/* Keep the first fault of a call, by the number of its tile. */
void tess__keep_fault(tess__job *job, int64_t number, const tess_fault *fault);

/* A tile without accumulators, and what it asks for afterwards. */
static inline void tess__run_tile(tess__job *job, tess_tile *tile, int64_t number, void *workspace)
{
    tess_fault fault;
    fault.set = 0;
    tile->fault = &fault;
    if (job->body) tess__vm_run(job->body, tile, workspace);
    else tess__run_part(job->op, TESS__PART_BODY, tile, workspace);
    if (fault.set) tess__keep_fault(job, number, &fault);
}

/* Memory for the threads of a call, `size` bytes for each of at most so many; false if there is none. */
static inline bool tess__job_workspaces(tess__job *job, size_t size, int64_t tasks)
{
    return size <= TESS__SMALL_WORKSPACE || tess__workspaces_make(&job->workspaces, size, tasks);
}

static inline void tess__job_workspaces_free(tess__job *job, size_t size)
{
    if (size > TESS__SMALL_WORKSPACE) tess__workspaces_free(&job->workspaces);
}

/* Work on a range with such memory: on the stack, or one of the allocated workspaces. */
typedef void tess__workspace_fn(const void *context, char *workspace, int64_t first, int64_t last);

static inline void tess__with_workspace(tess__job *job, size_t size, tess__workspace_fn *work, const void *context,
                                        int64_t first, int64_t last)
{
    if (size <= TESS__SMALL_WORKSPACE) {
        _Alignas(64) char workspace[TESS__SMALL_WORKSPACE];
        work(context, workspace, first, last);
    } else {
        char *workspace = tess__workspace_acquire(&job->workspaces);
        work(context, workspace, first, last);
        tess__workspace_release(&job->workspaces, workspace);
    }
}

/* Divide these axes into chunks of at most so many elements, the inner ones first; returns the number of chunks. */
static inline int64_t tess__cut_chunks(int64_t extent[4], int64_t chunks[4], const int64_t size[4], const bool cut[4],
                                       int64_t max)
{
    int64_t n = 1;
    for (int d = 3; d >= 0; d--) {
        if (!cut[d]) continue;
        extent[d] = size[d] < max ? (size[d] > 0 ? size[d] : 1) : max;
        chunks[d] = (size[d] + extent[d] - 1) / extent[d];
        n *= chunks[d];
        max = extent[d] < size[d] || max < extent[d] ? 1 : max / extent[d];
    }
    return n;
}

/* All tiles of element-wise and index-wise work. */
tess_status tess__run_tiles(tess__job *job);

/* The same for operators that scatter. */
tess_status tess__run_scatter(tess__job *job);

/* Reductions. */
tess_status tess__run_reduction(tess__job *job);

#endif
