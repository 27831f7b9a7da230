/* Linear transforms of spectra: images and volumes rotated about their origin in Fourier space.
 *
 *     out(f) = in(M f) exp(-2 pi i s f)
 *
 * with frequencies f in cycles per pixel, and a shift s in pixels that is applied after the rotation. If M is a
 * rotation, it is the matrix of real space, which takes coordinates of the output to those of the input, as in all
 * transforms; otherwise it is the inverse transpose of that matrix. The rotation is about index 0: move the centre
 * there with tess_ifftshift before the Fourier transform.
 */
#ifndef TESSERA_SPECTRUM_TRANSFORM_H
#define TESSERA_SPECTRUM_TRANSFORM_H

#include "tessera/fft.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_transform_spectrum_opts {
    const tess_array *shifts; /* pixels, {1,1,1,m} or {n,1,1,m}: (h, w), for volumes (d, h, w) [NULL: none] */
    double cutoff; /* coefficients above this frequency are 0, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  from, to;    /* layouts of in and out, tess_fft_layout: all 16 pairs [H, that of `from`] */
    uint32_t reserved[5]; /* must be 0 */
} tess_transform_spectrum_opts;

/** Transforms spectra of images of logical `shape` {n,1,h,w}: f32, f64, c32 or c64, one for all matrices or one for
 *  each. Matrices are {n,1,2,2} or mat22 of y, x, one for all or one per batch. Each coefficient is interpolated at M
 *  f; coefficients outside the input are 0, and those missing in a half layout are the conjugates of those at the
 *  negative frequency. A real input (power, weights) is neither conjugated nor shifted. `out` must not overlap an
 *  input. Results are bit-identical for all threads, strides, instruction sets and devices. */
TESS_API TESS_MUST_CHECK tess_status tess_transform_spectrum_2d(tess_array *out, const tess_array *in, tess_shape shape,
                                                                const tess_array                   *matrices,
                                                                const tess_transform_spectrum_opts *opts);

/** Transforms spectra of volumes {n,d,h,w} in the same way; matrices are {n,1,3,3} or mat33 of z, y, x, or quaternions:
 *  vec4, {n,1,1,4} or {1,1,n,4}. */
TESS_API TESS_MUST_CHECK tess_status tess_transform_spectrum_3d(tess_array *out, const tess_array *in, tess_shape shape,
                                                                const tess_array                   *matrices,
                                                                const tess_transform_spectrum_opts *opts);

TESS_END_C

#endif
