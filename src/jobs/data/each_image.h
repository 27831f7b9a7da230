/* Processes the images or volumes of a source independently, into a sink or an array of the result. */
#ifndef TESS_JOBS_DATA_EACH_IMAGE_H
#define TESS_JOBS_DATA_EACH_IMAGE_H

#include "jobs/run/context.h"
#include "tessera/jobs/slabs.h"

typedef struct tess__each_image_plan {
    const char        *fn; /* the job, for messages */
    const tess_source *source;
    tess_dtype         dtype;     /* that images are read as */
    tess_dtype         out_dtype; /* of the results [the same] */
    bool               volumes;   /* volumes come as a whole, not as images */
    int64_t            extra;     /* bytes of workspace for each image, or section */
    int64_t            taken;     /* bytes that are in use already */
    const tess_meta   *meta;      /* of the results [that of the source] */
    tess_slab_step     step;      /* NULL: images stay as they are */
    void              *user;      /* of the step */
} tess__each_image_plan;

/* `sink` is that of the options; NULL: `result` is made, on the CPU, within the budget of the context. */
tess_status tess__each_image(const tess__each_image_plan *plan, const tess_sink *sink, tess_array *result,
                             const tess_context *context);

/* The same without results: the step has no `out`. `taken` bytes are in use already. */
tess_status tess__each_image_read(const tess__each_image_plan *plan, int64_t taken, const tess_context *context);

#endif
