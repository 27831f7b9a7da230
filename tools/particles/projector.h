/* Projections of a map by central slices of its spectrum, padded to twice its size. */
#ifndef TESSERA_PARTICLES_PROJECTOR_H
#define TESSERA_PARTICLES_PROJECTOR_H

#include "files/input.h"

typedef struct projector {
    tess_array spectrum; /* half of it, of the padded map, its centre at index 0 */
    tess_shape padded;   /* {1,2n,2n,2n} */
    int64_t    side;     /* n */
    double     pixel_size;
} projector;

/* Of a map that is a cube of finite real numbers and has a pixel size, the same along all axes. To be closed, also
 * after a failure. */
tess_status projector_open(projector *p, job *job, const char *path);
void        projector_close(projector *p);

/* Views of the map: how many; turned by `rotations`, {n,1,1,4}, from the image to the map; moved by `shifts`, {n,1,1,2}
 * of f64, y and x, in pixels; times their CTFs, {n,1,1,17}, or one without where it is NULL. All are on the device. */
typedef struct views {
    tess_array        rotations, shifts;
    const tess_array *ctfs;
} views;

/* Views first to first + n of them, {n,1,side,side} of f32, into `images`, which is made if it is zeroed. */
tess_status project_views(const projector *p, tess_array *images, const views *v, int64_t first, int64_t n);

/* The mean of the variances of the first views, at most 64 of them. */
tess_status variance_of_views(const projector *p, const views *v, double *variance);

/* Random orientations, evenly distributed: Euler angles rot, tilt, psi in degrees, {n,1,1,3}, rounded to a tenth of a
 * thousandth, and their quaternions, {n,1,1,4}; f64, on the host. */
tess_status random_orientations(tess_array *angles, tess_array *rotations, int64_t n, uint64_t seed, uint32_t stream);

#endif
