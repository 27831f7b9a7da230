/* Sums of blocks in a fixed order: each row of a block from left to right, four neighbours by pairs, in runs where it
 * is long; and these sums in the order of the rows. The CPU does the same, and the bits are the same.
 *
 * The program defines IN and OUT, the dtypes of elements, or of their reals if COMPLEX is 1, MEAN, and FACTOR, the
 * neighbours of a row of a block if they are few, or 0. Means of integers of 64 bits are made of two sums, of their
 * lower and of their upper halves, since one would wrap. */
#ifndef TESS_CUDA_RESIZE_BIN_BLOCKS_CU_H
#define TESS_CUDA_RESIZE_BIN_BLOCKS_CU_H

#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"
#include "cuda/resize/bin_params.h"

enum {
    THREADS = 256,
    RUN = TESS__GPU_BIN_RUN,
    REALS = COMPLEX ? 2 : 1,
    HALVES = MEAN && (IN == TESS_I64 || IN == TESS_U64),
    PARTS = HALVES ? 2 : REALS /* sums of a result */
};

typedef element<IN>::stored stored;

/* Neighbours that are read by one load, if they are a power of 2. */
static constexpr int alignment_of(int n)
{
    return n & (n - 1) ? (int)sizeof(stored) : n * (int)sizeof(stored) < 16 ? n * (int)sizeof(stored) : 16;
}

template <int N> struct alignas(alignment_of(N)) group {
    stored at[N];
};

/* ---- Sums ---- */

/* Sums of f32 and of f64, where the former are the result if blocks are two rows of two, and they are finite. */
struct both_sums {
    float  narrow;
    double wide;
    __device__ both_sums() {}
    __device__ explicit both_sums(double x) : narrow((float)x), wide(x) {}
    __device__ explicit operator double() const { return wide; }
    __device__ both_sums &operator+=(const both_sums &x)
    {
        narrow += x.narrow;
        wide += x.wide;
        return *this;
    }
};

static __device__ both_sums operator+(both_sums x, const both_sums &y) { return x += y; }

template <bool FLOATS, bool BOTH> struct sums_of {
    typedef double type;
};
template <> struct sums_of<true, true> {
    typedef both_sums type;
};
template <> struct sums_of<false, false> {
    typedef uint64_t type; /* of signed numbers, too: modulo 2^64 */
};
typedef sums_of<element<IN>::kind == KIND_FLOAT, IN == TESS_F32 && OUT == TESS_F32 && !COMPLEX && FACTOR == 2>::type
    sum;

static __device__ double   chosen(const tess__gpu_bin &, double x) { return x; }
static __device__ uint64_t chosen(const tess__gpu_bin &, uint64_t x) { return x; }
static __device__ double   chosen(const tess__gpu_bin &p, const both_sums &x)
{
    return p.quads && x.narrow - x.narrow == 0 ? (double)x.narrow : x.wide;
}

template <int D> static __device__ sum value_of(typename element<D>::stored x, int part)
{
    if constexpr (element<D>::kind == KIND_FLOAT) return (sum)element<D>::load(x);
    else if constexpr (!HALVES) return (sum)x;
    else if (part == 0) return (sum)((uint64_t)x & 0xffffffffu);
    else return (sum)(x >> 32);
}

static __device__ sum value(stored x, int part) { return value_of<IN>(x, part); }

/* N neighbours that are there. */
template <int N> static __device__ sum sum_of(const stored *x, int part)
{
    sum s[N];
#pragma unroll
    for (int e = 0; e < N; e++) s[e] = value(x[e], part);
    if constexpr (N == 4) return (s[0] + s[1]) + (s[2] + s[3]);
#pragma unroll
    for (int e = 1; e < N; e++) s[0] += s[e];
    return s[0];
}

/* N neighbours in memory. */
template <int N> static __device__ sum few(const stored *x, int64_t stride, bool together, int part)
{
    group<N> all;
    if (together) {
        all = *(const group<N> *)x;
    } else {
#pragma unroll
        for (int e = 0; e < N; e++) all.at[e] = x[e * stride];
    }
    return sum_of<N>(all.at, part);
}

