/* Reconstruction of a volume from a tilt series. */
#ifndef TESSERA_JOBS_RECONSTRUCT_TILT_SERIES_H
#define TESSERA_JOBS_RECONSTRUCT_TILT_SERIES_H

#include "tessera/interp.h"
#include "tessera/jobs/source.h"
#include "tessera/jobs/tilts.h"

TESS_BEGIN_C

/** Weighting of the images before back-projection. */
typedef enum tess_tilt_weighting {
    TESS_TILT_WEIGHTING_DEFAULT, /* RAMP */
    TESS_TILT_WEIGHTING_RAMP,    /* ramp filter along w: |frequency| */
    TESS_TILT_WEIGHTING_NONE
} tess_tilt_weighting;

typedef struct tess_reconstruct_tilt_series_opts {
    double   depth;       /* depth of the volume, pixels, rounded to an integer [width of the images] */
    int32_t  weighting;   /* a tess_tilt_weighting [TESS_TILT_WEIGHTING_RAMP] */
    int32_t  interp;      /* interpolation: NEAREST, LINEAR or CUBIC [TESS_INTERP_LINEAR] */
    uint32_t reserved[8]; /* must be 0 */
} tess_reconstruct_tilt_series_opts;

typedef struct tess_reconstruct_tilt_series_result {
    tess_array volume; /* f32 {1,depth,h,w} on the CPU */
} tess_reconstruct_tilt_series_result;

/**
 * Reconstructs a volume from an aligned tilt series, {n,1,h,w} of real numbers, by weighted back-projection.
 *
 * `tilts` are n angles in degrees, as in files (tess_tilt_series_read). The tilt axis is along y (h) through the
 * middle, n/2. A point (x, z) of the volume is projected to x cos t + z sin t. Rows of images are filtered by a ramp,
 * and each image is spread along its rays in real space (tess_backproject). If the tilts cover 180 degrees evenly,
 * values are those of the object. The whole volume is in memory on the device of the context.
 */
TESS_API TESS_MUST_CHECK tess_status tess_reconstruct_tilt_series(tess_reconstruct_tilt_series_result *result,
                                                                  const tess_source *images, const tess_array *tilts,
                                                                  const tess_reconstruct_tilt_series_opts *opts,
                                                                  const tess_context                      *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_reconstruct_tilt_series_result_release(tess_reconstruct_tilt_series_result *result);

TESS_END_C

#endif
