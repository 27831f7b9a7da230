/* Accumulators of reductions. Each is a struct with a state of 8-byte slots and
 *
 *     clear(s)             the state of no numbers
 *     start(s, x, y)       before the first elements of a thread, of which x and y are one
 *     add(s, x, y, number) elements as they are stored; y is of the second input, if there is one
 *     settle(s)            after the last element
 *     merge(a, b)          b is added to a; both are settled
 *     epilogue<WHICH>(s, n, ddof)  output WHICH, of dtype wide; n is how many elements there were
 *
 * `folds` is 1 if rounding errors grow with the numbers that are added one after the other.
 */
#ifndef TESS_CUDA_REDUCE_ITEMS_CU_H
#define TESS_CUDA_REDUCE_ITEMS_CU_H

#include "cuda/jit/elements.cu.h"

#define NOTHING_TO_START                                                                                               \
    template <class S, class A, class B> static __device__ void start(S &, A, B) {}
#define NOTHING_TO_SETTLE                                                                                              \
    template <class S> static __device__ void settle(S &) {}
#define TRAITS(wide_dtype, folds_) enum { wide = wide_dtype, folds = folds_ };

template <int D> struct is_complex {
    enum { value = element<D>::kind == KIND_COMPLEX };
};
template <int D> struct is_float {
    enum { value = element<D>::kind == KIND_FLOAT };
};

template <bool FIRST, class A, class B> struct choose {
    typedef A type;
};
template <class A, class B> struct choose<false, A, B> {
    typedef B type;
};

/* How many numbers were added: counted only where some are left out. */
template <bool COUNTS> struct counter {
    __device__ void    none() {}
    __device__ void    one() {}
    __device__ void    more(const counter &) {}
    __device__ int64_t of(int64_t all) const { return all; }
};
template <> struct counter<true> {
    int64_t            numbers;
    __device__ void    none() { numbers = 0; }
    __device__ void    one() { numbers++; }
    __device__ void    more(const counter &t) { numbers += t.numbers; }
    __device__ int64_t of(int64_t) const { return numbers; }
};

/* ---- Sums of floats ---- */

template <bool COMPENSATED> struct total {
    double            sum;
    __device__ void   clear() { sum = -0.0; }
    __device__ void   add(double x) { sum += x; }
    __device__ void   merge(const total &t) { sum += t.sum; }
    __device__ double value() const { return sum; }
};

/* With what rounding took from it. That means nothing where the sum is not finite. */
template <> struct total<true> {
    double          sum, error;
    __device__ void clear() { sum = -0.0, error = 0; }
    __device__ void add(double x)
    {
        const double t = sum + x, back = t - sum;
        error += (sum - (t - back)) + (x - back);
        sum = t;
    }
    __device__ void merge(const total &t)
    {
        add(t.sum);
        error += t.error;
    }
    __device__ double value() const { return sum - sum == 0 && error != 0 ? sum + error : sum; }
};

/* Terms of one or two elements: `parts` doubles. */
template <int X> struct term_self {
    enum { parts = is_complex<X>::value ? 2 : 1 };
    template <class A, class B> static __device__ void of(double *t, A x, B)
    {
        if constexpr (is_complex<X>::value) {
            const auto z = element<X>::load(x);
            t[0] = z.re, t[1] = z.im;
        } else {
            t[0] = (double)element<X>::load(x);
        }
    }
};

template <int X> struct term_magnitude {
    enum { parts = 1 };
    template <class A, class B> static __device__ void of(double *t, A x, B)
    {
        if constexpr (is_complex<X>::value) t[0] = tess__do_abs_c64(convert<TESS_C64, X>(element<X>::load(x)));
        else t[0] = __builtin_fabs((double)element<X>::load(x));
    }
};

/* Of f32 and what is read as such: products are exact. */
template <int X> struct term_square {
    enum { parts = 1 };
    template <class A, class B> static __device__ void of(double *t, A x, B y)
    {
        double z[2];
        term_self<X>::of(z, x, y);
        if constexpr (is_complex<X>::value) t[0] = __builtin_fma(z[0], z[0], z[1] * z[1]);
        else t[0] = z[0] * z[0];
    }
};

