/* Crop, pad and extract on the CPU: row by row, each a run of the border, a copy, and another run of the border.
 *
 * Rows go along the axis in which the output is contiguous, or nearest to it. Where the input is contiguous in another,
 * what lies inside it is copied by tiles first, and the rows add the border alone.
 */
#include <string.h>

#include "core/device/cancel.h"
#include "core/dtype.h"
#include "core/array/layout.h"
#include "core/device/memory.h"
#include "core/minmax.h"
#include "cpu/cpu.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/resize/window.h"
#include "cpu/runtime/pool.h"
#include "cpu/runtime/schedule.h"
#include "cpu/runtime/stream.h"
#include "cpu/tuning.h"
#include "tessera/device.h"

enum {
    TASK = 1 << 15,      /* elements of a long row that a thread takes at a time */
    PREFETCH = 16,       /* distance in rows */
    MAX_PREFETCH = 2048, /* bytes; in longer rows, the hardware prefetches */
    MIN_SORTED = 2048    /* bytes of a window that is taken in the order of tiles */
};

/* ---- Rows ---- */

static void copy_run(const tess__windows *w, char *out, const char *in, int64_t si, int64_t n)
{
    const int64_t strides[2] = { w->axis[TESS__ROW].so, si };
    char *const   p[2] = { out, (char *)(uintptr_t)in };
    if (si == 1 && strides[0] == 1) tess__copy_row(out, in, n * w->size);
    else if (strides[0] != 1 || si < -1 || si > 0 || !tess__reverse_run(out, in, si, n, w->size))
        w->copy(p, strides, n, &w->work->outside);
}

static void fill_run(const tess__windows *w, char *out, int64_t n)
{
    if (!w->fills || n <= 0) return;
    if (w->repeats && w->axis[TESS__ROW].so == 1) tess__fill_row(out, w->filling, n * w->size);
    else w->fill((char *const[]){ out }, &w->axis[TESS__ROW].so, n, &w->work->outside);
}

/* Elements first to last-1 of a row, all of which lie outside along it; `origin` is that of the row. */
static void draw_border(const tess__windows *w, char *out, const char *in, int64_t origin, int64_t first, int64_t last)
{
    const tess__axis *a = &w->axis[TESS__ROW];
    out += first * a->so * w->size;
    if (w->work->border <= TESS_BORDER_VALUE || w->work->border == TESS_BORDER_NOTHING) {
        if (first < last) fill_run(w, out, last - first);
        return;
    }
    while (first < last) {
        const tess__run r = tess__find_run(w->work->border, origin + first, a->n_in);
        const int64_t   n = r.n < last - first ? r.n : last - first;
        copy_run(w, out, in + r.from * a->si * w->size, r.step * a->si, n);
        out += n * a->so * w->size;
        first += n;
    }
}

void tess__draw_row(const tess__windows *w, char *out, const char *in, int64_t origin, int64_t first, int64_t last,
                    bool copied)
{
    const tess__axis *a = &w->axis[TESS__ROW];
    const int64_t     from = tess__clamp(-origin, first, last), to = tess__clamp(a->n_in - origin, from, last);
    if (!in) {
        fill_run(w, out + first * a->so * w->size, last - first);
        return;
    }
    if (first < from) draw_border(w, out, in, origin, first, from);
    if (from < to && !copied)
        copy_run(w, out + from * a->so * w->size, in + (origin + from) * a->si * w->size, a->si, to - from);
    if (to < last) draw_border(w, out, in, origin, to, last);
}

/* ---- The rows of windows ---- */

/* True if a window needs no border along axes k to the last. */
static bool lies_inside(const tess__windows *w, const int64_t origin[4], int k)
{
    for (; k < 4; k++)
        if (origin[k] < 0 || origin[k] > w->axis[k].n_in - w->axis[k].n) return false;
    return true;
}

