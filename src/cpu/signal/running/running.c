/* Minima, maxima and means of windows on the CPU, in a time that hardly depends on their size: along w by doubling, as
 * each run of 2^k elements is made of two of 2^(k-1), and along h and d by blocks as long as the window (van Herk 1992,
 * Gil and Werman 1993): a window is the end of one block and the beginning of the next one.
 *
 * The order of additions is fixed by indices alone, and no element outside a window takes part in its sum. */
#include <string.h>

#include "core/dtype.h"
#include "core/device/cancel.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/isa.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/signal/tiles.h"
#include "tessera/border.h"

enum {
    BLOCK_BYTES = 512 << 10, /* of two blocks of rows, which stay in the second cache */
    MIN_WIDTH = 128,         /* results of a row of a tile */
    MAX_WIDTH = 4096,
    BLOCKS = 8,     /* of a tile at least, so that the rows that tiles share cost little, */
    MIN_HEIGHT = 64 /* and rows */
};

/* Estimated nanoseconds of a result. */
#define COST 3.0

/* One pass: along w and h, or along d, whose axis is then exchanged with h. */
typedef struct running {
    tess__tiles      tiles;
    tess__pair_fn   *pair;
    bool             sums;
    int64_t          divisor; /* of sums that are the results; else 0 */
    int64_t          rows;    /* of the window along h */
    int64_t          parts;   /* numbers of an element */
    tess__element    row_outside;
    tess__conversion load, put;
    tess__row_fn    *put_row;
    int64_t          flat;      /* bytes of a row of results */
    size_t           offset[3]; /* of two rows with halo, of two blocks, and of two rows of results, in the workspace */
    tess__workspaces workspaces;
} running;

/* ---- Along w ---- */

static const char *element_at(const running *c, const char *row, int64_t i) { return row + i * c->tiles.size; }

/* Row i of results is made of elements i to i + width - 1. Runs are doubled between two rows, both as long as `row`. */
static void double_runs(const running *c, char *to, char *row, char *other, int64_t n)
{
    const int64_t width = c->tiles.work.size[2];
    int64_t       length = n + width - 1, at = width;
    for (int64_t run = 1;; run *= 2) {
        if (c->sums && (width & run)) { /* a part of the window: the last first */
            const bool is_first = at == width;
            at -= run;
            if (is_first) memcpy(to, element_at(c, row, at), (size_t)(n * c->tiles.size));
            else c->pair(to, to, element_at(c, row, at), n * c->parts);
        }
        if (2 * run > width) {
            if (!c->sums) c->pair(to, row, element_at(c, row, width - run), n);
            return;
        }
        length -= run;
        c->pair(other, row, element_at(c, row, run), length * c->parts);
        char *const next = other;
        other = row;
        row = next;
    }
}

/* Row (d, h) after the windows along w; h may lie outside. */
static void load_row(const running *c, const tess__tile *tile, int64_t d, int64_t h, char *to, char *workspace)
{
    const tess__tiles *t = &c->tiles;
    char              *row = t->work.size[2] > 1 ? workspace : to;
    if (!tess__gather_row(t, tile, d, h, row)) {
        const int64_t one = 1;
        t->kernels->memory.fill[tess__size_class(t->size)](&to, &one, tile->n[2], &c->row_outside);
    } else if (row != to) double_runs(c, to, row, workspace + t->pitch, tile->n[2]);
}

/* ---- Along h ---- */

static void write_row(const running *c, const tess__tile *tile, int64_t d, int64_t h, char *row)
{
    if (c->divisor) c->tiles.kernels->signal.quotient((double *)(void *)row, (double)c->divisor, tile->n[2] * c->parts);
    const int64_t strides[2] = { c->tiles.work.out.strides.w, 1 };
    c->put_row((char *[]){ tess__result_at(&c->tiles, tile, d, h), row }, strides, tile->n[2], &c->put);
}

/* Each row of a block becomes that of it and all after it. */
static void accumulate_back(const running *c, char *block, int64_t n)
{
    for (int64_t i = c->rows - 2; i >= 0 && !tess__cancelled(); i--)
        c->pair(block + i * c->flat, block + i * c->flat, block + (i + 1) * c->flat, n);
}

/* The windows of a block: `ends` has those of the block itself, whose first row is not needed any more, and `next`
 * receives the rows after it. */
