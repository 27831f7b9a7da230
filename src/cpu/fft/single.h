/* FFT of one vector that is transformed by itself: what its algorithms have in common. */
#ifndef TESS_CPU_FFT_SINGLE_H
#define TESS_CPU_FFT_SINGLE_H

#include "cpu/fft/transform.h"

/* The transform of one vector of complex numbers, or of reals, into another. */
typedef struct tess__fft_single {
    const tess__fft_plan1d *plan;
    const tess__fft_kernel *kernels;
    tess__workspaces       *workspaces;
    const char             *in;
    char                   *out, *workspace;
    int64_t                 si, so;
    bool                    real; /* the input is */
    bool                    backward;
    double                  scale;
} tess__fft_single;

/* A vector of a pass; `last`: where its last coefficient is, if not behind the others. */
void tess__fft_run_vector(const tess__fft_pass *pass, tess__fft_single *s, const char *last);

/* By whatever plan it has, and by the two that have a file of their own. */
void tess__fft_run_single(const tess__fft_single *s);
void tess__fft_run_split(const tess__fft_single *s);
void tess__fft_run_chirp(const tess__fft_single *s);

/* The largest divisor of n, at most sqrt(n), that columns of a four-step transform may have. */
int64_t tess__fft_columns_of(int64_t n);

/* Bytes of the matrix of a four-step plan. */
size_t tess__fft_matrix_bytes(const tess__fft_plan1d *plan);

/* The forward transform by an f64 plan, from x to y, for tables; false if there is no memory. */
bool tess__fft_transform_f64(const tess__fft_plan1d *plan, const double *x, double *y, char *workspace);

#endif
