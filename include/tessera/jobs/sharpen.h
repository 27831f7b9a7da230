/* Sharpening of the mean of two half maps: weighting by their FSC, and a B-factor from a Guinier fit. */
#ifndef TESSERA_JOBS_SHARPEN_H
#define TESSERA_JOBS_SHARPEN_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_sharpen_opts {
    double             bfactor;  /* Å²; negative values sharpen [by a fit]; TESS_ZERO */
    double             fit_from; /* low-resolution end of the fit, Å; not with bfactor [10] */
    double             fit_to;   /* high-resolution end of the fit, Å; not with bfactor [the resolution] */
    double             lowpass;  /* resolution of the low-pass filter, Å [at which the FSC falls below 0.143] */
    double             edge;     /* width of its raised-cosine edge, cycles per pixel [2 shells]; TESS_ZERO */
    const tess_source *mask;     /* values from 0 to 1, of the size of a map [none] */
    double             randomize_at_fsc; /* randomise phases from where the unmasked FSC falls below this [0.8] */
    double             randomize_at;     /* resolution from which phases are randomised, Å [by randomize_at_fsc] */
    double             pixel_size;       /* Å [that of half1] */
    int32_t            relion_fit;       /* 1: fit over the range of relion_postprocess, with its shells [0] */
    int32_t            no_weight;        /* 1: omit the weights sqrt(2 FSC / (1 + FSC)) [0] */
    int32_t            apply_mask;       /* 1: multiply the result by the mask [0] */
    int32_t            want_sharpened;   /* 1: add the amplitudes of the sharpened map to the table [0] */
    uint32_t           reserved[6];      /* must be 0 */
} tess_sharpen_opts;

typedef struct tess_sharpen_result {
    tess_array map;         /* {1,d,h,w} on the CPU: f32, or f64 if a half map needs it */
    tess_array shells;      /* a table with a row for each shell: frequency, amplitude, weight, sharpened (NaN without
                               opts->want_sharpened), fsc */
    double     bfactor;     /* Å², fitted or as given */
    double     fit_from;    /* low-resolution end of the fit, Å */
    double     fit_to;      /* high-resolution end of the fit, Å */
    double     intercept;   /* ln(amplitude) of the fitted line at frequency 0; 0 if the B-factor was given */
    double     correlation; /* correlation of the fitted line; 0 if the B-factor was given */
    double     resolution;  /* resolution at which the FSC falls below 0.143, Å; 0 for one map */
    double     lowpass;     /* resolution of the low-pass filter, Å */
    int32_t    is_fitted;   /* 0: the B-factor was given */
    int32_t    crosses;     /* 0: the FSC never falls below 0.143, and the resolution is Nyquist */
} tess_sharpen_result;

/**
 * Sharpens the mean of two half maps {1,d,h,w} of real numbers, or a single map if half2 is NULL.
 *
 * The coefficients of the mean are multiplied by sqrt(2 FSC / (1 + FSC)), interpolated linearly between shells, by
 * exp(-B/4 s²) with s in 1/Å, and by a low-pass filter whose raised-cosine edge is 0.5 at the resolution where the FSC
 * falls below 0.143. With a mask the FSC is the corrected one (see tess_fsc_corrected). Without opts->bfactor, B is 4
 * times the slope of a line through the Guinier plot, ln(mean weighted amplitude of a shell) against 1/d². A single map
 * is not weighted, and needs opts->lowpass.
 */
TESS_API TESS_MUST_CHECK tess_status tess_sharpen(tess_sharpen_result *result, const tess_source *half1,
                                                  const tess_source *half2, const tess_sharpen_opts *opts,
                                                  const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_sharpen_result_release(tess_sharpen_result *result);

TESS_END_C

#endif
