/* Least squares by Householder QR with column pivoting and, where the rank is in doubt or singular values are wanted,
 * one-sided Jacobi rotations, as on the CPU (cpu/linalg/lstsq.c.inc). A block of threads solves one problem after the
 * other; columns are divided among warps, and the rotations of a sweep run in rounds of disjoint pairs of columns.
 *
 * The program defines WARPS of a block, NUMBER, the dtype computed in, f64 or c64, and OF_A, OF_B, OF_X and OF_VALUES,
 * the dtypes of the arrays. Functions are not inlined, and loops are not unrolled, but for the innermost
 * ones: the kernel would take long to compile. */
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"
#include "cuda/jit/numbers.cu.h"
#include "cuda/linalg/lstsq_params.h"

enum { WARP = 32, THREADS = WARP * WARPS, SWEEPS = 60 /* far more than it takes */ };

#define EACH _Pragma("unroll 1") for

typedef element<NUMBER>::held number;

/* F is a, or its conjugate transpose if that is the tall one: p by q, p >= q. Matrices lie in columns, and elements are
 * at most 2 in size. */
struct problem {
    int64_t  m, n, k, p, q;
    bool     wide;
    number  *f;     /* p by q: R above, the reflections below the diagonal */
    number  *rhs;   /* p by k */
    number  *g;     /* q + k by q */
    number  *row;   /* q for each warp */
    double  *tau;   /* q */
    double  *size;  /* q: singular values */
    double  *each;  /* q: a number for each column on the way */
    int64_t *order; /* q of the pivots, q of the singular values */
};

static __device__ int warp_number() { return (int)threadIdx.x / WARP; }
static __device__ int lane_number() { return (int)threadIdx.x % WARP; }

static __device__ problem problem_in(const tess__gpu_lstsq &p)
{
    problem z = { p.m, p.n, p.k, p.m < p.n ? p.n : p.m, p.m < p.n ? p.m : p.n, p.m < p.n };
    z.f = (number *)(p.workspace + (uint64_t)(blockIdx.x * p.each));
    z.rhs = z.f + z.p * z.q;
    z.g = z.rhs + z.p * z.k;
    z.row = z.g + (z.q + z.k) * z.q;
    z.tau = (double *)(z.row + WARPS * z.q);
    z.size = z.tau + z.q;
    z.each = z.size + z.q;
    z.order = (int64_t *)(z.each + z.q);
    return z;
}

/* ---- Columns, each by a warp ---- */

static __noinline__ __device__ number dot(const number *x, const number *y, int64_t n)
{
    number s;
    set_real(&s, 0);
    for (int64_t i = lane_number(); i < n; i += WARP) s = plus(s, times(conjugate(x[i]), y[i]));
    return warp_sum(s);
}

static __noinline__ __device__ double squares(const number *x, int64_t n)
{
    double s = 0;
    for (int64_t i = lane_number(); i < n; i += WARP) s += square_of(x[i]);
    return warp_sum(s);
}

/* y -= s x */
static __noinline__ __device__ void subtract(number *y, number s, const number *x, int64_t n)
{
    for (int64_t i = lane_number(); i < n; i += WARP) y[i] = minus(y[i], times(s, x[i]));
    __syncwarp();
}

/* The reflection of step j applied to a column. */
static __noinline__ __device__ void reflect(const problem &z, int64_t j, number *column)
{
    const number *v = z.f + j * z.p + j + 1, first = column[j];
    const int64_t n = z.p - j - 1;
    const number  s = scaled(plus(first, dot(v, column + j + 1, n)), z.tau[j]);
    if (lane_number() == 0) column[j] = minus(first, s);
    subtract(column + j + 1, s, v, n);
}

