/* Particle extraction: boxes around coordinates, cut out of micrographs, rescaled and normalised. */
#ifndef TESSERA_JOBS_EXTRACT_PARTICLES_H
#define TESSERA_JOBS_EXTRACT_PARTICLES_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_extract_particles_opts {
    int64_t rescale;       /* bring boxes to this many pixels by cropping their Fourier transforms [not] */
    double  bg_radius;     /* mean 0 and standard deviation 1 of the pixels further from the middle than this, pixels
                               of the rescaled box [not] */
    double  white_dust;    /* pixels more than this many deviations above that mean become the mean [not] */
    double  black_dust;    /* the same for pixels below it [not] */
    double  pixel_size;    /* of the micrographs, Å [that of the source] */
    const tess_sink *sink; /* where the boxes go [the array of the result] */
    int32_t          subpixel;    /* 1: interpolate, so that fractions of coordinates count [0: round them] */
    int32_t          ramp;        /* 1: first subtract the plane that fits the background best [0] */
    int32_t          invert;      /* 1: change the sign at the end: dark particles become bright [0] */
    int32_t          dtype;       /* a tess_dtype, of the boxes [that of the micrographs; f32 or f64 where pixels are
                                    computed] */
    uint32_t         reserved[8]; /* must be 0 */
} tess_extract_particles_opts;

/** Columns of a table of extracted particles. */
enum { TESS_EXTRACTED_ROW /* row of the coordinates, from 0 */, TESS_EXTRACTED_COLUMNS };

typedef struct tess_extract_particles_result {
    tess_array boxes;      /* {n,1,box,box} on the CPU, in the order of the coordinates; zeroed with opts->sink */
    tess_array particles;  /* f64 {1,1,n,TESS_EXTRACTED_COLUMNS}: which particle each box has */
    double     pixel_size; /* of the boxes, Å; 0: not known */
    int64_t    n_dropped;  /* particles whose boxes reach beyond the edges of their micrographs */
} tess_extract_particles_result;

/**
 * Cuts boxes around particles out of micrographs, {n,1,h,w} of real numbers.
 *
 * `coordinates` is {1,1,n,k} of real numbers, k at least 3: the number of the micrograph, from 0, then x and y in its
 * pixels, from 0; further columns do not count, so that the table of tess_pick will do. Each micrograph is read once
 * where its particles follow each other. Pixel box / 2 of a box lies on the coordinates, rounded; with opts->subpixel
 * on the coordinates themselves, by Lanczos interpolation. Particles whose boxes reach beyond the micrograph are left
 * out. Boxes are rescaled first, then the ramp goes, then dust, then the background is brought to mean 0 and deviation
 * 1, and the sign changes last. Without any of these pixels keep their dtype.
 */
TESS_API TESS_MUST_CHECK tess_status tess_extract_particles(tess_extract_particles_result *result,
                                                            const tess_source             *micrographs,
                                                            const tess_array *coordinates, int64_t box,
                                                            const tess_extract_particles_opts *opts,
                                                            const tess_context                *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_extract_particles_result_release(tess_extract_particles_result *result);

/** Does a box of this many pixels around a particle lie inside a micrograph of this shape? */
TESS_API bool tess_box_is_inside(double x, double y, int64_t box, tess_shape micrograph);

TESS_END_C

#endif
