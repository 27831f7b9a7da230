/* Eigenvalues and singular values by a LAPACK, for large matrices: where TESS_BLAS selects a BLAS that has one, or that
 * stands beside liblapack.so.3. */
#ifndef TESS_CPU_LINALG_LAPACK_H
#define TESS_CPU_LINALG_LAPACK_H

#include <stdbool.h>
#include <stdint.h>

/* Sides that a LAPACK takes: its workspaces have sizes of 32 bits. */
enum { TESS__LAPACK_MOST = 16000 };

/* True if matrices whose smaller side is n go to it. */
bool tess__lapack_wants(int64_t n);

typedef enum tess__lapack_end { TESS__LAPACK_DONE, TESS__LAPACK_NO_VALUES, TESS__LAPACK_NO_MEMORY } tess__lapack_end;

/* Both are in f64, or in c64 if `is_complex`, and in columns. The matrix is overwritten. */

/* Ascending eigenvalues of the lower triangle of a, n by n, which becomes the eigenvectors if they are wanted. */
tess__lapack_end tess__lapack_eigh(bool is_complex, int64_t n, void *a, double *values, bool vectors);

/* A singular value decomposition of a, m by n, m >= n, which is overwritten. */
typedef struct tess__lapack_svd_call {
    bool    is_complex, complete; /* u has m columns instead of n */
    int64_t m, n;
    void   *a;
    double *values; /* in falling order */
    void   *u, *vh; /* u NULL: no vectors */
} tess__lapack_svd_call;

tess__lapack_end tess__lapack_svd(const tess__lapack_svd_call *c);

#endif
