/* Windows onto arrays whose results are too large for the caches: rows as runs, written past these by whole lines.
 *
 * Several rows are drawn in turn, piece by piece: the processor reads ahead in each page by itself, but only as far as
 * the page goes.
 */
#include <string.h>

#include "core/layout.h"
#include "cpu/isa.h"
#include "cpu/rows.h"
#include "cpu/windows.h"

enum {
    STREAMS = 4,
    SHARE = 65536,       /* bytes of a stream */
    PIECE_BYTES = 1024,  /* of one that are written before it is the next one's turn */
    MOST_SIZE = 256,     /* bytes of an element */
    LEAST_STREAMED = 128 /* bytes of a row */
};

/* One of the rows that are drawn in turn. */
typedef struct drawing {
    tess__line_writer writer;
    const int64_t    *origin; /* of the window */
    tess__slab        plane, row;
    int64_t           number, last; /* of the row, among those of all windows; of the row after the last one */
    int64_t           in_plane, at; /* of the row; of the next element */
    int64_t           listed;       /* the element that `runs` begin with */
    int               n_runs, next; /* runs; the one that the next element is in */
    tess__run         runs[TESS__MOST_RUNS];
    int64_t           drawn; /* elements of that run */
    bool              laid;  /* by runs: the writer knows elements of this kind */
} drawing;

static void begin_lines(tess__line_writer *l, char *out)
{
    l->kept = l->held = (int64_t)((uintptr_t)out % TESS__LINE);
    l->to = out - l->held;
}

static void end_lines(tess__line_writer *l)
{
    tess__copy_end(l->to + l->kept, l->bytes + l->kept, l->held - l->kept);
    l->held = l->kept;
}

/* ---- Pieces ---- */

/* Runs from element `at` on, by places in memory. */
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

/* Up to `most` elements from the next one on. */
static tess__run take_run(const tess__windows *w, drawing *d, int64_t most)
{
    if (d->next == d->n_runs) list_runs(w, d);
    tess__run     r = d->runs[d->next];
    const int64_t left = r.n - d->drawn;
    r.from += d->drawn * r.step;
    r.n = left < most ? left : most;
    d->at += r.n;
    d->drawn += r.n;
    if (r.n == left) d->next++, d->drawn = 0;
    return r;
}

/* Where the next piece ends of a row that is not one piece. */
static int64_t end_of_piece(const tess__windows *w, const drawing *d)
{
    const int64_t n = w->axis[TESS__ROW].n, most = PIECE_BYTES / w->size;
    return n - d->at <= most ? n : d->at + most / 2;
}

static void lay_part(const tess__windows *w, drawing *d)
{
    const int64_t end = end_of_piece(w, d);
    tess__run     runs[TESS__MOST_RUNS];
    int           count = 0;
    for (; count < TESS__MOST_RUNS && d->at < end; count++) runs[count] = take_run(w, d, end - d->at);
    tess__cpu_kernels()->lay(&d->writer, d->row.in, runs, count);
}

/* Other elements are put together first; the writer then sees bytes. */
static void draw_part(const tess__windows *w, drawing *d)
{
    const int64_t   end = end_of_piece(w, d), bytes = (end - d->at) * w->size;
    const tess__run all = { 0, 1, bytes };
    char            made[PIECE_BYTES];
    char *const     row = (char *)((uintptr_t)made - (uintptr_t)(d->at * w->size)); /* where it would begin */
    tess__draw_row(w, row, d->row.in, d->origin[TESS__ROW], d->at, end, false);
    tess__cpu_kernels()->lay(&d->writer, made, &all, 1);
    d->at = end;
}

/* As little as possible is stored here: where loads of the input follow whose addresses have the same last 12 bits,
 * processors take them for the same. */
static void draw_next(const tess__windows *w, drawing *d)
{
    const int64_t   n = w->axis[TESS__ROW].n;
    const tess__run outside = { 0, TESS__FILLED, n };
    if (!d->laid) {
        draw_part(w, d);
    } else if (d->row.in && (n * w->size > PIECE_BYTES || d->listed != 0 || d->n_runs == TESS__MOST_RUNS)) {
        lay_part(w, d);
    } else {
        if (d->row.in) tess__cpu_kernels()->lay(&d->writer, d->row.in, d->runs, d->n_runs);
        else tess__cpu_kernels()->lay(&d->writer, NULL, &outside, 1);
        d->at = n;
    }
}

