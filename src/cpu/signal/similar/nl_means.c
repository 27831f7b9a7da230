/* Non-local means on the CPU: for each shift, squared differences of a whole tile, their sums over patches along w, h
 * and d, and weights, each of which serves a shift and its opposite.
 *
 * A tile and its halo have the same layout in three blocks of the workspace: elements, and sums before and after a
 * pass. Positions are counted from the first element of the halo. */
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/signal/tiles.h"

enum { TILE_BYTES = 256 << 10 };

/* Estimated time of a result, and of an element of its search window, in nanoseconds. */
#define COST 5.0
#define COST_OF_ELEMENT 1.0

typedef struct nl_means {
    tess__tiles                 tiles;
    const tess__signal_kernels *kernels;
    int                         wide; /* 1: f64 */
    tess__conversion            load, put;
    bool                        direct;    /* results are written where they belong */
    int64_t                     search[3]; /* radii, and those of patches */
    int64_t                     patch[3];
    int64_t                     plane, block; /* bytes of a plane of rows and of all planes */
    int64_t                     flat;         /* bytes of a row of results */
    size_t                      offset[4];    /* of sums, of weights, of a row of results or squares; the end */
    int64_t                    *at[3];        /* offsets of the rows of a patch along d and h; 0 for w */
    const void                 *ones;         /* as many as a patch has elements along any axis */
    tess__workspaces            workspaces;
} nl_means;

/* Where the weights of a shift are needed: the results, and the results less the shift. */
typedef struct region {
    int64_t shift[3], low[3], high[3];
} region;

static char *element_at(const nl_means *c, char *block, int64_t d, int64_t h, int64_t w)
{
    return block + d * c->plane + h * c->tiles.pitch + w * c->tiles.size;
}

/* ---- One shift ---- */

/* n sums of a patch's elements along an axis, from `in`, the first of them. */
static void add_patch(const nl_means *c, char *out, const char *in, int axis, int64_t n)
{
    const int64_t    size = c->tiles.work.patch[axis];
    const tess__taps taps = {
        .in = in,
        .filter = c->ones,
        .at = c->at[axis],
        .rows = axis == 2 ? 1 : size,
        .taps = axis == 2 ? size : 1,
        .step = 1,
    };
    c->kernels->convolve[c->wide](out, &taps, n);
}

/* Sums along w of all rows that the other passes read. */
static void pass_w(const nl_means *c, const region *r, char *values, char *sums, char *row)
{
    const int64_t n = r->high[2] - r->low[2], *p = c->patch, *s = r->shift;
    for (int64_t d = r->low[0] - p[0]; d < r->high[0] + p[0]; d++)
        for (int64_t h = r->low[1] - p[1]; h < r->high[1] + p[1] && !tess__cancelled(); h++) {
            const int64_t w = r->low[2] - p[2];
            c->kernels->similar_squares[c->wide](row, element_at(c, values, d, h, w),
                                                 element_at(c, values, d + s[0], h + s[1], w + s[2]),
                                                 c->tiles.work.scale, n + 2 * p[2]);
            add_patch(c, element_at(c, sums, d, h, r->low[2]), row, 2, n);
        }
}

static void to_weights(const nl_means *c, char *sums, int64_t n)
{
    c->kernels->patch_weights[c->wide](sums, c->tiles.work.base, n);
}

/* Sums along h and, in volumes, d; then weights. Returns the block that has them. */
static char *make_weights(const nl_means *c, const region *r, char *sums, char *next)
{
    const int64_t n = r->high[2] - r->low[2], *p = c->patch;
    for (int64_t d = r->low[0] - p[0]; d < r->high[0] + p[0]; d++)
        for (int64_t h = r->low[1]; h < r->high[1] && !tess__cancelled(); h++) {
            char *out = element_at(c, next, d, h, r->low[2]);
            add_patch(c, out, element_at(c, sums, d, h - p[1], r->low[2]), 1, n);
            if (p[0] == 0) to_weights(c, out, n);
        }
    if (p[0] == 0) return next;
    for (int64_t d = r->low[0]; d < r->high[0]; d++)
        for (int64_t h = r->low[1]; h < r->high[1] && !tess__cancelled(); h++) {
            char *out = element_at(c, sums, d, h, r->low[2]);
            add_patch(c, out, element_at(c, next, d - p[0], h, r->low[2]), 0, n);
            to_weights(c, out, n);
        }
    return sums;
}

