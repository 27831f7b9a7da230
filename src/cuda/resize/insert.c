/* Insertion of sub-regions into an array on a GPU: one block of threads for each tile of the array.
 *
 * Where there are many, bits tell first which of them reach which slices of the array along each axis: a tile's block
 * then looks at the origins of those alone that are marked in all slices that the tile lies in. */
#include "core/dtype.h"
#include "core/array/layout.h"
#include "cuda/cuda.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/resize/insert_params.h"
#include "cuda/resize/origins.h"
#include "cuda/runtime/memory.h"

enum {
    THREADS = TESS__GPU_INSERT_THREADS,
    WIDTH = 64, /* of a tile */
    MIN_SIDE = 8,
    ENOUGH_TILES = 1024,
    FEW_REGIONS = 256,  /* up to so many are all checked, without marks */
    MAX_SLICES = 1024,  /* of an axis */
    MAX_MARKS = 1 << 26 /* bytes */
};

static const tess__cuda_source marks_source = TESS__CUDA_SOURCE("resize/insert_bitmap", "ORIGIN");

/* ---- Programs ---- */

static void print_load(tess__writer *w, const char *name, int to, int from)
{
    tess__write(w, "convert<%d, %d>(%s)", to, from, name);
}

static void print_sums(tess__writer *w, const tess__insert *work)
{
    const tess__apply *o = &work->sum, *s = &work->weights_sum;
    const int          real = tess_dtype_real(work->out.dtype);
    const bool         weighted = work->weights.data, summed = work->weight_sums.data;
    tess__write(w, "#define REAL %d\n#define PARTS %d\n", real, real == (int)work->out.dtype ? 1 : 2);
    tess__write(w, "#define WEIGHT %d\n#define SUMS %d\n", weighted ? (int)work->weights.dtype : 0,
                summed ? (int)work->weight_sums.dtype : 0);
    tess__write(w, "#define SUM(x, w, y) element<%d>::store(convert<%d, %d>(tess__do_%s_%s(", real, real, o->kernel,
                weighted ? "fma" : "add", tess_dtype_name(o->kernel));
    print_load(w, "x", o->kernel, real);
    if (weighted) tess__write(w, ", "), print_load(w, "w", o->kernel, work->weights.dtype);
    tess__write(w, ", "), print_load(w, "y", o->kernel, real);
    tess__write(w, ")))\n");
    if (!summed) return;
    tess__write(w, "#define WEIGHT_SUM(w, y) element<%d>::store(convert<%d, %d>(tess__do_add_%s(",
                work->weight_sums.dtype, work->weight_sums.dtype, s->kernel, tess_dtype_name(s->kernel));
    if (weighted) print_load(w, "w", s->kernel, work->weights.dtype);
    else tess__write(w, "(element<%d>::held)w", s->kernel);
    tess__write(w, ", "), print_load(w, "y", s->kernel, work->weight_sums.dtype);
    tess__write(w, ")))\n");
}

/* The unit of moves: the largest power of 2 that divides the size of an element and its offsets. */
static int unit_of(const tess__insert *work)
{
    const uintptr_t all =
        (uintptr_t)work->out.data | (uintptr_t)work->in.data | (uintptr_t)tess__dtype_size(work->out.dtype) | 16;
    return (int)(all & -all);
}

/* Elements of a thread: as many as its registers hold. */
static int rounds_of(const tess__insert *work)
{
    int64_t size = work->add ? tess__dtype_size(work->out.dtype) : unit_of(work);
    if (work->add && work->weights.data) size += tess__dtype_size(work->weights.dtype);
    if (work->add && work->weight_sums.data) size += tess__dtype_size(work->weight_sums.dtype);
    return size <= 4 ? 16 : size <= 12 ? 8 : 4;
}

