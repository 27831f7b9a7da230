/* Central slices of Fourier transforms: projections taken out of the spectrum of a volume, and put into it.
 *
 * The transform of a projection is the slice through zero frequency of the transform of the volume, across the
 * direction of view. A slice has frequencies q = (y, x), in cycles per pixel; its place in the volume is
 *
 *     f = R (z, g_y, g_x)    with g = S^-1 q    and z = g_y^2 / 2R_y + g_x^2 / 2R_x
 *
 * R is the slice's rotation, which takes coordinates of the image to those of the volume, as tess_euler_to_matrix makes
 * it of a program's angles. S, 2 x 2, is what its frequencies were scaled by (an anisotropic magnification), R_y and
 * R_x the radius of the Ewald sphere; without it z is 0. f times the volume's size is the place of a coefficient, which
 * lies between others.
 *
 * Slices are {n,1,h,w} and volumes {1,d,h,w}: spectra of these logical shapes, in any layout. Volumes are turned about
 * index 0, so move the centre of images and volumes there before their transforms (tess_ifftshift). Rotations are 3 x 3
 * matrices or quaternions (tessera/rotation.h), one for all slices or one a slice, and so are scales. One that is not a
 * number, as that of a quaternion 0, takes slices of NaN out and puts nothing in. docs/slices.md has a whole
 * reconstruction.
 */
#ifndef TESSERA_FOURIER_SLICES_H
#define TESSERA_FOURIER_SLICES_H

#include "tessera/fft.h"
#include "tessera/interp.h"

TESS_BEGIN_C

typedef struct tess_fourier_extract_opts {
    tess_shape        slice_shape;   /* logical shape of slices; 0 is n, 1, and the h and w of the volume [0] */
    tess_shape        target;        /* the size that frequencies are multiplied by, b of it does not count [shape] */
    const tess_array *scales;        /* S: {n,1,2,2} or mat22, one or one a slice [NULL: none] */
    const tess_array *weights;       /* real, of the volume's shape: they are taken too [NULL] */
    tess_array       *slice_weights; /* receives them [NULL] */
    double
        cutoff; /* coefficients of frequencies above it are 0, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    double   ewald_h;     /* radius of the Ewald sphere, pixel size / wavelength; negative: the other side, */
    double   ewald_w;     /* and the same along x [0: no curvature] */
    double   window;      /* half width of a windowed sinc along z that is applied, cycles per pixel [0: none] */
    double   sinc;        /* first zero of its sinc, at least 1 / the smallest size of target [that] */
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  from, to;    /* layouts of volume and slices, tess_fft_layout [H, that of `from`] */
    uint32_t reserved[5]; /* must be 0 */
} tess_fourier_extract_opts;

