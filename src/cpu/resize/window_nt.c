/* Windows by non-temporal stores, for results too large for the caches: rows as runs, written by whole cache lines.
 *
 * Several rows are interleaved, block by block: the hardware prefetcher reads on in each page, but only up to
 * the page's end.
 */
#include <string.h>

#include "core/array/layout.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/resize/window.h"

enum {
    DRAWINGS = 4,
    DRAWING_BYTES = 65536, /* rows of one */
    WHOLE_BYTES = 2048,    /* of a row that is written as a whole before the next drawing goes on */
    BLOCK_BYTES = 1024,    /* of another one */
    MAX_SIZE = 256,        /* bytes of an element */
    MIN_ROW = 128          /* bytes of a row */
};

/* One of the sequences of rows that are interleaved. */
typedef struct drawing {
    tess__line_writer writer;
    const int64_t    *origin; /* of the window */
    tess__slab        plane;
    int64_t           number, last; /* of the row, among those of all windows; of the row after the last one */
    int64_t           in_plane, at; /* of the row; of the next element */
    bool              laid;         /* by runs: the writer knows elements of this kind */
    bool              whole;        /* rows are not divided into blocks */
    int64_t           listed;       /* the element that `runs` begin with */
    int64_t           drawn;        /* elements of the run that the next element is in */
    int               n_runs, next; /* runs; that run */
    tess__run         runs[TESS__MAX_RUNS];
    char              drawn_block[BLOCK_BYTES]; /* a block that is not laid by runs */
} drawing;

static void begin_lines(tess__line_writer *l, char *out)
{
    l->kept = l->held = (int64_t)((uintptr_t)out % TESS__CACHE_LINE);
    l->to = out - l->held;
}

static void end_lines(tess__line_writer *l)
{
    tess__copy_end(l->to + l->kept, l->bytes + l->kept, l->held - l->kept);
    l->held = l->kept;
}

/* ---- Blocks ---- */

/* Runs from element `at` on, with strides in memory. */
static void list_runs(const tess__windows *w, drawing *d)
{
    d->listed = d->at;
    d->n_runs = tess__list_runs(w, d->origin[TESS__ROW], d->at, d->runs);
    d->next = 0;
    d->drawn = 0;
    for (int k = 0; k < d->n_runs; k++) {
        tess__run *r = &d->runs[k];
        r->from *= w->axis[TESS__ROW].si;
        if (r->step != TESS__FILLED) r->step *= w->axis[TESS__ROW].si;
    }
}

/* Up to `max` elements from the next one on. */
static tess__run take_run(const tess__windows *w, drawing *d, int64_t max)
{
    if (d->next == d->n_runs) list_runs(w, d);
    tess__run     r = d->runs[d->next];
    const int64_t left = r.n - d->drawn;
    r.from += d->drawn * r.step;
    r.n = left < max ? left : max;
    d->at += r.n;
    d->drawn += r.n;
    if (r.n == left) d->next++, d->drawn = 0;
    return r;
}

static void take_runs(const tess__windows *w, drawing *d, int64_t end)
{
    tess__line_writer *l = &d->writer;
    for (l->n_runs = 0; l->n_runs < TESS__MAX_RUNS && d->at < end; l->n_runs++)
        l->runs[l->n_runs] = take_run(w, d, end - d->at);
}

/* The next block of a row. */
static void list_block(const tess__windows *w, drawing *d)
{
    const int64_t      n = w->axis[TESS__ROW].n, max = BLOCK_BYTES / w->size;
    const int64_t      from = d->at, end = n - from <= max ? n : from + max / 2;
    const char *const  in = tess__enter(w, d->plane, 2, d->origin[2], d->in_plane).in;
    tess__line_writer *l = &d->writer;
    l->rows[0] = in;
    if (d->laid && in) {
        take_runs(w, d, end);
    } else if (d->laid) {
        d->at = end;
    } else { /* of elements that the writer does not know: it sees bytes */
        char *const row = (char *)((uintptr_t)d->drawn_block - (uintptr_t)(from * w->size)); /* where it would begin */
        tess__draw_row(w, row, in, d->origin[TESS__ROW], from, end, false);
        l->rows[0] = d->drawn_block;
        l->runs[0] = (tess__run){ 0, 1, (end - from) * w->size };
        l->n_runs = 1;
        d->at = end;
    }
    l->n = d->at - from;
}

/* ---- Rows ---- */

/* Rows that follow each other in the output: how many there are, up to TESS__MAX_ROWS. */
static int list_rows(const tess__windows *w, drawing *d)
{
    const bool    joined = w->axis[2].so == w->axis[TESS__ROW].n;
    const int64_t in_plane = w->axis[2].n - d->in_plane, left = d->last - d->number;
    const int64_t max = !joined ? 1 : in_plane < left ? in_plane : left;
    const int     n = max < TESS__MAX_ROWS ? (int)max : TESS__MAX_ROWS;
    for (int i = 0; i < n; i++) d->writer.rows[i] = tess__enter(w, d->plane, 2, d->origin[2], d->in_plane + i).in;
    return n;
}

