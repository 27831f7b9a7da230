/* Sums into shells as a gather: each thread finds the columns of every row of its chunk that are in one shell and go to
 * one of the chunk's tables, and adds them in the order of the CPU: the same bits, without atomic additions.
 *
 * The program defines LHS and RHS (dtypes; RHS 0: powers), CONES and NEAREST. */
#include "cuda/jit/elements.cu.h"
#include "cuda/signal/shells_params.h"

enum { THREADS = 128, SHELLS = THREADS / TESS__SHELL_LANES };

#if RHS
#define SUMS TESS__SHELL_PAIR
#else
#define SUMS TESS__SHELL_POWER
#endif

/* One row, and the shell of this thread. */
struct place {
    int64_t shell, lane, cone;
    double  z, y, row;
    int64_t lhs, rhs; /* offsets of the row */
};

template <int D> static __device__ tess_c64 element_of(uint64_t data, int64_t offset)
{
    return convert<TESS_C64, D>(element<D>::load(((const typename element<D>::stored *)data)[offset]));
}

static __device__ bool is_inside(const tess__gpu_shells &p, const place &at, double x, double length)
{
    const double *axis = (const double *)p.axes + 3 * at.cone;
    return fabs(axis[0] * at.z + axis[1] * at.y + axis[2] * x) >= p.cosine * length;
}

/* The part of a column of this frequency that goes to the shell; false: none does. */
static __device__ bool part_of(double *part, const tess__gpu_shells &p, const place &at, int64_t k)
{
    const double x = tess__shell_component(&p.grid.axis[2], k, p.grid.m), length = __builtin_sqrt(at.row + x * x);
    const double weight = tess__shell_weight(&p.grid, k);
    if (at.row + x * x > p.grid.limit) return false;
#if NEAREST
    const int64_t shell = (int64_t)(length + 0.5), last = p.grid.shells - 1;
    if ((shell < last ? shell : last) != at.shell) return false;
    *part = weight;
#else
    const int64_t shell = (int64_t)length;
    const double  upper = weight * (length - (double)shell);
    if (shell != at.shell && shell + 1 != at.shell) return false;
    *part = shell == at.shell ? weight - upper : upper;
#endif
#if CONES
    if (!is_inside(p, at, x, length)) return false;
#endif
    return true;
}

static __device__ void add_column(double sums[SUMS], const tess__gpu_shells &p, const place &at, int64_t column)
{
    double part;
    if (!part_of(&part, p, at, tess__shell_cycles(&p.grid.axis[2], column))) return;
    const tess_c64 l = element_of<LHS>(p.lhs.data, at.lhs + column * p.lhs.stride[3]);
#if RHS
    const tess_c64 r = element_of<RHS>(p.rhs.data, at.rhs + column * p.rhs.stride[3]);
    sums[0] += (l.re * r.re + l.im * r.im) * part;
    sums[1] += (l.re * l.re + l.im * l.im) * part;
    sums[2] += (r.re * r.re + r.im * r.im) * part;
    sums[3] += part;
#else
    sums[0] += (l.re * l.re + l.im * l.im) * part;
    sums[1] += part;
#endif
}

/* Columns first to last of the row that go to the thread's table. */
static __device__ void add_columns(double sums[SUMS], const tess__gpu_shells &p, const place &at, int64_t first,
                                   int64_t last)
{
    first += (at.lane - first) & (TESS__SHELL_LANES - 1);
    for (int64_t column = first; column <= last; column += TESS__SHELL_LANES) add_column(sums, p, at, column);
}

/* The smallest frequency along the width, rounded down generously, whose vector has this length or more. */
static __device__ int64_t frequency_at(const tess__gpu_shells &p, const place &at, double length)
{
    const double left = length * length - at.row;
    if (length <= 0 || left <= 0) return 0;
    return (int64_t)(__builtin_sqrt(left) * p.stretch);
}

static __device__ void add_row(double sums[SUMS], const tess__gpu_shells &p, const place &at)
{
    const tess__shell_axis &w = p.grid.axis[2];
    const double            end = (double)(at.shell + 1);
    if (at.row > p.grid.limit || end * end <= at.row) return;
    int64_t low = frequency_at(p, at, (double)(at.shell - 1)) - 1, high = frequency_at(p, at, end) + 2;
    if (low < 0) low = 0;
    const int64_t above = high < w.above ? high : w.above - 1, below = high < w.below ? high : w.below;
    const int64_t from = low > 1 ? low : 1;
    if (w.below && w.below_end <= w.zero) add_columns(sums, p, at, w.below_end - below, w.below_end - from);
    add_columns(sums, p, at, w.zero + low, w.zero + above);
    if (w.below && w.below_end > w.zero) add_columns(sums, p, at, w.below_end - below, w.below_end - from);
}

static __device__ void add_chunk(double sums[SUMS], const tess__gpu_shells &p, place &at, int64_t chunk)
{
    const int64_t b = chunk / p.grid.chunks, begin = (chunk - b * p.grid.chunks) * p.grid.rows;
    const int64_t rows = p.depth * p.height, end = begin + p.grid.rows < rows ? begin + p.grid.rows : rows;
    int64_t       d = begin / p.height, h = begin - d * p.height;
    for (int64_t row = begin; row < end; row++) {
        at.z = tess__shell_component(&p.grid.axis[0], tess__shell_cycles(&p.grid.axis[0], d), p.grid.m);
        at.y = tess__shell_component(&p.grid.axis[1], tess__shell_cycles(&p.grid.axis[1], h), p.grid.m);
        at.row = at.z * at.z + at.y * at.y;
        at.lhs = b * p.lhs.stride[0] + d * p.lhs.stride[1] + h * p.lhs.stride[2];
        at.rhs = b * p.rhs.stride[0] + d * p.rhs.stride[1] + h * p.rhs.stride[2];
        add_row(sums, p, at);
        if (++h == p.height) h = 0, d++;
    }
}

TESS_KERNEL(THREADS, tess__gpu_shells, p)
{
    const int64_t chunk = blockIdx.x / (p.cones * p.groups), item = blockIdx.x - chunk * p.cones * p.groups;
    place         at;
    double        sums[SUMS] = {};
    at.cone = item / p.groups;
    at.shell = (item - at.cone * p.groups) * SHELLS + threadIdx.x / TESS__SHELL_LANES;
    at.lane = threadIdx.x & (TESS__SHELL_LANES - 1);
    if (at.shell <= p.grid.shells) add_chunk(sums, p, at, p.first + chunk);
    double *table = (double *)p.tables + ((chunk * p.cones + at.cone) * (p.grid.shells + 1) + at.shell) * SUMS;
    for (int k = 0; k < SUMS; k++) {
        double sum = sums[k];
        for (int lane = 1; lane < TESS__SHELL_LANES; lane++)
            sum += __shfl_sync(0xffffffffu, sums[k], (threadIdx.x + lane) & 31);
        if (at.lane == 0 && at.shell <= p.grid.shells) table[k] = sum;
    }
}