static void print(tess__writer *w, const tess__cuda_key *key)
{
    const tess__insert *work = key->context;
    const int           unit = unit_of(work);
    tess__write(w, "#include \"cuda/jit/prelude.cu.h\"\n#include \"cuda/jit/elements.cu.h\"\n");
    tess__write(w, "#define ORIGIN %d\n#define ADD %d\n#define ROUNDS %d\n", work->origins.dtype, work->add,
                rounds_of(work));
    if (work->add) print_sums(w, work);
    else tess__write(w, "#define UNIT %d\n#define PER %d\n", unit, (int)(tess__dtype_size(work->out.dtype) / unit));
    tess__write(w, "#include \"cuda/resize/insert.cu.h\"\n");
}

static const tess__cuda_family family = { .name = "insert", .print = print };

/* Kernels of sums follow from these dtypes, and so do those that they are computed in. */
static tess__cuda_key key_of(const tess__insert *work)
{
    const uint64_t size = (uint64_t)tess__dtype_size(work->out.dtype);
    tess__cuda_key key = { .family = &family, .context = work };
    key.word[0] = (uint64_t)work->origins.dtype | (uint64_t)work->add << 8;
    if (!work->add) {
        key.word[1] = (uint64_t)unit_of(work) | size << 8;
        return key;
    }
    key.word[1] = (uint64_t)work->out.dtype;
    key.word[2] = (uint64_t)work->sum.kernel;
    key.word[3] = work->weights.data ? (uint64_t)work->weights.dtype : 0;
    key.word[4] = work->weight_sums.data ? (uint64_t)work->weight_sums.dtype : 0;
    key.word[5] = work->weight_sums.data ? (uint64_t)work->weights_sum.kernel : 0;
    return key;
}

/* ---- Tiles ---- */

/* Axes in the order of the output's strides, those of one element first. */
static void sort_axes(int32_t name[4], const tess_array *out)
{
    for (int d = 0; d < 4; d++) {
        int at = d;
        for (; at > 0; at--) {
            const int32_t other = name[at - 1];
            if (out->shape.dim[other] == 1) break;
            if (out->shape.dim[d] != 1 &&
                tess__magnitude(out->strides.dim[d]) <= tess__magnitude(out->strides.dim[other]))
                break;
            name[at] = other;
        }
        name[at] = d;
    }
}

/* Tiles as large as the registers of threads allow, or smaller, until there are enough of them. */
static void choose_tiles(tess__gpu_insert *p, int rounds)
{
    int64_t along[4] = { p->size[0], p->size[1], 1, 1 }, side[2] = { rounds * THREADS / WIDTH, WIDTH };
    for (; side[0] / 2 >= p->size[2] && side[1] < THREADS; side[1] *= 2) side[0] /= 2;
    for (;;) {
        for (int k = 0; k < 2; k++) along[2 + k] = tess__cuda_groups(p->size[2 + k], side[k]);
        const bool enough = (double)along[0] * (double)along[1] * (double)(along[2] * along[3]) >= ENOUGH_TILES;
        if (enough || (side[0] <= MIN_SIDE && side[1] <= MIN_SIDE)) break;
        side[side[0] > side[1] ? 0 : 1] /= 2;
    }
    p->tile[0] = p->tile[1] = 1;
    p->tile[2] = side[0];
    p->tile[3] = side[1];
    while (1 << p->across < side[1]) p->across++;
    tess__cuda_grid(&p->tiles, along);
}

/* Slices of whole tiles. */
static void choose_slices(tess__gpu_insert *p)
{
    for (int k = 0; k < 4; k++) {
        int shift = 0;
        while ((int64_t)1 << shift < p->tile[k] || (p->size[k] - 1) >> shift >= MAX_SLICES) shift++;
        const int64_t n = ((p->size[k] - 1) >> shift) + 1;
        p->slice_shift[k] = shift;
        p->first_slice[k] = n > 1 ? p->slices : -1;
        if (n > 1) p->slices += n;
    }
}

/* An array as the axes are ordered. */
static tess__gpu_array ordered(const tess_array *a, const int32_t name[4])
{
    tess__gpu_array array = { .data = (uintptr_t)a->data };
    for (int k = 0; k < 4; k++) array.stride[k] = a->strides.dim[name[k]];
    return array;
}

