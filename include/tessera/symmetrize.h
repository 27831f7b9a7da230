/* Symmetry of images, volumes and their spectra: the mean over the rotations of a point group.
 *
 *     TESS_TRY(tess_symmetrize(&out, &volume, "D7", NULL));
 *
 * The result at p is the mean, over the rotations R of the group, of the input at A (R^-1 (B p - c) + c), about the
 * centre c; the matrices A and B, `before` and `after`, are none, one, or one for each batch. All of it is one pass,
 * without copies between. Elements, dtypes, sums and bits are as in tessera/project.h. Where a rotation takes elements
 * to elements, as the identity does, they are taken as they are.
 */
#ifndef TESSERA_SYMMETRIZE_H
#define TESSERA_SYMMETRIZE_H

#include "tessera/array.h"
#include "tessera/border.h"
#include "tessera/fft.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_symmetrize_opts {
    const tess_array *matrices; /* instead of a group with a name: all of a set, 3x3 of volumes, 2x2 of images [none] */
    const tess_array *before;   /* inverse matrices A, from the symmetric picture to the input [none] */
    const tess_array *after;    /* inverse matrices B, from the output to the symmetric picture [none] */
    int32_t           interp;   /* a tess_interp [LINEAR] */
    int32_t           border;   /* a tess_border, not NOTHING [ZERO] */
    int32_t           sum;      /* 1: the sum, not the mean [0] */
    int32_t           prefilter;        /* 1: cubic_bspline makes coefficients of `in` first, for this border [0] */
    double            value;            /* border VALUE: what is outside [0] */
    double   shift_d, shift_h, shift_w; /* the centre, along each axis from n / 2, rounded down, in pixels [0] */
    uint32_t reserved[4];               /* must be 0 */
} tess_symmetrize_opts;

/** Symmetrise images {n,1,h,w} or volumes {n,d,h,w} by the group of this name (tessera/symmetry.h), as "C4"; of images
 *  C<n>, and D<n>, which mirrors y. With opts->matrices, `name` is NULL or "". Matrices of `before` and `after` are
 *  2x2, 2x3 or 3x3 of images, 3x3, 3x4 or 4x4 of volumes; all of them lie on any device, are read during the call,
 *  which waits for them, and must be finite. Those of `matrices` must have inverses (TESS_ERANGE); whether they are a
 *  group is not asked (tess_symmetry_check). `out` has the shape of `in`, and overlaps nothing. */
TESS_API TESS_MUST_CHECK tess_status tess_symmetrize(tess_array *out, const tess_array *in, const char *name,
                                                     const tess_symmetrize_opts *opts);

typedef struct tess_symmetrize_spectrum_opts {
    const tess_array *matrices; /* instead of a group with a name: all of a set, 3x3 of volumes, 2x2 of images [none] */
    const tess_array *before;   /* matrices A, 3x3 of volumes, 2x2 of images; one or one a batch [none] */
    const tess_array *after;    /* matrices B, the same [none] */
    const tess_array *shifts;   /* pixels, {1,1,1,m} or {n,1,1,m}: (h, w), of volumes (d, h, w) [NULL: none] */
    double
        cutoff; /* coefficients of frequencies above it are 0, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    double   centre_d, centre_h, centre_w; /* of the symmetry, from index 0 of the real array, in pixels [0] */
    int32_t  interp;                       /* a tess_interp [LINEAR] */
    int32_t  from, to;    /* layouts of in and out, tess_fft_layout: all 16 pairs [H, that of `from`] */
    int32_t  sum;         /* 1: the sum, not the mean [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_symmetrize_spectrum_opts;

/** Symmetrise the spectra of images or volumes of logical `shape` by the group of this name, without leaving Fourier
 *  space: at frequency f the result is the mean, over the rotations R of the group, of the input at A R^-1 B f, times
 *  exp(-2 pi i s f) with a shift s that moves what was symmetrised. Matrices are those of tess_symmetrize if they are
 *  rotations or mirrors; else their inverses, transposed (tessera/spectrum_transform.h).
 *
 *  What is turned is the array about index 0, or about the centre that is given: about n/2, rounded down, of each axis
 *  for pictures whose centre was not moved to index 0. Coefficients are interpolated with the centre at index 0,
 *  wherever it is; this takes a copy of the input, in which the frequency n/2 of an even size is treated as
 *  that of a real array (tess_fft_phase_shift_opts, real_nyquist), and needs matrices A that have an inverse
 *  (TESS_ERANGE). Elements are f32, f64, c32 or c64; taps are as in tess_transform_spectrum_3d, each of the half that
 *  is not stored the conjugate of its mate. A real input (a power, weights) is not conjugated, nor has it a centre or
 *  shifts. Samples are in the precision of the elements and added in f64, in the order of the group: the same bits for
 *  all strides, threads, instruction sets and devices. Matrices and shifts lie on any device and are read during the
 *  call, which waits for them. `out` overlaps nothing. */
TESS_API TESS_MUST_CHECK tess_status tess_symmetrize_spectrum(tess_array *out, const tess_array *in, tess_shape shape,
                                                              const char                          *name,
                                                              const tess_symmetrize_spectrum_opts *opts);

TESS_END_C

#endif
