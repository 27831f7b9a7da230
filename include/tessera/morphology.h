/* Morphology of grey-value arrays and masks: erosion, dilation, opening, closing, top hats, gradient, filled holes,
 * reconstruction and watershed.
 *
 * Erosion takes the minimum, and dilation the maximum, of a neighbourhood of each element: a box, or any set of
 * elements given by a footprint. Results are elements of the input, so that a mask of bools stays one; for masks that
 * grow or shrink by a radius see tess_dilate in tessera/distance.h. All real dtypes; NaNs count as larger than all
 * other numbers, and -0 as less than +0. Each batch is processed separately. Of functions with tess_grey_opts, `out`
 * has the shape and dtype of `in` and any strides, and must not overlap `in`; the time for a box hardly depends on its
 * size on the CPU. Results are bit-identical on every device.
 */
#ifndef TESSERA_MORPHOLOGY_H
#define TESSERA_MORPHOLOGY_H

#include "tessera/array.h"
#include "tessera/border.h"

TESS_BEGIN_C

typedef struct tess_grey_opts {
    int32_t           border;    /* a tess_border other than NOTHING [MIRROR] */
    int32_t           unused;    /* must be 0 */
    double            value;     /* border VALUE: value outside, in the dtype of `in` [0] */
    tess_shape        window;    /* odd sizes of the box [3 along w, and along h and d where they are longer than 1] */
    const tess_array *footprint; /* neighbourhood instead of the box: nonzero elements of an array {1,d,h,w} of odd
                                    sizes, on the CPU or on the device of `in` [NULL] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_grey_opts;

/** Erodes: computes the minimum of the neighbourhood of each element, in[i + k] for the elements k of the footprint
 *  counted from its centre. With a footprint on a GPU, this function and the following ones synchronise with the
 *  device. */
TESS_API TESS_MUST_CHECK tess_status tess_grey_erode(tess_array *out, const tess_array *in, const tess_grey_opts *opts);

/** Dilates: computes the maximum of in[i - k], that is, of the reflected neighbourhood. */
TESS_API TESS_MUST_CHECK tess_status tess_grey_dilate(tess_array *out, const tess_array *in,
                                                      const tess_grey_opts *opts);

/** Opens: erodes, then dilates. This removes bright details into which the neighbourhood does not fit. */
TESS_API TESS_MUST_CHECK tess_status tess_grey_open(tess_array *out, const tess_array *in, const tess_grey_opts *opts);

/** Closes: dilates, then erodes. This fills dark details into which the neighbourhood does not fit. */
TESS_API TESS_MUST_CHECK tess_status tess_grey_close(tess_array *out, const tess_array *in, const tess_grey_opts *opts);

/** Computes the white top hat, in - open(in): the bright details alone. Integers wrap; of bools, it is where they
 *  differ, here and in the next two. */
TESS_API TESS_MUST_CHECK tess_status tess_white_tophat(tess_array *out, const tess_array *in,
                                                       const tess_grey_opts *opts);

/** Computes the black top hat, close(in) - in: the dark details alone. */
TESS_API TESS_MUST_CHECK tess_status tess_black_tophat(tess_array *out, const tess_array *in,
                                                       const tess_grey_opts *opts);

/** Computes the morphological gradient, dilate(in) - erode(in). */
TESS_API TESS_MUST_CHECK tess_status tess_morphological_gradient(tess_array *out, const tess_array *in,
                                                                 const tess_grey_opts *opts);

typedef struct tess_fill_holes_opts {
    int32_t  full;        /* 1: holes are connected across edges and corners too [0: only across faces] */
    uint32_t reserved[7]; /* must be 0 */
} tess_fill_holes_opts;

/** Fills the holes of a mask: sets zeros that are not connected with the outside of the array. Elements are 0, or
 *  nonzero (including NaN). Arrays are signals, images or volumes, depending on the shape. A zeroed `out` becomes bool;
 *  an allocated one has any real dtype, receives 0 and 1, and may be `in`. */
TESS_API TESS_MUST_CHECK tess_status tess_fill_holes(tess_array *out, const tess_array *in,
                                                     const tess_fill_holes_opts *opts);

typedef struct tess_morph_reconstruct_opts {
    int32_t  by_erosion;  /* 1: reconstruct by erosion [0: by dilation] */
    int32_t  full;        /* 1: neighbours across edges and corners too [0: only across faces] */
    uint32_t reserved[6]; /* must be 0 */
} tess_morph_reconstruct_opts;

/** Reconstructs `mask` from `marker`: dilates the marker by one element and takes the minimum with the mask, until
 *  nothing changes. Elements of the marker that are above the mask count as equal to it. By erosion: erodes, takes the
 *  maximum, and elements below the mask count as equal to it. Both arrays have one dtype, shape and device; `out` may
 *  be `marker`. Computed on the CPU: arrays on a GPU are copied there and back, and the call synchronises with the
 *  device. */
TESS_API TESS_MUST_CHECK tess_status tess_morph_reconstruct(tess_array *out, const tess_array *marker,
                                                            const tess_array                  *mask,
                                                            const tess_morph_reconstruct_opts *opts);

typedef struct tess_watershed_opts {
    const tess_array *mask;        /* nonzero where the image is flooded, an array of its shape [NULL: everywhere] */
    int32_t           line;        /* 1: keep lines of 0 between labels [0] */
    int32_t           full;        /* 1: neighbours across edges and corners too [0: only across faces] */
    uint32_t          reserved[4]; /* must be 0 */
} tess_watershed_opts;

/** Segments images or volumes by a watershed: floods `image` from the nonzero elements of `markers`, and gives each
 *  element the label of the flood that reaches it first (Meyer 1991). Elements that no flood reaches, and those
 *  outside opts->mask, receive 0. With `markers` NULL, floods begin at the regional minima within the mask: connected
 *  elements of one value without a lower neighbour, labelled from 1 in the order of their first elements.
 *
 *  The order is fixed. Markers join a queue at their own value, in the order of their indices. When an element is
 *  flooded, its neighbours join it, at their value or at the level of the flood, whichever is higher: those across
 *  faces first, then across edges, then corners, and otherwise in the order of indices. Elements leave the queue by
 *  level, and those of one level in the order in which they joined, so that plateaus are divided between the floods
 *  around them. This is the order of skimage.segmentation.watershed, except that markers of one value leave its heap
 *  in an order of their own, which affects few elements of plateaus, and that its older versions have no lower bound
 *  of levels.
 *
 *  With opts->line, an element that is no marker stays 0 if a neighbour has another label than its own when its turn
 *  comes; floods pass through such elements. NaNs are flooded last, and -0 equals +0. The image has any real dtype,
 *  and markers are integers of any sign, or bool. A zeroed `out` has the dtype of the markers, or i32 where they are
 *  bool or NULL; an allocated one has any integer dtype and may be `markers`; one that cannot hold a label is an error
 *  (TESS_ERANGE). Arrays are signals, images or volumes, depending on the shape; batches are processed separately, and
 *  in parallel.
 *
 *  Computed on the CPU: arrays on a GPU are copied there and back, and the call synchronises with the device. */
TESS_API TESS_MUST_CHECK tess_status tess_watershed(tess_array *out, const tess_array *image, const tess_array *markers,
                                                    const tess_watershed_opts *opts);

TESS_END_C

#endif
