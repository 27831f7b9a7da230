/* Log-sum-exp. Built once per instruction set. */
#include <math.h>

#include "cpu/isa.h"
#include "cpu/reduce/kernels.h"
#include "cpu/reduce/vector.h"
#include "cpu/template.h"
#include "tessera/math/f64.op.h"

/* Below, exp(x) is too small to change a sum of 1 or more. */
#define MIN (-707.0)

static inline TESS_ALWAYS_INLINE double term(double x, double shift)
{
    const double d = x - shift;
    return tess__exp_fast_f64(d < MIN ? MIN : d);
}

/* The shift is the largest of x, and finite. Four quarters are interleaved, which hides latency; all are computed
 * before they are stored, since a compiler that cannot tell e from x would otherwise process one after the other. */
static void exponentials(double *e, const double *x, int64_t n, double shift)
{
    const int64_t q = n / 4;
    TESS_IVDEP for (int64_t i = 0; i < q; i++)
    {
        const double a = term(x[i], shift), b = term(x[i + q], shift);
        const double c = term(x[i + 2 * q], shift), d = term(x[i + 3 * q], shift);
        e[i] = a;
        e[i + q] = b;
        e[i + 2 * q] = c;
        e[i + 3 * q] = d;
    }
    for (int64_t i = 4 * q; i < n; i++) e[i] = term(x[i], shift);
}

/* The largest number, or NaN if there is one. */
static double largest(const double *x, int64_t n)
{
    tess__slot s[2] = { { .f = (double)INFINITY }, { .f = -(double)INFINITY } };
    tess__cpu_kernels()->reduce.of[TESS__RK_MAX][TESS_F64].chunks(&(tess__chunks){ x, NULL, n, 0, n, false }, s, 1);
    return s[1].f;
}

static void logsumexp(const tess__chunks *in, tess__slot *s, int64_t step)
{
    double e[TESS__CHUNK];
    EACH_CHUNK(in, c, at, n)
    {
        const double *x = (const double *)in->x + at, max = largest(x, n);
        vf64          lane[VECTORS];
        s[c].f = max;
        s[c + step].f = isnan(max) ? max : 0; /* remains if the largest is infinite */
        if (!isfinite(max)) continue;
        exponentials(e, x, n, max);
        clear_lanes(lane);
        for (int64_t i = n; i < TESS__CHUNK && i % LANES; i++) e[i] = -0.0; /* changes no sum */
        for (int64_t i = 0; i < n; i += LANES)
            UNROLLED for (int v = 0; v < VECTORS; v++) lane[v] += *(const vf64_in_memory *)(e + i + v * WIDTH);
        s[c + step].f = fold_lanes(lane);
    }
}

void TESS__FILL_KERNELS(reduce, exp)(tess__reduce_kernels *k);

void TESS__FILL_KERNELS(reduce, exp)(tess__reduce_kernels *k)
{
    k->of[TESS__RK_LOGSUMEXP][TESS_F64].chunks = logsumexp;
}
