/* Parameters of one step of a discrete cosine or sine transform: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_FFT_R2R_PARAMS_H
#define TESS_CUDA_FFT_R2R_PARAMS_H

#include <stdint.h>

typedef struct tess__gpu_r2r {
    int64_t  n, shape[4]; /* the elements to be written */
    int64_t  real_stride[4], complex_stride[4];
    uint64_t real, complex;
    int64_t  length, period; /* elements of a real vector; half the length of a complex one */
    int32_t  axis, a2, b2;   /* twice a and b: see r2r.c */
    int32_t  kind;           /* 1 to 8: DCT1 … DST4 */
    int32_t  ortho;
    double   scale;
} tess__gpu_r2r;

#endif
