/* Projection and reconstruction by central slices, from real images to real volumes and back.
 *
 *     tess_array spectrum = { 0 }, images = { 0 }, volume = { 0 }, weights = { 0 }, map = { 0 };
 *     TESS_TRY(tess_fourier_prepare(&spectrum, &reference, NULL));
 *     TESS_TRY(tess_fourier_project(&images, &spectrum, &rotations, NULL));
 *     TESS_TRY(tess_fourier_backproject(&volume, &weights, &images, &rotations, NULL));
 *     TESS_TRY(tess_fourier_reconstruct(&map, &volume, &weights, NULL));
 *
 * These are the functions of tessera/fourier_slices.h put together: volumes are padded, divided by the transform of the
 * interpolation kernel and moved to index 0, images get their CTF and their shift. Images {n,1,s,s} are square and
 * volumes {1,s,s,s} cubes, turned about s/2, rounded down. Padded spectra are half ones, layout H, of cubes of
 * padding times s. Rotations take the image to the volume (tess_euler_to_matrix): 3 x 3 or quaternions, one an image.
 * CTFs are rows {1 or n,1,1,m}, m from 8 to 17, in the order of tess_ctf; shifts rows {1 or n,1,1,2} of pixels (h, w).
 * All of these lie where images and volumes are, or in host memory.
 */
#ifndef TESSERA_FOURIER_PROJECT_H
#define TESSERA_FOURIER_PROJECT_H

#include "tessera/fourier_slices.h"

TESS_BEGIN_C

typedef struct tess_fourier_prepare_opts {
    int32_t  padding;     /* padding factor: the spectrum is that of a cube this many times as large, 1 to 8 [2] */
    int32_t  interp;      /* a tess_interp: what projections will be interpolated with [LINEAR] */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_prepare_opts;

/** The spectrum {1,p,p,p/2+1} that projections of a volume {1,s,s,s} are taken from, p = padding s: c32, or c64 of a
 *  volume of f64. Real numbers of any dtype. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_prepare(tess_array *spectrum, const tess_array *volume,
                                                          const tess_fourier_prepare_opts *opts);

typedef struct tess_fourier_project_opts {
    const tess_array *ctfs;    /* projections are multiplied by them in Fourier space [NULL: none] */
    const tess_array *shifts;  /* shifts of the projections in pixels, applied last, periodically [NULL: none] */
    double            cutoff;  /* frequencies above it are 0, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    int32_t           padding; /* as in tess_fourier_prepare [2] */
    int32_t           interp;  /* the same [LINEAR] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_fourier_project_opts;

/** Projections {n,1,s,s} of what a spectrum was prepared of: sums along the third column of each rotation. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_project(tess_array *images, const tess_array *spectrum,
                                                          const tess_array                *rotations,
                                                          const tess_fourier_project_opts *opts);

typedef struct tess_fourier_backproject_opts {
    const tess_array *ctfs;          /* images were multiplied by them: they are again, and weights are CTF^2 [NULL] */
    const tess_array *shifts;        /* shifts of the images in pixels, applied first, periodically [NULL: none] */
    const tess_array *image_weights; /* how much each image counts, real {n,1,1,1}: 1 / variance of its noise [1] */
    const char       *symmetry;      /* each image goes to all that are equal under this group, as "D7" [C1] */
    double   cutoff;   /* frequencies above it are left out, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    double   ewald;    /* radius of the Ewald sphere, pixel size / wavelength; negative: the other side
                                        [0: flat] */
    double   diameter; /* with ewald: of the particle, pixels [s] */
    int32_t  padding;  /* of the volume, 1 to 8 [2] */
    int32_t  add;      /* 1: to what volume and weights hold; else they are cleared [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_backproject_opts;

/** Images into the spectrum {1,p,p,p/2+1} of a volume, p = padding s: the sum of CTF times image and, in `weights`, of
 *  CTF^2, each coefficient spread over the eight around its frequency (tess_fourier_insert). c32, or c64 of images of
 *  f64. Sums are made in the order of images, and of the group's rotations for each: results do not depend on how many
 *  images a call has, nor on threads. With a symmetry or an Ewald sphere images are added in several steps: if memory
 *  runs out between two of them, `volume` and `weights` hold what was added before.
 *
 *  On an Ewald sphere an image is the sum of two slices, of both sides, times i/2 exp(i phase) and -i/2 exp(-i phase)
 *  with the phase of the CTF. Each is put on its side by the conjugate factor, and counts (1 - o + 2 o CTF^2) / 4,
 *  where o, from 1 to 0, tells how much of both is the same: 1 - 2 z diameter, z away from the plane. It needs ctfs,
 *  without beam tilt and trefoil. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_backproject(tess_array *volume, tess_array *weights,
                                                              const tess_array *images, const tess_array *rotations,
                                                              const tess_fourier_backproject_opts *opts);

typedef struct tess_fourier_reconstruct_opts {
    double   noise;       /* added to weights: 1 / (signal to noise) of a Wiener filter [0] */
    double   floor;       /* weights are at least this part of the mean of their shell [0.001]; TESS_ZERO: no floor */
    int32_t  padding;     /* of the volume [2] */
    int32_t  unused;      /* must be 0 */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_reconstruct_opts;

/** The map {1,s,s,s} of what images were put into: divided by weights, transformed, cropped, and divided by the
 *  transform of linear interpolation. f32, or f64 of c64. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_reconstruct(tess_array *map, const tess_array *volume,
                                                              const tess_array                    *weights,
                                                              const tess_fourier_reconstruct_opts *opts);

TESS_END_C

#endif
