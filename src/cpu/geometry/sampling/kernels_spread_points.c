/* Values at given points, added to the elements around them: kernels of every method. Built once per instruction
 * set. */
#include <math.h>

#include "cpu/geometry/kernels.h"
#include "cpu/geometry/sampling/point_runs.h"
#include "cpu/template.h"
#include "formulas/geometry/points.op.h"

enum { BLOCK = 64, TAPS = TESS__TRANSFORM_TAPS };

typedef struct point_block {
    _Alignas(64) double c[3][BLOCK];
    int list[BLOCK]; /* points whose windows may reach into the slab */
} point_block;

/* Make the list of n points: those near the slab, and if the border takes elements, those near an end or outside. */
static int find_near(point_block *p, const tess__spread_points_run *run, int n)
{
    const int     slab = 3 - run->row.dims, border = run->target.border;
    const bool    takes = border != TESS_BORDER_ZERO && border != TESS_BORDER_VALUE;
    const double *c = p->c[slab], low = (double)(run->first - TAPS), high = (double)(run->last + TAPS);
    const double  begin = takes ? TAPS : -INFINITY, end = takes ? (double)(run->target.shape[slab] - TAPS) : INFINITY;
    int           count = 0;
    for (int j = 0; j < n; j++) {
        p->list[count] = j;
        count += ((c[j] >= low) & (c[j] <= high)) | (c[j] < begin) | (c[j] > end);
    }
    return count;
}

#define T float
#define SUFFIX f32
#include "cpu/geometry/sampling/spread_points.c.inc"

#define T double
#define SUFFIX f64
#include "cpu/geometry/sampling/spread_points.c.inc"

void TESS__FILL_KERNELS(geometry, spread_points)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, spread_points)(tess__geometry_kernels *kernels)
{
    kernels->spread_points[0] = spread_points_f32;
    kernels->spread_points[1] = spread_points_f64;
}
