/* Running operations on a GPU.
 *
 * Long lines are cut into tiles, which blocks work on side by side (kernels/scan_tiles.h). Lines that lie side by side
 * are gone along by a thread each; where they are few, in parts: their totals first, then what comes before each part,
 * then the results. Sizes, strides and dtypes alone decide how, so that results are the same on every device. */
#include <string.h>

#include "core/check.h"
#include "core/dtype.h"
#include "core/layout.h"
#include "cuda/cuda.h"
#include "cuda/division.h"
#include "cuda/kernel.h"
#include "cuda/kernels/scan_params.h"
#include "cuda/memory.h"
#include "cuda/stream.h"

enum {
    THREADS = 256,
    EACH = 4, /* elements that a thread reads at once; as in kernels/scan_lanes.h */
    WARP_TEAM = 5,
    BLOCK_TEAM = 8,
    SHORT = 16,          /* elements of a line that one thread goes along */
    WARP_LINE = 1024,    /* most that a warp goes along */
    GROUP = 2 * THREADS, /* tiles of a group; as in kernels/scan_tiles.h */
    COUNTER = 16,        /* bytes before the slots of tiles */
    BUSY = 131072,       /* threads that keep a GPU busy */
    LEAST_PART = 64      /* elements of a part of a column */
};

/* How lines are gone along: the names of kernels. */
enum { ROWS, COLUMNS, TILES };
static const char *const kernel_names[] = { [ROWS] = "rows", [COLUMNS] = "columns", [TILES] = "tiles" };

/* What a program depends on, packed into the words of its key. */
typedef struct form {
    int op, kernel, stored[2];
    int mode, rounds, dims, wide, exclusive, packed[2], words;
} form;

/* ---- Programs ---- */

static int state_words(int op, int kernel)
{
    if (op == TESS__SCAN_SUM) return kernel == TESS_F64 ? 2 : 1;
    if (op != TESS__SCAN_PROD) return 1;
    const int kind = tess__dtypes[kernel].kind;
    return kind == TESS_KIND_COMPLEX ? 3 : kind == TESS_KIND_FLOAT ? 2 : 1;
}

static void print_operation(tess__writer *w, const form *f)
{
    const int  kind = tess__dtypes[f->kernel].kind;
    const bool integer = kind < TESS_KIND_FLOAT;
    tess__write(w, "#define OPERATION ");
    if (f->op == TESS__SCAN_SUM && !integer) tess__write(w, "sum_%s\n", tess_dtype_name(f->kernel));
    else if (f->op == TESS__SCAN_SUM) tess__write(w, "sum_integer<%d>\n", f->kernel);
    else if (f->op == TESS__SCAN_PROD)
        tess__write(w, "product_%s<%d>\n",
                    integer                     ? "integer"
                    : kind == TESS_KIND_COMPLEX ? "complex"
                                                : "real",
                    f->kernel);
    else tess__write(w, "extreme<%d, %d>\n", f->kernel, f->op == TESS__SCAN_MAX);
}

static void print(tess__writer *w, const tess__cuda_key *key)
{
    const form *f = key->source;
    tess__write(w, "#include \"cuda/kernels/prelude.h\"\n#include \"cuda/kernels/elements.h\"\n");
    tess__write(w, "#define IN_DTYPE %d\n#define OUT_DTYPE %d\n#define EXCLUSIVE %d\n", f->stored[1], f->stored[0],
                f->exclusive);
    tess__write(w, "#define DIMS %d\n#define WIDE %d\n#define IN_PACKED %d\n#define OUT_PACKED %d\n", f->dims, f->wide,
                f->packed[1], f->packed[0]);
    tess__write(w, "#define WORDS %d\n#define ROUNDS %d\n", f->words, f->rounds);
    print_operation(w, f);
    tess__write(w, "#include \"cuda/kernels/scan_%s.h\"\n", kernel_names[f->mode]);
}

static const tess__cuda_family family = { .name = "scan", .print = print };

static tess__cuda_key key_of(const form *f)
{
    tess__cuda_key key = { .family = &family, .source = f };
    key.word[0] = (uint64_t)f->op | (uint64_t)f->kernel << 8 | (uint64_t)f->stored[0] << 16 |
                  (uint64_t)f->stored[1] << 24 | (uint64_t)f->mode << 32 | (uint64_t)f->dims << 36 |
                  (uint64_t)f->wide << 40 | (uint64_t)f->exclusive << 41 | (uint64_t)f->packed[0] << 42 |
                  (uint64_t)f->packed[1] << 43;
    return key;
}

/* ---- Decisions ---- */

/* Lines side by side are nearer to each other in memory than a line's elements. */
static bool lie_side_by_side(const tess__scan *work)
{
    const int dim = work->lines.n_dims - 1;
    if (work->lines.shape[dim] == 1) return false;
    for (int k = 0; k < 2; k++) {
        const int64_t next = tess__magnitude(work->lines.stride[k][dim]), along = tess__magnitude(work->along[k]);
        if (next != along) return next < along;
    }
    return false;
}

/* Can the EACH elements of a thread be moved at once? */
static bool is_packed(const tess__scan *work, int k)
{
    const int64_t  size = work->lines.size[k];
    const uint64_t piece = (uint64_t)(EACH * size < 16 ? EACH * size : 16);
    uint64_t       bits = (uintptr_t)work->lines.data[k];
    for (int d = 0; d < work->lines.n_dims; d++) bits |= (uint64_t)(work->lines.stride[k][d] * size);
    return work->along[k] == 1 && bits % piece == 0;
}

