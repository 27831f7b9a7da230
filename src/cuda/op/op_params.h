/* Parameters of the kernels of user-defined operators: read by the host's C and by the kernels alike. */
#ifndef TESS_CUDA_OP_OP_PARAMS_H
#define TESS_CUDA_OP_OP_PARAMS_H

#include "cuda/jit/division_params.h"

/* A program declares as many parameters and bytes of structs as its operator has. They come last, so that its struct
 * is a prefix of the host's. */
#ifndef TESS__GPU_PARAMS
#define TESS__GPU_PARAMS 24
#define TESS__GPU_STRUCTS 1024
#endif

/* A parameter of the operator. */
typedef struct tess__gpu_operand {
    uint64_t data;       /* in, out, inout, view, scatter: the first element */
    int64_t  stride[4];  /* in elements; of in, out and inout along w by packs */
    int64_t  shape[4];   /* view, scatter */
    uint8_t  value[16];  /* val, and inputs that are a number */
    int64_t  copy;       /* scatter: the first byte of its copy, among those of a block */
    int64_t  copy_batch; /* elements from one batch to the next there; 0: of one batch */
} tess__gpu_operand;

/* So many operands have room for the structs of a call. */
#define TESS__GPU_STRUCT_OPERANDS ((TESS__GPU_STRUCTS + sizeof(tess__gpu_operand) - 1) / sizeof(tess__gpu_operand))

/* How scatters add in a fixed order: the body runs for one thread of a warp after the other; or for all of them, and
 * what it adds is logged until each has its turn. Macros, as the preprocessor compares them. */
#define TESS__GPU_SERIAL 1
#define TESS__GPU_LOGGED 2

/* The chunks of ordered scatters: see formulas/scatter_chunks.op.h. */
typedef struct tess__gpu_scatter {
    int64_t  extent[4], count[4]; /* of a chunk; chunks in each axis */
    int64_t  first, n;            /* chunks of this launch */
    int64_t  of_sum;              /* chunks that add to the same elements */
    uint64_t tables;              /* of the chunks; 0: each writes to the arrays themselves */
} tess__gpu_scatter;

/* A call: a loop over packs of elements along w, or over results, each of many packs in some chunks. */
typedef struct tess__gpu_op {
    int64_t           n;                     /* packs of a loop, results of a reduction */
    int64_t           size[4];               /* the axes of the domain in elements */
    int64_t           steps[4];              /* and in packs */
    tess__gpu_divisor divisor[4];            /* of steps */
    int64_t           tail;                  /* elements of the last pack along w; 0: all */
    int64_t           count;                 /* elements of a result */
    int64_t           packs;                 /* of a result */
    int64_t           chunk;                 /* packs of a chunk */
    int64_t           chunks;                /* of a result */
    int64_t           per_result, per_chunk; /* distances of states */
    uint64_t          states;                /* those of chunks; 0: there is one */
    uint64_t          fault;                 /* a tess__gpu_fault; 0: no fault is possible */
    int64_t           copies;                /* bytes of the copies of all scatters */
    tess__gpu_scatter scatter;
    tess__gpu_operand operand[TESS__GPU_PARAMS + TESS__GPU_STRUCT_OPERANDS]; /* structs lie behind the parameters */
} tess__gpu_op;

/* The first fault, by the number of its element. All zeros at first. */
typedef struct tess__gpu_fault {
    uint64_t rank; /* the higher the earlier; 0: nothing */
    uint32_t lock;
    int32_t  set, view; /* as in tess_fault */
    int32_t  unused;
    int64_t  index[4];
} tess__gpu_fault;

#endif