/* The first element of a window, if it is one slab that lies inside. */
static const char *first_element(const tess__windows *w, int64_t window)
{
    const char *in = w->work->in.data;
    if (window >= w->n || w->rows != w->axis[2].n || !lies_inside(w, w->position[window].at, 0)) return NULL;
    for (int k = 0; k < 4; k++) in += w->position[window].at[k] * w->axis[k].si * w->size;
    return in;
}

/* Rows from..to-1 of a slab that lies inside, contiguous ones. Scattered rows are prefetched, also those of the next
 * window: into the second cache, since rows whose distance is a power of two evict each other from the first. */
static void copy_rows(const tess__windows *w, char *out, const char *in, int64_t from, int64_t to, const char *next)
{
    const int64_t step_out = w->axis[2].so * w->size, step_in = w->axis[2].si * w->size, n = w->axis[2].n;
    const int64_t bytes = w->axis[TESS__ROW].n * w->size;
    for (int64_t i = from; i < to; i++) {
        const int64_t later = i + PREFETCH;
        const char   *prefetch = !w->scattered  ? NULL
                                 : later < n    ? in + PREFETCH * step_in
                                 : next != NULL ? next + (later - n) * step_in
                                                : NULL;
        for (int64_t at = 0; prefetch && at < bytes; at += TESS__CACHE_LINE) __builtin_prefetch(prefetch + at, 0, 2);
        if (prefetch) __builtin_prefetch(prefetch + bytes - 1, 0, 2);
        if (w->nt) tess__nt_copy_bytes(out, in, bytes);
        else tess__copy_row(out, in, bytes);
        out += step_out, in += step_in;
    }
}

/* True if rows of the output follow each other, so that what is filled at the end of one and at the beginning of the
 * next is one run. */
static bool is_framed(const tess__windows *w)
{
    return w->fills && !w->copied && w->axis[TESS__ROW].so == 1 && w->axis[TESS__ROW].si == 1 &&
           w->axis[2].so == w->axis[TESS__ROW].n;
}

/* Rows from..to-1 of such a slab, byte after byte with no store elsewhere in between: only then does the processor not
 * read the lines that it is about to write. */
static void draw_framed(const tess__windows *w, tess__slab s, const int64_t origin[4], int64_t from, int64_t to)
{
    const tess__axis *a = &w->axis[TESS__ROW], *rows = &w->axis[2];
    const int64_t     first = tess__clamp(-origin[TESS__ROW], 0, a->n),
                  n = tess__clamp(a->n_in - origin[TESS__ROW], first, a->n) - first;
    const int64_t top = tess__clamp(-origin[2], from, to), inside = tess__clamp(rows->n_in - origin[2], top, to) - top;
    const int64_t bytes = n * w->size, step_out = a->n * w->size, step_in = rows->si * w->size;
    const bool    any = s.in && n > 0 && inside > 0; /* if not, the origin may be far away */
    char         *filled = s.out + from * step_out, *out = s.out + top * step_out + first * w->size;
    char *const   end = s.out + to * step_out;
    const char   *in = any ? s.in + (origin[2] + top) * step_in + (origin[TESS__ROW] + first) * w->size : NULL;
    for (int64_t i = 0; any && i < inside; i++) {
        if (w->repeats) tess__fill_row(filled, w->filling, out - filled);
        else fill_run(w, filled, (out - filled) / w->size);
        tess__copy_prefetch(out, in, w->fetches ? in + TESS__PREFETCH_BYTES : NULL, bytes);
        filled = out + bytes;
        out += step_out, in += step_in;
    }
    fill_run(w, filled, (end - filled) / w->size);
}

/* ---- Rows whose borders come from the input ---- */

/* A row of the output as runs: those of every row of a window. */
typedef struct pattern {
    int       n; /* 0: they are too many, or not contiguous */
    tess__run run[TESS__MAX_RUNS];
} pattern;

static tess__run run_at(const tess__windows *w, int64_t index)
{
    const int64_t n_in = w->axis[TESS__ROW].n_in;
    if (index >= 0 && index < n_in) return (tess__run){ index, 1, n_in - index };
    tess__run r = { 0, TESS__FILLED, INT64_MAX };
    if (!w->fills) r = tess__find_run(w->work->border, index, n_in);
    if (index < 0 && r.n > -index) r.n = -index;
    return r;
}

