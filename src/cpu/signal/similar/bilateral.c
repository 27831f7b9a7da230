/* Bilateral filter on the CPU: tiles with their halo, and for each row of results the elements of the window one after
 * the other. */
#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/device/memory.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/signal/tiles.h"

enum { TILE_BYTES = 256 << 10 };

/* Estimated time of a result, and of an element of its window, in nanoseconds. */
#define COST 2.0
#define COST_OF_ELEMENT 0.8

typedef struct bilateral {
    tess__tiles         tiles;
    tess__bilateral_fn *kernel;
    tess__conversion    load, put;
    bool                direct; /* results are written where they belong */
    int64_t            *at;     /* offsets of the elements of a window */
    int64_t             n_at, plane;
    size_t              row; /* where a row of results lies in the workspace */
    tess__workspaces    workspaces;
} bilateral;

static void filter_row(const bilateral *c, const tess__tile *tile, int64_t d, int64_t h, char *workspace)
{
    const tess__tiles    *t = &c->tiles;
    char                 *row = workspace + c->row;
    char                 *out = tess__result_at(t, tile, tile->first[0] + d, tile->first[1] + h);
    const tess__bilateral window = {
        .in = workspace + d * c->plane + h * t->pitch,
        .space = t->work.filter[0].data,
        .at = c->at,
        .n_at = c->n_at,
        .centre = c->at[c->n_at / 2],
        .scale = t->work.scale,
    };
    c->kernel(c->direct ? out : row, &window, tile->n[2]);
    if (!c->direct) c->put.row((char *[]){ out, row }, (int64_t[]){ t->work.out.strides.w, 1 }, tile->n[2], &c->put);
}

static void do_tiles(void *context, int64_t first, int64_t last)
{
    bilateral         *c = context;
    const tess__tiles *t = &c->tiles;
    char              *workspace = tess__workspace_acquire(&c->workspaces);
    for (int64_t i = first; i < last; i++) {
        const tess__tile tile = tess__tile_at(t, i);
        for (int64_t d = 0; d < tile.n[0] + 2 * t->radius[0]; d++)
            for (int64_t h = 0; h < tile.n[1] + 2 * t->radius[1] && !tess__cancelled(); h++)
                tess__gather_any_row(t, &tile, tile.first[0] + d - t->radius[0], tile.first[1] + h - t->radius[1],
                                     workspace + d * c->plane + h * t->pitch);
        for (int64_t d = 0; d < tile.n[0]; d++)
            for (int64_t h = 0; h < tile.n[1] && !tess__cancelled(); h++) filter_row(c, &tile, d, h, workspace);
    }
    tess__workspace_release(&c->workspaces, workspace);
}

static void set_offsets(const bilateral *c)
{
    const int64_t *n = c->tiles.work.size;
    int64_t        i = 0;
    for (int64_t d = 0; d < n[0]; d++)
        for (int64_t h = 0; h < n[1] && !tess__cancelled(); h++)
            for (int64_t w = 0; w < n[2]; w++) c->at[i++] = (d * c->plane + h * c->tiles.pitch) / c->tiles.size + w;
}

/* The size of the workspace. */
static size_t lay_out(bilateral *c, const tess__stencil *work)
{
    const bool   wide = work->computed == TESS_F64;
    tess__tiles *t = &c->tiles;
    tess__tiles_load_numbers(t, &c->load);
    c->kernel = t->kernels->signal.bilateral[wide];
    c->direct = work->out.strides.w == 1 && work->out.dtype == work->computed;
    c->put = tess__conversion_of(work->computed, work->out.dtype, TESS__CLAMP, TESS_PART_DEFAULT);
    c->n_at = work->size[0] * work->size[1] * work->size[2];
    c->plane = (t->tile[1] + 2 * t->radius[1]) * t->pitch;
    c->row = tess__aligned_size(t->tile[0] + 2 * t->radius[0], c->plane);
    return c->row + (size_t)t->pitch;
}

tess_status tess__cpu_bilateral(const tess__stencil *work)
{
    bilateral c = { .at = NULL };
    tess__tiles_plan(&c.tiles, work, tess__dtype_size(work->computed), TILE_BYTES);
    if (c.tiles.n == 0) return TESS_OK;
    const size_t bytes = lay_out(&c, work);
    const double cost =
        (double)(c.tiles.tile[0] * c.tiles.tile[1] * c.tiles.tile[2]) * (COST + COST_OF_ELEMENT * (double)c.n_at);
    c.at = tess__alloc((size_t)c.n_at * sizeof *c.at);
    if (c.at && tess__workspaces_make(&c.workspaces, bytes, c.tiles.n)) {
        set_offsets(&c); /* of which some are missing if the call is cancelled: then nothing is done below */
        tess__parallel(c.tiles.n, tess__grain(c.tiles.n, cost), do_tiles, &c);
        tess__workspaces_free(&c.workspaces);
        tess__free(c.at);
        return TESS_OK;
    }
    tess__free(c.at);
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for a workspace of %zu bytes for each thread", work->name, bytes);
}
