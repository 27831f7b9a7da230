/* Templates that particles are searched with: images in all in-plane rotations, or round blobs. */
#ifndef TESS_JOBS_PICK_TEMPLATES_H
#define TESS_JOBS_PICK_TEMPLATES_H

#include "tessera/jobs/pick.h"

typedef struct tess__templates {
    tess_array images; /* f32 {n,1,t,t}: template k / n_angles, rotated by k % n_angles times 360 / n_angles degrees */
    tess_array mask;   /* f32 {1,1,t,t}: 1 inside a circle */
    int64_t    n_angles;
} tess__templates;

/* A round blob of a diameter in pixels, in a circle 1.5 times as wide. */
tess_status tess__templates_of_blob(tess__templates *t, double diameter, tess_blob kind);

/* Images {n,1,h,h} with pixels `factor` times as large as those of the result, rotated in `n_angles` steps, in a circle
 * of this diameter in pixels of the result, or in the largest that fits if it is 0. */
tess_status tess__templates_of_images(tess__templates *t, const tess_array *images, double factor, double diameter,
                                      int64_t n_angles);

/* The sides of both in pixels: integers, which may be too large for an image. */
double tess__blob_size(double diameter);
double tess__template_size(int64_t side, double factor);

void tess__templates_release(tess__templates *t);

#endif
