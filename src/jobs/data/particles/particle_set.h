/* Particles of a stack: images with a row each in tables of poses, CTFs and half sets; parts of them, by half sets. */
#ifndef TESS_JOBS_DATA_PARTICLES_PARTICLE_SET_H
#define TESS_JOBS_DATA_PARTICLES_PARTICLE_SET_H

#include "tessera/jobs/source.h"

/* Tables as a caller gives them; NULL: there are none. */
typedef struct tess__particle_tables {
    const char       *rotations_name; /* of that argument, for messages */
    const tess_array *rotations, *shifts, *ctfs, *halves;
} tess__particle_tables;

typedef struct tess__particle_set {
    const char        *fn; /* the job, for messages */
    const tess_source *images;
    int64_t            n;
    tess_array         rotations, shifts, ctfs, halves; /* f64 {n,1,1,k} on the CPU; without data: none */
    tess_array         tilts; /* CTFs that are 1 but for the phases of beam tilt and trefoil */
} tess__particle_set;

/* Copies the tables, for the images {n,1,h,w} of a source. To be released, also after a failure. */
tess_status tess__particle_set_open(tess__particle_set *set, const char *fn, const tess_source *images,
                                    const tess__particle_tables *tables);
void        tess__particle_set_release(tess__particle_set *set);

/* Fails where the set has half sets, and one of them has no particle. */
tess_status tess__particle_set_need_halves(const tess__particle_set *set);

/* Images of particles from `first` on, {n,1,h,w}, with the phases that beam tilt and trefoil changed put right:
 * `images` itself where there is neither, otherwise `made`. Fails where one of them has NaNs or infinities. */
tess_status tess__particle_images(const tess_array **right, tess_array *made, const tess__particle_set *set,
                                  const tess_array *images, int64_t first);

/* Some particles: images where they were, rows on the CPU. */
typedef struct tess__particle_part {
    int64_t    n;                               /* may be 0; then there are no arrays */
    tess_array numbers;                         /* i64 {1,1,1,n}: which of the images they were, from 0 */
    tess_array images, rotations, shifts, ctfs; /* without data: none */
} tess__particle_part;

/* Those of a half set among `images`, which are particles from `first` on. To be released, also after a failure. */
tess_status tess__particles_of_half(tess__particle_part *part, const tess__particle_set *set, int half,
                                    const tess_array *images, int64_t first);
void        tess__particle_part_release(tess__particle_part *part);

#endif