/* R is the dtype that both are converted to. */
template <int R, int X, int Y> struct term_product {
    enum { parts = is_complex<R>::value ? 2 : 1 };
    template <class A, class B> static __device__ void of(double *t, A x, B y)
    {
        const auto u = convert<R, X>(element<X>::load(x)), v = convert<R, Y>(element<Y>::load(y));
        if constexpr (is_complex<R>::value) {
            const tess_c64 z = tess__do_mul_c64(u, v);
            t[0] = z.re, t[1] = z.im;
        } else {
            t[0] = (double)u * (double)v;
        }
    }
};

template <int R, int X, int Y> struct term_difference {
    enum { parts = is_complex<R>::value ? 2 : 1 };
    template <class A, class B> static __device__ void of(double *t, A x, B y)
    {
        const auto u = convert<R, X>(element<X>::load(x)), v = convert<R, Y>(element<Y>::load(y));
        if constexpr (is_complex<R>::value) t[0] = u.re - v.re, t[1] = u.im - v.im;
        else t[0] = u - v;
    }
};

enum { EPILOGUE_SUM, EPILOGUE_MEAN, EPILOGUE_SQRT };

template <class TERM, bool COMPENSATED, bool SKIP, int EPILOGUE> struct added {
    enum { parts = TERM::parts };
    struct state : counter<SKIP> {
        total<COMPENSATED> part[parts];
    };
    TRAITS(parts == 2 ? TESS_C64 : TESS_F64, 1)
    static __device__ void clear(state &s)
    {
        s.none();
        for (int p = 0; p < parts; p++) s.part[p].clear();
    }
    NOTHING_TO_START
    template <class A, class B> static __device__ void add(state &s, A x, B y, int64_t)
    {
        double t[2];
        TERM::of(t, x, y);
        if (SKIP && (t[0] != t[0] || t[parts - 1] != t[parts - 1])) return;
        s.one();
#pragma unroll
        for (int p = 0; p < parts; p++) s.part[p].add(t[p]);
    }
    NOTHING_TO_SETTLE
    static __device__ void merge(state &a, const state &b)
    {
        a.more(b);
#pragma unroll
        for (int p = 0; p < parts; p++) a.part[p].merge(b.part[p]);
    }
    static __device__ double end(double sum, int64_t n)
    {
        if (n == 0) sum = 0;
        if (EPILOGUE == EPILOGUE_MEAN) sum /= (double)n;
        return EPILOGUE == EPILOGUE_SQRT ? __builtin_sqrt(sum) : sum;
    }
    template <int WHICH> static __device__ auto epilogue(const state &s, int64_t n, int)
    {
        n = s.of(n);
        if constexpr (parts == 2) {
            tess_c64 z;
            z.re = end(s.part[0].value(), n), z.im = end(s.part[1].value(), n);
            return z;
        } else {
            return end(s.part[0].value(), n);
        }
    }
};

/* Sums of in * weights and of weights. */
template <int X, int Y> struct weighted {
    enum { parts = is_complex<X>::value ? 2 : 1 };
    struct state {
        double part[parts], weights;
    };
    TRAITS(parts == 2 ? TESS_C64 : TESS_F64, 1)
    static __device__ void clear(state &s)
    {
        s.weights = -0.0;
        for (int p = 0; p < parts; p++) s.part[p] = -0.0;
    }
    NOTHING_TO_START
    template <class A, class B> static __device__ void add(state &s, A x, B y, int64_t)
    {
        double       t[2];
        const double weight = (double)element<Y>::load(y);
        term_self<X>::of(t, x, y);
        for (int p = 0; p < parts; p++) s.part[p] += t[p] * weight;
        s.weights += weight;
    }
    NOTHING_TO_SETTLE
    static __device__ void merge(state &a, const state &b)
    {
        for (int p = 0; p < parts; p++) a.part[p] += b.part[p];
        a.weights += b.weights;
    }
    template <int WHICH> static __device__ auto epilogue(const state &s, int64_t, int)
    {
        if constexpr (parts == 2) {
            tess_c64 z;
            z.re = s.part[0] / s.weights, z.im = s.part[1] / s.weights;
            return z;
        } else {
            return s.part[0] / s.weights;
        }
    }
};

