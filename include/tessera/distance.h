/* Masks from images and volumes: distance transforms, dilation and erosion by a radius, connected components and their
 * properties, Otsu's threshold, and soft-edged masks from a threshold.
 *
 * Elements are binary: 0, or nonzero (including NaN). Arrays are signals, images or volumes, depending on the shape;
 * each batch is processed separately. Real numbers of any dtype and strides.
 */
#ifndef TESSERA_DISTANCE_H
#define TESSERA_DISTANCE_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_distance_transform_opts {
    double   step_d, step_h, step_w; /* distance of neighbours along each axis, such as the pixel size [1] */
    int32_t  outside;                /* 1: distances from zeros to the nearest nonzero element [0: from nonzero elements
                                        to the nearest zero] */
    int32_t  squared;                /* 1: return squared distances [0] */
    uint32_t reserved[4];            /* must be 0 */
} tess_distance_transform_opts;

/** Computes the Euclidean distance of each element to the nearest zero: 0 for zeros, infinite if there are none.
 *
 *  Exact: squares are computed in f64, without rounding where the steps are integers, and each result is rounded once;
 *  with other steps, squares are within a few units of the last place. A zeroed `out` becomes f32; an allocated one is
 *  f32 or f64. A GPU gives the same results, bit-identical if the steps are integers. */
TESS_API TESS_MUST_CHECK tess_status tess_distance_transform(tess_array *out, const tess_array *in,
                                                             const tess_distance_transform_opts *opts);

/** Dilates a mask: sets all elements within `radius` pixels of a nonzero element, measured between centres. A zeroed
 *  `out` becomes bool; an allocated one has any real dtype and receives 0 and 1. */
TESS_API TESS_MUST_CHECK tess_status tess_dilate(tess_array *out, const tess_array *in, double radius);

/** Erodes a mask: keeps the elements without a zero within `radius` pixels. Elements outside the array are ignored. */
TESS_API TESS_MUST_CHECK tess_status tess_erode(tess_array *out, const tess_array *in, double radius);

typedef struct tess_label_opts {
    tess_array *counts;      /* receives the number of components of each batch, {b,1,1,1}, i64 if zeroed [NULL] */
    int32_t     full;        /* 1: connect neighbours across edges and corners too [0: only across faces] */
    uint32_t    reserved[5]; /* must be 0 */
} tess_label_opts;

/** Labels the connected components of nonzero elements: each element receives the number of its component, from 1 in
 *  the order of their first elements; zeros receive 0. A zeroed `out` becomes i32; an allocated one has any integer
 *  dtype, and one that cannot hold a number is an error (TESS_ERANGE), for which the call waits. */
TESS_API TESS_MUST_CHECK tess_status tess_label(tess_array *out, const tess_array *in, const tess_label_opts *opts);

typedef struct tess_label_properties_opts {
    tess_array *bounds;          /* receives boxes of indices, {b,1,n,6} of i64: the first d, h and w, and those after
                                    the last [NULL] */
    tess_array *centres;         /* receives centres (d, h, w) in elements, {b,1,n,3} [NULL] */
    tess_array *covariances;     /* receives covariance matrices of coordinates, {b,1,n,9}: rows d, h, w [NULL] */
    tess_array *sums;            /* receives sums of the image, {b,1,1,n} [NULL] */
    tess_array *means;           /* receives means of the image, {b,1,1,n} [NULL] */
    tess_array *minima;          /* receives minima of the image, {b,1,1,n} [NULL] */
    tess_array *maxima;          /* receives maxima of the image, {b,1,1,n} [NULL] */
    tess_array *centres_of_mass; /* receives centres (d, h, w) weighted by the image, {b,1,n,3} [NULL] */
    int64_t     n;               /* number of labels, at least 0 [largest label of all batches] */
    uint32_t    reserved[6];     /* must be 0 */
} tess_label_properties_opts;

/** Measures the labels 1 to n of integers (or bool), such as those of tess_label, and an image within them. `out`
 *  receives their areas: numbers of elements, {b,1,1,n} of i64. Other integers than 1 to n are background. `image` has
 *  real numbers and the shape of `labels`; it may be NULL where no result of it is wanted. Arrays in opts that are not
 *  NULL receive results: f64 if zeroed, otherwise f16, f32 or f64 (i64 for bounds).
 *
 *  Positions always have three columns (d, h, w), also in images, where d is 0. Covariances are second central moments
 *  divided by the area: of a line of k elements, (k^2 - 1) / 12. A label without elements has area 0, bounds of 0 and a
 *  sum of 0, and NaN elsewhere. A NaN in the image makes its label's results of the image NaN.
 *
 *  Areas, bounds and sums of coordinates are exact. Sums of the image are made in f64, row by row in a fixed
 *  order: results do not depend on strides or threads, and sums of integers below 2^53 are exact. Covariances in
 *  arrays so large that sums of squares may exceed 64 bits are an error (TESS_ERANGE): the elements of a batch
 *  times the square of its longest axis must be at most 2^65: a signal may have 3.3 million elements. Computed
 *  on the CPU: arrays on a GPU are copied there, and results back. Synchronises with the device. */
TESS_API TESS_MUST_CHECK tess_status tess_label_properties(tess_array *out, const tess_array *labels,
                                                           const tess_array                 *image,
                                                           const tess_label_properties_opts *opts);

typedef struct tess_otsu_opts {
    int64_t  bins;        /* number of bins of the histogram, 2 to 65536 [256] */
    uint32_t reserved[6]; /* must be 0 */
} tess_otsu_opts;

/** Computes Otsu's threshold (1979) of each batch, {b,1,1,1} of f64: the bin edge, of `bins` equal bins from the
 *  minimum to the maximum, that maximises the variance between the elements below and those at or above it. If several
 *  consecutive edges are equally good, it is their middle. If all elements are equal, it is their value. Elements must
 *  be finite (TESS_ERANGE). Synchronises with the device. Results on a GPU are bit-identical. */
TESS_API TESS_MUST_CHECK tess_status tess_otsu(tess_array *out, const tess_array *in, const tess_otsu_opts *opts);

typedef struct tess_mask_create_opts {
    double   extend;       /* distance by which the mask grows, inclusive, in pixels; negative: shrinks [0] */
    double   width;        /* width of the soft edge outside, pixels [0: hard] */
    int32_t  keep_largest; /* 1: keep only the largest component above the threshold, connected by faces [0] */
    int32_t  inverted;     /* 1: return one minus the mask [0] */
    uint32_t reserved[4];  /* must be 0 */
} tess_mask_create_opts;

/** Creates a mask from a map. It is 1 where `in` is at least `threshold` and up to opts->extend pixels around. Outside
 *  follow a raised cosine (1 + cos(pi d / width)) / 2, with d the distance from the thresholded region minus
 *  opts->extend, and then 0. NaN is below any threshold. A zeroed `out` becomes f32; an allocated one has any real
 *  dtype, and integers are rounded. */
TESS_API TESS_MUST_CHECK tess_status tess_mask_create(tess_array *out, const tess_array *in, double threshold,
                                                      const tess_mask_create_opts *opts);

TESS_END_C

#endif
