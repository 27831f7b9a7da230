/* Sorting, searching, and selecting elements by index or mask.
 *
 * Real numbers are ordered by <, with NaNs last in both directions; zeros of both signs are equal. Equal elements keep
 * their order in both directions, so indices depend only on the elements. Complex and compound elements have no order.
 *
 * `axis` is a number: 0 to 3, or -1 to -4 from the end. Indices are i64, counted along the axis or, without an axis, in
 * b, d, h, w order; an allocated array of another integer dtype receives them if they fit. Functions whose result size
 * depends on the data synchronise with the device, and their `out` must be zeroed.
 */
#ifndef TESSERA_ORDER_H
#define TESSERA_ORDER_H

#include "tessera/array.h"

TESS_BEGIN_C

/* ---- Sorting ---- */

typedef struct tess_sort_opts {
    int32_t  descending;  /* 1: largest first [0] */
    uint32_t reserved[7]; /* must be 0 */
} tess_sort_opts;

/** Sorts the elements along an axis. Bits are kept: zeros are sorted as -0, +0, or +0, -0 if descending. Only bool
 *  elements become 0 or 1, here and in all functions that order elements. `out` may be exactly `in`, or have another
 *  dtype, to which elements are then converted. */
TESS_API TESS_MUST_CHECK tess_status tess_sort(tess_array *out, const tess_array *in, int axis,
                                               const tess_sort_opts *opts);

/** Finds the indices that would sort along an axis: tess_take_along with them equals tess_sort, except for the order of
 *  zeros of different sign and of NaNs with different bits, which tess_sort orders by their bits. */
TESS_API TESS_MUST_CHECK tess_status tess_argsort(tess_array *out, const tess_array *in, int axis,
                                                  const tess_sort_opts *opts);

/** Partitions the elements along an axis: element `kth` (negative: from the end) is where tess_sort would put it, those
 *  before it are not larger, those after it are not smaller. NaNs are larger than all others, and -0 is smaller than
 *  +0. The elements below it keep their order, and so do those above, including NaNs. Time is linear for any data.
 *  `out` is as for tess_sort. */
TESS_API TESS_MUST_CHECK tess_status tess_partition(tess_array *out, const tess_array *in, int64_t kth, int axis);

typedef struct tess_topk_opts {
    int32_t  smallest;    /* 1: find the smallest [0: the largest] */
    uint32_t reserved[7]; /* must be 0 */
} tess_topk_opts;

/** Finds the k largest elements along an axis, largest first, and their indices; of equal elements the first are taken.
 *  NaNs come last, so they are taken only if nothing else is left. k is 0 to the size of the axis. Either output may be
 *  NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_topk(tess_array *values, tess_array *indices, const tess_array *in, int64_t k,
                                               int axis, const tess_topk_opts *opts);

/* ---- Searching ---- */

typedef struct tess_searchsorted_opts {
    int32_t  right;       /* 1: the last suitable index, after equal elements; 0: the first [0] */
    uint32_t reserved[7]; /* must be 0 */
} tess_searchsorted_opts;

/** Finds the index at which each value would be inserted into a sorted row {..,n} to keep it sorted. The rows broadcast
 *  to those of `values` over B, D and H. Both are compared in their common dtype. Rows are not checked to be sorted. */
TESS_API TESS_MUST_CHECK tess_status tess_searchsorted(tess_array *out, const tess_array *sorted,
                                                       const tess_array *values, const tess_searchsorted_opts *opts);

/** Finds the distinct elements of an array in ascending order, {1,1,1,n}; all NaNs count as one, and a zero is +0. The
 *  other outputs may be NULL: `counts` receives the number of occurrences, `indices` the first index of each, and
 *  `inverse`, in the shape of `in`, the index of each element in `values`. */
TESS_API TESS_MUST_CHECK tess_status tess_unique(tess_array *values, tess_array *counts, tess_array *indices,
                                                 tess_array *inverse, const tess_array *in);

/* ---- Elements by index and by mask ---- */

typedef struct tess_put_opts {
    int32_t  add;         /* 1: add the elements to those of `out`, in order [0: overwrite; of duplicate indices the
                             last one counts] */
    uint32_t reserved[7]; /* must be 0 */
} tess_put_opts;

/** Takes slices of `in` along an axis: slice i of the result is slice indices[i]. `indices` has at most one axis longer
 *  than 1. Negative indices count from the end; an index out of range is an error that names it. Any dtype. */
TESS_API TESS_MUST_CHECK tess_status tess_take(tess_array *out, const tess_array *in, const tess_array *indices,
                                               int axis);

/** Takes elements along an axis, each by its own index: out[.., i, ..] = in[.., indices[.., i, ..], ..]. The other axes
 *  of `in` and `indices` broadcast to each other. */
TESS_API TESS_MUST_CHECK tess_status tess_take_along(tess_array *out, const tess_array *in, const tess_array *indices,
                                                     int axis);

/** Puts slices along an axis, the inverse of tess_take: slice indices[i] of `out`, which must be allocated, becomes
 *  slice i of `in`, which broadcasts to them. Done in the order of the indices, for any number of threads. */
TESS_API TESS_MUST_CHECK tess_status tess_put(tess_array *out, const tess_array *in, const tess_array *indices,
                                              int axis, const tess_put_opts *opts);

/** Takes elements of `in` by their flat indices in b, d, h, w order, whatever its strides; tess_compress and
 *  tess_unique return such indices. The result has the shape of `indices`. Negative indices count from the end; an
 *  index out of range is an error that names it. Any dtype. */
TESS_API TESS_MUST_CHECK tess_status tess_take_flat(tess_array *out, const tess_array *in, const tess_array *indices);

/** Puts elements by their flat indices, the inverse of tess_take_flat: element indices[i] of `out`, which must be
 *  allocated, becomes in[i]; `in` broadcasts to the shape of `indices`. Done in the b, d, h, w order of the indices,
 *  for any number of threads. */
TESS_API TESS_MUST_CHECK tess_status tess_put_flat(tess_array *out, const tess_array *in, const tess_array *indices,
                                                   const tess_put_opts *opts);

/** Selects the elements where the mask is set, in b, d, h, w order, {1,1,1,n}, and their flat indices. The mask is
 *  bool, or numbers of which nonzero ones count as set; it broadcasts to `in`. Either output may be NULL. */
TESS_API TESS_MUST_CHECK tess_status tess_compress(tess_array *values, tess_array *indices, const tess_array *in,
                                                   const tess_array *mask);

/** Replaces the elements where the mask is set, the inverse of tess_compress: those of `out`, which must be allocated,
 *  become the elements of `values` in order. `values` must have as many elements as the mask selects, or be a single
 *  number (tessera/scalar.h), which is used for all. */
TESS_API TESS_MUST_CHECK tess_status tess_place(tess_array *out, const tess_array *values, const tess_array *mask);

TESS_END_C

#endif