/* Solve R y = c, or R^H y = c, in place. */
static __noinline__ __device__ void solve(const problem &z, number *c, int64_t n, bool transposed)
{
    EACH (int64_t k = 0; k < n; k++) {
        const int64_t i = transposed ? k : n - 1 - k;
        const number *column = z.f + i * z.p;
        number        x = c[i];
        if (transposed) x = over(minus(x, dot(column, c, i)), conjugate(column[i]));
        else x = over(x, column[i]);
        __syncwarp();
        if (lane_number() == 0) c[i] = x;
        if (!transposed) subtract(c, x, column, i);
        else __syncwarp();
    }
}

/* Rows of a right-hand side are permuted as the pivots were. */
static __noinline__ __device__ void permute(const problem &z, number *column, bool back)
{
    number *row = z.row + warp_number() * z.q;
    EACH (int64_t j = lane_number(); j < z.q; j += WARP) row[back ? z.order[j] : j] = column[back ? j : z.order[j]];
    __syncwarp();
    EACH (int64_t j = lane_number(); j < z.q; j += WARP) column[j] = row[j];
    __syncwarp();
}

/* ---- Q R ---- */

/* The column from j on with the largest square, of those in `each`, the first if there are several: found by a warp. */
static __noinline__ __device__ int64_t find_largest(const problem &z, int64_t j)
{
    double  largest = -1;
    int64_t best = j;
    EACH (int64_t c = j + lane_number(); c < z.q; c += WARP)
        if (z.each[c] > largest) largest = z.each[c], best = c;
    for (int by = WARP / 2; by > 0; by /= 2) {
        const double  other = __shfl_xor_sync(0xffffffffu, largest, by);
        const int64_t at = __shfl_xor_sync(0xffffffffu, (long long)best, by);
        if (other > largest || (other == largest && at < best)) largest = other, best = at;
    }
    return best;
}

static __device__ void swap_columns(const problem &z, int64_t i, int64_t j)
{
    EACH (int64_t k = threadIdx.x; k < z.p && i != j; k += THREADS) {
        const number x = z.f[i * z.p + k];
        z.f[i * z.p + k] = z.f[j * z.p + k];
        z.f[j * z.p + k] = x;
    }
    if (threadIdx.x == 0) {
        const int64_t x = z.order[i];
        z.order[i] = z.order[j];
        z.order[j] = x;
    }
}

/* Step j: the column becomes the end of its reflection above and the reflection itself below. */
static __noinline__ __device__ void reflect_others(const problem &z, int64_t j, double square)
{
    number      *x = z.f + j * z.p + j;
    const number first = x[0];
    const double length = sqrt(square);
    const bool   none = j + 1 == z.p || length == 0;
    __syncthreads();
    if (threadIdx.x == 0) z.tau[j] = none ? 0 : (length + size_of(first)) / length;
    if (none) return;
    const number end = scaled(phase_of(first), -length), whole = minus(first, end);
    number       one;
    set_real(&one, 1);
    const number by = over(one, whole);
    EACH (int64_t i = 1 + (int64_t)threadIdx.x; i < z.p - j; i += THREADS) x[i] = times(x[i], by);
    if (threadIdx.x == 0) x[0] = end;
    __syncthreads();
    EACH (int64_t c = j + 1 + warp_number(); c < z.q; c += WARPS) reflect(z, j, z.f + c * z.p);
}

static __noinline__ __device__ void factor(const problem &z)
{
    EACH (int64_t j = threadIdx.x; j < z.q; j += THREADS) z.order[j] = j;
    EACH (int64_t j = 0; j < z.q; j++) {
        __syncthreads();
        EACH (int64_t c = j + warp_number(); c < z.q; c += WARPS) {
            const double square = squares(z.f + c * z.p + j, z.p - j);
            if (lane_number() == 0) z.each[c] = square;
        }
        __syncthreads();
        const int64_t best = find_largest(z, j);
        const double  square = z.each[best];
        swap_columns(z, j, best);
        __syncthreads();
        reflect_others(z, j, square);
    }
    __syncthreads();
}

