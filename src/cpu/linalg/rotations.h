/* Real matrices that QR or QL iterations make diagonal: tridiagonal ones for eigenvalues, bidiagonal ones for singular
 * values. */
#ifndef TESS_CPU_LINALG_ROTATIONS_H
#define TESS_CPU_LINALG_ROTATIONS_H

#include <stdbool.h>

#include "cpu/linalg/kernels.h"

/* How many rotations are applied together, for each of n vectors. */
enum { TESS__ROTATION_SWEEPS = 32 };

/* n vectors of n components, `stride` apart, and rotations that are to be applied to them. Without vectors there are
 * none. */
typedef struct tess__rotations {
    int64_t         n, stride;
    double         *vectors;
    tess__rotation *list; /* room for TESS__ROTATION_SWEEPS n of them */
    int64_t         count;
} tess__rotations;

/* From one vector to the next: an odd number of cache lines, so that the same components of all vectors do not meet in
 * a few places of the cache. */
static inline int64_t tess__rotations_stride(int64_t n) { return (n + 15) / 16 * 16 + 8; }

/* In both, numbers should be about 1, and e has room for n. Values are left in d, in any order; false if there are none
 * after very many steps. */

/* Eigenvalues of the matrix with the diagonal d and e beside it; the vectors become its eigenvectors. */
bool tess__solve_tridiagonal(double *d, double *e, tess__rotations *z);

/* Singular values of the matrix with the diagonal d and e above it: d may become negative. The vectors become its left
 * and right singular vectors. */
bool tess__solve_bidiagonal(double *d, double *e, tess__rotations *left, tess__rotations *right);

#endif
