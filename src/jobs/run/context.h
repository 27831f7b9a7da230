/* The context of a job as the jobs see it: defaults filled in, warnings, stages of progress, and the memory budget. */
#ifndef TESS_JOBS_RUN_CONTEXT_H
#define TESS_JOBS_RUN_CONTEXT_H

#include "tessera/array.h"
#include "tessera/jobs/source.h"

/* The caller's context, or NULL, with its defaults. `fn` is the job, for messages. */
tess_status tess__context(tess_context *resolved, const char *fn, const tess_context *given);

/* Fail, naming the argument, where a source was not filled, or where a result struct of n bytes is not zeroed. */
tess_status tess__check_source(const char *fn, const char *name, const tess_source *source);
tess_status tess__check_result(const char *fn, const void *result, size_t n);

/* The status of a caller's callback, with a message where it left none. */
tess_status tess__callback_failed(const char *fn, const char *what, tess_status status);

/* Passes a warning to the caller, cut to 511 bytes; names in its format are marks (core/check/marks.h). */
void tess__warn(const tess_context *context, const char *format, ...) TESS_PRINTF(2, 3);

/* A stage of work, reported to the caller. `what` is what is counted, "images"; nothing is reported where it is NULL or
 * `total` is 0. Begin and add fail with TESS_ECANCELLED where the caller's callback cancels. */
typedef struct tess__stage {
    const tess_context *context;
    const char         *fn;
    tess_progress       progress;
} tess__stage;

tess_status tess__stage_begin(tess__stage *stage, const char *fn, const tess_context *context, tess_progress of);
tess_status tess__stage_add(tess__stage *stage, int64_t n);

/* Fail where `bytes` for an image, and what is made of it, or for a volume as a whole, exceed the budget. */
tess_status tess__image_fits(const tess_context *context, const char *fn, tess_shape shape, int64_t bytes);
tess_status tess__volume_fits(const tess_context *context, const char *fn, tess_shape shape, int64_t bytes);

/* Images at a time, `per_image` bytes each, that the budget allows: 1 to n. */
int64_t tess__images_at_a_time(const tess_context *context, int64_t n, int64_t per_image);

/* Puts an array that is owned onto a device: it is replaced by a copy there, unless it is there already. */
tess_status tess__move(tess_array *array, tess_device device);

#endif
