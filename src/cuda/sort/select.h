/* Radix selection: keys of long vectors by their ranks, without sorting. */
#ifndef TESS_CUDA_SORT_SELECT_H
#define TESS_CUDA_SORT_SELECT_H

#include "cuda/sort/sort_vectors.h"

/* Quantiles that are looked for at once, each with two ranks. */
enum { TESS__CUDA_SELECT_MAX = TESS__GPU_RANKS / 2 };

/* TESS__GPU_QUANTILES: no more than that. In other modes: the key of rank s->kth of each vector to `pivots`, and to
 * `starts`, three u64 for each vector, 0, how many are below it, and how many are not above it. */
tess_status tess__cuda_select(tess__cuda_call *call, const tess__cuda_vectors *s, tess__cu_address pivots,
                              tess__cu_address starts);

#endif
