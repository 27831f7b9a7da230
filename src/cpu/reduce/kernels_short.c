/* Short reductions of columns, kept in registers: sums, means and variances of floats. Built once per instruction set.
 *
 * States and epilogues would take longer than the few numbers of a result.
 */
#include "cpu/reduce/kernels.h"
#include "cpu/reduce/variance.h"
#include "cpu/reduce/vector.h"
#include "cpu/template.h"

enum {
    BATCH = 4,     /* rows that are added in f32 */
    MAX_SUMMED = 8 /* rows: sums of more of them are as fast by blocks of columns */
};

static inline vf64 chosen(vtruth which, vf64 yes, vf64 no)
{
    return (vf64)(((vtruth)yes & which) | ((vtruth)no & ~which));
}

/* Pivots of columns from their means and first numbers: see tess__pivot_of. */
static inline vf64 pivots_of(vf64 mean, vf64 first)
{
    const vf64   distance = magnitudes(mean - first);
    const vtruth apart = (vtruth)(distance > splat(TESS__PIVOT_DISTANCE) * magnitudes(first)) &
                         (vtruth)(distance < splat((double)__builtin_inf()));
    return chosen(apart, mean, first);
}

static inline vtruth are_ordinary(vf64 squares)
{
    return (vtruth)(squares >= splat(TESS__MIN_SQUARES)) & (vtruth)(squares < splat((double)__builtin_inf()));
}

/* False where squares lose too many bits, have overflowed or are NaN. */
static inline vtruth have_bits(vf64 m2, vf64 squares, const int bits)
{
    return (vtruth)(m2 >= squares * splat(1.0 / (1 << bits))) & (vtruth)(squares < splat((double)__builtin_inf()));
}

/* If so, a product with the inverse is the quotient, bit for bit. */
static inline bool is_power_of_2(double x) { return ((int64_t)x & ((int64_t)x - 1)) == 0; }

static inline void put2_f32(float *to, vf64 low, vf64 high, bool nt)
{
    const vfull x = narrow(low, high);
    put_vector(to, &x, nt);
}

static inline void put2_f64(double *to, vf64 low, vf64 high, bool nt)
{
    put_vector(to, &low, nt);
    put_vector(to + WIDTH, &high, nt);
}

/* Loops over strips of so many columns; the last may overlap the one before. */
#define EACH_STRIP(in, at, strip)                                                                                      \
    for (int64_t c_ = 0, at;                                                                                           \
         c_ < (in)->columns && (at = c_ + (strip) <= (in)->columns ? c_ : (in)->columns - (strip), true);              \
         c_ += (strip))

/* ---- Sums ----
 *
 * `out` is a copy that no store can alias.
 */

/* The pairwise sum of n rows, at most BATCH, in f32. */
static inline TESS_ALWAYS_INLINE vfull sum_of_batch(const float *const *row, int64_t at, const int n)
{
    vfull x[BATCH];
    UNROLLED for (int i = 0; i < n && i < BATCH; i++) memcpy(&x[i], row[i] + at, sizeof x[i]);
    return n == 1 ? x[0] : n == 2 ? x[0] + x[1] : n == 3 ? (x[0] + x[1]) + x[2] : (x[0] + x[1]) + (x[2] + x[3]);
}

/* Of one batch, over a power of 2: quotients are as exact in f32 as in f64. */
static inline TESS_ALWAYS_INLINE bool sum_batch(const tess__columns *in, const tess__short_output out, const int n)
{
    enum { FLOATS = 2 * WIDTH, STRIP_VECTORS = 4 };
    const float  inverse = (float)(1 / out.divisor);
    const float *row[BATCH];
    vfull        off = { 0 };
    UNROLLED for (int i = 0; i < n; i++) row[i] = (const void *)in->rows[i];
    EACH_STRIP(in, at, STRIP_VECTORS * FLOATS) UNROLLED for (int j = 0; j < STRIP_VECTORS; j++)
    {
        const vfull sum = sum_of_batch(row, at + j * FLOATS, n), result = sum * inverse;
        off += sum - sum;
        put_vector((float *)out.to + at + j * FLOATS, &result, out.nt);
    }
    for (int j = 0; j < FLOATS; j++)
        if (off[j] != 0) return false;
    return true;
}

