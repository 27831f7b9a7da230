/* Direct and separable convolution on the CPU: tiles of rows with their halo, so that all passes stay in a cache. */
#include <string.h>

#include "core/dtype.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/signal/tiles.h"
#include "tessera/border.h"

enum { TILE_BYTES = 512 << 10 };

/* Estimated time of a real of the input and of a weight that it is multiplied by, in nanoseconds. */
#define COST 0.3
#define COST_OF_WEIGHT 0.03

typedef struct convolution {
    tess__tiles        tiles;
    tess__convolve_fn *kernel;
    bool               complex_filter;
    int                parts;  /* reals of an element */
    int64_t            real;   /* bytes of a real */
    bool               direct; /* results are written where they belong */
    tess__conversion   load, put;
    int64_t           *at[3];      /* offsets of the rows that weights along d, h and w meet; of all three in at[2] */
    int64_t            flat;       /* bytes of a row without halo */
    int64_t            rows_plane; /* bytes of a plane of rows with halo, or of results of the second pass */
    size_t             offset[3];  /* of planes, of rows between passes, and of a row of results, in the workspace */
    tess__workspaces   workspaces;
} convolution;

/* ---- One row of results ---- */

static void convolve_row(const convolution *c, char *out, const char *in, int axis, int64_t n)
{
    const tess__stencil *work = &c->tiles.work;
    const bool           whole = work->kind == TESS__STENCIL_CONVOLVE;
    const tess__taps     taps = {
            .in = in,
            .filter = work->filter[whole ? 0 : axis].data,
            .at = c->at[axis],
            .rows = whole       ? work->size[0] * work->size[1]
                    : axis == 2 ? 1
                                : work->size[axis],
            .taps = axis == 2 ? work->size[2] : 1,
            .step = c->parts,
    };
    c->kernel(out, &taps, c->complex_filter ? n : n * c->parts);
}

/* The last pass: to the output. */
static void write_row(const convolution *c, char *out, const char *in, int axis, int64_t n, char *row)
{
    convolve_row(c, c->direct ? out : row, in, axis, n);
    if (c->direct) return;
    const int64_t strides[2] = { c->tiles.work.out.strides.w, 1 };
    c->put.row((char *[]){ out, row }, strides, n, &c->put);
}

/* ---- All weights at once ---- */

static void convolve_tile(const convolution *c, const tess__tile *tile, char *workspace)
{
    const tess__tiles *t = &c->tiles;
    char              *row = workspace + c->offset[2];
    for (int64_t d = 0; d < tile->n[0] + 2 * t->radius[0]; d++)
        for (int64_t h = 0; h < tile->n[1] + 2 * t->radius[1]; h++)
            tess__gather_any_row(t, tile, tile->first[0] + d - t->radius[0], tile->first[1] + h - t->radius[1],
                                 workspace + d * c->rows_plane + h * t->pitch);
    for (int64_t d = 0; d < tile->n[0]; d++)
        for (int64_t h = 0; h < tile->n[1]; h++)
            write_row(c, tess__result_at(t, tile, tile->first[0] + d, tile->first[1] + h),
                      workspace + d * c->rows_plane + h * t->pitch, 2, tile->n[2], row);
}

/* ---- One axis after the other ---- */

static bool has(const convolution *c, int axis) { return c->tiles.work.filter[axis].data != NULL; }

/* Row (d, h) after the pass along w. */
static void pass_w(const convolution *c, const tess__tile *tile, int64_t d, int64_t h, char *workspace, char *to)
{
    const tess__tiles *t = &c->tiles;
    char              *row = has(c, 2) ? workspace : to;
    if (!tess__gather_row(t, tile, d, h, row)) tess__fill_outside(t, to, tile->n[2]);
    else if (has(c, 2)) convolve_row(c, to, row, 2, tile->n[2]);
}

