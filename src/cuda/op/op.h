/* User-defined operators on a GPU: what layout, maps and reductions share. */
#ifndef TESS_CUDA_OP_OP_H
#define TESS_CUDA_OP_OP_H

#include "cuda/jit/kernel.h"
#include "cuda/op/op_params.h"
#include "cuda/runtime/deferred_error.h"
#include "lang/operator.h"

enum { TESS__CUDA_OP_MAP, TESS__CUDA_OP_REDUCE, TESS__CUDA_OP_JOIN, TESS__CUDA_OP_SCATTER };

/* Specialisation: what of a call is compiled into its kernel; see op.cu.h. */
typedef struct tess__cuda_op_spec {
    const tess__operator *op;
    int                   kind;           /* a TESS__CUDA_OP_ */
    int                   pack, rounds;   /* powers of 2, as all that follows */
    int                   threads, group; /* group: of a reduction */
    int                   shared;         /* bytes, or 0 */
    int                   ordered;        /* how scatters add: 0, or a TESS__GPU_ */
    uint32_t              ones, kept;     /* axes */
    uint32_t              scalars, still; /* parameters */
    bool                  wide, columns, loops;
} tess__cuda_op_spec;

/* A call under way. */
typedef struct tess__cuda_op {
    tess__cuda_call      *call;
    const tess__op_call  *work;
    const tess__operator *op;
    tess__cuda_op_spec    spec;
    tess__gpu_op          p;
    tess__cuda_deferred  *deferred; /* of faults; NULL: there are none */
    tess__cu_address      results;  /* of outputs in host memory, 16 bytes each; 0: there are none */
} tess__cuda_op;

/* ---- Layout ---- */

/* The axes, and where all parameters are; strides along w are still those of elements. */
void tess__cuda_op_lay_out(tess__cuda_op *o);
/* Choose the elements of a pack, at most `max`, and the packs that a thread reads before it computes. `rounds`: of a
 * loop that reads little. */
void tess__cuda_op_pack(tess__cuda_op *o, int max, int rounds);

/* Elements of the operator's accumulators. */
static inline int64_t tess__cuda_op_state(const tess__operator *op) { return 16 * (int64_t)op->n_acc; }

/* ---- Running ---- */

tess_status tess__cuda_op_launch(tess__cuda_op *o, int64_t blocks);

/* Element-wise and index-wise work. */
void        tess__cuda_op_plan_map(tess__cuda_op *o);
tess_status tess__cuda_op_map(tess__cuda_op *o);

/* Scatters of floats to few elements, in the order of the CPU; false: there are no floats, or too many elements. */
bool        tess__cuda_op_plan_scatter(tess__cuda_op *o);
tess_status tess__cuda_op_scatter(tess__cuda_op *o);
/* Lay out a block's private copies of all arrays that are added to; their bytes, or 0 if that is too much. `batched`:
 * copies are of one batch. */
int64_t tess__cuda_op_copies(tess__cuda_op *o, bool batched);
/* As much memory of a block as such copies need, rounded up so that there are few kernels. */
int tess__cuda_op_shared(int64_t bytes);

/* Reductions. */
void tess__cuda_op_plan_reduce(tess__cuda_op *o);
/* The second of its kernels: a result from the states of chunks. Sets the layout of the states as its threads read
 * them. */
tess__cuda_op_spec tess__cuda_op_spec_of_join(tess__cuda_op *o);
tess_status        tess__cuda_op_reduce(tess__cuda_op *o);

#endif
