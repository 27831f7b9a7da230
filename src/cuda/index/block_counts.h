/* Exclusive prefix sum of the counts of blocks, on the device, and copying the total to the host. */
#ifndef TESS_CUDA_INDEX_BLOCK_COUNTS_H
#define TESS_CUDA_INDEX_BLOCK_COUNTS_H

#include "cuda/runtime/device.h"

/* n counts, i64, become their exclusive prefix sums; the total is written after the last. */
tess_status tess__cuda_add_up(tess__cuda_call *call, tess__cu_address counts, int64_t n);

/* A number of 8 bytes, waited for. */
tess_status tess__cuda_fetch(int64_t *number, tess__cuda_call *call, tess__cu_address from);

#endif
