/* Loop scheduling: row kernels over a loop, whose rows are divided into tasks for the threads. */
#ifndef TESS_CPU_RUNTIME_SCHEDULE_H
#define TESS_CPU_RUNTIME_SCHEDULE_H

#include "core/array/plan.h"
#include "cpu/row_kernel.h"

/* Run a row kernel over every row of the loop. `cost` is the estimated time of one element, in nanoseconds. */
void tess__run_rows(const tess__loop *loop, tess__row_fn *row, const void *param, double cost);

/* A task should last no longer than this, in nanoseconds, so that a call can be cancelled between them; tests change
 * it. */
extern double tess__longest_task;

/* How many of n items, each taking `cost` nanoseconds, make a task of a thread: all, if more threads do
 * not pay and the work does not take long. */
int64_t tess__grain(int64_t n, double cost);

#endif
