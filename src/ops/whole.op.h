/* How indices that count through a whole array, in b, d, h, w order, become offsets: for the host and for kernels. */
#ifndef TESS_OPS_WHOLE_OP_H
#define TESS_OPS_WHOLE_OP_H

/* Offsets are from the first element in memory. Neighbouring dimensions that lie in one line are one here. */
typedef struct tess__whole {
    int64_t start; /* offset of place 0, where there are negative strides */
    int64_t shape[4], stride[4];
    int32_t dims; /* 0: all elements lie in one line, so that nothing is left to be done */
} tess__whole;

#endif
