/* Dispatch of reductions: the kernel, the merge function and the epilogue for each operation and dtype. */
#include <math.h>
#include <string.h>

#include "core/dtype.h"
#include "cpu/isa.h"
#include "cpu/memory/row_copy.h"
#include "cpu/reduce/merge.h"
#include "cpu/reduce/plan.h"
#include "cpu/reduce/variance.h"
#include "tessera/math/f64.op.h"

/* The value that a key stands for: floats as f64, integers as i64 or u64. */
static void value_of_key(void *out, tess_dtype dtype, int64_t key)
{
    double f = (double)NAN;
    if (dtype == TESS_F64 && key >= ~INT64_C(0x7ff0000000000000) && key <= INT64_C(0x7ff0000000000000))
        f = tess__f64_of_bits((uint64_t)(key ^ (key >> 63 & INT64_MAX)));
    if (dtype == TESS_F32 && key >= ~INT64_C(0x7f800000) && key <= 0x7f800000)
        f = (double)tess__f32_of_bits((uint32_t)(key ^ (key >> 63 & INT32_MAX)));
    if (dtype == TESS_F16 && key >= ~INT64_C(0x7c00) && key <= 0x7c00)
        f = (double)tess_f16_to_f32((tess_f16){ (uint16_t)(key ^ (key >> 63 & INT16_MAX)) });
    if (dtype == TESS_U64) key ^= INT64_MIN;
    if (tess__dtypes[dtype].kind == TESS_KIND_FLOAT) memcpy(out, &f, sizeof f);
    else memcpy(out, &key, sizeof key);
}

/* ---- Chunk kernels composed of kernels of the table ---- */

static void split(double *re, double *im, const double *z, int64_t n)
{
    for (int64_t i = 0; i < n; i++) re[i] = z[2 * i], im[i] = z[2 * i + 1];
}

static void complex_var(const void *x, const void *y, int64_t n, int64_t first, tess__slot *s, int64_t step)
{
    double           re[TESS__CHUNK], im[TESS__CHUNK];
    tess__reduce_fn *variance_of = tess__cpu_kernels()->reduce.fn[TESS__RK_VAR][TESS_F64];
    split(re, im, x, n);
    variance_of(re, y, n, first, s, step);
    variance_of(im, y, n, first, s + TESS__VAR_SLOTS * step, step);
}

static void weighted(const void *x, const void *weights, int64_t n, int64_t first, tess__slot *s, int64_t step)
{
    const tess__kernels *k = tess__cpu_kernels();
    k->reduce.fn[TESS__RK_DOT][TESS_F64](x, weights, n, first, s, step);
    k->reduce.fn[TESS__RK_SUM][TESS_F64](weights, NULL, n, first, s + step, step);
}

static void complex_weighted(const void *x, const void *weights, int64_t n, int64_t first, tess__slot *s, int64_t step)
{
    tess__reduce_fn *dot = tess__cpu_kernels()->reduce.fn[TESS__RK_DOT][TESS_F64];
    double           re[TESS__CHUNK], im[TESS__CHUNK];
    split(re, im, x, n);
    dot(im, weights, n, first, s + 2 * step, step);
    weighted(re, weights, n, first, s, step);
}

static void logsumexp(const void *x, const void *y, int64_t n, int64_t first, tess__slot *s, int64_t step)
{
    const tess__kernels *k = tess__cpu_kernels();
    double               e[TESS__CHUNK];
    tess__slot           max[2] = { { .i = 0 }, { .i = INT64_MIN } };
    k->reduce.fn[TESS__RK_MAX][TESS_F64](x, y, n, first, max, 1);
    value_of_key(&s[0].f, TESS_F64, max[1].i);
    s[step].f = isnan(s[0].f) ? s[0].f : 0; /* remains if the largest is infinite */
    if (!isfinite(s[0].f)) return;
    k->reduce.exponentials(e, x, n, s[0].f);
    k->reduce.fn[TESS__RK_SUM][TESS_F64](e, y, n, first, s + step, step);
}

