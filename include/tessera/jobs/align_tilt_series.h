/* Alignment of tilt series by shifts. */
#ifndef TESSERA_JOBS_ALIGN_TILT_SERIES_H
#define TESSERA_JOBS_ALIGN_TILT_SERIES_H

#include "tessera/jobs/align_stack.h"
#include "tessera/jobs/tilts.h"

TESS_BEGIN_C

typedef struct tess_align_tilt_series_opts {
    double           axis;        /* direction of the tilt axis, radians from y (h), counter-clockwise if y points up,
                                     as in IMOD [0: along y] */
    double           cutoff;      /* highest frequency used, cycles per pixel; 0.5 or more: all [0.25] */
    double           max_shift;   /* maximum shift from the image at the previous tilt, pixels [unlimited] */
    const tess_sink *sink;        /* destination of the aligned images, f32 or f64 [not computed] */
    uint32_t         reserved[8]; /* must be 0 */
} tess_align_tilt_series_opts;

typedef struct tess_align_tilt_series_result {
    tess_array shifts; /* f64 {1,1,n,TESS_SHIFT_COLUMNS}: shifts that move each image onto the one with the smallest
                          tilt */
} tess_align_tilt_series_result;

/**
 * Aligns the images of a tilt series, {n,1,h,w} of real numbers.
 *
 * `tilts` are n angles in degrees, as in files (tess_tilt_series_read), from -85 to 85. Images are cropped to the
 * cutoff in Fourier space. From the smallest tilt outwards, each is correlated with the previous one, stretched
 * perpendicular to the axis by the ratio of cosines (tess_align_tilts). The aligned images are shifted in Fourier
 * space, periodically.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align_tilt_series(tess_align_tilt_series_result *result,
                                                            const tess_source *images, const tess_array *tilts,
                                                            const tess_align_tilt_series_opts *opts,
                                                            const tess_context                *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_align_tilt_series_result_release(tess_align_tilt_series_result *result);

TESS_END_C

#endif
