/* Element-wise operations on a GPU: copies, fills, casts and operators, each as one kernel over rows of packs or
 * over tiles. */
#include <string.h>

#include "cuda/convert/lossless.h"
#include "cuda/cuda.h"
#include "cuda/ewise/tiles.h"
#include "cuda/jit/loop.h"
#include "cuda/jit/specialise.h"
#include "cuda/runtime/memory.h"
#include "cuda/runtime/stream.h"

/* ---- Programs ---- */

typedef struct rows_context {
    const tess__cuda_spec *spec;
    tess__cuda_shape       shape;
} rows_context;

static void print_rows(tess__writer *w, const tess__cuda_key *key)
{
    const rows_context *context = key->context;
    tess__cuda_spec_print(w, context->spec);
    tess__cuda_shape_print(w, &context->shape);
    tess__write(w, "#include \"cuda/ewise/ewise.cu.h\"\n");
}

typedef struct tiles_context {
    const tess__cuda_spec *spec;
    tess__cuda_tiling      tiling;
} tiles_context;

static void print_tiles(tess__writer *w, const tess__cuda_key *key)
{
    const tiles_context *context = key->context;
    tess__cuda_spec_print(w, context->spec);
    tess__cuda_tiling_print(w, &context->tiling);
    tess__write(w, "#include \"cuda/ewise/tiles.cu.h\"\n");
}

static const tess__cuda_family rows_family = { .name = "ewise", .print = print_rows };
static const tess__cuda_family tiles_family = { .name = "tiles", .print = print_tiles };

/* ---- Launches; `numbers` are those of all operands, 16 bytes each ---- */

static tess_status launch_tiles(bool *done, tess__cuda_call *call, const tess__cuda_spec *spec, const tess__loop *loop,
                                const void *numbers)
{
    tess__gpu_tiles p;
    tiles_context   context = { .spec = spec };
    *done = tess__cuda_tiles(&p, &context.tiling, loop, spec->scalars);
    if (!*done) return TESS_OK;
    tess__cuda_key key = { .family = &tiles_family, .context = &context };
    tess__cuda_spec_words(key.word, spec);
    key.word[2] = tess__cuda_tiling_word(&context.tiling);
    memcpy(p.value, numbers, sizeof p.value);
    TESS_TRY(tess__cuda_run(call, &key, tess__cuda_tiles_blocks(&p), TESS__CUDA_TILE_THREADS, &p));
    return TESS_OK;
}

static tess_status launch(tess__cuda_call *call, const tess__cuda_spec *spec, unsigned moved, const tess__loop *loop,
                          const void *numbers)
{
    const tess__cuda_operands operands = { .scalars = spec->scalars, .moved = moved, .unit = spec->unit };
    tess__gpu_loop            p;
    rows_context              context = { .spec = spec };
    tess__cuda_key            key = { .family = &rows_family, .context = &context };
    for (int k = 0; k < loop->n_operands; k++)
        if (!(spec->scalars >> k & 1)) tess__cuda_use(call, loop->buffer[k]);
    if (!spec->unit || spec->unit == loop->size[0]) {
        bool done;
        TESS_TRY(launch_tiles(&done, call, spec, loop, numbers));
        if (done) return TESS_OK;
    }
    tess__cuda_loop_of(&p, &context.shape, loop, &operands);
    memcpy(p.value, numbers, sizeof p.value);
    tess__cuda_spec_words(key.word, spec);
    key.word[2] = tess__cuda_shape_word(&context.shape);
    TESS_TRY(tess__cuda_run(call, &key, tess__cuda_loop_blocks(&p, &context.shape), TESS__GPU_LOOP_THREADS, &p));
    return TESS_OK;
}

/* ---- Kinds of work ---- */

static const unsigned char none[TESS__GPU_OPERANDS][16];

