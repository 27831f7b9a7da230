/* Epilogues of reductions: from accumulator states to results. Built once per instruction set. */
#include <math.h>
#include <string.h>

#include "cpu/reduce/plan/tree.h"
#include "cpu/reduce/variance.h"
#include "cpu/template.h"
#include "tessera/math/f64.op.h"

/* ---- Single results ---- */

/* An infinite or undefined sum is not corrected: its rounding error means nothing. */
static inline double corrected(double sum, double error) { return isfinite(sum) && error != 0 ? sum + error : sum; }

/* Sum of squares of real and imaginary parts; as roots, where either or both leave the range. */
static double add_squares(double re, double im, double n)
{
    if (re >= 0 && im >= 0 && re + im < (double)INFINITY) return re + im;
    return tess__squares_of_root(tess__hypot_f64(tess__root_mean(re, n), tess__root_mean(im, n)), n);
}

/* The log-sum-exp of a single number is that number, since exp(x - x) = 1. */
static double logsumexp(double max, double sum)
{
    if (isnan(sum)) return (double)NAN;
    return isinf(max) || sum == 1 ? max : max + tess__log_f64(sum);
}

/* ---- Loops over results ---- */

/* Canonical NaN: the sign and payload of NaNs of sums depend on the processor. */
static inline double canonical(double x) { return x == x ? x : (double)NAN; }
static inline float  canonical_f32(float x) { return x == x ? x : (float)NAN; }

/* `out` is of this type; SLOT(k) is slot k of the state of result i, COUNT its numbers, N the same as a double. Where
 * all results have as many, loops vectorise. */
#define EACH(type, ...)                                                                                                \
    do {                                                                                                               \
        type *out = to;                                                                                                \
        if (s.count_step == 0) {                                                                                       \
            TESS_UNUSED const int64_t COUNT = s.counts[0];                                                             \
            TESS_IVDEP for (int64_t i = 0; i < s.n; i++) __VA_ARGS__;                                                  \
        } else {                                                                                                       \
            for (int64_t i = 0; i < s.n; i++) {                                                                        \
                TESS_UNUSED const int64_t COUNT = s.counts[i];                                                         \
                __VA_ARGS__;                                                                                           \
            }                                                                                                          \
        }                                                                                                              \
    } while (0)
#define EPILOGUE(name, ...)                                                                                            \
    static void name(const tess__method *m, int which, const tess__results *from, void *to, bool f32)                  \
    {                                                                                                                  \
        /* Copies that no store can alias. */                                                                          \
        const tess__results       s = *from;                                                                           \
        TESS_UNUSED const int64_t ddof = m->ddof;                                                                      \
        TESS_UNUSED const double  empty = m->empty;                                                                    \
        (void)which, (void)f32;                                                                                        \
        __VA_ARGS__                                                                                                    \
    }
#define SLOT(k) s.slot[(k)*s.step + i]
#define N ((double)COUNT)

/* Results that are integers, reals and complex numbers. */
#define INTEGERS(name, value) EPILOGUE(name, EACH (int64_t, out[i] = (value));)
#define REALS(name, value)                                                                                             \
    EPILOGUE(name, if (f32) EACH (float, out[i] = canonical_f32((float)(value)));                                      \
             else EACH (double, out[i] = canonical(value));)
#define COMPLEX(name, re, im)                                                                                          \
    EPILOGUE(name, EACH (double, (out[2 * i] = canonical(re), out[2 * i + 1] = canonical(im)));)

#define SUM(k) (COUNT ? SLOT(k).f : empty)
#define MEAN(k) (SLOT(k).f / N) /* of no numbers 0 / 0 */
#define CORRECTED(k, e) (COUNT ? corrected(SLOT(k).f, SLOT(e).f) : 0)
#define VARIANCE(squares)                                                                                              \
    (COUNT > ddof ? tess__variance_of(squares, N, (double)(COUNT - ddof), m->op == TESS__R_STD) : (double)NAN)

