/* Central slices of Fourier transforms: extracting projections from the spectrum of a volume, and inserting them into
 * it.
 *
 * The transform of a projection is the slice of the volume's transform through zero frequency, perpendicular to the
 * viewing direction. A slice has frequencies q = (y, x), in cycles per pixel; their position in the volume is
 *
 *     f = R (z, g_y, g_x)    with g = S^-1 q    and z = g_y^2 / 2R_y + g_x^2 / 2R_x
 *
 * R is the rotation of the slice, which takes coordinates of the image to those of the volume, as tess_euler_to_matrix
 * computes it from a program's angles. S is a 2 x 2 matrix by which the frequencies were scaled (an anisotropic
 * magnification). R_y and R_x are the radius of the Ewald sphere; without it z is 0. f times the size of the volume is
 * the index of a coefficient, which is fractional in general.
 *
 * Slices are {n,1,h,w} and volumes {1,d,h,w}: spectra of these logical shapes, in any layout. Volumes are rotated about
 * index 0, so move the centre of images and volumes there before their transforms (tess_ifftshift). Rotations are 3 x 3
 * matrices or quaternions (tessera/rotation.h), one for all slices or one per slice; the same holds for scales. With a
 * NaN rotation, such as that of a zero quaternion, extraction gives slices of NaN and insertion adds nothing.
 * docs/slices.md has a complete reconstruction.
 */
#ifndef TESSERA_FOURIER_SLICES_H
#define TESSERA_FOURIER_SLICES_H

#include "tessera/fft.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_fourier_extract_opts {
    tess_shape        slice_shape;   /* logical shape of the slices; 0: n, 1, and the h and w of the volume [0] */
    tess_shape        target;        /* size by which frequencies are multiplied; its b is ignored [shape] */
    const tess_array *scales;        /* S: {n,1,2,2} or mat22, one for all or one per slice [NULL: none] */
    const tess_array *weights;       /* real, of the volume's shape: weights to extract too [NULL] */
    tess_array       *slice_weights; /* receives the extracted weights [NULL] */
    double cutoff; /* coefficients above this frequency are 0, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    double ewald_h;       /* radius of the Ewald sphere along y, pixel size / wavelength; negative: the other side */
    double ewald_w;       /* radius along x [0: no curvature] */
    double window;        /* half width of a windowed sinc applied along z, cycles per pixel [0: none] */
    double sinc;          /* first zero of its sinc, cycles per pixel; at least, and by default, 1 / the smallest size
                             of target */
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  from, to;    /* layouts of volume and slices, tess_fft_layout [H, that of `from`] */
    uint32_t reserved[5]; /* must be 0 */
} tess_fourier_extract_opts;

/** Extracts slices from the spectrum of a volume of logical `shape`. Both are f32, f64, c32 or c64. Each coefficient is
 *  interpolated at f in the volume. Coefficients outside it are 0, and those missing in a half layout are the
 *  conjugates of those at the negative frequency.
 *
 *  With opts->window, which is at least 1 / n with n the depth of target, it is the sum over |j| < n window of W(j/n)
 *  times the volume at f + (j/n, 0, 0), where W(z) = sinc(pi z / sinc) (0.42 + 0.5 cos(pi z / window) + 0.08 cos(2 pi z
 *  / window)). The sum is divided by the sum of W if opts->weights is NULL.
 *
 *  The cutoff, here and in the functions below, applies to |f| with all three components, after S and with the
 *  curvature. A frequency exactly at the cutoff is kept.
 *
 *  Results are bit-identical for all threads, strides, instruction sets and devices. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_extract(tess_array *slices, const tess_array *volume,
                                                          tess_shape shape, const tess_array *rotations,
                                                          const tess_fourier_extract_opts *opts);

/* ---- Insertion --------------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_insert_opts {
    tess_shape        volume_shape;  /* logical shape of the volume; 0: a cube with the larger of h and w as its side
                                        [0] */
    tess_shape        target;        /* size by which frequencies are multiplied; its b is ignored [volume_shape] */
    const tess_array *slice_weights; /* real, of the shape of slices: weight that each coefficient adds to weights
                                        [NULL: 1] */
    const tess_array *scales;        /* S: {n,1,2,2} or mat22, one for all or one per slice [NULL: none] */
    double   cutoff; /* nothing is added above this frequency, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    double   ewald_h; /* as in tess_fourier_extract_opts */
    double   ewald_w;
    double   window;      /* half width of a windowed sinc, cycles per pixel [0: coefficients are spread to
                             neighbours] */
    double   sinc;        /* first zero of its sinc, cycles per pixel [1 / the smallest size of target] */
    int32_t  interp;      /* interpolation inside slices with a window, a tess_interp [LINEAR] */
    int32_t  from, to;    /* layouts of slices and volume, tess_fft_layout [H, that of `from`] */
    int32_t  add;         /* 1: add to the contents of volume and weights [0: clear them] */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_insert_opts;