/* Tiles are what their threads can hold. */
static int rounds_of(const tess__scan *work)
{
    const int64_t size = work->lines.size[1];
    return size <= 8 ? 4 : 2;
}

static int64_t tile_of(const form *f) { return (int64_t)f->rounds * EACH * THREADS; }

static form form_of(const tess__scan *work)
{
    form f = { .op = work->op, .kernel = work->kernel, .dims = work->lines.n_dims, .exclusive = work->exclusive };
    f.rounds = rounds_of(work);
    f.mode = work->n <= SHORT || lie_side_by_side(work) ? COLUMNS : work->n > 2 * tile_of(&f) ? TILES : ROWS;
    f.wide = work->lines.n >= INT32_MAX;
    f.words = state_words(f.op, f.kernel);
    for (int k = 0; k < 2; k++) {
        f.stored[k] = work->stored[k];
        f.packed[k] = f.mode != COLUMNS && is_packed(work, k);
    }
    return f;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static int64_t quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }

static void share(tess__gpu_scan *p, const form *f)
{
    const int64_t parts = f->mode == COLUMNS ? least(BUSY / p->lines, p->n / LEAST_PART) : 1;
    p->team = p->n > WARP_LINE ? BLOCK_TEAM : WARP_TEAM;
    p->part = f->mode == TILES ? tile_of(f) : quotient(p->n, parts < 1 ? 1 : parts);
    p->parts = quotient(p->n, p->part);
}

static tess__gpu_scan params_of(const tess__scan *work, const form *f)
{
    tess__gpu_scan    p = { .lines = work->lines.n, .n = work->n };
    const tess__loop *lines = &work->lines;
    for (int d = 0; d < lines->n_dims; d++) {
        p.size[d] = lines->shape[d];
        tess__cuda_division(&p.multiply[d], &p.shift[d], p.size[d]);
        for (int k = 0; k < 2; k++) p.stride[k][d] = lines->stride[k][d];
    }
    for (int k = 0; k < 2; k++) {
        p.along[k] = work->along[k];
        p.data[k] = (uintptr_t)lines->data[k];
    }
    memcpy(p.neutral, work->neutral.bytes, sizeof p.neutral);
    share(&p, f);
    return p;
}

/* ---- Launches ---- */

/* Bytes of room beside the arrays. */
static size_t room_for(const tess__gpu_scan *p, const form *f)
{
    const int64_t states = p->lines * p->parts, groups = p->lines * quotient(p->parts, GROUP);
    if (f->mode == TILES) return COUNTER + (size_t)((states + groups) * (f->words + 1)) * 8;
    return p->parts > 1 ? (size_t)(states * f->words) * 8 : 0;
}

static tess_status launch(tess__cuda_call *call, const tess__cuda_kernel *kernel, const tess__gpu_scan *p,
                          int64_t threads)
{
    const unsigned blocks[3] = { (unsigned)quotient(threads, THREADS), 1, 1 };
    TESS_TRY(tess__cuda_launch(call, kernel, blocks, THREADS, p));
    return TESS_OK;
}

static tess_status launch_columns(tess__cuda_call *call, const tess__cuda_kernel *kernel, tess__gpu_scan *p)
{
    for (p->step = p->parts > 1 ? TESS__GPU_SCAN_TOTALS : TESS__GPU_SCAN_RESULTS; p->step <= TESS__GPU_SCAN_RESULTS;
         p->step++)
        TESS_TRY(launch(call, kernel, p, p->step == TESS__GPU_SCAN_STARTS ? p->lines : p->lines * p->parts));
    return TESS_OK;
}

static tess_status launch_all(tess__cuda_call *call, const form *f, tess__gpu_scan *p, size_t room)
{
    tess__cuda_kernel    kernel;
    const tess__cuda_key key = key_of(f);
    TESS_TRY(tess__cuda_kernel_need(&kernel, call, &key));
    if (f->mode == TILES) TESS_CUDA(call, set_bytes, p->room, 0, room, call->stream->handle);
    if (f->mode == COLUMNS) TESS_TRY(launch_columns(call, &kernel, p));
    else TESS_TRY(launch(call, &kernel, p, f->mode == TILES ? p->lines * p->parts * THREADS : p->lines << p->team));
    return TESS_OK;
}

static tess_status run(tess__cuda_call *call, const tess__scan *work)
{
    const form       f = form_of(work);
    tess__gpu_scan   p = params_of(work, &f);
    const size_t     bytes = room_for(&p, &f);
    tess__cu_address room = 0;
    if (bytes) TESS_TRY(tess__cuda_room_take(&room, call, bytes));
    p.room = room;
    const tess_status status = launch_all(call, &f, &p, bytes);
    tess__cuda_room_give(call, room);
    TESS_TRY(status);
    return TESS_OK;
}

tess_status tess__cuda_scan(tess_stream *stream, const tess__scan *work)
{
    tess__cuda_call call;
    TESS_TRY(tess__cuda_begin(&call, work->name, stream));
    for (int k = 0; k < 2; k++) tess__cuda_use(&call, work->lines.buffer[k]);
    const tess_status status = run(&call, work);
    tess__cuda_end(&call);
    TESS_TRY(status);
    return TESS_OK;
}
