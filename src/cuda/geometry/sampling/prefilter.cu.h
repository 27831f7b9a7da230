/* B-spline prefilter kernel: a thread filters a vector, forwards and backwards.
 *
 * The program defines WIDE: reals are f64, PARTS: 2 of complex elements, and TILED: vectors are contiguous, so that a
 * block reads and writes them by square tiles in shared memory, of which a thread has a row. */
#include "cuda/geometry/sampling/prefilter_params.h"
#include "cuda/geometry/reals.cu.h"
#include "cuda/jit/grid.cu.h"
#include "formulas/geometry/prefilter.op.h"

enum {
    TILE = TESS__GPU_PREFILTER_TILE,
    THREADS = TILED ? TILE : TESS__GPU_PREFILTER_THREADS,
    TERMS = WIDE ? TESS__PREFILTER_TERMS_F64 : TESS__PREFILTER_TERMS_F32
};

/* A vector: element i is at out[i * step], and so on. */
typedef struct vector {
    real       *out;
    const real *in;
    int64_t     step[2];
    real        value; /* border VALUE, else 0 */
} vector;

static __device__ vector vector_of(const tess__gpu_prefilter &p, int64_t number)
{
    vector        v;
    int64_t       position[4];
    const int64_t part = number % PARTS;
    grid_position(position, p.grid, number / PARTS);
    v.out = (real *)p.out.data + grid_offset(p.out.stride, position) * PARTS + part;
    v.in = (const real *)p.in.data + grid_offset(p.in.stride, position) * PARTS + part;
    v.step[0] = p.axis_stride[0] * PARTS;
    v.step[1] = p.axis_stride[1] * PARTS;
    v.value = p.border == TESS_BORDER_VALUE ? (real)p.value[part] : (real)0;
    return v;
}

/* p[0]. */
static __device__ real first_of(const tess__gpu_prefilter &p, const vector &v)
{
    const tess__prefilter_sum s = tess__prefilter_sum_of(p.border, p.n, TERMS);
    const real                value = (real)6 * v.value;
    real                      sum = 0, power = 1;
    for (int64_t k = 0; k < s.terms; k++, power *= (real)TESS__POLE) {
        int        sign;
        const real x = v.in[tess__prefilter_index(p.border, p.n, k, &sign) * v.step[1]];
        if (sign) sum = FMA((real)sign * power, FMA((real)6, x, -value), sum);
    }
    return TYPED(tess__prefilter_first)(p.border, sum * (real)s.scale, (real)6 * v.in[0], value);
}

/* c[n - 1], of what the way forwards has left in `out`. */
static __device__ real last_of(const tess__gpu_prefilter &p, const vector &v)
{
    const tess__prefilter_sum s = tess__prefilter_sum_of(p.border, p.n, TERMS);
    real                      sum = 0, power = 1;
    if (p.border == TESS_BORDER_PERIODIC)
        for (int64_t k = 0; k < s.terms; k++, power *= (real)TESS__POLE)
            sum = FMA(power, v.out[(k == 0 ? p.n - 1 : k - 1) * v.step[0]], sum);
    return TYPED(tess__prefilter_last)(p.border, v.out[(p.n - 1) * v.step[0]],
                                       v.out[(p.n > 1 ? p.n - 2 : 0) * v.step[0]], sum * (real)s.scale, v.value);
}

#if TILED

__shared__ real tile[TILE][TILE + 1];

/* Elements first to first + n - 1 of all vectors of the block, to or from the tile: a thread has a column. */
static __device__ void load(const tess__gpu_prefilter &p, int64_t number, int vectors, int64_t first, int n,
                            int from_in)
{
    __syncthreads();
    for (int i = 0; i < vectors && (int)threadIdx.x < n; i++) {
        const vector v = vector_of(p, number + i);
        tile[i][threadIdx.x] =
            from_in ? v.in[(first + threadIdx.x) * v.step[1]] : v.out[(first + threadIdx.x) * v.step[0]];
    }
    __syncthreads();
}

static __device__ void store(const tess__gpu_prefilter &p, int64_t number, int vectors, int64_t first, int n)
{
    __syncthreads();
    for (int i = 0; i < vectors && (int)threadIdx.x < n; i++) {
        const vector v = vector_of(p, number + i);
        v.out[(first + threadIdx.x) * v.step[0]] = tile[i][threadIdx.x];
    }
    __syncthreads();
}

static __device__ void filter(const tess__gpu_prefilter &p)
{
    const int64_t lines = p.grid.n * PARTS, number = (int64_t)blockIdx.x * TILE, mine = number + threadIdx.x;
    const int     vectors = lines - number < TILE ? (int)(lines - number) : TILE;
    const vector  v = vector_of(p, mine < lines ? mine : number);
    const real    z = (real)TESS__POLE;
    real          c = first_of(p, v);
    for (int64_t first = 0; first < p.n; first += TILE) {
        const int n = p.n - first < TILE ? (int)(p.n - first) : TILE;
        load(p, number, vectors, first, n, 1);
        for (int i = 0; i < n; i++) {
            if (first + i > 0) c = FMA(z, c, (real)6 * tile[threadIdx.x][i]);
            tile[threadIdx.x][i] = c;
        }
        store(p, number, vectors, first, n);
    }
    c = last_of(p, v);
    for (int64_t first = (p.n - 1) / TILE * TILE; first >= 0; first -= TILE) {
        const int n = p.n - first < TILE ? (int)(p.n - first) : TILE;
        load(p, number, vectors, first, n, 0);
        for (int i = n - 1; i >= 0; i--) {
            if (first + i < p.n - 1) c = z * (c - tile[threadIdx.x][i]);
            tile[threadIdx.x][i] = c;
        }
        store(p, number, vectors, first, n);
    }
}

#else

static __device__ void filter(const tess__gpu_prefilter &p)
{
    const int64_t number = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (number >= p.grid.n * PARTS) return;
    const vector v = vector_of(p, number);
    const real   z = (real)TESS__POLE;
    real         c = first_of(p, v);
    v.out[0] = c;
    for (int64_t i = 1; i < p.n; i++) {
        c = FMA(z, c, (real)6 * v.in[i * v.step[1]]);
        v.out[i * v.step[0]] = c;
    }
    c = last_of(p, v);
    v.out[(p.n - 1) * v.step[0]] = c;
    for (int64_t i = p.n - 2; i >= 0; i--) {
        c = z * (c - v.out[i * v.step[0]]);
        v.out[i * v.step[0]] = c;
    }
}

#endif

TESS_KERNEL(THREADS, tess__gpu_prefilter, p) { filter(p); }
