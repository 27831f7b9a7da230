/* A BLAS of the system's, found when the program runs, for large products of matrices. */
#ifndef TESS_CPU_LINALG_BLAS_H
#define TESS_CPU_LINALG_BLAS_H

#include "backend.h"

/* An error if TESS_BLAS names a BLAS that cannot be had, and products of this dtype are those of a BLAS. */
tess_status tess__blas_check(const tess__matmul *work);

/* True if products of this kind go to a BLAS: there is one, it is wanted, and it can take these matrices. */
bool tess__blas_wants(const tess__matmul *work);

/* One product of them, of the matrices at these addresses. */
void tess__blas_multiply(const tess__matmul *work, char *out, const char *a, const char *b);

#endif
