/* Particle picking: locally normalised correlation of micrographs with templates or a blob. */
#ifndef TESSERA_JOBS_PICK_H
#define TESSERA_JOBS_PICK_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Blobs used for picking without templates. */
typedef enum tess_blob {
    TESS_BLOB_GAUSS = 1, /* a Gaussian with a standard deviation of a quarter of the diameter */
    TESS_BLOB_DOG        /* a difference of Gaussians for a disc: standard deviations of 0.28 and 0.447 diameters */
} tess_blob;

/** Lengths are in pixels of the micrographs. */
typedef struct tess_pick_opts {
    double diameter; /* diameter of a particle; with templates, of the circular mask [with templates, the largest
                        possible] */
    const tess_source *templates;           /* square images of bright particles [a blob] */
    double             template_pixel_size; /* pixel size of the templates, Å [that of the source] */
    double             step;                /* angular step of template rotations, radians [5 degrees] */
    int32_t            blob;                /* blob used without templates, a tess_blob [TESS_BLOB_GAUSS] */
    int32_t            bright;              /* 1: particles are brighter than their surroundings [0: darker] */
    double             bin;         /* binning factor used for the search [6 Å, and 16 or more pixels per particle] */
    double             threshold;   /* minimum score, standard deviations above the mean of the score map [3];
                                       TESS_ZERO */
    double             distance;    /* minimum distance between particles [0.8 diameters]; TESS_ZERO */
    double             edge;        /* minimum distance from the edges [half a diameter]; TESS_ZERO */
    int64_t            max;         /* maximum number of particles per micrograph, keeping the best [all] */
    double             pixel_size;  /* pixel size of the micrographs, Å [that of the source] */
    uint32_t           reserved[8]; /* must be 0 */
} tess_pick_opts;

/** Columns of a table of particles. */
enum {
    TESS_PICK_MICROGRAPH, /* index of the micrograph, from 0 */
    TESS_PICK_X,          /* pixels of the micrograph, from 0 */
    TESS_PICK_Y,
    TESS_PICK_SCORE,    /* standard deviations above the mean of the score map */
    TESS_PICK_TEMPLATE, /* index of the template, from 0 */
    TESS_PICK_ANGLE,    /* rotation of the template, from +x to +y, radians */
    TESS_PICK_COLUMNS
};

typedef struct tess_pick_result {
    tess_array particles; /* f64 {1,1,n,TESS_PICK_COLUMNS}: micrograph by micrograph, the best first */
    double     diameter;  /* diameter of a particle, pixels of the micrograph */
    int64_t    height;    /* size of the images searched, pixels */
    int64_t    width;
    int64_t    n_angles; /* number of rotations of each template */
} tess_pick_result;

/**
 * Finds particles in micrographs, {n,1,h,w} of real numbers.
 *
 * The score of a pixel is the correlation coefficient of the template, under a circular mask, and the part of the
 * micrograph that it covers (Roseman 2003), the maximum over all templates and rotations. It is computed on micrographs
 * downsampled by cropping in Fourier space. Maxima of the score map are taken in descending order, unless they are
 * closer than opts->distance to one already taken.
 */
TESS_API TESS_MUST_CHECK tess_status tess_pick(tess_pick_result *result, const tess_source *micrographs,
                                               const tess_pick_opts *opts, const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_pick_result_release(tess_pick_result *result);

TESS_END_C

#endif
