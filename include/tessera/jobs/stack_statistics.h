/* Statistics of the values of images and volumes. */
#ifndef TESSERA_JOBS_STACK_STATISTICS_H
#define TESSERA_JOBS_STACK_STATISTICS_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** What statistics are computed of. */
typedef enum tess_statistics_of {
    TESS_STATISTICS_DEFAULT, /* ALL */
    TESS_STATISTICS_OF_ALL,
    TESS_STATISTICS_OF_EACH_IMAGE, /* each section of volumes */
    TESS_STATISTICS_OF_EACH_VOLUME
} tess_statistics_of;

/** Columns of a table of statistics. If all values are NaN, or there are none, everything except counts is NaN. */
enum {
    TESS_STATISTICS_MIN,
    TESS_STATISTICS_MAX,
    TESS_STATISTICS_MEAN,
    TESS_STATISTICS_SD,        /* standard deviation: square root of the mean squared distance from the mean */
    TESS_STATISTICS_MIN_X,     /* position of the smallest value, the first of equal ones: from 0 along w, */
    TESS_STATISTICS_MIN_Y,     /* along h, */
    TESS_STATISTICS_MIN_IMAGE, /* and the index of the image, or section */
    TESS_STATISTICS_MAX_X,
    TESS_STATISTICS_MAX_Y,
    TESS_STATISTICS_MAX_IMAGE,
    TESS_STATISTICS_N,     /* number of values that are not NaN */
    TESS_STATISTICS_N_NAN, /* number of NaNs, which are otherwise ignored */
    TESS_STATISTICS_N_INF, /* number of infinite values */
    TESS_STATISTICS_COLUMNS
};

typedef struct tess_stack_statistics_opts {
    int32_t  of;          /* a tess_statistics_of [TESS_STATISTICS_OF_ALL] */
    uint32_t reserved[7]; /* must be 0 */
} tess_stack_statistics_opts;

typedef struct tess_stack_statistics_result {
    tess_array statistics; /* f64 {1,1,rows,TESS_STATISTICS_COLUMNS} */
} tess_stack_statistics_result;

/**
 * Computes statistics of images or volumes, {n,d,h,w} of any numbers, in one pass.
 *
 * Complex numbers count by their magnitudes. Images are reduced one by one on the CPU, whatever the device of the
 * context, and combined in order (the parallel algorithm of Chan, Golub and LeVeque).
 */
TESS_API TESS_MUST_CHECK tess_status tess_stack_statistics(tess_stack_statistics_result     *result,
                                                           const tess_source                *images,
                                                           const tess_stack_statistics_opts *opts,
                                                           const tess_context               *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_stack_statistics_result_release(tess_stack_statistics_result *result);

TESS_END_C

#endif
