/* Local resolution: the FSC of two half maps in a moving soft sphere. */
#ifndef TESSERA_JOBS_LOCAL_RESOLUTION_H
#define TESSERA_JOBS_LOCAL_RESOLUTION_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_local_resolution_opts {
    double             radius;    /* radius of the sphere, pixels [12, at most half a side] */
    double             soft;      /* width of its soft edge outside, pixels [6, at most half a side]; TESS_ZERO */
    int64_t            step;      /* distance between positions, pixels [4] */
    double             threshold; /* threshold of the FSC [0.143] */
    const tess_source *mask;      /* values from 0 to 1, of the size of a map; only positions inside are measured
                                     [none] */
    double   randomize_at_fsc;    /* randomise phases from where the FSC of the whole maps falls below this [0.8] */
    double   randomize_at;        /* resolution from which phases are randomised, Å [by randomize_at_fsc] */
    double   pixel_size;          /* Å [that of half1] */
    int32_t  no_correct;          /* 1: do not correct for the correlation introduced by the sphere [0] */
    uint32_t reserved[7];         /* must be 0 */
} tess_local_resolution_opts;

typedef struct tess_local_resolution_result {
    tess_array map;             /* f32 {1,d,h,w} on the CPU: the resolution at each voxel, Å; 0 outside the mask */
    double     median;          /* median of the map inside the mask, or of the whole map, Å */
    double     quantile_5;      /* 5 % quantile of these voxels, Å */
    double     quantile_95;     /* 95 % quantile of these voxels, Å */
    double     threshold;       /* threshold of the FSC used */
    double     randomized_from; /* resolution from which phases were randomised, Å; 0 with no_correct */
    int64_t    n_voxels;        /* number of voxels inside the mask, or of all */
    int64_t    n_positions;     /* number of positions measured */
    int64_t    box;             /* side of the box around the sphere, pixels */
} tess_local_resolution_result;

/**
 * Computes the local resolution of two half maps, {1,d,h,w} of real numbers.
 *
 * At positions opts->step pixels apart, both maps are multiplied by a sphere with a raised-cosine edge, and the FSC of
 * the products is computed. The resolution at a position is where the FSC falls below the threshold, interpolated
 * between shells; between positions the resolution is interpolated linearly. It lies between 2 pixels and the side of
 * the box. The correlation introduced by the sphere is measured on maps with random phases and removed, as in
 * tess_fsc_corrected, unless opts->no_correct is 1.
 */
TESS_API TESS_MUST_CHECK tess_status tess_local_resolution(tess_local_resolution_result *result,
                                                           const tess_source *half1, const tess_source *half2,
                                                           const tess_local_resolution_opts *opts,
                                                           const tess_context               *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_local_resolution_result_release(tess_local_resolution_result *result);

TESS_END_C

#endif
