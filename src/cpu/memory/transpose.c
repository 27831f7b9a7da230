/* Plan of the tiled transpose: which dimensions make the rows and columns of its tiles, and how large the tiles are. */
#include "cpu/memory/transpose.h"

#include "core/array/layout.h"
#include "cpu/isa.h"

enum { LINE = 64, VECTOR = 16 };

/* Bytes of input that a tile reads in each row. Much less than a page is bad because the hardware prefetches beyond it,
   but see plan_tiles. */
enum { SHORT = 256, MEDIUM = 4096, LONG = VECTOR * TESS__TILE_VECTORS };
_Static_assert((int)MEDIUM == (int)TESS__NT_ROW_BYTES, "the most that a tile reads whose lines are not whole");

/* Cache lines whose distance is a multiple of these share few sets of the caches, or a single one. */
enum { NEAR = 32 * 1024, FAR = 128 * 1024 };

/* Elements below which a tile costs more to find than to copy in a simpler way. */
enum { MIN = 64 };

/* Tiles have few rows where there would not be enough tiles for the threads. */
enum { FEW_ROWS = 64, ENOUGH_TILES = 64 };

/* The dimensions by their strides in the input, nearest first; those with stride 0 go last. */
static void order_by_input(const tess__transpose *t, int order[4])
{
    for (int k = 0; k < t->n; k++) {
        int     dim = t->n - 1 - k, at = k;
        int64_t stride = tess__magnitude(t->si[dim]);
        while (at > 0 && stride != 0 && (t->si[order[at - 1]] == 0 || stride < tess__magnitude(t->si[order[at - 1]]))) {
            order[at] = order[at - 1];
            at--;
        }
        order[at] = dim;
    }
}

static bool run_has(const tess__stretch *run, int dim)
{
    for (int k = 0; k < run->n; k++)
        if (run->dim[k] == dim) return true;
    return false;
}

static void run_add(tess__stretch *run, const tess__transpose *t, int dim)
{
    run->dim[run->n++] = dim;
    run->length *= t->shape[dim];
}

/* One of the arrays: its dimensions, nearest first, their strides, and the unit that it is accessed by. */
typedef struct side {
    const int     *order;
    const int64_t *stride;
    int64_t        unit;
} side;

/* Adds dimensions, nearest first, until the run has the wanted length. Those before must be a multiple of the unit and
   the next continue them without a gap, or it is worth it only while the run is shorter than needed. */
static void run_extend(tess__stretch *run, const tess__stretch *other, const tess__transpose *t, side s, int64_t wanted,
                       int64_t needed)
{
    while (run->length < wanted && run->n < t->n) {
        int  last = run->dim[run->n - 1], next = s.order[run->n];
        bool joins = run->length % s.unit == 0 &&
                     tess__magnitude(s.stride[next]) == tess__magnitude(s.stride[last]) * t->shape[last];
        if (s.stride[next] == 0 || run_has(other, next) || (!joins && run->length >= needed)) return;
        run_add(run, t, next);
    }
}

/* Whole tiles after the lead; a tail of less than a vector joins the last one. */
static void run_cut(tess__stretch *run, int64_t tile, int64_t vector)
{
    int64_t length = run->length - run->lead;
    run->tile = tile;
    run->tiles = length < tile + vector ? 1 : (length - vector) / tile + 1;
}

/* How far the output is past the start of a cache line, in bytes. */
static int64_t past_line(const tess__transpose *t)
{
    return (int64_t)((uintptr_t)(t->out + t->out_first * t->size) % LINE);
}

/* Are there enough rows for lines to matter? */
static bool has_lines(const tess__transpose *t) { return t->vectors && t->rows.length >= 4 * LINE / t->size; }

/* Can whole cache lines be written in every column? Not if the distance of columns is no multiple of a line. */
static bool are_whole(const tess__transpose *t)
{
    bool lines = has_lines(t) && past_line(t) % t->size == 0;
    for (int k = 0; k < t->cols.n; k++) lines = lines && t->so[t->cols.dim[k]] * t->size % LINE == 0;
    for (int k = 0; k < t->outer.n; k++) lines = lines && t->so[t->outer.dim[k]] * t->size % LINE == 0;
    return lines;
}

