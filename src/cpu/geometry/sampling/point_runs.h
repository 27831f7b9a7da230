/* Rows of points: what samples at them and sums of values at them are made of. */
#ifndef TESS_CPU_GEOMETRY_SAMPLING_POINT_RUNS_H
#define TESS_CPU_GEOMETRY_SAMPLING_POINT_RUNS_H

#include <stdbool.h>

#include "cpu/geometry/sampling/sample_line.h"

/* Points of a row: number k of point i, along axis 3 - dims + k, is at i step + k part. */
typedef struct tess__point_row {
    const void *points;
    int64_t     step, part;
    int         dims;
    bool        wide; /* f64, otherwise f32 */
} tess__point_row;

typedef struct tess__sample_points_run {
    tess__transform_line line; /* `row` is not used */
    tess__point_row      row;
    int                  cut;
} tess__sample_points_run;

/* Values of a row of points, which are added to the elements from first to last - 1 along axis 3 - dims. */
typedef struct tess__spread_points_run {
    tess__point_row        row;
    tess__transform_source target; /* data: what is added to */
    const void            *in;
    int64_t                stride;      /* of `in`, in elements */
    int64_t                first, last; /* of the slab */
    int                    parts, method, cut;
} tess__spread_points_run;

/* n numbers a stride apart, where the strides of contiguous points are constants. */
#define TESS__LOAD_NUMBERS(c, from, step, n)                                                                           \
    do {                                                                                                               \
        if ((step) == 2)                                                                                               \
            for (int64_t j_ = 0; j_ < (n); j_++) (c)[j_] = (double)(from)[j_ * 2];                                     \
        else if ((step) == 3)                                                                                          \
            for (int64_t j_ = 0; j_ < (n); j_++) (c)[j_] = (double)(from)[j_ * 3];                                     \
        else                                                                                                           \
            for (int64_t j_ = 0; j_ < (n); j_++) (c)[j_] = (double)(from)[j_ * (step)];                                \
    } while (0)

/* The coordinates along one axis of n points from `first` on. */
static inline void tess__point_load(double *restrict c, const tess__point_row *row, int k, int64_t first, int n)
{
    const int64_t step = row->step, at = first * step + k * row->part;
    if (row->wide) {
        const double *from = (const double *)row->points + at;
        TESS__LOAD_NUMBERS(c, from, step, n);
    } else {
        const float *from = (const float *)row->points + at;
        TESS__LOAD_NUMBERS(c, from, step, n);
    }
}

#endif
