/* Least squares on a GPU, in f64 or c64: each block of threads solves one problem after the other. */
#include "core/check/data_errors.h"
#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/index/first_invalid.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/linalg/lstsq_params.h"
#include "cuda/runtime/memory.h"

enum { WARP = 32, SMALL = 512 /* elements of a matrix that one warp solves */, BLOCKS = 16 /* of a multiprocessor */ };

#define MAX_WORKSPACE ((double)((int64_t)1 << 30))

static const tess__cuda_source source =
    TESS__CUDA_SOURCE("linalg/lstsq", "WARPS", "NUMBER", "OF_A", "OF_B", "OF_X", "OF_VALUES");

/* Before anything is written. */
static tess_status check_finite(tess__cuda_call *call, const char *name, const tess_array *a)
{
    const tess_kind kind = tess_dtype_kind(a->dtype);
    int64_t         index = -1;
    double          value = 0;
    if (kind != TESS_KIND_FLOAT && kind != TESS_KIND_COMPLEX) return TESS_OK;
    if (tess_is_empty(a)) return TESS_OK;
    TESS_TRY(tess__cuda_find(&index, &value, call, a, TESS__GPU_NOT_FINITE));
    if (index >= 0) TESS_TRY(tess__fail_infinite(call->name, name, value, a->shape, index));
    return TESS_OK;
}

/* As many as the device can run at once, and as have a workspace of sensible size. */
static int64_t blocks_of(const tess__cuda_call *call, const tess__gpu_lstsq *p)
{
    const int64_t max = (int64_t)call->device->multiprocessors * BLOCKS;
    const double  fit = MAX_WORKSPACE / (double)p->each;
    int64_t       blocks = p->problems < max ? p->problems : max;
    if ((double)blocks > fit) blocks = fit < 1 ? 1 : (int64_t)fit;
    return blocks;
}

tess_status tess__cuda_lstsq(tess__cuda_call *call, const tess__lstsq *work)
{
    const int       warps = work->m * work->n <= SMALL ? 1 : 8;
    const int64_t   size = tess__dtype_size(work->kernel);
    tess_status     status;
    tess__gpu_lstsq p = { .problems = work->batches.b * work->batches.d,
                          .d = work->batches.d,
                          .m = work->m,
                          .n = work->n,
                          .k = work->k,
                          .x = tess__cuda_array(&work->x),
                          .a = tess__cuda_array(&work->a),
                          .b = tess__cuda_array(&work->b),
                          .cond = work->cond,
                          .each = tess__gpu_lstsq_workspace(work->m, work->n, work->k, size, warps) };
    if (work->values.data) p.values = tess__cuda_array(&work->values);
    if (work->rank.data) p.rank = tess__cuda_array(&work->rank);
    TESS_TRY(check_finite(call, "a", &work->a));
    TESS_TRY(check_finite(call, "b", &work->b));
    const int64_t blocks = blocks_of(call, &p);
    const int64_t numbers[TESS__CUDA_WORDS] = { warps,         work->kernel,  work->a.dtype,
                                                work->b.dtype, work->x.dtype, tess_dtype_real(work->x.dtype) };
    p.each = (p.each + 15) / 16 * 16;
    TESS_TRY(tess__cuda_workspace_acquire(&p.workspace, call, (size_t)(p.each * blocks)));
    TESS_GOTO(done, status, tess__cuda_run_source(call, &source, numbers, blocks, (unsigned)(WARP * warps), &p));
done:
    tess__cuda_workspace_release(call, p.workspace);
    return status;
}
