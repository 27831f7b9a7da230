/* Variances whose squares leave the range of f64: computed with an exponent, and merged as roots. */
#include "cpu/reduce/variance.h"

#include <math.h>
#include <string.h>

#include "cpu/template.h"

/* ---- Roots and squares ---- */

double tess__root_mean(double squares, double n) { return squares < 0 ? -squares : sqrt(squares / n); }

double tess__squares_of_root(double root, double n)
{
    const double squares = n * (root * root);
    return tess__is_ordinary(squares) || root == 0 || isnan(root) ? squares : -root;
}

double tess__variance_of(double squares, double n, double divisor, bool root)
{
    if (!(squares < 0)) return root ? sqrt(squares / divisor) : squares / divisor;
    const double deviation = -squares * sqrt(n / divisor);
    return root ? deviation : deviation * deviation;
}

/* ---- Scales ---- */

int tess__exponent_of(const double *x, int64_t n)
{
    double max = 0;
    for (int64_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return 0;
        if (fabs(x[i]) > max) max = fabs(x[i]);
    }
    return max == 0 ? 0 : max < 0x1p-1022 ? -1022 : ilogb(max);
}

void tess__scale_down(double *out, const double *x, int64_t n, int exponent)
{
    const double factor = ldexp(1, -exponent);
    TESS_IVDEP for (int64_t i = 0; i < n; i++) out[i] = x[i] * factor;
}

static bool are_equal(const double *x, int64_t n) { return memcmp(x, x + 1, (size_t)(n - 1) * sizeof *x) == 0; }

void tess__rescale_variance(const double *x, int64_t n, tess__slot *s, int64_t step)
{
    double    y[TESS__CHUNK], sum = 0, s1 = 0, s2 = 0;
    const int exponent = are_equal(x, n) ? 0 : tess__exponent_of(x, n);
    if (exponent == 0) return;
    tess__scale_down(y, x, n, exponent);
    for (int64_t i = 0; i < n; i++) sum += y[i];
    const double mean = sum / (double)n;
    for (int64_t i = 0; i < n; i++) s1 += y[i] - mean, s2 += (y[i] - mean) * (y[i] - mean);
    const double m2 = tess__around_mean(1 / (double)n, s1, s2);
    s[TESS__VAR_PIVOT * step].f = 0;
    s[TESS__VAR_OFFSET * step].f = ldexp(mean + s1 / (double)n, exponent);
    s[TESS__VAR_M2 * step].f = tess__squares_of_root(ldexp(sqrt(m2 / (double)n), exponent), (double)n);
    s[TESS__VAR_NUMBER * step].f = (double)n;
}

/* ---- Merging ---- */

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
static void merge_roots(tess__slot *a, const tess__slot *b, int64_t step)
{
    const double na = a[4 * step].f, nb = b[4 * step].f, share = nb / (na + nb);
    const double ra = tess__root_mean(a[3 * step].f, na), rb = tess__root_mean(b[3 * step].f, nb);
    const double distance = (b[step].f - a[step].f) + (b[2 * step].f - a[2 * step].f);
    double       root = root_of_both(ra, rb, distance, share), mean = a[2 * step].f + distance * share;
    if (!isfinite(mean)) {
        const double at = 0.25 * a[step].f + 0.25 * a[2 * step].f, to = 0.25 * b[step].f + 0.25 * b[2 * step].f;
        root = 4 * root_of_both(0.25 * ra, 0.25 * rb, to - at, share);
        mean = 4 * (at + (to - at) * share);
        a[step].f = 0;
    }
    a[2 * step].f = mean;
    a[3 * step].f = tess__squares_of_root(root, na + nb);
}

/* Pairwise update of mean and m2 (Chan, Golub, LeVeque). A mean is kept as its distance from a pivot, so that the
 * distance of two means is as accurate as the elements are. */
void tess__merge_variance(tess__slot *a, const tess__slot *b, int64_t step)
{
    const double na = a[4 * step].f, nb = b[4 * step].f, n = na + nb, share = nb / n;
    if (nb == 0) return;
    if (na == 0) {
        for (int w = 0; w < TESS__VAR_SLOTS; w++) a[w * step] = b[w * step];
        return;
    }
    const double distance = (b[step].f - a[step].f) + (b[2 * step].f - a[2 * step].f);
    const double m2a = a[3 * step].f, m2b = b[3 * step].f, m2 = m2a + (m2b + distance * (distance * (na * share)));
    a[0].f += b[0].f;
    if ((m2a >= 0 && m2b >= 0 && tess__is_ordinary(m2)) || (m2a == 0 && m2b == 0 && distance == 0)) {
        a[2 * step].f += distance * share;
        a[3 * step].f = m2;
    } else {
        merge_roots(a, b, step);
    }
    a[4 * step].f = n;
}
