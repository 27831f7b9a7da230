/* Epilogues of reductions: from accumulator states to results, in their widest dtype and then in that of the output. */
#include "cpu/reduce/epilogue.h"

#include <math.h>
#include <string.h>

#include "core/dtype.h"
#include "cpu/convert/convert.h"
#include "cpu/reduce/reduce.h"
#include "cpu/reduce/variance.h"
#include "tessera/math/f64.op.h"

/* ---- Single results ---- */

/* The floats that keys stand for; of f64 the bits. */
static inline int64_t f64_of_key(int64_t key)
{
    const int64_t inf = INT64_C(0x7ff0000000000000), nan = INT64_C(0x7ff8000000000000);
    return key > inf || key < ~inf ? nan : key ^ (key >> 63 & INT64_MAX);
}

static inline double f32_of_key(int64_t key)
{
    const float x = tess__f32_of_bits((uint32_t)(key ^ (key >> 63 & INT32_MAX)));
    return key > 0x7f800000 || key < ~INT64_C(0x7f800000) ? (double)NAN : (double)x;
}

static inline double f16_of_key(int64_t key)
{
    if (key > 0x7c00 || key < ~INT64_C(0x7c00)) return (double)NAN;
    return (double)tess_f16_to_f32((tess_f16){ (uint16_t)(key ^ (key >> 63 & INT16_MAX)) });
}

/* Magnitudes are taken in f32 or f64. */
static double largest_magnitude(const tess__method *m, int64_t key, int64_t count)
{
    if (!count) return 0;
    return m->mapped == TESS_F32 ? f32_of_key(key) : tess__f64_of_bits((uint64_t)f64_of_key(key));
}

/* An infinite or undefined sum is not corrected: its rounding error means nothing. */
static double corrected(double sum, double error) { return isfinite(sum) && error != 0 ? sum + error : sum; }

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

/* The log-sum-exp of a single number is that number, since exp(x - x) = 1. */
static double logsumexp(double max, double sum, int64_t count)
{
    if (!count) return -(double)INFINITY;
    if (isnan(sum)) return (double)NAN;
    return isinf(max) || sum == 1 ? max : max + tess__log_f64(sum);
}

/* ---- Epilogues ---- */

/* Loops over results: SLOT(k) is slot k of the state of result i, COUNT its numbers. */
#define EPILOGUE(name, type, ...)                                                                                      \
    void name(const tess__method *m, int which, const tess__results *from, void *wide)                                 \
    {                                                                                                                  \
        const tess__results s = *from; /* a copy that no store can alias */                                            \
        type               *out = wide;                                                                                \
        (void)m, (void)which;                                                                                          \
        for (int64_t i = 0; i < s.n; i++) __VA_ARGS__;                                                                 \
    }
#define SLOT(k) s.slot[(k)*s.step + i]
#define COUNT s.counts[i * s.count_step]
#define N ((double)COUNT)
#define SUM(k) (COUNT ? SLOT(k).f : m->empty)
#define CORRECTED(k, e) (COUNT ? corrected(SLOT(k).f, SLOT(e).f) : 0)
#define MEAN(k) (COUNT ? SLOT(k).f / N : (double)NAN)

EPILOGUE(tess__epilogue_integer, int64_t, out[i] = SLOT(0).i)
EPILOGUE(tess__epilogue_any, int64_t, out[i] = SLOT(0).i > 0)
EPILOGUE(tess__epilogue_all, int64_t, out[i] = SLOT(0).i == COUNT)
EPILOGUE(tess__epilogue_index, int64_t, out[i] = SLOT(1).i)
EPILOGUE(tess__epilogue_sum, double, out[i] = SUM(0))
EPILOGUE(tess__epilogue_complex_sum, double, out[2 * i] = SUM(0), out[2 * i + 1] = COUNT ? SLOT(1).f : 0)
EPILOGUE(tess__epilogue_mean, double, out[i] = SUM(0) / N)
EPILOGUE(tess__epilogue_complex_mean, double, out[2 * i] = SUM(0) / N, out[2 * i + 1] = SUM(1) / N)
EPILOGUE(tess__epilogue_signed_mean, double, out[i] = (double)SLOT(0).i / N)
EPILOGUE(tess__epilogue_unsigned_mean, double, out[i] = (double)SLOT(0).u / N)
EPILOGUE(tess__epilogue_compensated, double, out[i] = CORRECTED(0, 1))
EPILOGUE(tess__epilogue_complex_compensated, double, out[2 * i] = CORRECTED(0, 2), out[2 * i + 1] = CORRECTED(1, 3))
EPILOGUE(tess__epilogue_compensated_mean, double, out[i] = CORRECTED(0, 1) / N)
EPILOGUE(tess__epilogue_complex_compensated_mean, double, out[2 * i] = CORRECTED(0, 2) / N,
         out[2 * i + 1] = CORRECTED(1, 3) / N)