/* The root of the sum, or of the mean, of squares of f64: what is too large or too small to be squared is scaled and
 * summed separately. */
template <class TERM, bool SKIP, bool MEAN> struct length {
    struct state {
        double large, middle, small;
    };
    TRAITS(TESS_F64, 1)
    static __device__ void clear(state &s) { s.large = s.middle = s.small = 0; }
    NOTHING_TO_START
    static __device__ void add_one(state &s, double x)
    {
        const double size = __builtin_fabs(x), up = x * 0x1p600, down = x * 0x1p-600;
        if (size > 0x1p500) s.large += down * down;
        else if (size < 0x1p-500) s.small += up * up;
        else s.middle += x * x;
    }
    template <class A, class B> static __device__ void add(state &s, A x, B y, int64_t)
    {
        double t[2];
        TERM::of(t, x, y);
        constexpr int parts = TERM::parts;
        if (SKIP && (t[0] != t[0] || t[parts - 1] != t[parts - 1])) return;
        for (int p = 0; p < parts; p++) add_one(s, t[p]);
    }
    NOTHING_TO_SETTLE
    static __device__ void merge(state &a, const state &b)
    {
        a.large += b.large, a.middle += b.middle, a.small += b.small;
    }
    template <int WHICH> static __device__ double epilogue(const state &s, int64_t numbers, int)
    {
        const double n = MEAN ? (double)numbers : 1;
        if (s.large != 0) return __builtin_sqrt((s.large + s.middle * 0x1p-600 * 0x1p-600) / n) * 0x1p600;
        if (s.middle != 0) return __builtin_sqrt((s.middle + s.small * 0x1p-600 * 0x1p-600) / n);
        return __builtin_sqrt(s.small / n) * 0x1p-600;
    }
};

/* ---- Variances ---- */

/* Distances from a pivot, an element of the thread's own, and their squares. Settled, s1 is the mean's distance from
 * the pivot and m2 the sum of squared distances from the mean: the distance of two means is then as good as the
 * elements are. */
template <bool SCALED> struct moments {
    double          pivot, s1, m2;
    __device__ void clear() { pivot = s1 = m2 = 0; }
    __device__ void add(double x)
    {
        const double d = x - pivot;
        s1 += d;
        m2 = __builtin_fma(d, d, m2);
    }
    __device__ void settle(double n)
    {
        const double mean = s1 / n, centred = m2 - s1 * mean;
        s1 = mean;
        m2 = centred < 0 ? 0 : centred;
    }
    /* After Chan, Golub and LeVeque. As many are usual, and spare a division. */
    __device__ void merge(const moments &b, double na, double nb)
    {
        const double delta = (b.pivot - pivot) + (b.s1 - s1), weight = na == nb ? 0.5 : nb / (na + nb);
        s1 += delta * weight;
        m2 += b.m2 + delta * (delta * (na * weight));
    }
};

/* Of f64, whose squares may leave its range while their roots do not: squares of what is too large or, as long as
 * there is none, too small are scaled and summed separately, the latter below 0. Settled, m2 is the root of the mean
 * of squared distances. Where finite numbers are farther apart than f64 can say, that is infinite. */
