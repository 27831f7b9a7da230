/* Fit of a CTF to a power spectrum: what its steps hand to each other.
 *
 * Phases are counted in half turns, t = phase / pi, so that CTF^2 = (1 - cos(2 pi t)) / 2 has period 1. The phase
 * is linear in what is fitted: defocus, its two components of astigmatism (a cos 2 angle, a sin 2 angle) and the
 * phase shift. */
#ifndef TESS_OPS_SIGNAL_CTF_FIT_H
#define TESS_OPS_SIGNAL_CTF_FIT_H

#include "tessera/array.h"
#include "tessera/ctf.h"

enum {
    TESS__FIT_POLYNOMIALS = 5 /* of the radius, for backgrounds */,
    TESS__FIT_SECTORS = 36,
    TESS__FIT_CANDIDATES = 4
};

/* What is fitted: parameters of the phase, and the decay of the rings from r = 0 to the end of the range. */
enum { TESS__FIT_DEFOCUS, TESS__FIT_COSINE, TESS__FIT_SINE, TESS__FIT_SHIFT, TESS__FIT_DECAY, TESS__FIT_PARAMETERS };

/* The problem: the same for all batches. */
typedef struct tess__fit_task {
    tess_ctf   ctf;             /* what is known, with both pixel sizes; what may be fitted is 0 */
    tess_shape shape;           /* logical, of one image */
    double     pixel;           /* mean size, angstrom */
    double     rate;            /* half turns a micrometre of defocus and 1/angstrom^2 */
    double     low, high;       /* range of r, 1/angstrom */
    double     step;            /* of r: width of a ring */
    double     defocus[2];      /* range, micrometre */
    double     max_astigmatism; /* 0: none is fitted */
    double     shift[2];        /* range of the phase shift, radians; equal: it is not fitted */
} tess__fit_task;

static inline bool tess__fit_shifts(const tess__fit_task *task) { return task->shift[1] > task->shift[0]; }

/* Samples of a spectrum, divided by the background, less 1, in the order of rings. */
typedef struct tess__fit_points {
    int64_t  n, rings;
    double  *value, *weight;
    double  *fixed;                  /* the part of t that is known */
    double  *square, *cosine, *sine; /* rate r^2, times cos 2 angle, times sin 2 angle */
    int64_t *first;                  /* of each ring, and the end */
    double  *radius;                 /* mean r of each ring */
    double  *polynomial;             /* [ring][TESS__FIT_POLYNOMIALS]: Chebyshev's */
    double  *storage;
} tess__fit_points;

typedef struct tess__fit_result {
    double parameter[TESS__FIT_PARAMETERS];
    double error[TESS__FIT_PARAMETERS]; /* standard deviations */
    double score;                       /* correlation of spectrum and model, without background; 0: no fit */
} tess__fit_result;

void tess__fit_release(tess__fit_points *points);

/* How many coefficients of half a spectrum are in the range, and in how many rings. */
int64_t tess__fit_count(const tess__fit_task *task);
int64_t tess__fit_rings(const tess__fit_task *task);

/* The coefficients of half a spectrum, layout H, in the range, to be released; `*usable` is false if there is a number
 * that no power has, or nothing but background. */
tess_status tess__fit_gather(tess__fit_points *points, const tess__fit_task *task, const double *power, bool *usable);

/* The mean of each sector of each ring; to be released. */
tess_status tess__fit_sectors(tess__fit_points *sectors, const tess__fit_points *points);

/* Exhaustive search: the best fits, at defoci where the correlation has a local maximum; `*n` of them. */
tess_status tess__fit_search(tess__fit_result found[TESS__FIT_CANDIDATES], int *n, const tess__fit_points *sectors,
                             const tess__fit_task *task);

/* Up to where the search looks, 1/angstrom. */
double tess__fit_search_limit(const tess__fit_task *task);

/* Least squares from where `fit` is, over rings up to a radius. */
void tess__fit_refine(tess__fit_result *fit, const tess__fit_points *points, const tess__fit_task *task, double radius);

/* Curves for a plot, [3][shells]: measured, model, agreement; and the frequency up to which they agree, cycles per
 * pixel. */
tess_status tess__fit_curves(double *curves, double *resolution, const tess__fit_task *task, const double *power,
                             const tess_ctf *ctf);

/* Least squares of exp(polynomial) for numbers with a constant relative error (Gamma regression). `basis` has rows of
 * `terms` numbers, 12 at most. */
void tess__fit_background(double *background, const double *values, const double *weights, const double *basis,
                          int64_t n, int terms);

/* Chebyshev's polynomials 0 to terms - 1 at x from -1 to 1. */
void tess__fit_chebyshev(double *row, double x, int terms);

/* Solve a x = b for a symmetric positive definite matrix of n by n, of which the lower half is read, with rows of
 * `stride` numbers, by Cholesky decomposition in place; x replaces b. False if it is not positive definite. */
bool tess__fit_solve(double *a, int stride, double *b, int n);

/* cos(2 pi t) and sin(2 pi t) by Taylor's series of half the angle; errors below 1e-11. Without fused multiplications,
 * which are calls on processors of the baseline. */
static inline void tess__fit_wave(double t, double *cosine, double *sine)
{
    const double u = t - ((t + 0x1.8p52) - 0x1.8p52), x = 3.14159265358979323846 * u, v = x * x;
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
