/* Fourier shell and ring correlation, radial power, whitening.
 *
 * Functions take spectra of logical `shape`, a signal, image or volume for each batch, in any layout, and sum over
 * shells of frequencies. With f = (kz/nz, ky/ny, kx/nx) in cycles per pixel and m the smallest of the sizes above 1,
 * the shell of a coefficient is |f| m, from 0 to m/2. A coefficient between two shells is split linearly between them,
 * or, with `nearest`, assigned to the nearer one (halfway: the upper one). In half spectra the coefficients that
 * represent two, all except those of column 0 and of column w/2 of an even width, count twice.
 *
 * The last shell is m/2, rounded down. Correlations omit coefficients with |f| above 0.5. So for an even m the last
 * shell is only the inner half of a shell; for an odd m it receives everything between it and 0.5, including the share
 * of the next shell. For radial power, and whitening by it, the last shell is as wide as the others: it receives its
 * share of coefficients up to one shell beyond it (`nearest`: half a shell), and the shares of further shells are
 * dropped. tess_rotational_average does the same and gives the same means.
 *
 * Sums are in f64, in an order fixed by shape and layout. They do not depend on threads, strides or the instruction
 * set, and are bit-identical on a GPU.
 */
#ifndef TESSERA_FSC_H
#define TESSERA_FSC_H

#include "tessera/array.h"

TESS_BEGIN_C

/** Returns the number of shells for a logical shape: m/2 + 1, where m is the smallest of d, h, w above 1; 0 if one of
 *  them is 0. */
TESS_API int64_t tess_fsc_shells(tess_shape shape);

typedef struct tess_fsc_opts {
    const tess_array *directions;  /* axes of cones, (z, y, x) of any length except 0, real {1,1,n,3} [NULL: one result
                                      for all directions] */
    tess_array       *counts;      /* receives the number of coefficients of the full spectrum in each shell, f64,
                                      {1,1,cones,shells} [NULL] */
    double            aperture;    /* angle between the axis of a cone and its surface, radians [pi / 9, 20 degrees] */
    int32_t           layout;      /* layout of both spectra, a tess_fft_layout [H] */
    int32_t           nearest;     /* 1: assign coefficients to the nearest shell, as in other programs [0: split] */
    uint32_t          reserved[8]; /* must be 0 */
} tess_fsc_opts;

/**
 * Computes the correlation of two spectra in each shell, for each batch: {b,1,cones,shells}, with one cone if no
 * directions are given.
 *
 *     FSC = sum of Re(l conj(r)) / sqrt(sum of |l|^2 times sum of |r|^2), 0 where one of these is 0
 *
 * For images this is the Fourier ring correlation. The b of either spectrum may be 1: it is then compared with each
 * batch of the other. A coefficient belongs to a cone if the angle between its frequency and the axis, or the opposite
 * direction, is at most the aperture, to 1e-12 in the cosine: a cone of pi / 2 contains all directions, including the
 * plane perpendicular to it. The coefficient of frequency 0 belongs to all cones. Spectra are complex; a newly
 * allocated `out` is f64.
 */
TESS_API TESS_MUST_CHECK tess_status tess_fsc(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                              tess_shape shape, const tess_fsc_opts *opts);

typedef struct tess_fsc_local_opts {
    int32_t  nearest;     /* 1: assign coefficients to the nearest shell [0: split] */
    uint32_t reserved[7]; /* must be 0 */
} tess_fsc_local_opts;

/** Computes local FSC curves of two real arrays of equal shape, each multiplied by `window`, real {1,d,h,w}. The first
 *  element of the window is placed at each of `origins`, integers {n,1,1,k} as in tess_extract. Values outside the
 *  arrays are 0. The result is a curve for each position, {n,1,1,shells of the window}, f64 if newly allocated;
 *  tess_fsc_resolution takes it with the shape {n,d,h,w}. Workspace does not grow with n. */
TESS_API TESS_MUST_CHECK tess_status tess_fsc_local(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                                    const tess_array *window, const tess_array *origins,
                                                    const tess_fsc_local_opts *opts);

typedef struct tess_fsc_resolution_opts {
    const tess_array *counts;     /* use the half-bit curve as the threshold: number of coefficients of each shell, as
                                     returned by tess_fsc [NULL: a fixed threshold] */
    double            threshold;  /* fixed threshold [0.143]; TESS_ZERO: 0 */
    double            pixel_size; /* pixel size, in angstrom: the result is a resolution in angstrom [none: a frequency
                                     in cycles per pixel] */
    int32_t           no_interpolate; /* 1: use the last shell before the crossing, as in RELION [0] */
    uint32_t          reserved[7];    /* must be 0 */
} tess_fsc_resolution_opts;

/**
 * Finds where curves of tess_fsc, {b,1,cones,shells} of logical `shape`, first fall below a threshold: {b,1,cones,1},
 * f64.
 *
 * Shell 0, the mean, is ignored unless it is the only one. The crossing is interpolated linearly between the last shell
 * that is not below the threshold and the next one. A curve that never falls below has the frequency of its last shell;
 * one that begins below has frequency 0, an infinite resolution. The half-bit curve (van Heel and Schatz, 2005) is
 * (0.2071 + 1.9102 / sqrt(n)) / (1.2071 + 0.9102 / sqrt(n)).
 */
TESS_API TESS_MUST_CHECK tess_status tess_fsc_resolution(tess_array *out, const tess_array *fsc, tess_shape shape,
                                                         const tess_fsc_resolution_opts *opts);