/* Squares that are all well inside the range of f64 need no scale; otherwise they are computed again with one. */
static inline void squares_of_f64(tess__reduce_fn *squares, const double *x, int64_t n, tess__slot *s, int64_t step)
{
    squares(x, NULL, n, 0, s, step);
    s[step].f = 0;
    if (!(s[0].f < TESS__MIN_SQUARES) && !isinf(s[0].f)) return;
    const int e = tess__exponent_of(x, n);
    if (e == 0) return;
    double scaled[2 * TESS__CHUNK];
    tess__scale_down(scaled, x, n, e);
    squares(scaled, NULL, n, 0, s, step);
    s[step].f = e;
}

static inline void squares_of_f32(tess__reduce_fn *squares, const float *x, int64_t n, tess__slot *s, int64_t step)
{
    squares(x, NULL, n, 0, s, step);
    s[step].f = 0;
}

/* By the kernels of `table`, for reals, or for complex numbers of PARTS reals. */
#define SQUARES(name, real, dtype, table, PARTS)                                                                       \
    static void name(const void *x, const void *y, int64_t n, int64_t first, tess__slot *s, int64_t step)              \
    {                                                                                                                  \
        (void)y, (void)first;                                                                                          \
        squares_of_##real(tess__cpu_kernels()->reduce.table[TESS__RK_SUM_SQUARES][dtype], x, (PARTS)*n, s, step);      \
    }
SQUARES(squares_f32, f32, TESS_F32, fn, 1)
SQUARES(squares_f64, f64, TESS_F64, fn, 1)
SQUARES(squares_c32, f32, TESS_F32, fn, 2)
SQUARES(squares_c64, f64, TESS_F64, fn, 2)
SQUARES(squares_f32_prefetch, f32, TESS_F32, prefetch, 1)
SQUARES(squares_f64_prefetch, f64, TESS_F64, prefetch, 1)
SQUARES(squares_c32_prefetch, f32, TESS_F32, prefetch, 2)
SQUARES(squares_c64_prefetch, f64, TESS_F64, prefetch, 2)
#undef SQUARES

/* ---- Epilogues ---- */

/* Loops over the results of a block: SLOT(k) is slot k of the state of result i, COUNT its numbers. */
#define EPILOGUE(name)                                                                                                 \
    static void name(const tess__method *m, int which, tess__states s, int64_t n, const int64_t *counts,               \
                     int count_step, void *wide)
#define EACH_RESULT for (int64_t i = 0; i < n; i++)
#define SLOT(k) s.slot[(k)*s.step + i]
#define COUNT counts[i * count_step]
#define UNUSED (void)m, (void)which, (void)counts, (void)count_step

EPILOGUE(epilogue_integer)
{
    int64_t *out = wide;
    UNUSED;
    EACH_RESULT out[i] = SLOT(0).i;
}

EPILOGUE(epilogue_sum)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT out[i] = COUNT ? SLOT(0).f : m->empty;
}

EPILOGUE(epilogue_complex_sum)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT
    {
        out[2 * i] = COUNT ? SLOT(0).f : m->empty;
        out[2 * i + 1] = COUNT ? SLOT(1).f : 0;
    }
}

/* An infinite or undefined sum is not corrected: its rounding error means nothing. */
static double corrected(double sum, double error) { return isfinite(sum) && error != 0 ? sum + error : sum; }

EPILOGUE(epilogue_compensated)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT out[i] = COUNT ? corrected(SLOT(0).f, SLOT(1).f) : 0;
}

EPILOGUE(epilogue_complex_compensated)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT for (int p = 0; p < 2; p++) out[2 * i + p] = COUNT ? corrected(SLOT(p).f, SLOT(2 + p).f) : 0;
}

static void divide_by_counts(double *out, int parts, int64_t n, const int64_t *counts, int count_step)
{
    EACH_RESULT for (int p = 0; p < parts; p++) out[parts * i + p] /= (double)COUNT;
}

