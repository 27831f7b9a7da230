/* Spectra through linear matrices: images and volumes turned about their origin without leaving Fourier space.
 *
 *     out(f) = in(M f) exp(-2 pi i s f)
 *
 * with frequencies f in cycles per pixel, and a shift s in pixels that moves what was turned. M is that of real space,
 * from coordinates of the output to those of the input, as all transforms take it, if it is a rotation; else its
 * inverse transposed. What is turned is the array about index 0: move the centre there before the transform, by
 * tess_ifftshift.
 */
#ifndef TESSERA_SPECTRUM_TRANSFORM_H
#define TESSERA_SPECTRUM_TRANSFORM_H

#include "tessera/fft.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_transform_spectrum_opts {
    const tess_array *shifts; /* pixels, {1,1,1,m} or {n,1,1,m}: (h, w), of volumes (d, h, w) [NULL: none] */
    double
        cutoff; /* coefficients of frequencies above it are 0, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  from, to;    /* layouts of in and out, tess_fft_layout: all 16 pairs [H, that of `from`] */
    uint32_t reserved[5]; /* must be 0 */
} tess_transform_spectrum_opts;

/** Spectra of images of logical `shape` {n,1,h,w}: f32, f64, c32 or c64, one for all or one for each matrix. Matrices
 *  are {n,1,2,2} or mat22 of y, x, one or one a batch. Each coefficient is interpolated at M f; frequencies that the
 *  input does not have are 0, and where half of it is stored each tap of the other half is the conjugate of its mate. A
 *  real input (a power, weights) is not conjugated, nor shifted. `out` overlaps nothing. The same bits for all threads,
 *  strides, instruction sets and devices. */
TESS_API TESS_MUST_CHECK tess_status tess_transform_spectrum_2d(tess_array *out, const tess_array *in, tess_shape shape,
                                                                const tess_array                   *matrices,
                                                                const tess_transform_spectrum_opts *opts);

/** The same of volumes {n,d,h,w}; matrices are {n,1,3,3} or mat33 of z, y, x, or quaternions: vec4, {n,1,1,4} or
 *  {1,1,n,4}. */
TESS_API TESS_MUST_CHECK tess_status tess_transform_spectrum_3d(tess_array *out, const tess_array *in, tess_shape shape,
                                                                const tess_array                   *matrices,
                                                                const tess_transform_spectrum_opts *opts);

TESS_END_C

#endif
