/* Kernel that spreads slices into a volume: each thread gathers the sum of one coefficient of the volume, so nothing is
 * added by two.
 *
 * For each slice the place of the coefficient in it is found by the inverse rotation; the few coefficients of the slice
 * that may reach it are asked, by the same arithmetic that spreads on the CPU, in the same order. At frequencies n/2,
 * which are also -n/2, the slice is asked at both places, one after the other.
 *
 * The program defines WIDE: reals are f64, and FLAGS: 1 of weights. */
#include "cuda/geometry/reals.cu.h"
#include "cuda/geometry/slice_spread_params.h"
#include "cuda/jit/grid.cu.h"

enum { THREADS = TESS__GPU_SPREAD_THREADS, HELD = TESS__GPU_SPREAD_SLICES };

/* Where a slice lies, and how far around a place of it coefficients reach. */
struct held_slice {
    tess__slice_frame frame;
    double            inverse[9], scale[4];
    double            reach[3]; /* across the slice, cycles per pixel; along y and x, samples */
    double            plane[2]; /* along y and x, cycles per pixel without scaling */
};

__shared__ held_slice held[HELD];

static __device__ void hold(held_slice &s, const tess__gpu_slice_spread &p, int64_t b)
{
    const double *scales = p.scales ? (const double *)p.scales + b * p.scale_step : 0;
    const double *unscales = p.scales ? (const double *)p.unscales + b * p.scale_step : 0;
    s.frame = tess__slice_frame_of((const double *)p.rotations + b * p.rotation_step, unscales, p.curve);
    double reach[3];
    for (int i = 0; i < 3; i++) {
        reach[i] = 1e-6;
        for (int j = 0; j < 3; j++) {
            s.inverse[3 * i + j] = ((const double *)p.inverses)[b * p.rotation_step + 3 * i + j];
            reach[i] += __builtin_fabs(s.inverse[3 * i + j]) / p.target[j];
        }
    }
    for (int i = 0; i < 4; i++) s.scale[i] = scales ? scales[i] : i == 0 || i == 3 ? 1.0 : 0.0;
    s.plane[0] = reach[1];
    s.plane[1] = reach[2];
    s.reach[0] = reach[0];
    for (int i = 0; i < 2; i++)
        s.reach[1 + i] = (__builtin_fabs(s.scale[2 * i]) * reach[1] + __builtin_fabs(s.scale[2 * i + 1]) * reach[2]) *
                         (double)p.slice_n[1 + i];
}

/* A coefficient of the volume: its frequency, and its sums. */
struct gathered {
    int64_t k[3];
    real    re, im, weight;
};

/* Coefficient (y, x) of slice b, on a side, if it reaches this one. */
static __device__ void ask(gathered &g, const tess__gpu_slice_spread &p, const held_slice &s, int64_t b, int64_t y,
                           int64_t x, int side)
{
    const double q[3] = { 0.0, (double)y / (double)p.slice_n[1], (double)x / (double)p.slice_n[2] };
    double       c[3];
    if (!tess__slice_to_volume(c, &s.frame, q, p.target, p.cutoff)) return;
    const tess__spread_cell cell = tess__spread_cell_of(c, side);
    real                    w[3][2];
    int64_t                 at[3];
    for (int k = 0; k < 3; k++) {
        at[k] = g.k[k] - cell.first[k];
        if (at[k] < 0 || at[k] > 1) return;
        TYPED(tess__spread_weights)(w[k], cell.t[k]);
    }
    const real    share = (real)tess__spread_share(x, p.slice_n[2]), weight = w[0][at[0]] * w[1][at[1]] * w[2][at[2]];
    const int64_t i = tess__frequency_index(p.slice_order[1], p.slice_n[1], y);
    const int64_t j = tess__frequency_index(p.slice_order[2], p.slice_n[2], x);
    const real   *v =
        (const real *)p.slices.data + 2 * (b * p.slices.stride[0] + i * p.slices.stride[2] + j * p.slices.stride[3]);
    g.re = FMA(weight, share * v[0], g.re);
    g.im = FMA(weight, share * (side < 0 ? -v[1] : v[1]), g.im);
#if FLAGS & 1
    const tess__gpu_array &a = p.slice_weights;
    const real own = a.data ? ((const real *)a.data)[b * a.stride[0] + i * a.stride[2] + j * a.stride[3]] : (real)1;
    g.weight = FMA(weight, share * own, g.weight);
#endif
}

