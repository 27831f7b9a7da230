/* Work without the GIL. The library asks now and then whether to cancel it: handlers of signals, as that of Ctrl-C, run
 * there. */
#define _GNU_SOURCE
#include "work.h"

#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The only thread in which Python calls handlers of signals; a child of fork has no other. */
static bool is_main_thread(void) { return syscall(SYS_gettid) == getpid(); }

static int32_t ask(void *unused)
{
    (void)unused;
    if (!is_main_thread()) return 0;
    const PyGILState_STATE state = PyGILState_Ensure();
    const bool             raised = PyErr_Occurred() || PyErr_CheckSignals();
    PyGILState_Release(state);
    return raised;
}

static work_state begin(tess_cancel_fn fn)
{
    work_state work;
    tess_cancel_get(&work.before, &work.user);
    tess_cancel_set(fn, NULL);
    work.gil = PyEval_SaveThread();
    return work;
}

work_state work_begin(void) { return begin(ask); }

work_state work_begin_quietly(void) { return begin(NULL); }

work_state work_begin_on(const tess_array *array)
{
    const bool is_small = array->device.kind == TESS_CPU && tess_n_bytes(array) <= SMALL_BYTES;
    return is_small ? (work_state){ .gil = NULL } : work_begin();
}

tess_status work_end(const work_state *work, tess_status status)
{
    if (!work->gil) return status;
    PyEval_RestoreThread(work->gil);
    tess_cancel_set(work->before, work->user);
    return status == TESS_OK && PyErr_Occurred() ? TESS_ECANCELLED : status;
}
