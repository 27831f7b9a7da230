/* Kernel that spreads slices into a volume: each thread gathers the sum of one coefficient of the volume, so nothing is
 * added by two.
 *
 * A block has a tile of the volume. Its threads first choose the slices that pass through the tile, one each; a plane
 * misses most tiles. For each slice that is left the place of the coefficient in it is found by the inverse rotation;
 * the few coefficients of the slice that may reach it are asked, by the same arithmetic that spreads on the CPU, in the
 * same order. At frequencies n/2, which are also -n/2, the slice is asked at both places, one after the other.
 *
 * The program defines WIDE: reals are f64, and FLAGS: 1 of weights. */
#include "cuda/geometry/reals.cu.h"
#include "cuda/geometry/slices/slice_spread_params.h"
#include "cuda/jit/grid.cu.h"

enum {
    DEPTH = TESS__GPU_SPREAD_DEPTH,
    HEIGHT = TESS__GPU_SPREAD_HEIGHT,
    WIDTH = TESS__GPU_SPREAD_WIDTH,
    THREADS = TESS__GPU_SPREAD_THREADS,
    WARPS = THREADS / 32,
    HELD = 32 /* slices at a time */
};

/* ---- Slices that pass through a tile ---- */

/* The middle of the frequencies of a tile, and how far they are from it, along z, y and x in cycles per pixel. */
struct extent {
    double middle[3], half[3];
};

static __device__ bool is_nyquist(int64_t k, int64_t n) { return n > 1 && 2 * (k < 0 ? -k : k) == n; }

/* Of indices first to first + size - 1 along an axis. Frequency n/2 is -n/2 too. */
static __device__ void measure_axis(extent &e, const tess__gpu_slice_spread &p, int axis, int64_t first, int size)
{
    const int64_t n = p.places.n[axis], length = p.volume_size[axis];
    int64_t       least = n, most = -n;
    for (int64_t i = first; i < first + size && i < length; i++) {
        const int64_t k = tess__frequency_at(p.places.order[axis], n, i), far = k < 0 ? -k : k;
        least = is_nyquist(k, n) ? -far : k < least ? k : least;
        most = is_nyquist(k, n) ? far : k > most ? k : most;
    }
    e.middle[axis] = 0.5 * (double)(least + most) / p.target[axis];
    e.half[axis] = 0.5 * (double)(most - least) / p.target[axis];
}

/* Can coefficients of slice b reach a tile, at these frequencies or at their negatives? */
static __device__ bool may_reach(const extent &e, const tess__gpu_slice_spread &p, int64_t b)
{
    const double *inverse = (const double *)p.inverses + b * p.rotation_step;
    double        at[3], far[3], nearest = 0.0;
    for (int i = 0; i < 3; i++) {
        at[i] = tess__slice_turned(inverse, i, e.middle);
        far[i] = 1e-6;
        for (int j = 0; j < 3; j++) far[i] += __builtin_fabs(inverse[3 * i + j]) * (e.half[j] + 1.0 / p.target[j]);
        const double least = __builtin_fmax(__builtin_fabs(at[i]) - far[i], 0.0);
        nearest += least * least;
    }
    double curve = 0.0, slack = 0.0;
    for (int i = 0; i < 2; i++) {
        curve += p.curve[i] * at[1 + i] * at[1 + i];
        slack += 2.0 * __builtin_fabs(p.curve[i]) * (__builtin_fabs(at[1 + i]) + far[1 + i]) * far[1 + i];
    }
    const double distance =
        __builtin_fmin(__builtin_fabs(at[0] - curve), __builtin_fabs(-at[0] - curve)); /* of both sides */
    return nearest <= p.cutoff * p.cutoff * (1.0 + 1e-9) && distance <= far[0] + slack;
}

__shared__ uint32_t found[WARPS];
__shared__ int      chosen[THREADS];

