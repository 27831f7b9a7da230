/* Device side of user-defined operators: what the generated code and the kernels around it share.
 *
 * The code that lang/print/print_device.c prints defines before this: READS(X), WRITES(X) with X(number, stored
 * type) for each array that is gone through, SCATTERS(X) with X(number, dtype, statements that add), FAULTS,
 * MAX_TRIPS; and after it:
 *
 *     struct operands                            p0, p1, …: an element of each array
 *     struct state                               a0, a1, …: the accumulators
 *     body(tile, ib, id, ih, iw, x, s, fault, copies)
 *     start(s), combine(tile, s, o, fault), finish(tile, s, at, fault)      of a reduction
 *
 * and before all: PACK (elements that are read at once), ONES, KEPT (axes of size 1, axes that results have, as bits),
 * WIDE (1: numbers of packs beyond 2^31), SCALARS (inputs that are a number), STILL (arrays that are the same along
 * w), ORDERED (how scatters add: 0, or a TESS__GPU_ of op_params.h). */
#ifndef TESS_CUDA_OP_OP_CU_H
#define TESS_CUDA_OP_OP_CU_H

#include "tessera/border.h"

#include "cuda/jit/division.cu.h"
#include "cuda/jit/elements.cu.h"
#include "cuda/op/op_params.h"
#include "cuda/op/sum.cu.h"

#define tess__c_shape(k, axis) (tile->operand[k].shape[axis])
#define tess__c_size(axis) (tile->size[axis])
#define tess__c_count (tile->count)
#define tess__c_random(seed, counter) tess__unit_f32(tess__random_u32(seed, 0, counter, 0))

/* ---- Indices ---- */

#if WIDE
typedef int64_t index_type;
#else
typedef uint32_t index_type;
#endif

/* The indices of number i among the axes of a set, the last one fastest; others stay. */
template <int AXES> static __device__ void split(int64_t at[4], const tess__gpu_op &p, index_type i)
{
#pragma unroll
    for (int d = 3; d >= 0; d--) {
        if (!((AXES & ~ONES) >> d & 1)) continue;
        if (!((AXES & ~ONES) & ((1 << d) - 1))) { /* the first of them has what is left */
            at[d] = (int64_t)i;
            continue;
        }
#if WIDE
        const index_type quotient = i / p.steps[d];
#else
        const index_type quotient = quotient_of(i, p.divisor[d]);
#endif
        at[d] = (int64_t)(i - quotient * (index_type)p.steps[d]);
        i = quotient;
    }
}

static __device__ int64_t offset(const tess__gpu_operand &o, const int64_t at[4])
{
    int64_t sum = 0;
#pragma unroll
    for (int d = 0; d < 4; d++)
        if (!(ONES >> d & 1)) sum += at[d] * o.stride[d];
    return sum;
}

/* How many elements the pack at this index has. */
static __device__ int length_of(const tess__gpu_op &p, const int64_t at[4])
{
    return PACK > 1 && p.tail && at[3] == p.steps[3] - 1 ? (int)p.tail : PACK;
}

/* Where the result of an output goes. */
template <class T> static __device__ T *result(const tess__gpu_op *tile, int k, const int64_t *at)
{
    return (T *)tile->operand[k].data + offset(tile->operand[k], at);
}

/* ---- Packs ---- */

template <class T, int N> struct alignas(N == 1 ? alignof(T) : sizeof(T) * N <= 16 ? sizeof(T) * N : 16) pack {
    T at[N];
};

template <class T, int K>
static __device__ void load(pack<T, PACK> &to, const tess__gpu_op &p, const int64_t at[4], int length)
{
    const tess__gpu_operand &o = p.operand[K];
    if constexpr ((SCALARS >> K & 1) || (STILL >> K & 1)) {
        const T value = SCALARS >> K & 1 ? *(const T *)o.value : ((const T *)o.data)[offset(o, at)];
#pragma unroll
        for (int e = 0; e < PACK; e++) to.at[e] = value;
    } else {
        const T *from = (const T *)o.data + offset(o, at);
        if (length == PACK) {
            to = *(const pack<T, PACK> *)from;
        } else {
#pragma unroll
            for (int e = 0; e < PACK; e++)
                if (e < length) to.at[e] = from[e];
        }
    }
}