template <> struct moments<true> {
    double          pivot, s1, m2, other;
    __device__ void clear() { pivot = s1 = m2 = other = 0; }
    __device__ void add(double x)
    {
        const double d = x - pivot, size = __builtin_fabs(d), up = d * 0x1p600, down = d * 0x1p-600;
        const bool   too_far = size == __builtin_inf() && x - x == 0 && pivot - pivot == 0;
        s1 += too_far ? 0 : d;
        if (size > 0x1p500) other = __builtin_fma(down, down, other < 0 ? 0 : other);
        else if (size < 0x1p-500) other = other > 0 ? other : __builtin_fma(-up, up, other);
        else m2 = __builtin_fma(d, d, m2);
    }
    /* All squares over the square of 2^600, or of 1, or of 2^-600. */
    __device__ void settle(double n)
    {
        const double mean = s1 / n, scale = other > 0 ? 0x1p600 : m2 != 0 ? 1 : 0x1p-600, scaled = mean / scale;
        const double squares = other > 0 ? other + m2 * 0x1p-600 * 0x1p-600
                               : m2 != 0 ? m2 - other * 0x1p-600 * 0x1p-600
                                         : -other;
        const double centred = squares / n - scaled * scaled;
        s1 = mean;
        m2 = centred < 0 ? 0 : __builtin_sqrt(centred) * scale;
        other = 0;
    }
    __device__ void merge(const moments &b, double na, double nb)
    {
        const double delta = (b.pivot - pivot) + (b.s1 - s1), weight = na == nb ? 0.5 : nb / (na + nb);
        const double size = __builtin_fabs(delta), larger = m2 > b.m2 ? m2 : b.m2,
                     largest = size > larger ? size : larger;
        const double scale = largest > 0x1p500 ? 0x1p600 : largest < 0x1p-500 ? 0x1p-600 : 1;
        const double u = m2 / scale, v = b.m2 / scale, w = delta / scale;
        s1 += size < __builtin_inf() ? delta * weight : 0;
        m2 = __builtin_sqrt((1 - weight) * (u * u) + weight * (v * v) + weight * (1 - weight) * (w * w)) * scale;
    }
};

template <int X, bool SKIP, bool SQRT> struct variance {
    enum { parts = is_complex<X>::value ? 2 : 1, wide_range = X == TESS_F64 || X == TESS_C64 };
    struct state {
        moments<wide_range> part[parts];
        int64_t             n;
    };
    TRAITS(TESS_F64, 1)
    static __device__ void clear(state &s)
    {
        s.n = 0;
        for (int p = 0; p < parts; p++) s.part[p].clear();
    }
    static __device__ void set_pivot(state &s, const double *t)
    {
#pragma unroll
        for (int p = 0; p < parts; p++) s.part[p].pivot = t[p];
    }
    template <class A, class B> static __device__ void start(state &s, A x, B y)
    {
        double t[2];
        term_self<X>::of(t, x, y);
        if (!SKIP) set_pivot(s, t);
    }
    template <class A, class B> static __device__ void add(state &s, A x, B y, int64_t)
    {
        double t[2];
        term_self<X>::of(t, x, y);
        if (SKIP && (t[0] != t[0] || t[parts - 1] != t[parts - 1])) return;
        if (SKIP && s.n == 0) set_pivot(s, t);
#pragma unroll
        for (int p = 0; p < parts; p++) s.part[p].add(t[p]);
        s.n++;
    }
    static __device__ void settle(state &s)
    {
        for (int p = 0; p < parts && s.n > 0; p++) s.part[p].settle((double)s.n);
    }
    static __device__ void merge(state &a, const state &b)
    {
        if (b.n == 0) return;
        if (a.n == 0) {
            a = b;
            return;
        }
        for (int p = 0; p < parts; p++) a.part[p].merge(b.part[p], (double)a.n, (double)b.n);
        a.n += b.n;
    }
    template <int WHICH> static __device__ double epilogue(const state &s, int64_t, int ddof)
    {
        const double n = (double)s.n, divisor = (double)(s.n - ddof);
        if (s.n <= ddof) return __builtin_nan("");
        if constexpr (wide_range) {
            const double all = parts == 2 ? tess__hypot_f64(s.part[0].m2, s.part[parts - 1].m2) : s.part[0].m2;
            const double deviation = all * __builtin_sqrt(n / divisor);
            return SQRT ? deviation : deviation * deviation;
        } else {
            const double squares = parts == 2 ? s.part[0].m2 + s.part[parts - 1].m2 : s.part[0].m2;
            return SQRT ? __builtin_sqrt(squares / divisor) : squares / divisor;
        }
    }
};

/* ---- Integers ---- */

template <int D> struct wide_integer {
    enum { value = element<D>::kind == KIND_UNSIGNED ? TESS_U64 : TESS_I64 };
};

