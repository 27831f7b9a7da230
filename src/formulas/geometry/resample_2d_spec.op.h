/* Description of 2-D resampling, by polar transforms and warps: ranges of angles and radii, or polynomials, and what
 * is read. Plain data, which requests and kernels share. */
#ifndef TESS_FORMULAS_GEOMETRY_RESAMPLE_2D_SPEC_OP_H
#define TESS_FORMULAS_GEOMETRY_RESAMPLE_2D_SPEC_OP_H

#include <stdint.h>

/* What the rows and columns of the output are; macros, as the preprocessor of kernels compares them. */
#define TESS__RESAMPLE_RAYS 0   /* angles and radii; the input is an image or a spectrum */
#define TESS__RESAMPLE_PIXELS 1 /* of an image; the input has angles and radii */
#define TESS__RESAMPLE_PHASES 2 /* 1-D spectra along the phase of a CTF; each reads its own row of the input */
#define TESS__RESAMPLE_WARP 3   /* pixels of an image, read at their position less a polynomial of it */

typedef struct tess__resample_grid {
    int32_t kind;      /* a TESS__RESAMPLE_ */
    int32_t log;       /* radii are rho_start + exp(k rho_step) - 1, not rho_start + k rho_step */
    int32_t full_turn; /* angles are periodic in the input */
    int32_t unused;
    double  centre[2], scale[2]; /* y, x of radius 0; elements of the image along y and x for a radius of 1 */
    double  rho_start, rho_step;
    double  phi_start, phi_step, phi_middle; /* of the range */
    double  in_start, in_step;               /* PHASES: frequencies of the input; rho_ are those of the output */
    double  size[2], shift[2][6]; /* WARP, of y and x: the image's; coefficients of 1, x, x^2, y, y^2, xy, where x and y
                                     are from -1/2 to 1/2 */
} tess__resample_grid;

/* An axis of what is read. Of an image coordinates are indices; of a spectrum they are frequencies in samples. */
typedef struct tess__resample_axis {
    int64_t n;                     /* logical size, of which borders and frequencies repeat */
    int64_t low, high, zero, wrap; /* coordinate k, low <= k < high, is at index zero + k, plus wrap if k < 0 */
    int32_t border, unused;        /* a tess_border, not DEFAULT */
} tess__resample_axis;

typedef struct tess__resample_source {
    tess__resample_axis axis[2]; /* y, x */
    double              outside[2];
    int32_t             spectrum; /* frequencies beyond n / 2 are 0, and */
    int32_t             half;     /* negative ones along x are conjugates */
} tess__resample_source;

#endif
