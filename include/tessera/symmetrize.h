/* Symmetrisation of images, volumes and their spectra: the mean over the rotations of a point group.
 *
 *     TESS_TRY(tess_symmetrize(&out, &volume, "D7", NULL));
 *
 * The result at p is the mean, over the rotations R of the group, of the input at A (R^-1 (B p - c) + c), about the
 * centre c. The matrices A and B, `before` and `after`, are optional: one for all, or one for each batch. Everything is
 * done in one pass, without intermediate copies. Elements, dtypes, sums and reproducibility are as in
 * tessera/project.h. Where a rotation maps elements to elements, as the identity does, they are used without
 * interpolation.
 */
#ifndef TESSERA_SYMMETRIZE_H
#define TESSERA_SYMMETRIZE_H

#include "tessera/array.h"
#include "tessera/border.h"
#include "tessera/fft.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_symmetrize_opts {
    const tess_array *matrices;  /* all matrices of a set, in place of a named group: 3x3 for volumes, 2x2 for images
                                    [none] */
    const tess_array *before;    /* inverse matrices A, from the symmetric image or volume to the input [none] */
    const tess_array *after;     /* inverse matrices B, from the output to the symmetric image or volume [none] */
    int32_t           interp;    /* a tess_interp [LINEAR] */
    int32_t           border;    /* a tess_border, not NOTHING [ZERO] */
    int32_t           sum;       /* 1: compute the sum, not the mean [0] */
    int32_t           prefilter; /* 1: compute the cubic_bspline coefficients of `in` first, for this border [0] */
    double            value;     /* border VALUE: value outside [0] */
    double   shift_d, shift_h, shift_w; /* shift of the centre from n / 2, rounded down, along each axis, in pixels
                                           [0] */
    uint32_t reserved[4];               /* must be 0 */
} tess_symmetrize_opts;

/** Symmetrises images {n,1,h,w} or volumes {n,d,h,w} by the named group (tessera/symmetry.h), such as "C4". Images have
 *  C<n>, and D<n>, which mirrors y. With opts->matrices, `name` is NULL or "". The matrices `before` and `after` are
 *  2x2, 2x3 or 3x3 for images, 3x3, 3x4 or 4x4 for volumes. All matrices may be on any device and must be finite; they
 *  are read during the call, which synchronises with the device. Those of `matrices` must be invertible (TESS_ERANGE);
 *  they are not checked to form a group (tess_symmetry_check). `out` has the shape of `in`, and must not overlap it. */
TESS_API TESS_MUST_CHECK tess_status tess_symmetrize(tess_array *out, const tess_array *in, const char *name,
                                                     const tess_symmetrize_opts *opts);

typedef struct tess_symmetrize_spectrum_opts {
    const tess_array *matrices; /* all matrices of a set, in place of a named group: 3x3 for volumes, 2x2 for images
                                   [none] */
    const tess_array *before;   /* matrices A, 3x3 for volumes, 2x2 for images; one for all or one per batch [none] */
    const tess_array *after;    /* matrices B, in the same form [none] */
    const tess_array *shifts;   /* pixels, {1,1,1,m} or {n,1,1,m}: (h, w), for volumes (d, h, w) [NULL: none] */
    double cutoff; /* coefficients above this frequency are 0, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    double centre_d, centre_h, centre_w; /* centre of the symmetry, from index 0 of the real array, in pixels [0] */
    int32_t  interp;                     /* a tess_interp [LINEAR] */
    int32_t  from, to;                   /* layouts of in and out, tess_fft_layout: all 16 pairs [H, that of `from`] */
    int32_t  sum;                        /* 1: compute the sum, not the mean [0] */
    uint32_t reserved[4];                /* must be 0 */
} tess_symmetrize_spectrum_opts;

/** Symmetrises spectra of images or volumes of logical `shape` by the named group, in Fourier space: at frequency f the
 *  result is the mean, over the rotations R of the group, of the input at A R^-1 B f, times exp(-2 pi i s f) with a
 *  shift s that is applied after the symmetrisation. Matrices are those of tess_symmetrize if they are rotations or
 *  mirrors; otherwise their inverse transposes (tessera/spectrum_transform.h).
 *
 *  Rotations are about index 0, or about the given centre: n/2, rounded down, of each axis for arrays whose centre was
 *  not moved to index 0. With a centre, coefficients are interpolated in a copy of the input shifted to index 0, in
 *  which the frequency n/2 of an even size is treated as that of a real array (tess_fft_phase_shift_opts,
 *  real_nyquist); matrices A must then be invertible (TESS_ERANGE).
 *
 *  Elements are f32, f64, c32 or c64. As in tess_transform_spectrum_3d, coefficients missing in a half layout are the
 *  conjugates of those at the negative frequency. A real input (power, weights) is not conjugated, and has no centre
 *  and no shifts. Samples are in the precision of the elements and are added in f64, in the order of the group, so
 *  results are bit-identical for all strides, threads, instruction sets and devices. Matrices and shifts may be on any
 *  device; they are read during the call, which synchronises with the device. `out` must not overlap an input. */
TESS_API TESS_MUST_CHECK tess_status tess_symmetrize_spectrum(tess_array *out, const tess_array *in, tess_shape shape,
                                                              const char                          *name,
                                                              const tess_symmetrize_spectrum_opts *opts);

TESS_END_C

#endif
