/* Exponentials, for the logarithm of their sum. Built once per instruction set. */
#include "cpu/kernels.h"
#include "cpu/template.h"
#include "tessera/math/f64.op.h"

/* Below, exp(x) is so small that a sum of 1 or more does not change. */
#define LEAST (-707.0)

/* The shift is the largest of x, and finite. */
static void exponentials(double *e, const double *x, int64_t n, double shift)
{
    TESS_IVDEP for (int64_t i = 0; i < n; i++)
    {
        const double d = x[i] - shift;
        e[i] = tess__exp_fast_f64(d < LEAST ? LEAST : d);
    }
}

void TESS__FILL_KERNELS(reduce_exp)(tess__kernels *k);

void TESS__FILL_KERNELS(reduce_exp)(tess__kernels *k) { k->exponentials = exponentials; }
