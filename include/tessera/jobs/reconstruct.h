/* Reconstruction of particles with known orientations, by central slices. */
#ifndef TESSERA_JOBS_RECONSTRUCT_H
#define TESSERA_JOBS_RECONSTRUCT_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** The side to which slices on the Ewald sphere are curved. */
typedef enum tess_ewald_side { TESS_EWALD_FRONT = 1, TESS_EWALD_BACK } tess_ewald_side;

/** Tables have a row for each image: {n,1,1,k} or {1,1,n,k} of real numbers. */
typedef struct tess_reconstruct_opts {
    const tess_array *shifts;   /* k = 2: pixels (y, x) that move a particle to the centre [none] */
    const tess_array *ctfs;     /* k = 8 to TESS_CTF_COLUMNS: fields of a tess_ctf; phases of beam tilt and trefoil are
                                     put right first [none] */
    const tess_array *halves;   /* k = 1: the half set of each image, 1 or 2; both half maps are made [none] */
    const char       *sym;      /* point group, as "D7" [C1] */
    double            cutoff;   /* frequencies above it are left out, cycles per pixel [0.5] */
    double            floor;    /* weights are at least this part of the mean of their shell [0.001] */
    int64_t           pad;      /* the spectrum is that of this many times the box [2] */
    double            diameter; /* with ewald: of the particle, pixels [that of the box] */
    double            pixel_size;  /* Å [that of the source] */
    int32_t           ewald;       /* a tess_ewald_side: put slices on the Ewald sphere; needs ctfs [0: flat] */
    uint32_t          reserved[7]; /* must be 0 */
} tess_reconstruct_opts;

typedef struct tess_reconstruct_result {
    tess_array map;   /* f32 {1,s,s,s} on the CPU */
    tess_array half1; /* with halves: the same of each half set */
    tess_array half2;
    double     resolution;     /* with halves: where their FSC falls below 0.143, Å, or pixels where the size of pixels
                                  is not known */
    double     resolution_0_5; /* where it falls below 0.5 */
} tess_reconstruct_result;

/**
 * Makes a map of images {n,1,s,s} of particles; `rotations` is a table of quaternions (z, y, x, w), k = 4,
 * from the image to the map.
 *
 * Images are moved by their shifts and put, as slices times their CTF, into the Fourier transform of a map of opts->pad
 * times the box; this is divided by the sum of squared CTFs, each at least opts->floor of the mean of its shell, and
 * transformed back. With half sets the map is that of their sum, whose last digits may differ from those without them.
 * Images are added in their order: results do not depend on threads and memory.
 */
TESS_API TESS_MUST_CHECK tess_status tess_reconstruct(tess_reconstruct_result *result, const tess_source *images,
                                                      const tess_array *rotations, const tess_reconstruct_opts *opts,
                                                      const tess_context *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_reconstruct_result_release(tess_reconstruct_result *result);

TESS_END_C

#endif