/* ---- Full rank ---- */

/* The sum of `each`, the same in all threads. */
static __device__ double sum_of_each(const problem &z)
{
    double s = 0;
    __syncthreads();
    for (int64_t j = lane_number(); j < z.q; j += WARP) s += z.each[j];
    s = warp_sum(s);
    __syncthreads();
    return s;
}

/* Is the smallest singular value of R surely above `cond` times the largest? The norms of R and of its inverse bound
 * them. */
static __noinline__ __device__ bool full_rank(const problem &z, double cond)
{
    EACH (int64_t j = warp_number(); j < z.q; j += WARPS) {
        const bool   good = size_of(z.f[j * z.p + j]) > 1e-100;
        const double square = squares(z.f + j * z.p, j + 1);
        if (lane_number() == 0) z.each[j] = good ? square : __builtin_inf();
    }
    const double norm = sum_of_each(z);
    if (!(norm < 1e300)) return false;
    EACH (int64_t j = warp_number(); j < z.q; j += WARPS) {
        number *column = z.g + j * z.q;
        EACH (int64_t i = lane_number(); i <= j; i += WARP) set_real(&column[i], i == j);
        __syncwarp();
        solve(z, column, j + 1, false);
        const double square = squares(column, j + 1);
        if (lane_number() == 0) z.each[j] = square;
    }
    return sqrt(norm) * sqrt(sum_of_each(z)) * cond * 2 < 1;
}

/* ---- Singular values ---- */

/* The columns that are to be made orthogonal, with the right-hand sides, conjugated, below. */
static __noinline__ __device__ void lay_out(const problem &z)
{
    const int64_t height = z.q + z.k;
    EACH (int64_t at = threadIdx.x; at < height * z.q; at += THREADS) {
        const int64_t c = at / height, r = at % height;
        if (r >= z.q) z.g[at] = conjugate(z.rhs[(r - z.q) * z.p + c]);
        else if (z.wide ? r <= c : c <= r) z.g[at] = z.wide ? z.f[c * z.p + r] : conjugate(z.f[r * z.p + c]);
        else set_real(&z.g[at], 0);
    }
    __syncthreads();
}

/* A Jacobi rotation that makes two columns orthogonal; false if they are already. */
static __noinline__ __device__ bool rotate(number *x, number *y, int64_t q, int64_t height)
{
    const double xx = squares(x, q), yy = squares(y, q);
    const number xy = dot(x, y, q);
    const double size = size_of(xy);
    if (xx < 1e-300 || yy < 1e-300 || size <= 0x1p-52 * sqrt((double)q) * sqrt(xx) * sqrt(yy)) return false;
    const double zeta = (yy - xx) / (2 * size);
    const double t = (zeta < 0 ? -1 : 1) / (fabs(zeta) + sqrt(1 + zeta * zeta));
    const double c = 1 / sqrt(1 + t * t), s = c * t;
    const number phase = conjugate(phase_of(xy));
    EACH (int64_t i = lane_number(); i < height; i += WARP) {
        const number a = x[i], b = times(phase, y[i]);
        x[i] = minus(scaled(a, c), scaled(b, s));
        y[i] = plus(scaled(a, s), scaled(b, c));
    }
    return true;
}

/* A sweep rotates every pair of columns once, in the rounds of a round-robin tournament. */
static __device__ bool sweep(const problem &z)
{
    const int64_t players = z.q + (z.q & 1), seats = players - 1, height = z.q + z.k;
    bool          rotated = false;
    EACH (int64_t round = 0; round < seats; round++) {
        EACH (int64_t k = warp_number(); k < players / 2; k += WARPS) {
            const int64_t i = (round + k) % seats, j = k ? (round - k + seats) % seats : seats;
            if (i < z.q && j < z.q)
                rotated |= rotate(z.g + (i < j ? i : j) * height, z.g + (i < j ? j : i) * height, z.q, height);
        }
        __syncthreads();
    }
    return rotated;
}