template <int X, bool MEAN> struct added_integers {
    struct state {
        uint64_t sum;
    };
    TRAITS(MEAN ? TESS_F64 : wide_integer<X>::value, 0)
    static __device__ void clear(state &s) { s.sum = 0; }
    NOTHING_TO_START
    template <class A, class B> static __device__ void add(state &s, A x, B, int64_t)
    {
        s.sum += (uint64_t)element<X>::load(x);
    }
    NOTHING_TO_SETTLE
    static __device__ void                      merge(state &a, const state &b) { a.sum += b.sum; }
    template <int WHICH> static __device__ auto epilogue(const state &s, int64_t n, int)
    {
        typedef typename element<wide_integer<X>::value>::held held;
        if constexpr (MEAN) return (double)(held)s.sum / (double)n;
        else return (held)s.sum;
    }
};

/* R: i64 or u64, of both inputs. */
template <int R, int X, int Y> struct added_products {
    struct state {
        uint64_t sum;
    };
    TRAITS(R, 0)
    static __device__ void clear(state &s) { s.sum = 0; }
    NOTHING_TO_START
    template <class A, class B> static __device__ void add(state &s, A x, B y, int64_t)
    {
        s.sum += (uint64_t)convert<R, X>(element<X>::load(x)) * (uint64_t)convert<R, Y>(element<Y>::load(y));
    }
    NOTHING_TO_SETTLE
    static __device__ void                      merge(state &a, const state &b) { a.sum += b.sum; }
    template <int WHICH> static __device__ auto epilogue(const state &s, int64_t, int)
    {
        return (typename element<R>::held)s.sum;
    }
};

enum { EPILOGUE_COUNT, EPILOGUE_ANY, EPILOGUE_ALL };

template <int X, bool SKIP, int EPILOGUE> struct nonzero {
    struct state : counter<SKIP> {
        int64_t count;
    };
    TRAITS(TESS_I64, 0)
    static __device__ void clear(state &s)
    {
        s.none();
        s.count = 0;
    }
    NOTHING_TO_START
    template <class A, class B> static __device__ void add(state &s, A x, B, int64_t)
    {
        const auto u = element<X>::load(x);
        if constexpr (is_complex<X>::value) {
            if (SKIP && (u.re != u.re || u.im != u.im)) return;
            s.count += u.re != 0 || u.im != 0;
        } else {
            if (SKIP && u != u) return;
            s.count += u != 0;
        }
        s.one();
    }
    NOTHING_TO_SETTLE
    static __device__ void merge(state &a, const state &b)
    {
        a.more(b);
        a.count += b.count;
    }
    template <int WHICH> static __device__ int64_t epilogue(const state &s, int64_t n, int)
    {
        return EPILOGUE == EPILOGUE_COUNT ? s.count : EPILOGUE == EPILOGUE_ANY ? s.count > 0 : s.count == s.of(n);
    }
};

/* ---- Products ---- */

template <int X> struct multiplied_integers {
    struct state {
        uint64_t product;
    };
    TRAITS(wide_integer<X>::value, 0)
    static __device__ void clear(state &s) { s.product = 1; }
    NOTHING_TO_START
    template <class A, class B> static __device__ void add(state &s, A x, B, int64_t)
    {
        s.product *= (uint64_t)element<X>::load(x);
    }
    NOTHING_TO_SETTLE
    static __device__ void                      merge(state &a, const state &b) { a.product *= b.product; }
    template <int WHICH> static __device__ auto epilogue(const state &s, int64_t, int)
    {
        return (typename element<wide_integer<X>::value>::held)s.product;
    }
};

/* 1 is the product of no numbers; multiplying complex numbers by it would make NaN of infinities. */
template <int X, bool SKIP> struct multiplied {
    enum { parts = is_complex<X>::value ? 2 : 1 };
    struct state {
        double part[parts];
    };
    TRAITS(parts == 2 ? TESS_C64 : TESS_F64, 1)
    static __device__ void clear(state &s)
    {
        s.part[parts - 1] = 0;
        s.part[0] = 1;
    }
    static __device__ void multiply(state &s, const double *t)
    {
        const double a = s.part[0], b = s.part[parts - 1], x = t[0], y = t[parts - 1];
        if (parts == 1) {
            s.part[0] = a * x;
        } else if (a == 1 && b == 0) {
            s.part[0] = x, s.part[parts - 1] = y;
        } else if (x != 1 || y != 0) {
            s.part[0] = a * x - b * y, s.part[parts - 1] = a * y + b * x;
        }
    }
    NOTHING_TO_START
    template <class A, class B> static __device__ void add(state &s, A x, B y, int64_t)
    {
        double t[2];
        term_self<X>::of(t, x, y);
        if (SKIP && (t[0] != t[0] || t[parts - 1] != t[parts - 1])) return;
        multiply(s, t);
    }
    NOTHING_TO_SETTLE
    static __device__ void                      merge(state &a, const state &b) { multiply(a, b.part); }
    template <int WHICH> static __device__ auto epilogue(const state &s, int64_t, int)
    {
        if constexpr (parts == 2) {
            tess_c64 z;
            z.re = s.part[0], z.im = s.part[1];
            return z;
        } else {
            return s.part[0];
        }
    }
};

