/* Reference transforms. Both are what textbooks have, and share nothing with the library. */
#include "support/dft.h"

#include <math.h>
#include <stdlib.h>

enum { LARGEST = 60 /* prime that is done by a plain sum */, MOST = 2000 /* that is joined */, KEPT = 16 /* tables */ };

static const long double pi = 3.14159265358979323846264338327950288L;

dft_number dft_root(int64_t k, int64_t n)
{
    k %= n;
    if (k < 0) k += n;
    /* Angles up to an eighth of a turn are exact to the last bits. */
    const int64_t     octant = 8 * k / n, rest = 8 * k % n;
    const long double up = pi / 4 * (long double)rest / (long double)n;
    const long double down = pi / 4 * (long double)(n - rest) / (long double)n;
    switch (octant) {
    case 0: return (dft_number){ cosl(up), sinl(up) };
    case 1: return (dft_number){ sinl(down), cosl(down) };
    case 2: return (dft_number){ -sinl(up), cosl(up) };
    case 3: return (dft_number){ -cosl(down), sinl(down) };
    case 4: return (dft_number){ -cosl(up), -sinl(up) };
    case 5: return (dft_number){ -sinl(down), -cosl(down) };
    case 6: return (dft_number){ sinl(up), -cosl(up) };
    default: return (dft_number){ cosl(down), -sinl(down) };
    }
}

static dft_number times(dft_number a, dft_number b)
{
    return (dft_number){ a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re };
}

static dft_number sum(dft_number a, dft_number b) { return (dft_number){ a.re + b.re, a.im + b.im }; }

/* exp(sign 2 pi i k / n) for all k. Tables are most of the work, so those made last are kept: more than one transform
 * needs at a time. NULL: no memory. */
static const dft_number *roots_of(int64_t n, int sign)
{
    static struct {
        int64_t     n;
        int         sign;
        dft_number *roots;
    } kept[KEPT];
    static int next;
    for (int i = 0; i < KEPT; i++)
        if (kept[i].roots && kept[i].n == n && kept[i].sign == sign) return kept[i].roots;
    dft_number *roots = realloc(kept[next].roots, (size_t)n * sizeof *roots);
    if (!roots) return NULL;
    kept[next].n = n, kept[next].sign = sign, kept[next].roots = roots;
    next = (next + 1) % KEPT;
    for (int64_t k = 0; k < n; k++) {
        roots[k] = dft_root(k, n);
        if (sign < 0) roots[k].im = -roots[k].im;
    }
    return roots;
}

static void plain(dft_number *out, const dft_number *in, int64_t stride, int64_t n, const dft_number *roots,
                  int64_t root_stride)
{
    for (int64_t k = 0; k < n; k++) {
        dft_number s = in[0];
        for (int64_t j = 1; j < n; j++) s = sum(s, times(in[j * stride], roots[j * k % n * root_stride]));
        out[k] = s;
    }
}

bool dft_plain(dft_number *out, const dft_number *in, int64_t n, int sign)
{
    const dft_number *roots = roots_of(n, sign);
    if (roots) plain(out, in, 1, n, roots, 1);
    return roots != NULL;
}

/* ---- Fast ---- */

/* A line of n in a problem of n * root_stride, whose roots are at hand. */
typedef struct line {
    const dft_number *roots;
    int64_t           root_stride;
    int               sign;
} line;

static int64_t smallest_factor(int64_t n)
{
    if (n % 4 == 0) return 4;
    for (int64_t p = 2; p * p <= n; p++)
        if (n % p == 0) return p;
    return n;
}

/* Bluestein: j k = (j^2 + k^2 - (k-j)^2) / 2 makes a convolution of it, which a power of 2 does. */
static bool convolve(dft_number *out, const dft_number *in, int64_t stride, int64_t n, int sign)
{
    int64_t m = 1;
    while (m < 2 * n) m *= 2;
    const dft_number *roots = roots_of(2 * n, sign);
    dft_number       *workspace = calloc((size_t)m * 4 + (size_t)n, sizeof *workspace), *a = workspace, *b = a + m,
               *c = b + m;
    dft_number *d = c + m, *chirp = d + m; /* exp(sign pi i k^2 / n) */
    bool        good = workspace && roots;
    for (int64_t k = 0; good && k < n; k++) chirp[k] = roots[k * k % (2 * n)];
    for (int64_t k = 0; good && k < n; k++) {
        a[k] = times(in[k * stride], chirp[k]);
        b[k] = (dft_number){ chirp[k].re, -chirp[k].im };
        if (k > 0) b[m - k] = b[k];
    }
    good = good && dft_fast(c, a, m, -1) && dft_fast(d, b, m, -1);
    for (int64_t k = 0; good && k < m; k++) c[k] = times(c[k], d[k]);
    good = good && dft_fast(a, c, m, 1);
    for (int64_t k = 0; good && k < n; k++) {
        out[k] = times(a[k], chirp[k]);
        out[k].re /= (long double)m, out[k].im /= (long double)m;
    }
    free(workspace);
    return good;
}

/* A sum of four terms needs no product. */
static void join_four(dft_number *x, int64_t step, const dft_number *t, int sign)
{
    const dft_number  p = sum(t[0], t[2]), q = { t[0].re - t[2].re, t[0].im - t[2].im }, r = sum(t[1], t[3]);
    const long double re = (long double)sign * (t[3].im - t[1].im), im = (long double)sign * (t[1].re - t[3].re);
    x[0] = sum(p, r);
    x[step] = (dft_number){ q.re + re, q.im + im };
    x[2 * step] = (dft_number){ p.re - r.re, p.im - r.im };
    x[3 * step] = (dft_number){ q.re - re, q.im - im };
}

/* p transforms of m, one after the other, become one of p m. */
static void join(dft_number *out, int64_t p, int64_t m, const line *l)
{
    dft_number term[MOST];
    for (int64_t k = 0; k < m; k++) {
        for (int64_t j = 0; j < p; j++) term[j] = times(out[j * m + k], l->roots[j * k * l->root_stride]);
        if (p == 4) {
            join_four(out + k, m, term, l->sign);
            continue;
        }
        for (int64_t q = 0; q < p; q++) {
            dft_number s = term[0];
            for (int64_t j = 1; j < p; j++) s = sum(s, times(term[j], l->roots[j * q % p * m * l->root_stride]));
            out[q * m + k] = s;
        }
    }
}

static bool split(dft_number *out, const dft_number *in, int64_t stride, int64_t n, const line *l)
{
    const int64_t p = smallest_factor(n), m = n / p;
    if (m == 1 && n > LARGEST) return convolve(out, in, stride, n, l->sign);
    if (m == 1) {
        plain(out, in, stride, n, l->roots, l->root_stride);
        return true;
    }
    const line part = { l->roots, l->root_stride * p, l->sign };
    for (int64_t j = 0; j < p; j++)
        if (p >= MOST || !split(out + j * m, in + j * stride, stride * p, m, &part)) return false;
    join(out, p, m, l);
    return true;
}

bool dft_fast(dft_number *out, const dft_number *in, int64_t n, int sign)
{
    const line whole = { roots_of(n, sign), 1, sign };
    if (n == 1) out[0] = in[0];
    return whole.roots && (n == 1 || split(out, in, 1, n, &whole));
}
