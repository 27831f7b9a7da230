/* Sums at positions of affine maps: tiles of results. Built once per instruction set. */
#include <math.h>
#include <string.h>

#include "core/dtype.h"
#include "cpu/geometry/kernels.h"
#include "cpu/geometry/project/affine_sum.h"
#include "cpu/template.h"

enum {
    BLOCK = TESS__SUM_BLOCK,
    TAPS = TESS__SUM_TAPS,
    VECTOR = 16, /* results are computed in multiples of these */
    SMALL = 4    /* those at a border that are not divided further */
};

/* One term at one sample: where its results are read. */
typedef struct term {
    tess__sum_source source;
    tess__sum_row    row;
    int32_t          method;
    int              parts;
} term;

/* What a row of a tile adds up. */
typedef struct sums {
    _Alignas(64) double at[2][BLOCK]; /* real and imaginary parts */
    _Alignas(64) double weight[BLOCK];
    bool          weighted, counts; /* there are rays; a weight is not 0 */
    tess__sum_row ray;
} sums;

typedef enum where { INSIDE, OUTSIDE, MIXED } where;

/* Where the windows of results `first` to `first` + n - 1 of a row are: coordinates rise or fall with w, so the two at
 * the ends tell. */
static where locate_ends(const term *t, int64_t first, int n)
{
    const int taps = tess__interp_taps(t->method);
    where     all = INSIDE;
    for (int axis = 3 - t->source.dims; axis < 3; axis++) {
        double        fraction;
        const int64_t size = t->source.shape[axis];
        const double  c[2] = { tess__sum_coordinate(&t->row, axis, (double)first),
                               tess__sum_coordinate(&t->row, axis, (double)(first + n - 1)) };
        const int64_t i = tess__sum_window(t->method, c[0], &fraction),
                      j = tess__sum_window(t->method, c[1], &fraction);
        if ((i + taps <= 0 && j + taps <= 0) || (i >= size && j >= size)) return OUTSIDE;
        const bool inside = i >= 0 && j >= 0 && i + taps <= size && j + taps <= size;
        if (!inside || !(fabs(c[0]) < 0x1p30 && fabs(c[1]) < 0x1p30)) all = MIXED;
    }
    return all;
}

static bool is_inside(const term *t, int axis, int64_t w)
{
    double        fraction;
    const int64_t i = tess__sum_window(t->method, tess__sum_coordinate(&t->row, axis, (double)w), &fraction);
    return i >= 0 && i < (1 << 30) && i + tess__interp_taps(t->method) <= t->source.shape[axis];
}

static int clamped(double x, int n) { return x > 0 ? (x < n ? (int)x : n) : 0; }

/* Narrow results *begin to *end - 1 of a block to those whose windows are inside along an axis. They are neighbours,
 * from one crossing of a border to the other; divisions find these nearly, and the windows there decide. */
static void narrow(int *begin, int *end, const term *t, int axis, int64_t first)
{
    const int    taps = tess__interp_taps(t->method), n = *end;
    const double start = tess__sum_coordinate(&t->row, axis, (double)first), step = t->row.step[axis];
    const double low = taps == 1 ? -0.5 : -tess__interp_first(t->method),
                 high = low + (double)(t->source.shape[axis] - taps + 1);
    const double at[2] = { ((step < 0 ? high : low) - start) / step, ((step < 0 ? low : high) - start) / step };
    int          from = step == 0 ? 0 : clamped(ceil(at[0]), n), to = step == 0 ? n : clamped(ceil(at[1]), n);
    while (from < to && !is_inside(t, axis, first + from)) from++;
    while (from < to && !is_inside(t, axis, first + to - 1)) to--;
    while (from < to && from > *begin && is_inside(t, axis, first + from - 1)) from--;
    while (from < to && to < n && is_inside(t, axis, first + to)) to++;
    *begin = from > *begin ? from : *begin;
    *end = to > *begin ? to : *begin;
}

/* How far elements of a block may be from its first one, for offsets of 32 bits. */
static bool is_near(const term *t, int n)
{
    double far = 0;
    for (int axis = 3 - t->source.dims; axis < 3; axis++) {
        const double moves = fabs(t->row.step[axis]) * n + TAPS + 1;
        far += moves * fabs((double)t->source.stride[axis]) * t->parts;
    }
    return far < 0x1p30;
}

/* The ray of row r of a tile at sample k, and how much its results count in the volume that it goes through. */
static void find_ray(sums *s, const tess__sum_tile *tile, int64_t k, int r)
{
    const double *map = (const double *)tile->work->rays.data + tile->b * TESS__SUM_MAP;
    s->ray = tess__sum_row_of(map, (double)k, (double)tile->d, (double)(tile->h + r));
    s->counts = false;
    for (int j = 0; j < tile->columns; j++) {
        const double w = (double)(tile->w + j);
        s->weight[j] = tess__sum_inside(tess__sum_coordinate(&s->ray, 0, w), tess__sum_coordinate(&s->ray, 1, w),
                                        tess__sum_coordinate(&s->ray, 2, w), tile->work->volume);
        s->counts |= s->weight[j] > 0;
    }
}

#define T float
#define SUFFIX f32
#define FMA __builtin_fmaf
#define IS_SINGLE 1
#include "cpu/geometry/project/affine_sum.c.inc"

#define T double
#define SUFFIX f64
#define FMA __builtin_fma
#define IS_SINGLE 0
#include "cpu/geometry/project/affine_sum.c.inc"

void TESS__FILL_KERNELS(geometry, affine_sum)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, affine_sum)(tess__geometry_kernels *kernels)
{
    kernels->affine_sum[0] = sum_tile_f32;
    kernels->affine_sum[1] = sum_tile_f64;
}
