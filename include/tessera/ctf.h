/* Contrast transfer function (CTF) of an electron microscope: values, images of it, and spectra multiplied by it.
 *
 * With r = frequency / pixel size in 1/angstrom, wavelength L, k3 = atan(A / sqrt(1 - A^2)) for amplitude contrast A:
 *
 *     phase(r) = -pi L defocus r^2 + pi/2 Cs L^3 r^4 - phase_shift - k3
 *     CTF(r)   = -sin(phase) exp(-bfactor r^2 / 4) scale
 *
 * so that under-focus, which is positive, gives a CTF that begins at +sin(phase_shift + k3). Astigmatic, the defocus at
 * an angle is value + astigmatism cos(2 (angle - own angle)); the angle of a frequency is atan2(y, x). Phases are
 * computed in f64 for all dtypes.
 */
#ifndef TESSERA_CTF_H
#define TESSERA_CTF_H

#include "tessera/filter.h"

TESS_BEGIN_C

/** Parameters of a CTF: f64 alone, so that a row of an array {b,1,1,m} is one, in this order. */
typedef struct tess_ctf {
    double pixel_size[2];   /* along h, w; angstrom; w 0: as h */
    double defocus;         /* mean of both directions, micrometre; under-focus is positive */
    double astigmatism;     /* half the difference of both, micrometre */
    double angle;           /* of the larger defocus, radians from the w axis to the h axis */
    double voltage;         /* kilovolt [300] */
    double amplitude;       /* amplitude contrast, 0 to below 1 */
    double cs;              /* spherical aberration, millimetre */
    double phase_shift;     /* of a phase plate, radians */
    double bfactor;         /* of the envelope, square angstrom; positive: decay (tessera/filter.h) */
    double scale;           /* factor of all values [1]; TESS_ZERO: 0 */
    double tetrafoil;       /* four-fold astigmatism, millimetre: Cs is cs + tetrafoil cos(4 (angle - own angle)) */
    double tetrafoil_angle; /* radians */
    double tilt[2];         /* of the beam, h, w; milliradian */
    double trefoil;         /* three-fold astigmatism, micrometre */
    double trefoil_angle;   /* radians */
} tess_ctf;

enum { TESS_CTF_COLUMNS = 17, TESS_CTF_MIN_COLUMNS = 8, TESS_CTF_EVEN_COLUMNS = 13 };

/* ---- Single values ----------------------------------------------------------------------------------------------- */

/* These check nothing; parameters that make no sense give NaN. Frequencies are in cycles per pixel. */

/** Wavelength of electrons in angstrom, relativistic: 0.0250793405 for 200 kV. */
TESS_API double tess_ctf_wavelength(double voltage);

/** The phase, radians, at a frequency (h, w); of an isotropic CTF (0, f) or (f, 0) will do. */
TESS_API double tess_ctf_phase_at(const tess_ctf *ctf, double fh, double fw);

/** The CTF itself, with envelope and scale. What beam tilt and trefoil do is not in it: see tess_ctf_odd_phase_at. */
TESS_API double tess_ctf_value_at(const tess_ctf *ctf, double fh, double fw);

/** The envelope, exp(-bfactor r^2 / 4). */
TESS_API double tess_ctf_envelope_at(const tess_ctf *ctf, double fh, double fw);

/** The phase, radians, by which beam tilt and trefoil rotate a coefficient, with L the wavelength, t the tilt in
 *  radians: 2 pi Cs L^2 r^2 (r . t) + (2 pi / 3) trefoil L^2 r^3 cos(3 (angle - own angle)). */
TESS_API double tess_ctf_odd_phase_at(const tess_ctf *ctf, double fh, double fw);

/** Defocus, micrometre, in the direction of an angle. */
TESS_API double tess_ctf_defocus_at(const tess_ctf *ctf, double angle);

