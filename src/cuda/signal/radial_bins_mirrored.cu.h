/* Sums over shells of mirrored rows: a block for each chunk and cone, which adds in the order of the CPU, and so has
 * the same bits, without atomic additions.
 *
 * Step by step the block takes the rows of one |h|. A thread for each column adds those that are mirrors of each other,
 * and writes down the sums, and where shells begin. Then the threads gather: each has some shells and lanes, and adds
 * the few columns that are in them, which are neighbours.
 *
 * The program defines LHS and RHS (dtypes; RHS 0: powers), CONES, NEAREST and THREADS: a multiple of 32, no less than
 * the columns of a chunk and its window. */
#include "cuda/jit/elements.cu.h"
#include "cuda/signal/radial_bins_params.h"

#define SUMS TESS__RADIAL_SUMS(RHS ? TESS__RADIAL_PAIR : TESS__RADIAL_POWER)

enum { RESIDENT = 960 }; /* threads of a multiprocessor, for which it has registers and shared memory */

/* What the columns of the rows of one |h| have. Columns and shells count from the first of the chunk. */
struct columns {
    double  sum[SUMS][THREADS];
    double  lower[THREADS], upper[THREADS]; /* parts of it that go to the shell and to the next */
    int32_t start[THREADS + 1];             /* columns where shells begin, */
    int32_t first, last;                    /* and those that do */
};

/* The rows of one |h|, at frequencies from 0 on along the width, or below (`side` 1). */
struct rows {
    tess__radial_mirror d, h;
    int                 side;
    double              z, y, row;
    int64_t             begin, end; /* columns; some beyond the shells */
};

struct block {
    int64_t            b, cone, table; /* of those that are summed now */
    tess__radial_chunk chunk;
};

static __device__ rows rows_of(const tess__gpu_radial_bins &p, const block &at, int64_t h, int side)
{
    const tess__radial_grid &g = p.grid;
    const int64_t            end = tess__radial_columns_end(&g.axis[2], side);
    rows                     r;
    r.d = tess__radial_mirror_of(&g.axis[0], at.chunk.d);
    r.h = tess__radial_mirror_of(&g.axis[1], h);
    r.side = side;
    r.z = tess__radial_frequency(&g.axis[0], at.chunk.d);
    r.y = tess__radial_frequency(&g.axis[1], h);
    r.row = tess__radial_plane(r.z, r.y);
    r.begin = at.chunk.w > side ? at.chunk.w : side;
    r.end = at.chunk.w_end < end ? at.chunk.w_end : end;
    return r;
}

/* ---- Columns ---- */

/* Column w of all rows of a spectrum, as it is in memory. */
template <int D> struct members {
    typename element<D>::stored of[2][2];

    __device__ members(const tess__gpu_array &a, int64_t b, const rows &r, int64_t w)
    {
        const typename element<D>::stored *from = (const typename element<D>::stored *)a.data;
        from += b * a.stride[0] + w * a.stride[3];
#pragma unroll
        for (int i = 0; i < 2; i++)
#pragma unroll
            for (int j = 0; j < 2; j++)
                if (i < r.d.n && j < r.h.n) of[i][j] = from[r.d.index[i] * a.stride[1] + r.h.index[j] * a.stride[2]];
    }
    __device__ tess_c64 operator()(int i, int j) const { return convert<TESS_C64, D>(element<D>::load(of[i][j])); }
};

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

/* Is a frequency of this length in the cone? */
static __device__ bool is_inside(const tess__gpu_radial_bins &p, const block &at, double z, double y, double x,
                                 double length)
{
    const double *axis = (const double *)p.axes + 3 * (p.cone + at.cone);
    return fabs(axis[0] * z + axis[1] * y + axis[2] * x) >= p.cosine * length;
}

/* The column of a thread, and the next one. */
struct column {
    int64_t w;
    double  x, square, next_square; /* components of the frequency vector */
    double  weight;
};

static __device__ column column_of(const tess__gpu_radial_bins &p, int64_t w)
{
    column c;
    c.w = w;
    c.x = tess__radial_frequency(&p.grid.axis[2], w);
    c.square = tess__radial_square(&p.grid, 0.0, w);
    c.next_square = tess__radial_square(&p.grid, 0.0, w + 1);
    c.weight = tess__radial_weight(&p.grid.axis[2], w);
    return c;
}

/* What a column of all rows has. */
static __device__ void fold(double sum[SUMS], const tess__gpu_radial_bins &p, const block &at, const rows &r,
                            const column &c, double length)
{
    const tess__radial_axis &axis = p.grid.axis[2];
    const int64_t            b = p.batch + at.b, index = r.side ? axis.below - c.w : axis.zero + c.w;
    const members<LHS>       lhs(p.lhs, b, r, index);
#if RHS
    const members<RHS> rhs(p.rhs, b, r, index);
#else
    const members<LHS> &rhs = lhs;
#endif
#pragma unroll
    for (int i = 0; i < 2; i++)
#pragma unroll
        for (int j = 0; j < 2; j++)
            if (i < r.d.n && j < r.h.n &&
                (!CONES || is_inside(p, at, r.d.sign[i] * r.z, r.h.sign[j] * r.y, r.side ? -c.x : c.x, length)))
                add_terms(sum, lhs(i, j), rhs(i, j));
}

