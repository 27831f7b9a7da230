/* Real-space projection and backprojection: sums of a volume along rays, and images spread along rays into a volume.
 *
 *     tess_array images = { 0 }, volume = { 0 };
 *     TESS_TRY(tess_project(&images, &map, &rotations, &(tess_project_opts){ .centred = 1 }));
 *     TESS_TRY(tess_backproject(&volume, &images, &inverses, &(tess_backproject_opts){ .centred = 1 }));
 *
 * Matrices act on columns z, y, x; the coordinate of an element is its index. Matrices of tess_project take the image,
 * which is at z = 0, to the volume: the column of z is the direction of the rays, and the step along them. Matrices of
 * tess_backproject are the inverses: they take the volume to coordinates y and x of the image. Both may be numbers
 * {n,1,rows,columns} or compound elements mat33, mat34 or mat44, one for each image, on any device. They are read
 * during the call, which synchronises with the device, and must be finite (TESS_ERANGE). See docs/projections.md.
 *
 * Elements are f32, f64, c32 or c64; f16, integers and bool give f32 (f64 for 32 and 64 bits), c16 gives c32. `out` has
 * that dtype and any strides, and must not overlap an input. Elements outside are 0 for interpolation. cubic_bspline
 * uses elements as coefficients; with `prefilter` it first computes, in a copy, the coefficients of the spline through
 * all elements, with none outside. Samples are in the precision of the elements and are added in f64, in the order of
 * the ray and of the images, so results are bit-identical for all strides, threads, instruction sets and devices.
 */
#ifndef TESSERA_PROJECT_H
#define TESSERA_PROJECT_H

#include "tessera/array.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_project_opts {
    int32_t    interp;      /* a tess_interp [LINEAR] */
    int32_t    add;         /* 1: add to the contents of `out` [0] */
    int32_t    centred;     /* 1: matrices act about n / 2, rounded down, of the image and of the volume [0] */
    int32_t    adjoint;     /* 1: compute the transpose of tess_backproject, with its matrices [0] */
    int64_t    window;      /* number of samples on a ray, odd; not with adjoint [that of tess_project_window] */
    tess_shape shape;       /* shape of a zeroed `out`; a 0 along h or w means that of the volume [0] */
    int32_t    prefilter;   /* 1: compute cubic_bspline coefficients first [0] */
    uint32_t   reserved[3]; /* must be 0 */
} tess_project_opts;

/** Projects a volume {1,d,h,w} to images {n,1,h,w}, by matrices of 3x3, 3x4 or 4x4, of which the last row is not read.
 *
 *  With a the column of z, and q the point to which the matrix takes a pixel, the pixel is the sum of the volume at q +
 *  a (k + s), for k from -w/2 to w/2. The offset s places sample 0 in a plane through the centre of the volume. That
 *  plane is perpendicular to the axis along which the ray first leaves the volume, extended by the reach r of the
 *  interpolation. An a of 0 is an error (TESS_ERANGE).
 *
 *  With `adjoint`, matrices are those of tess_backproject, and the images are its exact transpose applied to the
 *  volume: each voxel is spread over the pixels around its projected position. Then <project(x), y> = <x,
 *  backproject(y)>, to rounding, for every method and all matrices. This also holds with `prefilter`, which is then
 *  applied to the resulting images. Matrices of rank below 2 are an error (TESS_ERANGE). */
TESS_API TESS_MUST_CHECK tess_status tess_project(tess_array *out, const tess_array *volume, const tess_array *matrices,
                                                  const tess_project_opts *opts);

/** Computes the number of samples that a ray of tess_project needs to cover a volume of this shape completely, the
 *  maximum over all images: 2 ceil((c + r) / |a|) + 1 along the axis on which the ray leaves the volume. The centre is
 *  c = n / 2, and r is half the number of elements used by the interpolation, at least 1. More than 2^24 is an error
 *  (TESS_ERANGE), and so is `adjoint`, which has no rays (TESS_EARG). */
TESS_API TESS_MUST_CHECK tess_status tess_project_window(int64_t *samples, const tess_array *matrices,
                                                         tess_shape volume, const tess_project_opts *opts);

typedef struct tess_backproject_opts {
    int32_t    interp;      /* a tess_interp [LINEAR] */
    int32_t    add;         /* 1: add to the contents of `out` [0] */
    int32_t    centred;     /* 1: matrices act about n / 2, rounded down, of the volume and of the image [0] */
    int32_t    prefilter;   /* 1: compute cubic_bspline coefficients first [0] */
    tess_shape shape;       /* shape of a zeroed `out`; a 0 along h or w means that of the images, along d that of w
                               [0] */
    uint32_t   reserved[4]; /* must be 0 */
} tess_backproject_opts;

/** Backprojects images {n,1,h,w} to a volume {1,d,h,w}: each voxel is the sum of all images at the points to which
 *  their matrices take it. Matrices are 2x3 or 2x4, or 3x3, 3x4 or 4x4, of which the rows of y and x are read. */
TESS_API TESS_MUST_CHECK tess_status tess_backproject(tess_array *out, const tess_array *images,
                                                      const tess_array *matrices, const tess_backproject_opts *opts);

/** Projects the backprojection of images without storing the volume, whose shape {1,d,h,w} is given. `backward` has the
 *  matrices of tess_backproject, one for each of `images`, and `forward` those of tess_project, one for each result.
 *  The volume is not sampled on a grid but computed at the points on the rays, so results are sharper than those of two
 *  calls. Beyond its first and last elements it falls to 0 within one element along each axis. `adjoint` must be 0. */
TESS_API TESS_MUST_CHECK tess_status tess_backproject_project(tess_array *out, const tess_array *images,
                                                              const tess_array *backward, const tess_array *forward,
                                                              tess_shape volume, const tess_project_opts *opts);

TESS_END_C

#endif
