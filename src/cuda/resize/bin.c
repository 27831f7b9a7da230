/* Binning (sums and means of blocks) on a GPU, bit for bit as on the CPU: one thread for each result, or for a pack
 * of results where blocks have few contiguous neighbours; where results are few and blocks large, one thread for
 * each run of a row, and then one for each result. */
#include "core/dtype.h"
#include "core/minmax.h"
#include "cuda/cuda.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/resize/bin_params.h"
#include "cuda/runtime/memory.h"

enum {
    THREADS = 256,
    MAX_FEW = 8,
    MAX_PACK = 4,
    MAX_READ = 160, /* bytes of a result and its neighbours, before they are added */
    MANY_RUNS = 16,
    MANY_RESULTS = 1 << 18,
    MAX_SUMS = 1 << 23 /* of runs at a time: 128 MiB */
};

static const tess__cuda_source source =
    TESS__CUDA_SOURCE("resize/bin", "IN", "OUT", "COMPLEX", "MEAN", "STEP", "FACTOR");
static const tess__cuda_source packs =
    TESS__CUDA_SOURCE("resize/bin_packs", "IN", "OUT", "MEAN", "FACTOR", "PACK", "HEIGHT");

/* The numbers of its programs. */
typedef struct spec {
    tess_dtype in, out; /* of reals, if numbers are complex */
    bool       is_complex, mean;
    int64_t    factor; /* along W, if it is small, or 0 */
} spec;

static spec spec_of(const tess__bin *work)
{
    const tess_dtype real = tess_dtype_real(work->in.dtype);
    const bool       is_complex = real != work->in.dtype;
    return (spec){ .in = real == TESS_BOOL ? TESS_U8 : real,
                   .out = is_complex ? tess_dtype_real(work->out.dtype) : work->out.dtype,
                   .is_complex = is_complex,
                   .mean = work->mean,
                   .factor = work->factor[3] <= MAX_FEW ? work->factor[3] : 0 };
}

static tess_status launch(tess__cuda_call *call, int step, const spec *f, const tess__gpu_bin *p)
{
    const int64_t numbers[TESS__CUDA_WORDS] = { f->in, f->out, f->is_complex, f->mean, step, f->factor };
    const int64_t items = p->grid.n * (step == TESS__GPU_BIN_RUNS ? p->runs : 1);
    TESS_TRY(tess__cuda_run_source(call, &source, numbers, tess__cuda_groups(items, THREADS), THREADS, p));
    return TESS_OK;
}

/* Do rows begin at multiples of so many bytes, a power of 2, with neighbours side by side? */
static bool lie_at(const tess_array *a, int64_t bytes)
{
    const int64_t size = tess__dtype_size(a->dtype);
    uint64_t      bits = (uintptr_t)a->data;
    for (int d = 0; d < 3; d++)
        if (a->shape.dim[d] > 1) bits |= (uint64_t)(a->strides.dim[d] * size);
    return (a->strides.w == 1 || a->shape.w == 1) && bits % (uint64_t)bytes == 0;
}

/* Are the neighbours of a row of a block contiguous and aligned to their size, in every block? */
static bool lie_together(const tess__bin *work, const spec *f)
{
    const int64_t bytes = tess__dtype_size(work->in.dtype) * f->factor;
    if (f->factor != 2 && f->factor != 4) return false;
    return !f->is_complex && bytes <= 16 && lie_at(&work->in, bytes);
}

/* ---- Packs of results ---- */

/* Results of a thread side by side: those of 16 bytes of the input, or of a few more if there are three to each. */
static int64_t pack_of(const tess__bin *work, const spec *f)
{
    const int64_t size = tess__dtype_size(work->in.dtype), bytes = size * f->factor;
    int64_t       pack = 1;
    while (pack < MAX_PACK && pack * bytes % 16) pack *= 2;
    return pack;
}

/* Rows of a block that are read at a time: so many that they divide those of a complete block. */
static int64_t height_of(int64_t rows, int64_t bytes)
{
    int64_t height = 4;
    while (height > 1 && (rows % height || height * bytes > MAX_READ)) height--;
    return height;
}

static bool goes_in_packs(const tess__bin *work, const spec *f)
{
    const int64_t bytes = tess__dtype_size(work->in.dtype) * f->factor * pack_of(work, f);
    return f->factor && !f->is_complex && lie_at(&work->in, tess__min(bytes & -bytes, 16));
}

