/* Alignment of the images of a stack by shifts. */
#ifndef TESSERA_JOBS_ALIGN_STACK_H
#define TESSERA_JOBS_ALIGN_STACK_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Columns of a table of shifts. */
enum {
    TESS_SHIFT_IMAGE, /* from 0 */
    TESS_SHIFT_X,     /* shift of the image along w, pixels */
    TESS_SHIFT_Y,     /* along h */
    TESS_SHIFT_COLUMNS
};

typedef struct tess_align_stack_opts {
    double           cutoff;      /* highest frequency that counts, cycles per pixel; 0.5 or more: all of them [0.25] */
    double           bfactor;     /* weights of the correlation: exp(-bfactor/4 s^2), s in 1/Å; Å^2, 0 or more [0] */
    double           max_shift;   /* maximum shift of an image per iteration, pixels [unlimited] */
    double           pixel_size;  /* Å; needed by bfactor alone [that of images] */
    const tess_sink *sink;        /* where the aligned images go, f32 or f64 [they are not made] */
    uint32_t         reserved[8]; /* must be 0 */
} tess_align_stack_opts;

typedef struct tess_align_stack_result {
    tess_array shifts; /* f64 {1,1,n,TESS_SHIFT_COLUMNS}: what moves each image onto the first one */
} tess_align_stack_result;

/**
 * Aligns the images of a stack, {n,1,h,w} of real numbers.
 *
 * Images are cropped to the cutoff in Fourier space, and each is correlated with the sum of the others until shifts
 * change no more (tess_align_frames). The aligned images are moved by their phases, periodically.
 */
TESS_API TESS_MUST_CHECK tess_status tess_align_stack(tess_align_stack_result *result, const tess_source *images,
                                                      const tess_align_stack_opts *opts, const tess_context *context);

/** Releases what a result holds, and zeroes it. A zeroed one is allowed. */
TESS_API void tess_align_stack_result_release(tess_align_stack_result *result);

TESS_END_C

#endif
