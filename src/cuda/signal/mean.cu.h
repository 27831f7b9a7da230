/* Mean filter kernels: sums of a window along one axis, in the CPU's order.
 *
 * The program defines IN, OUT and SUM, the dtypes of elements and of sums, METHOD, a TESS__GPU_MEAN_ …, and SIZE: the
 * rows of a window along h whose sums are kept in registers, or 0.
 *
 * Along w, runs of 2^k elements are made of two of 2^(k-1), and a window of runs, the longest first. Along h, blocks
 * are as long as the window: it is the end of one and the beginning of the next one. */
#include "cuda/jit/elements.cu.h"
#include "cuda/signal/tile.cu.h"

typedef element<SUM>::held sum;

enum { THREADS = TESS__GPU_STENCIL_THREADS, LEVELS = 21 };

template <class S> static __device__ S add(S x, S y)
{
    if constexpr (element<SUM>::kind == KIND_COMPLEX) {
        x.re += y.re, x.im += y.im;
        return x;
    } else return x + y;
}

template <class S> static __device__ S quotient(S x, int64_t divisor)
{
    if (divisor == 0) return x;
    if constexpr (element<SUM>::kind == KIND_COMPLEX) {
        x.re /= (double)divisor, x.im /= (double)divisor;
        return x;
    } else return x / (double)divisor;
}

/* A position, of which one index may lie outside. */
typedef corner position;

static __device__ sum load(const tess__gpu_stencil &p, const position &x, int axis, int64_t i)
{
    const int64_t index = index_of(p, axis, i);
    if (index < 0) return *(const sum *)p.outside;
    const int64_t offset = x.batch * p.in.stride[0] + x.at[0] * p.in.stride[1] +
                           (axis == 1 ? index : x.at[1]) * p.in.stride[2] +
                           (axis == 2 ? index : x.at[2]) * p.in.stride[3];
    return convert<SUM, IN>(element<IN>::load(((const element<IN>::stored *)p.in.data)[offset]));
}

static __device__ void store(const tess__gpu_stencil &p, const position &x, int64_t row, sum value)
{
    const int64_t offset =
        x.batch * p.out.stride[0] + x.at[0] * p.out.stride[1] + row * p.out.stride[2] + x.at[2] * p.out.stride[3];
    ((element<OUT>::stored *)p.out.data)[offset] = element<OUT>::store(convert<OUT, SUM>(quotient(value, p.divisor)));
}

#if METHOD == TESS__GPU_MEAN_ROWS
__shared__ sum runs[2][THREADS + TESS__GPU_MEAN_SHORT];

/* A block has neighbouring results: runs are doubled in shared memory. */
static __device__ sum sum_row(const tess__gpu_stencil &p, const position &x, int64_t first)
{
    const int width = p.size[2], thread = (int)threadIdx.x;
    int       length = THREADS + width - 1, at = width, from = 0;
    sum       total = sum();
    for (int i = thread; i < length; i += THREADS) runs[0][i] = load(p, x, 2, first + i - width / 2);
    for (int run = 1;; run *= 2) {
        __syncthreads();
        if (width & run) {
            const bool is_first = at == width;
            at -= run;
            total = is_first ? runs[from][thread + at] : add(total, runs[from][thread + at]);
        }
        if (2 * run > width) return total;
        length -= run;
        for (int i = thread; i < length; i += THREADS) runs[1 - from][i] = add(runs[from][i], runs[from][i + run]);
        from = 1 - from;
    }
}
#elif METHOD == TESS__GPU_MEAN_LONG_ROWS
/* A thread by itself: runs of equal length are joined as they come, like the bits of a counter. */
static __device__ sum sum_row(const tess__gpu_stencil &p, const position &x, int64_t first)
{
    const int width = p.size[2];
    sum       runs[LEVELS], total = sum();
    for (int i = 0; i < width; i++) {
        sum value = load(p, x, 2, first + (int)threadIdx.x + i - width / 2);
        int level = 0;
        for (int bits = i; bits & 1; bits >>= 1) value = add(runs[level++], value);
        runs[level] = value;
    }
    bool is_first = true;
    for (int level = 0; width >> level; level++) {
        if (!(width >> level & 1)) continue;
        total = is_first ? runs[level] : add(total, runs[level]);
        is_first = false;
    }
    return total;
}
#endif

#if METHOD == TESS__GPU_MEAN_COLUMNS
/* The sums that end a block, in registers or in memory. */
#if SIZE
#define KEPT(i) kept[i]
#define ROWS_OF(p) SIZE
#else
#define KEPT(i) kept[(i)*step]
#define ROWS_OF(p) p.size[1]
#endif

/* A thread a block of a column. */
static __device__ void sum_block(const tess__gpu_stencil &p, int64_t item)
{
    const int64_t rows = ROWS_OF(p);
    position      x;
    int64_t       number = item;
    x.at[2] = p.first[2] + number % p.tiles[1];
    number /= p.tiles[1];
    const int64_t first = p.first[1] + number % p.tiles[0] * rows;
    number /= p.tiles[0];
    x.at[0] = p.first[0] + number % (p.end[0] - p.first[0]);
    x.batch = number / (p.end[0] - p.first[0]);
    x.at[1] = 0;
#if SIZE
    sum kept[SIZE];
#else
    const int64_t step = p.items;
    sum          *kept = (sum *)p.filter + item;
#endif
    sum value = load(p, x, 1, first + rows - 1 - rows / 2);
    KEPT(rows - 1) = value;
#pragma unroll
    for (int64_t i = rows - 2; i >= 0; i--) {
        value = add(load(p, x, 1, first + i - rows / 2), value);
        KEPT(i) = value;
    }
    store(p, x, first, value);
    sum beginning = sum();
#pragma unroll
    for (int64_t i = 1; i < rows; i++) {
        if (first + i >= p.end[1]) break;
        const sum next = load(p, x, 1, first + i + rows / 2);
        beginning = i == 1 ? next : add(beginning, next);
        store(p, x, first + i, add(KEPT(i), beginning));
    }
}

TESS_KERNEL(THREADS, tess__gpu_stencil, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (item < p.items) sum_block(p, item);
}
#else
TESS_KERNEL(THREADS, tess__gpu_stencil, p)
{
    position      x = corner_of_block(p, 1, THREADS);
    const int64_t first = x.at[2];
    x.at[2] += (int)threadIdx.x;
    const sum value = sum_row(p, x, first);
    if (x.at[2] < p.end[2]) store(p, x, x.at[1], value);
}
#endif