/* n neighbours, 1 or more. Called once for many of them, so not inlined into unrolled loops. */
static __noinline__ __device__ sum many(const stored *x, int64_t stride, int64_t n, int part)
{
    enum { EACH = 16 / sizeof(stored) };
    if (n == 4) return few<4>(x, stride, false, part);
    sum     s = value(x[0], part);
    int64_t i = 1;
    if (stride == 1) {
        for (; i < n && ((uint64_t)(x + i) & 15); i++) s += value(x[i], part);
        for (; i + EACH <= n; i += EACH) {
            const group<EACH> all = *(const group<EACH> *)(x + i);
#pragma unroll
            for (int e = 0; e < EACH; e++) s += value(all.at[e], part);
        }
    }
    for (; i < n; i++) s += value(x[i * stride], part);
    return s;
}

/* ---- Blocks ---- */

/* The block of a result: its first element, and how many it has along each axis. */
struct block {
    const stored *in;
    int64_t       n[4];
};

static __device__ block block_of(const tess__gpu_bin &p, const int64_t position[4])
{
    block b = { (const stored *)p.in.data, { 0 } };
#pragma unroll
    for (int d = 0; d < 4; d++) {
        const int64_t first = position[d] * p.factor[d], left = p.n_in[d] - first;
        b.n[d] = left < p.factor[d] ? left : p.factor[d];
        b.in += first * p.in.stride[d] * REALS;
    }
    return b;
}

static __device__ sum nothing() { return (sum)-0.0; /* which changes no sum, not even the sign of 0 */ }

static __device__ void add_row(sum s[PARTS], const tess__gpu_bin &p, const stored *row, int64_t n)
{
    const int64_t stride = p.in.stride[3] * REALS;
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const stored *x = row + (HALVES ? 0 : part);
        if (FACTOR && n == FACTOR) {
            s[part] += few < FACTOR ? FACTOR : 1 > (x, stride, p.together, part);
        } else {
            for (int64_t i = 0; i < n; i += RUN)
                s[part] += many(x + i * stride, stride, n - i < RUN ? n - i : RUN, part);
        }
    }
}

static __device__ void add_up(sum s[PARTS], const tess__gpu_bin &p, const block &b)
{
#pragma unroll
    for (int part = 0; part < PARTS; part++) s[part] = nothing();
    for (int64_t i = 0; i < b.n[0]; i++)
        for (int64_t j = 0; j < b.n[1]; j++) {
            const stored *row = b.in + (i * p.in.stride[0] + j * p.in.stride[1]) * REALS;
#pragma unroll 4
            for (int64_t h = 0; h < b.n[2]; h++) add_row(s, p, row + h * p.in.stride[2] * REALS, b.n[3]);
        }
}

/* ---- Results ---- */

/* By a power of two, a product is the same as a quotient. */
static __device__ double divided(double x, int64_t n) { return n & (n - 1) ? x / (double)n : x * (1 / (double)n); }

static __device__ double wide(uint64_t x) { return element<IN>::kind == KIND_SIGNED ? (double)(int64_t)x : (double)x; }
static __device__ double wide(double x) { return x; }

template <int D, class S> static __device__ typename element<D>::stored kept(S x)
{
    if constexpr (element<IN>::kind == KIND_FLOAT) return element<D>::store(convert<D, TESS_F64>(x));
    else if constexpr (element<IN>::kind == KIND_SIGNED) return element<D>::store(convert<D, TESS_I64>((int64_t)x));
    else return element<D>::store(convert<D, TESS_U64>(x));
}

static __device__ void epilogue(const tess__gpu_bin &p, const int64_t position[4], const sum s[PARTS], const block &b)
{
    typedef element<OUT>::stored result;
    result                      *out = (result *)p.out.data + grid_offset(p.out.stride, position) * REALS;
#if MEAN
    const int64_t n = b.n[0] * b.n[1] * b.n[2] * b.n[3];
    if (HALVES) {
        const double all = __builtin_fma(wide(chosen(p, s[PARTS - 1])), 0x1p32, (double)s[0]);
        *out = element<OUT>::store(convert<OUT, TESS_F64>(divided(all, n)));
        return;
    }
#pragma unroll
    for (int part = 0; part < REALS; part++)
        out[part] = element<OUT>::store(convert<OUT, TESS_F64>(divided(wide(chosen(p, s[part])), n)));
#else
    (void)b;
#pragma unroll
    for (int part = 0; part < REALS; part++) out[part] = kept<OUT>(chosen(p, s[part]));
#endif
}

#endif
