/* Median and rank filters, and minima and maxima of footprints, on the CPU: tiles of keys with their halo, and a kernel
 * for the size and rank of the window. Minima and maxima of whole windows are in running/running.c. */
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/signal/tiles.h"

enum {
    TILE_BYTES = 256 << 10,
    SPARE = 256,             /* bytes behind the last row, which kernels may read */
    MAX_BITS_8 = 255,        /* elements of a window that 8 bits can count, */
    MAX_BITS_16 = 225,       /* and from which on histograms are faster than bits */
    MAX_COLUMNS = 65535,     /* elements that 16 bits can count */
    BLOCK_BYTES = 24 << 10,  /* of a list, whose merge stays in the first cache, */
    LISTS_BYTES = 512 << 10, /* and of all, which stay in the second */
    MIN_STRIP = 64,          /* results that share lists */
    MAX_STRIP = 256,
};

/* Elements of a window up to which merging columns is faster than anything else, by size of keys. */
static const int64_t max_merged[TESS__RANK_SIZES] = { 0, 81, 441, 1023 };

/* Estimated time of a result, and of an element of its window, in nanoseconds. */
#define COST 2.0
#define COST_OF_ELEMENT 0.5

typedef struct ranking {
    tess__tiles      tiles;
    tess__rank_fn   *kernel;
    size_t           counts; /* bytes of those, or of lists, that the kernel needs; 0: it needs rows */
    tess__rank_lists lists;
    int64_t         *at; /* offsets of the elements of a window, in keys */
    int64_t          n_at, plane;
    size_t           offset[2]; /* of the kernel's workspace and of a row of results */
    tess__workspaces workspaces;
} ranking;

static void rank_row(const ranking *c, const tess__tile *tile, int64_t d, int64_t h, char *workspace)
{
    const tess__tiles *t = &c->tiles;
    char              *row = workspace + c->offset[1];
    char              *out = tess__result_at(t, tile, tile->first[0] + d, tile->first[1] + h);
    const tess__ranked w = {
        .in = workspace + d * c->plane + h * t->pitch,
        .at = c->at,
        .n_at = c->n_at,
        .width = t->work.size[2],
        .rank = t->work.rank,
        .workspace = workspace + c->offset[0],
        .pitch = t->pitch / t->size,
        .height = t->work.size[1],
        .row = h,
        .lists = &c->lists,
    };
    c->kernel(row, &w, tile->n[2]);
    t->kernels->signal.from_keys[t->work.out.dtype]((char *[]){ out, row }, (int64_t[]){ t->work.out.strides.w, 1 },
                                                    tile->n[2], NULL);
}

static void do_tiles(void *context, int64_t first, int64_t last)
{
    ranking           *c = context;
    const tess__tiles *t = &c->tiles;
    char              *workspace = tess__workspace_acquire(&c->workspaces);
    if (c->counts) memset(workspace + c->offset[0], 0, c->counts);
    for (int64_t i = first; i < last; i++) {
        const tess__tile tile = tess__tile_at(t, i);
        for (int64_t d = 0; d < tile.n[0] + 2 * t->radius[0]; d++)
            for (int64_t h = 0; h < tile.n[1] + 2 * t->radius[1]; h++)
                tess__gather_any_row(t, &tile, tile.first[0] + d - t->radius[0], tile.first[1] + h - t->radius[1],
                                     workspace + d * c->plane + h * t->pitch);
        for (int64_t d = 0; d < tile.n[0]; d++)
            for (int64_t h = 0; h < tile.n[1]; h++) rank_row(c, &tile, d, h, workspace);
    }
    tess__workspace_release(&c->workspaces, workspace);
}

/* The number of the list of `width` columns, which is added with those that it is made of. */
static int list_of(tess__rank_lists *lists, int64_t width, int64_t height)
{
    for (int i = 0; i < lists->n; i++)
        if (lists->list[i].width == width) return i;
    tess__rank_list list = { .width = width, .rows = width * height, .half = 1 };
    if (width > 1) {
        list.a = list_of(lists, (width + 1) / 2, height);
        list.b = list_of(lists, width / 2, height);
        while (list.half < lists->list[list.a].rows) list.half *= 2;
    }
    list.first = lists->rows;
    lists->rows += list.rows;
    lists->list[lists->n] = list;
    return lists->n++;
}

static tess__rank_fn *merging(ranking *c, const tess__signal_kernels *kernels, int size)
{
    const int64_t     width = c->tiles.work.size[2], height = c->n_at / width;
    const int64_t     step = TESS__LIST_STEP / c->tiles.size;
    tess__rank_lists *lists = &c->lists;
    lists->a = list_of(lists, (width + 1) / 2, height);
    lists->b = list_of(lists, tess__max(width / 2, 1), height);
    for (int i = 0; i < lists->n; i++)
        lists->list[i].block = tess__max(BLOCK_BYTES / (lists->list[i].rows * c->tiles.size) / step, 1) * step;
    lists->strip = tess__clamp(LISTS_BYTES / (lists->rows * c->tiles.size), MIN_STRIP, MAX_STRIP);
    lists->pitch = (((lists->strip + width) / step + 2) | 1) * step; /* odd: rows lie in different sets of a cache */
    c->counts = (size_t)(lists->rows * lists->pitch * c->tiles.size);
    return kernels->merge[size];
}