EPILOGUE(epilogue_mean)
{
    epilogue_sum(m, which, s, n, counts, count_step, wide);
    divide_by_counts(wide, 1, n, counts, count_step);
}

EPILOGUE(epilogue_complex_mean)
{
    epilogue_complex_sum(m, which, s, n, counts, count_step, wide);
    divide_by_counts(wide, 2, n, counts, count_step);
}

EPILOGUE(epilogue_compensated_mean)
{
    epilogue_compensated(m, which, s, n, counts, count_step, wide);
    divide_by_counts(wide, 1, n, counts, count_step);
}

EPILOGUE(epilogue_complex_compensated_mean)
{
    epilogue_complex_compensated(m, which, s, n, counts, count_step, wide);
    divide_by_counts(wide, 2, n, counts, count_step);
}

EPILOGUE(epilogue_signed_mean)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT out[i] = (double)SLOT(0).i / (double)COUNT;
}

EPILOGUE(epilogue_unsigned_mean)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT out[i] = (double)SLOT(0).u / (double)COUNT;
}

static double variance(const tess__method *m, double squares, int64_t count)
{
    if (count <= m->ddof) return (double)NAN;
    return tess__variance_of(squares, (double)count, (double)(count - m->ddof), m->op == TESS__R_STD);
}

/* Sum of squares of real and imaginary parts; as roots, where either or both leave the range. */
static double add_squares(double re, double im, int64_t count)
{
    const double n = (double)count;
    if (re >= 0 && im >= 0 && re + im < (double)INFINITY) return re + im;
    return tess__squares_of_root(tess__hypot_f64(tess__root_mean(re, n), tess__root_mean(im, n)), n);
}

EPILOGUE(epilogue_var)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT
    {
        const double mean = COUNT ? SLOT(0).f / (double)COUNT : (double)NAN;
        out[i] = which ? variance(m, SLOT(3).f, COUNT) : mean;
    }
}

EPILOGUE(epilogue_complex_var)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT
    {
        if (which) {
            out[i] = variance(m, add_squares(SLOT(3).f, SLOT(8).f, COUNT), COUNT);
            continue;
        }
        out[2 * i] = COUNT ? SLOT(0).f / (double)COUNT : (double)NAN;
        out[2 * i + 1] = COUNT ? SLOT(5).f / (double)COUNT : (double)NAN;
    }
}

EPILOGUE(epilogue_norm)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT out[i] = COUNT ? ldexp(sqrt(SLOT(0).f), (int)SLOT(1).f) : 0;
}

EPILOGUE(epilogue_minmax)
{
    int64_t *bits = wide;
    double  *out = wide;
    UNUSED;
    if (m->mapped == TESS_F32) {
        const int64_t inf = 0x7f800000;
        EACH_RESULT
        {
            const int64_t key = SLOT(which).i;
            const float   x = tess__f32_of_bits((uint32_t)(key ^ (key >> 63 & INT32_MAX)));
            out[i] = key > inf || key < ~inf ? (double)NAN : (double)x;
        }
    } else if (m->mapped == TESS_F64) {
        const int64_t inf = INT64_C(0x7ff0000000000000), nan = INT64_C(0x7ff8000000000000);
        EACH_RESULT
        {
            const int64_t key = SLOT(which).i;
            bits[i] = key > inf || key < ~inf ? nan : key ^ (key >> 63 & INT64_MAX);
        }
    } else {
        EACH_RESULT value_of_key(&bits[i], m->mapped, SLOT(which).i);
    }
}

EPILOGUE(epilogue_largest_magnitude)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT
    {
        value_of_key(&out[i], m->mapped, SLOT(1).i);
        if (!COUNT) out[i] = 0;
    }
}

EPILOGUE(epilogue_index)
{
    int64_t *out = wide;
    UNUSED;
    EACH_RESULT out[i] = SLOT(1).i;
}

