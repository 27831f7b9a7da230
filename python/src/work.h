/* Work of the library without the GIL, which signals of Python cancel. */
#ifndef TESS_PYTHON_WORK_H
#define TESS_PYTHON_WORK_H

#include "limited.h"
#include "tessera.h"

/* The GIL that was given up, and the thread's cancellation callback before. */
typedef struct work_state {
    PyThreadState *gil; /* NULL: it was kept */
    tess_cancel_fn before;
    void          *user;
} work_state;

/* Gives up the GIL. In the main thread, a signal whose handler raises an exception cancels the calls that follow. */
work_state work_begin(void);

/* The same for work on an array; if it is small, the GIL is kept, since giving it up takes longer. */
enum { SMALL_BYTES = 16384 };
work_state work_begin_on(const tess_array *array);

/* The same for work that signals do not cancel: their handlers wait until it is done. */
work_state work_begin_quietly(void);

/* Takes the GIL again, and returns the status. Where a handler raised an exception, that is set, and the status is a
 * failing one: raise_status leaves the exception as it is. */
tess_status work_end(const work_state *work, tess_status status);

#endif
