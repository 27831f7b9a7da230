/* The context of a job: its device, memory limit and callbacks.
 *
 * Every job takes a context as its last argument; NULL means the defaults. Callbacks are called on the thread that
 * called the job, between two steps of its work.
 */
#ifndef TESSERA_JOBS_CONTEXT_H
#define TESSERA_JOBS_CONTEXT_H

#include "tessera/device.h"

TESS_BEGIN_C

/** Progress of a stage of a job. */
typedef struct tess_progress {
    const char *stage;      /* the items counted: "images", "positions" */
    int64_t     done;       /* 0 at the beginning of a stage, `total` at its end */
    int64_t     total;      /* above 0 */
    int64_t     bytes_each; /* bytes read per item, for showing a rate; 0: not known */
} tess_progress;

/** Reports progress. A nonzero return value cancels the job, which then fails with TESS_ECANCELLED. */
typedef int32_t (*tess_progress_fn)(void *user, const tess_progress *progress);

/** Receives a warning: one sentence in lower case, without a full stop. The text is valid during the call. */
typedef void (*tess_warning_fn)(void *user, const char *text);

/** Returns, inside a tess_warning_fn, the text of the warning with its names marked, for tess_spell; "" elsewhere. */
TESS_API const char *tess_warning_marked(void);

typedef struct tess_context {
    tess_device      device;      /* device on which jobs compute [the CPU] */
    int64_t          memory;      /* maximum host memory of a job, bytes [half of the machine's] */
    uint64_t         seed;        /* seed of random numbers [0] */
    int64_t          slab;        /* size of a slab, in jobs that work slab by slab, bytes [16 MiB] */
    tess_progress_fn progress;    /* [NULL: none] */
    tess_warning_fn  warning;     /* [NULL: warnings are dropped] */
    void            *user;        /* passed to both */
    uint32_t         reserved[8]; /* must be 0 */
} tess_context;

TESS_END_C

#endif