int tess__list_runs(const tess__windows *w, int64_t origin, int64_t first, tess__run *runs)
{
    const int64_t n = w->axis[TESS__ROW].n;
    int           count = 0;
    for (int64_t i = first; i < n && count < TESS__MAX_RUNS; i += runs[count++].n) {
        runs[count] = run_at(w, origin + i);
        if (runs[count].n > n - i) runs[count].n = n - i;
    }
    return count;
}

static pattern find_pattern(const tess__windows *w, int64_t origin)
{
    const tess__axis *a = &w->axis[TESS__ROW];
    pattern           p = { .n = 0 };
    int64_t           listed = 0;
    if (w->copied || w->fills || w->work->border == TESS_BORDER_NOTHING || a->so != 1 || a->si != 1) return p;
    p.n = tess__list_runs(w, origin, 0, p.run);
    for (int k = 0; k < p.n; k++) listed += p.run[k].n;
    if (listed < a->n) p.n = 0;
    return p;
}

/* Elements one by one, where they make up no vector. */
static void copy_elements(char *out, const char *in, int64_t step, int64_t n, int64_t size)
{
    for (int64_t i = 0; i < n; i++) memcpy(out + i * size, in + i * step * size, (size_t)size);
}

static inline void copy_pattern(char *out, const char *in, const char *later, const pattern *p, int64_t size)
{
    for (int k = 0; k < p->n; k++) {
        const tess__run r = p->run[k];
        const char     *from = in + r.from * size;
        if (r.step == 1) tess__copy_prefetch(out, from, later ? later + r.from * size : NULL, r.n * size);
        else if (TESS__VECTOR % size != 0) copy_elements(out, from, r.step, r.n, size);
        else tess__reverse_run_of(out, from, r.step, r.n, size);
        out += r.n * size;
    }
}

/* Rows from..to-1 of a slab, of elements of a size that the compiler knows. */
static inline void draw_patterned_of(const tess__windows *w, tess__slab s, const pattern *p, int64_t origin,
                                     int64_t from, int64_t to, int64_t size)
{
    const tess__axis *rows = &w->axis[2];
    const tess_border border = (tess_border)w->work->border;
    for (int64_t i = from; i < to; i++) {
        const int64_t index = origin + i;
        const bool    inside = index >= 0 && index < rows->n_in;
        const char   *in = s.in + tess_border_index(border, index, rows->n_in) * rows->si * size;
        copy_pattern(s.out + i * rows->so * size, in, inside && w->fetches ? in + TESS__PREFETCH_BYTES : NULL, p, size);
    }
}

static void draw_patterned(const tess__windows *w, tess__slab s, const pattern *p, int64_t origin, int64_t from,
                           int64_t to)
{
    if (w->size == 4) draw_patterned_of(w, s, p, origin, from, to, 4);
    else if (w->size == 8) draw_patterned_of(w, s, p, origin, from, to, 8);
    else if (w->size == 2) draw_patterned_of(w, s, p, origin, from, to, 2);
    else if (w->size == 1) draw_patterned_of(w, s, p, origin, from, to, 1);
    else if (w->size == 16) draw_patterned_of(w, s, p, origin, from, to, 16);
    else draw_patterned_of(w, s, p, origin, from, to, w->size);
}

/* Rows from..to-1 of any slab. */
static void draw_rows(const tess__windows *w, tess__slab s, const int64_t origin[4], int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++) {
        const tess__slab r = tess__enter(w, s, 2, origin[2], i);
        tess__draw_row(w, r.out, r.in, origin[TESS__ROW], 0, w->axis[TESS__ROW].n, w->copied && r.inside);
    }
}