/* The rows of plane d after the passes along w and h, to `planes`, or, if there is no pass along d, to the output. */
static void pass_h(const convolution *c, const tess__tile *tile, int64_t d, char *workspace, char *to)
{
    const tess__tiles *t = &c->tiles;
    char              *rows = workspace + c->offset[1], *row = workspace + c->offset[2];
    const int64_t      radius = t->radius[1];
    if (!has(c, 1)) {
        for (int64_t h = 0; h < tile->n[1]; h++) pass_w(c, tile, d, tile->first[1] + h, workspace, to + h * c->flat);
        return;
    }
    for (int64_t h = 0; h < tile->n[1] + 2 * radius; h++) {
        pass_w(c, tile, d, tile->first[1] + h - radius, workspace, rows + h * c->flat);
        const int64_t done = h - 2 * radius; /* the row of results that has all it needs */
        if (done < 0) continue;
        const char *in = rows + done * c->flat;
        if (has(c, 0)) convolve_row(c, to + done * c->flat, in, 1, tile->n[2]);
        else write_row(c, tess__result_at(t, tile, d, tile->first[1] + done), in, 1, tile->n[2], row);
    }
}

/* Along w alone. */
static void rows_tile(const convolution *c, const tess__tile *tile, char *workspace)
{
    const tess__tiles *t = &c->tiles;
    for (int64_t d = tile->first[0]; d < tile->first[0] + tile->n[0]; d++)
        for (int64_t h = tile->first[1]; h < tile->first[1] + tile->n[1]; h++) {
            (void)tess__gather_row(t, tile, d, h, workspace);
            write_row(c, tess__result_at(t, tile, d, h), workspace, 2, tile->n[2], workspace + c->offset[2]);
        }
}

static void planes_tile(const convolution *c, const tess__tile *tile, char *workspace)
{
    const tess__tiles *t = &c->tiles;
    char              *planes = workspace + c->offset[0], *row = workspace + c->offset[2];
    for (int64_t d = 0; d < tile->n[0] + 2 * t->radius[0]; d++) {
        const int64_t from = tile->first[0] + d - t->radius[0];
        char         *plane = planes + d * c->rows_plane;
        if (tess_border_index((tess_border)t->work.border, from, t->work.in.shape.d) >= 0)
            pass_h(c, tile, from, workspace, plane);
        else
            for (int64_t h = 0; h < tile->n[1]; h++) tess__fill_outside(t, plane + h * c->flat, tile->n[2]);
    }
    for (int64_t d = 0; d < tile->n[0]; d++)
        for (int64_t h = 0; h < tile->n[1]; h++)
            write_row(c, tess__result_at(t, tile, tile->first[0] + d, tile->first[1] + h),
                      planes + d * c->rows_plane + h * c->flat, 0, tile->n[2], row);
}

static void separable_tile(const convolution *c, const tess__tile *tile, char *workspace)
{
    if (has(c, 0)) planes_tile(c, tile, workspace);
    else if (!has(c, 1)) rows_tile(c, tile, workspace);
    else
        for (int64_t d = 0; d < tile->n[0]; d++) pass_h(c, tile, tile->first[0] + d, workspace, NULL);
}

/* ---- All tiles ---- */

static void do_tiles(void *context, int64_t first, int64_t last)
{
    convolution *c = context;
    char        *workspace = tess__workspace_acquire(&c->workspaces);
    for (int64_t i = first; i < last; i++) {
        const tess__tile tile = tess__tile_at(&c->tiles, i);
        if (c->tiles.work.kind == TESS__STENCIL_CONVOLVE) convolve_tile(c, &tile, workspace);
        else separable_tile(c, &tile, workspace);
    }
    tess__workspace_release(&c->workspaces, workspace);
}