/* Row (d, h) of the tile's results so far. */
static tess__similar_sums sums_of(const nl_means *c, const tess__tile *tile, char *workspace, int64_t d, int64_t h)
{
    const int64_t     *r = c->tiles.radius, row = (d * tile->n[1] + h) * c->flat;
    tess__similar_sums s = { workspace + c->offset[0] + row, workspace + c->offset[1] + row,
                             element_at(c, workspace, d + r[0], h + r[1], r[2]) };
    return s;
}

/* Adds the elements at the shift and at its opposite to all results of a tile. */
static void add_shift(const nl_means *c, const tess__tile *tile, const region *r, char *workspace)
{
    const int64_t *radius = c->tiles.radius, *s = r->shift;
    char          *sums = workspace + c->block;
    pass_w(c, r, workspace, sums, workspace + c->offset[2]);
    char *weights = make_weights(c, r, sums, sums + c->block);
    for (int64_t d = 0; d < tile->n[0]; d++)
        for (int64_t h = 0; h < tile->n[1]; h++) {
            const tess__similar_sums row = sums_of(c, tile, workspace, d, h);
            const int64_t            at[3] = { d + radius[0], h + radius[1], radius[2] };
            c->kernels->add_similar[c->wide](&row, element_at(c, workspace, at[0] + s[0], at[1] + s[1], at[2] + s[2]),
                                             element_at(c, weights, at[0], at[1], at[2]), tile->n[2]);
            char *other = element_at(c, workspace, at[0] - s[0], at[1] - s[1], at[2] - s[2]);
            c->kernels->add_similar[c->wide](&row, other, weights + (other - workspace), tile->n[2]);
        }
}

/* ---- One tile ---- */

/* The next shift of one half of the search window, beginning after 0. */
static bool next_shift(const nl_means *c, int64_t shift[3])
{
    for (int k = 2; k >= 0; k--) {
        if (++shift[k] <= c->search[k]) return true;
        shift[k] = -c->search[k];
    }
    return false;
}

static void filter_tile(const nl_means *c, const tess__tile *tile, char *workspace)
{
    const tess__tiles *t = &c->tiles;
    region             r = { .shift = { 0, 0, 0 } };
    for (int64_t d = 0; d < tile->n[0] + 2 * t->radius[0]; d++)
        for (int64_t h = 0; h < tile->n[1] + 2 * t->radius[1] && !tess__cancelled(); h++)
            tess__gather_any_row(t, tile, tile->first[0] + d - t->radius[0], tile->first[1] + h - t->radius[1],
                                 element_at(c, workspace, d, h, 0));
    memset(workspace + c->offset[0], 0, c->offset[2] - c->offset[0]);
    while (next_shift(c, r.shift) && !tess__cancelled()) {
        for (int k = 0; k < 3; k++) {
            r.low[k] = t->radius[k] - tess__max(r.shift[k], 0);
            r.high[k] = t->radius[k] + tile->n[k] - tess__min(r.shift[k], 0);
        }
        add_shift(c, tile, &r, workspace);
    }
}

static void write_tile(const nl_means *c, const tess__tile *tile, char *workspace)
{
    const tess__tiles *t = &c->tiles;
    char              *row = workspace + c->offset[2];
    for (int64_t d = 0; d < tile->n[0]; d++)
        for (int64_t h = 0; h < tile->n[1]; h++) {
            const tess__similar_sums s = sums_of(c, tile, workspace, d, h);
            char                    *out = tess__result_at(t, tile, tile->first[0] + d, tile->first[1] + h);
            c->kernels->similar_means[c->wide](c->direct ? out : row, &s, tile->n[2]);
            if (!c->direct)
                c->put.row((char *[]){ out, row }, (int64_t[]){ t->work.out.strides.w, 1 }, tile->n[2], &c->put);
        }
}

