/* Cancellation of long-running calls.
 *
 * Between its tasks, a call checks whether it was cancelled; it then returns TESS_ECANCELLED within a fraction of a
 * second. Remaining tasks are skipped, everything the call allocated is released, and the library stays usable. Output
 * arrays allocated by the caller remain the caller's, with undefined contents. Outputs that the call would have
 * allocated are unchanged, as after any other failure. Files that are being written are removed by tess_writer_discard,
 * or by the call that would have written them.
 *
 * Calls that take only microseconds do not check and are not interrupted.
 *
 * Work on an asynchronous CPU stream is cancelled by a tess_cancel that comes after it was queued, or by the callback
 * of a thread that waits in tess_stream_sync. Running work then stops, queued work is skipped, and the next
 * synchronisation returns TESS_ECANCELLED. Kernels running on a GPU are never interrupted: a call waits for them.
 */
#ifndef TESSERA_CANCEL_H
#define TESSERA_CANCEL_H

#include "tessera/base.h"

TESS_BEGIN_C

/** A cancellation callback: returns 0 to continue, anything else to cancel the call. `user` is the pointer set with
 *  it. */
typedef int32_t (*tess_cancel_fn)(void *user);

/**
 * Sets the cancellation callback of the calling thread; NULL removes it.
 *
 * During a long call, the calling thread invokes the callback about every 20 ms. The callback should return quickly. It
 * may call functions of the library; these calls are not cancelled.
 *
 * To use a callback only in a part of a program, save the previous one with tess_cancel_get and restore it afterwards:
 *
 *     tess_cancel_fn before;
 *     void          *before_user;
 *     tess_cancel_get(&before, &before_user);
 *     tess_cancel_set(window_was_closed, &window);
 *     …
 *     tess_cancel_set(before, before_user);
 */
TESS_API void tess_cancel_set(tess_cancel_fn fn, void *user);

/** Returns the cancellation callback of the calling thread, NULL if it has none, and its `user` pointer. Either pointer
 *  may be NULL. */
TESS_API void tess_cancel_get(tess_cancel_fn *fn, void **user);

/**
 * Cancels all running calls, on all threads, and the work queued on asynchronous CPU streams. Calls that begin later
 * are not affected.
 *
 * Safe to call from any thread and from a signal handler.
 */
TESS_API void tess_cancel(void);

TESS_END_C

#endif
