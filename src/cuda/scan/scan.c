/* Scans (cumulative operations) on a GPU.
 *
 * Where there are few long vectors they are cut into chunks, and the scan has three launches (reduce-then-scan):
 * totals of chunks, their exclusive scan, results. Sizes, strides and dtypes alone decide how, so that results are
 * the same on every device. */
#include <string.h>

#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/minmax.h"
#include "cuda/cuda.h"
#include "cuda/jit/division.h"
#include "cuda/jit/kernel.h"
#include "cuda/runtime/memory.h"
#include "cuda/scan/scan_params.h"

enum {
    THREADS = 256,
    EACH = 4, /* elements of a thread in a tile; as in cuda/scan/rows.cu.h */
    TILE = EACH * THREADS,
    WARP_TEAM = 5,
    BLOCK_TEAM = 8,
    SHORT = 16,         /* elements of a vector that one thread goes along */
    WARP_VECTOR = 1024, /* maximum for a warp */
    ROW_CHUNKS = 2048,  /* chunks of all vectors that keep a GPU busy */
    MIN_TILES = 4,      /* of a chunk */
    BUSY = 131072,      /* threads that do */
    MIN_CHUNK = 64      /* elements of a chunk of a column */
};

/* What a program depends on, packed into the words of its key. */
typedef struct spec {
    int op, kernel, stored[2];
    int columns, dims, wide, exclusive, packed[2], slots;
} spec;

/* ---- Programs ---- */

static int state_slots(int op, int kernel)
{
    if (op == TESS__SCAN_SUM) return kernel == TESS_F64 ? 2 : 1;
    if (op != TESS__SCAN_PROD) return 1;
    const int kind = tess__dtypes[kernel].kind;
    return kind == TESS_KIND_COMPLEX ? 3 : kind == TESS_KIND_FLOAT ? 2 : 1;
}

static void print_operation(tess__writer *w, const spec *f)
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
    else tess__write(w, "min_or_max<%d, %d>\n", f->kernel, f->op == TESS__SCAN_MAX);
}

static void print(tess__writer *w, const tess__cuda_key *key)
{
    const spec *f = key->context;
    tess__write(w, "#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/jit/elements.cu.h\"\n");
    tess__write(w, "#define IN_DTYPE %d\n#define OUT_DTYPE %d\n#define EXCLUSIVE %d\n", f->stored[1], f->stored[0],
                f->exclusive);
    tess__write(w, "#define DIMS %d\n#define WIDE %d\n#define IN_PACKED %d\n#define OUT_PACKED %d\n", f->dims, f->wide,
                f->packed[1], f->packed[0]);
    tess__write(w, "#define SLOTS %d\n", f->slots);
    print_operation(w, f);
    tess__write(w, "#include \"cuda/scan/%s.cu.h\"\n", f->columns ? "columns" : "rows");
}

static const tess__cuda_family family = { .name = "scan", .print = print };

static tess__cuda_key key_of(const spec *f)
{
    tess__cuda_key key = { .family = &family, .context = f };
    key.word[0] = (uint64_t)f->op | (uint64_t)f->kernel << 8 | (uint64_t)f->stored[0] << 16 |
                  (uint64_t)f->stored[1] << 24 | (uint64_t)f->columns << 32 | (uint64_t)f->dims << 36 |
                  (uint64_t)f->wide << 40 | (uint64_t)f->exclusive << 41 | (uint64_t)f->packed[0] << 42 |
                  (uint64_t)f->packed[1] << 43;
    return key;
}

/* ---- Decisions ---- */

/* Vectors side by side are nearer to each other in memory than a vector's elements. */
static bool lie_side_by_side(const tess__scan *work)
{
    const int dim = work->vectors.n_dims - 1;
    if (work->vectors.shape[dim] == 1) return false;
    for (int k = 0; k < 2; k++) {
        const int64_t next = tess__magnitude(work->vectors.stride[k][dim]), along = tess__magnitude(work->along[k]);
        if (next != along) return next < along;
    }
    return false;
}