static void do_block(const running *c, const tess__tile *tile, int64_t d, int64_t first, char *ends, char *next,
                     char *workspace)
{
    const int64_t end = tile->first[1] + tile->n[1], n = tile->n[2] * c->parts;
    char         *extended = workspace + c->offset[2], *result = extended + c->flat;
    const char   *beginning = next;
    write_row(c, tile, d, first, ends);
    for (int64_t i = 1; i < c->rows && first + i < end && !tess__cancelled(); i++) {
        char *row = next + (i - 1) * c->flat;
        load_row(c, tile, d, first + i + c->rows / 2, row, workspace);
        if (i > 1) {
            c->pair(extended, beginning, row, n);
            beginning = extended;
        }
        c->pair(result, ends + i * c->flat, beginning, n);
        write_row(c, tile, d, first + i, result);
    }
}

static void do_tile(const running *c, const tess__tile *tile, char *workspace)
{
    const int64_t rows = c->rows, end = tile->first[1] + tile->n[1], n = tile->n[2] * c->parts;
    for (int64_t d = tile->first[0]; d < tile->first[0] + tile->n[0]; d++) {
        char *ends = workspace + c->offset[1], *next = ends + rows * c->flat;
        for (int64_t i = 0; i < rows && !tess__cancelled(); i++)
            load_row(c, tile, d, tile->first[1] + i - rows / 2, ends + i * c->flat, workspace);
        accumulate_back(c, ends, n);
        for (int64_t first = tile->first[1]; first < end && !tess__cancelled(); first += rows) {
            do_block(c, tile, d, first, ends, next, workspace);
            if (first + rows >= end) break;
            load_row(c, tile, d, first + 2 * rows - 1 - rows / 2, next + (rows - 1) * c->flat, workspace);
            accumulate_back(c, next, n);
            char *const done = ends;
            ends = next;
            next = done;
        }
    }
}

static void do_tiles(void *context, int64_t first, int64_t last)
{
    running *c = context;
    char    *workspace = tess__workspace_acquire(&c->workspaces);
    for (int64_t i = first; i < last; i++) {
        const tess__tile tile = tess__tile_at(&c->tiles, i);
        do_tile(c, &tile, workspace);
    }
    tess__workspace_release(&c->workspaces, workspace);
}

/* ---- Division ---- */

/* Tiles are whole blocks of rows, counted from the first result, whatever their number. */
static void divide(running *c)
{
    tess__tiles  *t = &c->tiles;
    const int64_t height = t->end[1] - t->first[1], width = t->end[2] - t->first[2];
    const int64_t fits = BLOCK_BYTES / (2 * c->rows * t->size);
    const int64_t wide = tess__min(tess__max(tess__clamp(fits, MIN_WIDTH, MAX_WIDTH), t->work.size[2]), width);
    t->count[2] = (width - 1) / wide + 1;
    t->tile[2] = (width - 1) / t->count[2] + 1;
    t->tile[1] = tess__min(tess__max(BLOCKS, MIN_HEIGHT / c->rows) * c->rows, height);
    t->tile[0] = 1;
    t->n = t->work.out.shape.b;
    for (int k = 0; k < 3; k++) {
        t->count[k] = (t->end[k] - t->first[k] - 1) / t->tile[k] + 1;
        t->n *= t->count[k];
    }
    t->pitch = ((t->tile[2] + 2 * t->radius[2]) * t->size + 63) / 64 * 64 + 64;
}

/* Where rows lie in the workspace; its size. */
static size_t lay_out(running *c)
{
    c->flat = (c->tiles.tile[2] * c->tiles.size + 63) / 64 * 64 + 64;
    c->offset[1] = tess__aligned_size(2, c->tiles.pitch);
    c->offset[2] = c->offset[1] + tess__aligned_size(2 * c->rows, c->flat);
    return c->offset[2] + (size_t)(2 * c->flat);
}

static tess_status run_pass(running *c, const char *name)
{
    const tess__tiles *t = &c->tiles;
    for (int k = 0; k < 3; k++)
        if (t->end[k] <= t->first[k]) return TESS_OK;
    divide(c);
    const size_t bytes = lay_out(c);
    TESS_CHECK(tess__workspaces_make(&c->workspaces, bytes, t->n), TESS_ENOMEM,
               "%s: no memory for a workspace of %zu bytes for each thread", name, bytes);
    const double cost = COST * (double)(t->tile[0] * t->tile[1] * t->tile[2] * c->parts);
    tess__parallel(t->n, tess__grain(t->n, cost), do_tiles, c);
    tess__workspaces_free(&c->workspaces);
    return TESS_OK;
}

/* ---- Passes ---- */