/* Which of the THREADS slices from `first` on a tile needs, in their order; returns how many. All threads call it. */
static __device__ int choose(const extent &e, const tess__gpu_slice_spread &p, int64_t first)
{
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int64_t  b = first + threadIdx.x;
    const bool     is_one = b < p.n && may_reach(e, p, b);
    const uint32_t all = __ballot_sync(0xffffffffu, is_one);
    __syncthreads();
    if (lane == 0) found[warp] = all;
    __syncthreads();
    int before = 0, n = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        const int count = (int)__popc(found[w]);
        if (w < warp) before += count;
        n += count;
    }
    if (is_one) chosen[before + (int)__popc(all & ((1u << lane) - 1u))] = (int)threadIdx.x;
    __syncthreads();
    return n;
}

/* ---- One slice ---- */

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

/* A coefficient of the volume: its frequency, in samples and in cycles per pixel, and its sums. */
struct gathered {
    int64_t k[3];
    double  f[3];
    bool    is_folded; /* n/2 along an axis, and -n/2 too */
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
    double at[3];
    for (int k = 0; k < 3; k++) at[k] = (double)side * tess__slice_turned(s.inverse, k, g.f);
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

/* The same at each frequency that a folded coefficient stands for. */
static __device__ void add_folded(gathered &g, const tess__gpu_slice_spread &p, const held_slice &s, int64_t b,
                                  int side)
{
    for (int place = 0; place < 8; place++) {
        gathered there = g;
        bool     is_one = true;
        for (int d = 0; d < 3; d++) {
            if (!(place >> d & 1)) continue;
            is_one = is_one && is_nyquist(g.k[d], p.places.n[d]);
            there.k[d] = -g.k[d];
            there.f[d] = -g.f[d];
        }
        if (!is_one) continue;
        add_slice(there, p, s, b, side);
        g.re = there.re;
        g.im = there.im;
        g.weight = there.weight;
    }
}

static __device__ void add_sides(gathered &g, const tess__gpu_slice_spread &p, const held_slice &s, int64_t b)
{
    for (int side = 1; side >= -1; side -= 2) {
        if (g.is_folded) add_folded(g, p, s, b, side);
        else add_slice(g, p, s, b, side);
    }
}

/* The slices that were chosen among those from `first` on. All threads call it. */
static __device__ void add_chosen(gathered &g, const tess__gpu_slice_spread &p, int64_t first, int n, bool is_there)
{
    for (int done = 0; done < n; done += HELD) {
        const int some = n - done < HELD ? n - done : HELD;
        if ((int)threadIdx.x < some) hold(held[threadIdx.x], p, first + chosen[done + (int)threadIdx.x]);
        __syncthreads();
        for (int i = 0; is_there && i < some; i++) add_sides(g, p, held[i], first + chosen[done + i]);
        __syncthreads();
    }
}

TESS_KERNEL(THREADS, tess__gpu_slice_spread, p)
{
    const int size[3] = { DEPTH, HEIGHT, WIDTH };
    const int in_tile[3] = { (int)threadIdx.x / (HEIGHT * WIDTH), (int)threadIdx.x / WIDTH % HEIGHT,
                             (int)threadIdx.x % WIDTH };
    int64_t   at[4];
    bool      is_there = true;
    gathered  g = {};
    extent    e;
    grid_position(at, p.tiles, blockIdx.x);
    for (int k = 0; k < 3; k++) {
        measure_axis(e, p, k, at[k + 1] * size[k], size[k]);
        at[k + 1] = at[k + 1] * size[k] + in_tile[k];
        is_there = is_there && at[k + 1] < p.volume_size[k];
        g.k[k] = tess__frequency_at(p.places.order[k], p.places.n[k], at[k + 1]);
        g.f[k] = (double)g.k[k] / p.target[k];
        g.is_folded = g.is_folded || is_nyquist(g.k[k], p.places.n[k]);
    }
    real *v = (real *)p.volume.data + 2 * grid_offset(p.volume.stride, at);
#if FLAGS & 1
    real *weight = (real *)p.weights.data + grid_offset(p.weights.stride, at);
    if (is_there) g.weight = *weight;
#endif
    if (is_there) {
        g.re = v[0];
        g.im = v[1];
    }
    for (int64_t first = 0; first < p.n; first += THREADS) add_chosen(g, p, first, choose(e, p, first), is_there);
    if (!is_there) return;
    v[0] = g.re;
    v[1] = g.im;
#if FLAGS & 1
    *weight = g.weight;
#endif
}
