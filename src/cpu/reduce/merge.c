/* Merging of accumulator states of neighbouring ranges. */
#include "cpu/reduce/merge.h"

#include <math.h>

#include "cpu/reduce/complex_product.h"
#include "cpu/reduce/variance_scaled.h"
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

/* The root mean square distance from the mean of two groups together, from those of each and the distance of their
 * means; b holds the fraction `share` of the numbers. */
static double root_of_both(double a, double b, double distance, double share)
{
    const double max = fmax(fmax(a, b), fabs(distance));
    if (max == 0 || !isfinite(max)) return a + b + distance;
    a /= max, b /= max, distance /= max;
    return max * sqrt((1 - share) * (a * a) + share * (b * b) + share * (1 - share) * (distance * distance));
}

/* For squares or distances that leave the range: distances are divided by 4, and the mean is taken from 0. */
static void merge_roots(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    const double na = a[4 * sa].f, nb = b[4 * sb].f, share = nb / (na + nb);
    const double ra = tess__root_mean(a[3 * sa].f, na), rb = tess__root_mean(b[3 * sb].f, nb);
    const double distance = (b[sb].f - a[sa].f) + (b[2 * sb].f - a[2 * sa].f);
    double       root = root_of_both(ra, rb, distance, share), mean = a[2 * sa].f + distance * share;
    if (!isfinite(mean)) {
        const double at = 0.25 * a[sa].f + 0.25 * a[2 * sa].f, to = 0.25 * b[sb].f + 0.25 * b[2 * sb].f;
        root = 4 * root_of_both(0.25 * ra, 0.25 * rb, to - at, share);
        mean = 4 * (at + (to - at) * share);
        a[sa].f = 0;
    }
    a[2 * sa].f = mean;
    a[3 * sa].f = tess__squares_of_root(root, na + nb);
}

/* Pairwise update of mean and m2 (Chan, Golub, LeVeque). A mean is kept as its distance from an element, so that the
 * distance of two means is as accurate as the elements are. */
void tess__merge_var(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    const double na = a[4 * sa].f, nb = b[4 * sb].f, n = na + nb;
    if (nb == 0) return;
    if (na == 0) {
        for (int w = 0; w < 5; w++) a[w * sa] = b[w * sb];
        return;
    }
    const double distance = (b[sb].f - a[sa].f) + (b[2 * sb].f - a[2 * sa].f), share = nb / n;
    const double sa2 = a[3 * sa].f, sb2 = b[3 * sb].f, squares = sa2 + (sb2 + distance * (distance * (na * share)));
    a[0].f += b[0].f;
    if ((sa2 >= 0 && sb2 >= 0 && tess__is_ordinary(squares)) || (sa2 == 0 && sb2 == 0 && distance == 0)) {
        a[2 * sa].f += distance * share;
        a[3 * sa].f = squares;
    } else {
        merge_roots(a, sa, b, sb);
    }
    a[4 * sa].f = n;
}

void tess__merge_complex_var(tess__slot *a, int64_t sa, const tess__slot *b, int64_t sb)
{
    tess__merge_var(a, sa, b, sb);
    tess__merge_var(a + 5 * sa, sa, b + 5 * sb, sb);
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
