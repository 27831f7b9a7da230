/* Element-wise and index-wise maps by user-defined operators on a GPU. */
#include "core/dtype.h"
#include "cuda/jit/loop_params.h"
#include "cuda/op/op.h"

enum {
    THREADS = TESS__GPU_LOOP_THREADS,
    FEW_PACKS = 1 << 18, /* index-wise work is not cut into fewer, which would leave parts of a GPU idle */
    LARGEST_COPY = 48 << 10,
    BLOCKS_OF_A_PROCESSOR = 8 /* where blocks go round */
};

/* The bytes of a block's private copies of all scatter targets, or 0 if that is too much, or more than there is to
 * add. */
static int64_t lay_out_copies(tess__cuda_op *o, int64_t n)
{
    int64_t bytes = 0, elements = 0;
    for (uint32_t left = o->op->roles.scatter; left; left &= left - 1) {
        const int         k = __builtin_ctz(left);
        const tess_array *a = &o->work->param[k].array;
        const int64_t     count = tess_n_elements(a), size = tess__dtype_size(a->dtype);
        if (count > LARGEST_COPY / size) return 0;
        o->p.operand[k].copy = bytes;
        bytes += (count * size + 15) / 16 * 16;
        elements += count;
    }
    return bytes <= LARGEST_COPY && elements < n ? bytes : 0;
}

static void plan_scatter(tess__cuda_op *o, int64_t n)
{
    o->spec.loops = true;
    o->p.copies = lay_out_copies(o, n);
    if (o->p.copies) o->spec.shared = 2048;
    while (o->spec.shared && o->spec.shared < o->p.copies) o->spec.shared *= 2;
    if (o->spec.shared > LARGEST_COPY) o->spec.shared = LARGEST_COPY;
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