/* Rows first to last-1 of a window. */
static void walk_window(const tess__windows *w, int64_t window, int64_t first, int64_t last)
{
    const int64_t   *origin = w->position[window].at;
    const int64_t    n1 = w->axis[1].n, n2 = w->axis[2].n;
    const tess__slab start = tess__start_of(w, window);
    const bool       framed = is_framed(w);
    const pattern    runs = find_pattern(w, origin[TESS__ROW]);
    const bool       contiguous =
        w->axis[TESS__ROW].so == 1 && w->axis[TESS__ROW].si == 1 && !w->copied && lies_inside(w, origin, 2);
    const char *next = w->scattered ? first_element(w, window + 1) : NULL;
    for (int64_t row = first; row < last;) {
        const int64_t outer = row / n2, from = row % n2, to = n2 - from < last - row ? n2 : from + last - row;
        tess__slab    s = tess__enter(w, start, 0, origin[0], outer / n1);
        s = tess__enter(w, s, 1, origin[1], outer % n1);
        if (contiguous && s.in) {
            const tess__slab r = tess__enter(w, s, 2, origin[2], from);
            copy_rows(w, r.out, r.in + origin[TESS__ROW] * w->size, from, to, next);
        } else if (framed) draw_framed(w, s, origin, from, to);
        else if (runs.n) draw_patterned(w, s, &runs, origin[2], from, to);
        else draw_rows(w, s, origin, from, to);
        row += to - from;
    }
}

static void walk_rows(void *context, int64_t first, int64_t last)
{
    const tess__windows *w = context;
    while (first < last) {
        const int64_t window = first / w->rows, row = first % w->rows;
        const int64_t n = w->rows - row < last - first ? w->rows - row : last - first;
        walk_window(w, window, row, row + n);
        first += n;
    }
    if (w->nt) tess__stores_done();
}

/* Few long rows. */
static void walk_tasks(void *context, int64_t first, int64_t last)
{
    const tess__windows *w = context;
    const int64_t        n1 = w->axis[1].n, n2 = w->axis[2].n, n = w->axis[TESS__ROW].n;
    for (int64_t item = first; item < last; item++) {
        const int64_t  row = item / w->tasks % w->rows, window = item / w->tasks / w->rows;
        const int64_t *origin = w->position[window].at, from = item % w->tasks * TASK;
        tess__slab     s = tess__start_of(w, window);
        s = tess__enter(w, s, 0, origin[0], row / n2 / n1);
        s = tess__enter(w, s, 1, origin[1], row / n2 % n1);
        s = tess__enter(w, s, 2, origin[2], row % n2);
        tess__draw_row(w, s.out, s.in, origin[TESS__ROW], from, n - from < TASK ? n : from + TASK,
                       w->copied && s.inside);
    }
}

/* ---- Inputs that are contiguous in another axis ---- */

static void copy_boxes(void *context, int64_t first, int64_t last)
{
    const tess__windows *w = context;
    for (int64_t window = first; window < last; window++) {
        tess_array out = w->work->out, in = w->work->in;
        bool       any = true;
        out.data = tess__start_of(w, window).out;
        for (int k = 0; k < 4; k++) {
            const tess__axis *a = &w->axis[k];
            const int64_t     origin = w->position[window].at[k], from = tess__clamp(-origin, 0, a->n),
                          to = tess__clamp(a->n_in - origin, from, a->n);
            any = any && from < to;
            if (!any) break;
            out.shape.dim[k] = in.shape.dim[k] = to - from;
            out.strides.dim[k] = a->so;
            in.strides.dim[k] = a->si;
            out.data = (char *)out.data + from * a->so * w->size;
            in.data = (char *)in.data + (origin + from) * a->si * w->size;
        }
        if (!any) continue;
        tess__loop loop;
        tess__plan(&loop, out.shape, (const tess_array *[]){ &out, &in }, 2);
        tess__cpu_copy(&loop);
    }
}

static bool is_transposed(const tess__windows *w)
{
    for (int k = 0; k < TESS__ROW; k++)
        if (w->axis[k].n > 1 && w->axis[k].n_in > 1 && w->axis[k].si != 0 &&
            tess__magnitude(w->axis[k].si) < tess__magnitude(w->axis[TESS__ROW].si))
            return true;
    return false;
}

