/* Sorting, partition and quantiles of contiguous vectors. */
#ifndef TESS_CUDA_SORT_SORT_VECTORS_H
#define TESS_CUDA_SORT_SORT_VECTORS_H

#include "cuda/runtime/device.h"
#include "cuda/sort/sort_params.h"

typedef struct tess__cuda_vectors {
    int                 mode;                        /* a TESS__GPU_SORT … */
    tess_dtype          dtype;                       /* of the numbers: a real one */
    bool                descending, alike, raw_keys; /* as in tess__gpu_order */
    int64_t             vectors, n;                  /* elements of a vector; neither is 0 */
    int64_t             results; /* of a vector: n, or the first so many of TESS__GPU_ARGSORT, _CHOOSE */
    int64_t             kth;     /* TESS__GPU_PARTITION, _CHOOSE */
    tess__cu_address    in;
    tess__cu_address    values;  /* of the same dtype; may be `in` unless there are indices; 0: not wanted */
    tess__cu_address    indices; /* i64; 0: not wanted */
    tess__gpu_quantiles quantiles;
} tess__cuda_vectors;

/* How numbers of a dtype become keys: a TESS__GPU_KEY_. */
int tess__cuda_key_kind(tess_dtype dtype);

/* And in which order. */
tess__gpu_order tess__cuda_order(const tess__cuda_vectors *s);

/* Every vector in order, by the shortest way for its length. The input stays as it is. */
tess_status tess__cuda_sort_vectors(tess__cuda_call *call, const tess__cuda_vectors *s);

#endif
