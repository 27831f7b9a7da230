/* Sums and means of blocks on a GPU, bit for bit as on the CPU: a thread for each result, or, where results are few and
 * blocks large, one for each run of a row, and then one for each result. */
#include "core/dtype.h"
#include "cuda/cuda.h"
#include "cuda/grid.h"
#include "cuda/kernels/bin_params.h"
#include "cuda/memory.h"

enum { THREADS = 256, MOST_FEW = 4, MANY_RUNS = 16, MANY_RESULTS = 1 << 18 };

/* What a program depends on beside dtypes. */
typedef struct form {
    int  in, out, parts, factor;
    bool halves, mean;
} form;

static uint64_t word_of(const form *f)
{
    return (uint64_t)f->parts | (uint64_t)f->factor << 8 | (uint64_t)f->halves << 16 | (uint64_t)f->mean << 17;
}

static void print(tess__writer *w, const tess__cuda_key *key)
{
    const form *f = key->source;
    tess__write(w, "#include \"cuda/kernels/prelude.h\"\n#include \"cuda/kernels/elements.h\"\n");
    tess__write(w, "#define IN %d\n#define OUT %d\n#define PARTS %d\n#define HALVES %d\n#define MEAN %d\n", f->in,
                f->out, f->parts, f->halves, f->mean);
    tess__write(w, "#define STEP %d\n#define FACTOR %d\n", (int)key->word[0], f->factor);
    tess__write(w, "#include \"cuda/kernels/bin.h\"\n");
}

static const tess__cuda_family family = { .name = "bin", .print = print };

static tess_status launch(tess__cuda_call *call, int step, const form *f, const tess__gpu_bin *p)
{
    const tess__cuda_key key = { .family = &family,
                                 .word = { (uint64_t)step, (uint64_t)f->in, (uint64_t)f->out, word_of(f) },
                                 .source = f };
    const int64_t        items = p->grid.n * (step == TESS__GPU_BIN_RUNS ? p->runs : 1);
    TESS_TRY(tess__cuda_run(call, &key, tess__cuda_groups(items, THREADS), THREADS, p));
    return TESS_OK;
}

/* Means of integers of 64 bits are made of two sums, of their lower and of their upper halves, since one would wrap. */
static form form_of(const tess__bin *work)
{
    const tess_dtype real = tess_dtype_real(work->in.dtype);
    const bool       is_complex = real != work->in.dtype;
    form             f = { .in = real == TESS_BOOL ? TESS_U8 : real,
                           .out = is_complex ? tess_dtype_real(work->out.dtype) : work->out.dtype,
                           .mean = work->mean };
    f.halves = work->mean && tess_dtype_kind(real) != TESS_KIND_FLOAT && tess__dtype_size(real) == 8;
    f.parts = is_complex || f.halves ? 2 : 1;
    f.factor = work->factor[3] <= MOST_FEW ? (int)work->factor[3] : 0;
    return f;
}

/* Do the neighbours of a row of a block lie together at a multiple of their size, in every block? */
static bool lie_together(const tess__bin *work, const form *f)
{
    const int64_t size = tess__dtype_size(work->in.dtype), bytes = size * f->factor;
    if (f->factor != 2 && f->factor != 4) return false;
    if (f->parts == 2 || work->in.strides.w != 1 || bytes > 16 || (uintptr_t)work->in.data % (uintptr_t)bytes)
        return false;
    for (int d = 0; d < 3; d++)
        if (work->in.shape.dim[d] > 1 && work->in.strides.dim[d] * size % bytes) return false;
    return true;
}

static tess_status run(tess__cuda_call *call, const tess__bin *work)
{
    form             f = form_of(work);
    tess_status      status;
    tess__cu_address room = 0;
    tess__gpu_bin    p = { .out = tess__cuda_array(&work->out), .in = tess__cuda_array(&work->in) };
    tess__cuda_grid(&p.grid, work->out.shape.dim);
    for (int d = 0; d < 4; d++) {
        p.factor[d] = work->factor[d];
        p.n_in[d] = work->in.shape.dim[d];
    }
    p.together = lie_together(work, &f);
    p.runs_of_row = tess__cuda_groups(p.factor[3], TESS__GPU_BIN_RUN);
    p.runs = p.factor[0] * p.factor[1] * p.factor[2] * p.runs_of_row;
    if (p.runs < MANY_RUNS || p.grid.n > MANY_RESULTS) {
        TESS_TRY(launch(call, TESS__GPU_BIN_AT_ONCE, &f, &p));
        return TESS_OK;
    }
    f.factor = 0;
    TESS_TRY(tess__cuda_room_take(&room, call, sizeof(double) * (size_t)(p.grid.n * p.runs * f.parts)));
    p.sums = room;
    TESS_GOTO(done, status, launch(call, TESS__GPU_BIN_RUNS, &f, &p));
    TESS_GOTO(done, status, launch(call, TESS__GPU_BIN_FINISH, &f, &p));
done:
    tess__cuda_room_give(call, room);
    return status;
}

tess_status tess__cuda_bin(tess_stream *stream, const tess__bin *work)
{
    tess__cuda_call call;
    TESS_TRY(tess__cuda_begin(&call, work->name, stream));
    tess__cuda_use(&call, work->out.buffer);
    tess__cuda_use(&call, work->in.buffer);
    const tess_status status = run(&call, work);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}
