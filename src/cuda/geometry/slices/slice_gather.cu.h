/* Kernel that gathers slices: a coefficient of the output a thread, from slices that a block holds some at a time.
 *
 * The program defines WIDE: reals are f64, METHOD: a tess_interp, and FLAGS: 1 of weights that the output has, 2 of
 * weights that slices have. */
#include "cuda/geometry/reals.cu.h"
#include "cuda/geometry/slices/slice_gather_params.h"
#include "cuda/jit/grid.cu.h"

enum { THREADS = TESS__GPU_GATHER_THREADS, HELD = TESS__GPU_GATHER_SLICES };

__shared__ tess__slice_inverse held[HELD];

/* The sums of a coefficient. */
struct sums {
    real re, im, weight;
};

/* Where the output at a position lies; false beyond the cutoff. */
static __device__ bool frequency_of(double f[3], const tess__gpu_slice_gather &p, const int64_t at[4])
{
    const double  one[3] = { 1.0, 1.0, 1.0 }, as_it_is[9] = { 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 };
    const double *rotation = p.out_rotations ? (const double *)p.out_rotations + at[0] * p.out_rotation_step : as_it_is;
    const double *scale = p.out_unscales ? (const double *)p.out_unscales + at[0] * p.out_unscale_step : 0;
    const tess__slice_frame frame = tess__slice_frame_of(rotation, scale, p.out_curve);
    double                  q[3];
    for (int k = 0; k < 3; k++)
        q[k] = (double)tess__frequency_at(p.out_order[k], p.out_n[k], at[k + 1]) / p.out_size[k];
    return tess__slice_to_volume(f, &frame, q, one, p.cutoff);
}

static __device__ void add_slice(sums &s, const tess__gpu_slice_gather &p, const tess__slice_inverse &inverse,
                                 const double f[3], int64_t b)
{
    double       c[3];
    const double z = tess__slice_from_volume(c, &inverse, f, p.from.n);
    if (!(__builtin_fabs(z) < p.window) || !tess__slice_has(c, p.from.n)) return;
    const real w = (real)tess__slice_window(z, 1.0 / p.sinc, 1.0 / p.window);
    real       v[2] = { 0, 0 }, weight = 1;
    TYPED(tess__spectrum_at)(v, (const real *)p.slices.data + 2 * b * p.slices.stride[0], &p.from, 2, 2, METHOD, c);
#if FLAGS & 2
    TYPED(tess__spectrum_at)
    (&weight, (const real *)p.slice_weights.data + b * p.slice_weights.stride[0], &p.from_weights, 2, 1, METHOD, c);
#endif
    s.re = FMA(w, v[0], s.re);
    s.im = FMA(w, v[1], s.im);
    s.weight = FMA(w, weight, s.weight);
}

TESS_KERNEL(THREADS, tess__gpu_slice_gather, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t       at[4];
    double        f[3];
    grid_position(at, p.grid, item < p.grid.n ? item : 0);
    const bool is_there = item < p.grid.n, is_inside = is_there && frequency_of(f, p, at);
    real      *v = (real *)p.out.data + 2 * grid_offset(p.out.stride, at);
    sums       s = {};
    s.re = v[0];
    s.im = v[1];
#if FLAGS & 1
    real *weights = (real *)p.out_weights.data + grid_offset(p.out_weights.stride, at);
    s.weight = *weights;
#endif
    for (int64_t first = 0; first < p.n; first += HELD) {
        const int     n = p.n - first < HELD ? (int)(p.n - first) : HELD;
        const int64_t b = first + threadIdx.x;
        __syncthreads();
        if ((int)threadIdx.x < n)
            held[threadIdx.x] =
                tess__slice_inverse_of((const double *)p.inverses + b * p.inverse_step,
                                       p.scales ? (const double *)p.scales + b * p.scale_step : 0, p.curve);
        __syncthreads();
        for (int i = 0; i < n && is_inside; i++) add_slice(s, p, held[i], f, first + i);
    }
    if (!is_there) return;
    const real size = s.weight < 0 ? -s.weight : s.weight, divisor = p.divide && size > 1 ? size : (real)1;
    v[0] = s.re / divisor;
    v[1] = s.im / divisor;
#if FLAGS & 1
    *weights = s.weight;
#endif
}
