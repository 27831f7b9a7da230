/* Polar transforms and rotational averages: what their operations share. */
#ifndef TESS_OPS_GEOMETRY_SAMPLING_POLAR_H
#define TESS_OPS_GEOMETRY_SAMPLING_POLAR_H

#include "backend.h"
#include "ops/geometry/sampling/transform.h"
#include "tessera/polar.h"

/* Samples a unit: from start to stop in n samples, the last one at stop where there is an endpoint. */
static inline double tess__resample_step(double start, double stop, int64_t n, bool endpoint)
{
    const int64_t steps = endpoint ? n - 1 : n;
    return (stop - start) / (double)(steps > 1 ? steps : 1);
}

/* The frequencies of an axis of n samples, cycles per pixel: start + k span / count. */
typedef struct tess__resample_cycles {
    double start, span, count;
} tess__resample_cycles;

/* Those of a spectrum whose range is given as to filters; a stop of 0 is the highest frequency of n. */
static inline tess__resample_cycles tess__resample_cycles_of(int64_t n, double start, double stop, bool no_endpoint)
{
    if (n <= 1 || (start == 0 && stop == 0 && !no_endpoint))
        return (tess__resample_cycles){ .span = 1, .count = (double)(n > 0 ? n : 1) };
    const double last = stop == 0 ? (double)(n / 2) / (double)n : stop;
    return (tess__resample_cycles){ .start = start, .span = last - start, .count = (double)(n / 2 + no_endpoint) };
}

/* A range: finite numbers, 0 or more, in increasing order. `names` are those of start and stop. */
tess_status tess__check_radii(const char *fn, const char *const names[2], double start, double stop);

/* Run a request whose grid, source and interp are set, and `out`, of tess__transform_dtype: `in` is converted if need
 * be. */
tess_status tess__resample_submit(tess__resample_2d *work, const tess_array *out, const tess_array *in);

#endif
