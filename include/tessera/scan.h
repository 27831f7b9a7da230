/* Cumulative sums, products, minima and maxima along one axis of an array.
 *
 * Result i is the sum (product, …) of elements 0 to i along the axis. `axis` is a number: 0 to 3, or -1 to -4 from the
 * end. `out` may be exactly `in`, or zeroed: then it is allocated with the shape of `in`. An allocated `out` has that
 * shape and any dtype that the result can be converted to, as in tess_cast; with f64 or c64, floats are also summed as
 * f64.
 *
 *     in                 cumsum, cumprod     cummin, cummax
 *     bool, i8 to i64    i64                 as in
 *     u8 to u64          u64                 as in
 *     f16                f32                 f16
 *     f32                f32                 f32
 *     f64                f64                 f64
 *     c16, c32           c32                 not defined
 *     c64                c64                 not defined
 *
 * Integers wrap. f16 and f32 are accumulated in f64 and rounded once for each result. Sums of f64 are compensated, so
 * that each is as accurate as if rounded once. An infinity persists; a NaN arises only from a NaN or from infinities of
 * both signs, and makes all later results NaN. Results depend only on the elements and their indices, not on strides,
 * the number of threads or the instruction set. An empty array is left alone.
 *
 * On a GPU, sums and products of floats are combined from those of parts of the axis, in an order fixed by shape,
 * strides and dtypes. Sums are as accurate as the CPU's, but the last bit may differ; a real product that has left the
 * range of f64 can return into it with later factors. All other results equal the CPU's.
 */
#ifndef TESSERA_SCAN_H
#define TESSERA_SCAN_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_scan_opts {
    int32_t  exclusive;   /* 1: exclude the element itself from its result; the first result is that of no elements
                             [0] */
    int32_t  reverse;     /* 1: accumulate from the end: result i is that of elements i to n-1 [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_scan_opts;

/** Computes the cumulative sum; 0 for no elements. */
TESS_API TESS_MUST_CHECK tess_status tess_cumsum(tess_array *out, const tess_array *in, int axis,
                                                 const tess_scan_opts *opts);

/** Computes the cumulative product, multiplied in order (on a GPU: see above); 1 for no elements. */
TESS_API TESS_MUST_CHECK tess_status tess_cumprod(tess_array *out, const tess_array *in, int axis,
                                                  const tess_scan_opts *opts);

/** Compute the cumulative minimum and maximum; -0 is below +0. For no elements they are the largest and the smallest
 *  value of the dtype, +inf and -inf for floats. */
TESS_API TESS_MUST_CHECK tess_status tess_cummin(tess_array *out, const tess_array *in, int axis,
                                                 const tess_scan_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_cummax(tess_array *out, const tess_array *in, int axis,
                                                 const tess_scan_opts *opts);

TESS_END_C

#endif
