/* Polynomial surface fit by Gram polynomials, in f64, step by step; see cuda/linalg/polyfit.c.
 *
 * The program defines STEP, a TESS__GPU_FIT_ …, IN and OUT, dtypes, DEGREES, the order plus 1, GROUP, the threads of a
 * row, and SUBTRACT. */
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"
#include "cuda/linalg/polyfit_params.h"

enum { THREADS = 256, WARP = 32, ALL = TESS__GPU_DEGREES };

/* All polynomials at a point. */
static __device__ void at_point(double t[ALL], const tess__gpu_basis &b, int64_t i)
{
    const double u = ((double)i - b.centre) * b.inverse, uu = u * u;
    t[0] = b.powers[0][0];
    t[1] = b.powers[1][1] * u;
    t[2] = DEGREES > 2 ? __builtin_fma(b.powers[2][2], uu, b.powers[2][0]) : 0;
    t[3] = DEGREES > 3 ? __builtin_fma(b.powers[3][3], uu, b.powers[3][1]) * u : 0;
}

static __device__ double pixel(const tess__gpu_polyfit &p, int64_t at)
{
    return convert<TESS_F64, IN>(element<IN>::load(((const element<IN>::stored *)p.in.data)[at]));
}

#if STEP == TESS__GPU_FIT_ROWS
/* The sum over the threads of a group, for its first one. */
static __device__ double sum_of_group(double x)
{
    for (int by = WARP / 2; by > 0; by /= 2) x += __shfl_down_sync(0xffffffffu, x, by);
#if GROUP > 32
    __shared__ double of_warp[GROUP / WARP];
    __syncthreads();
    if (threadIdx.x % WARP == 0) of_warp[threadIdx.x / WARP] = x;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int k = 1; k < GROUP / WARP; k++) x += of_warp[k];
#endif
    return x;
}

TESS_KERNEL(THREADS, tess__gpu_polyfit, p)
{
    const int64_t row = ((int64_t)blockIdx.x * THREADS + threadIdx.x) / GROUP, rows = p.images * p.y.n;
    const int     lane = (int)threadIdx.x % GROUP;
    const int64_t first = row / p.y.n * p.in.stride[0] + row % p.y.n * p.in.stride[2];
    double        sums[ALL] = { 0, 0, 0, 0 };
    for (int64_t i = lane; i < p.x.n && row < rows; i += GROUP) {
        double       t[ALL];
        const double x = pixel(p, first + i * p.in.stride[3]);
        at_point(t, p.x, i);
#pragma unroll
        for (int d = 0; d < DEGREES; d++) sums[d] = __builtin_fma(x, t[d], sums[d]);
    }
#pragma unroll
    for (int d = 0; d < ALL; d++) {
        const double sum = d < DEGREES ? sum_of_group(sums[d]) : 0;
        if (lane == 0 && row < rows) ((double *)p.moments)[row * ALL + d] = sum;
    }
}

#elif STEP == TESS__GPU_FIT_IMAGES
/* The parameter of x^power_x y^power_y, in pixels. */
static __device__ double parameter(const tess__gpu_polyfit &p, const double *c, int power_x, int power_y)
{
    double sum = 0;
    for (int i = power_x; i < DEGREES; i++)
        for (int j = power_y; i + j < DEGREES; j++)
            sum += c[i * ALL + j] * p.x.pixels[i][power_x] * p.y.pixels[j][power_y];
    return sum;
}

TESS_KERNEL(THREADS, tess__gpu_polyfit, p)
{
    /* A thread of each coefficient in the end; of each, the sums of all threads. */
    __shared__ double partial[THREADS];
    const int64_t     image = (int64_t)blockIdx.x;
    const double     *moments = (const double *)p.moments + image * p.y.n * ALL;
    double           *c = (double *)p.coefficients + image * ALL * ALL;
    for (int k = 0; k < ALL * ALL; k++) {
        const int i = k / ALL, j = k % ALL;
        double    sum = 0;
        for (int64_t y = threadIdx.x; y < p.y.n && i + j < DEGREES; y += THREADS) {
            double t[ALL];
            at_point(t, p.y, y);
            const double of = j == 0 ? t[0] : j == 1 ? t[1] : j == 2 ? t[2] : t[3];
            sum = __builtin_fma(moments[y * ALL + i], of, sum);
        }
        partial[threadIdx.x] = sum;
        for (int by = THREADS / 2; by > 0; by /= 2) {
            __syncthreads();
            if ((int)threadIdx.x < by) partial[threadIdx.x] += partial[threadIdx.x + by];
        }
        if (threadIdx.x == 0) c[k] = partial[0];
        __syncthreads();
    }
    /* 1 x y xy x^2 y^2 x^2y xy^2 x^3 y^3: a digit each for the powers of x and y. */
    const int powers[10] = { 000, 010, 001, 011, 020, 002, 021, 012, 030, 003 };
    const int k = (int)threadIdx.x;
    if (!p.parameters || k >= DEGREES * (DEGREES + 1) / 2) return;
    ((double *)p.parameters)[image * p.parameter_stride[0] + k * p.parameter_stride[1]] =
        parameter(p, c, powers[k] / 8, powers[k] % 8);
}

#else
TESS_KERNEL(THREADS, tess__gpu_polyfit, p)
{
    const int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t       at[4];
    double        tx[ALL], ty[ALL], s = 0;
    if (number >= p.grid.n) return;
    grid_position(at, p.grid, number);
    const double *c = (const double *)p.coefficients + at[0] * ALL * ALL;
    at_point(tx, p.x, at[3]);
    at_point(ty, p.y, at[2]);
#pragma unroll
    for (int i = 0; i < DEGREES; i++) {
        double along = 0;
#pragma unroll
        for (int j = 0; j < DEGREES - i; j++) along = __builtin_fma(c[i * ALL + j], ty[j], along);
        s = __builtin_fma(along, tx[i], s);
    }
    if (SUBTRACT) s = pixel(p, grid_offset(p.in.stride, at)) - s;
    ((element<OUT>::stored *)p.out.data)[grid_offset(p.out.stride, at)] =
        element<OUT>::store(convert<OUT, TESS_F64>(s));
}
#endif