INTEGERS(integer, SLOT(0).i)
INTEGERS(any, SLOT(0).i > 0)
INTEGERS(all, SLOT(0).i == COUNT)
INTEGERS(index_of, SLOT(1).i)
INTEGERS(minmax, m->mapped == TESS_U64 ? SLOT(which).i ^ INT64_MIN : SLOT(which).i)
REALS(extreme, COUNT ? SLOT(which).f : (double)NAN)
REALS(magnitude, COUNT ? SLOT(1).f : 0)
REALS(sum, SUM(0))
COMPLEX(complex_sum, SUM(0), COUNT ? SLOT(1).f : 0)
REALS(quotient, MEAN(0))
REALS(product, SLOT(0).f *(1 / N))
COMPLEX(complex_mean, MEAN(0), MEAN(1))
REALS(signed_mean, (double)SLOT(0).i / N)
REALS(unsigned_mean, (double)SLOT(0).u / N)
REALS(compensated, CORRECTED(0, 1))
COMPLEX(complex_compensated, CORRECTED(0, 2), CORRECTED(1, 3))
REALS(compensated_mean, CORRECTED(0, 1) / N)
COMPLEX(complex_compensated_mean, CORRECTED(0, 2) / N, CORRECTED(1, 3) / N)
REALS(norm, COUNT ? ldexp(sqrt(SLOT(0).f), (int)SLOT(1).f) : 0)
REALS(rmsd, ldexp(sqrt(SLOT(0).f / N), (int)SLOT(1).f))
REALS(logsumexps, COUNT ? logsumexp(SLOT(0).f, SLOT(1).f) : -(double)INFINITY)
REALS(weighted, SLOT(0).f / SLOT(1).f)
COMPLEX(complex_weighted, SLOT(0).f / SLOT(1).f, SLOT(2).f / SLOT(1).f)
COMPLEX(complex_means, MEAN(0), MEAN(TESS__VAR_SLOTS))
REALS(complex_vars, VARIANCE(add_squares(SLOT(TESS__VAR_M2).f, SLOT(TESS__VAR_SLOTS + TESS__VAR_M2).f, N)))
REALS(any_vars, VARIANCE(SLOT(TESS__VAR_M2).f))
REALS(ordinary_vars, SLOT(TESS__VAR_M2).f / (double)(COUNT - ddof))
REALS(ordinary_stds, sqrt(SLOT(TESS__VAR_M2).f / (double)(COUNT - ddof)))
REALS(exact_vars, SLOT(TESS__VAR_M2).f *(1 / (double)(COUNT - ddof)))
REALS(exact_stds, sqrt(SLOT(TESS__VAR_M2).f *(1 / (double)(COUNT - ddof))))

/* Over a power of 2, a product with the inverse is the quotient, bit for bit. */
static bool is_power_of_2(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

static void mean(const tess__method *m, int which, const tess__results *s, void *to, bool f32)
{
    (s->count_step == 0 && is_power_of_2(s->counts[0]) ? product : quotient)(m, which, s, to, f32);
}

/* Loops that vectorise, where no state is a root: none of f32 are. */
static void var(const tess__method *m, int which, const tess__results *s, void *to, bool f32)
{
    const bool root = m->op == TESS__R_STD, exact = is_power_of_2(s->counts[0] - m->ddof);
    bool       ordinary = s->count_step == 0 && s->counts[0] > m->ddof;
    for (int64_t i = 0; i < s->n && m->mapped != TESS_F32; i++)
        ordinary &= !(s->slot[TESS__VAR_M2 * s->step + i].f < 0);
    if (which == 0) mean(m, which, s, to, f32);
    else if (!ordinary) any_vars(m, which, s, to, f32);
    else if (exact) (root ? exact_stds : exact_vars)(m, which, s, to, f32);
    else (root ? ordinary_stds : ordinary_vars)(m, which, s, to, f32);
}

static void complex_var(const tess__method *m, int which, const tess__results *s, void *to, bool f32)
{
    (which ? complex_vars : complex_means)(m, which, s, to, f32);
}

void TESS__FILL_KERNELS(reduce, epilogue)(tess__reduce_kernels *k);

void TESS__FILL_KERNELS(reduce, epilogue)(tess__reduce_kernels *k)
{
    static tess__epilogue_fn *const all_of_them[TESS__ES] = {
        [TESS__E_INTEGER] = integer,
        [TESS__E_ANY] = any,
        [TESS__E_ALL] = all,
        [TESS__E_INDEX] = index_of,
        [TESS__E_MINMAX] = minmax,
        [TESS__E_EXTREME] = extreme,
        [TESS__E_MAGNITUDE] = magnitude,
        [TESS__E_SUM] = sum,
        [TESS__E_COMPLEX_SUM] = complex_sum,
        [TESS__E_MEAN] = mean,
        [TESS__E_COMPLEX_MEAN] = complex_mean,
        [TESS__E_SIGNED_MEAN] = signed_mean,
        [TESS__E_UNSIGNED_MEAN] = unsigned_mean,
        [TESS__E_COMPENSATED] = compensated,
        [TESS__E_COMPLEX_COMPENSATED] = complex_compensated,
        [TESS__E_COMPENSATED_MEAN] = compensated_mean,
        [TESS__E_COMPLEX_COMPENSATED_MEAN] = complex_compensated_mean,
        [TESS__E_NORM] = norm,
        [TESS__E_RMSD] = rmsd,
        [TESS__E_LOGSUMEXP] = logsumexps,
        [TESS__E_WEIGHTED] = weighted,
        [TESS__E_COMPLEX_WEIGHTED] = complex_weighted,
        [TESS__E_VAR] = var,
        [TESS__E_COMPLEX_VAR] = complex_var,
    };
    memcpy(k->epilogue, all_of_them, sizeof all_of_them);
}