EPILOGUE(epilogue_any)
{
    int64_t *out = wide;
    UNUSED;
    EACH_RESULT out[i] = SLOT(0).i > 0;
}

EPILOGUE(epilogue_all)
{
    int64_t *out = wide;
    UNUSED;
    EACH_RESULT out[i] = SLOT(0).i == COUNT;
}

/* The log-sum-exp of a single number is that number, since exp(x - x) = 1. */
EPILOGUE(epilogue_logsumexp)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT
    {
        const double max = SLOT(0).f, sum = SLOT(1).f;
        if (!COUNT) out[i] = -(double)INFINITY;
        else if (isnan(sum)) out[i] = (double)NAN;
        else out[i] = isinf(max) || sum == 1 ? max : max + tess__log_f64(sum);
    }
}

EPILOGUE(epilogue_weighted)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT out[i] = SLOT(0).f / SLOT(1).f;
}

EPILOGUE(epilogue_complex_weighted)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT
    {
        out[2 * i] = SLOT(0).f / SLOT(1).f;
        out[2 * i + 1] = SLOT(2).f / SLOT(1).f;
    }
}

EPILOGUE(epilogue_rmsd)
{
    double *out = wide;
    UNUSED;
    EACH_RESULT out[i] = ldexp(sqrt(SLOT(0).f / (double)COUNT), (int)SLOT(1).f);
}

/* ---- Selection of methods ---- */

static bool is_integer(tess_dtype d) { return tess__dtypes[d].kind < TESS_KIND_FLOAT; }

static bool is_complex(tess_dtype d) { return tess__dtypes[d].kind == TESS_KIND_COMPLEX; }

/* The dtype of integer accumulators. */
static tess_dtype wide_integer(tess_dtype d) { return tess__dtypes[d].kind == TESS_KIND_UINT ? TESS_U64 : TESS_I64; }

/* The dtype in which elements are read for sums in f64: f16 as f32, integers as f64; complex accordingly. */
static tess_dtype summed_as(tess_dtype d)
{
    if (is_complex(d)) return d == TESS_C64 ? TESS_C64 : TESS_C32;
    return d == TESS_F16 || d == TESS_F32 ? TESS_F32 : TESS_F64;
}

static void use(tess__method *m, int kernel, tess_dtype dtype)
{
    const tess__kernels *k = tess__cpu_kernels();
    m->mapped = dtype;
    m->fn = k->reduce.fn[kernel][dtype];
    m->prefetch = k->reduce.prefetch[kernel][dtype];
    m->sums = k->reduce.sums[kernel][dtype]; /* if they are merged by adding: see tess__method_of */
    m->far_sums = k->reduce.far_sums[kernel][dtype];
    if (m->map != TESS__MAP_NONE) return;
    m->columns = k->reduce.columns[kernel][dtype];
    m->results = k->reduce.column_results[kernel][dtype];
}

static void order(tess__method *m, int slots, tess__merge_fn *merge, tess__epilogue_fn *finish)
{
    m->ordered = true;
    m->slots = slots;
    m->merge = merge;
    m->epilogue = finish;
}

static void fold(tess__method *m, int slots, int64_t neutral0, int64_t neutral1, tess__merge_fn *merge,
                 tess__epilogue_fn *finish)
{
    m->ordered = false;
    m->slots = slots;
    m->neutral[0].i = neutral0;
    m->neutral[1].i = neutral1;
    m->merge = merge;
    m->epilogue = finish;
}

/* For a method whose number of slots is set. */
static void set_neutral(tess__method *m, double a, double b)
{
    for (int w = 2; w < m->slots; w++) m->neutral[w].f = 0;
    m->neutral[0].f = a;
    m->neutral[1].f = b;
}

