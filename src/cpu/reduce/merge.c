/* Merging of accumulator states of neighbouring ranges. */
#include "cpu/reduce/merge.h"

#include <math.h>

#include "cpu/reduce/complex_product.h"
#include "tessera/math/f64.op.h"

void tess__merge_sum(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    (void)sa, (void)sb;
    a[0].f += b[0].f;
}

void tess__merge_sum2(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    a[0].f += b[0].f;
    a[sa].f += b[sb].f;
}

void tess__merge_sum3(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    for (int w = 0; w < 3; w++) a[w * sa].f += b[w * sb].f;
}

static void add_compensated(tess__slot *sum, tess__slot *error, double b, double b_error)
{
    const double a = sum->f, t = a + b, back = t - a;
    error->f += ((a - (t - back)) + (b - back)) + b_error;
    sum->f = t;
}

void tess__merge_compensated(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    add_compensated(&a[0], &a[sa], b[0].f, b[sb].f);
}

void tess__merge_compensated2(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    add_compensated(&a[0], &a[2 * sa], b[0].f, b[2 * sb].f);
    add_compensated(&a[sa], &a[3 * sa], b[sb].f, b[3 * sb].f);
}

void tess__merge_product(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    (void)sa, (void)sb;
    a[0].f *= b[0].f;
}

/* The initial 1 is replaced, not multiplied: a product with it would make NaN of infinities. */
void tess__merge_complex_product(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    if (b[0].f == 1 && b[sb].f == 0) return;
    if (a[0].f == 1 && a[sa].f == 0) a[0] = b[0], a[sa] = b[sb];
    else tess__multiply_c64(&a[0].f, &a[sa].f, b[0].f, b[sb].f);
}

/* Rescales to the larger exponent, and one more if the sum would overflow. */
void tess__merge_norm(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    const double ea = a[0].f == 0 ? b[sb].f : a[sa].f, eb = b[0].f == 0 ? ea : b[sb].f;
    const double e = ea > eb ? ea : eb;
    double       x = ldexp(a[0].f, (int)(2 * (ea - e))), y = ldexp(b[0].f, (int)(2 * (eb - e)));
    a[sa].f = e;
    a[0].f = x + y;
    if (isinf(a[0].f) && !isinf(x) && !isinf(y)) {
        a[0].f = 0x1p-1000 * x + 0x1p-1000 * y;
        a[sa].f = e + 500;
    }
}

void tess__merge_logsumexp(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    const double m = b[0].f > a[0].f ? b[0].f : a[0].f;
    if (isinf(m)) a[sa].f += b[sb].f;
    else a[sa].f = a[sa].f * tess__exp_f64(a[0].f - m) + b[sb].f * tess__exp_f64(b[0].f - m);
    a[0].f = m;
}

void tess__merge_count(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    (void)sa, (void)sb;
    a[0].u += b[0].u;
}

void tess__merge_int_product(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    (void)sa, (void)sb;
    a[0].u *= b[0].u;
}

void tess__merge_minmax(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    if (b[0].i < a[0].i) a[0] = b[0];
    if (b[sb].i > a[sa].i) a[sa] = b[sb];
}

/* Of equal ranks, that of a comes first. */
void tess__merge_index(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    if (b[sb].i < 0 || (a[sa].i >= 0 && a[0].i <= b[0].i)) return;
    a[0] = b[0];
    a[sa] = b[sb];
}
