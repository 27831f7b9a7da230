/* Alignment of the images of a stack by shifts. */
#ifndef TESSERA_JOBS_ALIGN_STACK_H
#define TESSERA_JOBS_ALIGN_STACK_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Columns of a table of shifts. */
enum {
    TESS_SHIFT_IMAGE, /* index of the image, from 0 */
    TESS_SHIFT_X,     /* shift of the image along w, pixels */
    TESS_SHIFT_Y,     /* shift along h, pixels */
    TESS_SHIFT_COLUMNS
};

typedef struct tess_align_stack_opts {
    double           cutoff;      /* highest frequency used, cycles per pixel; 0.5 or more: all [0.25] */
    double           bfactor;     /* B-factor of the cross-correlation: exp(-bfactor/4 s^2), s in 1/Å; Å^2, 0 or more
                                     [0] */
    double           max_shift;   /* maximum shift of an image per iteration, pixels [unlimited] */
    double           pixel_size;  /* Å; needed only for bfactor [that of images] */
    const tess_sink *sink;        /* destination of the aligned images, f32 or f64 [not computed] */
    uint32_t         reserved[8]; /* must be 0 */
} tess_align_stack_opts;

typedef struct tess_align_stack_result {
    tess_array shifts; /* f64 {1,1,n,TESS_SHIFT_COLUMNS}: shifts that move each image onto the first one */
} tess_align_stack_result;

/**
 * Aligns the images of a stack, {n,1,h,w} of real numbers.
 *
 * Images are cropped to the cutoff in Fourier space, and each is correlated with the sum of the others until shifts
 * stop changing (tess_align_frames). The aligned images are shifted in Fourier space, periodically.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align_stack(tess_align_stack_result *result, const tess_source *images,
                                                      const tess_align_stack_opts *opts, const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_align_stack_result_release(tess_align_stack_result *result);

TESS_END_C

#endif
