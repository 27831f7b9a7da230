/* Intersections of a line of pixels with balls, cylinders and slabs: roots of a quadratic, and of linear equations. */
#include "cpu/geometry/draw/draw_ranges.h"

#include <math.h>

#include "core/minmax.h"

/* Relative margin: far more than the rounding of coordinates, and far less than a pixel. */
#define SLACK 1e-9

typedef struct interval {
    double low, high;
} interval;

static const interval everything = { -INFINITY, INFINITY }, nothing = { INFINITY, -INFINITY };

static interval both(interval a, interval b)
{
    return (interval){ a.low > b.low ? a.low : b.low, a.high < b.high ? a.high : b.high };
}

/* Where |start + w step|, of n coordinates, is at most `radius`. */
static interval ball(const double *start, const double *step, int n, double radius)
{
    double a = 0, b = 0, q = 0;
    for (int k = 0; k < n; k++) {
        a += step[k] * step[k];
        b += start[k] * step[k];
    }
    const double at = a > 0 ? -b / a : 0;
    for (int k = 0; k < n; k++) {
        const double nearest = start[k] + at * step[k];
        q += nearest * nearest;
    }
    if (radius < 0 || q > radius * radius) return nothing;
    if (!(a > 0)) return everything;
    const double half = sqrt((radius * radius - q) / a);
    return (interval){ at - half, at + half };
}

static interval slab(double start, double step, double radius) { return ball(&start, &step, 1, radius); }

/* The largest coordinate, by magnitude, that occurs in a row. */
static double reach(const tess__shape_row *row, tess__draw_range within)
{
    double most = 0;
    for (int k = 0; k < 3; k++) {
        const double a = fabs(row->start[k] + row->step[k] * (double)within.first);
        const double b = fabs(row->start[k] + row->step[k] * (double)within.last);
        most = fmax(most, fmax(fabs(row->start[k]), fmax(a, b)));
    }
    return most;
}

/* Of ellipsoids: the surface, and that of the edge, which lies within one of larger radii, and within a ball. */
static interval ellipsoid(const tess__shape_row *row, double width, double slack)
{
    const double *size = row->size;
    const double  least = fmin(size[0], fmin(size[1], size[2])), most = fmax(size[0], fmax(size[1], size[2]));
    double        start[3], step[3];
    for (int k = 0; k < 3; k++) {
        start[k] = row->start[k] / size[k];
        step[k] = row->step[k] / size[k];
    }
    const interval inner = ball(start, step, 3, 1 + (width + slack) / least);
    return width > 0 ? both(inner, ball(row->start, row->step, 3, most + width + slack)) : inner;
}

/* A shape grown by `width`, and by a slack that may be negative. */
static interval grown(const tess__shape_row *row, double width, double slack)
{
    const double *size = row->size, *p = row->start, *v = row->step, more = width + slack;
    switch (row->spec->kind) {
    case TESS__DRAW_SPHERE: return ball(p, v, 3, size[0] + more);
    case TESS__DRAW_ELLIPSOID: return ellipsoid(row, width, slack);
    case TESS__DRAW_CUBOID:
        return both(slab(p[0], v[0], size[0] + more),
                    both(slab(p[1], v[1], size[1] + more), slab(p[2], v[2], size[2] + more)));
    case TESS__DRAW_CYLINDER: return both(slab(p[0], v[0], size[1] + more), ball(p + 1, v + 1, 2, size[0] + more));
    case TESS__DRAW_TORUS:
        return both(slab(p[0], v[0], size[1] + more), ball(p + 1, v + 1, 2, size[0] + size[1] + more));
    default: return both(slab(p[0], v[0], size[1] + size[0] + more), ball(p + 1, v + 1, 2, size[0] + more));
    }
}

/* What lies inside for certain. Tori have a hole, and capsules are their cylinders here. */
static interval core(const tess__shape_row *row, double slack)
{
    const double *size = row->size, *p = row->start, *v = row->step;
    if (row->spec->kind == TESS__DRAW_TORUS) return nothing;
    if (row->spec->kind == TESS__DRAW_CAPSULE)
        return both(slab(p[0], v[0], size[1] - slack), ball(p + 1, v + 1, 2, size[0] - slack));
    return grown(row, 0, -slack);
}

static tess__draw_range clipped(interval i, tess__draw_range within)
{
    const double low = ceil(i.low), high = floor(i.high);
    if (!(low <= high)) return (tess__draw_range){ within.first, within.first };
    const int64_t first = low > (double)within.first ? (int64_t)fmin(low, (double)within.last) : within.first;
    const int64_t last = high < (double)within.last ? (int64_t)fmax(high + 1, (double)within.first) : within.last;
    return (tess__draw_range){ first, tess__max(first, last) };
}

void tess__draw_ranges(tess__draw_range *support, tess__draw_range *inside, const tess__shape_row *row,
                       tess__draw_range within)
{
    const double *size = row->size, scale = reach(row, within) + size[0] + size[1] + size[2] + row->spec->width;
    *support = clipped(grown(row, row->spec->width, SLACK * scale), within);
    *inside = clipped(core(row, SLACK * scale), *support);
    if (isfinite(scale)) return;
    *support = within;
    *inside = (tess__draw_range){ within.first, within.first };
}
