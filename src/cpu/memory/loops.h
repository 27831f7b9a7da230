/* Loops that memory decides: results too large for the caches, inputs that lie across the output's rows. */
#ifndef TESS_CPU_MEMORY_LOOPS_H
#define TESS_CPU_MEMORY_LOOPS_H

#include "core/plan.h"
#include "cpu/row_kernel.h"

/* Run a row kernel over a loop with a large output, which is written past the caches. False if the output is not large,
 * does not lie in rows, is an input too, or the processor is not in need of it; nothing was done then. */
bool tess__run_streamed(const tess__loop *loop, tess__row_fn *row, const void *param, double cost);

/* The copy of such a loop, of rows that are contiguous in both operands; false if it is not one of these. */
bool tess__copy_streamed(const tess__loop *loop, double cost);

/* Run a row kernel over a loop in which an input goes on along another dimension than the output does: blocks of such
 * inputs are turned into rows first. False if the loop is not of this kind, and nothing was done. */
bool tess__run_packed(const tess__loop *loop, tess__row_fn *row, const void *param, double cost);

#endif
