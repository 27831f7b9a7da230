/* How far the functions are from the exact results. */
#ifndef TESS_MATH_MEASURE_H
#define TESS_MATH_MEASURE_H

#include <stdbool.h>
#include <stdint.h>

/* The largest error of a function that was met, in ulp, where, and a result that was out of bounds. */
typedef struct measure_worst {
    double   error, x, y, got;
    uint64_t n; /* arguments tried */
    bool     outside;
    double   outside_x, outside_y, outside_got;
} measure_worst;

/* What to try: the hard arguments and `random` random ones, or each float there is. Of those, errors up to 0.5 ulp are
 * not told apart. */
typedef struct measure_plan {
    uint64_t random;
    bool     every_float;
} measure_plan;

void measure_begin(void);
void measure_end(void);

void measure_f32(measure_worst *worst, int fn, measure_plan plan);
void measure_f64(measure_worst *worst, int fn, measure_plan plan);

#endif
