/* Projections of a map by central slices of its spectrum, padded to twice its size. */
#ifndef TESS_JOBS_SIMULATE_PROJECTOR_H
#define TESS_JOBS_SIMULATE_PROJECTOR_H

#include "jobs/run/context.h"

typedef struct tess__projector {
    tess_array spectrum;   /* half of it, of the padded map, its centre at index 0 */
    tess_shape padded;     /* {1,2n,2n,2n} */
    int64_t    side;       /* n */
    double     pixel_size; /* Å */
} tess__projector;

/* Of a map that is a cube of finite real numbers. Its pixel size is `pixel_size` where that is above 0; otherwise it
 * must be known, and the same along all axes. `fn` is the job, for messages. To be closed, also after a failure. */
tess_status tess__projector_open(tess__projector *p, const char *fn, const tess_source *map, double pixel_size,
                                 const tess_context *context);
void        tess__projector_close(tess__projector *p);

/* Views of the map: rotated by `rotations`, {n,1,1,4}, from the image to the map; moved by `shifts`, {n,1,1,2} of f64,
 * y and x, in pixels; times their CTFs, {n,1,1,17}, unless that is NULL. All are on the device. */
typedef struct tess__views {
    tess_array        rotations, shifts;
    const tess_array *ctfs;
} tess__views;

/* Views first to first + n of them, {n,1,side,side} of f32, into `images`, which is made if it is zeroed. */
tess_status tess__project_views(const tess__projector *p, tess_array *images, const tess__views *v, int64_t first,
                                int64_t n);

/* The mean of the variances of the first views, at most 64 of them. */
tess_status tess__variance_of_views(const tess__projector *p, const tess__views *v, double *variance);

/* Random orientations, evenly distributed: Euler angles rot, tilt, psi in degrees, {n,1,1,3}, rounded to a tenth of a
 * thousandth, and their quaternions, {n,1,1,4}; f64, on the host. */
tess_status tess__random_orientations(tess_array *angles, tess_array *rotations, int64_t n, uint64_t seed,
                                      uint32_t stream);

/* The angles of orientations that were given, in the same form. */
tess_status tess__angles_of(tess_array *angles, const tess_array *rotations);

#endif