typedef struct tess_fsc_corrected_opts {
    int32_t  margin;      /* number of shells above `frequency` that keep the masked curve, 0 to 1000 [2];
                             TESS_ZERO_INT: none */
    uint32_t reserved[7]; /* must be 0 */
} tess_fsc_corrected_opts;

/**
 * Corrects FSC curves for the correlation introduced by a mask (Chen et al., 2013). `masked` is the FSC of two masked
 * maps, and `randomized` that of the same maps after tess_phase_randomize above `frequency`, masked in the same way.
 *
 *     (masked - randomized) / (1 - randomized) in shells above frequency m + margin, else masked
 *
 * and 0 where `randomized` is 1 or more. The curves are those of logical `shape`; `out` may be either of them.
 */
TESS_API TESS_MUST_CHECK tess_status tess_fsc_corrected(tess_array *out, const tess_array *masked,
                                                        const tess_array *randomized, tess_shape shape,
                                                        double frequency, const tess_fsc_corrected_opts *opts);

/** Computes the figure-of-merit weights of the mean of two half maps (Rosenthal and Henderson, 2003): sqrt(2 fsc / (1 +
 *  fsc)), and 0 where fsc is 0 or less. f16, f32 or f64 of any shape; `out` may be `fsc`, and is f64 if newly
 *  allocated. Apply them with tess_filter_curve. */
TESS_API TESS_MUST_CHECK tess_status tess_fsc_weight(tess_array *out, const tess_array *fsc);

typedef struct tess_guinier_fit_opts {
    double   low, high;   /* range of frequencies to fit, inclusive, in the unit of `step` [0; the highest] */
    uint32_t reserved[8]; /* must be 0 */
} tess_guinier_fit_opts;

/**
 * Fits the B-factor of a map, by a straight line through its Guinier plot: ln(amplitude) against the square of the
 * frequency. Value i of each row of `amplitudes`, {b,d,h,n}, is that at the frequency i step.
 *
 * With `step` in 1/angstrom, the result {b,d,h,3} is the B-factor in square angstrom, which is 4 times the slope, the
 * value of the line at frequency 0, and the correlation of the points. A map with decayed amplitudes has a negative
 * B-factor, and tess_bfactor with this value sharpens it, which restores the amplitudes. Amplitudes of 0 or less, and
 * frequency 0, are omitted; a row with fewer than two points gives NaN. f16, f32 or f64; a newly allocated `out` is
 * f64.
 */
TESS_API TESS_MUST_CHECK tess_status tess_guinier_fit(tess_array *out, const tess_array *amplitudes, double step,
                                                      const tess_guinier_fit_opts *opts);

typedef struct tess_phase_randomize_opts {
    int64_t  first_batch; /* index of the first batch, so that parts of a stack get the same phases as the whole [0] */
    double   start, stop; /* range of frequencies, as in tess_lowpass [0, all] */
    int32_t  from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t  no_endpoint; /* 1: the range ends before `stop` [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_phase_randomize_opts;

/** Randomises the phases of coefficients above `frequency`, in cycles per pixel, and keeps their magnitudes. A phase
 *  depends only on the seed, the batch and the frequency, and is opposite at opposite frequencies, so that the spectrum
 *  of a real array remains one. Use different seeds for two half maps, or their phases will be equal. Coefficients that
 *  are their own opposite are not changed. Complex; `out` may be `in` if the layout does not change. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_randomize(tess_array *out, const tess_array *in, tess_shape shape,
                                                          double frequency, uint64_t seed,
                                                          const tess_phase_randomize_opts *opts);

/** Processes real arrays in the same way, through their spectra, as tess_lowpass_image does for tess_lowpass. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_randomize_image(tess_array *out, const tess_array *in, double frequency,
                                                                uint64_t seed, const tess_phase_randomize_opts *opts);

typedef struct tess_radial_power_opts {
    int32_t  layout;      /* a tess_fft_layout [H] */
    int32_t  nearest;     /* 1: assign coefficients to the nearest shell [0: split] */
    uint32_t reserved[6]; /* must be 0 */
} tess_radial_power_opts;

/** Computes the mean of |x|^2 in each shell, for each batch: {b,1,1,shells}, f64; 0 in a shell without coefficients.
 *  The last shell is as wide as the others (see above), so the means are those of tess_rotational_average with the same
 *  number of shells up to the same frequency. */
TESS_API TESS_MUST_CHECK tess_status tess_radial_power(tess_array *out, const tess_array *in, tess_shape shape,
                                                       const tess_radial_power_opts *opts);

typedef struct tess_whiten_opts {
    double   start, stop; /* range of frequencies, as in tess_lowpass_opts */
    int32_t  from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t  no_endpoint;
    uint32_t reserved[5]; /* must be 0 */
} tess_whiten_opts;

/** Whitens spectra: divides each coefficient by the square root of the radial power of its batch. The power is
 *  interpolated linearly between shells, and constant beyond the last one; where it is 0, the result is 0. Complex;
 *  `out` may be `in` if the layout does not change, and a real `out` receives the power. Divisors are computed in f64,
 *  and their reciprocals are rounded to the precision of the spectrum and kept finite, so extremely small values are
 *  scaled to less than 1. Shells are as wide as the largest frequency step (of the range, if given), and begin at its
 *  start. */
TESS_API TESS_MUST_CHECK tess_status tess_whiten(tess_array *out, const tess_array *in, tess_shape shape,
                                                 const tess_whiten_opts *opts);

/** Processes real arrays in the same way, through their spectra, as tess_lowpass_image does for tess_lowpass. */
TESS_API TESS_MUST_CHECK tess_status tess_whiten_image(tess_array *out, const tess_array *in,
                                                       const tess_whiten_opts *opts);

TESS_END_C

#endif