/* ---- Log-sum-exp ---- */

/* Not inlined: once in a kernel is enough. */
static __device__ __noinline__ double exp_called(double x) { return tess__exp_f64(x); }

/* The largest number, and the sum of exp of the differences to it. Where the largest is infinite it stands for
 * all; a NaN stays in the sum. */
template <int X, bool SKIP> struct exponentials {
    struct state {
        double largest, sum;
    };
    TRAITS(TESS_F64, 1)
    static __device__ void clear(state &s)
    {
        s.largest = -__builtin_inf();
        s.sum = 0;
    }
    NOTHING_TO_START
    static __device__ bool is_infinite(double x) { return x - x != 0 && x == x; }
    static __device__ void join(state &a, double largest, double sum)
    {
        const double m = largest > a.largest ? largest : a.largest;
        if (is_infinite(m)) a.sum += sum;
        else if (largest > a.largest) a.sum = a.sum * exp_called(a.largest - m) + sum;
        else a.sum += sum * exp_called(largest - m);
        a.largest = m;
    }
    template <class A, class B> static __device__ void add(state &s, A x, B, int64_t)
    {
        const double u = (double)element<X>::load(x);
        if (SKIP && u != u) return;
        join(s, u, is_infinite(u) ? 0 : 1);
        if (u != u) s.sum = u;
    }
    NOTHING_TO_SETTLE
    static __device__ void                        merge(state &a, const state &b) { join(a, b.largest, b.sum); }
    template <int WHICH> static __device__ double epilogue(const state &s, int64_t, int)
    {
        if (s.sum != s.sum) return s.sum;
        return is_infinite(s.largest) || s.sum == 1 ? s.largest : s.largest + tess__log_f64(s.sum);
    }
};

/* ---- Minimum and maximum ---- */

/* Keys are integers in the order of the values: -0 below +0, NaNs beyond the infinities. */
template <int D> struct key {
    enum { wide = sizeof(typename element<D>::stored) == 8, is_unsigned = D == TESS_U32 || D == TESS_U64 };
    typedef typename choose<wide, typename choose<is_unsigned, uint64_t, int64_t>::type,
                            typename choose<is_unsigned, uint32_t, int32_t>::type>::type             type;
    typedef typename element<is_float<D>::value ? (int)TESS_F64 : (int)wide_integer<D>::value>::held value_type;

    static __device__ type min_key() { return is_unsigned ? (type)0 : wide ? (type)INT64_MIN : (type)INT32_MIN; }
    static __device__ type max_key() { return (type)~min_key(); }
    static __device__ type infinity()
    {
        return D == TESS_F16 ? (type)0x7c00 : D == TESS_F32 ? (type)0x7f800000 : (type)0x7ff0000000000000;
    }
    static __device__ bool is_nan(type k) { return is_float<D>::value && (k > infinity() || k < ~infinity()); }
    static __device__ type of(typename element<D>::stored x)
    {
        if constexpr (D == TESS_F16) {
            const type bits = (int16_t)x.bits;
            return bits ^ (bits >> 15 & 0x7fff);
        } else if constexpr (is_float<D>::value) {
            type bits;
            memcpy(&bits, &x, sizeof bits);
            return bits ^ (bits >> (8 * (int)sizeof(type) - 1) & max_key());
        } else {
            return (type)element<D>::load(x);
        }
    }
    static __device__ value_type value(type k)
    {
        if constexpr (D == TESS_F16) {
            tess_f16 half;
            half.bits = (uint16_t)(k ^ (k >> 15 & 0x7fff));
            return (double)tess__held_f16(half);
        } else if constexpr (D == TESS_F32) {
            return (double)tess__f32_of_bits((uint32_t)(k ^ (k >> 31 & INT32_MAX)));
        } else if constexpr (D == TESS_F64) {
            return tess__f64_of_bits((uint64_t)(k ^ (k >> 63 & INT64_MAX)));
        } else {
            return (value_type)k;
        }
    }
};

