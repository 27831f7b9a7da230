/* Running row kernels over a loop: how rows are cut and shared among threads. */
#ifndef TESS_CPU_RUNTIME_SCHEDULE_H
#define TESS_CPU_RUNTIME_SCHEDULE_H

#include "core/plan.h"
#include "cpu/row_kernel.h"

/* Run a row kernel over every row of the loop. `cost` is the estimated time of one element, in nanoseconds. */
void tess__run_rows(const tess__loop *loop, tess__row_fn *row, const void *param, double cost);

/* How many of n pieces of work, each taking `cost` nanoseconds, one thread should take at a time: all, if sharing
 * does not pay. */
int64_t tess__grain(int64_t n, double cost);

#endif
