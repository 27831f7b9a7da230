/* Table of the memory kernels: copy, fill, select, transpose and non-temporal copy, whatever the dtype. */
#ifndef TESS_CPU_MEMORY_KERNELS_H
#define TESS_CPU_MEMORY_KERNELS_H

#include "cpu/memory/line_writer.h"
#include "cpu/memory/transpose.h"
#include "cpu/row_kernel.h"

/* Copies whole cache lines to an aligned address, by non-temporal stores where the processor has them. */
typedef void tess__nt_copy_fn(char *out, const char *in, int64_t bytes);

typedef void tess__transpose_fn(const tess__transpose *t, int64_t first_tile, int64_t last_tile);

/* Filled by kernels_move.c. By size class. */
typedef struct tess__memory_kernels {
    tess__row_fn       *copy[TESS__SIZE_CLASSES];  /* param: tess__element, its size alone, for TESS__ANY_SIZE */
    tess__row_fn       *fill[TESS__SIZE_CLASSES];  /* param: tess__element; operand 0 only */
    tess__row_fn       *where[TESS__SIZE_CLASSES]; /* operand 1 is bool; param as for copy */
    tess__transpose_fn *transpose[TESS__ANY_SIZE];
    tess__nt_copy_fn   *nt_copy;
    tess__lay_fn       *lay;
} tess__memory_kernels;

#endif
