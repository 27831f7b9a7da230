/* Parameters of the kernel that adds up the tables of an ordered scatter: read by the host's C and by the kernel. */
#ifndef TESS_CUDA_OP_SCATTER_MERGE_PARAMS_H
#define TESS_CUDA_OP_SCATTER_MERGE_PARAMS_H

#include <stdint.h>

typedef struct tess__gpu_scatter_tables {
    uint64_t tables;              /* of the chunks, one after the other */
    int64_t  copies, copy;        /* bytes of one; where the array's elements begin there */
    uint64_t data;                /* the array that is added to */
    int64_t  stride[4], shape[4]; /* of it */
    int64_t  elements;            /* of it in a table: all, or those of a batch */
    int64_t  all;                 /* elements of all batches that these chunks add to */
    int64_t  first, n, of_sum;    /* chunks: the first, how many, how many there are for the same elements */
} tess__gpu_scatter_tables;

#endif