/* An array of sub-regions: stride 0 along the batch, which the number of the sub-region counts. */
static tess__gpu_array ordered_regions(const tess_array *a, const tess__gpu_insert *p)
{
    tess__gpu_array array = ordered(a, p->name);
    array.stride[p->batch] = 0;
    return array;
}

/* ---- Launches ---- */

static tess_status launch(tess__cuda_call *call, const tess__insert *work, const tess__gpu_insert *p)
{
    const tess__cuda_key key = key_of(work);
    TESS_TRY(tess__cuda_run(call, &key, tess__cuda_stride_blocks(p->tiles.n), THREADS, p));
    return TESS_OK;
}

/* Sub-regions in batches, as many as the workspace holds marks for. */
static tess_status launch_marked(tess__cuda_call *call, const tess__insert *work, tess__gpu_insert *p)
{
    const int64_t    numbers[TESS__CUDA_WORDS] = { work->origins.dtype }, n = p->end, look = TESS__GPU_INSERT_LOOK;
    const int64_t    max = tess__cuda_groups((int64_t)MAX_MARKS * 8 / p->slices, look) * look;
    const int64_t    each = n < max ? tess__cuda_groups(n, THREADS) * THREADS : max;
    tess__cu_address workspace = 0;
    tess_status      status = TESS_OK;
    TESS_TRY(tess__cuda_workspace_acquire(&workspace, call, (size_t)(p->slices * each / 8)));
    p->marks = workspace;
    p->words = each / 64;
    for (int64_t first = 0; first < n; first += each) {
        const int64_t blocks = each / THREADS * tess__cuda_groups(p->slices, 32);
        p->first = first;
        p->end = n - first < each ? n : first + each;
        TESS_GOTO(done, status, tess__cuda_run_source(call, &marks_source, numbers, blocks, THREADS, p));
        TESS_GOTO(done, status, launch(call, work, p));
    }
done:
    tess__cuda_workspace_release(call, workspace);
    return status;
}

static tess_status run(tess__cuda_call *call, const tess__insert *work)
{
    tess__gpu_insert p = { .end = work->in.shape.b,
                           .origins = tess__cuda_origins(&work->origins, work->out.shape.b),
                           .in_next = work->in.strides.b,
                           .weights_next = work->weights.data ? work->weights.strides.b : 0 };
    sort_axes(p.name, &work->out);
    for (int k = 0; k < 4; k++) {
        p.size[k] = work->out.shape.dim[p.name[k]];
        p.region[k] = p.name[k] ? work->in.shape.dim[p.name[k]] : 1;
        if (p.name[k] == 0) p.batch = k;
    }
    p.out = ordered(&work->out, p.name);
    p.in = ordered_regions(&work->in, &p);
    if (work->weights.data) p.weights = ordered_regions(&work->weights, &p);
    if (work->weight_sums.data) p.sums = ordered(&work->weight_sums, p.name);
    choose_tiles(&p, rounds_of(work));
    choose_slices(&p);
    const bool in_own_batches = p.origins.batches && p.origins.count < 4;
    if (p.end <= FEW_REGIONS || p.slices == 0 || in_own_batches) return launch(call, work, &p);
    TESS_TRY(launch_marked(call, work, &p));
    return TESS_OK;
}

/* Sub-regions and weights may be single numbers in host memory. */
tess_status tess__cuda_insert(tess__cuda_call *call, const tess__insert *given)
{
    tess__insert     work = *given;
    tess__cu_address workspaces[2] = { 0, 0 };
    tess_status      status;
    TESS_GOTO(done, status, tess__cuda_number(&workspaces[0], &work.in, call));
    TESS_GOTO(done, status, tess__cuda_number(&workspaces[1], &work.weights, call));
    TESS_GOTO(done, status, run(call, &work));
done:
    tess__cuda_workspace_release(call, workspaces[0]);
    tess__cuda_workspace_release(call, workspaces[1]);
    return status;
}
