/* The table of CPU kernels: one per instruction set, with a table for each family; and the files that fill it. */
#ifndef TESS_CPU_KERNELS_H
#define TESS_CPU_KERNELS_H

#include "cpu/convert/kernels.h"
#include "cpu/ewise/kernels.h"
#include "cpu/fft/kernels.h"
#include "cpu/index/kernels.h"
#include "cpu/linalg/kernels.h"
#include "cpu/memory/kernels.h"
#include "cpu/op/kernels.h"
#include "cpu/random/kernels.h"
#include "cpu/reduce/kernels.h"
#include "cpu/resize/kernels.h"
#include "cpu/scan/kernels.h"
#include "cpu/sort/kernels.h"

/* The kernel files, src/cpu/FAMILY/kernels_FILE.c each, which are built once per instruction set. */
#define TESS__FAMILIES(X, isa)                                                                                         \
    X(linalg, matmul, isa)                                                                                             \
    X(fft, f32, isa)                                                                                                   \
    X(fft, f64, isa)                                                                                                   \
    X(memory, move, isa)                                                                                               \
    X(convert, cast, isa)                                                                                              \
    X(convert, byteswap, isa)                                                                                          \
    X(ewise, f32, isa)                                                                                                 \
    X(ewise, f64, isa)                                                                                                 \
    X(ewise, complex, isa)                                                                                             \
    X(ewise, integer, isa)                                                                                             \
    X(reduce, sum, isa)                                                                                                \
    X(reduce, columns, isa)                                                                                            \
    X(reduce, exp, isa)                                                                                                \
    X(random, random, isa)                                                                                             \
    X(reduce, minmax, isa)                                                                                             \
    X(scan, scan, isa)                                                                                                 \
    X(resize, bin, isa)                                                                                                \
    X(index, index, isa)                                                                                               \
    X(index, search, isa)                                                                                              \
    X(sort, sort, isa)                                                                                                 \
    X(op, program, isa)                                                                                                \
    X(op, interp, isa)

typedef struct tess__kernels {
    tess__memory_kernels  memory;
    tess__convert_kernels convert;
    tess__ewise_kernels   ewise;
    tess__reduce_kernels  reduce;
    tess__scan_kernels    scan;
    tess__sort_kernels    sort;
    tess__index_kernels   index;
    tess__resize_kernels  resize;
    tess__linalg_kernels  linalg;
    tess__random_kernels  random;
    tess__op_kernels      op;
    tess__fft_kernels     fft;
} tess__kernels;

#endif
