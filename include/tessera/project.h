/* Projections in real space: images as sums of a volume along rays, and volumes as sums of images spread along them.
 *
 *     tess_array images = { 0 }, volume = { 0 };
 *     TESS_TRY(tess_project(&images, &map, &rotations, &(tess_project_opts){ .centred = 1 }));
 *     TESS_TRY(tess_backproject(&volume, &images, &inverses, &(tess_backproject_opts){ .centred = 1 }));
 *
 * Matrices act on columns z, y, x; the coordinate of an element is its index. Those of tess_project take an image,
 * which lies at z = 0, to the volume: the column of z is the direction of the rays, and the step along them. Those of
 * tess_backproject take the volume to the image, of which they give y and x: they are the inverses. Either may be
 * numbers {n,1,rows,columns} or compound elements mat33, mat34 or mat44, one for each image, on any device; they are
 * read during the call, which waits for them, and numbers that are not finite are an error (TESS_ERANGE). See
 * docs/projections.md.
 *
 * Elements are f32, f64, c32 or c64; of f16, integers and bool results are f32 (f64 of 32 and 64 bits), of c16 c32.
 * `out` is of that dtype, of any strides, and overlaps nothing. What lies outside is 0, tap by tap: a window of
 * interpolation that is half outside counts by half. cubic_bspline takes elements as coefficients; with `prefilter` it
 * makes coefficients of them first, of the spline through all elements that has none outside, and leaves the elements
 * as they are. Samples are in the precision of the elements and are added in f64, in the order of the ray and of the
 * images: the same bits for all strides, threads, instruction sets and devices.
 */
#ifndef TESSERA_PROJECT_H
#define TESSERA_PROJECT_H

#include "tessera/array.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_project_opts {
    int32_t    interp;      /* a tess_interp [LINEAR] */
    int32_t    add;         /* 1: add to what `out` holds [0] */
    int32_t    centred;     /* 1: matrices act about n / 2, rounded down, of the image and of the volume [0] */
    int32_t    adjoint;     /* 1: the transpose of tess_backproject, whose matrices these are [0] */
    int64_t    window;      /* samples of a ray, an odd number [as many as tess_project_window says] */
    tess_shape shape;       /* of `out`, if it is zeroed; 0 along h or w is that of the volume [0] */
    int32_t    prefilter;   /* 1: cubic_bspline makes coefficients of elements first [0] */
    uint32_t   reserved[3]; /* must be 0 */
} tess_project_opts;

/** Images {n,1,h,w} of a volume {1,d,h,w}, by matrices of 3x3, 3x4 or 4x4, of which the last row is not read.
 *
 *  With a the column of z, and q the point that the matrix gives for a pixel, the pixel is the sum of the volume at q +
 *  a (k + s), of k from -w/2 to w/2: s is such that sample 0 lies in the plane through the centre of the volume that is
 *  across the axis on which the ray first leaves it and what the method reaches beyond it, r. An a of 0 is an error
 *  (TESS_ERANGE).
 *
 *  With `adjoint`, matrices are those of tess_backproject, and the images are its exact transpose applied to the
 *  volume: each voxel is spread over the pixels around the point that it falls on. Then <project(x), y> = <x,
 *  backproject(y)>, to rounding, for every method and all matrices, with `prefilter` as well: it then works on the
 *  images that were made. Matrices of less than rank 2 are an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_project(tess_array *out, const tess_array *volume, const tess_array *matrices,
                                                  const tess_project_opts *opts);

/** How many samples a ray of tess_project needs, so that nothing of a volume of this shape is left out, for the image
 *  that needs the most: 2 ceil((c + r) / |a|) + 1 along the axis that it leaves on, with the centre c = n / 2, and r
 *  half the elements that the method takes, at least 1. More than 2^24 is an error (TESS_ERANGE), as is `adjoint`,
 *  which has no rays (TESS_EARG). */
TESS_API TESS_MUST_CHECK tess_status tess_project_window(int64_t *samples, const tess_array *matrices,
                                                         tess_shape volume, const tess_project_opts *opts);

typedef struct tess_backproject_opts {
    int32_t    interp;      /* a tess_interp [LINEAR] */
    int32_t    add;         /* 1: add to what `out` holds [0] */
    int32_t    centred;     /* 1: matrices act about n / 2, rounded down, of the volume and of the image [0] */
    int32_t    prefilter;   /* 1: cubic_bspline makes coefficients of elements first [0] */
    tess_shape shape;       /* of `out`, if it is zeroed; 0 along h or w is that of images, along d that of w [0] */
    uint32_t   reserved[4]; /* must be 0 */
} tess_backproject_opts;

/** A volume {1,d,h,w} of images {n,1,h,w}: each voxel is the sum of all images at the points that their matrices give
 *  for it. Matrices are of 2x3 or 2x4, or of 3x3, 3x4 or 4x4, of which the rows of y and x are read. */
TESS_API TESS_MUST_CHECK tess_status tess_backproject(tess_array *out, const tess_array *images,
                                                      const tess_array *matrices, const tess_backproject_opts *opts);

/** Images of the backprojection of images, without the volume, of which the shape {1,d,h,w} is given: `backward` are
 *  the matrices of tess_backproject, one for each of `images`, `forward` those of tess_project, one for each result.
 *  The volume is not sampled but computed where rays need it, so results are sharper than those of two calls. Beyond
 *  its first and last elements it falls to 0 within one element, along each axis. `adjoint` must be 0. */
TESS_API TESS_MUST_CHECK tess_status tess_backproject_project(tess_array *out, const tess_array *images,
                                                              const tess_array *backward, const tess_array *forward,
                                                              tess_shape volume, const tess_project_opts *opts);

TESS_END_C

#endif
