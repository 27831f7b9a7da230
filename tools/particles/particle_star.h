/* The STAR file of a stack of particles: the rows of the lists they come from, with the names of their images, and a
 * table of optics groups. */
#ifndef TESSERA_PARTICLES_PARTICLE_STAR_H
#define TESSERA_PARTICLES_PARTICLE_STAR_H

#include "particles/coordinates.h"

typedef struct particle_star {
    const char *stack;      /* the name of the images */
    double      pixel_size; /* of these, angstrom */
    int64_t     box;        /* pixels of their sides */
} particle_star;

/* Image i of the stack is particle i of the list. As star_file_write. */
tess_status particle_star_write(const char *path, const coordinates *c, const particle_star *s, const job *j);

#endif
