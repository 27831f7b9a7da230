/* Masks from images and volumes: distances to the nearest element that is 0, dilation and erosion by a radius,
 * connected components, Otsu's threshold, and masks with a soft edge from a threshold.
 *
 * Elements are truth values: 0, or other than 0 (NaN is). Signals, images and volumes, as the shape says; each batch by
 * itself. Real numbers of any dtype and strides.
 */
#ifndef TESSERA_DISTANCE_H
#define TESSERA_DISTANCE_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_distance_transform_opts {
    double   step_d, step_h, step_w; /* distances of neighbours along each axis: the pixel size [1] */
    int32_t  outside;                /* 1: from elements that are 0 to the nearest that is not [0] */
    int32_t  squared;                /* 1: squares of the distances [0] */
    uint32_t reserved[4];            /* must be 0 */
} tess_distance_transform_opts;

/** Euclidean distance of each element to the nearest that is 0, of which it is 0 itself; infinite where there is none.
 *
 *  Exact: squares are computed in f64, without rounding where the steps are integers, and each result is rounded once;
 *  with other steps, squares are within a few units of the last place. `out` is f32 if it is zeroed, or f32 or f64. A
 *  GPU gives the same results, to the bit where the steps are integers. */
TESS_API TESS_MUST_CHECK tess_status tess_distance_transform(tess_array *out, const tess_array *in,
                                                             const tess_distance_transform_opts *opts);

/** All elements within `radius` pixels of one that is not 0, by the distance of their centres. `out` is bool if it is
 *  zeroed, or of any real dtype, and receives 0 and 1. */
TESS_API TESS_MUST_CHECK tess_status tess_dilate(tess_array *out, const tess_array *in, double radius);

/** Those of which no element within `radius` pixels is 0. What lies beyond the array counts for nothing. */
TESS_API TESS_MUST_CHECK tess_status tess_erode(tess_array *out, const tess_array *in, double radius);

typedef struct tess_label_opts {
    tess_array *counts;      /* receives {b,1,1,1}: the components of each batch, i64 if it is zeroed [NULL] */
    int32_t     full;        /* 1: neighbours across edges and corners are connected too [0: across faces] */
    uint32_t    reserved[5]; /* must be 0 */
} tess_label_opts;

/** Connected components of the elements that are not 0: each gets the number of its component, from 1 in the order of
 *  their first elements, and others 0. `out` is i32 if it is zeroed, or of any integer dtype. */
TESS_API TESS_MUST_CHECK tess_status tess_label(tess_array *out, const tess_array *in, const tess_label_opts *opts);

typedef struct tess_otsu_opts {
    int64_t  bins;        /* of the histogram, 2 to 65536 [256] */
    uint32_t reserved[6]; /* must be 0 */
} tess_otsu_opts;

/** Otsu's threshold (1979) of each batch, {b,1,1,1} of f64: the edge of `bins` equal bins, from the least element to
 *  the largest, for which the variance between those below and those from it on is largest; of several in a row that
 *  are equal their middle. Of equal elements it is their value. Elements must be finite (TESS_ERANGE). It waits for
 *  what it reads. A GPU gives the same bits. */
TESS_API TESS_MUST_CHECK tess_status tess_otsu(tess_array *out, const tess_array *in, const tess_otsu_opts *opts);

typedef struct tess_mask_create_opts {
    double   extend;       /* pixels that the mask grows by, voxels at this distance included; negative: shrinks [0] */
    double   width;        /* of the soft edge outside, pixels [0: hard] */
    int32_t  keep_largest; /* 1: of the elements above the threshold, the largest component alone, by faces [0] */
    int32_t  inverted;     /* 1: one minus the mask [0] */
    uint32_t reserved[4];  /* must be 0 */
} tess_mask_create_opts;

/** A mask of a map: 1 where `in` is at least `threshold`, and at most opts->extend pixels from it, then a raised cosine
 *  (1 + cos(pi d / width)) / 2 with d the distance from what is above the threshold less opts->extend, and 0. NaN is
 *  below any threshold. `out` is f32 if it is zeroed, or of any real dtype; integers are rounded. */
TESS_API TESS_MUST_CHECK tess_status tess_mask_create(tess_array *out, const tess_array *in, double threshold,
                                                      const tess_mask_create_opts *opts);

TESS_END_C

#endif
