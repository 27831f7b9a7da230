/* Running sums, products and extremes along one axis of an array.
 *
 * Result i of a line is that of its elements 0 to i. `axis` is a number: 0 to 3, or -1 to -4 from the end. `out` may be
 * exactly `in`, or zeroed: then it is made with the shape of `in`. An `out` that was made has that shape and any dtype
 * that the result can be converted to, as in tess_cast; into f64 and c64, floats are also summed as f64.
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
 * Integers wrap. Numbers of f16 and f32 are accumulated in f64 and rounded once for each result; sums of f64 carry
 * their rounding errors along, so that each is as good as rounded once. An infinity stays, and NaN comes only from a
 * NaN or from infinities of both signs; from there on all are NaN. Results depend on the elements and their indices
 * alone: not on strides, on the number of threads or on the instruction set. Of an empty array there is nothing to do.
 *
 * On a GPU, sums and products of floats are made of those of pieces of a line, in an order that shape, strides and
 * dtypes fix: sums are as good, but need not be the CPU's to the last bit, and a real product that has left the range
 * of f64 comes back where later factors bring it. All other results are the CPU's.
 */
#ifndef TESSERA_SCAN_H
#define TESSERA_SCAN_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_scan_opts {
    int32_t  exclusive;   /* 1: each result leaves its own element out; the first is that of nothing [0] */
    int32_t  reverse;     /* 1: from the end: result i is that of elements i to n-1 [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_scan_opts;

/** Running sum. Of nothing: 0. */
TESS_API TESS_MUST_CHECK tess_status tess_cumsum(tess_array *out, const tess_array *in, int axis,
                                                 const tess_scan_opts *opts);

/** Running product, multiplied in order (on a GPU: see above). Of nothing: 1. */
TESS_API TESS_MUST_CHECK tess_status tess_cumprod(tess_array *out, const tess_array *in, int axis,
                                                  const tess_scan_opts *opts);

/** Running minimum and maximum; -0 is below +0. Of nothing: the largest, and the smallest, of the dtype, +inf and -inf
 *  of floats. */
TESS_API TESS_MUST_CHECK tess_status tess_cummin(tess_array *out, const tess_array *in, int axis,
                                                 const tess_scan_opts *opts);
TESS_API TESS_MUST_CHECK tess_status tess_cummax(tess_array *out, const tess_array *in, int axis,
                                                 const tess_scan_opts *opts);

TESS_END_C

#endif