static void choose(convolution *c, const tess__stencil *work)
{
    const bool wide = tess_dtype_real(work->computed) == TESS_F64;
    tess__tiles_plan(&c->tiles, work, tess__dtype_size(work->computed), TILE_BYTES);
    tess__tiles *t = &c->tiles;
    for (int k = 0; k < 3; k++)
        if (work->filter[k].data) c->complex_filter = tess_dtype_kind(work->filter[k].dtype) == TESS_KIND_COMPLEX;
    c->parts = tess_dtype_reals(work->computed);
    c->real = wide ? 8 : 4;
    c->kernel = (c->complex_filter ? t->kernels->signal.convolve_complex : t->kernels->signal.convolve)[wide];
    c->direct = work->out.strides.w == 1 && work->out.dtype == work->computed;
    c->put = tess__conversion_of(work->computed, work->out.dtype, TESS__CLAMP, TESS_PART_DEFAULT);
    tess__tiles_load_numbers(t, &c->load);
}

/* Where rows lie in the workspace; its size. */
static size_t lay_out(convolution *c)
{
    tess__tiles  *t = &c->tiles;
    const bool    whole = t->work.kind == TESS__STENCIL_CONVOLVE;
    const int64_t width = t->tile[2] * t->size, high = t->tile[1] + 2 * t->radius[1];
    size_t        at = whole ? 0 : (size_t)t->pitch;
    c->flat = (width + 63) / 64 * 64 + 64;
    c->rows_plane = whole ? high * t->pitch : t->tile[1] * c->flat;
    c->offset[0] = at;
    if (whole || has(c, 0)) at += tess__aligned_size(t->tile[0] + 2 * t->radius[0], c->rows_plane);
    c->offset[1] = at;
    if (!whole && has(c, 1)) at += tess__aligned_size(high, c->flat);
    c->offset[2] = at;
    return at + (size_t)c->flat;
}

static void set_offsets(convolution *c)
{
    const tess__stencil *work = &c->tiles.work;
    const bool           whole = work->kind == TESS__STENCIL_CONVOLVE;
    if (whole) {
        for (int64_t d = 0; d < work->size[0]; d++)
            for (int64_t h = 0; h < work->size[1]; h++)
                c->at[2][d * work->size[1] + h] = (d * c->rows_plane + h * c->tiles.pitch) / c->real;
        return;
    }
    for (int64_t d = 0; d < work->size[0]; d++) c->at[0][d] = d * c->rows_plane / c->real;
    for (int64_t h = 0; h < work->size[1]; h++) c->at[1][h] = h * c->flat / c->real;
    c->at[2][0] = 0;
}

static double cost_of_tile(const convolution *c)
{
    const tess__tiles   *t = &c->tiles;
    const tess__stencil *work = &t->work;
    const double         n = (double)(t->tile[0] * t->tile[1] * t->tile[2] * c->parts);
    double               weights = 0;
    if (work->kind == TESS__STENCIL_CONVOLVE) weights = (double)(work->size[0] * work->size[1] * work->size[2]);
    else
        for (int k = 0; k < 3; k++) weights += (double)work->size[k];
    return n * (COST + COST_OF_WEIGHT * weights);
}

tess_status tess__cpu_convolve(const tess__stencil *work)
{
    convolution c = { .parts = 1 };
    choose(&c, work);
    if (c.tiles.n == 0) return TESS_OK;
    const int64_t counts[3] = { work->size[0], work->size[1], work->size[0] * work->size[1] };
    const size_t  bytes = lay_out(&c);
    int64_t      *offsets = tess__alloc((size_t)(counts[0] + counts[1] + counts[2]) * sizeof *offsets);
    if (offsets && tess__workspaces_make(&c.workspaces, bytes, c.tiles.n)) {
        c.at[0] = offsets;
        c.at[1] = c.at[0] + counts[0];
        c.at[2] = c.at[1] + counts[1];
        set_offsets(&c);
        tess__parallel(c.tiles.n, tess__grain(c.tiles.n, cost_of_tile(&c)), do_tiles, &c);
        tess__workspaces_free(&c.workspaces);
        tess__free(offsets);
        return TESS_OK;
    }
    tess__free(offsets);
    TESS_FAIL(TESS_ENOMEM, "%s: no memory for a workspace of %zu bytes for each thread", work->name, bytes);
}