/* Makes the strides of a run's dimensions positive and says whether they then walk memory without gaps. */
static bool straighten(tess__transpose *t, const tess__stretch *run, int64_t stride[4])
{
    int64_t expected = 1;
    bool    contiguous = true;
    for (int k = 0; k < run->n; k++) {
        int d = run->dim[k];
        if (stride[d] < 0) {
            t->out_first += (t->shape[d] - 1) * t->so[d];
            t->in_first += (t->shape[d] - 1) * t->si[d];
            t->so[d] = -t->so[d];
            t->si[d] = -t->si[d];
        }
        contiguous = contiguous && stride[d] == expected;
        expected *= t->shape[d];
    }
    return contiguous;
}

/* Sizes of the tiles, from measurements. About 16 rows at a time keep enough loads in flight; more of them, if they
   compete for a cache set, evict each other. Output columns that compete do so less if each gets two lines at a
   time, or if there are few of them; rows that compete are otherwise best read in long stretches, and so are those
   whose output leaves no lines in the caches. */
static void plan_tiles(tess__transpose *t)
{
    int64_t vector = VECTOR / t->size, stretch = MEDIUM;
    int64_t row_pitch = tess__magnitude(t->si[t->rows.dim[0]]) * t->size;
    int64_t col_pitch = tess__magnitude(t->so[t->cols.dim[0]]) * t->size;
    bool    rows_compete = row_pitch % NEAR == 0, cols_compete = col_pitch % NEAR == 0;

    t->nt = t->nt && has_lines(t);
    t->whole = are_whole(t);
    t->rows.lead = t->whole ? (LINE - past_line(t)) % LINE / t->size : 0;
    t->lines = t->size == 16 ? 4 : t->size == 8 || (t->size == 4 && cols_compete && !rows_compete) ? 2 : 1;
    if (t->nt) stretch = t->whole ? LONG : MEDIUM;
    else if (rows_compete) stretch = t->size == 4 && cols_compete && row_pitch % FAR != 0 ? SHORT : LONG;
    run_cut(&t->cols, t->vectors ? stretch / t->size : TESS__TILE_ROWS, vector);
    run_cut(&t->rows, TESS__TILE_ROWS, vector);
    if (t->outer.length * t->cols.tiles * t->rows.tiles < ENOUGH_TILES) run_cut(&t->rows, FEW_ROWS, vector);
    t->n_tiles = t->outer.length * t->cols.tiles * t->rows.tiles;
}

bool tess__transpose_plan(tess__transpose *t)
{
    int           by_output[4] = { t->n - 1, t->n - 2, t->n - 3, t->n - 4 }, by_input[4] = { 0 };
    int64_t       line = LINE / t->size, vector = VECTOR / t->size;
    const side    output = { by_output, t->so, 1 }, input = { by_input, t->si, vector };
    tess__stretch rows = { .length = 1 }, cols = { .length = 1 }, outer = { .length = 1 };

    if (t->n < 2) return false;
    order_by_input(t, by_input);
    if (by_input[0] == by_output[0] || t->si[by_input[0]] == 0) return false;

    run_add(&rows, t, by_output[0]);
    run_add(&cols, t, by_input[0]);
    run_extend(&rows, &cols, t, output, line, vector);
    run_extend(&cols, &rows, t, input, LONG / t->size, vector);
    run_extend(&rows, &cols, t, output, TESS__TILE_ROWS, 0);
    if (rows.length * cols.length < MIN) return false;
    for (int d = t->n - 1; d >= 0; d--)
        if (!run_has(&rows, d) && !run_has(&cols, d)) run_add(&outer, t, d);

    t->out_first = t->in_first = 0;
    bool out_contiguous = straighten(t, &rows, t->so), in_contiguous = straighten(t, &cols, t->si);
    t->vectors = out_contiguous && in_contiguous && rows.length >= vector && cols.length >= vector &&
                 (cols.n == 1 || t->shape[cols.dim[0]] % vector == 0);
    t->rows = rows;
    t->cols = cols;
    t->outer = outer;
    plan_tiles(t);
    return true;
}

void tess__transpose_block(tess__transpose *t)
{
    const tess__memory_kernels *kernels = &tess__cpu_kernels()->memory;
    const int class = tess__size_class(t->size);
    if (t->shape[0] > 1 && t->shape[1] > 1 && tess__transpose_plan(t)) {
        kernels->transpose[class](t, 0, t->n_tiles);
        return;
    }
    const int64_t strides[2] = { t->so[1], t->si[1] };
    for (int64_t r = 0; r < t->shape[0]; r++) {
        char *const p[2] = { t->out + r * t->so[0] * t->size, (char *)(uintptr_t)(t->in + r * t->si[0] * t->size) };
        kernels->copy[class](p, strides, t->shape[1], NULL);
    }
}
