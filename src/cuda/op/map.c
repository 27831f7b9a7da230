/* Element-wise and index-wise maps by user-defined operators on a GPU. */
#include "cuda/jit/loop_params.h"
#include "cuda/op/op.h"

enum {
    THREADS = TESS__GPU_LOOP_THREADS,
    FEW_PACKS = 1 << 18,      /* index-wise work is not cut into fewer, which would leave parts of a GPU idle */
    BLOCKS_OF_A_PROCESSOR = 8 /* where blocks go round */
};

/* Private copies pay if there is more to add than they have elements. */
static void plan_scatter(tess__cuda_op *o, int64_t n)
{
    int64_t elements = 0;
    o->spec.loops = true;
    for (uint32_t left = o->op->roles.scatter; left; left &= left - 1)
        elements += tess_n_elements(&o->work->param[__builtin_ctz(left)].array);
    if (elements < n) o->p.copies = tess__cuda_op_copies(o, false);
    o->spec.shared = tess__cuda_op_shared(o->p.copies);
}

void tess__cuda_op_plan_map(tess__cuda_op *o)
{
    tess__gpu_op *p = &o->p;
    const int64_t n = p->size[0] * p->size[1] * p->size[2] * p->size[3];
    const bool    indexed = o->op->indexed;
    int           max = 16;
    while (indexed && max > 1 && n / max < FEW_PACKS) max /= 2;
    o->spec.kind = TESS__CUDA_OP_MAP;
    o->spec.threads = THREADS;
    tess__cuda_op_pack(o, max, 1); /* as for the library's own operators: more were slower on an H200 */
    p->n = p->steps[0] * p->steps[1] * p->steps[2] * p->steps[3];
    o->spec.wide = p->n >= (int64_t)1 << 31;
    if (o->op->roles.scatter) plan_scatter(o, n);
}

tess_status tess__cuda_op_map(tess__cuda_op *o)
{
    const int64_t each = (int64_t)THREADS * o->spec.rounds;
    int64_t       blocks = (o->p.n + each - 1) / each;
    const int64_t some = (int64_t)BLOCKS_OF_A_PROCESSOR * o->call->device->multiprocessors;
    if (o->spec.loops && blocks > some) blocks = some;
    if (blocks > INT32_MAX) {
        blocks = INT32_MAX;
        o->spec.loops = true;
    }
    TESS_TRY(tess__cuda_op_launch(o, blocks));
    return TESS_OK;
}
