/* The context of a job: where it computes, how much memory it may take, and how it reports to its caller.
 *
 * Every job takes a context as its last argument; NULL stands for the defaults. Callbacks are called on the thread that
 * called the job, between two steps of its work.
 */
#ifndef TESSERA_JOBS_CONTEXT_H
#define TESSERA_JOBS_CONTEXT_H

#include "tessera/device.h"

TESS_BEGIN_C

/** How far a stage of a job is. */
typedef struct tess_progress {
    const char *stage;      /* what is counted: "images", "positions" */
    int64_t     done;       /* 0 at the beginning of a stage, `total` at its end */
    int64_t     total;      /* above 0 */
    int64_t     bytes_each; /* bytes that are read for each, so that a rate can be shown; 0: not known */
} tess_progress;

/** Reports progress. A non-zero answer cancels the job, which then fails with TESS_ECANCELLED. */
typedef int32_t (*tess_progress_fn)(void *user, const tess_progress *progress);

/** Receives a warning: one sentence in lower case, without a full stop. The text is good during the call. */
typedef void (*tess_warning_fn)(void *user, const char *text);

/** In a tess_warning_fn: the text of its warning with marks around the names in it, for tess_spell; "" elsewhere. */
TESS_API const char *tess_warning_marked(void);

typedef struct tess_context {
    tess_device      device;      /* where jobs compute [the CPU] */
    int64_t          memory;      /* bytes of host memory that a job may take at a time [half of the machine's] */
    uint64_t         seed;        /* of random numbers [0] */
    int64_t          slab;        /* bytes that are read at a time, where work goes slab by slab [16 MiB] */
    tess_progress_fn progress;    /* [NULL: none] */
    tess_warning_fn  warning;     /* [NULL: warnings are dropped] */
    void            *user;        /* passed to both */
    uint32_t         reserved[8]; /* must be 0 */
} tess_context;

TESS_END_C

#endif
