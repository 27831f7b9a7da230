/* Scatter-add of floats by user-defined operators on a GPU: the chunks and the order of the CPU. Each warp adds a chunk
 * to a table in shared memory, and the tables are added in the order of the chunks. */
#include "core/dtype.h"
#include "core/array/layout.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/op/op.h"
#include "cuda/op/scatter_merge_params.h"
#include "cuda/runtime/memory.h"
#include "formulas/scatter_chunks.op.h"

enum {
    WARP = 32,
    LARGEST_COPY = 48 << 10, /* bytes of shared memory that every GPU has */
    MIN_SHARED = 2 << 10,
    TABLE_BYTES = 256 << 20, /* of chunks, at a time */
    MAX_LOGGED = 24,         /* additions of an element that are kept in registers */
    MERGE_THREADS = 256
};

static const tess__cuda_source merge_source = TESS__CUDA_SOURCE("op/scatter_merge", "TYPE");

int64_t tess__cuda_op_copies(tess__cuda_op *o, bool batched)
{
    int64_t bytes = 0;
    for (uint32_t left = o->op->roles.scatter; left; left &= left - 1) {
        const int         k = __builtin_ctz(left);
        const tess_array *a = &o->work->param[k].array;
        const int64_t     n = tess_n_elements(a) / (batched && a->shape.b > 0 ? a->shape.b : 1);
        const int64_t     size = tess__dtype_size(o->op->tree->params[k].type);
        if (n > LARGEST_COPY / size) return 0;
        o->p.operand[k].copy = bytes;
        o->p.operand[k].copy_batch = batched ? 0 : a->shape.d * a->shape.h * a->shape.w;
        bytes += (n * size + 15) / 16 * 16;
    }
    return bytes <= LARGEST_COPY ? bytes : 0;
}

int tess__cuda_op_shared(int64_t bytes)
{
    int shared = bytes ? MIN_SHARED : 0;
    while (shared && shared < bytes) shared *= 2;
    return shared < LARGEST_COPY ? shared : LARGEST_COPY;
}

/* ---- Plan ---- */

static bool has_floats(const tess__operator *op)
{
    bool floats = false;
    for (uint32_t left = op->roles.scatter; left; left &= left - 1)
        floats |= tess_dtype_kind(op->tree->params[__builtin_ctz(left)].type) >= TESS_KIND_FLOAT;
    return floats;
}

/* What a body adds is kept if the statements are known, and few. */
static int order_of(const tess__operator *op)
{
    int32_t n = 0;
    for (int32_t k = 0; k < op->n_params; k++) n += op->scatters.added[k];
    const bool known = !op->device.entry && !op->scatters.in_loops;
    return known && n <= MAX_LOGGED ? TESS__GPU_LOGGED : TESS__GPU_SERIAL;
}

bool tess__cuda_op_plan_scatter(tess__cuda_op *o)
{
    const bool batched = tess__is_batched(o->work);
    int64_t    bins = 0;
    if (!has_floats(o->op)) return false;
    o->p.copies = tess__cuda_op_copies(o, batched);
    if (o->p.copies == 0) return false;
    for (uint32_t left = o->op->roles.scatter; left; left &= left - 1) {
        const tess_array *a = &o->work->param[__builtin_ctz(left)].array;
        bins += batched ? a->shape.d * a->shape.h * a->shape.w : tess_n_elements(a);
    }
    const tess__scatter_chunks c = tess__scatter_cut(o->p.size, bins, o->p.copies, batched);
    for (int d = 0; d < 4; d++) o->p.scatter.extent[d] = c.extent[d], o->p.scatter.count[d] = c.count[d];
    o->p.scatter.n = c.n;
    o->p.scatter.of_sum = c.of_sum;
    o->spec.kind = TESS__CUDA_OP_SCATTER;
    o->spec.threads = WARP;
    o->spec.ordered = order_of(o->op);
    o->spec.shared = tess__cuda_op_shared(o->p.copies);
    tess__cuda_op_pack(o, 1, 1);
    o->spec.rounds = 1;
    o->spec.ones = 0; /* one kernel for all shapes: what a warp waits for is shared memory */
    return true;
}

/* ---- Tables ---- */

static tess_status merge(tess__cuda_op *o, int k)
{
    const tess__gpu_scatter *s = &o->p.scatter;
    const tess__gpu_operand *to = &o->p.operand[k];
    tess__gpu_scatter_tables p = { .tables = s->tables, .copy = to->copy, .copies = o->p.copies, .data = to->data };
    const int64_t batches = to->copy_batch ? 1 : (s->first + s->n - 1) / s->of_sum - s->first / s->of_sum + 1;
    p.elements = (to->copy_batch ? to->shape[0] : 1) * to->shape[1] * to->shape[2] * to->shape[3];
    p.first = s->first, p.n = s->n, p.of_sum = s->of_sum;
    p.all = p.elements * batches;
    for (int d = 0; d < 4; d++) p.stride[d] = to->stride[d], p.shape[d] = to->shape[d];
    const int64_t numbers[TESS__CUDA_WORDS] = { o->op->tree->params[k].type };
    TESS_TRY(tess__cuda_run_source(o->call, &merge_source, numbers, (p.all + MERGE_THREADS - 1) / MERGE_THREADS,
                                   MERGE_THREADS, &p));
    return TESS_OK;
}

static tess_status run_waves(tess__cuda_op *o, int64_t chunks, int64_t wave)
{
    tess__gpu_scatter *s = &o->p.scatter;
    for (s->first = 0; s->first < chunks; s->first += wave) {
        s->n = chunks - s->first < wave ? chunks - s->first : wave;
        TESS_TRY(tess__cuda_op_launch(o, tess__cuda_stride_blocks(s->n)));
        for (uint32_t left = o->op->roles.scatter; left; left &= left - 1) {
            const int k = __builtin_ctz(left);
            if (tess__has_elements(&o->work->param[k].array)) TESS_TRY(merge(o, k));
        }
    }
    return TESS_OK;
}

tess_status tess__cuda_op_scatter(tess__cuda_op *o)
{
    const int64_t chunks = o->p.scatter.n, fit = TABLE_BYTES / o->p.copies, wave = chunks < fit ? chunks : fit;
    if (o->p.scatter.of_sum == 1) {
        TESS_TRY(tess__cuda_op_launch(o, tess__cuda_stride_blocks(chunks)));
        return TESS_OK;
    }
    TESS_TRY(tess__cuda_workspace_acquire(&o->p.scatter.tables, o->call, (size_t)(wave * o->p.copies)));
    const tess_status status = run_waves(o, chunks, wave);
    tess__cuda_workspace_release(o->call, o->p.scatter.tables);
    TESS_TRY(status);
    return TESS_OK;
}
