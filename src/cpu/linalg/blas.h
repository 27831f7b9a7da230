/* GEMM of a system BLAS, loaded at run time, for large products of matrices. */
#ifndef TESS_CPU_LINALG_BLAS_H
#define TESS_CPU_LINALG_BLAS_H

#include <stdbool.h>

#include "backend.h"

/* An error if TESS_BLAS names a BLAS that cannot be used, and products of this dtype would go to it. */
tess_status tess__blas_check(const tess__matmul *work);

/* True if products of this kind go to a BLAS: one is loaded and enabled, and it can take these matrices. */
bool tess__blas_wants(const tess__matmul *work);

/* One product of them, of the matrices at these addresses. */
void tess__blas_multiply(const tess__matmul *work, char *out, const char *a, const char *b);

/* A function of the LAPACK in the BLAS that is in use, or in liblapack.so.3 beside it; NULL if there is none. */
void *tess__lapack_function(const char *name);

/* Around each call of a BLAS or a LAPACK. */
void tess__blas_lock(bool lock);

#endif
