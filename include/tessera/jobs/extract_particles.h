/* Particle extraction: boxes around coordinates are cut from micrographs, rescaled and normalised. */
#ifndef TESSERA_JOBS_EXTRACT_PARTICLES_H
#define TESSERA_JOBS_EXTRACT_PARTICLES_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_extract_particles_opts {
    int64_t          rescale;     /* box size after rescaling in Fourier space, pixels [no rescaling] */
    double           bg_radius;   /* normalise to mean 0 and standard deviation 1 of the background, the pixels farther
                                  than this from the centre; pixels of the rescaled box, below half of it [not
                                  normalised] */
    double           white_dust;  /* replace pixels more than this many standard deviations above the mean of the
                                  background by that mean; needs bg_radius [off] */
    double           black_dust;  /* the same for pixels below the mean [off] */
    double           pixel_size;  /* pixel size of the micrographs, Å [that of the source] */
    const tess_sink *sink;        /* destination of the boxes [the array of the result] */
    int32_t          subpixel;    /* 1: interpolate at fractional coordinates [0: round them] */
    int32_t          ramp;        /* 1: first subtract the plane that fits the background best; needs bg_radius [0] */
    int32_t          invert;      /* 1: invert the contrast at the end, so that dark particles become bright [0] */
    int32_t          dtype;       /* a tess_dtype, of the boxes [that of the micrographs; f32 or f64 if pixels are
                                  computed] */
    uint32_t         reserved[8]; /* must be 0 */
} tess_extract_particles_opts;

/** Columns of a table of extracted particles. */
enum { TESS_EXTRACTED_ROW /* index of the row of coordinates, from 0 */, TESS_EXTRACTED_COLUMNS };

typedef struct tess_extract_particles_result {
    tess_array boxes;      /* {n,1,box,box} on the CPU, in the order of the coordinates; zeroed with opts->sink */
    tess_array particles;  /* f64 {1,1,n,TESS_EXTRACTED_COLUMNS}: the particle in each box */
    double     pixel_size; /* pixel size of the boxes, Å; 0: not known */
    int64_t    n_dropped;  /* number of particles whose boxes extend beyond their micrographs */
} tess_extract_particles_result;

/**
 * Extracts boxes around particles from micrographs, {n,1,h,w} of real numbers.
 *
 * `coordinates` is {1,1,n,k} of real numbers, k at least 3: the index of the micrograph, from 0, then x and y in its
 * pixels, from 0. Further columns are ignored, so the table of tess_pick can be used. Each micrograph is read only once
 * if its particles are consecutive. Pixel box / 2 of a box is at the rounded coordinates, or with opts->subpixel at the
 * exact coordinates, by Lanczos interpolation. Particles whose boxes extend beyond the micrograph are omitted.
 *
 * Boxes are first rescaled; then the ramp is subtracted, dust is removed, the background is normalised to mean 0 and
 * standard deviation 1, and finally the contrast is inverted. Without any of these steps, pixels keep their dtype.
 */
TESS_API TESS_MUST_CHECK tess_status tess_extract_particles(tess_extract_particles_result *result,
                                                            const tess_source             *micrographs,
                                                            const tess_array *coordinates, int64_t box,
                                                            const tess_extract_particles_opts *opts,
                                                            const tess_context                *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_extract_particles_result_release(tess_extract_particles_result *result);

/** Returns true if a box of this size, in pixels, around a particle is inside a micrograph of this shape. */
TESS_API bool tess_box_is_inside(double x, double y, int64_t box, tess_shape micrograph);

TESS_END_C

#endif
