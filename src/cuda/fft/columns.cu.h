/* Mixed-radix Stockham FFT of columns: a block transforms some neighbouring columns, and a thread holds some
 * elements of one in its registers; between the stages threads exchange elements through shared memory: complex
 * numbers (TOGETHER) or, where columns are too long for that, first the real parts, then the imaginary ones.
 *
 * In a stage of radix R, after stages that have transformed P elements, butterfly j reads elements j + i N / R,
 * rotates them by the twiddle factors k i / (P R) with k = j mod P, and writes elements (j - k) R + k + i P.
 *
 * The program defines REAL, SINGLE (is it f32?), LENGTH, COLUMNS and THREADS_EACH of a block, SLOTS, the maximum
 * number of elements that a thread holds, SHARED, TOGETHER, BACKWARD, FILTERED (elements are multiplied first),
 * TWIDDLES, the bits of all roots of unity of LENGTH, and STEPS, the calls that make a transform. */
#include "cuda/fft/columns_params.h"

enum { N = LENGTH, C = COLUMNS, T = THREADS_EACH, THREADS = C * T };

/* ---- Arithmetic ---- */

typedef REAL vec;
struct alignas(2 * sizeof(REAL)) number {
    REAL re, im;
};

#if SINGLE
#define TIMES_PLUS(x, y, z) __builtin_fmaf(x, y, z)
typedef uint32_t bits;
#else
#define TIMES_PLUS(x, y, z) __builtin_fma(x, y, z)
typedef uint64_t                              bits;
#endif
#define TIMES(x, s) ((x) * (s))
#define PLUS_TIMES(c, x, s) TIMES_PLUS(x, s, c)
#define LESS_TIMES(c, x, s) TIMES_PLUS(-(x), s, c)
#define INLINE static __device__ __forceinline__
#define TABLE static __device__ const double
#ifdef TESS_SIMULATED
#define UNROLL_ALL _Pragma("GCC unroll 16")
#else
#define UNROLL_ALL _Pragma("unroll")
#endif

INLINE void rotate(REAL *re, REAL *im, REAL wr, REAL wi)
{
    const REAL r = *re, i = *im;
    *re = LESS_TIMES(TIMES(r, wr), i, wi);
    *im = PLUS_TIMES(TIMES(r, wi), i, wr);
}

#include "formulas/butterflies.op.h"

template <int R> INLINE void dft(REAL *re, REAL *im)
{
    if constexpr (R == 2) dft2(re, im);
    else if constexpr (R == 3) dft3(re, im);
    else if constexpr (R == 4) dft4(re, im);
    else if constexpr (R == 5) dft5(re, im);
    else if constexpr (R == 6) dft6(re, im);
    else if constexpr (R == 7) dft7(re, im);
    else if constexpr (R == 8) dft8(re, im);
    else if constexpr (R == 9) dft9(re, im);
    else if constexpr (R == 10) dft10(re, im);
    else if constexpr (R == 12) dft12(re, im);
    else if constexpr (R == 15) dft15(re, im);
    else dft16(re, im);
}

alignas(16) static __device__ const bits twiddles[2 * N] = { TWIDDLES };

/* ---- A thread's part ---- */

/* Its column, its number among the threads of that column, and what it holds: butterfly after butterfly. */
struct part {
    int  column, thread;
    bool idle; /* there is no such column */
    REAL re[SLOTS], im[SLOTS];
};

/* Every butterfly of a thread: its number `j`, and its index `at` among those the thread holds. */
#define EACH_BUTTERFLY(R, j, at)                                                                                       \
    UNROLL_ALL                                                                                                         \
    for (int b_ = 0, j = me.thread, at = 0; b_ < (N / R + T - 1) / T; b_++, j += T, at += R)                           \
        if (N / R % T == 0 || j < N / R)

template <int R, int P> INLINE void compute(part &me)
{
    EACH_BUTTERFLY(R, j, at)
    {
        if constexpr (P > 1) {
            const number *w = (const number *)twiddles;
            const int     k = j % P * (N / (P * R));
            UNROLL_ALL
            for (int i = 1; i < R; i++) rotate(&me.re[at + i], &me.im[at + i], w[k * i].re, w[k * i].im);
        }
        dft<R>(me.re + at, me.im + at);
    }
}

/* ---- From memory, from thread to thread, and back ---- */

