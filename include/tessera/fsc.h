/* Fourier shell and ring correlation, radial power, whitening.
 *
 * Functions take spectra of logical `shape`, a signal, an image or a volume for each batch, in any layout, and sum over
 * shells of frequencies. With f = (kz/nz, ky/ny, kx/nx) in cycles per pixel and m the smallest of the sizes above 1,
 * the shell of a coefficient is |f| m, from 0 to m/2. A coefficient between two shells is split between them linearly,
 * or, with `nearest`, goes to the nearer one, half way to the upper. In half spectra the coefficients that stand for
 * two, all but those of column 0 and of column w/2 of an even width, count twice.
 *
 * The last shell, m/2 rounded down. Correlations leave out what has |f| above 0.5: of an even m the last shell is the
 * inner half of one. Of an odd m it takes all of what lies between it and 0.5, also the share that would go to a shell
 * beyond. Radial power, and whitening by it, have a last shell as wide as the others: it takes its share of
 * coefficients up to one shell beyond it (`nearest`: half a shell), and shares of shells beyond are dropped, as in
 * tess_rotational_average, which gives the same means of the same shells.
 *
 * Sums are made in f64, in an order that the shape and the layout fix: they do not depend on threads, strides or the
 * instruction set, and are the same on a GPU, bit for bit.
 */
#ifndef TESSERA_FSC_H
#define TESSERA_FSC_H

#include "tessera/array.h"

TESS_BEGIN_C

/** How many shells there are for a logical shape: m/2 + 1, where m is the smallest of d, h, w above 1. 0 where one of
 *  them is 0. */
TESS_API int64_t tess_fsc_shells(tess_shape shape);

typedef struct tess_fsc_opts {
    const tess_array *directions;  /* axes of cones, (z, y, x) of any length but 0, real {1,1,n,3} [NULL: one result of
                                     all directions] */
    tess_array       *counts;      /* receives how many coefficients of the full spectrum are in each shell, f64,
                                     {1,1,cones,shells} [NULL] */
    double            aperture;    /* angle between the axis of a cone and its surface, radians [pi / 9, 20 degrees] */
    int32_t           layout;      /* of both spectra, a tess_fft_layout [H] */
    int32_t           nearest;     /* 1: a coefficient goes to the nearest shell, as in other programs [0: split] */
    uint32_t          reserved[8]; /* must be 0 */
} tess_fsc_opts;

/**
 * Correlation of two spectra in each shell, for each batch: {b,1,cones,shells}, one cone where no directions are given.
 *
 *     FSC = sum of Re(l conj(r)) / sqrt(sum of |l|^2 times sum of |r|^2), 0 where one of these is 0
 *
 * Images give the Fourier ring correlation. The b of either spectrum may be 1: it is compared with each of the other.
 * A coefficient belongs to a cone if the angle between its frequency and the axis, or the opposite of the axis, is at
 * most the aperture, to 1e-12 of its cosine: a cone of pi / 2 has all directions, the plane across it too. The
 * coefficient of frequency 0 belongs to all. Complex spectra; `out`, if it is made, is f64.
 */
TESS_API TESS_MUST_CHECK tess_status tess_fsc(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                              tess_shape shape, const tess_fsc_opts *opts);

typedef struct tess_fsc_local_opts {
    int32_t  nearest;     /* 1: a coefficient goes to the nearest shell [0: split] */
    uint32_t reserved[7]; /* must be 0 */
} tess_fsc_local_opts;

/** Local correlation: the FSC of two real arrays of equal shape, each times `window`, real {1,d,h,w}, whose first
 *  element lies at each of `origins`, integers {n,1,1,k} as tess_extract has them. What is outside is 0. A curve for
 *  each position, {n,1,1,shells of the window}, which tess_fsc_resolution takes with the shape {n,d,h,w}; f64 if `out`
 *  is made. Workspace does not grow with n. */
TESS_API TESS_MUST_CHECK tess_status tess_fsc_local(tess_array *out, const tess_array *lhs, const tess_array *rhs,
                                                    const tess_array *window, const tess_array *origins,
                                                    const tess_fsc_local_opts *opts);

typedef struct tess_fsc_resolution_opts {
    const tess_array *counts;    /* the half-bit curve is the threshold: coefficients of each shell, as tess_fsc gives
                                     them [NULL: a fixed threshold] */
    double            threshold; /* [0.143]; TESS_ZERO: 0 */
    double   pixel_size;         /* in Angstrom: the result is a resolution in Angstrom [none: a frequency in cycles per
                                     pixel] */
    int32_t  no_interpolate;     /* 1: the last shell before the crossing, as RELION reports it [0] */
    uint32_t reserved[7];        /* must be 0 */
} tess_fsc_resolution_opts;

/**
 * Where curves of tess_fsc, {b,1,cones,shells} of logical `shape`, first fall below a threshold: {b,1,cones,1}, f64.
 *
 * Shell 0, the mean, counts only where it is the only one. Between the last shell that does not lie below and the
 * next one the crossing is interpolated linearly. A curve that never falls below has the frequency of its last shell;
 * one that begins below has 0, which is an infinite resolution.
 * The half-bit curve (van Heel and Schatz, 2005) is (0.2071 + 1.9102 / sqrt(n)) / (1.2071 + 0.9102 / sqrt(n)).
 */
TESS_API TESS_MUST_CHECK tess_status tess_fsc_resolution(tess_array *out, const tess_array *fsc, tess_shape shape,
                                                         const tess_fsc_resolution_opts *opts);

