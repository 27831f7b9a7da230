/* Sums into shells: a block for each chunk and cone, which adds in the order of the CPU, and so has the same bits,
 * without atomic additions.
 *
 * Step by step the block takes the rows of one |h|. A thread for each column adds those that are mirrors of each other,
 * and writes down the sums, and where shells begin. Then the threads gather: each has some shells and lanes, and adds
 * the few columns that are in them, which are neighbours.
 *
 * The program defines LHS and RHS (dtypes; RHS 0: powers), CONES, NEAREST and THREADS: a multiple of 32, no less than
 * the columns of a chunk and its window. */
#include "cuda/jit/elements.cu.h"
#include "cuda/signal/shells_params.h"

#if RHS
#define SUMS TESS__SHELL_PAIR
#else
#define SUMS TESS__SHELL_POWER
#endif

/* What the columns of the rows of one |h| have. Columns and shells count from the first of the chunk. */
struct columns {
    double  sum[SUMS][THREADS];
    double  lower[THREADS], upper[THREADS]; /* parts of it that go to the shell and to the next */
    int32_t start[THREADS + 1];             /* columns where shells begin, */
    int32_t first, last;                    /* and those that do */
};

/* The rows of one |h|, at frequencies from 0 on along the width, or below. */
struct rows {
    int     n, side;
    double  row;
    int64_t begin, end;                                         /* columns; some beyond the shells */
    int64_t lhs[TESS__SHELL_MEMBERS], rhs[TESS__SHELL_MEMBERS]; /* offsets */
    double  z[TESS__SHELL_MEMBERS], y[TESS__SHELL_MEMBERS];
};

struct block {
    int64_t           b, cone, table; /* of those that are summed now */
    tess__shell_chunk chunk;
};

static __device__ int64_t offset_of(const tess__gpu_array &a, int64_t b, int64_t d, int64_t h)
{
    return b * a.stride[0] + d * a.stride[1] + h * a.stride[2];
}

static __device__ rows rows_of(const tess__gpu_shells &p, const block &at, int64_t h, int side)
{
    const tess__shell_grid  &g = p.grid;
    const tess__shell_mirror ds = tess__shell_mirror_of(&g.axis[0], at.chunk.d);
    const tess__shell_mirror hs = tess__shell_mirror_of(&g.axis[1], h);
    const double             z = tess__shell_component(&g.axis[0], at.chunk.d, g.m);
    const double             y = tess__shell_component(&g.axis[1], h, g.m);
    const int64_t            end = tess__shell_columns_end(&g.axis[2], side);
    rows                     r;
    r.n = ds.n * hs.n;
    r.side = side;
    r.row = tess__shell_row(z, y);
    r.begin = at.chunk.w > side ? at.chunk.w : side;
    r.end = at.chunk.w_end < end ? at.chunk.w_end : end;
#pragma unroll
    for (int k = 0; k < TESS__SHELL_MEMBERS; k++) {
        const bool second_d = hs.n == 2 ? k >= 2 : k == 1, second_h = hs.n == 2 && (k & 1);
        r.lhs[k] = offset_of(p.lhs, p.batch + at.b, ds.index[second_d], hs.index[second_h]);
        r.rhs[k] = offset_of(p.rhs, p.batch + at.b, ds.index[second_d], hs.index[second_h]);
        r.z[k] = ds.sign[second_d] * z;
        r.y[k] = hs.sign[second_h] * y;
    }
    return r;
}

/* ---- Columns ---- */

template <int D> static __device__ tess_c64 element_of(const tess__gpu_array &a, int64_t offset, int64_t index)
{
    typedef typename element<D>::stored stored;
    return convert<TESS_C64, D>(element<D>::load(((const stored *)a.data)[offset + index * a.stride[3]]));
}

static __device__ void add_terms(double sum[SUMS], tess_c64 l, tess_c64 r)
{
#if RHS
    sum[0] += l.re * r.re + l.im * r.im;
    sum[1] += l.re * l.re + l.im * l.im;
    sum[2] += r.re * r.re + r.im * r.im;
#else
    sum[0] += l.re * l.re + l.im * l.im;
#endif
    sum[SUMS - 1] += 1;
}

/* Is column w of row k in the cone? */
static __device__ bool is_inside(const tess__gpu_shells &p, const block &at, const rows &r, int k, int64_t w,
                                 double length)
{
    const double *axis = (const double *)p.axes + 3 * (p.cone + at.cone);
    const double  x = tess__shell_component(&p.grid.axis[2], w, p.grid.m);
    return fabs(axis[0] * r.z[k] + axis[1] * r.y[k] + axis[2] * (r.side ? -x : x)) >= p.cosine * length;
}

/* What column w of all rows has. */
static __device__ void fold(double sum[SUMS], const tess__gpu_shells &p, const block &at, const rows &r, int64_t w,
                            double length)
{
    const tess__shell_axis &axis = p.grid.axis[2];
    const int64_t           index = r.side ? axis.below - w : axis.zero + w;
    tess_c64                lhs[TESS__SHELL_MEMBERS], rhs[TESS__SHELL_MEMBERS];
#pragma unroll
    for (int k = 0; k < TESS__SHELL_MEMBERS; k++)
        if (k < r.n) {
            lhs[k] = element_of<LHS>(p.lhs, r.lhs[k], index);
#if RHS
            rhs[k] = element_of<RHS>(p.rhs, r.rhs[k], index);
#endif
        }
#pragma unroll
    for (int k = 0; k < TESS__SHELL_MEMBERS; k++)
        if (k < r.n && (!CONES || is_inside(p, at, r, k, w, length))) add_terms(sum, lhs[k], rhs[k]);
}

