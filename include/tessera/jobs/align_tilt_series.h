/* Alignment of tilt series by shifts. */
#ifndef TESSERA_JOBS_ALIGN_TILT_SERIES_H
#define TESSERA_JOBS_ALIGN_TILT_SERIES_H

#include "tessera/jobs/align_stack.h"
#include "tessera/jobs/tilts.h"

TESS_BEGIN_C

typedef struct tess_align_tilt_series_opts {
    double           axis;        /* direction of the tilt axis, radians from y (h), counter-clockwise where y goes up,
                                     as IMOD counts [0: along y] */
    double           cutoff;      /* highest frequency that counts, cycles per pixel; 0.5 or more: all of them [0.25] */
    double           max_shift;   /* maximum shift from the image of the tilt before, pixels [unlimited] */
    const tess_sink *sink;        /* where the aligned images go, f32 or f64 [they are not made] */
    uint32_t         reserved[8]; /* must be 0 */
} tess_align_tilt_series_opts;

typedef struct tess_align_tilt_series_result {
    tess_array shifts; /* f64 {1,1,n,TESS_SHIFT_COLUMNS}: what moves each image onto the one of the smallest tilt */
} tess_align_tilt_series_result;

/**
 * Aligns the images of a tilt series, {n,1,h,w} of real numbers.
 *
 * `tilts` are n angles in degrees, as files have them (tess_tilt_series_read), from -85 to 85. Images are cropped to
 * the cutoff in Fourier space. From the smallest tilt outward, each is correlated with the one before, stretched across
 * the axis by the ratio of cosines (tess_align_tilts). The aligned images are moved by their phases, periodically.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align_tilt_series(tess_align_tilt_series_result *result,
                                                            const tess_source *images, const tess_array *tilts,
                                                            const tess_align_tilt_series_opts *opts,
                                                            const tess_context                *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_align_tilt_series_result_release(tess_align_tilt_series_result *result);

TESS_END_C

#endif