/* Of one or two batches, added in f64. */
static inline TESS_ALWAYS_INLINE bool sum_batches(const tess__columns *in, const tess__short_output out, const int n)
{
    enum { FLOATS = 2 * WIDTH, STRIP_VECTORS = 4 };
    const vf64   number = splat(out.divisor), inverse = splat(1 / out.divisor);
    const bool   by_product = is_power_of_2(out.divisor);
    const float *row[2 * BATCH];
    vf64         off = splat(0);
    UNROLLED for (int i = 0; i < n; i++) row[i] = (const void *)in->rows[i];
    EACH_STRIP(in, at, STRIP_VECTORS * FLOATS) UNROLLED for (int j = 0; j < STRIP_VECTORS; j++)
    {
        vf64 low, high, more[2];
        widen(sum_of_batch(row, at + j * FLOATS, n), &low, &high);
        if (n > BATCH) {
            widen(sum_of_batch(row + BATCH, at + j * FLOATS, n - BATCH), &more[0], &more[1]);
            low += more[0], high += more[1];
        }
        off += (low - low) + (high - high);
        if (by_product) low *= inverse, high *= inverse;
        else low /= number, high /= number;
        put2_f32((float *)out.to + at + j * FLOATS, low, high, out.nt);
    }
    return are_all((vtruth)(off == splat(0)));
}

static bool short_sum_f32(const tess__columns *in, const tess__short_output *out)
{
    if (in->columns < 8 * WIDTH) return false;
    switch (is_power_of_2(out->divisor) || in->n > BATCH ? in->n : -in->n) {
    case 2: return sum_batch(in, *out, 2);
    case 3: return sum_batch(in, *out, 3);
    case -3: return sum_batches(in, *out, 3);
    case 4: return sum_batch(in, *out, 4);
    case 5: return sum_batches(in, *out, 5);
    case 6: return sum_batches(in, *out, 6);
    case 7: return sum_batches(in, *out, 7);
    case 8: return sum_batches(in, *out, 8);
    default: return false;
    }
}

/* Of f64, one row after the other. */
static inline TESS_ALWAYS_INLINE bool sum_rows(const tess__columns *in, const tess__short_output out, const int64_t n)
{
    enum { STRIP_VECTORS = 4 };
    const vf64    number = splat(out.divisor), inverse = splat(1 / out.divisor);
    const bool    by_product = is_power_of_2(out.divisor);
    const double *row[MAX_SUMMED];
    vf64          off = splat(0);
    for (int64_t k = 0; k < n; k++) row[k] = (const void *)in->rows[k];
    EACH_STRIP(in, at, STRIP_VECTORS * WIDTH)
    {
        vf64 sum[STRIP_VECTORS], x;
        UNROLLED for (int j = 0; j < STRIP_VECTORS; j++) sum[j] = splat(-0.0);
        UNROLLED for (int64_t k = 0; k < n; k++) UNROLLED for (int j = 0; j < STRIP_VECTORS; j++)
        {
            memcpy(&x, row[k] + at + j * WIDTH, sizeof x);
            sum[j] += x;
        }
        UNROLLED for (int j = 0; j < STRIP_VECTORS; j++)
        {
            off += sum[j] - sum[j];
            sum[j] = by_product ? sum[j] * inverse : sum[j] / number;
            put_vector((double *)out.to + at + j * WIDTH, &sum[j], out.nt);
        }
    }
    return are_all((vtruth)(off == splat(0)));
}

static bool short_sum_f64(const tess__columns *in, const tess__short_output *out)
{
    if (in->columns < 4 * WIDTH || in->n > MAX_SUMMED) return false;
    switch (in->n) {
    case 2: return sum_rows(in, *out, 2);
    case 3: return sum_rows(in, *out, 3);
    case 4: return sum_rows(in, *out, 4);
    default: return sum_rows(in, *out, in->n);
    }
}

/* ---- Variances ---- */

#define T float
#define LOAD2 load2_f32
#define PUT2 put2_f32
#define VAR_BITS TESS__VAR_BITS_F32
#define SUFFIX f32
#include "cpu/reduce/short_variance.c.inc"
#define T double
#define LOAD2 load2_f64
#define PUT2 put2_f64
#define VAR_BITS TESS__VAR_BITS_F64
#define SUFFIX f64
#include "cpu/reduce/short_variance.c.inc"

void TESS__FILL_KERNELS(reduce, short)(tess__reduce_kernels *k);

void TESS__FILL_KERNELS(reduce, short)(tess__reduce_kernels *k)
{
    k->shorts[TESS__RK_BATCHED_SUM][TESS_F32] = short_sum_f32;
    k->shorts[TESS__RK_COLUMN_SUM][TESS_F64] = short_sum_f64;
    k->shorts[TESS__RK_COLUMN_VAR][TESS_F32] = short_var_f32;
    k->shorts[TESS__RK_COLUMN_VAR][TESS_F64] = short_var_f64;
}
