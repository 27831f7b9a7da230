/* Projection and reconstruction by central slices, from real images to real volumes and back.
 *
 *     tess_array spectrum = { 0 }, images = { 0 }, volume = { 0 }, weights = { 0 }, map = { 0 };
 *     TESS_TRY(tess_fourier_prepare(&spectrum, &reference, NULL));
 *     TESS_TRY(tess_fourier_project(&images, &spectrum, &rotations, NULL));
 *     TESS_TRY(tess_fourier_backproject(&volume, &weights, &images, &rotations, NULL));
 *     TESS_TRY(tess_fourier_reconstruct(&map, &volume, &weights, NULL));
 *
 * These functions combine those of tessera/fourier_slices.h: volumes are padded, divided by the transform of the
 * interpolation kernel and centred at index 0; CTFs and shifts of the images are applied. Images {n,1,s,s} are square
 * and volumes {1,s,s,s} cubic, rotated about s/2, rounded down. Padded spectra are half spectra (layout H) of cubes
 * whose side is padding times s. Rotations take the image to the volume (tess_euler_to_matrix): 3 x 3 matrices or
 * quaternions, one per image. CTFs are rows {1 or n,1,1,m}, m from 8 to 17, in the order of tess_ctf; shifts are rows
 * {1 or n,1,1,2} of pixels (h, w). All of these are on the device of the images and volumes, or in host memory.
 */
#ifndef TESSERA_FOURIER_PROJECT_H
#define TESSERA_FOURIER_PROJECT_H

#include "tessera/fourier_slices.h"

TESS_BEGIN_C

typedef struct tess_fourier_prepare_opts {
    int32_t  padding;     /* padding factor of the box, 1 to 8 [2] */
    int32_t  interp;      /* a tess_interp: interpolation used for the projections [LINEAR] */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_prepare_opts;

/** Computes the spectrum {1,p,p,p/2+1} from which projections of a volume {1,s,s,s} are taken, with p = padding s: c32,
 *  or c64 for a volume of f64. The volume has real numbers of any dtype. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_prepare(tess_array *spectrum, const tess_array *volume,
                                                          const tess_fourier_prepare_opts *opts);

typedef struct tess_fourier_project_opts {
    const tess_array *ctfs;        /* CTFs, by which projections are multiplied in Fourier space [NULL: none] */
    const tess_array *shifts;      /* shifts of the projections in pixels, applied last, periodically [NULL: none] */
    double            cutoff;      /* frequencies above this are 0, cycles per pixel [0.5]; TESS_ZERO: all but frequency
                                      0 */
    int32_t           padding;     /* as in tess_fourier_prepare [2] */
    int32_t           interp;      /* as in tess_fourier_prepare [LINEAR] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_fourier_project_opts;

/** Computes projections {n,1,s,s} of the volume from which the spectrum was prepared: sums along the third column of
 *  each rotation. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_project(tess_array *images, const tess_array *spectrum,
                                                          const tess_array                *rotations,
                                                          const tess_fourier_project_opts *opts);

typedef struct tess_fourier_backproject_opts {
    const tess_array *ctfs;          /* CTFs of the images, which are multiplied by them again; weights are CTF^2
                                        [NULL] */
    const tess_array *shifts;        /* shifts of the images in pixels, applied first, periodically [NULL: none] */
    const tess_array *image_weights; /* weight of each image, real {n,1,1,1}: 1 / variance of its noise [1] */
    const char       *sym;           /* point group, such as "D7": each image is inserted at all equivalent orientations
                                        [C1] */
    double   cutoff;   /* frequencies above this are omitted, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    double   ewald;    /* radius of the Ewald sphere, pixel size / wavelength; negative: the other side [0: flat] */
    double   diameter; /* with ewald: diameter of the particle, pixels [s] */
    int32_t  padding;  /* padding factor of the volume, 1 to 8 [2] */
    int32_t  add;      /* 1: add to the contents of volume and weights [0: clear them] */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_backproject_opts;

/** Inserts images into the spectrum {1,p,p,p/2+1} of a volume, with p = padding s: adds CTF times image to the volume
 *  and CTF^2 to `weights`, spreading each coefficient over the eight around its frequency (tess_fourier_insert). The
 *  volume is c32, or c64 for images of f64. Sums are in the order of the images, and of the group's rotations for each,
 *  so results do not depend on the number of images per call or on threads. With a symmetry or an Ewald sphere, images
 *  are added in several steps; if memory runs out between them, `volume` and `weights` contain what was added before.
 *
 *  With an Ewald sphere, an image is the sum of two slices, one of each side, multiplied by i/2 exp(i phase) and -i/2
 *  exp(-i phase) with the phase of the CTF. Each is inserted on its side with the conjugate factor and the weight (1 -
 *  o + 2 o CTF^2) / 4. The overlap o of both, from 1 to 0, is 1 - 2 z diameter at the distance z from the plane. This
 *  needs ctfs, without beam tilt and trefoil. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_backproject(tess_array *volume, tess_array *weights,
                                                              const tess_array *images, const tess_array *rotations,
                                                              const tess_fourier_backproject_opts *opts);

typedef struct tess_fourier_reconstruct_opts {
    double   noise;       /* constant added to the weights: 1 / (signal-to-noise ratio) of a Wiener filter [0] */
    double   floor;       /* lower bound of the weights, as a fraction of the mean of their shell [0.001]; TESS_ZERO: no
                             floor */
    int32_t  padding;     /* padding factor of the volume [2] */
    int32_t  unused;      /* must be 0 */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_reconstruct_opts;

/** Reconstructs the map {1,s,s,s} from the result of tess_fourier_backproject: divides by the weights, transforms,
 *  crops, and divides by the transform of linear interpolation. f32, or f64 for c64. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_reconstruct(tess_array *map, const tess_array *volume,
                                                              const tess_array                    *weights,
                                                              const tess_fourier_reconstruct_opts *opts);

TESS_END_C

#endif
