/* Lossless check of a cast on a GPU: a kernel finds the first element, in b, d, h, w order, whose value the cast
 * changes. */
#include "cuda/convert/lossless.h"

#include "core/dtype.h"
#include "core/check/data_errors.h"
#include "cuda/jit/loop.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

typedef struct lossless_context {
    int              from, to;
    tess__cuda_shape shape;
} lossless_context;

static void print(tess__writer *w, const tess__cuda_key *key)
{
    const lossless_context *context = key->context;
    tess__write(w, "#define TESS_ONLY\n#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/jit/elements.cu.h\"\n");
    tess__write(w, "#define FROM %d\n#define TO %d\n#define DIMS %d\n#define WIDE %d\n", context->from, context->to,
                context->shape.dims, context->shape.wide);
    tess__write(w, "#include \"cuda/convert/lossless.cu.h\"\n");
}

static const tess__cuda_family family = { .name = "lossless", .print = print };

/* The position of the first element that changes, or UINT64_MAX, at `workspace`. */
static tess_status find(tess__cuda_call *call, const tess__ewise *work, tess__cu_address workspace)
{
    const tess_array *in = &work->param.source, *const operands[2] = { in, in };
    tess__loop         loop;
    tess__gpu_lossless p;
    lossless_context   context = { .from = work->from, .to = work->to };
    tess__cuda_key     key = { .family = &family, .context = &context };
    tess__plan_in_order(&loop, in->shape, operands, 2);
    tess__cuda_loop_in_order(&p.loop, &context.shape, &loop);
    p.first = workspace;
    key.word[0] = (uint64_t)context.from | (uint64_t)context.to << 8;
    key.word[1] = tess__cuda_shape_word(&context.shape);
    TESS_CUDA(call, set_bytes, workspace, 0xff, sizeof(uint64_t), call->stream->handle);
    TESS_TRY(tess__cuda_run(call, &key, tess__cuda_loop_blocks(&p.loop, &context.shape), TESS__GPU_LOOP_THREADS, &p));
    return TESS_OK;
}

/* The message about element number `first`, which is fetched for it. */
static tess_status tell(tess__cuda_call *call, const tess__ewise *work, uint64_t first)
{
    const tess_array          *in = &work->param.source;
    int64_t                    position[4], offset = 0, left = (int64_t)first;
    _Alignas(16) unsigned char element[16];
    for (int d = 3; d >= 0; d--) {
        position[d] = left % in->shape.dim[d];
        left /= in->shape.dim[d];
        offset += position[d] * in->strides.dim[d];
    }
    const int64_t size = tess__dtype_size(in->dtype);
    TESS_CUDA(call, copy_out, element, (uintptr_t)((char *)in->data + offset * size), (size_t)size,
              call->stream->handle);
    TESS_TRY(tess__cuda_wait(call));
    TESS_TRY(tess__reject_inexact(work->name, position, element, in->dtype, work->to));
    return TESS_OK;
}

tess_status tess__cuda_check_lossless(tess__cuda_call *call, const tess__ewise *work)
{
    tess_status      status;
    uint64_t         first = UINT64_MAX;
    tess__cu_address workspace = 0;
    TESS_TRY(tess__cuda_workspace_acquire(&workspace, call, sizeof first));
    TESS_GOTO(done, status, find(call, work, workspace));
    TESS_CUDA_GOTO(done, status, call, copy_out, &first, workspace, sizeof first, call->stream->handle);
    TESS_GOTO(done, status, tess__cuda_wait(call));
    if (first != UINT64_MAX) TESS_GOTO(done, status, tell(call, work, first));
done:
    tess__cuda_workspace_release(call, workspace);
    return status;
}