/* A kernel for this window, whatever the rank. */
static tess__rank_fn *any_kernel(ranking *c, const tess__signal_kernels *kernels, int size)
{
    const bool few = size == 0 ? c->n_at <= MAX_BITS_8 : size > 1 || c->n_at <= MAX_BITS_16;
    if (c->n_at <= max_merged[size]) return merging(c, kernels, size);
    if (few) return kernels->bits[size];
    if (size == 0 && c->n_at <= MAX_COLUMNS) {
        c->counts = (size_t)(c->tiles.tile[2] + c->tiles.work.size[2]) * TESS__COLUMN_SIZE * sizeof(uint16_t);
        return kernels->columns;
    }
    c->counts = TESS__HISTOGRAM_SIZE * sizeof(uint32_t);
    return kernels->histogram[size];
}

static tess__rank_fn *choose(ranking *c, const tess__stencil *work)
{
    const tess__signal_kernels *kernels = &c->tiles.kernels->signal;
    const int                   size = tess__size_class(c->tiles.size);
    if (work->filter[0].data) return (work->rank == 0 ? kernels->minimum : kernels->maximum)[size];
    if (work->rank != c->n_at / 2) return any_kernel(c, kernels, size);
    if (c->n_at == 3) return kernels->median_of_3[size];
    if (c->n_at == 5) return kernels->median_of_5[size];
    if (c->n_at == 7) return kernels->median_of_7[size];
    if (c->n_at == 9 && work->size[2] == 3) return kernels->median_3x3[size];
    if (c->n_at == 25 && work->size[2] == 5) return kernels->median_5x5[size];
    return any_kernel(c, kernels, size);
}

/* Where rows lie in the workspace; its size. */
static size_t lay_out(ranking *c)
{
    const tess__tiles *t = &c->tiles;
    size_t             at;
    c->plane = (t->tile[1] + 2 * t->radius[1]) * t->pitch;
    at = tess__aligned_size(t->tile[0] + 2 * t->radius[0], c->plane) + SPARE;
    c->offset[0] = at;
    at += c->counts ? c->counts : (size_t)(TESS__RANK_ROWS * t->pitch);
    c->offset[1] = at = tess__aligned_size((int64_t)at, 1);
    return at + (size_t)t->pitch;
}

/* Those of a footprint, or of the whole window; returns how many there are. */
static int64_t set_offsets(const ranking *c)
{
    const int64_t *n = c->tiles.work.size;
    const uint8_t *footprint = c->tiles.work.filter[0].data;
    int64_t        i = 0, count = 0;
    for (int64_t d = 0; d < n[0]; d++)
        for (int64_t h = 0; h < n[1]; h++)
            for (int64_t w = 0; w < n[2]; w++, i++)
                if (!footprint || footprint[i])
                    c->at[count++] = (d * c->plane + h * c->tiles.pitch) / c->tiles.size + w;
    return count;
}

/* Keys of what is outside. */
static void set_loading(ranking *c, const tess__stencil *work)
{
    tess__tiles *t = &c->tiles;
    char *const  p[2] = { (char *)t->outside.bytes, (char *)(uintptr_t)work->outside.bytes };
    t->load = t->kernels->signal.to_keys[work->in.dtype];
    t->load(p, (int64_t[]){ 1, 1 }, 1, NULL);
    t->outside.size = t->size;
}

tess_status tess__cpu_rank(const tess__stencil *work)
{
    ranking c = { .n_at = work->size[0] * work->size[1] * work->size[2] };
    tess__tiles_plan(&c.tiles, work, tess__dtype_size(work->in.dtype), TILE_BYTES);
    if (c.tiles.n == 0) return TESS_OK;
    set_loading(&c, work);
    c.kernel = choose(&c, work);
    const size_t bytes = lay_out(&c);
    const double cost =
        (double)(c.tiles.tile[0] * c.tiles.tile[1] * c.tiles.tile[2]) * (COST + COST_OF_ELEMENT * (double)c.n_at);
    c.at = tess__alloc((size_t)c.n_at * sizeof *c.at);
    if (c.at && tess__workspaces_make(&c.workspaces, bytes, c.tiles.n)) {
        c.n_at = set_offsets(&c);
        tess__parallel(c.tiles.n, tess__grain(c.tiles.n, cost), do_tiles, &c);
        tess__workspaces_free(&c.workspaces);
        tess__free(c.at);
        return TESS_OK;
    }
    tess__free(c.at);
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for a workspace of %zu bytes for each thread", work->name, bytes);
}
