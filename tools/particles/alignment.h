/* Alignment of images to a reference in the plane: rotations in steps, and for each the shift of the highest
 * correlation. */
#ifndef TESSERA_PARTICLES_ALIGNMENT_H
#define TESSERA_PARTICLES_ALIGNMENT_H

#include "tessera.h"

/* An image is brought onto the reference by moving it by (x, y) pixels, and then turning it by `angle` radians, +x
 * towards +y, about its middle n/2. */
typedef struct placement {
    double angle, x, y;
    double score; /* correlation coefficient with the masked reference */
} placement;

typedef struct aligner {
    tess_shape  shape;     /* {1,1,n,n} of the images */
    int64_t     n_angles;  /* rotations in a full turn */
    double      max_shift; /* pixels */
    tess_array  mask;      /* f32 {1,1,n,n}: a disc with a soft edge */
    tess_array  turns;     /* matrices of the rotations */
    tess_array  spectra;   /* of the reference, turned: c32 {n_angles,1,n,n/2+1} */
    double      norm;      /* of the masked reference */
    tess_array  lags;      /* the limit of shifts, as tess_correlate_peak takes it */
    tess_device device;
} aligner;

/* To be freed by aligner_free, also after a failure. */
tess_status aligner_start(aligner *a, tess_shape shape, int64_t n_angles, double max_shift, double radius,
                          tess_device device);
void        aligner_free(aligner *a);

/* Take another reference, real {1,1,n,n} where the aligner works. */
tess_status aligner_reference(aligner *a, const tess_array *reference);

/* How an image f32 {1,1,n,n} is brought onto the reference. */
tess_status aligner_place(placement *p, const aligner *a, const tess_array *image);

/* The image brought there, by cubic splines: f32. */
tess_status aligner_move(tess_array *moved, const aligner *a, const tess_array *image, const placement *p);

#endif
