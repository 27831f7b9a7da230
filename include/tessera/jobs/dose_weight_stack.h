/* Dose weighting of aligned movies and tilt series. */
#ifndef TESSERA_JOBS_DOSE_WEIGHT_STACK_H
#define TESSERA_JOBS_DOSE_WEIGHT_STACK_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

typedef struct tess_dose_weight_stack_opts {
    double            dose;            /* dose per image, electrons/Å^2 [not known] */
    double            pre;             /* exposure before the first frame, electrons/Å^2 [0] */
    const tess_array *doses;           /* accumulated exposure at the end of each image, without pre, electrons/Å^2 [by
                                          dose] */
    double            voltage;         /* kV: 300 or 200; others need critical_factor [300] */
    double            critical_factor; /* factor of the critical exposure [1 at 300 kV, 0.8 at 200 kV] */
    double            pixel_size;      /* Å [that of images] */
    const tess_sink  *sink;            /* destination of the weighted images [the array of the result] */
    int32_t           sum;             /* 1: only compute the sum of the weighted images, with white noise [0] */
    uint32_t          reserved[7];     /* must be 0 */
} tess_dose_weight_stack_opts;

typedef struct tess_dose_weight_stack_result {
    tess_array images;     /* {n,1,h,w} on the CPU, f32 or f64; zeroed with opts->sink and opts->sum */
    tess_array sum;        /* {1,1,h,w} on the CPU, with opts->sum */
    double     exposure;   /* exposure of the last image, electrons/Å^2 */
    double     pixel_size; /* Å */
} tess_dose_weight_stack_result;

/**
 * Weights images, {n,1,h,w} of real numbers, by their exposure (tess_dose_weight_image).
 *
 * With opts->sum, the sum of all is divided by the square root of the sum of the squared filters (tess_dose_normalize).
 * The exposure must be known, by opts->dose or opts->doses.
 */
TESS_API TESS_MUST_CHECK tess_status tess_dose_weight_stack(tess_dose_weight_stack_result     *result,
                                                            const tess_source                 *images,
                                                            const tess_dose_weight_stack_opts *opts,
                                                            const tess_context                *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_dose_weight_stack_result_release(tess_dose_weight_stack_result *result);

TESS_END_C

#endif
