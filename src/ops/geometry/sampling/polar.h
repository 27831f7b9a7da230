/* Polar transforms and rotational averages: what their operations share. */
#ifndef TESS_OPS_GEOMETRY_SAMPLING_POLAR_H
#define TESS_OPS_GEOMETRY_SAMPLING_POLAR_H

#include "core/check/outputs.h"
#include "backend.h"
#include "ops/geometry/sampling/transform.h"
#include "tessera/polar.h"

/* Samples a unit: from start to stop in n samples, the last one at stop where there is an endpoint. */
static inline double tess__polar_step(double start, double stop, int64_t n, bool endpoint)
{
    const int64_t steps = endpoint ? n - 1 : n;
    return (stop - start) / (double)(steps > 1 ? steps : 1);
}

/* The frequencies of an axis of n samples, cycles per pixel: start + k span / count. */
typedef struct tess__polar_cycles {
    double start, span, count;
} tess__polar_cycles;

/* Those of a spectrum whose range is given as to filters; a stop of 0 is the highest frequency of n. */
static inline tess__polar_cycles tess__polar_cycles_of(int64_t n, double start, double stop, bool no_endpoint)
{
    if (n <= 1 || (start == 0 && stop == 0 && !no_endpoint))
        return (tess__polar_cycles){ .span = 1, .count = (double)(n > 0 ? n : 1) };
    const double last = stop == 0 ? (double)(n / 2) / (double)n : stop;
    return (tess__polar_cycles){ .start = start, .span = last - start, .count = (double)(n / 2 + no_endpoint) };
}

/* A range: finite numbers, 0 or more, in increasing order. `names` are those of start and stop. */
tess_status tess__check_radii(const char *fn, const char *const names[2], double start, double stop);

/* Run a request whose grid, source and interp are set, and `out`, of tess__transform_dtype: `in` is converted if need
 * be. */
tess_status tess__polar_submit(tess__polar *work, const tess_array *out, const tess_array *in);

/* Rows of CTFs: {1 or b,1,1 or h,m}, m from TESS_CTF_MIN_COLUMNS to TESS_CTF_COLUMNS, where `in` is or on the host. */
tess_status tess__check_ctf_rows(const char *fn, const char *arg, const tess_array *rows, const tess_array *in,
                                 int64_t h);

/* The same as f64 on a device, with all columns, those that are not given 0; `ctfs` is zeroed. */
tess_status tess__take_ctf_rows(tess_array *ctfs, const char *fn, const tess_array *rows, tess_device device);

/* How sums become results. */
typedef struct tess__rings_end {
    tess_array *out, *weights; /* weights NULL: none are wanted */
    bool        sum, add;
} tess__rings_end;

/* Check the output and the weights, {b,1,1,n}, of a function whose result is of this dtype, and allocate what is empty:
 * with `add` they hold sums. `all` has further inputs that they may not overlap. */
tess_status tess__rings_outputs(tess__outputs *all, const tess__rings_end *end, const tess_array *in, int64_t n,
                                tess_dtype result);

/* Run a request of which all is set but `out` and the chunks of its grid, and write the results; `in` may be empty. */
tess_status tess__rings_submit(tess__rings *work, const tess__rings_end *end);

#endif
