/* Pixel sizes of sources that are used together. */
#ifndef TESS_JOBS_DATA_PIXELS_H
#define TESS_JOBS_DATA_PIXELS_H

#include "jobs/run/context.h"
#include "tessera/jobs/source.h"

/* The size of pixels in Å along w: `given` where it is above 0, otherwise that of the source, which must be known and,
 * with right angles, the same along all axes. `fn` is the job, for messages. */
tess_status tess__pixel_size(double *size, const char *fn, const tess_source *source, double given);

/* Warns where a source that is used pixel by pixel beside another has pixels of another size. */
void tess__warn_of_pixel_sizes(const tess_context *context, const tess_source *one, const tess_source *other);

/* Fails where a source has complex numbers. */
tess_status tess__need_real(const char *fn, const tess_source *source);

/* The dtype that numbers of this one are computed in: f32, f64, c32 or c64. */
tess_dtype tess__dtype_to_compute(tess_dtype dtype);

#endif
