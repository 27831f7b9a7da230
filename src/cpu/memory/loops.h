/* Memory-bound loops: non-temporal stores for large results, packing of inputs that lie across the output's rows. */
#ifndef TESS_CPU_MEMORY_LOOPS_H
#define TESS_CPU_MEMORY_LOOPS_H

#include "core/array/plan.h"
#include "cpu/row_kernel.h"

/* Runs a row kernel over a loop with a large output, by non-temporal stores. False if the output is not large, does not
 * lie in rows, is an input too, or the processor does not gain by it; nothing was done then. */
bool tess__run_nt(const tess__loop *loop, tess__row_fn *row, const void *param, double cost);

/* Copies such a loop, of rows that are contiguous in both operands; false if it is not one of these. */
bool tess__copy_nt(const tess__loop *loop, double cost);

/* Runs a row kernel over a loop in which an input is contiguous along another dimension than the output: blocks of such
 * inputs are packed into rows first. False, and nothing was done, if the loop is not of this kind or there is no memory
 * for the blocks. */
bool tess__run_packed(const tess__loop *loop, tess__row_fn *row, const void *param, double cost);

#endif
