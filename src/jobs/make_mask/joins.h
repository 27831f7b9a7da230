/* Steps that join masks with others: and, or, not. */
#ifndef TESS_JOBS_MAKE_MASK_JOINS_H
#define TESS_JOBS_MAKE_MASK_JOINS_H

#include "jobs/run/context.h"
#include "tessera/jobs/make_mask.h"

enum { TESS__MASK_STEPS = 16 };

typedef struct tess__mask_step {
    char       how;  /* 'a' and, 'o' or, 'n' not; 'u': the mask is taken instead */
    tess_array mask; /* {1 or b,d,h,w} of f32 on the device of the context */
} tess__mask_step;

typedef struct tess__mask_joins {
    tess__mask_step steps[TESS__MASK_STEPS];
    int             n;
} tess__mask_joins;

/* Reads opts->use, opts->masks and opts->join. To be closed, also after a failure. */
tess_status tess__mask_joins_open(tess__mask_joins *joins, const char *fn, const tess_source *images,
                                  const tess_make_mask_opts *opts, const tess_context *context);
void        tess__mask_joins_close(tess__mask_joins *joins);

/* Does all steps on `masks`, f32, of images or volumes from `first` on. */
tess_status tess__mask_joins_do(const tess__mask_joins *joins, tess_array *masks, int64_t first);

/* Bytes of their masks. */
int64_t tess__mask_joins_bytes(const tess__mask_joins *joins);

/* Fails where values of a mask lie beyond 0 to 1. `what` is what messages call it. */
tess_status tess__check_mask_values(const char *fn, const char *what, const tess_array *mask);

#endif
