/* Sorting, partitions and the largest elements along an axis. */
#ifndef TESS_REQUESTS_SORT_H
#define TESS_REQUESTS_SORT_H

#include "tessera/array.h"

/* Operations that order the elements of vectors. */
enum { TESS__SORT, TESS__ARGSORT, TESS__PARTITION, TESS__TOPK };

/* The vectors along an axis, sorted wholly or in part. Plain data. Outputs have the input's vectors, of n elements
 * or of k; those with data NULL are not wanted. */
typedef struct tess__sort {
    const char *name;
    int32_t     op; /* a TESS__SORT … */
    int32_t     axis;
    bool        descending;
    int64_t     k; /* TESS__PARTITION: the index; TESS__TOPK: how many */
    tess_array  in;
    tess_array  values;  /* real, of any dtype; may be exactly the input unless there are indices */
    tess_array  indices; /* of integers that hold them */
} tess__sort;

#endif
