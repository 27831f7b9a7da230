/* Range of a fit of the CTF: which coefficients of a power spectrum count, in shells of equal width; and the wave that
 * is fitted to them. */
#ifndef TESS_FORMULAS_CTF_FIT_OP_H
#define TESS_FORMULAS_CTF_FIT_OP_H

#include <stdint.h>

#include "tessera/constants.h"
#include "tessera/math/fn.h"

typedef struct tess__fit_range {
    int64_t h, w;             /* logical size of the images */
    double  pixel_h, pixel_w; /* angstrom */
    double  low, high;        /* of r, 1/angstrom */
    double  step;             /* of r: width of a shell */
    double  rate;             /* half turns a micrometre of defocus and 1/angstrom^2 */
} tess__fit_range;

/* A coefficient of half a spectrum. */
typedef struct tess__fit_sample {
    double  x, y, r2; /* 1/angstrom */
    int64_t shell;    /* -1: outside the range, or the conjugate of another */
} tess__fit_sample;

TESS_FN int64_t tess__fit_shells(const tess__fit_range *r) { return (int64_t)((r->high - r->low) / r->step) + 1; }

/* The coefficient at row h and column w, layout H. */
TESS_FN tess__fit_sample tess__fit_sample_at(const tess__fit_range *r, int64_t h, int64_t w)
{
    const int64_t    k = h < (r->h + 1) / 2 ? h : h - r->h, last = tess__fit_shells(r) - 1;
    const int        twice = w == 0 && k < 0;
    tess__fit_sample s;
    s.y = (double)k / ((double)r->h * r->pixel_h);
    s.x = (double)w / ((double)r->w * r->pixel_w);
    s.r2 = s.x * s.x + s.y * s.y;
    s.shell = -1;
    if (twice || s.r2 < r->low * r->low || s.r2 > r->high * r->high) return s;
    s.shell = (int64_t)((__builtin_sqrt(s.r2) - r->low) / r->step);
    if (s.shell < 0) s.shell = 0;
    if (s.shell > last) s.shell = last;
    return s;
}

/* Defocus is searched in steps that move the outermost rings by an eighth of a period, and that are not finer than
 * this, in micrometre: the refinement goes further out. */
#define TESS__FIT_EIGHTH 0.125
#define TESS__FIT_FINEST 0.02

/* Up to where the search looks, 1/angstrom. */
TESS_FN double tess__fit_search_limit(const tess__fit_range *r)
{
    const double limit = __builtin_sqrt(TESS__FIT_EIGHTH / (TESS__FIT_FINEST * r->rate));
    return limit < r->high ? limit : r->high;
}

/* cos(2 pi t) and sin(2 pi t) by Taylor's series of half the angle; errors below 1e-11. Without fused multiplications,
 * which are calls on processors of the baseline. */
TESS_FN void tess__fit_wave(double t, double *cosine, double *sine)
{
    const double u = t - ((t + 0x1.8p52) - 0x1.8p52), x = TESS_PI * u, v = x * x;
    double       s = -1.0 / 1307674368000, c = 1.0 / 20922789888000;
    s = s * v + 1.0 / 6227020800;
    c = c * v - 1.0 / 87178291200;
    s = s * v - 1.0 / 39916800;
    c = c * v + 1.0 / 479001600;
    s = s * v + 1.0 / 362880;
    c = c * v - 1.0 / 3628800;
    s = s * v - 1.0 / 5040;
    c = c * v + 1.0 / 40320;
    s = s * v + 1.0 / 120;
    c = c * v - 1.0 / 720;
    s = s * v - 1.0 / 6;
    c = c * v + 1.0 / 24;
    s = (s * v + 1) * x;
    c = (c * v - 0.5) * v + 1;
    *cosine = 1 - 2 * s * s;
    *sine = 2 * s * c;
}

#endif