static __device__ int shell_of(const tess__gpu_shells &p, double length)
{
    const int shell = (int)(NEAREST ? length + 0.5 : length), last = (int)p.grid.shells - 1;
    return shell < last ? shell : last;
}

/* Writes down column w, if it is one of the rows within the shells. */
static __device__ void write_column(columns &to, const tess__gpu_shells &p, const block &at, const rows &r, int64_t w)
{
    const double square = tess__shell_square(&p.grid, r.row, w), length = __builtin_sqrt(square);
    if (w < r.begin || w >= r.end || square > p.grid.limit) return;
    const int    column = (int)(w - at.chunk.w), first = (int)at.chunk.first, shell = shell_of(p, length);
    const double next = tess__shell_square(&p.grid, r.row, w + 1), weight = tess__shell_weight(&p.grid.axis[2], w);
    const bool   is_last = w + 1 == r.end || next > p.grid.limit;
    const int    end = is_last ? shell + 1 : shell_of(p, __builtin_sqrt(next));
    double       sum[SUMS] = {};
    fold(sum, p, at, r, w, length);
    for (int k = 0; k < SUMS; k++) to.sum[k][column] = sum[k];
    to.upper[column] = !NEAREST && shell + 1 < p.grid.shells ? weight * (length - (double)shell) : 0.0;
    to.lower[column] = weight - to.upper[column];
    if (w == r.begin) to.first = shell - first, to.start[shell - first] = column;
    if (is_last) to.last = shell - first;
    for (int k = shell + 1; k <= end; k++) to.start[k - first] = column + 1;
}

/* ---- Shells ---- */

/* Adds the columns begin to end - 1 of a lane. */
static __device__ void add_run(double sums[SUMS], const columns &from, const double *part, int begin, int end, int lane)
{
    for (int i = begin + ((lane - begin) & (TESS__SHELL_LANES - 1)); i < end; i += TESS__SHELL_LANES)
        for (int k = 0; k < SUMS; k++) sums[k] += from.sum[k][i] * part[i];
}

static __device__ void gather(double sums[SUMS], const columns &from, int shell, int lane)
{
    if (shell < from.first || shell > from.last + 1) return;
    if (!NEAREST && shell > from.first) add_run(sums, from, from.upper, from.start[shell - 1], from.start[shell], lane);
    if (shell <= from.last) add_run(sums, from, from.lower, from.start[shell], from.start[shell + 1], lane);
}

/* A thread has this shell of a chunk in each of its sums. */
static __device__ int shell_of_thread(int k) { return (k * THREADS + (int)threadIdx.x) / TESS__SHELL_LANES; }

/* Two buffers: while some threads gather from one, others write the other. */
static __device__ void add_chunk(double sums[TESS__SHELL_LANES][SUMS], const tess__gpu_shells &p, const block &at)
{
    __shared__ columns buffers[2];
    const int          sides = p.grid.axis[2].below < 0 ? 1 : 2, lane = threadIdx.x & (TESS__SHELL_LANES - 1);
    int                turn = 0;
    for (int64_t step = at.chunk.h * sides; step < at.chunk.h_end * sides; step++) {
        const rows r = rows_of(p, at, step / sides, (int)(step % sides));
        columns   &now = buffers[turn];
        if (r.begin >= r.end || tess__shell_square(&p.grid, r.row, r.begin) > p.grid.limit) continue;
        write_column(now, p, at, r, at.chunk.w + threadIdx.x);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < TESS__SHELL_LANES; k++) gather(sums[k], now, shell_of_thread(k), lane);
        turn ^= 1;
    }
}

static __device__ block block_of(const tess__gpu_shells &p)
{
    const int64_t table = blockIdx.x, chunk = table / p.cones, b = chunk / p.chunks;
    block         at;
    at.table = table;
    at.b = b;
    at.cone = table - chunk * p.cones;
    at.chunk = tess__shell_chunk_of(&p.grid, p.chunk + chunk - b * p.chunks);
    return at;
}

TESS_KERNEL(THREADS, tess__gpu_shells, p)
{
    const block at = block_of(p);
    double      sums[TESS__SHELL_LANES][SUMS] = {};
    if (threadIdx.x == 0 && at.cone == 0) ((int32_t *)p.firsts)[at.table / p.cones] = (int32_t)at.chunk.first;
    if (at.chunk.first == p.grid.shells) return;
    add_chunk(sums, p, at);
    double *table = (double *)p.tables + at.table * p.grid.window * SUMS;
#pragma unroll
    for (int j = 0; j < TESS__SHELL_LANES; j++)
        for (int k = 0; k < SUMS; k++) {
            const int shell = shell_of_thread(j);
            double    sum = sums[j][k];
            for (int lane = 1; lane < TESS__SHELL_LANES; lane++)
                sum += __shfl_sync(0xffffffffu, sums[j][k], (threadIdx.x + lane) & 31);
            if (threadIdx.x % TESS__SHELL_LANES == 0 && shell < p.grid.window) table[shell * SUMS + k] = sum;
        }
}