static void set_keys(running *c, const tess__stencil *work)
{
    tess__tiles *t = &c->tiles;
    const int    size = tess__size_class(t->size);
    char *const  p[2] = { (char *)t->outside.bytes, (char *)(uintptr_t)work->outside.bytes };
    c->pair = (work->rank == 0 ? t->kernels->signal.lower : t->kernels->signal.higher)[size];
    c->put_row = t->kernels->signal.from_keys[work->in.dtype];
    t->load = t->kernels->signal.to_keys[work->in.dtype];
    t->load(p, (int64_t[]){ 1, 1 }, 1, NULL);
    t->outside.size = t->size;
    c->row_outside = t->outside;
}

/* Sums of what is outside are that times the number of elements. */
static void set_sums(running *c, const tess__stencil *work, int64_t elements, bool is_last)
{
    tess__tiles *t = &c->tiles;
    double       outside[2];
    c->sums = true;
    c->pair = t->kernels->signal.total;
    c->divisor = is_last ? work->size[0] * work->size[1] * work->size[2] : 0;
    c->parts = tess_dtype_reals(work->computed);
    c->load = tess__conversion_of(t->work.in.dtype, work->computed, TESS__CLAMP, TESS_PART_DEFAULT);
    c->put = tess__conversion_of(work->computed, t->work.out.dtype, TESS__CLAMP, TESS_PART_DEFAULT);
    c->put_row = c->put.row;
    t->load = t->work.in.dtype == work->computed ? t->kernels->memory.copy[tess__size_class(t->size)] : c->load.row;
    t->load_param = &c->load;
    t->outside = c->row_outside = work->outside;
    memcpy(outside, work->outside.bytes, sizeof outside);
    for (int k = 0; k < 2; k++) outside[k] *= (double)elements;
    memcpy(c->row_outside.bytes, outside, sizeof outside);
}

/* Rows of a plane become one, if their elements are evenly spaced. */
static bool is_flat(const tess_array *a) { return a->strides.h == a->shape.w * a->strides.w; }
static void flatten(tess_array *a)
{
    a->shape.w *= a->shape.h;
    a->shape.h = 1;
}

static void swap_axes(tess_array *a)
{
    const int64_t size = a->shape.d, stride = a->strides.d;
    a->shape.d = a->shape.h;
    a->strides.d = a->strides.h;
    a->shape.h = size;
    a->strides.h = stride;
}

/* The windows along w and h, or, where `deep`, along d. Results are those of the whole window with the border NOTHING,
 * except along d before its pass. */
static tess_status pass(const tess__stencil *work, const tess_array *out, const tess_array *in, bool deep, bool is_last)
{
    const bool     nothing = work->border == TESS_BORDER_NOTHING;
    const int64_t *size = work->size;
    running        c = { .parts = 1, .rows = deep ? size[0] : size[1] };
    tess__tiles   *t = &c.tiles;
    *t = (tess__tiles){ .work = *work, .kernels = tess__cpu_kernels(), .size = tess__dtype_size(work->computed) };
    t->work.in = *in;
    t->work.out = *out;
    if (deep && !nothing && is_flat(in) && is_flat(out)) {
        flatten(&t->work.in);
        flatten(&t->work.out);
    }
    for (int k = 0; k < 3; k++) {
        const int64_t of_axis = deep && k < 2 ? size[1 - k] : k == 0 ? 1 : size[k];
        t->first[k] = nothing ? of_axis / 2 : 0;
        t->end[k] = t->work.out.shape.dim[deep && k < 2 ? 2 - k : k + 1] - t->first[k];
    }
    if (deep) {
        swap_axes(&t->work.in);
        swap_axes(&t->work.out);
        t->work.size[2] = 1;
    }
    t->radius[2] = t->work.size[2] / 2;
    if (work->kind == TESS__STENCIL_MEAN) set_sums(&c, work, deep ? size[1] * size[2] : size[2], is_last);
    else set_keys(&c, work);
    TESS_TRY(run_pass(&c, work->name));
    return TESS_OK;
}

tess_status tess__cpu_running(const tess__stencil *work)
{
    const bool is_deep = work->size[0] > 1, is_thin = work->size[1] == 1 && work->size[2] == 1;
    if (!is_deep || is_thin) {
        TESS_TRY(pass(work, &work->out, &work->in, is_deep, true));
        return TESS_OK;
    }
    tess_array   between = work->out;
    const size_t bytes = (size_t)(tess_n_elements(&between) * tess__dtype_size(work->computed));
    between.strides = tess_strides_contiguous(between.shape, 'C');
    between.dtype = work->computed;
    between.data = tess__alloc(bytes);
    TESS_CHECK(between.data, TESS_ENOMEM, "%s: no memory for a workspace of %zu bytes", work->name, bytes);
    tess_status status = pass(work, &between, &work->in, false, false);
    if (!status && !tess__cancelled()) status = pass(work, &work->out, &between, true, true);
    tess__free(between.data);
    return status;
}
