/* Samples at given points: kernels of every method. Built once per instruction set. */
#include <float.h>
#include <string.h>

#include "cpu/geometry/kernels.h"
#include "cpu/geometry/sampling/point_runs.h"
#include "cpu/template.h"
#include "formulas/geometry/points.op.h"

enum { BLOCK = 64, TAPS = TESS__TRANSFORM_TAPS };

typedef struct point_block {
    _Alignas(64) double c[3][BLOCK];
    _Alignas(64) int64_t inside[BLOCK];
} point_block;

/* Along an axis, windows of coordinates from `low` on and below `high` are inside, and begin at 32-bit integers. Those
 * of points beyond `last` are not wanted. */
typedef struct limits {
    double low, high, last;
} limits;

static limits limits_of(const tess__sample_points_run *run, int axis)
{
    const int     method = run->line.method, first = tess__interp_first(method);
    const int64_t size = run->line.source->shape[axis], starts = size - tess__interp_taps(method) + 1;
    const double  high = (double)((starts < INT32_MAX - TAPS ? starts : INT32_MAX - TAPS) - first);
    if (method != TESS_INTERP_NEAREST) return (limits){ -first, high, DBL_MAX };
    return (limits){ run->cut ? 0 : -0.5, high - 0.5, run->cut ? (double)(size - 1) : DBL_MAX };
}

/* Which windows are inside, and how many. */
static int64_t find_inside(point_block *p, const limits *at, int dims, int n)
{
    int64_t count = 0;
    for (int axis = 3 - dims; axis < 3; axis++) {
        const double low = at[axis].low, high = at[axis].high, last = at[axis].last, *c = p->c[axis];
        for (int j = 0; j < n; j++) {
            const int64_t is = (c[j] >= low) & (c[j] < high) & (c[j] <= last);
            p->inside[j] = axis == 3 - dims ? is : p->inside[j] & is;
        }
    }
    for (int j = 0; j < n; j++) count += p->inside[j];
    return count;
}

#define T float
#define SUFFIX f32
#define FMA __builtin_fmaf
#include "cpu/geometry/sampling/sample_points.c.inc"

#define T double
#define SUFFIX f64
#define FMA __builtin_fma
#include "cpu/geometry/sampling/sample_points.c.inc"

void TESS__FILL_KERNELS(geometry, sample_points)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, sample_points)(tess__geometry_kernels *kernels)
{
    kernels->sample_points[0] = sample_points_f32;
    kernels->sample_points[1] = sample_points_f64;
}
