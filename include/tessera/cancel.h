/* Cancellation of calls that take long.
 *
 * A call looks between the tasks of its work whether it was cancelled, and then returns TESS_ECANCELLED within a
 * fraction of a second. Remaining tasks are skipped, all that the call allocated is released, and the library works as
 * before. Outputs that the caller gave are still theirs; what is in them is undefined. Outputs that the call would
 * have allocated are as they were, as after any other failure. Files that are being written are removed by
 * tess_writer_discard, or by the call that would have written them.
 *
 * Calls that last some microseconds are not interrupted: they do not look.
 *
 * Work on an asynchronous CPU stream is cancelled by a tess_cancel that comes after it was queued, or by the callback
 * of a thread that waits in tess_stream_sync: work that runs then stops, work that waits is skipped, and the next
 * synchronisation returns TESS_ECANCELLED. Kernels that run on a GPU are never interrupted: a call waits for them.
 */
#ifndef TESSERA_CANCEL_H
#define TESSERA_CANCEL_H

#include "tessera/base.h"

TESS_BEGIN_C

/** A question whether to cancel: 0 to go on, anything else to cancel the call. `user` is what was given with it. */
typedef int32_t (*tess_cancel_fn)(void *user);

/**
 * Sets the cancellation callback of the calling thread; NULL removes it.
 *
 * While a call of this thread takes long, the same thread asks it about every 20 ms. The callback should return
 * quickly. It may call functions of the library: these calls are not cancelled.
 *
 * To use a callback for a part of a program alone, ask for the previous one by tess_cancel_get and set it again:
 *
 *     tess_cancel_fn before;
 *     void          *before_user;
 *     tess_cancel_get(&before, &before_user);
 *     tess_cancel_set(window_was_closed, &window);
 *     …
 *     tess_cancel_set(before, before_user);
 */
TESS_API void tess_cancel_set(tess_cancel_fn fn, void *user);

/** Returns the cancellation callback of the calling thread, NULL if it has none, and what is given to it. Pointers may
 *  be NULL. */
TESS_API void tess_cancel_get(tess_cancel_fn *fn, void **user);

/**
 * Cancels all calls that have begun, on all threads, and the work that is queued on asynchronous CPU streams. Calls
 * that begin later are not affected.
 *
 * Safe to call from any thread and from a signal handler.
 */
TESS_API void tess_cancel(void);

TESS_END_C

#endif