/* Sums of mapped elements: m->read and m->map are set. */
static void choose_float_sum(tess__method *m, tess_dtype mapped, bool compensated, bool mean, bool columnar)
{
    const bool two = is_complex(mapped);
    m->wide[0] = two ? TESS_C64 : TESS_F64;
    if (compensated) {
        use(m, TESS__RK_COMPENSATED, mapped);
        order(m, two ? 4 : 2, two ? tess__merge_compensated2 : tess__merge_compensated,
              mean ? (two ? epilogue_complex_compensated_mean : epilogue_compensated_mean)
                   : (two ? epilogue_complex_compensated : epilogue_compensated));
    } else {
        use(m, columnar && !two ? TESS__RK_COLUMN_SUM : TESS__RK_SUM, mapped);
        order(m, two ? 2 : 1, two ? tess__merge_sum2 : tess__merge_sum,
              mean ? (two ? epilogue_complex_mean : epilogue_mean) : (two ? epilogue_complex_sum : epilogue_sum));
    }
    set_neutral(m, -0.0, compensated && !two ? 0.0 : -0.0);
}

static void choose_sum(tess__method *m, tess_dtype d, bool compensated, bool mean, bool columnar)
{
    /* Sums of up to 32 bits are exact; the mean of wider integers must not wrap. */
    if (is_integer(d) && (!mean || tess__dtypes[d].size < 8)) {
        m->read[0] = d;
        m->wide[0] = mean ? TESS_F64 : wide_integer(d);
        use(m, TESS__RK_SUM, d);
        fold(m, 1, 0, 0, tess__merge_count,
             !mean                         ? epilogue_integer
             : wide_integer(d) == TESS_U64 ? epilogue_unsigned_mean
                                           : epilogue_signed_mean);
        return;
    }
    m->read[0] = compensated ? (is_complex(d) ? TESS_C64 : TESS_F64) : summed_as(d);
    choose_float_sum(m, m->read[0], compensated, mean, columnar);
}

static void choose_product(tess__method *m, tess_dtype d)
{
    m->read[0] = m->wide[0] = is_integer(d) ? wide_integer(d) : is_complex(d) ? TESS_C64 : TESS_F64;
    use(m, TESS__RK_PROD, m->read[0]);
    m->empty = 1;
    if (is_integer(d)) fold(m, 1, 1, 0, tess__merge_int_product, epilogue_integer);
    else if (is_complex(d)) order(m, 2, tess__merge_complex_product, epilogue_complex_sum);
    else order(m, 1, tess__merge_product, epilogue_sum);
    if (!is_integer(d)) set_neutral(m, 1, 0);
}

static void choose_var(tess__method *m, tess_dtype d, bool columnar)
{
    m->cost = 0.2;
    if (is_complex(d)) {
        m->read[0] = m->mapped = m->wide[0] = TESS_C64;
        m->fn = complex_var;
        order(m, 10, tess__merge_complex_var, epilogue_complex_var);
    } else {
        m->read[0] = summed_as(d);
        m->wide[0] = TESS_F64;
        use(m, columnar ? TESS__RK_COLUMN_VAR : TESS__RK_VAR, m->read[0]);
        order(m, 5, tess__merge_var, epilogue_var);
    }
    m->wide[1] = TESS_F64;
    set_neutral(m, -0.0, 0);
    m->neutral[5].f = -0.0;
}

static void choose_norm(tess__method *m, tess_dtype d)
{
    m->read[0] = summed_as(d);
    m->wide[0] = TESS_F64;
    if (m->op == TESS__R_NORM_L2) {
        const bool f32 = m->read[0] == TESS_F32, c32 = m->read[0] == TESS_C32, c64 = m->read[0] == TESS_C64;
        m->mapped = m->read[0];
        m->fn = f32 ? squares_f32 : c32 ? squares_c32 : c64 ? squares_c64 : squares_f64;
        m->prefetch = f32   ? squares_f32_prefetch
                      : c32 ? squares_c32_prefetch
                      : c64 ? squares_c64_prefetch
                            : squares_f64_prefetch;
        order(m, 2, tess__merge_norm, epilogue_norm);
        set_neutral(m, 0, 0);
        return;
    }
    if (is_complex(d)) {
        m->read[0] = TESS_C64;
        m->map = TESS__OP_abs;
        m->cost = 2;
    }
    const tess_dtype mapped = is_complex(d) ? TESS_F64 : m->read[0];
    if (m->op == TESS__R_NORM_L1) {
        use(m, is_complex(d) ? TESS__RK_SUM : TESS__RK_SUM_ABS, mapped);
        order(m, 1, tess__merge_sum, epilogue_sum);
        set_neutral(m, -0.0, 0);
    } else {
        m->map = TESS__OP_abs;
        use(m, TESS__RK_MAX, mapped);
        fold(m, 2, INT64_MAX, INT64_MIN, tess__merge_minmax, epilogue_largest_magnitude);
    }
}

