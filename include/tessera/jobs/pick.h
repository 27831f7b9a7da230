/* Particle picking: locally normalised correlation of micrographs with templates or a blob. */
#ifndef TESSERA_JOBS_PICK_H
#define TESSERA_JOBS_PICK_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Round blobs that are looked for where there are no templates. */
typedef enum tess_blob {
    TESS_BLOB_GAUSS = 1, /* a Gaussian whose standard deviation is a quarter of the diameter */
    TESS_BLOB_DOG        /* a difference of Gaussians for a disc: standard deviations of 0.28 and 0.447 diameters */
} tess_blob;

/** Lengths are in pixels of the micrographs. */
typedef struct tess_pick_opts {
    double diameter; /* of a particle; with templates, of the circle that counts [with templates, the largest] */
    const tess_source *templates;     /* square images of bright particles [a round blob] */
    double             template_apix; /* pixel size of the templates, Å [that of the source] */
    double             step;          /* angle by which templates are turned, radians [5 degrees] */
    int32_t            blob;          /* a tess_blob, without templates [TESS_BLOB_GAUSS] */
    int32_t            bright;        /* 1: particles are brighter than what is around them [0: darker] */
    double             bin;           /* pixels are enlarged by this factor for the search [6 Å, and 16 or more pixels
                                         per particle] */
    double             threshold;     /* least score, standard deviations of the map of scores above its mean [3];
                                         TESS_ZERO */
    double             distance;      /* least distance between particles [0.8 diameters]; TESS_ZERO */
    double             edge;          /* no particle is closer to an edge [half a diameter]; TESS_ZERO */
    int64_t            max;           /* particles per micrograph, the best ones [all] */
    double             pixel_size;    /* of the micrographs, Å [that of the source] */
    uint32_t           reserved[8];   /* must be 0 */
} tess_pick_opts;

/** Columns of a table of particles. */
enum {
    TESS_PICK_MICROGRAPH, /* number of the micrograph, from 0 */
    TESS_PICK_X,          /* pixels of the micrograph, from 0 */
    TESS_PICK_Y,
    TESS_PICK_SCORE,    /* standard deviations of the map of scores above its mean */
    TESS_PICK_TEMPLATE, /* number of the template, from 0 */
    TESS_PICK_ANGLE,    /* by which the template was turned, from +x to +y, radians */
    TESS_PICK_COLUMNS
};

typedef struct tess_pick_result {
    tess_array particles; /* f64 {1,1,n,TESS_PICK_COLUMNS}: micrograph by micrograph, the best first */
    double     diameter;  /* of a particle, pixels of the micrograph */
    int64_t    height;    /* pixels of the images that were searched */
    int64_t    width;
    int64_t    n_angles; /* orientations of each template */
} tess_pick_result;

/**
 * Finds particles in micrographs, {n,1,h,w} of real numbers.
 *
 * The score of a pixel is the correlation coefficient of the template, under a round mask, and of what it covers there
 * (Roseman 2003); of several templates and orientations, the best. It is computed on micrographs whose Fourier
 * transforms were cropped. From the best on, maxima of the map of scores are taken that are not closer than
 * opts->distance to one before them.
 */
TESS_API TESS_MUST_CHECK tess_status tess_pick(tess_pick_result *result, const tess_source *micrographs,
                                               const tess_pick_opts *opts, const tess_context *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_pick_result_release(tess_pick_result *result);

TESS_END_C

#endif
