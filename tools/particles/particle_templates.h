/* What particles are looked for with: templates in all orientations in the plane, or round blobs. */
#ifndef TESSERA_PARTICLES_PARTICLE_TEMPLATES_H
#define TESSERA_PARTICLES_PARTICLE_TEMPLATES_H

#include "tessera.h"

typedef struct particle_templates {
    tess_array images; /* f32 {n,1,t,t}: template k / n_angles, turned by k % n_angles times 360 / n_angles degrees */
    tess_array mask;   /* f32 {1,1,t,t}: 1 inside a circle */
    int64_t    n_angles;
} particle_templates;

/* Round blobs of a diameter in pixels, in a circle 1.5 times as wide. */
typedef enum blob_kind {
    BLOB_GAUSS, /* a Gaussian whose sd is a quarter of the diameter */
    BLOB_DOG    /* a difference of Gaussians, the one for a disc: sds of 0.28 and 0.447 of the diameter */
} blob_kind;
tess_status templates_of_blob(particle_templates *t, double diameter, blob_kind kind);

/* Images {n,1,h,h} of pixels `factor` times as large as those of the result, turned in `n_angles` steps, in a circle of
 * this diameter in pixels of the result, or the largest if that is 0. */
tess_status templates_of_images(particle_templates *t, const tess_array *images, double factor, double diameter,
                                int64_t n_angles);

void particle_templates_free(particle_templates *t);

#endif
