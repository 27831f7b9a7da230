/* The output of a verb as the sink of a job of the library: begun by the job, when its arguments are right. */
#ifndef TESSERA_FILES_OUTPUTS_OUTPUT_SINK_H
#define TESSERA_FILES_OUTPUTS_OUTPUT_SINK_H

#include "files/outputs/output.h"

typedef struct output_sink {
    tess_sink        sink; /* for the job */
    job             *job;
    const tess_meta *meta;       /* of the file; NULL: that which the job gives */
    tess_dtype       dtype;      /* of the file; NONE: that of the images */
    bool             is_planned; /* with --dry-run: it was said what would be written */
    tess_shape       shape;      /* of what was begun */
    output           out;
} output_sink;

/* Makes the sink of -o; it must stay where it is. */
void output_sink_make(output_sink *s, job *job, tess_dtype dtype, const tess_meta *meta);

/* After the job, whatever came of it: completes the file, or leaves none. With --dry-run the job was cancelled before
 * any work on images, its result is zeroed, and that is TESS_OK. */
tess_status output_sink_end(output_sink *s, tess_status status);

#endif
