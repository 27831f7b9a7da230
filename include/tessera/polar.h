/* Polar coordinates: polar transforms of images and spectra, rotational averages, and averages of 1-D spectra with
 * different CTFs.
 *
 *     tess_array polar = { 0 }, curve = { 0 };
 *     TESS_TRY(tess_cartesian_to_polar(&polar, &image, NULL));                   angles along h, radii along w
 *     TESS_TRY(tess_rotational_average(&curve, &spectrum, image.shape,
 *                                      &(tess_rotational_average_opts){ .power = 1 }));
 *
 * A sample at the angle phi and the radius rho is at (y, x) = centre + rho (sin phi, cos phi): phi runs along the
 * height, from +x to +y, and rho along the width. A range begins at `start` and ends before `stop`, or at `stop` with
 * an endpoint. Frequencies are in cycles per pixel, 0 to 0.5. See docs/polar.md.
 *
 * Transforms read f32, f64, c32 and c64; f16, integers and bool become f32 (f64 for 32 and 64 bits), c16 becomes c32.
 * `out` has that dtype and any strides, and must not overlap an input. Coordinates are computed in f64. All results are
 * bit-identical for all strides, threads, instruction sets and devices.
 */
#ifndef TESSERA_POLAR_H
#define TESSERA_POLAR_H

#include "tessera/border.h"
#include "tessera/ctf.h"
#include "tessera/interp.h"

TESS_BEGIN_C

/* ---- Images ---- */

typedef struct tess_polar_opts {
    int32_t  interp;           /* a tess_interp [LINEAR] */
    int32_t  border;           /* a tess_border: values outside the input [ZERO] */
    double   value;            /* border VALUE: value outside [0] */
    double   value_imag;       /* imaginary part of that value, if elements are complex [0] */
    double   shift_h, shift_w; /* shift of the centre from n / 2, in pixels [0] */
    double   rho_start;        /* pixels [0] */
    double   rho_stop;         /* pixels [the minimum over both axes of c + 1 and n - c, where c is the centre] */
    double   phi_start;        /* radians [0] */
    double   phi_stop;         /* radians [phi_start plus a full turn]; TESS_ZERO: up to 0 */
    int32_t  rho_endpoint;     /* 1: the last radius is rho_stop [0] */
    int32_t  phi_endpoint;     /* 1: the last angle is phi_stop [0] */
    int32_t  log;              /* 1: log-polar: radius k of n is rho_start + exp(k ln(1 + rho_stop - rho_start) / n) -
                                  1, with n - 1 in place of n if there is an endpoint [0] */
    int32_t  unused;           /* must be 0 */
    int64_t  height, width;    /* size of a zeroed `out` [see the functions] */
    uint32_t reserved[4];      /* must be 0 */
} tess_polar_opts;

/** Transforms images {n,1,h,w} to polar coordinates, {n,1,angles,radii}; `in` may also be one image for all. A zeroed
 *  `out` gets one radius per pixel from rho_start to rho_stop, and one angle per pixel along the outermost circle.
 *  TESS_INTERP_CUBIC_BSPLINE uses elements as coefficients, without a prefilter. With the border NOTHING, results more
 *  than half a pixel outside the image are not written, `out` must be allocated, and windows that extend over the edge
 *  use CLAMP. */
TESS_API TESS_MUST_CHECK tess_status tess_cartesian_to_polar(tess_array *out, const tess_array *in,
                                                             const tess_polar_opts *opts);

/** Transforms polar images {n,1,angles,radii} back to images {n,1,h,w}, the inverse of tess_cartesian_to_polar. The
 *  height and width of a zeroed `out` are twice the number of radii; the default of rho_stop is that for the shape of
 *  `out`. Angles are periodic if they cover a full turn, to 1e-6; otherwise, and for radii, the border applies. */
TESS_API TESS_MUST_CHECK tess_status tess_polar_to_cartesian(tess_array *out, const tess_array *in,
                                                             const tess_polar_opts *opts);

/* ---- Spectra ---- */

typedef struct tess_spectrum_to_polar_opts {
    double   stop;            /* highest frequency of `in` along each axis, as in tess_lowpass [that of `shape`] */
    double   rho_start;       /* cycles per pixel [0] */
    double   rho_stop;        /* cycles per pixel [the highest frequency of `in` along any axis] */
    double   phi_start;       /* radians [0] */
    double   phi_stop;        /* radians [phi_start plus half a turn]; TESS_ZERO: up to 0 */
    int32_t  interp;          /* a tess_interp [LINEAR] */
    int32_t  layout;          /* layout of `in`, a tess_fft_layout [H] */
    int32_t  no_endpoint;     /* 1: the range of `in` ends before its stop [0] */
    int32_t  rho_no_endpoint; /* 1: the last frequency is before rho_stop [0] */
    int32_t  phi_endpoint;    /* 1: the last angle is phi_stop [0] */
    int32_t  unused;          /* must be 0 */
    int64_t  height, width;   /* size of a zeroed `out`, angles and frequencies [width n / 2 + 1 of the longest axis,
                                 height with the same spacing along half the outermost circle] */
    uint32_t reserved[4];     /* must be 0 */
} tess_spectrum_to_polar_opts;

/** Transforms spectra of images of logical `shape` to polar coordinates, {n,1,angles,frequencies}. Frequencies range
 *  from -n/2 to n/2 along each axis; coefficients beyond are 0. In half layouts, each missing coefficient is the
 *  conjugate of that at the opposite frequency, so half and full layouts agree. */
TESS_API TESS_MUST_CHECK tess_status tess_spectrum_to_polar(tess_array *out, const tess_array *in, tess_shape shape,
                                                            const tess_spectrum_to_polar_opts *opts);

