/* Alignment of images to a reference in the plane: rotations in steps, and for each the shift of the highest
 * correlation. */
#ifndef TESS_JOBS_ALIGN2D_ALIGNER_H
#define TESS_JOBS_ALIGN2D_ALIGNER_H

#include "tessera/array.h"

/* An image is brought onto the reference by moving it by (x, y) pixels, and then turning it by `angle` radians, +x
 * towards +y, about its middle n/2. */
typedef struct tess__placement {
    double angle, x, y;
    double score; /* correlation coefficient with the masked reference */
} tess__placement;

typedef struct tess__aligner {
    tess_shape  shape;     /* {1,1,n,n} of the images */
    int64_t     n_angles;  /* rotations in a full turn */
    double      max_shift; /* pixels */
    tess_array  mask;      /* f32 {1,1,n,n}: a disc with a soft edge */
    tess_array  turns;     /* matrices of the rotations */
    tess_array  spectra;   /* of the rotated reference: c32 {n_angles,1,n,n/2+1} */
    double      norm;      /* of the masked reference */
    tess_array  lags;      /* the limit of shifts, as tess_correlate_peak takes it */
    tess_device device;
} tess__aligner;

/* To be freed by tess__aligner_release, also after a failure. */
tess_status tess__aligner_start(tess__aligner *a, tess_shape shape, int64_t n_angles, double max_shift, double radius,
                                tess_device device);
void        tess__aligner_release(tess__aligner *a);

/* Take another reference, real {1,1,n,n} where the aligner works. */
tess_status tess__aligner_reference(tess__aligner *a, const tess_array *reference);

/* How an image f32 {1,1,n,n} is brought onto the reference. */
tess_status tess__aligner_place(tess__placement *p, const tess__aligner *a, const tess_array *image);

/* The image brought there, by cubic splines: f32. */
tess_status tess__aligner_move(tess_array *moved, const tess__aligner *a, const tess_array *image,
                               const tess__placement *p);

#endif
