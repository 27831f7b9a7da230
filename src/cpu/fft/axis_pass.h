/* Batched 1-D FFTs along one axis of an array. */
#ifndef TESS_CPU_FFT_AXIS_PASS_H
#define TESS_CPU_FFT_AXIS_PASS_H

#include "cpu/fft/plan1d.h"
#include "cpu/runtime/workspace.h"

/* What the elements of the vectors are. */
enum {
    TESS__FFT_COMPLEX,      /* both sides complex */
    TESS__FFT_FROM_REAL,    /* the input is real, and all coefficients are wanted */
    TESS__FFT_REAL_TO_HALF, /* n reals to n/2+1 coefficients */
    TESS__FFT_HALF_TO_REAL, /* and back */
    TESS__FFT_REAL_TO_REAL
};

/* Strides are in bytes. Vectors of an input and an output are the same memory or disjoint. */
typedef struct tess__fft_pass {
    const tess__fft_plan1d
           *plan; /* REAL_TO_HALF and HALF_TO_REAL of even n: of kind REAL; else BLOCK, SPLIT or CHIRP, or R2R */
    int64_t n;    /* of the axis: its logical length */
    int32_t what;
    int32_t backward;
    double  scale;
    char   *data[2];
    int64_t step[2];      /* along the axis */
    int64_t count[3];     /* of vectors, along the other axes */
    int64_t stride[3][2]; /* of these */
    /* HALF_TO_REAL: where the last coefficient of each vector is, if not behind the others */
    char   *last;
    int64_t last_stride[3];
} tess__fft_pass;

/* Bytes of workspace for a 1-D plan of this kind. */
size_t tess__fft_pass_workspace(const tess__fft_plan1d *plan, const tess__fft_kernel *kernels);

/* Vectors become neighbours along count[0]: the other axis with the smallest stride, of the side which is complex.
 * Where vectors are along memory there, so that any order is good, the other side decides. */
void tess__fft_choose_neighbours(tess__fft_pass *pass);

void tess__fft_run_pass(const tess__fft_pass *pass, const tess__fft_kernel *kernels, tess__workspaces *workspaces);

#endif
