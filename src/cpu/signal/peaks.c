/* Greedy non-maximum suppression: from the highest candidate to the lowest, those that are not near one that was kept.
 *
 * Kept peaks are in linked lists, one for each cell of a grid. The edge of a cell is not below the distance, so that
 * only the cells around a candidate are searched; there are not many more cells than candidates. */
#include <inttypes.h>
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "core/check/error.h"
#include "core/device/memory.h"
#include "cpu/cpu.h"
#include "cpu/runtime/pool.h"

typedef struct candidate {
    double  height;
    int64_t index; /* in its batch */
} candidate;

typedef struct grid {
    double   edge;     /* of a cell, pixels; 0: nothing is ever too near */
    int64_t  cells[3]; /* along d, h, w */
    int64_t *first;    /* of each cell: the kept peak that came last, or -1 */
    int64_t *next;     /* of each kept peak: the one of its cell before it, or -1 */
} grid;

/* The highest first; of equal ones, the first in C order. */
static int by_height(const void *lhs, const void *rhs)
{
    const candidate *a = lhs, *b = rhs;
    if (a->height != b->height) return a->height > b->height ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void position_of(int64_t position[3], tess_shape shape, int64_t index)
{
    position[2] = index % shape.w;
    position[1] = index / shape.w % shape.h;
    position[0] = index / (shape.w * shape.h);
}

static bool make_grid(grid *g, tess_shape shape, double distance, int64_t n)
{
    const double volume = (double)(shape.d * shape.h * shape.w);
    int64_t      cells = 1;
    int          axes = 0;
    for (int k = 1; k < 4; k++) axes += shape.dim[k] > 1;
    g->edge = fmax(distance, axes ? pow(volume / (double)n, 1.0 / axes) : 1);
    for (int k = 0; k < 3; k++) cells *= g->cells[k] = (int64_t)((double)shape.dim[k + 1] / g->edge) + 1;
    g->first = tess__alloc(sizeof *g->first * (size_t)cells);
    g->next = tess__alloc(sizeof *g->next * (size_t)n);
    for (int64_t i = 0; g->first && i < cells; i++) g->first[i] = -1;
    return g->first && g->next;
}

static int64_t cell_of(const grid *g, const int64_t cell[3])
{
    return (cell[0] * g->cells[1] + cell[1]) * g->cells[2] + cell[2];
}

static bool is_near_in_cell(const grid *g, int64_t cell, const candidate *kept, tess_shape shape, const int64_t at[3],
                            double distance)
{
    for (int64_t i = g->first[cell]; i >= 0; i = g->next[i]) {
        int64_t other[3];
        double  sum = 0;
        position_of(other, shape, kept[i].index);
        for (int k = 0; k < 3; k++) sum += (double)(at[k] - other[k]) * (double)(at[k] - other[k]);
        if (sum < distance * distance) return true;
    }
    return false;
}

/* Is one of the kept peaks too near? */
static bool is_near(const grid *g, const candidate *kept, tess_shape shape, const int64_t at[3], double distance)
{
    int64_t low[3], high[3], cell[3];
    for (int k = 0; k < 3; k++) {
        const int64_t middle = (int64_t)((double)at[k] / g->edge);
        low[k] = middle > 0 ? middle - 1 : 0;
        high[k] = middle + 1 < g->cells[k] ? middle + 1 : g->cells[k] - 1;
    }
    for (cell[0] = low[0]; cell[0] <= high[0]; cell[0]++)
        for (cell[1] = low[1]; cell[1] <= high[1]; cell[1]++)
            for (cell[2] = low[2]; cell[2] <= high[2]; cell[2]++)
                if (is_near_in_cell(g, cell_of(g, cell), kept, shape, at, distance)) return true;
    return false;
}

static void keep(grid *g, int64_t i, const int64_t at[3])
{
    int64_t cell[3];
    for (int k = 0; k < 3; k++) cell[k] = (int64_t)((double)at[k] / g->edge);
    const int64_t number = cell_of(g, cell);
    g->next[i] = g->first[number];
    g->first[number] = i;
}

/* Those that are kept of n sorted candidates come to the front; how many they are. */
static int64_t thin_out(candidate *all, int64_t n, const tess__peaks *work, grid *g)
{
    int64_t n_kept = 0;
    for (int64_t i = 0; i < n && (work->max == 0 || n_kept < work->max); i++) {
        int64_t at[3];
        position_of(at, work->shape, all[i].index);
        if (g->first && is_near(g, all, work->shape, at, work->distance)) continue;
        all[n_kept] = all[i];
        if (g->first) keep(g, n_kept, at);
        n_kept++;
    }
    return n_kept;
}

/* ---- Batches ---- */

typedef struct thinning {
    const tess__peaks *work;
    int64_t           *counts; /* of kept peaks, for each batch */
    atomic_bool        no_memory;
} thinning;

/* The first of the candidates that is not in a batch before b. */
static int64_t first_of_batch(const tess__peaks *work, int64_t b)
{
    const int64_t *indices = work->indices.data, index = b * work->shape.d * work->shape.h * work->shape.w;
    int64_t        low = 0, high = work->indices.shape.w;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (indices[middle] < index) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Those that are kept of a batch go to where its candidates begin. */
static bool thin_out_batch(const tess__peaks *work, int64_t b, int64_t *count)
{
    const int64_t  from = first_of_batch(work, b), n = first_of_batch(work, b + 1) - from;
    const int64_t  base = b * work->shape.d * work->shape.h * work->shape.w;
    const double  *heights = (const double *)work->heights.data + from;
    const int64_t *indices = (const int64_t *)work->indices.data + from;
    int64_t       *kept = (int64_t *)work->kept.data + from;
    if (n == 0) return true;
    grid       g = { .first = NULL };
    candidate *all = tess__alloc(sizeof *all * (size_t)n);
    const bool is_thinned = work->distance > 1; /* samples are 1 apart */
    const bool done = all && (!is_thinned || make_grid(&g, work->shape, work->distance, n));
    for (int64_t i = 0; done && i < n; i++) all[i] = (candidate){ heights[i], indices[i] - base };
    if (done) {
        qsort(all, (size_t)n, sizeof *all, by_height);
        *count = thin_out(all, n, work, &g);
        for (int64_t i = 0; i < *count; i++) kept[i] = base + all[i].index;
    }
    tess__free(all);
    tess__free(g.first);
    tess__free(g.next);
    return done;
}

static void thin_out_batches(void *context, int64_t first, int64_t last)
{
    thinning *t = context;
    for (int64_t b = first; b < last; b++)
        if (!thin_out_batch(t->work, b, &t->counts[b])) atomic_store(&t->no_memory, true);
}

/* Closes the gaps between batches. */
static void close_up(const tess__peaks *work, const int64_t *counts)
{
    int64_t *kept = work->kept.data, n = 0;
    for (int64_t b = 0; b < work->shape.b; b++) {
        if (counts[b]) memmove(kept + n, kept + first_of_batch(work, b), sizeof *kept * (size_t)counts[b]);
        n += counts[b];
    }
    *(int64_t *)work->count.data = n;
}

tess_status tess__cpu_peaks(const tess__peaks *w)
{
    thinning t = { .work = w, .counts = tess__alloc((size_t)w->shape.b * sizeof *t.counts) };
    if (t.counts) {
        memset(t.counts, 0, (size_t)w->shape.b * sizeof *t.counts);
        tess__parallel(w->shape.b, 1, thin_out_batches, &t);
        close_up(w, t.counts);
    }
    const bool failed = !t.counts || atomic_load(&t.no_memory);
    tess__free(t.counts);
    TESS_CHECK(!failed, TESS_ENOMEM, "%s: no memory for the lists of %" PRId64 " candidates", w->name,
               w->indices.shape.w);
    return TESS_OK;
}
