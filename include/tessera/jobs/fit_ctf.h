/* Defocus, astigmatism and phase shift of micrographs and movies, by a fit of CTF^2 to their power spectra. */
#ifndef TESSERA_JOBS_FIT_CTF_H
#define TESSERA_JOBS_FIT_CTF_H

#include "tessera/ctf.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_fit_ctf_opts {
    double   voltage;               /* of the microscope, kV [300] */
    double   cs;                    /* spherical aberration, mm [2.7]; TESS_ZERO */
    double   amplitude;             /* amplitude contrast, a fraction below 1 [0.1]; TESS_ZERO */
    double   phase_shift;           /* of a phase plate, where it is known, radians [0] */
    double   min_phase_shift;       /* the phase shift is fitted between these two, radians, if they differ … */
    double   max_phase_shift;       /* … [both 0: it is not fitted] */
    double   low, high;             /* resolutions that rings are fitted between, Å [30, 5 or Nyquist] */
    double   min_defocus;           /* of the mean defocus, µm; over-focus is negative [0.3]; TESS_ZERO */
    double   max_defocus;           /* µm [5]; TESS_ZERO */
    double   max_astigmatism;       /* half the difference of both directions, µm [0.3]; TESS_ZERO: none is fitted */
    double   tolerated_astigmatism; /* the same, restrained softly [0.01]; TESS_ZERO: not restrained */
    double   pixel_size;            /* Å [that of the source] */
    int64_t  tile;                  /* pixels of a side of the tiles, even [512] */
    int64_t  frames;                /* of a movie: frames that are added up for a spectrum [1] */
    int32_t  movie;                 /* 1: the images are frames of one movie [0: each is a micrograph] */
    uint32_t reserved[7];           /* must be 0 */
} tess_fit_ctf_opts;

typedef struct tess_fit_ctf_result {
    tess_array fits;     /* f64 {n,1,1,17}: a tess_ctf for each micrograph; what could not be fitted is NaN */
    tess_array table;    /* f64 {1,1,n,10}: see the names of its columns */
    tess_array power;    /* f64 {n,1,tile,tile/2+1}: the power spectra */
    tess_array curves;   /* f64 {n,1,3,tile/2+1}: curves of tess_ctf_fit */
    int64_t    n_fitted; /* micrographs with a fit */
} tess_fit_ctf_result;

/**
 * Fits the CTF of each micrograph, {n,1,h,w} of real numbers, or of one movie.
 *
 * Power spectra of tiles that overlap by half, with a Hann window, are averaged, over the frames of a movie too, and
 * CTF^2 is fitted to them by tess_ctf_fit. A micrograph without rings has no fit: NaN in its row, score 0.
 */
TESS_API TESS_MUST_CHECK tess_status tess_fit_ctf(tess_fit_ctf_result *result, const tess_source *micrographs,
                                                  const tess_fit_ctf_opts *opts, const tess_context *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_fit_ctf_result_release(tess_fit_ctf_result *result);

TESS_END_C

#endif
