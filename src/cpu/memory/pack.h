/* Loops whose inputs lie across the output's rows. */
#ifndef TESS_CPU_MEMORY_PACK_H
#define TESS_CPU_MEMORY_PACK_H

#include "core/plan.h"
#include "cpu/row_kernel.h"

/* Run a row kernel over a loop in which an input goes on along another dimension than the output does: blocks of such
 * inputs are turned into rows first. False if the loop is not of this kind, and nothing was done. */
bool tess__run_staged(const tess__loop *loop, tess__row_fn *row, const void *param, double cost);

#endif
