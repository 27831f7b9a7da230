/* Crop, pad and extract on the CPU: windows onto arrays as rows and runs, with borders. */
#ifndef TESS_CPU_RESIZE_WINDOW_H
#define TESS_CPU_RESIZE_WINDOW_H

#include "cpu/memory/kernels.h"
#include "cpu/resize/tiling.h"
#include "requests/window.h"
#include "tessera/border.h"

enum { TESS__ROW = 3 };

/* One axis: sizes, and strides in elements. */
typedef struct tess__axis {
    int64_t n, n_in, so, si;
    int     name; /* 0 to 3: b, d, h, w */
} tess__axis;

typedef struct tess__windows {
    const tess__window   *work;
    tess__axis            axis[4];     /* outermost first; the last is that of the rows */
    int64_t               rows;        /* of a window */
    int64_t               next;        /* elements of the output from one window to the next */
    int64_t               n;           /* windows of `position` */
    const tess__position *position;    /* in the order of the axes */
    int64_t               size, tasks; /* bytes of an element; tasks of a row */
    bool                  copied;      /* what lies inside is there already */
    bool                  scattered;   /* short rows that lie far from each other in the input */
    bool                  fetches;     /* rows of the input follow each other, and are many */
    bool                  nt;          /* rows are written by non-temporal stores */
    bool                  fills;       /* what lies outside is work->outside */
    bool                  repeats;     /* it is `filling`, repeated */
    char                  filling[TESS__CACHE_LINE];
    tess__row_fn         *copy, *fill;
} tess__windows;

/* ---- Along an axis ---- */

/* The longest run of the border from index i on. */
static inline tess__run tess__find_run(int border, int64_t i, int64_t n)
{
    const int64_t period = tess__border_period(border, n);
    if (border == TESS_BORDER_CLAMP || n == 1) return (tess__run){ i < 0 ? 0 : n - 1, 0, INT64_MAX };
    const int64_t phase = i % period, at = phase < 0 ? phase + period : phase;
    if (at < n) return (tess__run){ at, 1, n - at };
    return (tess__run){ tess__border_fold(border, at, n), -1, period - at };
}

/* A row of the output from element `first` on as runs of elements of the input, at most TESS__MAX_RUNS: how many. */
int tess__list_runs(const tess__windows *w, int64_t origin, int64_t first, tess__run *runs);

/* Elements first to last-1 of a row. `in` is the row of the input, NULL if that lies outside. `copied`: what lies
 * inside is there already. */
void tess__draw_row(const tess__windows *w, char *out, const char *in, int64_t origin, int64_t first, int64_t last,
                    bool copied);

/* ---- Across the axes ---- */

/* Where the rows of one index of the outer two axes begin. */
typedef struct tess__slab {
    char       *out;
    const char *in;     /* NULL: outside */
    bool        inside; /* no border needed so far */
} tess__slab;

/* Where the first slab of a window begins, if its origin were 0. */
static inline tess__slab tess__start_of(const tess__windows *w, int64_t window)
{
    char *out = w->work->out.data;
    return (tess__slab){ out + w->position[window].number * w->next * w->size, w->work->in.data, true };
}

/* Go to `index` along axis k. */
static inline tess__slab tess__enter(const tess__windows *w, tess__slab s, int k, int64_t origin, int64_t index)
{
    const tess__axis *a = &w->axis[k];
    const int64_t     from = origin + index;
    s.out += index * a->so * w->size;
    if (from >= 0 && from < a->n_in) {
        if (s.in) s.in += from * a->si * w->size;
        return s;
    }
    const int64_t other = a->n_in ? tess_border_index((tess_border)w->work->border, from, a->n_in) : -1;
    s.inside = false;
    s.in = s.in && other >= 0 ? s.in + other * a->si * w->size : NULL;
    return s;
}

/* ---- Results too large for the caches ---- */

/* Can they be written by non-temporal stores? */
bool tess__can_nt_windows(const tess__windows *w);

/* Writes rows first to last-1 of all windows by these. */
void tess__nt_windows(void *context, int64_t first, int64_t last);

#endif
