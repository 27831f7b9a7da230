/* Flat indices, which count through a whole array in b, d, h, w order, to offsets: for the host and for kernels. */
#ifndef TESS_FORMULAS_WHOLE_OP_H
#define TESS_FORMULAS_WHOLE_OP_H

/* Offsets are from the first element in memory. Adjacent dimensions that are contiguous are merged here. */
typedef struct tess__whole {
    int64_t start; /* offset of index 0, where there are negative strides */
    int64_t shape[4], stride[4];
    int32_t dims; /* 0: all elements are contiguous, so that offsets are indices */
} tess__whole;

#endif