/* ---- All of it ---- */

/* n windows whose origins are known. */
static void draw_windows(tess__windows *w, int64_t n)
{
    const int64_t length = w->axis[TESS__ROW].n, rows = w->rows * n;
    const double  cost = 2 * TESS__BYTE_NS * (double)(length * w->size);
    w->n = n;
    w->scattered =
        w->axis[TESS__ROW].si == 1 && length * w->size <= MAX_PREFETCH && tess__magnitude(w->axis[2].si) >= 2 * length;
    w->nt = TESS__HAVE_NT_STORES && tess_n_elements(&w->work->out) * w->size >= TESS__NT_MIN_BYTES;
    w->fetches = rows * length * w->size >= TESS__PREFETCH_MIN_BYTES && w->axis[2].si == w->axis[TESS__ROW].n_in;
    if (is_transposed(w)) {
        const int64_t grain = tess__grain(n, cost * (double)w->rows);
        if (n < 4 * tess_threads_get()) copy_boxes(w, 0, n);
        else tess__parallel(n, grain, copy_boxes, w);
        w->copied = true;
    }
    w->tasks = (length - 1) / TASK + 1;
    if (rows < 8 * tess_threads_get() && w->tasks > 1)
        tess__parallel(rows * w->tasks, tess__grain(rows * w->tasks, 2 * TESS__BYTE_NS * (double)(TASK * w->size)),
                       walk_tasks, w);
    else tess__parallel(rows, tess__grain(rows, cost), tess__can_nt_windows(w) ? tess__nt_windows : walk_rows, w);
}

/* The axis that the output walks in the smallest steps comes last. */
static void sort_axes(tess__windows *w)
{
    const tess__window *work = w->work;
    for (int d = 0; d < 4; d++) {
        const tess__axis a = { d == 0 && work->origins.data ? 1 : work->out.shape.dim[d], work->in.shape.dim[d],
                               work->out.strides.dim[d], work->in.strides.dim[d], d };
        int              at = d;
        for (; at > 0; at--) {
            const tess__axis *b = &w->axis[at - 1];
            if (b->n != 1 && (a.n == 1 || tess__magnitude(a.so) > tess__magnitude(b->so))) w->axis[at] = *b;
            else break;
        }
        w->axis[at] = a;
    }
}

/* Is the axis taken as it is? */
static bool is_whole(const tess__axis *a, int64_t origin) { return origin == 0 && a->n == a->n_in; }

/* Axis fusion for one window: an axis that is taken as it is joins the one around it, so that rows get longer. Elements
 * that a border takes from the input keep the axes separate. */
static void merge_axes(tess__windows *w, int64_t origin[4])
{
    for (int times = 0; times < TESS__ROW; times++) {
        const tess__axis inner = w->axis[TESS__ROW], outer = w->axis[TESS__ROW - 1];
        const bool       joined = outer.so == inner.so * inner.n && outer.si == inner.si * inner.n;
        if (!joined || !is_whole(&inner, origin[TESS__ROW])) return;
        if (!w->fills && !is_whole(&outer, origin[TESS__ROW - 1])) return;
        w->axis[TESS__ROW] = (tess__axis){ outer.n * inner.n, outer.n_in * inner.n, inner.so, inner.si, inner.name };
        /* Windows that lie outside are alike, however far, and a product of such an origin might overflow. */
        const int64_t from = origin[TESS__ROW - 1] < -outer.n ? -outer.n : origin[TESS__ROW - 1];
        origin[TESS__ROW] = (from > outer.n_in ? outer.n_in : from) * inner.n;
        for (int k = TESS__ROW - 1; k > 0; k--) w->axis[k] = w->axis[k - 1], origin[k] = origin[k - 1];
        w->axis[0] = (tess__axis){ 1, 1, 0, 0, 0 };
        origin[0] = 0;
    }
}

static void count_rows(tess__windows *w) { w->rows = w->axis[0].n * w->axis[1].n * w->axis[2].n; }