template <class T, int K>
static __device__ void store(const tess__gpu_op &p, const int64_t at[4], int length, const pack<T, PACK> &from)
{
    T *to = (T *)p.operand[K].data + offset(p.operand[K], at);
    if (length == PACK) {
        *(pack<T, PACK> *)to = from;
    } else {
#pragma unroll
        for (int e = 0; e < PACK; e++)
            if (e < length) to[e] = from.at[e];
    }
}

/* ---- Faults ---- */

/* Keep the first one by its number. */
static __device__ void report(const tess__gpu_op &p, uint64_t number, const tess_fault &found)
{
#if FAULTS
    volatile tess__gpu_fault *const kept = (volatile tess__gpu_fault *)p.fault;
    const uint64_t                  rank = ~number;
    bool                            waits = found.set && kept->rank < rank;
    while (waits) {
        if (atomicCAS((uint32_t *)&kept->lock, 0u, 1u) != 0) continue;
        __threadfence();
        if (kept->rank < rank) {
            kept->rank = rank;
            kept->set = found.set;
            kept->view = found.view;
            for (int d = 0; d < 4; d++) kept->index[d] = found.index[d];
        }
        __threadfence();
        (void)atomicExch((uint32_t *)&kept->lock, 0u);
        waits = false;
    }
#endif
}

static __device__ uint64_t number_of(const tess__gpu_op &p, int64_t b, int64_t d, int64_t h, int64_t w)
{
    return (uint64_t)(((b * p.size[1] + d) * p.size[2] + h) * p.size[3] + w);
}

/* Loop guard: loops whose iterations are counted, as cpu/op/vm.c does it. */
struct loop_guard {
    tess_fault *fault;
    bool        stopped;

    __device__ uint32_t stop(int why, int64_t x, int64_t y)
    {
        stopped = true;
        if (fault->set) return 0;
        fault->set = why;
        fault->view = -1;
        fault->index[0] = x;
        fault->index[1] = y;
        fault->index[2] = fault->index[3] = 0;
        return 0;
    }

    /* The trip count of a loop; `trips` is what it has done so far. */
    __device__ uint32_t take(uint32_t &trips, int64_t from, int64_t to, uint64_t step, bool inclusive)
    {
        if (stopped || (inclusive ? from > to : from >= to)) return 0;
        const uint64_t span = (uint64_t)to - (uint64_t)from, left = (inclusive ? span : span - 1) / step;
        if (left >= (uint64_t)MAX_TRIPS - trips) return stop(TESS__FAULT_TRIPS, MAX_TRIPS, 0);
        if (from < INT32_MIN || (int64_t)((uint64_t)from + left * step) > INT32_MAX)
            return stop(TESS__FAULT_COUNTER, from, to);
        trips += (uint32_t)left + 1;
        return (uint32_t)left + 1;
    }
};

/* ---- Scatters ---- */

/* Elements smaller than a word, and those without an atomic addition of their own: compare-and-swap of the whole
 * word. */
template <class T, class F> static __device__ void change(T *at, F sum)
{
    const uintptr_t first = (uintptr_t)at & ~(uintptr_t)3;
    uint32_t *const word = (uint32_t *)first;
    const uint32_t  byte = (uint32_t)((uintptr_t)at - first);
    uint32_t        seen = *(volatile uint32_t *)word, before;
    do {
        before = seen;
        uint32_t after = before;
        T        x;
        memcpy(&x, (const char *)&before + byte, sizeof x);
        x = sum(x);
        memcpy((char *)&after + byte, &x, sizeof x);
        seen = atomicCAS(word, before, after);
    } while (seen != before);
}

