/* Options of masks that are not those of the job: --threshold, --lowpass, shapes, --use, --and, --or, --not. */
#ifndef TESSERA_MAPS_MASK_OPTIONS_H
#define TESSERA_MAPS_MASK_OPTIONS_H

#include "maps/shapes.h"

enum { MAX_MASKS = 16 };

/* Zeroed before it is read. */
typedef struct mask_options {
    shape_tables       shapes;
    input              masks[MAX_MASKS + 1]; /* of --use, --and and --or; the first n are open */
    const tess_source *sources[MAX_MASKS + 2];
    int                n, steps;            /* open masks; times --and, --or and --not */
    char               join[5 * MAX_MASKS]; /* " and or not" */
    double             cutoff;              /* requested, cycles per pixel; 0: unknown */
} mask_options;

/* Reads what was given into the options of the job, which point into `m`. To be freed, also after a failure. */
tess_status mask_options_read(mask_options *m, tess_make_mask_opts *opts, job *job, const input *in);
void        mask_options_free(mask_options *m);

#endif