EPILOGUE(tess__epilogue_norm, double, out[i] = COUNT ? ldexp(sqrt(SLOT(0).f), (int)SLOT(1).f) : 0)
EPILOGUE(tess__epilogue_rmsd, double, out[i] = ldexp(sqrt(SLOT(0).f / N), (int)SLOT(1).f))
EPILOGUE(tess__epilogue_logsumexp, double, out[i] = logsumexp(SLOT(0).f, SLOT(1).f, COUNT))
EPILOGUE(tess__epilogue_largest_magnitude, double, out[i] = largest_magnitude(m, SLOT(1).i, COUNT))
EPILOGUE(tess__epilogue_weighted, double, out[i] = SLOT(0).f / SLOT(1).f)
EPILOGUE(tess__epilogue_complex_weighted, double, out[2 * i] = SLOT(0).f / SLOT(1).f,
         out[2 * i + 1] = SLOT(2).f / SLOT(1).f)
EPILOGUE(tess__epilogue_var, double, out[i] = which ? variance(m, SLOT(TESS__VAR_M2).f, COUNT) : MEAN(0))
/* clang-format off */
static EPILOGUE(complex_means, double, out[2 * i] = MEAN(0), out[2 * i + 1] = MEAN(TESS__VAR_SLOTS))
static EPILOGUE(complex_vars, double,
                out[i] = variance(m, add_squares(SLOT(TESS__VAR_M2).f, SLOT(TESS__VAR_SLOTS + TESS__VAR_M2).f, COUNT),
                                  COUNT))
static EPILOGUE(minmax_f16, double, out[i] = f16_of_key(SLOT(which).i))
static EPILOGUE(minmax_integers, int64_t,
                out[i] = m->mapped == TESS_U64 ? SLOT(which).i ^ INT64_MIN : SLOT(which).i)
static EPILOGUE(minmax_f64, int64_t, out[i] = f64_of_key(SLOT(which).i))
static EPILOGUE(minmax_f32, double, out[i] = f32_of_key(SLOT(which).i))
    /* clang-format on */

    void tess__epilogue_complex_var(const tess__method *m, int which, const tess__results *s, void *wide)
{
    if (which) complex_vars(m, which, s, wide);
    else complex_means(m, which, s, wide);
}

/* In loops that vectorise, but for f16. */
void tess__epilogue_minmax(const tess__method *m, int which, const tess__results *from, void *wide)
{
    if (m->mapped == TESS_F32) minmax_f32(m, which, from, wide);
    else if (m->mapped == TESS_F64) minmax_f64(m, which, from, wide);
    else if (m->mapped == TESS_F16) minmax_f16(m, which, from, wide);
    else minmax_integers(m, which, from, wide);
}

/* ---- Outputs ---- */

/* Canonical NaNs: the sign and payload of NaNs of sums depend on the processor. */
static void canonical_nans(double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = x[i] == x[i] ? x[i] : (double)NAN;
}

void tess__put_outputs(const tess__method *m, int which, const tess__results *from, const tess__destination *d,
                       double *values)
{
    const tess_dtype wide = m->wide[which];
    const int64_t    n = from->n;
    m->epilogue(m, which, from, values);
    if (wide == TESS_F64 || wide == TESS_C64) canonical_nans(values, wide == TESS_C64 ? 2 * n : n);
    if (n == 1 && wide == d->dtype) {
        memcpy(d->to, values, wide == TESS_C64 ? 16 : 8);
        return;
    }
    const tess__conversion c = tess__conversion_of(wide, d->dtype, TESS__CLAMP, TESS_PART_ABS);
    const int64_t          strides[2] = { d->stride, 1 };
    char *const            p[2] = { d->to, (char *)values };
    c.row(p, strides, n, &c);
}
