/* Contrast transfer function (CTF) of an electron microscope: values, images, correction of spectra, and fits.
 *
 * Frequencies f are in cycles per pixel. With r = f / pixel size in 1/angstrom, wavelength L and k3 = atan(A / sqrt(1 -
 * A^2)) for the amplitude contrast A:
 *
 *     phase(r) = -pi L defocus r^2 + pi/2 Cs L^3 r^4 - phase_shift - k3
 *     CTF(r)   = -sin(phase) exp(-bfactor r^2 / 4) scale
 *
 * Under-focus is positive, and gives a CTF that begins at +sin(phase_shift + k3). With astigmatism, the defocus at an
 * angle is defocus + astigmatism cos(2 (angle - own angle)); the angle of a frequency is atan2(y, x). Phases are
 * computed in f64 for all dtypes.
 */
#ifndef TESSERA_CTF_H
#define TESSERA_CTF_H

#include "tessera/filter.h"

TESS_BEGIN_C

/** Parameters of a CTF. All are f64, so that a row of an array {b,1,1,m} can hold them in this order. */
typedef struct tess_ctf {
    double pixel_size[2];   /* along h and w, angstrom; 0 for w: as along h */
    double defocus;         /* mean of both directions, micrometre; positive for under-focus */
    double astigmatism;     /* half the difference of both directions, micrometre */
    double angle;           /* direction of the larger defocus, radians from the w axis to the h axis */
    double voltage;         /* kilovolt [300] */
    double amplitude;       /* amplitude contrast, at least 0 and below 1 */
    double cs;              /* spherical aberration, millimetre */
    double phase_shift;     /* phase shift of a phase plate, radians */
    double bfactor;         /* B-factor of the envelope, square angstrom; positive: decay (tessera/filter.h) */
    double scale;           /* factor of all values [1]; TESS_ZERO: 0 */
    double tetrafoil;       /* four-fold astigmatism, millimetre: Cs is cs + tetrafoil cos(4 (angle - own angle)) */
    double tetrafoil_angle; /* radians */
    double tilt[2];         /* beam tilt along h and w, milliradian */
    double trefoil;         /* three-fold astigmatism, micrometre */
    double trefoil_angle;   /* radians */
} tess_ctf;

enum { TESS_CTF_COLUMNS = 17, TESS_CTF_MIN_COLUMNS = 8, TESS_CTF_EVEN_COLUMNS = 13 };

/* ---- Single values ----------------------------------------------------------------------------------------------- */

/* Functions without a status do not check their arguments; invalid parameters give NaN. Frequencies are in cycles per
 * pixel. */

/** Returns the relativistic wavelength of electrons in angstrom: 0.0250793405 for 200 kV. */
TESS_API double tess_ctf_wavelength(double voltage);

/** Returns the phase, in radians, at a frequency (h, w); for an isotropic CTF pass (0, f) or (f, 0). */
TESS_API double tess_ctf_phase_at(const tess_ctf *ctf, double fh, double fw);

/** Returns the value of the CTF, with envelope and scale, but without the effect of beam tilt and trefoil: see
 *  tess_ctf_odd_phase_at. */
TESS_API double tess_ctf_value_at(const tess_ctf *ctf, double fh, double fw);

/** Returns the envelope, exp(-bfactor r^2 / 4). */
TESS_API double tess_ctf_envelope_at(const tess_ctf *ctf, double fh, double fw);

/** Returns the phase, in radians, that beam tilt and trefoil add to a coefficient. With the wavelength L and the tilt t
 *  in radians, it is 2 pi Cs L^2 r^2 (r . t) + (2 pi / 3) trefoil L^2 r^3 cos(3 (angle - own angle)). */
TESS_API double tess_ctf_odd_phase_at(const tess_ctf *ctf, double fh, double fw);

/** Returns the defocus, in micrometres, in the direction of an angle. */
TESS_API double tess_ctf_defocus_at(const tess_ctf *ctf, double angle);