static tess_status run_packs(tess__cuda_call *call, const tess__bin *work, const spec *f, tess__gpu_bin *p)
{
    const int64_t pack = pack_of(work, f), bytes = pack * f->factor * tess__dtype_size(work->in.dtype);
    const int64_t height = height_of(work->factor[2], bytes), rows = TESS__GPU_BIN_ROWS(height * bytes);
    const int64_t n = p->factor[0] * p->factor[1] * p->factor[2] * p->factor[3];
    int64_t       along[4];
    for (int d = 0; d < 4; d++) {
        along[d] = p->n_out[d] = work->out.shape.dim[d];
        p->complete[d] = work->in.shape.dim[d] / work->factor[d];
    }
    along[2] = tess__cuda_groups(along[2], rows);
    along[3] = tess__cuda_groups(along[3], pack);
    tess__cuda_grid(&p->grid, along);
    p->n_block = (double)n;
    p->inverse = n & (n - 1) ? 0 : 1 / (double)n;
    p->out_together = lie_at(&work->out, tess__min(pack * tess__dtype_size(work->out.dtype), 16));
    const int64_t numbers[TESS__CUDA_WORDS] = { f->in, f->out, f->mean, f->factor, pack, height };
    TESS_TRY(tess__cuda_run_source(call, &packs, numbers, tess__cuda_groups(p->grid.n, THREADS), THREADS, p));
    return TESS_OK;
}

/* ---- Results ---- */

tess_status tess__cuda_bin(tess__cuda_call *call, const tess__bin *work);

/* One half of the results, then the other. */
static tess_status run_halves(tess__cuda_call *call, const tess__bin *work)
{
    int d = 0;
    for (int k = 1; k < 4; k++)
        if (work->out.shape.dim[k] > work->out.shape.dim[d]) d = k;
    const int64_t n = work->out.shape.dim[d] / 2, n_in = n * work->factor[d];
    tess__bin     first = *work, second = *work;
    first.out.shape.dim[d] = n;
    first.in.shape.dim[d] = n_in;
    second.out.shape.dim[d] -= n;
    second.in.shape.dim[d] -= n_in;
    second.out.data = (char *)second.out.data + n * work->out.strides.dim[d] * tess__dtype_size(work->out.dtype);
    second.in.data = (char *)second.in.data + n_in * work->in.strides.dim[d] * tess__dtype_size(work->in.dtype);
    TESS_TRY(tess__cuda_bin(call, &first));
    TESS_TRY(tess__cuda_bin(call, &second));
    return TESS_OK;
}

tess_status tess__cuda_bin(tess__cuda_call *call, const tess__bin *work)
{
    spec             f = spec_of(work);
    tess_status      status;
    tess__cu_address workspace = 0;
    tess__gpu_bin    p = { .out = tess__cuda_array(&work->out), .in = tess__cuda_array(&work->in) };
    tess__cuda_grid(&p.grid, work->out.shape.dim);
    for (int d = 0; d < 4; d++) {
        p.factor[d] = work->factor[d];
        p.n_in[d] = work->in.shape.dim[d];
    }
    p.together = lie_together(work, &f);
    p.quads = tess__bin_is_quad(work);
    p.runs_of_row = tess__cuda_groups(p.factor[3], TESS__GPU_BIN_RUN);
    p.runs = p.factor[0] * p.factor[1] * p.factor[2] * p.runs_of_row;
    if (p.runs < MANY_RUNS || p.grid.n > MANY_RESULTS) {
        if (goes_in_packs(work, &f)) return run_packs(call, work, &f, &p);
        TESS_TRY(launch(call, TESS__GPU_BIN_AT_ONCE, &f, &p));
        return TESS_OK;
    }
    if (p.grid.n > 1 && p.runs > MAX_SUMS / p.grid.n) return run_halves(call, work);
    f.factor = 0;
    TESS_TRY(tess__cuda_workspace_acquire(&workspace, call, 2 * sizeof(double) * (size_t)(p.grid.n * p.runs)));
    p.sums = workspace;
    TESS_GOTO(done, status, launch(call, TESS__GPU_BIN_RUNS, &f, &p));
    TESS_GOTO(done, status, launch(call, TESS__GPU_BIN_EPILOGUE, &f, &p));
done:
    tess__cuda_workspace_release(call, workspace);
    return status;
}
