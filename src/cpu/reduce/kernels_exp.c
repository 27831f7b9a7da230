/* Exponentials for log-sum-exp. Built once per instruction set. */
#include "cpu/reduce/kernels.h"
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

void TESS__FILL_KERNELS(reduce, exp)(tess__reduce_kernels *k);

void TESS__FILL_KERNELS(reduce, exp)(tess__reduce_kernels *k) { k->exponentials = exponentials; }