template <int D> static __device__ void add_to(typename element<D>::stored *at, typename element<D>::held x)
{
    typedef typename element<D>::stored stored;
    if constexpr (D == TESS_I32 || D == TESS_U32) (void)atomicAdd((unsigned *)at, (unsigned)x);
    else if constexpr (D == TESS_I64 || D == TESS_U64) (void)atomicAdd((unsigned long long *)at, (unsigned long long)x);
    else if constexpr (D == TESS_F32 || D == TESS_F64) (void)atomicAdd(at, x);
    else if constexpr (D == TESS_C32 || D == TESS_C64) {
        (void)atomicAdd(&at->re, x.re);
        (void)atomicAdd(&at->im, x.im);
    } else if constexpr (D == TESS_F16) change(at, [x](stored y) { return tess__kept_f16(tess__held_f16(y) + x); });
    else if constexpr (D == TESS_C16) { /* half of it may lie in the next word */ add_to<TESS_F16>(&at->re, x.re);
        add_to<TESS_F16>(&at->im, x.im);
    } else change(at, [x](stored y) { return (stored)(y + x); });
}

/* The number of an element in a contiguous copy; -1 outside. */
static __device__ int64_t bin_of(const tess__gpu_operand &o, int64_t b, int64_t d, int64_t h, int64_t w)
{
    const bool inside = ((uint64_t)b < (uint64_t)o.shape[0]) & ((uint64_t)d < (uint64_t)o.shape[1]) &
                        ((uint64_t)h < (uint64_t)o.shape[2]) & ((uint64_t)w < (uint64_t)o.shape[3]);
    return inside ? b * o.copy_batch + (d * o.shape[2] + h) * o.shape[3] + w : -1;
}

/* An array that is added to: itself, or the block's copy of it. */
template <int D> struct scattering {
    typedef typename element<D>::stored stored;
    const tess__gpu_operand            &o;
    stored                             *data;
    bool                                is_copy;

    __device__ scattering(const tess__gpu_operand &operand, unsigned char *copies) : o(operand)
    {
        is_copy = copies != 0;
        data = copies ? (stored *)(copies + operand.copy) : (stored *)operand.data;
    }

    __device__ void add(int64_t b, int64_t d, int64_t h, int64_t w, typename element<D>::held x) const
    {
        const int64_t bin = bin_of(o, b, d, h, w);
        if (bin < 0) return;
#if ORDERED
        data[bin] = sum_of<D>(data[bin], x);
#else
        if (is_copy) add_to<D>(data + bin, x);
        else add_to<D>(data + (b * o.stride[0] + d * o.stride[1] + h * o.stride[2] + w * o.stride[3]), x);
#endif
    }

    template <int STATEMENT>
    __device__ void add_by(int64_t b, int64_t d, int64_t h, int64_t w, typename element<D>::held x) const
    {
        add(b, d, h, w, x);
    }
};

#if ORDERED == TESS__GPU_LOGGED
/* What the N statements of a body add for one element: kept until all threads of a warp can add in their order. */
template <int D, int N> struct logged {
    int32_t                   bin[N];
    typename element<D>::held value[N];
};

template <int D, int N> struct logging {
    const tess__gpu_operand &o;
    logged<D, N>            &log;

    __device__ logging(const tess__gpu_operand &operand, logged<D, N> &to) : o(operand), log(to) {}

    template <int STATEMENT>
    __device__ void add_by(int64_t b, int64_t d, int64_t h, int64_t w, typename element<D>::held x) const
    {
        log.bin[STATEMENT] = (int32_t)bin_of(o, b, d, h, w);
        log.value[STATEMENT] = x;
    }
};

struct scatter_to {
#define DECLARE(k, D, N) logged<D, N> w##k;
    SCATTERS(DECLARE)
#undef DECLARE
};
#define SCATTER_WINDOW(k, D, N) const logging<D, N> w##k(tile->operand[k], copies->w##k);
#else
typedef unsigned char scatter_to;
#define SCATTER_WINDOW(k, D, N) const scattering<D> w##k(tile->operand[k], copies);
#endif

#endif
