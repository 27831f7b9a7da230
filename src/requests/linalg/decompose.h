/* Factorisations of matrices, and what is computed from them. */
#ifndef TESS_REQUESTS_LINALG_DECOMPOSE_H
#define TESS_REQUESTS_LINALG_DECOMPOSE_H

#include "tessera/array.h"

/* What is computed, and into which outputs. */
typedef enum tess__decomposition {
    TESS__SOLVE,       /* x */
    TESS__INVERSE,     /* the inverse */
    TESS__DETERMINANT, /* determinants, signs, log |det| */
    TESS__CHOLESKY,    /* the factor */
    TESS__QR,          /* q, r */
    TESS__EIGH,        /* values, vectors */
    TESS__SVD,         /* u, s, vh */
} tess__decomposition;

/* Plain data. Arrays are on the host. */
typedef struct tess__decompose {
    const char *name, *arg; /* of the operation and of its matrix */
    int32_t     kind;       /* a tess__decomposition */
    int32_t     kernel;     /* computed in: f64 or c64 */
    bool        upper;      /* the upper triangle is read, or written */
    bool        complete;   /* with all columns of square orthogonal matrices */
    int64_t     m, n, k;    /* a is m by n; b has k columns */
    tess_shape  batches;    /* {B,D,1,1}, not empty */
    tess_array  a, b;       /* B and D may be 1 */
    tess_array  out[3];     /* data NULL: not wanted */
} tess__decompose;

#endif
