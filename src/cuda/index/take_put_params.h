/* Parameters of the kernels of gather and scatter by indices: read by the host's C and by the kernels. */
#ifndef TESS_CUDA_INDEX_TAKE_PUT_PARAMS_H
#define TESS_CUDA_INDEX_TAKE_PUT_PARAMS_H

#include "cuda/jit/loop_params.h"
#include "formulas/whole.op.h"

/* Indices one by one. */
typedef struct tess__gpu_indices {
    tess__gpu_loop loop;    /* operand: the indices, in b, d, h, w order */
    int64_t        n;       /* of the axis that they count along, or the array */
    tess__whole    whole;   /* of that; targets are offsets then */
    uint64_t       bad;     /* u64: the number of the first that is out of range; all bits set: none */
    uint64_t       last;    /* for each index of the axis, 1 + the number of the last entry equal to it, or 0 */
    uint64_t       targets; /* not negative; of put, -1 if a later entry has the same index */
} tess__gpu_indices;

/* Elements from or to indices. Operands: the array whose elements are walked over; of the other one, that with the
 * axis, its first ones along that; indices. Strides of the first two, and `step`, which is along the axis, count
 * words. */
typedef struct tess__gpu_move {
    tess__gpu_loop loop;
    int64_t        n, step;
} tess__gpu_move;

/* Elements added at indices that are sorted. Operands: in, out, of the latter its first along the axis, sorted
 * targets. */
typedef struct tess__gpu_add {
    tess__gpu_loop loop;
    int64_t        n;           /* targets */
    int64_t        along, step; /* along the axis of in and of out, in reals */
    uint64_t       sorted;      /* targets, */
    uint64_t       order;       /* and the number that each had */
} tess__gpu_add;

#endif