/* ---- Rows ---- */

/* Goes to the row whose number has just been set. */
static void find_plane(const tess__windows *w, drawing *d)
{
    const int64_t    window = d->number / w->rows, row = d->number % w->rows, n1 = w->axis[1].n, n2 = w->axis[2].n;
    const tess__slab start = tess__start_of(w, window);
    d->origin = w->place[window].at;
    d->in_plane = row % n2;
    d->plane = tess__enter(w, start, 0, d->origin[0], row / n2 / n1);
    d->plane = tess__enter(w, d->plane, 1, d->origin[1], row / n2 % n1);
    d->at = 0;
    list_runs(w, d);
}

/* Rows of a plane have the same runs: often all of them were listed. */
static void begin_row(const tess__windows *w, drawing *d)
{
    d->row = tess__enter(w, d->plane, 2, d->origin[2], d->in_plane);
    d->at = 0;
    d->next = 0;
    d->drawn = 0;
    if (d->listed != 0) list_runs(w, d);
}

/* Are elements of a size, at addresses, and in steps that runs have? */
static bool can_be_laid(const tess__windows *w)
{
    const bool aligned = (uintptr_t)w->work->out.data % (uintptr_t)w->size == 0;
    return w->repeats && w->size <= 16 && aligned && w->axis[TESS__ROW].si >= -1 && w->axis[TESS__ROW].si <= 1;
}

static void begin(const tess__windows *w, drawing *d)
{
    find_plane(w, d);
    begin_row(w, d);
    d->laid = can_be_laid(w);
    d->writer.size = d->laid ? w->size : 1;
    d->writer.outside = w->filling;
    begin_lines(&d->writer, d->row.out);
}

/* False when there is no row left. */
static bool go_to_next_row(const tess__windows *w, drawing *d)
{
    if (++d->number == d->last) return false;
    if (++d->in_plane == w->axis[2].n) find_plane(w, d);
    begin_row(w, d);
    if (d->row.out != d->writer.to + d->writer.held) {
        end_lines(&d->writer);
        begin_lines(&d->writer, d->row.out);
    }
    return true;
}

/* A piece of a row; false if it was the last one. */
static bool draw_piece(const tess__windows *w, drawing *d)
{
    draw_next(w, d);
    if (d->at < w->axis[TESS__ROW].n || go_to_next_row(w, d)) return true;
    end_lines(&d->writer);
    return false;
}

/* ---- All of it ---- */

/* Rows of one stream, which end with a line where rows follow each other. */
static int64_t rows_of_stream(const tess__windows *w)
{
    const int64_t bytes = w->axis[TESS__ROW].n * w->size;
    int64_t       together = 1;
    while (together < TESS__LINE && together * bytes % TESS__LINE != 0) together++;
    const int64_t n = (SHARE - 1) / bytes + 1;
    return (n + together - 1) / together * together;
}

void tess__stream_windows(void *context, int64_t first, int64_t last)
{
    const tess__windows *w = context;
    const int64_t        share = rows_of_stream(w);
    while (first < last) {
        drawing d[STREAMS];
        bool    busy[STREAMS] = { false };
        int     n = 0, left;
        for (; n < STREAMS && first < last; n++) {
            d[n].number = first;
            d[n].last = last - first < share ? last : first + share;
            begin(w, &d[n]);
            busy[n] = true;
            first = d[n].last;
        }
        for (left = n; left > 0;)
            for (int i = 0; i < n; i++)
                if (busy[i] && !draw_piece(w, &d[i])) busy[i] = false, left--;
    }
    tess__stores_done();
}

/* Rows that are fetched in advance go one after the other. */
bool tess__can_stream_windows(const tess__windows *w)
{
    return w->streams && !w->scattered && !w->copied && w->size <= MOST_SIZE && w->axis[TESS__ROW].so == 1 &&
           w->work->border != TESS_BORDER_NOTHING && w->axis[TESS__ROW].n * w->size >= LEAST_STREAMED;
}
