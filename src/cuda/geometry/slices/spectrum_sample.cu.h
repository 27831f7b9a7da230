/* Kernel of spectra sampled at turned frequencies: a coefficient a thread.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, DIMS: 2 or 3, METHOD: a tess_interp, and
 * FLAGS: 1 of a window along z, 2 of shifts, 4 of sums over several rotations. */
#include "cuda/geometry/reals.cu.h"
#include "cuda/geometry/slices/spectrum_sample_params.h"
#include "cuda/jit/grid.cu.h"

enum { THREADS = TESS__GPU_SAMPLE_THREADS };

static __device__ void value_at(real *z, const tess__gpu_spectrum_sample &p, const real *in, double c[3])
{
#if FLAGS & 1
    const double centre = c[0];
    real         one[2] = { 0, 0 };
    for (int j = -p.window; j <= p.window; j++) {
        const real w = (real)p.weights[j < 0 ? -j : j];
        c[0] = centre + (double)j;
        TYPED(tess__spectrum_at)(one, in, &p.from, 3, PARTS, METHOD, c);
        for (int part = 0; part < PARTS; part++) z[part] = FMA(w, one[part], z[part]);
    }
#else
    TYPED(tess__spectrum_at)(z, in, &p.from, DIMS, PARTS, METHOD, c);
#endif
}

static __device__ void move(real *z, const double *shift, const double q[3])
{
    double turn[2];
    tess__slice_phase(turn, __builtin_fma(shift[2], q[2], __builtin_fma(shift[1], q[1], shift[0] * q[0])));
    const real re = (real)turn[0], im = (real)turn[1], x = z[0], y = z[1];
    z[0] = FMA(x, re, -(y * im));
    z[1] = FMA(x, im, y * re);
}

/* The value at frequency q, for the rotations of a batch; false, and 0, beyond the cutoff. */
static __device__ bool value_of(real *z, const tess__gpu_spectrum_sample &p, const int64_t at[4], const double q[3])
{
    const real   *in = (const real *)p.in + at[0] * p.in_batch * PARTS;
    const double *scales = p.scales ? (const double *)p.scales + at[0] * p.scale_step : 0;
    const double *rotations = (const double *)p.rotations + at[0] * p.rotation_step;
    double        c[3];
#if FLAGS & 4
    double sum[2] = { 0, 0 };
    for (int64_t i = 0; i < p.terms; i++) {
        const tess__slice_frame frame = tess__slice_frame_of(rotations + 9 * i, scales, p.curve);
        real                    one[2] = { 0, 0 };
        if (!tess__slice_to_volume(c, &frame, q, p.target, p.cutoff)) return false;
        value_at(one, p, in, c);
        for (int part = 0; part < PARTS; part++) sum[part] += (double)one[part];
    }
    for (int part = 0; part < PARTS; part++) z[part] = (real)(sum[part] / p.divisor);
#else
    const tess__slice_frame frame = tess__slice_frame_of(rotations, scales, p.curve);
    if (!tess__slice_to_volume(c, &frame, q, p.target, p.cutoff)) return false;
    value_at(z, p, in, c);
#endif
    return true;
}

TESS_KERNEL(THREADS, tess__gpu_spectrum_sample, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (item >= p.grid.n) return;
    int64_t at[4];
    grid_position(at, p.grid, item);
    double q[3];
    for (int k = 0; k < 3; k++) q[k] = (double)tess__frequency_at(p.order[k], p.n[k], at[k + 1]) / (double)p.n[k];
    real       z[2] = { 0, 0 };
    const bool inside = value_of(z, p, at, q);
#if FLAGS & 2
    if (inside) move(z, (const double *)p.shifts + at[0] * p.shift_step, q);
#else
    (void)inside;
#endif
    real *out = (real *)p.out.data + grid_offset(p.out.stride, at) * PARTS;
    for (int part = 0; part < PARTS; part++) out[part] = z[part];
}