static __noinline__ __device__ void make_orthogonal(const problem &z)
{
    __shared__ int any;
    for (int times_round = 0; times_round < SWEEPS; times_round++) {
        if (threadIdx.x == 0) any = 0;
        __syncthreads();
        if (sweep(z)) any = 1;
        __syncthreads();
        const int again = any;
        __syncthreads();
        if (!again) break;
    }
    EACH (int64_t j = warp_number(); j < z.q; j += WARPS) {
        const double size = sqrt(squares(z.g + j * (z.q + z.k), z.q));
        if (lane_number() == 0) z.size[j] = size;
    }
    __syncthreads();
    EACH (int64_t j = threadIdx.x; j < z.q; j += THREADS) { /* its index in descending order */
        int64_t before = 0;
        EACH (int64_t i = 0; i < z.q; i++) before += z.size[i] > z.size[j] || (z.size[i] == z.size[j] && i < j);
        z.order[z.q + before] = j;
    }
    __syncthreads();
}

/* The minimum-norm solution from the singular values above `cutoff`; returns their number. */
static __noinline__ __device__ int64_t combine(const problem &z, double cutoff)
{
    const int64_t height = z.q + z.k;
    int64_t       rank = 0;
    EACH (int64_t j = warp_number(); j < z.q; j += WARPS) /* each divided by itself: a square may be nothing */
        EACH (int64_t i = lane_number(); i < height && z.size[j] > cutoff; i += WARP)
            z.g[j * height + i] = divided(z.g[j * height + i], z.size[j]);
    EACH (int64_t j = 0; j < z.q; j++) rank += z.size[j] > cutoff;
    __syncthreads();
    EACH (int64_t at = threadIdx.x; at < z.p * z.k; at += THREADS) {
        const int64_t r = at / z.p, i = at % z.p;
        number        s;
        set_real(&s, 0);
        EACH (int64_t j = 0; j < z.q && i < z.q; j++)
            if (z.size[j] > cutoff) s = plus(s, times(conjugate(z.g[j * height + z.q + r]), z.g[j * height + i]));
        z.rhs[at] = s;
    }
    __syncthreads();
    return rank;
}

/* ---- All of it ---- */

/* `rhs` becomes the solution, in its first n rows; `size` the singular values if they are wanted. Returns the rank. */
static __device__ int64_t solve_problem(const problem &z, double cond, bool want_values)
{
    int64_t rank = z.q;
    factor(z);
    EACH (int64_t r = warp_number(); r < z.k; r += WARPS) {
        number *column = z.rhs + r * z.p;
        if (z.wide) permute(z, column, false);
        EACH (int64_t j = 0; j < z.q && !z.wide; j++) reflect(z, j, column);
    }
    const bool full = full_rank(z, cond);
    if (!full || want_values) {
        lay_out(z);
        make_orthogonal(z);
    }
    if (!full) rank = combine(z, cond * z.size[z.order[z.q]]);
    EACH (int64_t r = warp_number(); r < z.k; r += WARPS) {
        number *column = z.rhs + r * z.p;
        if (full) solve(z, column, z.q, z.wide);
        if (!z.wide) {
            permute(z, column, true);
            continue;
        }
        EACH (int64_t i = z.q + lane_number(); i < z.p; i += WARP) set_real(&column[i], 0);
        __syncwarp();
        EACH (int64_t j = z.q - 1; j >= 0; j--) reflect(z, j, column);
    }
    __syncthreads();
    return rank;
}

/* ---- Between arrays and the workspace ---- */

/* The largest of all threads' numbers, which are not negative, in each of them. */
static __device__ double block_largest(double x)
{
    __shared__ double of_warp[WARPS];
    for (int by = WARP / 2; by > 0; by /= 2) x = fmax(x, __shfl_xor_sync(0xffffffffu, x, by));
    __syncthreads();
    if (lane_number() == 0) of_warp[warp_number()] = x;
    __syncthreads();
    for (int w = 0; w < WARPS; w++) x = fmax(x, of_warp[w]);
    return x;
}

