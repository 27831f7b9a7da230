/* 2-D resampling at computed coordinates: the kernels of all dtypes and methods. Built once per instruction set. */
#include <string.h>

#include "cpu/geometry/kernels.h"
#include "cpu/geometry/sampling/resample_runs.h"
#include "cpu/template.h"

/* The windows of a block: their first taps, and whether the taps follow each other in memory. */
typedef struct window_block {
    _Alignas(64) int64_t y[TESS__RESAMPLE_BLOCK];
    _Alignas(64) int64_t x[TESS__RESAMPLE_BLOCK];
    _Alignas(64) int64_t inside[TESS__RESAMPLE_BLOCK];
} window_block;

static void find_inside(window_block *at, const tess__resample_source *source, int taps, int64_t n)
{
    const tess__resample_axis y = source->axis[0], x = source->axis[1];
    for (int64_t i = 0; i < n; i++)
        at->inside[i] = tess__resample_is_inside(&y, at->y[i], taps) & tess__resample_is_inside(&x, at->x[i], taps);
}

/* The end of the windows from i on that are all inside, or all not. */
static int64_t end_of_run(const window_block *at, int64_t i, int64_t n)
{
    int64_t end = i + 1;
    while (end < n && at->inside[end] == at->inside[i]) end++;
    return end;
}

/* Coordinates whose windows are inside for sure, and have no index that wraps: from `low` on, and before `high`. They
 * are 32-bit integers when rounded down. */
typedef struct limits {
    double low, high;
} limits;

static limits limits_of(const tess__resample_axis *a, int taps)
{
    enum { MAX = INT32_MAX - TESS__RESAMPLE_TAPS };
    const int64_t low = a->wrap ? 0 : a->low, margin = (taps + 1) / 2;
    return (limits){ .low = (double)((low < -MAX ? -MAX : low) + margin),
                     .high = (double)((a->high > MAX ? MAX : a->high) - margin) };
}

static inline TESS_ALWAYS_INLINE int is_inner(limits v, limits u, double y, double x)
{
    return (y >= v.low) & (y < v.high) & (x >= u.low) & (x < u.high);
}

/* Of positions in order the first and the last one tell it. */
static bool are_within(const tess__resample_run *run, int taps, int64_t n)
{
    const limits v = limits_of(&run->source->axis[0], taps), u = limits_of(&run->source->axis[1], taps);
    const double *restrict y = run->y, *restrict x = run->x;
    int64_t count = 0;
    if (run->is_ordered) return is_inner(v, u, y[0], x[0]) && is_inner(v, u, y[n - 1], x[n - 1]);
    for (int64_t i = 0; i < n; i++) count += is_inner(v, u, y[i], x[i]);
    return count == n;
}

/* The first taps of such a block. */
typedef struct inner_block {
    _Alignas(64) int32_t y[TESS__RESAMPLE_BLOCK];
    _Alignas(64) int32_t x[TESS__RESAMPLE_BLOCK];
} inner_block;

/* Does each begin one element after the one before, as those of small shifts do? */
static bool are_in_a_row(const inner_block *at, int64_t n)
{
    int32_t others = 0;
    for (int32_t i = 0; i < (int32_t)n; i++) others |= (at->y[i] ^ at->y[0]) | ((at->x[i] - i) ^ at->x[0]);
    return others == 0;
}

#define T float
#define REAL f32
#define PARTS 1
#define NAME f32
#include "cpu/geometry/sampling/resample_2d_methods.c.inc"
#define T double
#define REAL f64
#define PARTS 1
#define NAME f64
#include "cpu/geometry/sampling/resample_2d_methods.c.inc"
#define T float
#define REAL f32
#define PARTS 2
#define NAME c32
#include "cpu/geometry/sampling/resample_2d_methods.c.inc"
#define T double
#define REAL f64
#define PARTS 2
#define NAME c64
#include "cpu/geometry/sampling/resample_2d_methods.c.inc"

static inline TESS_ALWAYS_INLINE void find_rays(double *restrict y, double *restrict x, const tess__resample_columns *c,
                                                int log, int64_t n)
{
    const tess__resample_grid g = *c->grid;
    const double              dy = c->direction[0], dx = c->direction[1], w = c->w;
    for (int i = 0; i < n; i++) {
        const double rho = tess__resample_radius(&g, log, w + (double)i);
        y[i] = __builtin_fma(rho, dy, g.centre[0]);
        x[i] = __builtin_fma(rho, dx, g.centre[1]);
    }
}

static inline TESS_ALWAYS_INLINE void find_pixels(double *restrict y, double *restrict x,
                                                  const tess__resample_columns *c, int log, int64_t n)
{
    const tess__resample_grid g = *c->grid;
    const double              h = c->h, w = c->w;
    for (int i = 0; i < n; i++) tess__resample_of_pixel(&g, log, h, w + (double)i, &y[i], &x[i]);
}

static void find_phases(double *restrict y, double *restrict x, const tess__resample_columns *c, int64_t n)
{
    const tess__resample_grid g = *c->grid;
    const tess__ctf_line      in = c->in, out = c->out;
    const double              w = c->w;
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        x[i] = tess__resample_of_phase(&g, &in, &out, w + (double)i);
    }
}

static void find_warped(double *restrict y, double *restrict x, const tess__resample_columns *c, int64_t n)
{
    const tess__resample_grid g = *c->grid;
    const double              h = c->h, w = c->w;
    for (int i = 0; i < n; i++) tess__resample_of_warp(&g, h, w + (double)i, &y[i], &x[i]);
}

static void find_positions(double *y, double *x, const tess__resample_columns *c, int64_t n)
{
    if (c->grid->kind == TESS__RESAMPLE_WARP) find_warped(y, x, c, n);
    else if (c->grid->kind == TESS__RESAMPLE_PHASES) find_phases(y, x, c, n);
    else if (c->grid->kind == TESS__RESAMPLE_RAYS && c->grid->log) find_rays(y, x, c, 1, n);
    else if (c->grid->kind == TESS__RESAMPLE_RAYS) find_rays(y, x, c, 0, n);
    else if (c->grid->log) find_pixels(y, x, c, 1, n);
    else find_pixels(y, x, c, 0, n);
}

void TESS__FILL_KERNELS(geometry, resample_2d)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, resample_2d)(tess__geometry_kernels *kernels)
{
#define TESS__INTERP(name, NAME, method, taps, cost, help)                                                             \
    kernels->resample[0][TESS_INTERP_##NAME] = resample_##method##_f32;                                                \
    kernels->resample[1][TESS_INTERP_##NAME] = resample_##method##_f64;                                                \
    kernels->resample[2][TESS_INTERP_##NAME] = resample_##method##_c32;                                                \
    kernels->resample[3][TESS_INTERP_##NAME] = resample_##method##_c64;
#include "tessera/math/interps.def"
    kernels->resample_positions = find_positions;
}
