/* Polar coordinates: images and spectra as angle and radius, rotational averages, and 1-D spectra of different CTFs.
 *
 *     tess_array polar = { 0 }, curve = { 0 };
 *     TESS_TRY(tess_cartesian_to_polar(&polar, &image, NULL));                   angles along h, radii along w
 *     TESS_TRY(tess_rotational_average(&curve, &spectrum, image.shape,
 *                                      &(tess_rotational_average_opts){ .power = 1 }));
 *
 * A sample at the angle phi and the radius rho is at (y, x) = centre + rho (sin phi, cos phi): phi runs along the
 * height, from +x to +y, rho along the width. A range begins at `start` and ends before `stop`, or, with an endpoint,
 * at it. Frequencies are in cycles per pixel, 0 to 0.5. See docs/polar.md.
 *
 * Transforms read f32, f64, c32 and c64; f16, integers and bool become f32 (f64 of 32 and 64 bits), c16 c32. `out` is
 * of that dtype, of any strides, and overlaps nothing. Coordinates are computed in f64. All of these give the same bits
 * for all strides, threads, instruction sets and devices.
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
    int32_t  border;           /* a tess_border: what lies outside of what is read [ZERO] */
    double   value;            /* border VALUE: what is outside [0] */
    double   value_imag;       /* the same: its imaginary part, if elements are complex [0] */
    double   shift_h, shift_w; /* the centre is at n / 2 plus this, in pixels [0] */
    double   rho_start;        /* pixels [0] */
    double   rho_stop;         /* pixels [the smallest over both axes of c + 1 and n - c, c being the centre] */
    double   phi_start;        /* radians [0] */
    double   phi_stop;         /* radians [a full turn from phi_start]; TESS_ZERO: up to 0 */
    int32_t  rho_endpoint;     /* 1: the last radius is rho_stop [0] */
    int32_t  phi_endpoint;     /* 1: the last angle is phi_stop [0] */
    int32_t  log;              /* 1: radius k of n is rho_start + exp(k ln(1 + rho_stop - rho_start) / n) - 1, or with
                                  n - 1 where there is an endpoint [0] */
    int32_t  unused;           /* must be 0 */
    int64_t  height, width;    /* of an `out` that is zeroed [see the functions] */
    uint32_t reserved[4];      /* must be 0 */
} tess_polar_opts;

/** Images {n,1,h,w} in polar coordinates, {n,1,angles,radii}. A zeroed `out` has as many radii as pixels from rho_start
 *  to rho_stop, and as many angles as pixels along the outermost circle. Coefficients of TESS_INTERP_CUBIC_BSPLINE are
 *  taken as they are. With the border NOTHING, results more than half a pixel beyond the image are not written, `out`
 *  must have been made, and windows that reach over the edge go by CLAMP. */
TESS_API TESS_MUST_CHECK tess_status tess_cartesian_to_polar(tess_array *out, const tess_array *in,
                                                             const tess_polar_opts *opts);

/** The inverse: images {n,1,h,w} of angles and radii {n,1,angles,radii}. A zeroed `out` is as high and wide as twice
 *  the number of radii; the default of rho_stop is that of the shape of `out`. Angles are periodic if they are a full
 *  turn, to 1e-6; else, and for radii, the border holds. */
TESS_API TESS_MUST_CHECK tess_status tess_polar_to_cartesian(tess_array *out, const tess_array *in,
                                                             const tess_polar_opts *opts);

/* ---- Spectra ---- */

typedef struct tess_spectrum_to_polar_opts {
    double   stop;            /* highest frequency of `in` along each axis, as of tess_lowpass [that of `shape`] */
    double   rho_start;       /* cycles per pixel [0] */
    double   rho_stop;        /* cycles per pixel [the highest of `in`, of the axis that has the highest] */
    double   phi_start;       /* radians [0] */
    double   phi_stop;        /* radians [half a turn from phi_start]; TESS_ZERO: up to 0 */
    int32_t  interp;          /* a tess_interp [LINEAR] */
    int32_t  layout;          /* of `in`, a tess_fft_layout [H] */
    int32_t  no_endpoint;     /* 1: the range of `in` ends before its stop [0] */
    int32_t  rho_no_endpoint; /* 1: the last frequency is before rho_stop [0] */
    int32_t  phi_endpoint;    /* 1: the last angle is phi_stop [0] */
    int32_t  unused;          /* must be 0 */
    int64_t  height, width;   /* of an `out` that is zeroed: angles and frequencies [width n / 2 + 1 of the longest
                                 axis, height as many as width along half the outermost circle] */
    uint32_t reserved[4];     /* must be 0 */
} tess_spectrum_to_polar_opts;

/** Spectra of images of logical `shape` in polar coordinates, {n,1,angles,frequencies}. Frequencies go from -n/2 to n/2
 *  along each axis, and what is beyond is 0. In half layouts each tap of a window that is not stored is read at the
 *  opposite frequency and conjugated, whatever its neighbours are: half and full layouts agree. */
TESS_API TESS_MUST_CHECK tess_status tess_spectrum_to_polar(tess_array *out, const tess_array *in, tess_shape shape,
                                                            const tess_spectrum_to_polar_opts *opts);

/* ---- Averages ---- */

