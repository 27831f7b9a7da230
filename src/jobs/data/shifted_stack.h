/* Stacks whose images are aligned by shifts: read as cropped spectra, and moved. */
#ifndef TESS_JOBS_DATA_SHIFTED_STACK_H
#define TESS_JOBS_DATA_SHIFTED_STACK_H

#include "jobs/run/context.h"
#include "jobs/run/table.h"
#include "tessera/jobs/align_stack.h"

/* Columns of the table of shifts. */
extern const tess_choice tess__shift_columns[];

/* Rows of the options that alignments share. */
#define TESS__CUTOFF_ROW(opts)                                                                                         \
    TESS__OPT_F64(opts, cutoff, "cycles per pixel", 0.25, TESS__POSITIVE, DBL_MAX,                                     \
                  "maximum frequency used for the alignment")
#define TESS__ALIGNED_ROW(opts) TESS__OPT_SINK(opts, sink, "sink for the aligned images")

typedef struct tess__shifted_stack {
    const char         *fn; /* the job, for messages */
    const tess_context *context;
    const tess_source  *source;
    const tess_sink    *sink;     /* of the aligned images, or NULL */
    tess_shape          image;    /* {1,1,h,w} */
    tess_shape          small;    /* {n,1,h,w} of what is aligned */
    double              scale[2]; /* pixels of an image in one of that, along h and w */
    tess_array          spectra;  /* of what is aligned, on the device of the context */
    tess_array          shifts;   /* {n,1,1,2} (h, w), first of what is aligned */
} tess__shifted_stack;

/* Checks the images of a stack whose first four fields are set, and reads what is below the cutoff, in cycles per
 * pixel. To be closed, also after a failure. */
tess_status tess__shifted_stack_read(tess__shifted_stack *s, double cutoff);
void        tess__shifted_stack_close(tess__shifted_stack *s);

/* When the shifts were found: makes their table, and puts the moved images into the sink. */
tess_status tess__shifted_stack_finish(tess__shifted_stack *s, tess_array *table);

#endif