/** Slices of a volume's spectrum of logical `shape`: f32, f64, c32 or c64, and so are the slices. Each coefficient is
 *  interpolated at f among coefficients of the volume; those of frequencies that it does not have are 0, and where half
 *  of it is stored each one of the other half is the conjugate of its mate.
 *
 *  With opts->window, at least 1 / n where n is target's depth, it is the sum of W(j/n) times the volume at
 *  f + (j/n, 0, 0), over |j| < n window, W(z) = sinc(pi z / sinc) (0.42 + 0.5 cos(pi z / window) +
 *  0.08 cos(2 pi z / window)), divided by the sum of W where opts->weights is NULL.
 *
 *  The cutoff, here and in the functions below, is that of |f|, of three components: after S, and with the curvature. A
 *  frequency at the cutoff itself is within it.
 *
 *  The same bits for all threads, strides, instruction sets and devices. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_extract(tess_array *slices, const tess_array *volume,
                                                          tess_shape shape, const tess_array *rotations,
                                                          const tess_fourier_extract_opts *opts);

/* ---- Insertion --------------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_insert_opts {
    tess_shape        volume_shape; /* logical shape of the volume; 0: a cube of the larger of h and w [0] */
    tess_shape        target; /* the size that frequencies are multiplied by, b of it does not count [volume_shape] */
    const tess_array *slice_weights; /* real, of the shape of slices: what each coefficient adds to weights [NULL: 1] */
    const tess_array *scales;        /* S: {n,1,2,2} or mat22, one or one a slice [NULL: none] */
    double
        cutoff; /* nothing is added at frequencies above it, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    double   ewald_h; /* as tess_fourier_extract_opts has them */
    double   ewald_w;
    double   window;      /* half width of a windowed sinc, cycles per pixel [0: coefficients are spread] */
    double   sinc;        /* first zero of its sinc [1 / the smallest size of target] */
    int32_t  interp;      /* with a window: a tess_interp, inside slices [LINEAR] */
    int32_t  from, to;    /* layouts of slices and volume, tess_fft_layout [H, that of `from`] */
    int32_t  add;         /* 1: to what volume and weights hold; else they are cleared [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_insert_opts;

/** Slices into the spectrum of a volume, and their weights into `weights`, which may be NULL: dividing by them
 *  (tess_fourier_normalize) gives the mean. Slices are c32 or c64 of logical `shape` {n,1,h,w} and spectra of real
 *  images: of full layouts the half x >= 0 is read. The volume has their dtype, the weights its precision.
 *
 *  Each coefficient is added to the eight around its frequency by trilinear weights, and its conjugate to the eight
 *  around the negative one; in columns x = 0 and, of even widths, w/2, which hold both already, each counts half. So
 *  half a volume is half of what a full one is, and Hermitian at x = 0 and at Nyquist too.
 *
 *  With opts->window each coefficient of the volume receives instead the sum over slices of W(z) times the slice,
 *  interpolated where it is nearest, z away, |z| < window, and its weight the sum of W(z) times weights; W as above.
 *
 *  Sums are made in the order of slices: the same bits for all threads, strides and instruction sets. On a GPU too, but
 *  spreading at frequencies n/2, where the order is another, if as fixed. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_insert(tess_array *volume, tess_array *weights,
                                                         const tess_array *slices, tess_shape shape,
                                                         const tess_array               *rotations,
                                                         const tess_fourier_insert_opts *opts);

typedef struct tess_fourier_insert_extract_opts {
    tess_shape out_shape; /* logical shape of out; 0 is as many as out_rotations, 1, and the h and w of shape [0] */
    const tess_array *slice_weights; /* as tess_fourier_insert_opts has them */
    const tess_array *scales;
    const tess_array *out_scales; /* S of out [NULL: none] */
    double   cutoff; /* coefficients of out above it are 0, cycles per pixel [0.5]; TESS_ZERO: all but frequency 0 */
    double   ewald_h;
    double   ewald_w;
    double   out_ewald_h;
    double   out_ewald_w;
    double   window;      /* half width of the windowed sinc, cycles per pixel [1 / the smaller of h and w] */
    double   sinc;        /* first zero of its sinc [the same] */
    int32_t  interp;      /* a tess_interp [LINEAR] */
    int32_t  from, to;    /* layouts of slices and out, tess_fft_layout [H, that of `from`] */
    int32_t  divide;      /* 1: by the weight of each coefficient, where that is above 1 [0] */
    int32_t  add;         /* 1: to what out and out_weights hold [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_fourier_insert_extract_opts;

/** Slices at other orientations without a volume between: each coefficient of `out` is the sum over slices that pass
 *  within the window, as tess_fourier_insert with a window adds them to a volume. `out_weights` may be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_insert_extract(tess_array *out, tess_array *out_weights,
                                                                 const tess_array *slices, tess_shape shape,
                                                                 const tess_array                       *rotations,
                                                                 const tess_array                       *out_rotations,
                                                                 const tess_fourier_insert_extract_opts *opts);

/* ---- After insertion --------------------------------------------------------------------------------------------- */

typedef struct tess_fourier_normalize_opts {
    double   noise;       /* added to weights: with weights of CTF^2, that of a Wiener filter [0] */
    double   least;       /* lower bound of the weights [0.001]; TESS_ZERO: none */
    uint32_t reserved[4]; /* must be 0 */
} tess_fourier_normalize_opts;

/** Divide by weights: out = volume / max(weights + noise, least). Any dtypes, layouts and shapes that broadcast; `out`
 *  may be exactly `volume`. */
TESS_API TESS_MUST_CHECK tess_status tess_fourier_normalize(tess_array *out, const tess_array *volume,
                                                            const tess_array                  *weights,
                                                            const tess_fourier_normalize_opts *opts);

typedef struct tess_gridding_correct_opts {
    int32_t  interp;      /* a tess_interp: the kernel, along each axis [LINEAR] */
    int32_t  multiply;    /* 1: multiply by it, which undoes the correction [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_gridding_correct_opts;

/** Interpolation of a spectrum is a convolution, so it multiplies what the spectrum is of by the transform of its
 *  kernel, K(x/n) along each axis, x from the centre n/2 rounded down. Divide real images or volumes by it: before
 *  their transform if slices are taken out of it, after the inverse transform if slices were put in. K is sinc of
 *  nearest, sinc^2 of linear, sinc^4 of cubic_bspline, and the integral of the kernel times a cosine of the others.
 *  Axes of size 1 are left. f32, f64 or complex; `out` may be exactly `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_gridding_correct(tess_array *out, const tess_array *in,
                                                           const tess_gridding_correct_opts *opts);

TESS_END_C

#endif
