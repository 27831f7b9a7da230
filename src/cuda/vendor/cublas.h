/* cuBLAS: batched matrix products. */
#ifndef TESS_CUDA_VENDOR_CUBLAS_H
#define TESS_CUDA_VENDOR_CUBLAS_H

#include "cuda/runtime/device.h"

/* What is done to a matrix before it is multiplied, as cuBLAS numbers it. */
enum { TESS__BLAS_AS_IT_IS, TESS__BLAS_TRANSPOSED, TESS__BLAS_CONJUGATED /* and transposed */ };

/* c = alpha op(a) op(b) + beta c, all by columns, `batch` times. */
typedef struct tess__gemm {
    int32_t          dtype; /* f32, f64, c32, c64 */
    int              op_a, op_b;
    int              m, n, k;
    int64_t          lda, ldb, ldc; /* below 2^31 */
    long long        step_a, step_b, step_c;
    int              batch;
    double           alpha, beta;
    tess__cu_address a, b, c;
} tess__gemm;

tess_status tess__cublas_gemm(tess__cuda_call *call, const tess__gemm *g);

/* 13010 is 13.1; 0 if there is no such library, which is no failure here. */
int tess__cublas_version(void);

/* The call's stream, whose work is done, is being freed: releases what is kept for it. */
void tess__cublas_forget(const tess__cuda_call *call);

#endif