/** The lowest frequency at which the isotropic CTF (mean defocus, pixel_size[0]) has a phase, as tess_ctf_phase_at
 *  gives it: its zeros are at multiples of pi. TESS_ERANGE if there is none. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_frequency_at(double *frequency, const tess_ctf *ctf, double phase);

/** The frequency at which the isotropic CTF (mean defocus, mean pixel size) has the phase that this one has at (h, w):
 *  for rotational averages along lines of equal phase. Cs = 0, over-focus and under-focus. Of two such frequencies it
 *  is the one at which the phase grows or falls as it does at (h, w). NaN where the isotropic CTF never has this phase,
 *  as beyond the turning point of the phase, or in a direction whose defocus has the other sign; such coefficients are
 *  left out by tess_rotational_average. */
TESS_API double tess_ctf_isotropic_frequency(const tess_ctf *ctf, double fh, double fw);

/** The isotropic CTF that stands for one: its mean defocus and mean pixel size, without astigmatism, tetrafoil,
 *  beam tilt and trefoil. An isotropic CTF is an astigmatic one whose astigmatism is 0. */
TESS_API tess_ctf tess_ctf_isotropic(const tess_ctf *ctf);

/** Set defocus, astigmatism and angle from the defoci U and V, micrometre, in two directions at right angles; `angle`,
 *  radians, is that of U. Either may be the larger. */
TESS_API void tess_ctf_set_defoci(tess_ctf *ctf, double u, double v, double angle);

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

