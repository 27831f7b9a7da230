/* Thread pool: runs the tasks of one call on several threads. */
#ifndef TESS_CPU_RUNTIME_POOL_H
#define TESS_CPU_RUNTIME_POOL_H

#include <stdint.h>

/* Do items first to last-1. */
typedef void tess__task_fn(void *context, int64_t first, int64_t last);

/* Do items 0 to n-1 in tasks of `grain`, on up to tess_threads_get() threads, the calling one among them. Returns when
 * all is done. Which thread runs which task is not fixed. Called from inside a task, or while another thread uses the
 * pool, it does everything on the calling thread. When the call that it is part of is cancelled
 * (core/device/cancel.h), tasks that nobody has taken yet are skipped: before the caller uses what they would have
 * made as counts, indices or addresses, it must look. */
void tess__parallel(int64_t n, int64_t grain, tess__task_fn *task, void *context);

/* Changes when the process forks: what was created under another number has lost its threads. */
int tess__fork_count(void);

/* Processors this process may run on. */
int tess__processors(void);

#endif