static void draw_one(tess__windows *w)
{
    tess__position only = { .number = 0 };
    for (int k = 0; k < 4; k++) only.at[k] = w->work->origin[w->axis[k].name];
    w->position = &only;
    merge_axes(w, only.at);
    count_rows(w);
    draw_windows(w, 1);
}

/* Lists of windows: as they were read, in the order that they are taken in, and by tiles of the input. */
typedef struct lists {
    int64_t         max; /* windows at a time */
    tess__position *read, *sorted;
    tess__tiling    tiling;
    tess__bucketed  bucketed; /* empty, if they are taken in their own order */
} lists;

static const int64_t one_element[4] = { 1, 1, 1, 1 };

/* Windows that lie near each other in the input are taken one after the other, if they are so large that it pays. */
static tess_status make_lists(lists *l, const tess__windows *w)
{
    const tess__window *work = w->work;
    const tess_shape   *out = &work->out.shape;
    const int64_t       window[4] = { 1, out->d, out->h, out->w }, bytes = out->d * out->h * out->w * w->size;
    l->max = out->b < TESS__ORIGINS ? out->b : TESS__ORIGINS;
    TESS_TRY(tess__list_positions(work->name, &l->read, 2 * l->max));
    l->sorted = l->read + l->max;
    if (bytes < MIN_SORTED || out->b * bytes < TESS__PREFETCH_MIN_BYTES || !tess__has_elements(&work->in))
        return TESS_OK;
    l->tiling = tess__cut_into_tiles(&work->in.shape, window, w->size, 1, TESS__TILES_PER_WINDOW * l->max);
    TESS_TRY(tess__list_tiles(work->name, &l->bucketed, &l->tiling, one_element, l->max));
    return TESS_OK;
}

static void sort_positions(const tess__windows *w, lists *l, int64_t n)
{
    if (l->bucketed.first) tess__scatter_to_buckets(&l->bucketed, &l->tiling, one_element, l->read, n);
    for (int64_t i = 0; i < n; i++) {
        const tess__position *position = &l->read[l->bucketed.first ? l->bucketed.index[i] : i];
        for (int k = 0; k < 4; k++) l->sorted[i].at[k] = position->at[w->axis[k].name];
        l->sorted[i].number = position->number;
    }
}

static void draw_listed(tess__windows *w, lists *l)
{
    const tess__window *work = w->work;
    const int64_t       n = work->out.shape.b;
    w->next = work->out.strides.b;
    w->position = l->sorted;
    count_rows(w);
    for (int64_t first = 0; first < n && !tess__cancelled(); first += l->max) {
        const int64_t count = n - first < l->max ? n - first : l->max;
        tess__read_origins(l->read, &work->origins, first, count, work->in.shape.b);
        sort_positions(w, l, count);
        draw_windows(w, count);
    }
}

static tess_status draw_several(tess__windows *w)
{
    lists             l = { .read = NULL };
    const tess_status status = make_lists(&l, w);
    if (status == TESS_OK) draw_listed(w, &l);
    tess__free(l.bucketed.first);
    tess__free(l.read);
    return status;
}

/* The element of the outside, repeated to fill a cache line. */
static void set_pattern(tess__windows *w)
{
    const tess__element *e = &w->work->outside;
    w->repeats = TESS__CACHE_LINE % e->size == 0;
    for (int64_t i = 0; w->repeats && i < TESS__CACHE_LINE; i += e->size)
        memcpy(w->filling + i, e->bytes, (size_t)e->size);
}

tess_status tess__cpu_window(const tess__window *work)
{
    const int class = tess__size_class(work->outside.size);
    tess__windows w = { .work = work,
                        .size = work->outside.size,
                        .fills = work->border == TESS_BORDER_ZERO || work->border == TESS_BORDER_VALUE,
                        .copy = tess__cpu_kernels()->memory.copy[class],
                        .fill = tess__cpu_kernels()->memory.fill[class] };
    set_pattern(&w);
    sort_axes(&w);
    if (work->origins.data) TESS_TRY(draw_several(&w));
    else draw_one(&w);
    return TESS_OK;
}
