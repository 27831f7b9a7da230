/* Resolution of half maps: Fourier shell correlation with a mask, phase randomisation and cones. */
#ifndef TESSERA_JOBS_HALF_MAP_FSC_H
#define TESSERA_JOBS_HALF_MAP_FSC_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_half_map_fsc_opts {
    const tess_source *mask;             /* values from 0 to 1, of the size of a map [none] */
    double             randomize_at_fsc; /* phases are random from where the unmasked FSC is below this [0.8] */
    double             randomize_at;     /* or from this resolution on, Å [by randomize_at_fsc] */
    int64_t            cones;            /* directions that curves are measured for too, evenly spread [none] */
    double             cone_angle;       /* from the axis of a cone to its surface, radians [20 degrees] */
    double             pixel_size;       /* Å [that of half1] */
    int32_t            each;             /* 1: keep the curves of each pair of a stack, not their mean alone [0] */
    int32_t            no_interpolate;   /* 1: resolutions are those of the last shell above a threshold [0] */
    uint32_t           reserved[8];      /* must be 0 */
} tess_half_map_fsc_opts;

typedef struct tess_half_map_fsc_result {
    tess_array curves;          /* a table, a row for each shell: frequency, fsc, unmasked, masked, randomised,
                                   corrected; means over pairs; the last three are NaN without a mask */
    tess_array all;             /* f64 {pairs,kinds,1+cones,shells}: pairs is 1, the mean, without opts->each; kinds
                                   is 1, unmasked, or with a mask 4, in the order of the columns; row 0 is that of all
                                   directions. 0 where a shell has no coefficient in a cone */
    tess_array cones;           /* a table, a row for each cone: x, y, z of its axis, resolution */
    double     resolution_143;  /* where the FSC falls below 0.143, Å; infinite where it begins below */
    double     resolution_500;  /* where it falls below 0.5, Å */
    double     cones_best;      /* finest resolution of a cone at 0.143, Å; 0 without cones */
    double     cones_worst;     /* coarsest resolution of a cone at 0.143, Å; 0 without cones */
    double     randomized_from; /* phases of the last pair are random from here on, Å; 0: none are */
    int64_t    n_pairs;         /* pairs of maps or images */
    int64_t    n_shells;        /* from frequency 0 to Nyquist */
    int64_t    first_random;    /* shell from which on phases of the last pair are random; n_shells: none are */
    int32_t    crosses_143;     /* 0: the FSC never falls below 0.143, and Nyquist is reported */
    int32_t    crosses_500;     /* the same of 0.5 */
} tess_half_map_fsc_result;

/**
 * The Fourier shell correlation of two half maps {1,d,h,w}, or the ring correlation of the images of two stacks
 * {n,1,h,w}, of real numbers.
 *
 * A coefficient is in the shell round(|f| n), with f in cycles per pixel and n the smallest side. With a mask, what it
 * correlates by itself is measured on maps whose phases are random, and removed (see tess_fsc_corrected); the seed is
 * that of the context. The resolution is the first crossing of the corrected curve, or without a mask of the unmasked
 * one, interpolated between shells.
 */
TESS_API TESS_MUST_CHECK tess_status tess_half_map_fsc(tess_half_map_fsc_result *result, const tess_source *half1,
                                                       const tess_source *half2, const tess_half_map_fsc_opts *opts,
                                                       const tess_context *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_half_map_fsc_result_release(tess_half_map_fsc_result *result);

TESS_END_C

#endif
