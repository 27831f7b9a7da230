/* Sorting and searching, and elements taken by their index or by a mask.
 *
 * The order of real numbers is that of <, NaNs last in both directions; zeros of both signs are equal. Equal elements
 * keep their order in both directions, so what is said of indices does not depend on anything but the elements. Complex
 * and compound elements have no order.
 *
 * `axis` is a number: 0 to 3, or -1 to -4 from the end. Indices are i64, counted along the
 * axis or, where there is none, in b, d, h, w order; an integer array that was made takes them if it can hold them.
 * Functions whose result has a length that depends on the elements wait for it, and `out` must be zeroed.
 */
#ifndef TESSERA_ORDER_H
#define TESSERA_ORDER_H

#include "tessera/array.h"

TESS_BEGIN_C

/* ---- Sorting ---- */

typedef struct tess_sort_opts {
    int32_t  descending;  /* 1: the largest first [0] */
    uint32_t reserved[7]; /* must be 0 */
} tess_sort_opts;

/** The elements of each line along an axis in order, bit for bit: zeros come as -0, +0, if descending as +0, -0; but a
 *  bool comes as 0 or 1, here and in all functions that order elements, whatever its byte. `out` may be exactly `in`,
 *  or of another dtype, to which elements are then converted. */
TESS_API TESS_MUST_CHECK tess_status tess_sort(tess_array *out, const tess_array *in, int axis,
                                               const tess_sort_opts *opts);

/** The indices that would sort each line: tess_take_along of them is tess_sort, but for the signs of zeros
 *  and the order of NaNs of different bits, which tess_sort puts in the order of their bits. */
TESS_API TESS_MUST_CHECK tess_status tess_argsort(tess_array *out, const tess_array *in, int axis,
                                                  const tess_sort_opts *opts);

/** Each line with element `kth` (negative: from the end) where tess_sort would put it, those before it not larger,
 *  those behind it not smaller; NaNs are larger than all others, and -0 is smaller than +0. Elements below it keep
 *  their order, and so do those above, NaNs among them. In linear time whatever they are. `out` as for tess_sort. */
TESS_API TESS_MUST_CHECK tess_status tess_partition(tess_array *out, const tess_array *in, int64_t kth, int axis);

typedef struct tess_topk_opts {
    int32_t  smallest;    /* 1: the smallest [0: the largest] */
    uint32_t reserved[7]; /* must be 0 */
} tess_topk_opts;

/** The k largest elements of each line, the largest first, and their indices, of equals the first; NaNs come last, so
 *  that they are taken only where there is nothing else. k is 0 to the length of a line. Either output may be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_topk(tess_array *values, tess_array *indices, const tess_array *in, int64_t k,
                                               int axis, const tess_topk_opts *opts);

/* ---- Searching ---- */

typedef struct tess_searchsorted_opts {
    int32_t  right;       /* 1: the last such index, behind equal elements; 0: the first [0] */
    uint32_t reserved[7]; /* must be 0 */
} tess_searchsorted_opts;

/** Where each value would go into a sorted row {..,n}, so that it stays sorted; the rows broadcast to those of `values`
 *  over B, D and H. Both are compared in their common dtype. Whether the rows are sorted is not checked. */
TESS_API TESS_MUST_CHECK tess_status tess_searchsorted(tess_array *out, const tess_array *sorted,
                                                       const tess_array *values, const tess_searchsorted_opts *opts);

/** The different elements of an array in order, {1,1,1,n}, NaNs as one, a zero as +0; and, where not NULL, how often
 *  each is there, the first index of each, and for each element of `in`, in its shape, which one it is. */
TESS_API TESS_MUST_CHECK tess_status tess_unique(tess_array *values, tess_array *counts, tess_array *indices,
                                                 tess_array *inverse, const tess_array *in);

/* ---- Elements by index and by mask ---- */

typedef struct tess_put_opts {
    int32_t  add;         /* 1: elements are added to what is there, in their order [0: the last one stands] */
    uint32_t reserved[7]; /* must be 0 */
} tess_put_opts;

/** Slices of `in` along an axis: slice i of the result is slice indices[i]. `indices` has one axis longer than 1, or
 *  one element; negative ones count from the end, and one that is not there is an error that names it. Any dtype. */
TESS_API TESS_MUST_CHECK tess_status tess_take(tess_array *out, const tess_array *in, const tess_array *indices,
                                               int axis);

/** Elements along an axis, each by its own index: out[.., i, ..] = in[.., indices[.., i, ..], ..]. The other axes of
 *  `in` and `indices` broadcast to each other. */
TESS_API TESS_MUST_CHECK tess_status tess_take_along(tess_array *out, const tess_array *in, const tess_array *indices,
                                                     int axis);

/** The inverse: slice indices[i] of `out`, which was made, becomes slice i of `in`, which broadcasts to them. In
 *  the order of indices, the same for any number of threads. */
TESS_API TESS_MUST_CHECK tess_status tess_put(tess_array *out, const tess_array *in, const tess_array *indices,
                                              int axis, const tess_put_opts *opts);

/** Elements of the whole of `in`, by their indices in b, d, h, w order whatever its strides, in the shape of `indices`:
 *  what tess_compress and tess_unique give, and others. Negative ones count from the end; one that is not there is an
 *  error that names it. Any dtype. */
TESS_API TESS_MUST_CHECK tess_status tess_take_flat(tess_array *out, const tess_array *in, const tess_array *indices);

/** The inverse: element indices[i] of the whole of `out`, which was made, becomes in[i]; `in` broadcasts to the
 *  shape of `indices`. In their b, d, h, w order, the same for any number of threads. */
TESS_API TESS_MUST_CHECK tess_status tess_put_flat(tess_array *out, const tess_array *in, const tess_array *indices,
                                                   const tess_put_opts *opts);

/** The elements whose mask (bool, or numbers that are not 0; broadcasts to `in`) is set, in b, d, h, w order,
 *  {1,1,1,n}; and, where not NULL, their indices. `values` may be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_compress(tess_array *values, tess_array *indices, const tess_array *in,
                                                   const tess_array *mask);

/** The inverse: the elements of `out`, which was made, whose mask is set become those of `values` in order;
 *  there must be as many, or one number of the caller's (tessera/scalar.h), which is for all of them. */
TESS_API TESS_MUST_CHECK tess_status tess_place(tess_array *out, const tess_array *values, const tess_array *mask);

TESS_END_C

#endif
