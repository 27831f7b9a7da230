/* Local resolution: the FSC in a soft sphere that is moved over two half maps. */
#ifndef TESSERA_JOBS_LOCAL_RESOLUTION_H
#define TESSERA_JOBS_LOCAL_RESOLUTION_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_local_resolution_opts {
    double             radius;    /* of the sphere, pixels [12, at most half a side] */
    double             soft;      /* width of its edge, outside it, pixels [6, at most half a side]; TESS_ZERO */
    int64_t            step;      /* pixels from one position to the next [4] */
    double             threshold; /* of the FSC [0.143] */
    const tess_source *mask;      /* values from 0 to 1, of the size of a map; measured is what is inside [none] */
    double   randomize_at_fsc;    /* phases are random from where the FSC of the whole maps is below this [0.8] */
    double   randomize_at;        /* or from this resolution on, Å [by randomize_at_fsc] */
    double   pixel_size;          /* Å [that of half1] */
    int32_t  no_correct;          /* 1: leave in what the sphere correlates by itself [0] */
    uint32_t reserved[7];         /* must be 0 */
} tess_local_resolution_opts;

typedef struct tess_local_resolution_result {
    tess_array map;             /* f32 {1,d,h,w} on the CPU: the resolution at each voxel, Å; 0 outside the mask */
    double     median;          /* of the map inside the mask, or of all of it, Å */
    double     quantile_5;      /* 5 % of these voxels are below, Å */
    double     quantile_95;     /* 95 % of these voxels are below, Å */
    double     threshold;       /* of the FSC, as it was used */
    double     randomized_from; /* phases are random from here on, Å; 0 with no_correct */
    int64_t    n_voxels;        /* inside the mask, or all */
    int64_t    n_positions;     /* where the FSC was measured */
    int64_t    box;             /* side of the box around the sphere, pixels */
} tess_local_resolution_result;

/**
 * The local resolution of two half maps, {1,d,h,w} of real numbers.
 *
 * At positions opts->step pixels apart, both maps are multiplied by a sphere with a raised-cosine edge, and the FSC of
 * the product is measured; the resolution at a position is where it falls below the threshold, interpolated between
 * shells, and between positions it is linear. It lies between 2 pixels and the side of the box. What the sphere
 * correlates by itself is measured on maps with random phases and removed, as for tess_fsc_corrected, unless
 * opts->no_correct is 1.
 */
TESS_API TESS_MUST_CHECK tess_status tess_local_resolution(tess_local_resolution_result *result,
                                                           const tess_source *half1, const tess_source *half2,
                                                           const tess_local_resolution_opts *opts,
                                                           const tess_context               *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_local_resolution_result_release(tess_local_resolution_result *result);

TESS_END_C

#endif