/** Inserts slices into the spectrum of a volume, and their weights into `weights`, which may be NULL; dividing by the
 *  weights (tess_fourier_normalize) gives the mean. Slices are spectra of real images, c32 or c64 of logical `shape`
 *  {n,1,h,w}; in full layouts only the half with x >= 0 is read. The volume has their dtype, the weights its precision.
 *
 *  Each coefficient is added to the eight around its frequency with trilinear weights, and its conjugate to the eight
 *  around the negative frequency. In columns x = 0 and, for even widths, w/2, which already contain both, each counts
 *  half. So a half volume is the half of the full one, and is Hermitian also at x = 0 and at Nyquist.
 *
 *  With opts->window, each coefficient of the volume instead receives the sum of W(z) times the slice over all slices
 *  at a distance |z| < window, interpolated at the nearest point of the slice. Its weight receives the sum of W(z)
 *  times the weights; W is as above.
 *
 *  Sums are in the order of the slices: results are bit-identical for all threads, strides and instruction sets, and on
 *  a GPU, except that spreading at frequencies n/2 uses another fixed order there. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_insert(tess_array *volume, tess_array *weights,
                                                         const tess_array *slices, tess_shape shape,
                                                         const tess_array               *rotations,
                                                         const tess_fourier_insert_opts *opts);

typedef struct tess_fourier_insert_extract_opts {
    tess_shape out_shape; /* logical shape of out; 0: the number of out_rotations, 1, and the h and w of shape [0] */
    const tess_array *slice_weights; /* as in tess_fourier_insert_opts */
    const tess_array *scales;
    const tess_array *out_scales; /* S of `out` [NULL: none] */
    double   cutoff; /* coefficients of out above this frequency are 0, cycles per pixel [0.5]; TESS_ZERO: all but 0 */
    double   ewald_h;
    double   ewald_w;
    double   out_ewald_h;
    double   out_ewald_w;
    double   window;      /* half width of the windowed sinc, cycles per pixel [1 / the smaller of h and w] */
    double   sinc;        /* first zero of its sinc, cycles per pixel [1 / the smaller of h and w] */
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  from, to;    /* layouts of slices and out, tess_fft_layout [H, that of `from`] */
    int32_t  divide;      /* 1: divide each coefficient by its weight, where that exceeds 1 [0] */
    int32_t  add;         /* 1: add to the contents of out and out_weights [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_fourier_insert_extract_opts;

/** Computes slices at other orientations without an intermediate volume: each coefficient of `out` is the sum over the
 *  slices that pass within the window, as tess_fourier_insert with a window adds them to a volume. `out_weights` may be
 *  NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_insert_extract(tess_array *out, tess_array *out_weights,
                                                                 const tess_array *slices, tess_shape shape,
                                                                 const tess_array                       *rotations,
                                                                 const tess_array                       *out_rotations,
                                                                 const tess_fourier_insert_extract_opts *opts);

/* ---- After insertion --------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_normalize_opts {
    double   noise;       /* constant added to the weights; for weights of CTF^2, the noise term of a Wiener filter
                             [0] */
    double   min_weight;  /* lower bound of the weights [0.001]; TESS_ZERO: none */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_normalize_opts;

/** Divides a volume by its weights: out = volume / max(weights + noise, min_weight). Dtypes and layouts may be any, and
 *  shapes any that broadcast; `out` may be exactly `volume`. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_normalize(tess_array *out, const tess_array *volume,
                                                            const tess_array                  *weights,
                                                            const tess_fourier_normalize_opts *opts);

typedef struct tess_gridding_correct_opts {
    int32_t  interp;      /* a tess_interp: the interpolation kernel along each axis [LINEAR] */
    int32_t  multiply;    /* 1: multiply instead of dividing, which undoes the correction [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_gridding_correct_opts;

/** Divides real images or volumes by the transform of an interpolation kernel. Interpolation in Fourier space is a
 *  convolution, so it multiplies the real-space array by K(x/n) along each axis, with x measured from the centre n/2,
 *  rounded down. Apply the correction before the transform if slices are extracted, and after the inverse transform if
 *  slices were inserted. K is sinc for nearest, sinc^2 for linear, sinc^4 for cubic_bspline, and the cosine transform
 *  of the kernel for the others. Axes of size 1 are not changed. f32, f64 or complex; `out` may be exactly `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_gridding_correct(tess_array *out, const tess_array *in,
                                                           const tess_gridding_correct_opts *opts);

TESS_END_C

#endif
