/* CTF estimation: defocus, astigmatism and phase shift of micrographs and movies from their power spectra. */
#ifndef TESSERA_JOBS_FIT_CTF_H
#define TESSERA_JOBS_FIT_CTF_H

#include "tessera/ctf.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_fit_ctf_opts {
    double   voltage;               /* acceleration voltage, kV [300] */
    double   cs;                    /* spherical aberration, mm [2.7]; TESS_ZERO */
    double   amplitude;             /* amplitude contrast, a fraction below 1 [0.1]; TESS_ZERO */
    double   phase_shift;           /* known phase shift of a phase plate, radians [0] */
    double   min_phase_shift;       /* range of the phase shift, radians; fitted if they differ … */
    double   max_phase_shift;       /* … [both 0: not fitted] */
    double   low, high;             /* range of resolutions fitted, Å [30, 5 or Nyquist] */
    double   min_defocus;           /* minimum mean defocus, µm; negative for over-focus [0.3]; TESS_ZERO */
    double   max_defocus;           /* maximum mean defocus, µm [5]; TESS_ZERO */
    double   max_astigmatism;       /* maximum of half the difference of both directions, µm [0.3]; TESS_ZERO: not
                                       fitted */
    double   tolerated_astigmatism; /* scale of the soft restraint on it, µm [0.01]; TESS_ZERO: no restraint */
    double   pixel_size;            /* Å [that of the source] */
    int64_t  tile;                  /* side of the tiles, pixels, even [512] */
    int64_t  frames;                /* for movies: number of frames summed for each spectrum [1] */
    int32_t  movie;                 /* 1: the images are frames of one movie [0: each is a micrograph] */
    uint32_t reserved[7];           /* must be 0 */
} tess_fit_ctf_opts;

typedef struct tess_fit_ctf_result {
    tess_array fits;     /* f64 {n,1,1,17}: a tess_ctf for each micrograph; NaN if the fit failed */
    tess_array table;    /* f64 {1,1,n,10}: a row for each micrograph, see the names of its columns */
    tess_array power;    /* f64 {n,1,tile,tile/2+1}: the power spectra */
    tess_array curves;   /* f64 {n,1,3,tile/2+1}: the curves of tess_ctf_fit */
    int64_t    n_fitted; /* number of micrographs with a fit */
} tess_fit_ctf_result;

/**
 * Estimates the CTF of each micrograph, {n,1,h,w} of real numbers, or of one movie.
 *
 * Power spectra of tiles that overlap by half, with a Hann window, are averaged, also over the frames of a movie, and
 * CTF^2 is fitted to them by tess_ctf_fit. A micrograph without Thon rings has no fit: its row is NaN and its score 0.
 */
TESS_API TESS_MUST_CHECK tess_status tess_fit_ctf(tess_fit_ctf_result *result, const tess_source *micrographs,
                                                  const tess_fit_ctf_opts *opts, const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_fit_ctf_result_release(tess_fit_ctf_result *result);

TESS_END_C

#endif
