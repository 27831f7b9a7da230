/* CTF correction of images: phase flipping, Wiener filters, or multiplication. */
#ifndef TESSERA_JOBS_CORRECT_CTF_H
#define TESSERA_JOBS_CORRECT_CTF_H

#include "tessera/jobs/sink.h"
#include "tessera/jobs/source.h"

TESS_BEGIN_C

/** Factor by which the Fourier transform of an image is multiplied. */
typedef enum tess_ctf_correction {
    TESS_CTF_FLIP = 1, /* the sign of the CTF */
    TESS_CTF_WIENER,   /* CTF / (CTF^2 + 1 / snr) */
    TESS_CTF_APPLY,    /* the CTF */
    TESS_CTF_ABS,      /* its absolute value */
    TESS_CTF_SQUARED   /* its square */
} tess_ctf_correction;

typedef struct tess_correct_ctf_opts {
    double           snr;         /* with WIENER: signal-to-noise ratio of the power [10] */
    const tess_sink *sink;        /* destination of the images [the array of the result] */
    int32_t          method;      /* a tess_ctf_correction [FLIP] */
    uint32_t         reserved[9]; /* must be 0 */
} tess_correct_ctf_opts;

typedef struct tess_correct_ctf_result {
    tess_array images; /* {n,1,h,w} on the CPU, f32 or f64; zeroed with opts->sink */
} tess_correct_ctf_result;

/**
 * Corrects images, {n,1,h,w} of real numbers, for their CTFs.
 *
 * `ctfs` is a table, {n,1,1,k} or {1,1,n,k} of real numbers with k from 8 to TESS_CTF_COLUMNS: fields of a tess_ctf,
 * including the pixel size, with a row for each image or one for all. Axes must be at right angles.
 */
TESS_API TESS_MUST_CHECK tess_status tess_correct_ctf(tess_correct_ctf_result *result, const tess_source *images,
                                                      const tess_array *ctfs, const tess_correct_ctf_opts *opts,
                                                      const tess_context *context);

/** Releases the contents of a result and zeroes it. A zeroed result is allowed. */
TESS_API void tess_correct_ctf_result_release(tess_correct_ctf_result *result);

TESS_END_C

#endif
