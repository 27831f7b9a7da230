/* Parameters of the polynomial surface fit: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_LINALG_POLYFIT_PARAMS_H
#define TESS_CUDA_LINALG_POLYFIT_PARAMS_H

#include "cuda/jit/grid_params.h"

enum { TESS__GPU_DEGREES = 4 };

/* Steps; macros, as the preprocessor compares them too. */
#define TESS__GPU_FIT_ROWS 0    /* sums of each row with the polynomials of x */
#define TESS__GPU_FIT_IMAGES 1  /* the coefficients of each image, and its parameters */
#define TESS__GPU_FIT_SURFACE 2 /* the fitted surface, or the image less that */

/* Polynomials along an axis that are orthonormal on its points, of u = (i - centre) inverse. Those of even degree have
 * even powers only, those of odd degree odd ones. */
typedef struct tess__gpu_basis {
    int64_t n;
    double  centre, inverse;
    double  powers[TESS__GPU_DEGREES][TESS__GPU_DEGREES]; /* [degree][power] */
    double  pixels[TESS__GPU_DEGREES][TESS__GPU_DEGREES]; /* the same of i itself */
} tess__gpu_basis;

typedef struct tess__gpu_polyfit {
    tess__gpu_basis x, y;
    tess__gpu_grid  grid; /* the elements of all images */
    tess__gpu_array in, out;
    int64_t         images;
    uint64_t        moments;      /* f64: TESS__GPU_DEGREES for each row of each image */
    uint64_t        coefficients; /* f64: [degree of x][degree of y] for each image */
    uint64_t        parameters;   /* f64; 0: not wanted */
    int64_t         parameter_stride[2];
} tess__gpu_polyfit;

#endif
