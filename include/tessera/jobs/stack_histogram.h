/* Histograms of the values of images and volumes. */
#ifndef TESSERA_JOBS_STACK_HISTOGRAM_H
#define TESSERA_JOBS_STACK_HISTOGRAM_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Columns of a histogram. */
enum {
    TESS_BIN_FROM, /* lower edge of the bin */
    TESS_BIN_TO,   /* upper edge, included in the last bin */
    TESS_BIN_COUNT,
    TESS_BIN_COLUMNS
};

typedef struct tess_stack_histogram_opts {
    double   low;         /* lower edge of the first bin [the smallest value, if both are 0] */
    double   high;        /* upper edge of the last bin, above low [the largest value, if both are 0] */
    uint32_t reserved[8]; /* must be 0 */
} tess_stack_histogram_opts;

typedef struct tess_stack_histogram_result {
    tess_array histogram; /* f64 {1,1,bins,TESS_BIN_COLUMNS} */
} tess_stack_histogram_result;

/**
 * Counts the values of images or volumes, {n,d,h,w} of real numbers, in 1 to 2^24 bins of equal widths.
 *
 * Values outside the range and NaNs are not counted. Finding a range that is not given takes an additional pass
 * (tess_stack_statistics); if all values are equal, it extends half a unit to both sides. Computed on the CPU, whatever
 * the device of the context.
 */
TESS_API TESS_MUST_CHECK tess_status tess_stack_histogram(tess_stack_histogram_result *result,
                                                          const tess_source *images, int64_t bins,
                                                          const tess_stack_histogram_opts *opts,
                                                          const tess_context              *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_stack_histogram_result_release(tess_stack_histogram_result *result);

TESS_END_C

#endif
