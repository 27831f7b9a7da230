/* Matrix products. */
#ifndef TESS_REQUESTS_LINALG_MATMUL_H
#define TESS_REQUESTS_LINALG_MATMUL_H

#include "tessera/array.h"

/* Products of matrices: out = alpha a b + beta out. Plain data. */
typedef struct tess__matmul {
    const char *name;
    int32_t     dtype;        /* of all three: i64, u64, f32, f64, c32 or c64 */
    bool        conjugate[2]; /* a, b */
    double      alpha, beta;  /* beta 0: out is not read */
    int64_t     m, n, k;      /* of one product; m and n are not 0 */
    tess_array  out, a, b;    /* {B,D,m,n}, {B,D,m,k}, {B,D,k,n}: transposed and broadcast as needed */
} tess__matmul;

#endif
