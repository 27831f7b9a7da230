/* Copies, conversions and scaling between arrays of one GPU, each as one kernel. */
#include "cuda/memory/move.h"

#include <string.h>

#include "core/dtype.h"
#include "core/array/layout.h"
#include "cuda/cuda.h"
#include "cuda/jit/loop.h"
#include "cuda/runtime/memory.h"

static void plan(tess__ewise *work, int kind, const char *name, const tess_array *out, const tess_array *in)
{
    const tess_array *operands[2] = { out, in };
    work->name = name;
    work->kind = kind;
    tess__plan(&work->loop, out->shape, operands, 2);
}

tess_status tess__cuda_copy(tess__cuda_call *call, const tess_array *out, const tess_array *in)
{
    tess__ewise work;
    plan(&work, TESS__COPY, call->name, out, in);
    TESS_TRY(tess__cuda_ewise_on(call, &work));
    return TESS_OK;
}

tess_status tess__cuda_convert(tess__cuda_call *call, const tess_array *out, const tess_array *in)
{
    tess__ewise work;
    plan(&work, TESS__CAST, call->name, out, in);
    work.from = in->dtype;
    work.to = out->dtype;
    work.mode = TESS_CAST_CLAMP;
    work.part = TESS_PART_DEFAULT;
    TESS_TRY(tess__cuda_ewise_on(call, &work));
    return TESS_OK;
}

tess_status tess__cuda_clear(tess__cuda_call *call, const tess_array *out)
{
    tess__ewise       work;
    const tess_array *operands[1] = { out };
    work.name = call->name;
    work.kind = TESS__FILL;
    work.param.element = (tess__element){ .size = tess__dtype_size(out->dtype) };
    tess__plan(&work.loop, out->shape, operands, 1);
    TESS_TRY(tess__cuda_ewise_on(call, &work));
    return TESS_OK;
}

/* ---- Scaling and conjugates ---- */

enum { SCALE, CONJUGATE };

static void print(tess__writer *w, const tess__cuda_key *key)
{
    const tess__cuda_shape *shape = key->context;
    const tess_dtype        dtype = (tess_dtype)key->word[1];
    const bool              wide = dtype == TESS_F64 || dtype == TESS_C64, complex = dtype >= TESS_C16;
    tess__write(w, "#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/jit/elements.cu.h\"\n#define INPUTS 1\n"
                   "#define SCALARS 0\n#define UNIT 0\n");
    tess__cuda_shape_print(w, shape);
    tess__write(w, "#define OUT_TYPE element<%d>::stored\n#define IN1_TYPE element<%d>::stored\n", dtype, dtype);
    tess__write(w, "#define FACTOR (*(const %s *)p.value[0])\n", wide ? "double" : "float");
    tess__write(w, "#define COMPUTE(out, x, y, z) %s\n",
                key->word[0] == CONJUGATE ? "(out.re = x.re, out.im = -x.im)"
                : complex                 ? "(out.re = x.re * FACTOR, out.im = x.im * FACTOR)"
                                          : "(out = x * FACTOR)");
    tess__write(w, "#include \"cuda/ewise/ewise.cu.h\"\n");
}

static const tess__cuda_family family = { .name = "scale", .print = print };

static tess_status run(tess__cuda_call *call, int what, const tess_array *out, const tess_array *in, double by)
{
    tess__ewise      work;
    tess__gpu_loop   p;
    tess__cuda_shape shape;
    plan(&work, TESS__APPLY, call->name, out, in);
    tess__cuda_loop(&p, &shape, &work.loop, 0, 0);
    const float single = (float)by;
    if (tess_dtype_real(out->dtype) == TESS_F64) memcpy(p.value[0], &by, sizeof by);
    else memcpy(p.value[0], &single, sizeof single);
    const tess__cuda_key key = { .family = &family,
                                 .word = { (uint64_t)what, (uint64_t)out->dtype, tess__cuda_shape_word(&shape) },
                                 .context = &shape };
    tess__cuda_use(call, out->buffer);
    tess__cuda_use(call, in->buffer);
    TESS_TRY(tess__cuda_run(call, &key, tess__cuda_loop_blocks(&p, &shape), TESS__GPU_LOOP_THREADS, &p));
    return TESS_OK;
}

tess_status tess__cuda_scale(tess__cuda_call *call, const tess_array *out, const tess_array *in, double by)
{
    TESS_TRY(run(call, SCALE, out, in, by));
    return TESS_OK;
}

tess_status tess__cuda_conjugate(tess__cuda_call *call, const tess_array *out, const tess_array *in)
{
    TESS_TRY(run(call, CONJUGATE, out, in, 1));
    return TESS_OK;
}

tess_status tess__cuda_workspace_array(tess_array *out, tess__cuda_call *call, tess_shape shape, tess_dtype dtype)
{
    tess__cu_address workspace = 0;
    tess_array       made = { .shape = shape, .dtype = dtype, .device = tess_gpu(call->device->index) };
    made.strides = tess_strides_contiguous(shape, 'C');
    TESS_TRY(tess__cuda_workspace_acquire(&workspace, call, (size_t)tess_n_bytes(&made)));
    made.data = (void *)(uintptr_t)workspace;
    *out = made;
    return TESS_OK;
}