/* One NaN makes both NaN: it is the smallest or the largest by its sign. */
template <int X, bool SKIP> struct minmax {
    typedef typename key<X>::type K;
    struct state {
        K low, high;
    };
    TRAITS(is_float<X>::value ? (int)TESS_F64 : (int)wide_integer<X>::value, 0)
    static __device__ void clear(state &s) { s.low = key<X>::max_key(), s.high = key<X>::min_key(); }
    NOTHING_TO_START
    static __device__ void join(state &s, K low, K high)
    {
        s.low = low < s.low ? low : s.low;
        s.high = high > s.high ? high : s.high;
    }
    template <class A, class B> static __device__ void add(state &s, A x, B, int64_t)
    {
        const K k = key<X>::of(x);
        if (SKIP && key<X>::is_nan(k)) return;
        join(s, k, k);
    }
    NOTHING_TO_SETTLE
    static __device__ void                      merge(state &a, const state &b) { join(a, b.low, b.high); }
    template <int WHICH> static __device__ auto epilogue(const state &s, int64_t, int)
    {
        const auto value = key<X>::value(WHICH ? s.high : s.low);
        if constexpr (is_float<X>::value)
            return key<X>::is_nan(s.low) || key<X>::is_nan(s.high) ? __builtin_nan("") : value;
        else return value;
    }
};

template <int X, bool SKIP> struct largest_magnitude {
    struct state {
        int64_t bits; /* of a magnitude as f64, which are in its order; -1: none */
    };
    TRAITS(TESS_F64, 0)
    static __device__ void clear(state &s) { s.bits = -1; }
    NOTHING_TO_START
    template <class A, class B> static __device__ void add(state &s, A x, B y, int64_t)
    {
        double t;
        term_magnitude<X>::of(&t, x, y);
        if (SKIP && t != t) return;
        const int64_t bits = (int64_t)tess__bits_of_f64(t);
        s.bits = bits > s.bits ? bits : s.bits;
    }
    NOTHING_TO_SETTLE
    static __device__ void merge(state &a, const state &b) { a.bits = b.bits > a.bits ? b.bits : a.bits; }
    template <int WHICH> static __device__ double epilogue(const state &s, int64_t, int)
    {
        return s.bits < 0 ? 0 : tess__f64_of_bits((uint64_t)s.bits);
    }
};

/* The number of the best element, the first of equals; -0 and +0 are equal, NaN is best. The better one's rank is
 * smaller. */
template <int X, bool SKIP, bool LARGEST> struct argminmax {
    typedef typename key<X>::type K;
    struct state {
        K       rank;
        int64_t number; /* -1: none */
    };
    TRAITS(TESS_I64, 0)
    static __device__ void clear(state &s)
    {
        s.rank = key<X>::max_key();
        s.number = -1;
    }
    NOTHING_TO_START
    static __device__ void join(state &s, K rank, int64_t number)
    {
        if (rank < s.rank || (rank == s.rank && (uint64_t)number < (uint64_t)s.number)) {
            s.rank = rank;
            s.number = number;
        }
    }
    template <class A, class B> static __device__ void add(state &s, A x, B, int64_t number)
    {
        K          k = key<X>::of(x);
        const bool nan = key<X>::is_nan(k);
        if (SKIP && nan) return;
        if (is_float<X>::value && k == (K)-1) k = 0;
        join(s, nan ? key<X>::min_key() : LARGEST ? (K)~k : k, number);
    }
    NOTHING_TO_SETTLE
    static __device__ void                         merge(state &a, const state &b) { join(a, b.rank, b.number); }
    template <int WHICH> static __device__ int64_t epilogue(const state &s, int64_t, int) { return s.number; }
};

#undef NOTHING_TO_START
#undef NOTHING_TO_SETTLE
#undef TRAITS

#endif
