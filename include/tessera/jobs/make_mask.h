/* Soft-edged masks from maps by a threshold, from geometric shapes and from other masks. */
#ifndef TESSERA_JOBS_MAKE_MASK_H
#define TESSERA_JOBS_MAKE_MASK_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Tables of shapes have a row for each shape, {n,1,1,k} or {1,1,n,k}: lengths in pixels, along (z, y, x) for volumes
 *  and (y, x) for images. */
typedef struct tess_make_mask_opts {
    double                    threshold;   /* minimum value inside the mask [Otsu's]; TESS_ZERO */
    double                    lowpass;     /* low-pass filter applied before thresholding, resolution in Å [15];
                                              TESS_ZERO: no filter */
    double                    cutoff;      /* its cutoff in cycles per pixel [by lowpass]; TESS_ZERO */
    double                    extend;      /* distance by which the mask grows, pixels; negative: shrinks [0] */
    double                    soft;        /* width of the raised-cosine edge outside, pixels [0] */
    const tess_array         *sphere;      /* k = 1: radii of spheres, or of circles [none] */
    const tess_array         *box;         /* k = 3, for images 2: edges of boxes; k = 1: of cubes [none] */
    const tess_array         *cylinder;    /* k = 2: radii and lengths of cylinders along z; for images k = 1 [none] */
    const tess_array         *shell;       /* k = 2: inner and outer radii of shells [none] */
    const tess_array         *ellipsoid;   /* k = 3, for images 2: semiaxes of ellipsoids [none] */
    const tess_array         *centre;      /* {1,1,1,3}, for images {1,1,1,2}: centre of all shapes, pixels [n / 2 along
                                              each axis] */
    const tess_source        *use;         /* existing mask to use instead of creating one [none] */
    const tess_source *const *masks;       /* masks to combine it with, ended by NULL [none] */
    const char               *join;        /* operations in order: "and" and "or" use the next of the masks, "not" uses
                                              none ["and" for each mask] */
    double                    outside;     /* with apply: value where the mask is 0 [0] */
    double                    pixel_size;  /* Å [that of the source] */
    const tess_sink          *sink;        /* destination of the masks [the array of the result] */
    int32_t                   largest;     /* 1: keep only the largest component, connected by faces [0] */
    int32_t                   is_mask;     /* 1: the images are masks, to be combined with others [0] */
    int32_t                   apply;       /* 1: return the images multiplied by their masks [0] */
    uint32_t                  reserved[7]; /* must be 0 */
} tess_make_mask_opts;

typedef struct tess_make_mask_result {
    tess_array mask; /* f32 {b,d,h,w} on the CPU; with apply, the masked images, f32 or f64; zeroed with opts->sink */
    tess_array statistics; /* a table with a row for each image or volume: threshold, least, most (minimum and maximum
                              of the filtered map; NaN if the mask is not made from a map), voxels (above 0),
                              fraction */
    double     cutoff;     /* cutoff of the low-pass filter used, cycles per pixel; 0: none */
} tess_make_mask_result;

/**
 * Creates a mask for each image {n,1,h,w} or volume {n,d,h,w} of real numbers: values from 0 to 1, of the same size.
 *
 * By default it is made from the map: the region at or above the threshold after the low-pass filter, grown by
 * opts->extend, with a raised-cosine edge outside by Euclidean distance (tess_mask_create). Otsu's threshold is
 * computed for each image or volume (tess_otsu). With shapes, the mask is their union, and the map only defines the
 * grid. Then the mask is combined with others, step by step: `and` takes the smaller value, `or` the larger one, `not`
 * one minus the mask. There is one of these masks for all images, or one for each. With opts->apply, the result is the
 * image times the mask, plus opts->outside times one minus the mask; NaNs are ignored where the mask is 0.
 */
TESS_API TESS_MUST_CHECK tess_status tess_make_mask(tess_make_mask_result *result, const tess_source *images,
                                                    const tess_make_mask_opts *opts, const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_make_mask_result_release(tess_make_mask_result *result);

TESS_END_C

#endif