/** Finds the lowest frequency, in cycles per pixel, at which the isotropic CTF (mean defocus, pixel_size[0]) has the
 *  given phase, in radians as returned by tess_ctf_phase_at; zeros of the CTF are at multiples of pi. TESS_ERANGE if
 *  there is none. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_frequency_at(double *frequency, const tess_ctf *ctf, double phase);

/** Returns the frequency, in cycles per pixel of the mean size, at which the isotropic CTF (mean defocus, mean pixel
 *  size) has the phase of this CTF at (h, w), for rotational averages along lines of equal phase. It works for Cs = 0,
 *  over-focus and under-focus. If there are two such frequencies, it is the one where the phase derivative has the same
 *  sign as at (h, w). Returns NaN where the isotropic CTF never has this phase, for example beyond the extremum of the
 *  phase, or in a direction whose defocus has the opposite sign; tess_rotational_average omits such coefficients. */
TESS_API double tess_ctf_isotropic_frequency(const tess_ctf *ctf, double fh, double fw);

/** Returns the isotropic equivalent of a CTF: with its mean defocus and mean pixel size, but without astigmatism,
 *  tetrafoil, beam tilt and trefoil. */
TESS_API tess_ctf tess_ctf_isotropic(const tess_ctf *ctf);

/** Sets defocus, astigmatism and angle from the defoci U and V, in micrometres, in two perpendicular directions;
 *  `angle`, in radians, is that of U. Either may be the larger. */
TESS_API void tess_ctf_set_defoci(tess_ctf *ctf, double u, double v, double angle);

/* ---- Arrays ------------------------------------------------------------------------------------------------------ */

typedef struct tess_ctf_opts {
    double            start, stop; /* range of frequencies, cycles per pixel, as in tess_lowpass [0, all] */
    const tess_array *parameters;  /* {b,1,1,m}, m from 8 to 17: a CTF for each batch, columns in the order of tess_ctf,
                                      missing ones are 0; replaces `ctf`, which may be NULL; checked on the host, which
                                      synchronises with the device [NULL] */
    int32_t           abs;         /* 1: use |CTF| [0] */
    int32_t           squared;     /* 1: use CTF^2 [0] */
    int32_t           from, to;    /* layouts, tess_fft_layout [H, that of `from`] */
    int32_t           no_endpoint; /* 1: the range ends before `stop` [0] */
    uint32_t          reserved[5]; /* must be 0 */
} tess_ctf_opts;

/** Computes the CTF of every coefficient of a spectrum of logical `shape`. `out` is f16, f32, f64 or complex; a newly
 *  allocated one is f32, or c32 if values are complex, on the device of opts->parameters or otherwise in host memory.
 *  Isotropic CTFs are defined for signals, images and volumes; astigmatism, tetrafoil, beam tilt and trefoil only for
 *  images. With beam tilt or trefoil in `ctf` or in a row, values are complex, CTF exp(i odd phase), and so is `out`,
 *  except with `abs` and `squared`. `from` is ignored. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_image(tess_array *out, tess_shape shape, const tess_ctf *ctf,
                                                    const tess_ctf_opts *opts);

/** Multiplies spectra by the CTF. `out` may be exactly `in` if the layout does not change; a real `out` of a complex
 *  `in` receives the power. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_apply(tess_array *out, const tess_array *in, tess_shape shape,
                                                    const tess_ctf *ctf, const tess_ctf_opts *opts);

/** Flips phases: multiplies spectra by the sign of the CTF, and removes the phases of beam tilt and trefoil. `abs` and
 *  `squared` must be 0. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_flip(tess_array *out, const tess_array *in, tess_shape shape,
                                                   const tess_ctf *ctf, const tess_ctf_opts *opts);

/** Applies a Wiener filter: multiplies spectra by conj(CTF) / (|CTF|^2 + 1 / snr). `snr`, above 0, is the ratio of the
 *  powers of signal and noise, the same at all frequencies. A 1 / snr below 2^-126, or 2^-1022 for f64, counts as that.
 *  `abs` and `squared` must be 0. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_wiener(tess_array *out, const tess_array *in, tess_shape shape,
                                                     const tess_ctf *ctf, double snr, const tess_ctf_opts *opts);

/** Correct real images in the same way, through their spectra, as tess_lowpass_image does for tess_lowpass. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_apply_image(tess_array *out, const tess_array *in, const tess_ctf *ctf,
                                                          const tess_ctf_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_ctf_flip_image(tess_array *out, const tess_array *in, const tess_ctf *ctf,
                                                         const tess_ctf_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_ctf_wiener_image(tess_array *out, const tess_array *in, const tess_ctf *ctf,
                                                           double snr, const tess_ctf_opts *opts);

/* ---- Fits -------------------------------------------------------------------------------------------------------- */

