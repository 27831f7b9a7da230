/* Element-wise work on a GPU: copies, fills, casts and operators, each a kernel over packs of elements. */
#include <string.h>

#include "core/check.h"
#include "cuda/cuda.h"
#include "cuda/loop.h"
#include "cuda/memory.h"
#include "cuda/stream.h"
#include "lang/operator_rows.h"

/* ---- Keys and programs ---- */

/* What a program depends on, packed into the words of its key. */
typedef struct form {
    int              kind; /* a TESS__COPY … */
    int              op, kernel, mode, part;
    int              n_inputs, unit; /* COPY, FILL, where: bytes that are moved */
    uint8_t          stored[TESS__GPU_OPERANDS], wanted[TESS__GPU_OPERANDS];
    uint8_t          given; /* bits: operands that are one number */
    tess__cuda_shape shape;
} form;

static uint64_t bytes_word(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static tess__cuda_key key_of(const tess__cuda_family *family, const form *f)
{
    tess__cuda_key key = { .family = family };
    key.word[0] = (uint64_t)f->kind | (uint64_t)f->op << 8 | (uint64_t)f->kernel << 24 | (uint64_t)f->mode << 32 |
                  (uint64_t)f->part << 40 | (uint64_t)f->unit << 48;
    key.word[1] = bytes_word(f->stored) | bytes_word(f->wanted) << 32;
    key.word[2] = tess__cuda_shape_word(&f->shape) | (uint64_t)f->given << 40 | (uint64_t)f->n_inputs << 48;
    return key;
}

static void print_unit(tess__writer *w, const form *f)
{
    tess__write(w, "#define OUT_TYPE unit<%d>::type\n", f->unit);
    for (int k = 1; k <= f->n_inputs; k++)
        if (f->kind == TESS__OPERATE && k == 1) tess__write(w, "#define IN1_TYPE uint8_t\n");
        else tess__write(w, "#define IN%d_TYPE unit<%d>::type\n", k, f->unit);
    tess__write(w, "#define COMPUTE(out, x, y, z) out = %s\n",
                f->kind == TESS__OPERATE ? "(x) ? (y) : (z)"
                : f->kind == TESS__COPY  ? "x"
                                         : "*(const unit<UNIT>::type *)p.value[0]");
}

static void print_cast(tess__writer *w, const form *f)
{
    const char *const how = f->mode == TESS_CAST_WRAP ? "convert_wrapping" : "convert";
    const int         to = f->stored[0], from = f->stored[1];
    tess__write(w, "#define OUT_TYPE element<%d>::stored\n#define IN1_TYPE element<%d>::stored\n", to, from);
    if (f->part) /* the size of a complex number, or its square, computed in its own precision */
        tess__write(w,
                    "#define COMPUTE(out, x, y, z) out = element<%d>::store(%s<%d, "
                    "real_of<%d>::value>(%s(element<%d>::load(x))))\n",
                    to, how, to, from == TESS_C16 ? TESS_C32 : from,
                    from == TESS_C64 ? (f->part == TESS_PART_ABS ? "tess__do_abs_c64" : "tess__do_abs2_c64")
                                     : (f->part == TESS_PART_ABS ? "tess__do_abs_c32" : "tess__do_abs2_c32"),
                    from);
    else
        tess__write(w, "#define COMPUTE(out, x, y, z) out = element<%d>::store(%s<%d, %d>(element<%d>::load(x)))\n", to,
                    how, to, from, from);
}

static void print_operate(tess__writer *w, const form *f)
{
    static const char variables[] = "xyz";
    tess__write(w, "#define OUT_TYPE element<%d>::stored\n", f->stored[0]);
    for (int k = 1; k <= f->n_inputs; k++) tess__write(w, "#define IN%d_TYPE element<%d>::stored\n", k, f->stored[k]);
    tess__write(w, "#define COMPUTE(out, x, y, z) out = element<%d>::store(convert<%d, %d>(tess__do_%s_%s(",
                f->stored[0], f->stored[0], f->wanted[0], tess__operator_rows[f->op].name,
                f->kernel == TESS_BOOL ? "b8" : tess_dtype_name(f->kernel));
    for (int k = 1; k <= f->n_inputs; k++)
        tess__write(w, "%sconvert<%d, %d>(element<%d>::load(%c))", k > 1 ? ", " : "", f->wanted[k], f->stored[k],
                    f->stored[k], variables[k - 1]);
    tess__write(w, ")))\n");
}

static void print(tess__writer *w, const tess__cuda_key *key)
{
    const form *f = key->source;
    tess__write(w, "#include \"cuda/kernels/prelude.h\"\n#include \"cuda/kernels/elements.h\"\n");
    tess__write(w, "#define INPUTS %d\n#define GIVEN %d\n#define UNIT %d\n", f->n_inputs, f->given, f->unit);
    tess__cuda_shape_print(w, &f->shape);
    if (f->unit) print_unit(w, f);
    else if (f->kind == TESS__CAST) print_cast(w, f);
    else print_operate(w, f);
    tess__write(w, "#include \"cuda/kernels/ewise.h\"\n");
}

static const tess__cuda_family family = { .name = "ewise", .print = print };

/* ---- From work to a launch ---- */

static tess_status launch(tess__cuda_call *call, form *f, const tess__loop *loop, const void *values)
{
    tess__gpu_loop p;
    tess__cuda_loop(&p, &f->shape, loop, f->given, f->unit);
    memcpy(p.value, values, sizeof p.value);
    tess__cuda_key key = key_of(&family, f);
    key.source = f;
    for (int k = 0; k < loop->n_operands; k++) tess__cuda_use(call, loop->buffer[k]);
    TESS_TRY(tess__cuda_run(call, &key, tess__cuda_loop_blocks(&p, &f->shape), TESS__CUDA_LOOP_THREADS, &p));
    return TESS_OK;
}

static tess_status copy(tess__cuda_call *call, const tess__ewise *work)
{
    static const unsigned char none[TESS__GPU_OPERANDS][16];
    const tess__loop          *loop = &work->loop;
    if (loop->data[0] == loop->data[1]) return TESS_OK; /* the only overlap that is let through: the same view */
    if (loop->n_dims == 1 && loop->stride[0][0] == 1 && loop->stride[1][0] == 1) {
        tess__cuda_use(call, loop->buffer[0]);
        tess__cuda_use(call, loop->buffer[1]);
        TESS_CUDA(call, copy_within, (uintptr_t)loop->data[0], (uintptr_t)loop->data[1],
                  (size_t)(loop->n * loop->size[0]), call->stream->handle);
        return TESS_OK;
    }
    form f = { .kind = TESS__COPY, .n_inputs = 1, .unit = tess__cuda_unit(loop->size[0]) };
    TESS_TRY(launch(call, &f, loop, none));
    return TESS_OK;
}

/* Elements that are larger than what a kernel moves at once are not one number but several: a fill for each. */
static tess_status fill(tess__cuda_call *call, const tess__ewise *work)
{
    unsigned char        values[TESS__GPU_OPERANDS][16] = { { 0 } };
    const tess__element *element = &work->param.element;
    form                 f = { .kind = TESS__FILL, .unit = tess__cuda_unit(element->size) };
    tess__loop           part = work->loop;
    const int64_t        n = element->size / f.unit;
    for (int d = 0; d < part.n_dims; d++) part.stride[0][d] *= n;
    part.size[0] = f.unit;
    for (int64_t i = 0; i < n; i++) {
        memcpy(values[0], element->bytes + i * f.unit, (size_t)f.unit);
        TESS_TRY(launch(call, &f, &part, values));
        part.data[0] += f.unit;
    }
    return TESS_OK;
}

static tess_status cast(tess__cuda_call *call, const tess__ewise *work)
{
    static const unsigned char none[TESS__GPU_OPERANDS][16];
    form                       f = { .kind = TESS__CAST, .mode = work->mode, .part = work->part, .n_inputs = 1 };
    f.stored[0] = (uint8_t)work->to;
    f.stored[1] = (uint8_t)work->from;
    TESS_TRY(launch(call, &f, &work->loop, none));
    return TESS_OK;
}

static tess_status operate(tess__cuda_call *call, const tess__ewise *work)
{
    const tess__operate *o = &work->param.operate;
    form f = { .kind = TESS__OPERATE, .op = o->op, .kernel = o->kernel, .n_inputs = work->loop.n_operands - 1 };
    if (o->op == TESS__OP_where) f.unit = (int)work->loop.size[0];
    for (int k = 0; k <= f.n_inputs; k++) {
        f.wanted[k] = (uint8_t)o->wanted[k];
        f.stored[k] = (uint8_t)(o->scalar[k] ? o->wanted[k] : o->stored[k]);
        f.given |= (uint8_t)(o->scalar[k] ? 1u << k : 0);
    }
    TESS_TRY(launch(call, &f, &work->loop, o->value));
    return TESS_OK;
}

tess_status tess__cuda_ewise_on(tess__cuda_call *call, const tess__ewise *work)
{
    if (work->loop.n == 0) return TESS_OK;
    if (work->kind == TESS__COPY) return copy(call, work);
    if (work->kind == TESS__FILL) return fill(call, work);
    if (work->kind == TESS__CAST) return cast(call, work);
    return operate(call, work);
}

tess_status tess__cuda_ewise(tess_stream *stream, const tess__ewise *work, int n)
{
    tess__cuda_call call;
    tess_status     status = TESS_OK;
    TESS_TRY(tess__cuda_begin(&call, work->name, stream));
    for (int i = 0; i < n && status == TESS_OK; i++) status = tess__cuda_ewise_on(&call, &work[i]);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}