static void choose_minmax(tess__method *m, tess_dtype d, bool low, bool high)
{
    m->read[0] = d;
    m->wide[0] = m->wide[1] = is_integer(d) ? wide_integer(d) : TESS_F64;
    use(m, low && high ? TESS__RK_MINMAX : low ? TESS__RK_MIN : TESS__RK_MAX, d);
    if (!m->columns) m->columns = tess__cpu_kernels()->reduce.columns[TESS__RK_MINMAX][d];
    fold(m, 2, INT64_MAX, INT64_MIN, tess__merge_minmax, epilogue_minmax);
}

static void choose_index(tess__method *m, tess_dtype d, bool skip_nan)
{
    const bool smallest = m->op == TESS__R_ARGMIN, skip = skip_nan && !is_integer(d);
    m->read[0] = d;
    m->wide[0] = TESS_I64;
    use(m, smallest ? (skip ? TESS__RK_ARGMIN_SKIP : TESS__RK_ARGMIN) : (skip ? TESS__RK_ARGMAX_SKIP : TESS__RK_ARGMAX),
        d);
    fold(m, 2, INT64_MAX, -1, tess__merge_index, epilogue_index);
}

static void choose_nonzero(tess__method *m, tess_dtype d)
{
    m->read[0] = d;
    m->wide[0] = TESS_I64;
    use(m, TESS__RK_NONZERO, d);
    fold(m, 1, 0, 0, tess__merge_count,
         m->op == TESS__R_ANY   ? epilogue_any
         : m->op == TESS__R_ALL ? epilogue_all
                                : epilogue_integer);
}

static void choose_logsumexp(tess__method *m)
{
    m->read[0] = m->mapped = m->wide[0] = TESS_F64;
    m->fn = logsumexp;
    m->cost = 2.5;
    order(m, 2, tess__merge_logsumexp, epilogue_logsumexp);
    set_neutral(m, -(double)INFINITY, 0);
}

/* Rows of products are computed first, and summed as columns. */
static void choose_dot_of_columns(tess__method *m, tess_dtype d)
{
    const tess_dtype wide = is_integer(d) ? wide_integer(d) : TESS_F64;
    const int        kernel = is_integer(d) ? TESS__RK_SUM : TESS__RK_COLUMN_SUM;
    m->read[0] = m->read[1] = m->wide[0] = wide;
    m->map = TESS__OP_mul;
    use(m, kernel, wide);
    m->columns = tess__cpu_kernels()->reduce.columns[kernel][wide];
    if (is_integer(d)) {
        fold(m, 1, 0, 0, tess__merge_count, epilogue_integer);
    } else {
        order(m, 1, tess__merge_sum, epilogue_sum);
        set_neutral(m, -0.0, 0);
    }
}