/* Finds the plane of the row whose number has just been set. Its rows have the same runs. */
static void find_plane(const tess__windows *w, drawing *d)
{
    const int64_t    window = d->number / w->rows, row = d->number % w->rows, n1 = w->axis[1].n, n2 = w->axis[2].n;
    const int64_t    n = w->axis[TESS__ROW].n;
    const tess__slab start = tess__start_of(w, window);
    d->origin = w->position[window].at;
    d->in_plane = row % n2;
    d->plane = tess__enter(w, start, 0, d->origin[0], row / n2 / n1);
    d->plane = tess__enter(w, d->plane, 1, d->origin[1], row / n2 % n1);
    d->at = 0;
    d->whole = false;
    if (!d->laid) return;
    list_runs(w, d);
    if (n * w->size > WHOLE_BYTES) return;
    take_runs(w, d, n);
    d->whole = d->at == n;
    d->writer.n = n;
    d->at = 0;
}

/* What this drawing writes next: a number of rows, or a block of one. */
static int list_next(const tess__windows *w, drawing *d)
{
    if (d->whole) return list_rows(w, d);
    if (d->laid && d->at == 0) {
        if (d->listed != 0) list_runs(w, d);
        d->next = 0, d->drawn = 0;
    }
    list_block(w, d);
    return 1;
}

/* Goes on after what has been drawn; false if nothing is left. */
static bool go_on(const tess__windows *w, drawing *d, int rows)
{
    if (!d->whole && d->at < w->axis[TESS__ROW].n) return true;
    d->at = 0;
    d->number += rows;
    d->in_plane += rows;
    if (d->number == d->last) {
        end_lines(&d->writer);
        return false;
    }
    if (d->in_plane == w->axis[2].n) find_plane(w, d);
    char *const out = d->plane.out + d->in_plane * w->axis[2].so * w->size;
    if (out != d->writer.to + d->writer.held) {
        end_lines(&d->writer);
        begin_lines(&d->writer, out);
    }
    return true;
}

/* Are elements of a size, at addresses, and in steps that runs have? */
static bool can_be_laid(const tess__windows *w)
{
    const bool aligned = (uintptr_t)w->work->out.data % (uintptr_t)w->size == 0;
    return w->repeats && w->size <= 16 && aligned && w->axis[TESS__ROW].si >= -1 && w->axis[TESS__ROW].si <= 1;
}

static void begin(const tess__windows *w, drawing *d, int64_t first, int64_t last)
{
    d->number = first;
    d->last = last;
    d->laid = can_be_laid(w);
    d->writer.size = d->laid ? w->size : 1;
    d->writer.outside = w->filling;
    find_plane(w, d);
    begin_lines(&d->writer, d->plane.out + d->in_plane * w->axis[2].so * w->size);
}

/* ---- All of it ---- */

/* Rows of one drawing, which end with a cache line where rows follow each other. */
static int64_t rows_of_drawing(const tess__windows *w)
{
    const int64_t bytes = w->axis[TESS__ROW].n * w->size;
    int64_t       together = 1;
    while (together < TESS__CACHE_LINE && together * bytes % TESS__CACHE_LINE != 0) together++;
    const int64_t n = (DRAWING_BYTES - 1) / bytes + 1;
    return (n + together - 1) / together * together;
}

/* Interleaved until nothing is left of any. */
static void draw_interleaved(const tess__windows *w, drawing *d, int n)
{
    tess__lay_fn *const lay = tess__cpu_kernels()->memory.lay;
    tess__line_writer  *writers[DRAWINGS];
    drawing            *busy[DRAWINGS];
    for (int i = 0; i < n; i++) busy[i] = &d[i];
    while (n > 0) {
        int rows = TESS__MAX_ROWS, left = 0;
        for (int i = 0; i < n; i++) {
            const int listed = list_next(w, busy[i]);
            writers[i] = &busy[i]->writer;
            if (listed < rows) rows = listed;
        }
        lay(writers, n, rows);
        for (int i = 0; i < n; i++)
            if (go_on(w, busy[i], rows)) busy[left++] = busy[i];
        n = left;
    }
}

void tess__nt_windows(void *context, int64_t first, int64_t last)
{
    const tess__windows *w = context;
    const int64_t        rows = rows_of_drawing(w);
    while (first < last) {
        drawing d[DRAWINGS];
        int     n = 0;
        for (; n < DRAWINGS && first < last; n++) {
            const int64_t end = last - first < rows ? last : first + rows;
            begin(w, &d[n], first, end);
            first = end;
        }
        draw_interleaved(w, d, n);
    }
    tess__stores_done();
}

/* Not for rows that walk_rows prefetches, or whose inside is copied already. */
bool tess__can_nt_windows(const tess__windows *w)
{
    return w->nt && !w->scattered && !w->copied && w->size <= MAX_SIZE && w->axis[TESS__ROW].so == 1 &&
           w->work->border != TESS_BORDER_NOTHING && w->axis[TESS__ROW].n * w->size >= MIN_ROW;
}