typedef struct tess_rotational_average_opts {
    const tess_array *ctfs;            /* {1 or b,1,1,m}, m from 8 to 17, columns in the order of tess_ctf: frequencies
                                          become those at which the isotropic CTF has the same phase (see
                                          tess_ctf_isotropic_frequency); images alone; where `in` is, or in host
                                          memory [NULL] */
    tess_array       *weights;         /* receives the sums of weights, {b,1,1,n}, f64 if it is zeroed [NULL] */
    double            start, stop;     /* frequencies of `in`, as of tess_lowpass [0, all] */
    double            out_start;       /* frequency of the first shell [0] */
    double            out_stop;        /* of the last one, up to the corners of `in` and beyond [the highest of `in`
                                          along an axis, of the axis that has the highest] */
    tess_metric       metric;          /* lengths of frequencies, without `ctfs` [pixels alike along all axes] */
    int64_t           shells;          /* of an `out` that is zeroed [n / 2 + 1 of the longest axis] */
    int32_t           layout;          /* of `in`, a tess_fft_layout [H] */
    int32_t           no_endpoint;     /* 1: the range of `in` ends before `stop` [0] */
    int32_t           out_no_endpoint; /* 1: that of the shells ends before `out_stop` [0] */
    int32_t           sum;             /* 1: sums, not means [0] */
    int32_t           add;             /* 1: `out` and `weights` hold sums, to which these are added [0] */
    int32_t           power;           /* 1: an `out` that is zeroed is real, and receives the power [0] */
    int32_t           nearest;     /* 1: a coefficient goes to the nearest shell, half way to the upper [0: split] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_rotational_average_opts;

/** Means over shells of frequencies, {b,1,1,n}, of spectra of signals, images or volumes of logical `shape`. A
 *  coefficient between two shells is split linearly, or goes to the nearest; what is outside is dropped. In half
 *  layouts, coefficients that stand for two count twice, so that real results are those of the full spectrum. A real
 *  `out` of a complex `in` receives the power. Shells without weight are 0. Sums are f64. With `add`, and without
 *  `sum`, the mean is that of all that was added, and needs `weights`. */
TESS_API TESS_MUST_CHECK tess_status tess_rotational_average(tess_array *out, const tess_array *in, tess_shape shape,
                                                             const tess_rotational_average_opts *opts);

/* ---- 1-D spectra of different CTFs ---- */

typedef struct tess_fuse_spectra_opts {
    tess_array *weights;         /* receives the sums of weights, {b,1,1,n}, f64 if it is zeroed [NULL] */
    double      start;           /* frequency of the first column of `in` [0] */
    double      stop;            /* of the last one [0.5] */
    double      out_start;       /* the same of `out` [that of `in`]; TESS_ZERO: 0 */
    double      out_stop;        /* [that of `in`] */
    int64_t     width;           /* of an `out` that is zeroed [that of `in`] */
    int32_t     no_endpoint;     /* 1: the range of `in` ends before `stop` [0] */
    int32_t     out_no_endpoint; /* 1: that of `out` ends before `out_stop` [0] */
    int32_t     sum;             /* 1: sums, not means [0] */
    int32_t     add;             /* 1: `out` and `weights` hold sums, to which these are added [0] */
    uint32_t    reserved[4];     /* must be 0 */
} tess_fuse_spectra_opts;

/** Bring the 1-D spectra of each batch of `in`, {b,1,h,m}, to the CTF `target` and average them, {b,1,1,n}: each value
 *  goes to the frequency at which the target has the phase of its own CTF, is split between two columns as above, and
 *  counts as much as the scale of its CTF says. `ctfs` is {1 or b,1,1 or h,k}, `target` {1 or b,1,1,k}, k from 8 to 17,
 *  columns in the order of tess_ctf, where `in` is or in host memory; mean defocus and the pixel size along h count.
 *  Values at phases that the target does not reach are dropped. */
TESS_API TESS_MUST_CHECK tess_status tess_fuse_spectra(tess_array *out, const tess_array *in, const tess_array *ctfs,
                                                       const tess_array *target, const tess_fuse_spectra_opts *opts);

typedef struct tess_phase_spectra_opts {
    double   start;           /* frequency of the first column of `in` [0] */
    double   stop;            /* of the last one [0.5] */
    double   out_start;       /* the same of `out` [that of `in`]; TESS_ZERO: 0 */
    double   out_stop;        /* [that of `in`] */
    int64_t  width;           /* of an `out` that is zeroed [that of `in`] */
    int32_t  no_endpoint;     /* 1: the range of `in` ends before `stop` [0] */
    int32_t  out_no_endpoint; /* 1: that of `out` ends before `out_stop` [0] */
    int32_t  interp;          /* a tess_interp [LINEAR] */
    int32_t  unused;          /* must be 0 */
    uint32_t reserved[4];     /* must be 0 */
} tess_phase_spectra_opts;

/** The same one by one, {b,1,h,n}, by sampling: column k of `out` is `in` where its CTF has the phase of the target
 *  there, and 0 where it has not, or where `in` does not reach. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_spectra(tess_array *out, const tess_array *in, const tess_array *ctfs,
                                                        const tess_array *target, const tess_phase_spectra_opts *opts);

TESS_END_C

#endif
