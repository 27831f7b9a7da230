/* The table of CPU kernels: one per instruction set, with a table for each family. */
#ifndef TESS_CPU_KERNELS_H
#define TESS_CPU_KERNELS_H

#include "cpu/convert/kernels.h"
#include "cpu/ewise/kernels.h"
#include "cpu/fft/kernels.h"
#include "cpu/geometry/kernels.h"
#include "cpu/index/kernels.h"
#include "cpu/linalg/kernels.h"
#include "cpu/memory/kernels.h"
#include "cpu/op/kernels.h"
#include "cpu/random/kernels.h"
#include "cpu/reduce/kernels.h"
#include "cpu/resize/kernels.h"
#include "cpu/scan/kernels.h"
#include "cpu/signal/kernels.h"
#include "cpu/sort/kernels.h"

typedef struct tess__kernels {
    tess__memory_kernels   memory;
    tess__convert_kernels  convert;
    tess__ewise_kernels    ewise;
    tess__reduce_kernels   reduce;
    tess__scan_kernels     scan;
    tess__sort_kernels     sort;
    tess__index_kernels    index;
    tess__resize_kernels   resize;
    tess__linalg_kernels   linalg;
    tess__random_kernels   random;
    tess__op_kernels       op;
    tess__fft_kernels      fft;
    tess__signal_kernels   signal;
    tess__geometry_kernels geometry;
} tess__kernels;

#endif