typedef struct tess_ctf_opts {
    double            start, stop; /* range of frequencies, as of tess_lowpass [0, all] */
    const tess_array *parameters;  /* {b,1,1,m}, m from 8 to 17: a CTF for each batch, columns in the order of tess_ctf,
                                      those beyond m 0; in place of `ctf`, which may be NULL; the host
                                      checks them, for which the call waits [NULL] */
    int32_t           abs;         /* 1: |CTF| [0] */
    int32_t           squared;     /* 1: CTF^2 [0] */
    int32_t           from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t           no_endpoint; /* 1: the range ends before `stop` [0] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_ctf_opts;

/** The CTF of every coefficient of a spectrum of logical `shape`, into `out`: f16, f32, f64 or complex; f32 if it is
 *  made, or c32 where values are complex, on the device of opts->parameters or else in host memory. Isotropic ones of
 *  signals, images and volumes; astigmatism, tetrafoil, beam tilt and trefoil of images alone. With beam tilt or
 *  trefoil in `ctf` or in a row, values are complex, CTF exp(i odd phase), and so is `out`, but for `abs` and
 *  `squared`. `from` does not count. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_image(tess_array *out, tess_shape shape, const tess_ctf *ctf,
                                                    const tess_ctf_opts *opts);

/** A spectrum times the CTF. `out` may be exactly `in` if the layout stays; a real `out` of a complex `in` receives the
 *  power. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_apply(tess_array *out, const tess_array *in, tess_shape shape,
                                                    const tess_ctf *ctf, const tess_ctf_opts *opts);

/** A spectrum times the sign of the CTF: phases are flipped. Those that beam tilt and trefoil rotated are
 *  rotated back. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_flip(tess_array *out, const tess_array *in, tess_shape shape,
                                                   const tess_ctf *ctf, const tess_ctf_opts *opts);

/** A spectrum times the Wiener filter, conj(CTF) / (|CTF|^2 + 1 / snr); `snr` is above 0,
 *  and 1 / snr counts as 2^-126 at least, 2^-1022 for f64. `abs` and `squared` are 0. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_wiener(tess_array *out, const tess_array *in, tess_shape shape,
                                                     const tess_ctf *ctf, double snr, const tess_ctf_opts *opts);

/** The same for real images, by way of their spectra: as tess_lowpass_image is to tess_lowpass. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_apply_image(tess_array *out, const tess_array *in, const tess_ctf *ctf,
                                                          const tess_ctf_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_ctf_flip_image(tess_array *out, const tess_array *in, const tess_ctf *ctf,
                                                         const tess_ctf_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_ctf_wiener_image(tess_array *out, const tess_array *in, const tess_ctf *ctf,
                                                           double snr, const tess_ctf_opts *opts);

/* ---- Fits -------------------------------------------------------------------------------------------------------- */

typedef struct tess_ctf_fit_opts {
    double      min_defocus, max_defocus; /* range of the mean defocus, micrometre; over-focus is negative [0.3, 5];
                                             0 is written TESS_ZERO */
    double      max_astigmatism;       /* micrometre, half the difference of both directions [0.3]; TESS_ZERO: none */
    double      tolerated_astigmatism; /* the same; it restrains softly, see below [0.01] */
    double      min_phase_shift, max_phase_shift; /* radians; fitted if they differ [that of `ctf`, if both are 0] */
    double      low, high;    /* range of frequencies, cycles per pixel [30 and 5 angstrom, or 0.5 if that is less];
                                 TESS_ZERO: from 0 */
    tess_array *errors;       /* receives {b,1,1,4}: standard deviations of defocus, astigmatism, angle, phase shift */
    tess_array *curves;       /* receives {b,1,3,n}, n = min(h, w) / 2 + 1, of frequencies i / min(h, w): the spectrum
                                along lines of equal phase, over its background, less 1; CTF^2 of the fit; and
                                their correlation in a window of one and a half rings */
    int32_t     isotropic;    /* 1: no astigmatism is fitted [0] */
    int32_t     layout;       /* of the spectra, a tess_fft_layout [H] */
    int32_t     unrestrained; /* 1: the astigmatism is not restrained [0] */
    uint32_t    reserved[5];  /* must be 0 */
} tess_ctf_fit_opts;

/** Fit defocus, astigmatism and its angle, and a phase shift if that is asked for, to power spectra of logical
 *  `shape`, {b,1,h,w}, as tess_average_power makes them: f16, f32 or f64. `ctf` has what is known: pixel size,
 *  voltage, amplitude, Cs, and whatever else is to be in the result; its defocus, astigmatism and angle do not count.
 *
 *  `fits` is {b,1,1,17}: a row a spectrum, as opts->parameters of tess_ctf_apply takes them. The astigmatism is not
 *  negative, and the angle in (-pi/2, pi/2]. `scores`, {b,1,1,1}, is the correlation of spectrum and CTF^2 over the
 *  range, backgrounds removed, and `resolutions`, {b,1,1,1}, the frequency in cycles per (mean) pixel up to which the
 *  rings follow the fit: where the third of the curves falls below 0.5. Both may be NULL. A spectrum with a number in
 *  the range that no power is, or without any variation, has NaN for what is fitted, score 0 and resolution 0.
 *
 *  The astigmatism is restrained softly, as in CTFFIND: the correlation over n coefficients, less
 *  (astigmatism / tolerated_astigmatism)^2 / 2n, is maximised. So what noise says of it is drawn towards 0, and what
 *  rings say clearly is not.
 *
 *  `fits` has no 0 that stands for a default: voltage, scale and the second pixel size are the numbers that were used.
 *
 *  Outputs are f64 if they are made here. The spectra, which are small, are worked on by the threads of the host: those
 *  of a GPU are copied to it, and the call waits for them. The range must have more than 22
 *  coefficients, twice what is unknown, in 5 rings or more. `errors` are those of independent coefficients: windows
 *  and patches that overlap make them up to twice as large. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_fit(tess_array *fits, tess_array *scores, tess_array *resolutions,
                                                  const tess_array *power, tess_shape shape, const tess_ctf *ctf,
                                                  const tess_ctf_fit_opts *opts);

/** The same for images, {b,1,h,w} of real numbers: their power is averaged over patches that overlap by half, with
 *  a Hann window. `patch` is {1,1,h,w}; 512 by 512 will do. opts->layout does not count. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_fit_image(tess_array *fits, tess_array *scores, tess_array *resolutions,
                                                        const tess_array *images, tess_shape patch, const tess_ctf *ctf,
                                                        const tess_ctf_fit_opts *opts);

TESS_END_C

#endif
