/* Cropping, padding, binning, and extraction and insertion of sub-regions.
 *
 * Element i of a result is element i - before of the input; values outside are given by the border (tessera/border.h).
 * All dtypes, including compound ones unless a function says otherwise. An allocated `out` has the shape of the result
 * and the dtype of the input, any strides, and must not overlap the input. For an empty input, only the borders ZERO,
 * VALUE and NOTHING are allowed, unless the result is empty too.
 */
#ifndef TESSERA_RESIZE_H
#define TESSERA_RESIZE_H

#include "tessera/array.h"
#include "tessera/border.h"

TESS_BEGIN_C

typedef struct tess_resize_opts {
    int32_t  border;      /* a tess_border [ZERO]; NOTHING needs an allocated `out` */
    int32_t  unused;      /* must be 0 */
    double   value;       /* border VALUE: value outside; each real of a compound dtype [0] */
    double   value_imag;  /* border VALUE: its imaginary part, complex dtypes only [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_resize_opts;

/** Crops and pads to `shape` about the centre: the element at n / 2 remains at n / 2 along every axis, for odd and even
 *  sizes, so that enlarging and cropping back gives the same array. A 0 in `shape` keeps the size of the input. */
TESS_API TESS_MUST_CHECK tess_status tess_resize(tess_array *out, const tess_array *in, tess_shape shape,
                                                 const tess_resize_opts *opts);

/** Pads with `before` elements in front and `after` elements behind, along each axis; negative numbers crop. The result
 *  may be empty. A border may be longer than the input, which is then repeated. */
TESS_API TESS_MUST_CHECK tess_status tess_pad(tess_array *out, const tess_array *in, tess_shape before,
                                              tess_shape after, const tess_resize_opts *opts);

/** Crops `before` elements in front and `after` elements behind, along each axis; all are 0 or more. Makes a copy;
 *  tess_subregion gives the same as a view. */
TESS_API TESS_MUST_CHECK tess_status tess_crop(tess_array *out, const tess_array *in, tess_shape before,
                                               tess_shape after);

/* ---- Binning ---- */

typedef struct tess_bin_opts {
    int32_t  sum;         /* 1: compute the sum of each block, not its mean [0] */
    int32_t  partial;     /* 1: include incomplete blocks at the end [0: omit them] */
    uint32_t reserved[6]; /* must be 0 */
} tess_bin_opts;

/** Bins an array: computes the mean or sum of each block of `factors` elements, 1 or more along each axis. Numbers
 *  only. Dtypes are those of tess_mean and tess_sum, and an allocated `out` may have any to which they convert.
 *
 *  Sums of f16 and f32 are in f64, except that 2 x 2 blocks of f32 are added in f32 if they are finite and `out` is
 *  f32, within 2^-23 of the sum of their magnitudes. Sums of integers wrap; means of integers do not. Each row of a
 *  block is added from left to right (four neighbours in pairs, more than 2048 in runs of 2048), then these sums in b,
 *  d, h order, whatever the strides, shape, number of threads and instruction set. */
TESS_API TESS_MUST_CHECK tess_status tess_bin(tess_array *out, const tess_array *in, tess_shape factors,
                                              const tess_bin_opts *opts);

/* ---- Sub-regions ---- */

/** Extracts n sub-regions. `origins` is an integer array {n,1,1,k} with the position of the first element of each in
 *  `in`, as (h, w), (d, h, w) or (b, d, h, w) for k = 2, 3 or 4 (d is 0 for k = 2). Origins may lie outside; distances
 *  beyond 2^60 count as 2^60. With k below 4, sub-region i is taken from batch i of `in`, or from its only batch.
 *  `shape` is that of each sub-region, with b = 1. The result is {n,d,h,w}. Origins may be in any order; neighbouring
 *  ones are processed together. */
TESS_API TESS_MUST_CHECK tess_status tess_extract(tess_array *out, const tess_array *in, const tess_array *origins,
                                                  tess_shape shape, const tess_resize_opts *opts);

typedef struct tess_insert_opts {
    int32_t           add;         /* 1: add sub-regions to the contents of `out` [0: overwrite; where they overlap, the
                                      last one counts] */
    int32_t           unused;      /* must be 0 */
    const tess_array *weights;     /* with add: factors of the sub-regions, real; broadcast to them [none: 1] */
    tess_array       *weight_sums; /* with add: array to which the weights are added, real, with the shape of out
                                      [none] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_insert_opts;

/** Inserts sub-regions {n,d,h,w} into `out`, which must be allocated and have their dtype, at `origins`, as for
 *  tess_extract; parts outside are dropped. They are inserted in order, for any number of threads. Numbers are added as
 *  in tess_add, with weights as in tess_fma (for each part of complex numbers), and converted to the dtype of `out`
 *  each time. For overlapping sub-regions, adding them with weights and dividing by the sums of the weights (tess_div)
 *  gives their weighted mean. */
TESS_API TESS_MUST_CHECK tess_status tess_insert(tess_array *out, const tess_array *in, const tess_array *origins,
                                                 const tess_insert_opts *opts);

/** Computes the layout of an atlas of n images {h,w} side by side: its shape {1,1,H,W}, with ceil(sqrt(n)) columns, and
 *  the origins {n,1,1,2} (i64, on the CPU) of the images, row by row, for tess_insert and tess_extract. `origins` may
 *  be NULL. For images on a GPU, copy the origins there with tess_to_device. */
TESS_API TESS_MUST_CHECK tess_status tess_atlas_layout(tess_shape *atlas, tess_array *origins, int64_t n, int64_t h,
                                                       int64_t w);

TESS_END_C

#endif