/* Writes down a column, if it is one of the rows within the shells. */
static __device__ void write_column(columns &to, const tess__gpu_radial_bins &p, const block &at, const rows &r,
                                    const column &c)
{
    const double next = r.row + c.next_square, length = __builtin_sqrt(r.row + c.square);
    if (c.w < r.begin || c.w >= r.end || r.row + c.square > p.grid.limit) return;
    const int i = threadIdx.x, first = (int)at.chunk.first;
    double    sum[SUMS] = {};
    fold(sum, p, at, r, c, length);
    for (int k = 0; k < SUMS; k++) to.sum[k][i] = sum[k];
    const tess__radial_slots slots = tess__radial_mirrored_slots(&p.grid, NEAREST, first, length, c.weight);
    const int                shell = slots.slot; /* from the first of the chunk */
    const bool               is_last = c.w + 1 == r.end || next > p.grid.limit;
    const int end = is_last ? slots.next : tess__radial_shell(&p.grid, NEAREST, __builtin_sqrt(next)) - first;
    to.upper[i] = slots.upper;
    to.lower[i] = slots.lower;
    if (c.w == r.begin) to.first = shell, to.start[shell] = i;
    if (is_last) to.last = shell;
    for (int k = shell + 1; k <= end; k++) to.start[k] = i + 1;
}

/* ---- Shells ---- */

/* Adds the columns begin to end - 1 of a lane. */
static __device__ void add_run(double sums[SUMS], const columns &from, const double *part, int begin, int end, int lane)
{
#pragma unroll 1 /* few columns; more registers would be worse */
    for (int i = begin + ((lane - begin) & (TESS__RADIAL_LANES - 1)); i < end; i += TESS__RADIAL_LANES)
        for (int k = 0; k < SUMS; k++) sums[k] += from.sum[k][i] * part[i];
}

/* Sums of the shells and lanes of each thread, in shared memory: registers are needed for loads. */
struct table {
    double of[TESS__RADIAL_LANES][SUMS][THREADS];
};

/* A thread has this shell of a chunk in each of its sums. */
static __device__ int shell_of_thread(int k) { return (k * THREADS + (int)threadIdx.x) / TESS__RADIAL_LANES; }

static __device__ void gather(table &to, const columns &from, int k)
{
    const int shell = shell_of_thread(k), lane = threadIdx.x & (TESS__RADIAL_LANES - 1);
    double    sums[SUMS];
    if (shell < from.first || shell > from.last + 1) return;
    for (int j = 0; j < SUMS; j++) sums[j] = to.of[k][j][threadIdx.x];
    if (!NEAREST && shell > from.first) add_run(sums, from, from.upper, from.start[shell - 1], from.start[shell], lane);
    if (shell <= from.last) add_run(sums, from, from.lower, from.start[shell], from.start[shell + 1], lane);
    for (int j = 0; j < SUMS; j++) to.of[k][j][threadIdx.x] = sums[j];
}

/* Two buffers: while some threads gather from one, others write the other. */
static __device__ void add_chunk(table &to, const tess__gpu_radial_bins &p, const block &at)
{
    __shared__ columns buffers[2];
    const int          sides = p.grid.axis[2].below < 0 ? 1 : 2;
    const column       own = column_of(p, at.chunk.w + threadIdx.x);
    int                turn = 0;
    for (int k = 0; k < TESS__RADIAL_LANES; k++)
        for (int j = 0; j < SUMS; j++) to.of[k][j][threadIdx.x] = 0;
    for (int64_t step = at.chunk.h * sides; step < at.chunk.h_end * sides; step++) {
        const rows r = rows_of(p, at, step / sides, (int)(step % sides));
        columns   &now = buffers[turn];
        if (r.begin >= r.end || tess__radial_square(&p.grid, r.row, r.begin) > p.grid.limit) continue;
        write_column(now, p, at, r, own);
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < TESS__RADIAL_LANES; k++) gather(to, now, k);
        turn ^= 1;
    }
}

static __device__ block block_of(const tess__gpu_radial_bins &p)
{
    const int64_t table = blockIdx.x, chunk = table / p.cones, b = chunk / p.chunks;
    block         at;
    at.table = table;
    at.b = b;
    at.cone = table - chunk * p.cones;
    at.chunk = tess__radial_chunk_of(&p.grid, p.chunk + chunk - b * p.chunks);
    return at;
}

TESS_KERNEL_TIGHT(THREADS, RESIDENT / THREADS, tess__gpu_radial_bins, p)
{
    __shared__ table sums;
    const block      at = block_of(p);
    double          *out = (double *)p.tables + at.table * p.grid.window * SUMS;
    if (threadIdx.x == 0 && at.cone == 0) ((int32_t *)p.firsts)[at.table / p.cones] = (int32_t)at.chunk.first;
    if (at.chunk.first == p.grid.shells) return;
    add_chunk(sums, p, at);
    __syncthreads();
    for (int i = threadIdx.x; i < p.grid.window * SUMS; i += THREADS) {
        const int     shell = i / SUMS, j = i % SUMS, k = shell * TESS__RADIAL_LANES / THREADS;
        const double *lanes = &sums.of[k][j][shell * TESS__RADIAL_LANES % THREADS];
        double        sum = lanes[0];
        for (int lane = 1; lane < TESS__RADIAL_LANES; lane++) sum += lanes[lane];
        out[i] = sum;
    }
}