typedef struct tess_fsc_corrected_opts {
    int32_t  margin;      /* shells above `frequency` that keep the masked curve, 0 to 1000 [2]; TESS_ZERO_INT: none */
    uint32_t reserved[7]; /* must be 0 */
} tess_fsc_corrected_opts;

/**
 * Curves without the correlation that a mask brings (Chen et al., 2013): `masked` is the FSC of two masked maps,
 * `randomized` that of the same maps after tess_phase_randomize above `frequency`, masked in the same way.
 *
 *     (masked - randomized) / (1 - randomized) in shells above frequency m + margin, else masked
 *
 * and 0 where `randomized` is 1 or more. Curves of logical `shape`; `out` may be either of them.
 */
TESS_API TESS_MUST_CHECK tess_status tess_fsc_corrected(tess_array *out, const tess_array *masked,
                                                        const tess_array *randomized, tess_shape shape,
                                                        double frequency, const tess_fsc_corrected_opts *opts);

/** What a coefficient of the mean of two half maps is multiplied by, so that noise counts as little as it should
 *  (Rosenthal and Henderson, 2003): sqrt(2 fsc / (1 + fsc)), 0 where fsc is 0 or less. f16, f32 or f64 of any shape;
 *  `out` may be `fsc`, and is f64 if it is made. tess_filter_curve applies it. */
TESS_API TESS_MUST_CHECK tess_status tess_fsc_weight(tess_array *out, const tess_array *fsc);

typedef struct tess_guinier_fit_opts {
    double   low, high;   /* frequencies that count, ends included, in the unit of `step` [0; the highest] */
    uint32_t reserved[8]; /* must be 0 */
} tess_guinier_fit_opts;

/**
 * The B-factor of a map, by a straight line through its Guinier plot: ln(amplitude) against the square of the
 * frequency, where value i of each row of `amplitudes`, {b,d,h,n}, is that at the frequency i step. With `step` in
 * 1/Angstrom, {b,d,h,3} is the B-factor in square Angstrom, 4 times the slope, the value of the line at frequency 0,
 * and the correlation of the points. A map that has faded has a negative one, and tess_bfactor with this value
 * sharpens it: the amplitudes come back. Amplitudes of 0 or less, and frequency 0, are left out; a row that has fewer
 * than two points has NaN. f16, f32 or f64; `out` is f64 if it is made.
 */
TESS_API TESS_MUST_CHECK tess_status tess_guinier_fit(tess_array *out, const tess_array *amplitudes, double step,
                                                      const tess_guinier_fit_opts *opts);

typedef struct tess_phase_randomize_opts {
    int64_t  first_batch; /* index of the first batch: stacks in parts get the phases that they have as a whole [0] */
    double   start, stop; /* range of frequencies, as of tess_lowpass [0, all] */
    int32_t  from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t  no_endpoint; /* 1: the range ends before `stop` [0] */
    uint32_t reserved[5]; /* must be 0 */
} tess_phase_randomize_opts;

/** Coefficients of frequencies above `frequency`, in cycles per pixel, keep their magnitude and get a random phase. It
 *  depends on the seed, the batch and the frequency alone, and is opposite at opposite frequencies: the spectrum of a
 *  real array stays one. Two half maps need two seeds, or their phases are equal. Coefficients that are their own
 *  opposite stay as they are. Complex; `out` may be `in` if the layout stays. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_randomize(tess_array *out, const tess_array *in, tess_shape shape,
                                                          double frequency, uint64_t seed,
                                                          const tess_phase_randomize_opts *opts);

/** The same for real arrays, by way of their spectra: as tess_lowpass_image is to tess_lowpass. */
TESS_API TESS_MUST_CHECK tess_status tess_phase_randomize_image(tess_array *out, const tess_array *in, double frequency,
                                                                uint64_t seed, const tess_phase_randomize_opts *opts);

typedef struct tess_radial_power_opts {
    int32_t  layout;      /* a tess_fft_layout [H] */
    int32_t  nearest;     /* 1: a coefficient goes to the nearest shell [0: split] */
    uint32_t reserved[6]; /* must be 0 */
} tess_radial_power_opts;

/** Mean of |x|^2 in each shell, for each batch: {b,1,1,shells}, f64; 0 in a shell without coefficients. The last shell
 *  is as wide as the others (see above): these are the means of tess_rotational_average with as many shells up to the
 *  same frequency. */
TESS_API TESS_MUST_CHECK tess_status tess_radial_power(tess_array *out, const tess_array *in, tess_shape shape,
                                                       const tess_radial_power_opts *opts);

typedef struct tess_whiten_opts {
    double   start, stop; /* range of frequencies, as tess_lowpass_opts has it */
    int32_t  from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t  no_endpoint;
    uint32_t reserved[5]; /* must be 0 */
} tess_whiten_opts;

/** Each coefficient over the root of the radial power of its batch, interpolated linearly between shells; beyond the
 *  last shell that of the last; 0 where it is 0. Complex; `out` may be `in` if the layout stays, and a real one
 *  receives the power. The divisors are made in f64, their reciprocals rounded to the precision of the spectrum, and
 *  finite: numbers so small that theirs are not come out below 1. Shells have the width of the widest step of
 *  frequencies, of the range if one is given, and begin at its start. */
TESS_API TESS_MUST_CHECK tess_status tess_whiten(tess_array *out, const tess_array *in, tess_shape shape,
                                                 const tess_whiten_opts *opts);

/** The same for real arrays, by way of their spectra: as tess_lowpass_image is to tess_lowpass. */
TESS_API TESS_MUST_CHECK tess_status tess_whiten_image(tess_array *out, const tess_array *in,
                                                       const tess_whiten_opts *opts);

TESS_END_C

#endif