/* ---- Averages ---- */

typedef struct tess_rotational_average_opts {
    const tess_array *ctfs;            /* {1 or b,1,1,m}, m from 8 to 17, columns in the order of tess_ctf: average
                                          along lines of equal CTF phase, at the frequencies at which the isotropic CTF
                                          has that phase (see tess_ctf_isotropic_frequency); only for images; on the
                                          device of `in` or in host memory [NULL] */
    tess_array       *weights;         /* receives the sums of weights, {b,1,1,n}, f64 if zeroed [NULL] */
    double            start, stop;     /* frequencies of `in`, as in tess_lowpass [0, all] */
    double            out_start;       /* frequency of the first shell [0] */
    double            out_stop;        /* frequency of the last shell, up to the corners of `in` and beyond [the highest
                                          frequency of `in` along any axis] */
    tess_metric       metric;          /* metric of frequencies, without `ctfs` [equal pixel sizes along all axes] */
    int64_t           shells;          /* number of shells of a zeroed `out` [n / 2 + 1 of the longest axis] */
    int32_t           layout;          /* layout of `in`, a tess_fft_layout [H] */
    int32_t           no_endpoint;     /* 1: the range of `in` ends before `stop` [0] */
    int32_t           out_no_endpoint; /* 1: the range of the shells ends before `out_stop` [0] */
    int32_t           sum;             /* 1: compute sums, not means [0] */
    int32_t           add;             /* 1: add to the sums in `out` and `weights` [0] */
    int32_t           power;           /* 1: a zeroed `out` is real and receives the power [0] */
    int32_t           nearest;         /* 1: assign coefficients to the nearest shell, halfway to the upper one [0:
                                          split] */
    uint32_t          reserved[5];     /* must be 0 */
} tess_rotational_average_opts;

/** Computes means over shells of frequencies, {b,1,1,n}, of spectra of signals, images or volumes of logical `shape`. A
 *  coefficient between two shells is split linearly, or assigned to the nearest; coefficients outside are dropped. In
 *  half layouts, coefficients that represent two count twice, so that real results are those of the full spectrum. A
 *  real `out` of a complex `in` receives the power. Shells without weight are 0. Sums are in f64. With `add`, but
 *  without `sum`, the result is the mean of everything added, which needs `weights`. */
TESS_API TESS_MUST_CHECK tess_status tess_rotational_average(tess_array *out, const tess_array *in, tess_shape shape,
                                                             const tess_rotational_average_opts *opts);

/* ---- 1-D spectra of different CTFs ---- */

typedef struct tess_fuse_spectra_opts {
    tess_array *weights;         /* receives the sums of weights, {b,1,1,n}, f64 if zeroed [NULL] */
    double      start;           /* frequency of the first column of `in` [0] */
    double      stop;            /* frequency of the last column of `in` [0.5] */
    double      out_start;       /* frequency of the first column of `out` [that of `in`]; TESS_ZERO: 0 */
    double      out_stop;        /* frequency of the last column of `out` [that of `in`] */
    int64_t     width;           /* width of a zeroed `out` [that of `in`] */
    int32_t     no_endpoint;     /* 1: the range of `in` ends before `stop` [0] */
    int32_t     out_no_endpoint; /* 1: the range of `out` ends before `out_stop` [0] */
    int32_t     sum;             /* 1: compute sums, not means [0] */
    int32_t     add;             /* 1: add to the sums in `out` and `weights` [0] */
    uint32_t    reserved[4];     /* must be 0 */
} tess_fuse_spectra_opts;

/** Averages the 1-D spectra of each batch of `in`, {b,1,h,m}, after mapping them to the CTF `target`: {b,1,1,n}. Each
 *  value is moved to the frequency at which the target has the phase of its own CTF, split between two columns as
 *  above, and weighted by the scale of its CTF. `ctfs` is {1 or b,1,1 or h,k}, `target` {1 or b,1,1,k}, k from 8 to 17,
 *  with columns in the order of tess_ctf, on the device of `in` or in host memory; only the mean defocus and the pixel
 *  size along h are used. Values at phases that the target does not reach are dropped. */
TESS_API TESS_MUST_CHECK tess_status tess_fuse_spectra(tess_array *out, const tess_array *in, const tess_array *ctfs,
                                                       const tess_array *target, const tess_fuse_spectra_opts *opts);

typedef struct tess_phase_spectra_opts {
    double   start;           /* frequency of the first column of `in` [0] */
    double   stop;            /* frequency of the last column of `in` [0.5] */
    double   out_start;       /* frequency of the first column of `out` [that of `in`]; TESS_ZERO: 0 */
    double   out_stop;        /* frequency of the last column of `out` [that of `in`] */
    int64_t  width;           /* width of a zeroed `out` [that of `in`] */
    int32_t  no_endpoint;     /* 1: the range of `in` ends before `stop` [0] */
    int32_t  out_no_endpoint; /* 1: the range of `out` ends before `out_stop` [0] */
    int32_t  interp;          /* a tess_interp [LINEAR] */
    int32_t  unused;          /* must be 0 */
    uint32_t reserved[4];     /* must be 0 */
} tess_phase_spectra_opts;

/** Maps 1-D spectra to the CTF `target` by sampling, without averaging: {b,1,h,n}. Column k of `out` is `in` at the
 *  frequency where its CTF has the phase of the target at column k, and 0 if there is none or it is outside `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_spectra(tess_array *out, const tess_array *in, const tess_array *ctfs,
                                                        const tess_array *target, const tess_phase_spectra_opts *opts);

TESS_END_C

#endif
