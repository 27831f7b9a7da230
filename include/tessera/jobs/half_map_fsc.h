/* Resolution of half maps: Fourier shell correlation with masking, phase randomisation and directional cones. */
#ifndef TESSERA_JOBS_HALF_MAP_FSC_H
#define TESSERA_JOBS_HALF_MAP_FSC_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_half_map_fsc_opts {
    const tess_source *mask;             /* values from 0 to 1, of the size of a map [none] */
    double             randomize_at_fsc; /* randomise phases from where the unmasked FSC falls below this [0.8] */
    double             randomize_at;     /* resolution from which phases are randomised, Å [by randomize_at_fsc] */
    int64_t            cones;            /* number of evenly distributed directions with curves of their own [none] */
    double             cone_angle;       /* angle from the axis of a cone to its surface, radians [20 degrees] */
    double             pixel_size;       /* Å [that of half1] */
    int32_t            each;             /* 1: keep the curves of each pair of a stack, not only their mean [0] */
    int32_t            no_interpolate;   /* 1: report resolutions of the last shell above a threshold [0] */
    uint32_t           reserved[8];      /* must be 0 */
} tess_half_map_fsc_opts;

typedef struct tess_half_map_fsc_result {
    tess_array curves;          /* a table with a row for each shell: frequency, fsc, unmasked, masked, randomised,
                                   corrected; means over pairs; the last three are NaN without a mask */
    tess_array all;             /* f64 {pairs,kinds,1+cones,shells}: without opts->each, pairs is 1, the mean; kinds is
                                   1, unmasked, or with a mask 4, in the order of the columns; row 0 is for all
                                   directions; 0 if a shell has no coefficients in a cone */
    tess_array cones;           /* a table with a row for each cone: x, y, z of its axis, resolution */
    double     resolution_143;  /* resolution at which the FSC falls below 0.143, Å; infinite if it begins below */
    double     resolution_500;  /* resolution at which it falls below 0.5, Å */
    double     cones_best;      /* finest resolution of a cone at 0.143, Å; 0 without cones */
    double     cones_worst;     /* coarsest resolution of a cone at 0.143, Å; 0 without cones */
    double     randomized_from; /* resolution from which phases of the last pair are randomised, Å; 0: none */
    int64_t    n_pairs;         /* number of pairs of maps or images */
    int64_t    n_shells;        /* number of shells, from frequency 0 to Nyquist */
    int64_t    first_random;    /* first shell with random phases in the last pair; n_shells: none */
    int32_t    crosses_143;     /* 0: the FSC never falls below 0.143, and Nyquist is reported */
    int32_t    crosses_500;     /* the same for 0.5 */
} tess_half_map_fsc_result;

/**
 * Computes the Fourier shell correlation of two half maps {1,d,h,w}, or the ring correlation of the images of two
 * stacks {n,1,h,w}, of real numbers.
 *
 * A coefficient belongs to the shell round(|f| n), with f in cycles per pixel and n the smallest side. With a mask, the
 * correlation introduced by it is measured on maps with randomised phases and removed (see tess_fsc_corrected); the
 * seed is that of the context. The resolution is the first crossing of the corrected curve, or without a mask of the
 * unmasked one, interpolated between shells.
 */
TESS_API TESS_MUST_CHECK tess_status tess_half_map_fsc(tess_half_map_fsc_result *result, const tess_source *half1,
                                                       const tess_source *half2, const tess_half_map_fsc_opts *opts,
                                                       const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_half_map_fsc_result_release(tess_half_map_fsc_result *result);

TESS_END_C

#endif
