/* Gamma regression of a smooth background: the exponential of a polynomial, by Fisher's scoring; and the solution of
 * small normal equations by Cholesky decomposition. */
#include <math.h>
#include <string.h>

#include "cpu/signal/ctf_fit.h"
#include "tessera/math/f64.op.h"

void tess__fit_chebyshev(double *row, double x, int terms)
{
    row[0] = 1;
    if (terms > 1) row[1] = x;
    for (int k = 2; k < terms; k++) row[k] = 2 * x * row[k - 1] - row[k - 2];
}

bool tess__fit_solve(double *a, int stride, double *b, int n)
{
    for (int k = 0; k < n; k++) {
        for (int j = 0; j <= k; j++) {
            double sum = a[k * stride + j];
            for (int i = 0; i < j; i++) sum -= a[k * stride + i] * a[j * stride + i];
            if (j < k) a[k * stride + j] = sum / a[j * stride + j];
            else if (sum > 0) a[k * stride + k] = sqrt(sum);
            else return false;
        }
    }
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < k; i++) b[k] -= a[k * stride + i] * b[i];
        b[k] /= a[k * stride + k];
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int i = k + 1; i < n; i++) b[k] -= a[i * stride + k] * b[i];
        b[k] /= a[k * stride + k];
    }
    return true;
}

enum { MAX_TERMS = 12, ROUNDS = 12 };

/* Weighted least squares of the basis for `target`. */
static bool project(double *coefficient, const double *target, const double *weights, const double *basis, int64_t n,
                    int terms)
{
    double a[MAX_TERMS * MAX_TERMS] = { 0 };
    memset(coefficient, 0, (size_t)terms * sizeof *coefficient);
    for (int64_t i = 0; i < n; i++) {
        const double *row = basis + i * terms;
        for (int k = 0; k < terms; k++) {
            for (int j = 0; j <= k; j++) a[k * terms + j] += weights[i] * row[k] * row[j];
            coefficient[k] += weights[i] * row[k] * target[i];
        }
    }
    for (int k = 0; k < terms; k++) a[k * terms + k] += 1e-9 * a[0];
    return tess__fit_solve(a, terms, coefficient, terms);
}

static double product(const double *a, const double *b, int n)
{
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* Fisher's scoring: with a logarithmic link its weights are constant. It begins at the logarithms; steps are limited,
 * so that a single peak does not throw it off. */
void tess__fit_background(double *background, const double *values, const double *weights, const double *basis,
                          int64_t n, int terms)
{
    double coefficient[MAX_TERMS], largest = 0;
    for (int64_t i = 0; i < n; i++) largest = values[i] > largest ? values[i] : largest;
    for (int64_t i = 0; i < n; i++) {
        const double value = values[i] > 1e-6 * largest ? values[i] : 1e-6 * largest;
        background[i] = tess__log_f64(value);
    }
    for (int round = 0; round < ROUNDS && project(coefficient, background, weights, basis, n, terms); round++) {
        for (int64_t i = 0; i < n; i++) {
            const double level = product(coefficient, basis + i * terms, terms);
            const double excess = values[i] * tess__exp_f64(-level) - 1;
            background[i] = level + (excess > 2 ? 2 : excess);
        }
    }
    for (int64_t i = 0; i < n; i++) background[i] = tess__exp_f64(product(coefficient, basis + i * terms, terms));
}