/* The power of two above x, as frexp has it; 0 of 0. */
static __device__ int exponent_of(double x)
{
    if (x == 0) return 0;
    const bool     small = x < 0x1p-1000;
    const uint64_t bits = tess__bits_of_f64(small ? x * 0x1p60 : x);
    return (int)(bits >> 52) - 1022 - (small ? 60 : 0);
}

/* A matrix of one problem in columns `height` long, times a power of two that makes its largest element about 1; that
 * power is returned. */
template <int D>
static __noinline__ __device__ int fetch(number *to, int64_t height, const tess__gpu_array &from, int64_t first,
                                         int64_t m, int64_t n, bool transposed)
{
    const typename element<D>::stored *data = (const typename element<D>::stored *)from.data + first;
    double                             largest = 0;
    EACH (int64_t at = threadIdx.x; at < m * n; at += THREADS) {
        const int64_t i = at / n, j = at % n;
        const number  x = convert<NUMBER, D>(element<D>::load(data[i * from.stride[2] + j * from.stride[3]]));
        largest = fmax(largest, largest_part(x));
        to[transposed ? i * height + j : j * height + i] = transposed ? conjugate(x) : x;
    }
    const int exponent = exponent_of(block_largest(largest));
    EACH (int64_t at = threadIdx.x; at < m * n; at += THREADS) {
        const int64_t i = at / n, j = at % n;
        number       *x = to + (transposed ? i * height + j : j * height + i);
        *x = shifted(*x, -exponent);
    }
    __syncthreads();
    return exponent;
}

static __device__ int64_t matrix_at(const tess__gpu_lstsq &p, const tess__gpu_array &a, int64_t index)
{
    return index / p.d * a.stride[0] + index % p.d * a.stride[1];
}

static __noinline__ __device__ void put_results(const tess__gpu_lstsq &p, const problem &z, int64_t index, int in_a,
                                                int in_b, int64_t rank)
{
    element<OF_X>::stored *x = (element<OF_X>::stored *)p.x.data + matrix_at(p, p.x, index);
    EACH (int64_t at = threadIdx.x; at < z.n * z.k; at += THREADS) {
        const int64_t i = at / z.k, r = at % z.k;
        x[i * p.x.stride[2] + r * p.x.stride[3]] =
            element<OF_X>::store(convert<OF_X, NUMBER>(shifted(z.rhs[r * z.p + i], in_b - in_a)));
    }
    element<OF_VALUES>::stored *values = (element<OF_VALUES>::stored *)p.values.data + matrix_at(p, p.values, index);
    EACH (int64_t i = threadIdx.x; i < z.q && p.values.data; i += THREADS)
        values[i * p.values.stride[3]] =
            element<OF_VALUES>::store(convert<OF_VALUES, TESS_F64>(ldexp(z.size[z.order[z.q + i]], in_a)));
    if (p.rank.data && threadIdx.x == 0) ((int64_t *)p.rank.data)[matrix_at(p, p.rank, index)] = rank;
    __syncthreads();
}

TESS_KERNEL(THREADS, tess__gpu_lstsq, p)
{
    const problem z = problem_in(p);
    EACH (int64_t index = blockIdx.x; index < p.problems; index += gridDim.x) {
        const int     in_a = fetch<OF_A>(z.f, z.p, p.a, matrix_at(p, p.a, index), z.m, z.n, z.wide);
        const int     in_b = fetch<OF_B>(z.rhs, z.p, p.b, matrix_at(p, p.b, index), z.m, z.k, false);
        const int64_t rank = solve_problem(z, p.cond, p.values.data != 0);
        put_results(p, z, index, in_a, in_b, rank);
    }
}
