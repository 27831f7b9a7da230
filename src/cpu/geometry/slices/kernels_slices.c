/* Turned spectra, row by row, and slices spread into volumes. Built once per instruction set. */
#include <math.h>
#include <stdbool.h>

#include "cpu/geometry/kernels.h"
#include "cpu/geometry/slices/slices.h"
#include "cpu/template.h"

#if defined(__AVX2__) && defined(__FMA__)
#define LINEAR_VECTORS 1
#include <immintrin.h>
#include <string.h>
#include "cpu/geometry/sampling/linear_x86.c.inc"
#else
#define LINEAR_VECTORS 0
#endif

/* Is a slice too far from all frequencies of a row from one to another? Without curvature the distance is linear. */
static bool tess__gather_misses(const tess__slice_gather *work, const tess__slice_inverse *s, const double from[3],
                                const double to[3])
{
    double       c[3];
    const double near = work->window * (1 + 1e-9);
    if (work->curve[0] != 0 || work->curve[1] != 0 || work->out_curve[0] != 0 || work->out_curve[1] != 0) return false;
    const double a = tess__slice_from_volume(c, s, from, work->slice_n);
    const double b = tess__slice_from_volume(c, s, to, work->slice_n);
    return (a > near && b > near) || (a < -near && b < -near);
}

#define T float
#define SUFFIX f32
#define FMA __builtin_fmaf
#define VECTORS LINEAR_VECTORS
#include "cpu/geometry/slices/cell_coordinates.c.inc"
#include "cpu/geometry/slices/spectrum_sample.c.inc"
#include "cpu/geometry/slices/slice_spread.c.inc"
#include "cpu/geometry/slices/slice_gather.c.inc"
#undef T
#undef SUFFIX
#undef FMA
#undef VECTORS

#define T double
#define SUFFIX f64
#define FMA __builtin_fma
#define VECTORS 0
#include "cpu/geometry/slices/cell_coordinates.c.inc"
#include "cpu/geometry/slices/spectrum_sample.c.inc"
#include "cpu/geometry/slices/slice_spread.c.inc"
#include "cpu/geometry/slices/slice_gather.c.inc"
#undef T
#undef SUFFIX
#undef FMA
#undef VECTORS

void TESS__FILL_KERNELS(geometry, slices)(tess__geometry_kernels *kernels);

void TESS__FILL_KERNELS(geometry, slices)(tess__geometry_kernels *kernels)
{
    kernels->sample[0] = sample_real_f32;
    kernels->sample[1] = sample_real_f64;
    kernels->sample[2] = sample_complex_f32;
    kernels->sample[3] = sample_complex_f64;
    kernels->sample_linear[0] = sample_linear_real_f32;
    kernels->sample_linear[1] = sample_linear_real_f64;
    kernels->sample_linear[2] = sample_linear_complex_f32;
    kernels->sample_linear[3] = sample_linear_complex_f64;
    kernels->spread[0] = spread_f32;
    kernels->spread[1] = spread_f64;
    kernels->spread_queued[0] = spread_queued_f32;
    kernels->spread_queued[1] = spread_queued_f64;
    kernels->gather[0] = gather_f32;
    kernels->gather[1] = gather_f64;
}