static void do_tiles(void *context, int64_t first, int64_t last)
{
    nl_means *c = context;
    char     *workspace = tess__workspace_acquire(&c->workspaces);
    for (int64_t i = first; i < last && !tess__cancelled(); i++) {
        const tess__tile tile = tess__tile_at(&c->tiles, i);
        filter_tile(c, &tile, workspace);
        write_tile(c, &tile, workspace);
    }
    tess__workspace_release(&c->workspaces, workspace);
}

/* ---- All tiles ---- */

static void set_sizes(nl_means *c, const tess__stencil *work)
{
    tess__tiles *t = &c->tiles;
    tess__tiles_load_numbers(t, &c->load);
    c->kernels = &t->kernels->signal;
    c->wide = work->computed == TESS_F64;
    c->direct = work->out.strides.w == 1 && work->out.dtype == work->computed;
    c->put = tess__conversion_of(work->computed, work->out.dtype, TESS__CLAMP, TESS_PART_DEFAULT);
    for (int k = 0; k < 3; k++) {
        c->patch[k] = work->patch[k] / 2;
        c->search[k] = t->radius[k] - c->patch[k];
    }
}

/* Where rows lie in the workspace; its size. */
static size_t lay_out(nl_means *c)
{
    const tess__tiles *t = &c->tiles;
    const int64_t      results = t->tile[0] * t->tile[1];
    c->flat = (t->tile[2] * t->size + 63) / 64 * 64;
    c->plane = (t->tile[1] + 2 * t->radius[1]) * t->pitch;
    c->block = (int64_t)tess__aligned_size(t->tile[0] + 2 * t->radius[0], c->plane);
    c->offset[0] = tess__aligned_size(3, c->block);
    c->offset[1] = c->offset[0] + tess__aligned_size(results, c->flat);
    c->offset[2] = c->offset[1] + tess__aligned_size(results, c->flat);
    c->offset[3] = c->offset[2] + (size_t)t->pitch;
    return c->offset[3];
}

/* Offsets along d and h, and ones, in memory for `longest` and two numbers more. */
static void set_tables(nl_means *c, int64_t *memory, int64_t longest)
{
    double *wide = (double *)(void *)(memory + 2 * longest + 1);
    float  *narrow = (float *)(void *)wide;
    c->at[0] = memory;
    c->at[1] = memory + longest;
    c->at[2] = memory + 2 * longest;
    c->at[2][0] = 0;
    c->ones = wide;
    for (int64_t i = 0; i < longest; i++) {
        c->at[0][i] = i * c->plane / c->tiles.size;
        c->at[1][i] = i * c->tiles.pitch / c->tiles.size;
        if (c->wide) wide[i] = 1;
        else narrow[i] = 1;
    }
}

tess_status tess__cpu_nl_means(const tess__stencil *work)
{
    nl_means c = { .wide = 0 };
    tess__tiles_plan(&c.tiles, work, tess__dtype_size(work->computed), TILE_BYTES);
    if (c.tiles.n == 0) return TESS_OK;
    set_sizes(&c, work);
    const size_t  bytes = lay_out(&c);
    const int64_t longest = tess__max(tess__max(work->patch[0], work->patch[1]), work->patch[2]);
    const double shifts = (double)(2 * c.search[0] + 1) * (double)(2 * c.search[1] + 1) * (double)(2 * c.search[2] + 1);
    const double cost =
        (double)(c.tiles.tile[0] * c.tiles.tile[1] * c.tiles.tile[2]) * (COST + COST_OF_ELEMENT * shifts);
    int64_t *memory = tess__alloc((size_t)(3 * longest + 1) * sizeof *memory);
    if (memory && tess__workspaces_make(&c.workspaces, bytes, c.tiles.n)) {
        set_tables(&c, memory, longest);
        tess__parallel(c.tiles.n, tess__grain(c.tiles.n, cost), do_tiles, &c);
        tess__workspaces_free(&c.workspaces);
        tess__free(memory);
        return TESS_OK;
    }
    tess__free(memory);
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for a workspace of %zu bytes for each thread", work->name, bytes);
}
