/* Where the images of a job go: the sink of its options, or an array of its result. */
#ifndef TESS_JOBS_DATA_RESULT_SINK_H
#define TESS_JOBS_DATA_RESULT_SINK_H

#include "jobs/run/context.h"
#include "tessera/jobs/sink.h"

/* Zeroed but for the first two fields; must stay where it is. */
typedef struct tess__result_sink {
    const char      *fn;    /* the job, for messages */
    const tess_sink *sink;  /* that of the options, or NULL; afterwards the one to use */
    tess_sink        own;   /* into the array of the result */
    int64_t          taken; /* bytes of that array; 0: the sink is that of the options */
} tess__result_sink;

/* Fails where the sink of the options was not filled. */
tess_status tess__result_sink_check(const tess__result_sink *s);

/* Begins images of this shape. Without a sink of the options `result` is made, on the CPU, within the budget. */
tess_status tess__result_sink_begin(tess__result_sink *s, tess_array *result, tess_shape shape, tess_dtype dtype,
                                    const tess_meta *meta, const tess_context *context);

#endif
