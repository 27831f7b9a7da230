/* Arrays cut out, made larger, binned, and put together again.
 *
 * Element i of a result is element i - before of the input; where that lies outside, the border decides
 * (tessera/border.h). All dtypes, compound ones too unless a function says otherwise. An `out` that was made has the
 * shape of the result and the dtype of the input, any strides, and does not overlap the input. An input without
 * elements has none for a border to take: then ZERO, VALUE and NOTHING are allowed, or a result that is empty too.
 */
#ifndef TESSERA_RESIZE_H
#define TESSERA_RESIZE_H

#include "tessera/array.h"
#include "tessera/border.h"

TESS_BEGIN_C

typedef struct tess_resize_opts {
    int32_t  border;      /* a tess_border [ZERO]; NOTHING needs an `out` that was made */
    int32_t  unused;      /* must be 0 */
    double   value;       /* VALUE: what is outside; each real of a compound dtype [0] */
    double   value_imag;  /* VALUE: its imaginary part, complex dtypes only [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_resize_opts;

/** Crop and pad to `shape` about the centre: what is at n / 2 stays at n / 2 along every axis, for odd and even sizes,
 *  so that resizing there and back gives the same array. 0 in `shape` keeps the size of the input. */
TESS_API TESS_MUST_CHECK tess_status tess_resize(tess_array *out, const tess_array *in, tess_shape shape,
                                                 const tess_resize_opts *opts);

/** Add `before` elements in front and `after` behind, along each axis; negative numbers take them away. Nothing may be
 *  left, but not less. A border may be longer than the input, which is then seen several times. */
TESS_API TESS_MUST_CHECK tess_status tess_pad(tess_array *out, const tess_array *in, tess_shape before,
                                              tess_shape after, const tess_resize_opts *opts);

/** Take `before` elements away in front and `after` behind, along each axis; all are 0 or more. A copy: tess_subregion
 *  gives the same as a view. */
TESS_API TESS_MUST_CHECK tess_status tess_crop(tess_array *out, const tess_array *in, tess_shape before,
                                               tess_shape after);

/* ---- Binning ---- */

typedef struct tess_bin_opts {
    int32_t  sum;         /* 1: the sum of each block, not its mean [0] */
    int32_t  partial;     /* 1: incomplete blocks at the end count, with what they have; 0: they are left out [0] */
    uint32_t reserved[6]; /* must be 0 */
} tess_bin_opts;

/** The mean or sum of each block of `factors` elements, 1 or more along each axis. Numbers only. The dtypes are those
 *  of tess_mean and tess_sum, and an `out` that was made may be of any that they convert to. Sums of f16 and f32 are
 *  made in f64, but those of two rows of two f32 numbers in f32, if they are finite and `out` is f32: within 2^-23 of
 *  the sum of their magnitudes. Those of integers wrap; means of integers do not. Each row of a block is added up from
 *  left to right (four neighbours by pairs, more than 2048 in runs of that many), and these sums in b, d, h order:
 *  whatever the strides, the shape, the number of threads and the instruction set. */
TESS_API TESS_MUST_CHECK tess_status tess_bin(tess_array *out, const tess_array *in, tess_shape factors,
                                              const tess_bin_opts *opts);

/* ---- Sub-regions ---- */

/** Cut n sub-regions out. `origins` is an integer array {n,1,1,k}: where the first element of each lies in `in`, as (h,
 *  w), (d, h, w) or (b, d, h, w) for k = 2, 3 or 4 (d is 0 for k = 2); it may lie outside, and one farther than 2^60
 *  away counts as that far away. With k below 4, sub-region i comes out of batch i of `in`, or out of its only one.
 *  `shape` is that of each sub-region; its b is 1. The result is {n,d,h,w}. Origins may be listed in any order: those
 *  that lie near each other are cut out together. */
TESS_API TESS_MUST_CHECK tess_status tess_extract(tess_array *out, const tess_array *in, const tess_array *origins,
                                                  tess_shape shape, const tess_resize_opts *opts);

typedef struct tess_insert_opts {
    int32_t           add;         /* 1: sub-regions are added to what is there; 0: the last one stands [0] */
    int32_t           unused;      /* must be 0 */
    const tess_array *weights;     /* with add: real, what each is multiplied by; broadcasts to them [none: 1] */
    tess_array       *weight_sums; /* with add: real, has the shape of out; the weights are added to it [none] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_insert_opts;

/** Put sub-regions {n,d,h,w} of the dtype of `out` into it, which was made, at `origins`, as for tess_extract; what
 *  falls outside is left out. In the order of their numbers, whatever the number of threads. Numbers are added as by
 *  tess_add, with weights as by tess_fma (for complex ones, of each part), and converted to the dtype of `out` each
 *  time. Where sub-regions overlap, adding them with weights and dividing by the sums of the weights (tess_div) gives
 *  their weighted mean. */
TESS_API TESS_MUST_CHECK tess_status tess_insert(tess_array *out, const tess_array *in, const tess_array *origins,
                                                 const tess_insert_opts *opts);

/** The layout that puts n images {h,w} side by side into one: the shape {1,1,H,W} of that, with as many columns as the
 *  root of n rounded up, and the origins {n,1,1,2} (i64, on the CPU) of the images, row by row, for tess_insert and
 *  tess_extract. `origins` may be NULL. For images on a GPU, bring them there with tess_to_device. */
TESS_API TESS_MUST_CHECK tess_status tess_atlas_layout(tess_shape *atlas, tess_array *origins, int64_t n, int64_t h,
                                                       int64_t w);

TESS_END_C

#endif
