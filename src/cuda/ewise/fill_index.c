/* Index fills (arange, linspace) on a GPU: each element is computed from its index. */
#include "cuda/cuda.h"
#include "cuda/jit/loop.h"

typedef struct fill_context {
    const tess__fill_index *work;
    tess__cuda_shape        shape;
} fill_context;

static void print(tess__writer *w, const tess__cuda_key *key)
{
    const fill_context *context = key->context;
    tess__write(w, "#define TESS_ONLY\n#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/jit/elements.cu.h\"\n");
    tess__write(w, "#define TO %d\n#define DIMS %d\n#define WIDE %d\n", context->work->out.dtype, context->shape.dims,
                context->shape.wide);
    tess__write(w, "#define INTEGRAL %d\n#define ENDS %d\n#define FLOORS %d\n", context->work->integral,
                context->work->ends, context->work->floors);
    tess__write(w, "#include \"cuda/ewise/fill_index.cu.h\"\n");
}

static const tess__cuda_family family = { .name = "fill_index", .print = print };

tess_status tess__cuda_fill_index(tess__cuda_call *call, const tess__fill_index *work)
{
    const tess_array    *out = &work->out;
    tess__loop           loop;
    tess__gpu_fill_index p = { .start = work->start,
                               .step = work->step,
                               .scale = work->scale,
                               .last = work->last,
                               .int_start = work->int_start,
                               .int_step = work->int_step };
    fill_context         context = { .work = work };
    tess__cuda_key       key = { .family = &family, .context = &context };
    tess__plan_in_order(&loop, out->shape, &out, 1);
    tess__cuda_loop_in_order(&p.loop, &context.shape, &loop);
    key.word[0] =
        (uint64_t)out->dtype | (uint64_t)work->integral << 8 | (uint64_t)work->ends << 9 | (uint64_t)work->floors << 10;
    key.word[1] = tess__cuda_shape_word(&context.shape);
    TESS_TRY(tess__cuda_run(call, &key, tess__cuda_loop_blocks(&p.loop, &context.shape), TESS__GPU_LOOP_THREADS, &p));
    return TESS_OK;
}