typedef struct tess_ctf_fit_opts {
    double      min_defocus, max_defocus; /* range of the mean defocus, micrometre; negative for over-focus [0.3, 5];
                                             TESS_ZERO: 0 */
    double      max_astigmatism;       /* maximum astigmatism, half the difference of both directions, micrometre [0.3];
                                          TESS_ZERO: none */
    double      tolerated_astigmatism; /* scale of the soft restraint, see below, micrometre [0.01] */
    double      min_phase_shift, max_phase_shift; /* range of the phase shift, radians; fitted if they differ [that of
                                                     `ctf`, if both are 0] */
    double      low, high;    /* range of frequencies fitted, cycles per pixel [30 and 5 angstrom, at most 0.5];
                                 TESS_ZERO: from 0 */
    tess_array *errors;       /* receives {b,1,1,4}: standard deviations of defocus, astigmatism, angle, phase shift */
    tess_array *curves;       /* receives {b,1,3,n}, n = min(h, w) / 2 + 1, at frequencies i / min(h, w): the spectrum
                                 averaged along lines of equal phase, divided by its background, minus 1; CTF^2 of the
                                 fit; and their correlation in a window of one and a half rings */
    int32_t     isotropic;    /* 1: do not fit astigmatism [0] */
    int32_t     layout;       /* layout of the spectra, a tess_fft_layout [H] */
    int32_t     unrestrained; /* 1: do not restrain the astigmatism [0] */
    uint32_t    reserved[5];  /* must be 0 */
} tess_ctf_fit_opts;

/** Fits defocus, astigmatism with its angle, and optionally a phase shift, to power spectra of logical `shape`,
 *  {b,1,h,w}, such as those of tess_average_power: f16, f32 or f64. `ctf` provides the known parameters: pixel size,
 *  voltage, amplitude contrast, Cs, and any others to be copied to the result. Its defocus, astigmatism and angle are
 *  ignored.
 *
 *  `fits` is {b,1,1,17}: one row per spectrum, as in opts->parameters of tess_ctf_apply. The astigmatism is not
 *  negative, and the angle is in (-pi/2, pi/2]. `scores`, {b,1,1,1}, receives the correlation of spectrum and CTF^2
 *  over the range, with backgrounds removed. `resolutions`, {b,1,1,1}, receives the frequency in cycles per (mean)
 *  pixel up to which the rings follow the fit, where the third of the curves falls below 0.5. Both may be NULL. A
 *  spectrum that is constant, or has invalid powers in the range, gives NaN for the fitted parameters, score 0 and
 *  resolution 0.
 *
 *  The astigmatism has a soft restraint, as in CTFFIND: the quantity maximised is the correlation over n coefficients
 *  minus (astigmatism / tolerated_astigmatism)^2 / 2n. Astigmatism that is only due to noise is thus reduced towards 0,
 *  but not astigmatism that is clearly visible in the rings.
 *
 *  In `fits`, a 0 never represents a default: voltage, scale and the second pixel size are the values used.
 *
 *  Newly allocated outputs are f64. The fit runs on the threads of the host; spectra on a GPU are copied to it.
 *  Synchronises with the device. The range must contain more than 22 coefficients in at least 5 rings. `errors` assume
 *  independent coefficients: with windows and overlapping patches the true errors are up to twice as large. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_fit(tess_array *fits, tess_array *scores, tess_array *resolutions,
                                                  const tess_array *power, tess_shape shape, const tess_ctf *ctf,
                                                  const tess_ctf_fit_opts *opts);

/** Fits the CTF of images, {b,1,h,w} of real numbers, as tess_ctf_fit: their power is averaged over patches that
 *  overlap by half, with a Hann window. `patch` is {1,1,h,w}; 512 by 512 is suitable. opts->layout is ignored. */
TESS_API TESS_MUST_CHECK tess_status tess_ctf_fit_image(tess_array *fits, tess_array *scores, tess_array *resolutions,
                                                        const tess_array *images, tess_shape patch, const tess_ctf *ctf,
                                                        const tess_ctf_fit_opts *opts);

TESS_END_C

#endif
