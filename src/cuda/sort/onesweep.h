/* Onesweep radix sort, and three-way partition, of long vectors. */
#ifndef TESS_CUDA_SORT_ONESWEEP_H
#define TESS_CUDA_SORT_ONESWEEP_H

#include "cuda/sort/sort_vectors.h"

/* TESS__GPU_SORT and TESS__GPU_ARGSORT: digit by digit. */
tess_status tess__cuda_sort_long(tess__cuda_call *call, const tess__cuda_vectors *s);

/* TESS__GPU_PARTITION and TESS__GPU_CHOOSE: keys below, equal to and above that of each vector in `pivots`; `starts`
 * are three for each vector, u64: of these partitions. */
tess_status tess__cuda_partition_long(tess__cuda_call *call, const tess__cuda_vectors *s, tess__cu_address pivots,
                                      tess__cu_address starts);

#endif
