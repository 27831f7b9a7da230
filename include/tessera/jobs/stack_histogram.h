/* Histograms of the values of images and volumes. */
#ifndef TESSERA_JOBS_STACK_HISTOGRAM_H
#define TESSERA_JOBS_STACK_HISTOGRAM_H

#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Columns of a histogram. */
enum {
    TESS_BIN_FROM, /* start of the bin */
    TESS_BIN_TO,   /* its end, which the last bin includes */
    TESS_BIN_COUNT,
    TESS_BIN_COLUMNS
};

typedef struct tess_stack_histogram_opts {
    double   low;         /* start of the first bin [the smallest value, if both are 0] */
    double   high;        /* end of the last bin, above low [the largest value, if both are 0] */
    uint32_t reserved[8]; /* must be 0 */
} tess_stack_histogram_opts;

typedef struct tess_stack_histogram_result {
    tess_array histogram; /* f64 {1,1,bins,TESS_BIN_COLUMNS} */
} tess_stack_histogram_result;

/**
 * Counts the values of images or volumes, {n,d,h,w} of real numbers, in 1 to 2^24 bins of equal widths.
 *
 * Values outside the range and NaNs are in no bin. A range that is not given takes a pass of its own
 * (tess_stack_statistics); one of a single number goes half a unit to both sides. Computes on the CPU, whatever the
 * device of the context.
 */
TESS_API TESS_MUST_CHECK tess_status tess_stack_histogram(tess_stack_histogram_result *result,
                                                          const tess_source *images, int64_t bins,
                                                          const tess_stack_histogram_opts *opts,
                                                          const tess_context              *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_stack_histogram_result_release(tess_stack_histogram_result *result);

TESS_END_C

#endif
