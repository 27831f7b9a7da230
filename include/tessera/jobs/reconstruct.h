/* Reconstruction of a map from particles with known orientations, by central slices. */
#ifndef TESSERA_JOBS_RECONSTRUCT_H
#define TESSERA_JOBS_RECONSTRUCT_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Direction of the curvature of the Ewald sphere. */
typedef enum tess_ewald_side { TESS_EWALD_FRONT = 1, TESS_EWALD_BACK } tess_ewald_side;

/** Tables have a row for each image: {n,1,1,k} or {1,1,n,k} of real numbers. */
typedef struct tess_reconstruct_opts {
    const tess_array *shifts;   /* k = 2: pixels (y, x) that move a particle to the centre [none] */
    const tess_array *ctfs;     /* k = 8 to TESS_CTF_COLUMNS: fields of a tess_ctf; phases of beam tilt and trefoil are
                                   corrected first [none] */
    const tess_array *halves;   /* k = 1: half set of each image, 1 or 2; both half maps are reconstructed too [none] */
    const char       *sym;      /* point group, such as "D7" [C1] */
    double            cutoff;   /* frequencies above this are omitted, cycles per pixel [0.5] */
    double            floor;    /* lower bound of the weights, as a fraction of the mean of their shell [0.001] */
    int64_t           pad;      /* padding factor of the box [2] */
    double            diameter; /* with ewald: diameter of the particle, pixels [that of the box] */
    double            pixel_size;  /* Å [that of the source] */
    int32_t           ewald;       /* a tess_ewald_side: correct for the Ewald sphere; needs ctfs [0: flat] */
    uint32_t          reserved[7]; /* must be 0 */
} tess_reconstruct_opts;

typedef struct tess_reconstruct_result {
    tess_array map;   /* f32 {1,s,s,s} on the CPU */
    tess_array half1; /* with halves: the map of each half set */
    tess_array half2;
    double     resolution;     /* with halves: resolution at which their FSC falls below 0.143, Å, or pixels if the
                                  pixel size is not known */
    double     resolution_0_5; /* resolution at which it falls below 0.5 */
} tess_reconstruct_result;

/**
 * Reconstructs a map from images {n,1,s,s} of particles. `rotations` is a table of quaternions (z, y, x, w), k = 4,
 * from the image to the map.
 *
 * Images are moved by their shifts, multiplied by their CTF, and inserted as slices into the Fourier transform of a map
 * of opts->pad times the box size. This is divided by the sum of squared CTFs, with opts->floor times the mean of the
 * shell as a lower bound, and transformed back. With half sets, the map is reconstructed from their sum, so its last
 * digits may differ from those without half sets. Images are added in order: results do not depend on threads and
 * memory.
 */
TESS_API TESS_MUST_CHECK tess_status tess_reconstruct(tess_reconstruct_result *result, const tess_source *images,
                                                      const tess_array *rotations, const tess_reconstruct_opts *opts,
                                                      const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_reconstruct_result_release(tess_reconstruct_result *result);

TESS_END_C

#endif