/* All coefficients of a slice that may reach this one. */
static __device__ void add_slice(gathered &g, const tess__gpu_slice_spread &p, const held_slice &s, int64_t b, int side)
{
    double f[3], at[3];
    for (int k = 0; k < 3; k++) f[k] = (double)(side * g.k[k]) / p.target[k];
    for (int k = 0; k < 3; k++) at[k] = tess__slice_turned(s.inverse, k, f);
    const double gy = at[1], gx = at[2], dy = s.plane[0], dx = s.plane[1];
    const double curve = p.curve[0] * gy * gy + p.curve[1] * gx * gx;
    const double slack = 2.0 * __builtin_fabs(p.curve[0]) * (__builtin_fabs(gy) + dy) * dy +
                         2.0 * __builtin_fabs(p.curve[1]) * (__builtin_fabs(gx) + dx) * dx;
    if (!(__builtin_fabs(at[0] - curve) <= s.reach[0] + slack)) return;
    const double  y = (s.scale[0] * gy + s.scale[1] * gx) * (double)p.slice_n[1];
    const double  x = (s.scale[2] * gy + s.scale[3] * gx) * (double)p.slice_n[2];
    const int64_t h = p.slice_n[1], w = p.slice_n[2];
    const double  y0 = __builtin_ceil(y - s.reach[1]), y1 = __builtin_floor(y + s.reach[1]);
    const double  x0 = __builtin_ceil(x - s.reach[2]), x1 = __builtin_floor(x + s.reach[2]);
    const int64_t bottom = (int64_t)__builtin_fmax(y0, (double)-(h / 2));
    const int64_t top = (int64_t)__builtin_fmin(y1, (double)(h - h / 2 - 1));
    const int64_t left = (int64_t)__builtin_fmax(x0, 0.0), right = (int64_t)__builtin_fmin(x1, (double)(w / 2));
    for (int64_t i = bottom; i <= top; i++)
        for (int64_t j = left; j <= right; j++) ask(g, p, s, b, i, j, side);
}

/* The same at each frequency that the coefficient stands for. */
static __device__ void add_places(gathered &g, const tess__gpu_slice_spread &p, const held_slice &s, int64_t b,
                                  int side)
{
    const int64_t k[3] = { g.k[0], g.k[1], g.k[2] };
    for (int place = 0; place < 8; place++) {
        bool is_one = true;
        for (int d = 0; d < 3; d++) {
            const bool other = place >> d & 1,
                       nyquist = p.places.n[d] > 1 && 2 * (k[d] < 0 ? -k[d] : k[d]) == p.places.n[d];
            is_one = is_one && (nyquist || !other);
            g.k[d] = other ? -k[d] : k[d];
        }
        if (is_one) add_slice(g, p, s, b, side);
    }
    for (int d = 0; d < 3; d++) g.k[d] = k[d];
}

TESS_KERNEL(THREADS, tess__gpu_slice_spread, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const bool    is_there = item < p.grid.n;
    int64_t       at[4];
    gathered      g = {};
    grid_position(at, p.grid, is_there ? item : 0);
    for (int k = 0; k < 3; k++) g.k[k] = tess__frequency_at(p.places.order[k], p.places.n[k], at[k + 1]);
    real *v = (real *)p.volume.data + 2 * grid_offset(p.volume.stride, at);
    g.re = v[0];
    g.im = v[1];
#if FLAGS & 1
    real *weight = (real *)p.weights.data + grid_offset(p.weights.stride, at);
    g.weight = *weight;
#endif
    for (int64_t first = 0; first < p.n; first += HELD) {
        const int n = p.n - first < HELD ? (int)(p.n - first) : HELD;
        __syncthreads();
        if ((int)threadIdx.x < n) hold(held[threadIdx.x], p, first + threadIdx.x);
        __syncthreads();
        if (!is_there) continue;
        for (int i = 0; i < n; i++) {
            add_places(g, p, held[i], first + i, 1);
            add_places(g, p, held[i], first + i, -1);
        }
    }
    if (!is_there) return;
    v[0] = g.re;
    v[1] = g.im;
#if FLAGS & 1
    *weight = g.weight;
#endif
}
