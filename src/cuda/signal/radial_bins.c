/* Sums over shells of spectra on a GPU, bit for bit as on the CPU: a block for each chunk of mirrored rows, or a warp
 * for each chunk of rows as they are, and then blocks that add the tables of chunks. */
#include "core/minmax.h"
#include "cuda/cuda.h"
#include "cuda/jit/grid.h"
#include "cuda/jit/kernel_source.h"
#include "cuda/memory/contiguous.h"
#include "cuda/signal/radial_bins_params.h"

enum {
    ROW_THREADS = 128,
    TABLE_BYTES = 1 << 26 /* of chunks at a time, of each lane that is kept */
};

static const tess__cuda_source mirrored =
    TESS__CUDA_SOURCE("signal/radial_bins_mirrored", "LHS", "RHS", "CONES", "NEAREST", "THREADS");
static const tess__cuda_source rows = TESS__CUDA_SOURCE("signal/radial_bins_rows", "IN", "KIND", "TERMS");
static const tess__cuda_source merge = TESS__CUDA_SOURCE("signal/radial_bins_merge", "WARPS", "LANES");

static tess__gpu_radial_bins params_of(const tess__radial_bins *work)
{
    return (tess__gpu_radial_bins){ .grid = work->grid,
                                    .lhs = tess__cuda_array(&work->lhs),
                                    .rhs = tess__cuda_array(&work->rhs),
                                    .ctfs = tess__cuda_array(&work->ctfs),
                                    .target = tess__cuda_array(&work->target),
                                    .all_cones = work->out.shape.d,
                                    .sums = TESS__RADIAL_SUMS(work->terms),
                                    .cosine = work->cosine,
                                    .axes = (tess__cu_address)(uintptr_t)work->axes.data,
                                    .out = (tess__cu_address)(uintptr_t)work->out.data };
}

/* Tables of a chunk that are merged with those of the others. */
static int lanes_of(const tess__radial_grid *g) { return g->kind == TESS__RADIAL_MIRRORED ? 1 : TESS__RADIAL_LANES; }

/* A thread for each column of a chunk, and for each shell of its window. Few sizes, as each is compiled. */
static unsigned threads_of(const tess__radial_grid *g)
{
    const int64_t needed = tess__max(g->columns, g->window);
    return needed <= 64 ? 64 : needed <= 96 ? 96 : 160;
}

/* The tables of these chunks. */
static tess_status fill(tess__cuda_call *call, const tess__radial_bins *work, const tess__gpu_radial_bins *p)
{
    const int64_t tables = p->batches * p->chunks * p->cones;
    if (p->grid.kind == TESS__RADIAL_MIRRORED) {
        const unsigned threads = threads_of(&p->grid);
        const int64_t  numbers[TESS__CUDA_WORDS] = { work->lhs.dtype, work->rhs.data ? work->rhs.dtype : 0,
                                                     work->axes.data != NULL, p->grid.nearest, threads };
        TESS_TRY(tess__cuda_run_source(call, &mirrored, numbers, tables, threads, p));
    } else {
        const int64_t numbers[TESS__CUDA_WORDS] = { work->lhs.dtype, p->grid.kind, work->terms };
        TESS_TRY(
            tess__cuda_run_source(call, &rows, numbers, tess__cuda_groups(tables, ROW_THREADS / 32), ROW_THREADS, p));
    }
    return TESS_OK;
}

/* The chunks of these parameters, added to the sums. */
static tess_status add(tess__cuda_call *call, const tess__radial_bins *work, const tess__gpu_radial_bins *p)
{
    const int64_t groups = tess__cuda_groups(p->chunks, p->grid.group), warps = groups > 8 ? 32 : groups > 1 ? 8 : 1;
    const int64_t tiles = tess__cuda_groups(p->grid.shells * p->sums, 32);
    TESS_TRY(fill(call, work, p));
    TESS_TRY(tess__cuda_run_source(call, &merge, (const int64_t[TESS__CUDA_WORDS]){ warps, lanes_of(&p->grid) },
                                   p->batches * p->cones * tiles, (unsigned)(32 * warps), p));
    return TESS_OK;
}

/* As many cones, chunks and batches at a time as tables may have: of the chunks of a batch all or some groups. */
static tess_status run(tess__cuda_call *call, tess__cuda_workspaces *workspaces, const tess__radial_bins *work)
{
    tess__gpu_radial_bins p = params_of(work);
    const int64_t         all = p.grid.chunks, b = work->out.shape.b, fit = TABLE_BYTES / (int64_t)sizeof(double);
    const int64_t         table = p.grid.window * p.sums, group = p.grid.group;
    const int64_t         cones = tess__clamp(fit / (group * table), 1, p.all_cones), slots = fit / (cones * table);
    const int64_t         chunks = tess__min(all, tess__max(slots / group, 1) * group);
    const int64_t         batches = tess__clamp(slots / chunks, 1, b);
    const int64_t         tables = batches * chunks * cones * lanes_of(&p.grid);
    TESS_TRY(tess__cuda_workspaces_acquire(&p.tables, workspaces, call, tables * table, sizeof(double)));
    TESS_TRY(tess__cuda_workspaces_acquire(&p.firsts, workspaces, call, batches * chunks, sizeof(int32_t)));
    for (p.batch = 0; p.batch < b; p.batch += batches)
        for (p.cone = 0; p.cone < p.all_cones; p.cone += cones)
            for (p.chunk = 0; p.chunk < all; p.chunk += chunks) {
                p.batches = tess__min(batches, b - p.batch);
                p.cones = tess__min(cones, p.all_cones - p.cone);
                p.chunks = tess__min(chunks, all - p.chunk);
                TESS_TRY(add(call, work, &p));
            }
    return TESS_OK;
}

tess_status tess__cuda_radial_bins(tess__cuda_call *call, const tess__radial_bins *work)
{
    tess__cuda_workspaces workspaces = { .n = 0 };
    const tess_status     status = run(call, &workspaces, work);
    tess__cuda_workspaces_release(&workspaces, call);
    TESS_TRY(status);
    return TESS_OK;
}