static tess_status copy(tess__cuda_call *call, const tess__ewise *work)
{
    const tess__loop *loop = &work->loop;
    tess__cuda_spec   spec = tess__cuda_spec_of(work);
    if (loop->data[0] == loop->data[1]) return TESS_OK; /* the only overlap that is let through: the same view */
    if (loop->n_dims == 1 && loop->stride[0][0] == 1 && loop->stride[1][0] == 1) {
        tess__cuda_use(call, loop->buffer[0]);
        tess__cuda_use(call, loop->buffer[1]);
        TESS_CUDA(call, copy_within, (uintptr_t)loop->data[0], (uintptr_t)loop->data[1],
                  (size_t)(loop->n * loop->size[0]), call->stream->handle);
        return TESS_OK;
    }
    spec.unit = (uint8_t)tess__cuda_unit(loop, 3);
    TESS_TRY(launch(call, &spec, 3, loop, none));
    return TESS_OK;
}

/* Elements that are larger than what a kernel moves at once are not one number but several: a fill for each. */
static tess_status fill(tess__cuda_call *call, const tess__ewise *work)
{
    unsigned char        numbers[TESS__GPU_OPERANDS][16] = { { 0 } };
    const tess__element *element = &work->param.element;
    tess__cuda_spec      spec = tess__cuda_spec_of(work);
    tess__loop           part = work->loop;
    spec.unit = (uint8_t)tess__cuda_unit(&part, 1);
    const int64_t n = element->size / spec.unit;
    for (int d = 0; d < part.n_dims; d++) part.stride[0][d] *= n;
    part.size[0] = spec.unit;
    for (int64_t i = 0; i < n; i++) {
        memcpy(numbers[0], element->bytes + i * spec.unit, spec.unit);
        TESS_TRY(launch(call, &spec, 1, &part, numbers));
        part.data[0] += spec.unit;
    }
    return TESS_OK;
}

static tess_status cast(tess__cuda_call *call, const tess__ewise *work)
{
    const tess__cuda_spec spec = tess__cuda_spec_of(work);
    if (work->mode == TESS_CAST_EXACT) TESS_TRY(tess__cuda_check_lossless(call, work));
    TESS_TRY(launch(call, &spec, 0, &work->loop, none));
    return TESS_OK;
}

/* `where` moves elements as they are, unless they have to be converted, or a number to be taken apart. */
static unsigned choose_moved(tess__cuda_spec *spec, const tess__ewise *work)
{
    enum { OUT_X_Y = 1 | 4 | 8 };
    const tess__apply *o = &work->param.operate;
    unsigned           moved = OUT_X_Y & ~(unsigned)spec->scalars;
    if (o->op != TESS__OP_where) return 0;
    for (int k = 0; k <= spec->n_inputs; k++)
        if (k != 1 && spec->stored[k] != spec->wanted[k]) return 0;
    const int unit = tess__cuda_unit(&work->loop, moved);
    if (unit != work->loop.size[0] && moved != OUT_X_Y) return 0;
    spec->unit = (uint8_t)unit;
    return moved;
}

static tess_status apply(tess__cuda_call *call, const tess__ewise *work)
{
    tess__cuda_spec spec = tess__cuda_spec_of(work);
    const unsigned  moved = choose_moved(&spec, work);
    TESS_TRY(launch(call, &spec, moved, &work->loop, work->param.operate.value));
    return TESS_OK;
}

tess_status tess__cuda_ewise_on(tess__cuda_call *call, const tess__ewise *work)
{
    if (work->loop.n == 0) return TESS_OK;
    if (work->kind == TESS__COPY) return copy(call, work);
    if (work->kind == TESS__FILL) return fill(call, work);
    if (work->kind == TESS__CAST) return cast(call, work);
    return apply(call, work);
}

tess_status tess__cuda_ewise(tess_stream *stream, const tess__ewise *work, int n)
{
    tess__cuda_call call;
    tess_status     status = TESS_OK;
    TESS_TRY(tess__cuda_begin(&call, work->name, stream));
    for (int i = 0; i < n && status == TESS_OK; i++) {
        if (call.n_kept > TESS__CUDA_KEPT - TESS__GPU_OPERANDS) tess__cuda_keep_all(&call);
        status = tess__cuda_ewise_on(&call, &work[i]);
    }
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}