/* Can the EACH elements of a thread be moved at once? */
static bool is_packed(const tess__scan *work, int k)
{
    const int64_t  size = work->vectors.size[k];
    const uint64_t bytes = (uint64_t)(EACH * size < 16 ? EACH * size : 16);
    uint64_t       bits = (uintptr_t)work->vectors.data[k];
    for (int d = 0; d < work->vectors.n_dims; d++) bits |= (uint64_t)(work->vectors.stride[k][d] * size);
    return work->along[k] == 1 && bits % bytes == 0;
}

static spec spec_of(const tess__scan *work)
{
    spec f = { .op = work->op, .kernel = work->kernel, .dims = work->vectors.n_dims, .exclusive = work->exclusive };
    f.columns = work->n <= SHORT || lie_side_by_side(work);
    f.wide = work->vectors.n >= INT32_MAX;
    f.slots = state_slots(f.op, f.kernel);
    for (int k = 0; k < 2; k++) {
        f.stored[k] = work->stored[k];
        f.packed[k] = !f.columns && is_packed(work, k);
    }
    return f;
}

static int64_t quotient(int64_t a, int64_t b) { return (a + b - 1) / b; }

static void divide(tess__gpu_scan *p, bool columns)
{
    int64_t chunks = columns ? tess__min(BUSY / p->vectors, p->n / MIN_CHUNK)
                             : tess__min(ROW_CHUNKS / p->vectors, p->n / (MIN_TILES * TILE));
    if (chunks < 1) chunks = 1;
    p->team = p->n > WARP_VECTOR ? BLOCK_TEAM : WARP_TEAM;
    p->chunk = quotient(p->n, chunks);
    if (!columns && chunks > 1) p->chunk = quotient(p->chunk, TILE) * TILE;
    p->chunks = quotient(p->n, p->chunk);
    p->vector_step = columns ? 1 : p->chunks;
    p->chunk_step = columns ? p->vectors : 1;
}

static tess__gpu_scan params_of(const tess__scan *work, const spec *f)
{
    tess__gpu_scan    p = { .vectors = work->vectors.n, .n = work->n };
    const tess__loop *vectors = &work->vectors;
    for (int d = 0; d < vectors->n_dims; d++) {
        p.size[d] = vectors->shape[d];
        p.divisor[d] = tess__cuda_divisor(p.size[d]);
        for (int k = 0; k < 2; k++) p.stride[k][d] = vectors->stride[k][d];
    }
    for (int k = 0; k < 2; k++) {
        p.along[k] = work->along[k];
        p.data[k] = (uintptr_t)vectors->data[k];
    }
    memcpy(p.neutral, work->neutral.bytes, sizeof p.neutral);
    divide(&p, f->columns);
    return p;
}

/* ---- Launches ---- */

static tess_status launch(tess__cuda_call *call, const tess__cuda_key *key, tess__gpu_scan *p, bool columns, int step)
{
    const int64_t units = step == TESS__GPU_SCAN_STARTS ? p->vectors : p->vectors * p->chunks;
    const int     team = columns ? 0 : step == TESS__GPU_SCAN_STARTS ? BLOCK_TEAM : p->team;
    p->step = step;
    TESS_TRY(tess__cuda_run(call, key, quotient(units, THREADS >> team), THREADS, p));
    return TESS_OK;
}

static tess_status launch_all(tess__cuda_call *call, const spec *f, tess__gpu_scan *p)
{
    const tess__cuda_key key = key_of(f);
    if (p->chunks > 1) {
        TESS_TRY(launch(call, &key, p, f->columns, TESS__GPU_SCAN_TOTALS));
        TESS_TRY(launch(call, &key, p, f->columns, TESS__GPU_SCAN_STARTS));
    }
    TESS_TRY(launch(call, &key, p, f->columns, TESS__GPU_SCAN_RESULTS));
    return TESS_OK;
}

tess_status tess__cuda_scan(tess__cuda_call *call, const tess__scan *work)
{
    const spec       f = spec_of(work);
    tess__gpu_scan   p = params_of(work, &f);
    tess__cu_address workspace = 0;
    if (p.chunks > 1)
        TESS_TRY(tess__cuda_workspace_acquire(&workspace, call, (size_t)(p.vectors * p.chunks * f.slots) * 8));
    p.chunk_states = workspace;
    const tess_status status = launch_all(call, &f, &p);
    tess__cuda_workspace_release(call, workspace);
    TESS_TRY(status);
    return TESS_OK;
}