/* Dot products of two inputs whose common dtype is d. */
static void choose_dot(tess__method *m, tess_dtype d, bool compensated, bool skip_nan, bool columns)
{
    if (columns && !is_complex(d) && !compensated && !skip_nan) {
        choose_dot_of_columns(m, d);
    } else if (is_integer(d)) {
        m->read[0] = m->read[1] = m->wide[0] = wide_integer(d);
        use(m, TESS__RK_DOT, m->read[0]);
        fold(m, 1, 0, 0, tess__merge_count, epilogue_integer);
    } else if (is_complex(d) || compensated || skip_nan) {
        m->read[0] = m->read[1] = is_complex(d) ? TESS_C64 : TESS_F64;
        m->map = TESS__OP_mul;
        choose_float_sum(m, m->read[0], compensated, false, false);
    } else {
        m->read[0] = m->read[1] = summed_as(d);
        m->wide[0] = TESS_F64;
        use(m, TESS__RK_DOT, m->read[0]);
        order(m, 1, tess__merge_sum, epilogue_sum);
        set_neutral(m, -0.0, 0);
    }
}

static void choose_rmsd(tess__method *m, tess_dtype d)
{
    m->read[0] = m->read[1] = is_complex(d) ? TESS_C64 : TESS_F64;
    m->mapped = m->read[0];
    m->wide[0] = TESS_F64;
    m->map = TESS__OP_sub;
    m->fn = is_complex(d) ? squares_c64 : squares_f64;
    order(m, 2, tess__merge_norm, epilogue_rmsd);
    set_neutral(m, 0, 0);
}

static void choose_weighted_mean(tess__method *m, tess_dtype d)
{
    m->read[0] = m->mapped = m->wide[0] = is_complex(d) ? TESS_C64 : TESS_F64;
    m->read[1] = TESS_F64;
    m->fn = is_complex(d) ? complex_weighted : weighted;
    if (is_complex(d)) order(m, 3, tess__merge_sum3, epilogue_complex_weighted);
    else order(m, 2, tess__merge_sum2, epilogue_weighted);
    set_neutral(m, -0.0, -0.0);
}

void tess__method_of(tess__method *m, const tess__reduce *work, int item)
{
    const tess_dtype d = work->n_inputs == 2 ? work->dtype : work->in[0].dtype;
    const bool       columnar = tess__is_columnar(work);
    m->op = work->item[item].op;
    m->read[0] = m->read[1] = TESS_DTYPE_NONE;
    m->map = TESS__MAP_NONE;
    m->prefetch = NULL;
    m->sums = m->far_sums = NULL;
    m->columns = NULL;
    m->results = NULL;
    m->empty = 0;
    m->ddof = work->ddof;
    m->cost = 0;
    switch (m->op) {
    case TESS__R_SUM: choose_sum(m, d, work->compensated, false, columnar); break;
    case TESS__R_MEAN: choose_sum(m, d, work->compensated, true, columnar); break;
    case TESS__R_PROD: choose_product(m, d); break;
    case TESS__R_VAR:
    case TESS__R_STD: choose_var(m, d, columnar); break;
    case TESS__R_NORM_L2:
    case TESS__R_NORM_L1:
    case TESS__R_NORM_MAX: choose_norm(m, d); break;
    case TESS__R_MINMAX:
        choose_minmax(m, d, work->item[item].out[0].data != NULL, work->item[item].out[1].data != NULL);
        break;
    case TESS__R_ARGMIN:
    case TESS__R_ARGMAX: choose_index(m, d, work->skip_nan); break;
    case TESS__R_ANY:
    case TESS__R_ALL:
    case TESS__R_COUNT: choose_nonzero(m, d); break;
    case TESS__R_LOGSUMEXP: choose_logsumexp(m); break;
    case TESS__R_DOT: choose_dot(m, d, work->compensated, work->skip_nan, tess__has_columns(work)); break;
    case TESS__R_RMSD: choose_rmsd(m, d); break;
    default: choose_weighted_mean(m, d); break;
    }
    if (m->merge != tess__merge_sum) m->sums = m->far_sums = NULL;
    if (tess_n_elements(&work->in[0]) * tess__dtype_size(work->in[0].dtype) < TESS__PREFETCH_MIN_BYTES)
        m->prefetch = NULL;
    else if (m->far_sums || m->prefetch) m->sums = m->far_sums;
}
