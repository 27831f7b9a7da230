/* Fit of a CTF to a power spectrum: what its steps hand to each other.
 *
 * Phases are counted in half turns, t = phase / pi, so that CTF^2 = (1 - cos(2 pi t)) / 2 has period 1. The phase
 * is linear in what is fitted: defocus, its two components of astigmatism (a cos 2 angle, a sin 2 angle) and the
 * phase shift.
 *
 * Steps share their work among threads in parts that do not depend on their number, and add what the parts have in
 * their order: so results do not depend on it either. */
#ifndef TESS_CPU_SIGNAL_CTF_FIT_H
#define TESS_CPU_SIGNAL_CTF_FIT_H

#include <math.h>

#include "requests/ctf_fit.h"

enum { TESS__FIT_SECTORS = 36, TESS__FIT_CANDIDATES = 4 };

/* Quantities of a sample whose products are summed over a shell, at some parameters: 1, cos(2 pi t), sin(2 pi t) alone
 * and times square, cosine and sine, value. */
enum {
    TESS__FIT_ONE,
    TESS__FIT_COS,
    TESS__FIT_SIN,
    TESS__FIT_SIN_SQUARE,
    TESS__FIT_SIN_COSINE,
    TESS__FIT_SIN_SINE,
    TESS__FIT_DATA,
    TESS__FIT_QUANTITIES
};
typedef double tess__fit_sums[TESS__FIT_QUANTITIES][TESS__FIT_QUANTITIES]; /* the lower half is used */

/* Rows of a sector over shells: weights, values, and polynomials of the radius that are orthonormal under the weights;
 * all but the first are multiplied by these. */
enum {
    TESS__FIT_ROW_WEIGHT,
    TESS__FIT_ROW_VALUE,
    TESS__FIT_ROW_BASIS,
    TESS__FIT_ROWS = TESS__FIT_ROW_BASIS + TESS__FIT_POLYNOMIALS
};

/* Products of a sector with the CTF^2 of a defocus (c) and with the same a quarter of a period on (s), backgrounds
 * removed: with the spectrum, and with each other. */
enum { TESS__FIT_VALUE_C, TESS__FIT_VALUE_S, TESS__FIT_CC, TESS__FIT_CS, TESS__FIT_SS, TESS__FIT_PRODUCTS };

enum {
    TESS__FIT_RUN = 32, /* neighbouring defoci that are tried together */
    TESS__FIT_LANES = 8 /* partial sums; rows have a multiple of it */
};

/* Samples of a spectrum, divided by the background, less 1, in the order of shells. */
typedef struct tess__fit_points {
    int64_t         n, shells;
    double          count, variance; /* of coefficients */
    double         *value, *weight;
    double         *fixed;                  /* the part of t that is known */
    double         *square, *cosine, *sine; /* rate r^2, times cos 2 angle, times sin 2 angle */
    int64_t        *first;                  /* of each shell, and the end */
    double         *radius;                 /* mean r of each shell */
    double         *polynomial;             /* [shell][TESS__FIT_POLYNOMIALS]: Chebyshev's */
    tess__fit_sums *sums;                   /* [shell]: workspace of the refinement */
    double         *storage;
} tess__fit_points;

typedef struct tess__fit_result {
    double parameter[TESS__FIT_PARAMETERS];
    double error[TESS__FIT_PARAMETERS]; /* standard deviations */
    double score;                       /* correlation of spectrum and model, without background; 0: no fit */
    double merit; /* what is maximised: the same, not normalised, less a penalty for astigmatism */
} tess__fit_result;

static inline bool tess__fit_shifts(const tess__ctf_fit *work) { return work->shift[1] > work->shift[0]; }

/* What the square of an astigmatism takes from the correlation with a spectrum that is not normalised. Of a normalised
 * one, of n coefficients, it takes (astigmatism / tolerated)^2 / 2n, as in CTFFIND (Mindell and Grigorieff 2003). */
static inline double tess__fit_penalty(const tess__fit_points *points, const tess__ctf_fit *work)
{
    return 0.5 * work->restraint * sqrt(points->variance / points->count);
}

void tess__fit_release(tess__fit_points *points);

/* The coefficients of half a spectrum, layout H, in the range, to be released; `*usable` is false if there is a number
 * that no power has, or nothing but background. False if there is no memory. */
bool tess__fit_gather(tess__fit_points *points, const tess__ctf_fit *work, const double *power, bool *usable);

/* The mean of each sector of each shell; to be released. False if there is no memory. */
bool tess__fit_sectors(tess__fit_points *sectors, const tess__fit_points *points);

/* Exhaustive search: the best fits, at defoci where the merit has a local maximum; `*n` of them. False if there is no
 * memory. */
bool tess__fit_search(tess__fit_result found[TESS__FIT_CANDIDATES], int *n, const tess__fit_points *sectors,
                      const tess__ctf_fit *work);

/* Least squares from where `fit` is, over shells up to a radius. */
void tess__fit_refine(tess__fit_result *fit, const tess__fit_points *points, const tess__ctf_fit *work, double radius);

/* Curves for a plot, [3][shells]: measured, model, agreement; and the frequency up to which they agree, cycles per
 * pixel. False if there is no memory. */
bool tess__fit_curves(double *curves, double *resolution, const tess__ctf_fit *work, const double *power,
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

#endif
