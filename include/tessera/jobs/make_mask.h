/* Masks with soft edges, of maps by a threshold, of geometric shapes and of other masks. */
#ifndef TESSERA_JOBS_MAKE_MASK_H
#define TESSERA_JOBS_MAKE_MASK_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Tables of shapes have a row for each shape, {n,1,1,k} or {1,1,n,k}: lengths in pixels, along (z, y, x) of volumes
 *  and (y, x) of images. */
typedef struct tess_make_mask_opts {
    double                    threshold; /* least value inside [Otsu's]; TESS_ZERO */
    double                    lowpass;   /* resolution of the filter before that, Å [15]; TESS_ZERO: no filter */
    double                    cutoff;    /* the same in cycles per pixel [by lowpass]; TESS_ZERO */
    double                    extend;    /* distance that the mask grows by, pixels; negative: it shrinks [0] */
    double                    soft;      /* width of the raised-cosine edge outside, pixels [0] */
    const tess_array         *sphere;    /* k = 1: radii of spheres, or of circles [none] */
    const tess_array         *box;       /* k = 3, of images 2: edges of boxes; k = 1: of cubes [none] */
    const tess_array         *cylinder;  /* k = 2: radii and lengths of cylinders along z; of images k = 1 [none] */
    const tess_array         *shell;     /* k = 2: inner and outer radii of shells [none] */
    const tess_array         *ellipsoid; /* k = 3, of images 2: semiaxes of ellipsoids [none] */
    const tess_array         *centre;    /* {1,1,1,3}, of images {1,1,1,2}: centre of all shapes, pixels [n / 2 along
                                             each axis] */
    const tess_source        *use;       /* mask that is taken instead of one that is made [none] */
    const tess_source *const *masks;     /* masks to join it with, ended by NULL [none] */
    const char               *join;      /* steps in their order: "and" and "or" take the next of the masks, "not" takes
                                             none [as many times "and" as there are masks] */
    double                    outside;   /* with apply: value where the mask is 0 [0] */
    double                    pixel_size;  /* Å [that of the source] */
    const tess_sink          *sink;        /* where the masks go [the array of the result] */
    int32_t                   largest;     /* 1: keep the largest connected part, by faces [0] */
    int32_t                   is_mask;     /* 1: images are masks already, to be joined with others [0] */
    int32_t                   apply;       /* 1: the result is the images times their masks [0] */
    uint32_t                  reserved[7]; /* must be 0 */
} tess_make_mask_opts;

typedef struct tess_make_mask_result {
    tess_array mask; /* f32 {b,d,h,w} on the CPU; with apply, the images times their masks, f32 or f64; zeroed with
                              opts->sink */
    tess_array statistics; /* a table, a row for each image or volume: threshold, least, most (of the filtered map; NaN
                              where the mask is of no map), voxels (that are above 0), fraction */
    double     cutoff;     /* of the low-pass filter that was used, cycles per pixel; 0: none */
} tess_make_mask_result;

/**
 * Makes a mask of each image {n,1,h,w} or volume {n,d,h,w} of real numbers: values from 0 to 1, of the same size.
 *
 * Without other options it is made of the map: all that is at least the threshold after the low-pass filter, grown by
 * opts->extend, with a raised cosine of the Euclidean distance outside (tess_mask_create). Otsu's threshold is found
 * for each image or volume (tess_otsu). With shapes the mask covers all that one of them covers; the map counts only as
 * the grid. Then the mask is joined with others, step by step: `and` takes the smaller value, `or` the larger one,
 * `not` one minus the mask; masks are one for all images, or one for each. With opts->apply the result is the image
 * times the mask, plus opts->outside times one minus the mask; where the mask is 0, NaN does not count.
 */
TESS_API TESS_MUST_CHECK tess_status tess_make_mask(tess_make_mask_result *result, const tess_source *images,
                                                    const tess_make_mask_opts *opts, const tess_context *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_make_mask_result_release(tess_make_mask_result *result);

TESS_END_C

#endif
