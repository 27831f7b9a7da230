/* The context of a job that is called from Python: device, memory and seed, and who hears of progress and warnings. */
#ifndef TESS_PYTHON_JOB_WATCH_H
#define TESS_PYTHON_JOB_WATCH_H

#include "call.h"

typedef struct job_watch {
    tess_context context;
    const char  *name;
    PyObject    *progress; /* a callable (stage, done, total), a reference, or NULL */
    bool         is_line;  /* it is ours, and is closed at the end */
} job_watch;

/* What the caller gave for a keyword that jobs have beside their rows, borrowed; NULL: nothing. */
PyObject *context_given(const call *c, const char *word);

/* Reads device=, memory=, seed= and progress= of a call. 0, or -1 with an exception; then there is nothing to end. */
int job_watch_begin(job_watch *w, const call *c);

/* Runs the job without the GIL, into its zeroed result struct. 0, or -1 with an exception: of a callback, of a signal
 * (Ctrl-C), or of the library. */
int job_watch_run(job_watch *w, call *c, void *into);

void job_watch_end(job_watch *w);

#endif