/* An element times its multiplier: 0 gives 0, whatever the element is. */
INLINE number filtered(number x, REAL m)
{
    const number y = { m == 0 ? 0 : x.re * m, m == 0 ? 0 : x.im * m };
    return y;
}

/* Backward is forward with real and imaginary parts exchanged, before and after. */
template <int R> INLINE void take(part &me, const number *in, int64_t row, const REAL *multipliers, int64_t next)
{
    if (me.idle) return;
    EACH_BUTTERFLY(R, j, at)
    {
        UNROLL_ALL
        for (int i = 0; i < R; i++) {
            const int n = j + i * (N / R);
            number    x = in[n * row];
            if (FILTERED) x = filtered(x, multipliers[n * next]);
            me.re[at + i] = BACKWARD ? x.im : x.re;
            me.im[at + i] = BACKWARD ? x.re : x.im;
        }
    }
}

template <int R, int P> INLINE void give(const part &me, number *out, int64_t row, REAL scale)
{
    if (me.idle) return;
    EACH_BUTTERFLY(R, j, at)
    {
        const int k = j % P;
        UNROLL_ALL
        for (int i = 0; i < R; i++) {
            const REAL   re = me.re[at + i] * scale, im = me.im[at + i] * scale;
            const number x = { BACKWARD ? im : re, BACKWARD ? re : im };
            out[((j - k) * R + k + i * P) * row] = x;
        }
    }
}

/* Where element n of a column lies: every 16th is followed by padding, so that strides of 16 cause no bank
 * conflicts. */
INLINE int shared_index(const part &me, int n) { return (n + n / 16) * C + me.column; }

template <int R, int P, int NEXT, class PUT, class GET> INLINE void exchange(const part &me, PUT put, GET get)
{
    EACH_BUTTERFLY(R, j, at)
    {
        const int k = j % P;
        UNROLL_ALL
        for (int i = 0; i < R; i++) put(shared_index(me, (j - k) * R + k + i * P), at + i);
    }
    __syncthreads();
    EACH_BUTTERFLY(NEXT, j, at)
    {
        UNROLL_ALL
        for (int i = 0; i < NEXT; i++) get(shared_index(me, j + i * (N / NEXT)), at + i);
    }
    __syncthreads();
}

#if TOGETHER
typedef number                                exchanged;
template <int R, int P, int NEXT> INLINE void exchange_all(part &me, number *shared)
{
    exchange<R, P, NEXT>(
        me,
        [&](int there, int i) {
            shared[there] = number{ me.re[i], me.im[i] };
        },
        [&](int there, int i) {
            const number x = shared[there];
            me.re[i] = x.re, me.im[i] = x.im;
        });
}
#else
typedef REAL                                  exchanged;
template <int R, int P, int NEXT> INLINE void exchange_all(part &me, REAL *shared)
{
    exchange<R, P, NEXT>(
        me, [&](int there, int i) { shared[there] = me.re[i]; }, [&](int there, int i) { me.re[i] = shared[there]; });
    exchange<R, P, NEXT>(
        me, [&](int there, int i) { shared[there] = me.im[i]; }, [&](int there, int i) { me.im[i] = shared[there]; });
}
#endif

/* ---- The steps that the program is put together from ---- */

#define TAKE(R) take<R>(me, in, p.in_row, multipliers, p.multiplier_row);
#define COMPUTE(R, P) compute<R, P>(me);
#define EXCHANGE(R, P, NEXT) exchange_all<R, P, NEXT>(me, shared);
#define GIVE(R, P) give<R, P>(me, out, p.out_row, (REAL)p.scale);

/* Three small blocks, so that some compute while others wait for memory. */
TESS_KERNEL_TIGHT(THREADS, (THREADS < 768 ? 768 / THREADS : 1), tess__gpu_fft_columns, p)
{
    __shared__ exchanged shared[SHARED];
    part                 me;
    me.column = (int)(threadIdx.x % C);
    me.thread = (int)(threadIdx.x / C);
    const int64_t batch = blockIdx.x / p.groups, column = (blockIdx.x - batch * p.groups) * C + me.column;
    me.idle = column >= p.columns;
    const number *in = (const number *)p.in + batch * p.in_batch + column;
    const REAL   *multipliers = (const REAL *)p.multipliers + column;
    number       *out = (number *)p.out + batch * p.out_batch + column;
    STEPS
}
