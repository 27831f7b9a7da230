/* Reductions by user-defined operators: the layout that tasks (run_reduce.c), chunks and results share. */
#ifndef TESS_CPU_OP_RUN_REDUCE_H
#define TESS_CPU_OP_RUN_REDUCE_H

#include "cpu/op/run.h"
#include "cpu/row_kernel.h"

typedef struct tess__op_reduction {
    tess__job    *job;
    bool          kept[4];
    bool          columns; /* lanes are results */
    int           along;   /* the axis that groups of results are taken from; -1: there is one result */
    int64_t       per_group, groups;
    int64_t       extent[4], chunks[4];     /* of a chunk, and how many of them, in each axis */
    int64_t       n_chunks;                 /* of one result, or group of columns */
    int64_t       count;                    /* elements of a result */
    bool          joins;                    /* some accumulators have no monoid */
    int32_t       lanes;                    /* of a tile */
    int64_t       width;                    /* lanes of a state */
    tess__row_fn *kernel[TESS__MAX_PARAMS]; /* that combines states, for each accumulator; NULL: by the join part */
    int64_t       size[TESS__MAX_PARAMS];   /* bytes of a lane */
    size_t        state_at[TESS__MAX_PARAMS], state_size; /* of `width` lanes */
    size_t        lanes_at[TESS__MAX_PARAMS], lanes_size; /* of TESS_LANES lanes */
    size_t        own_at[TESS__MAX_PARAMS], own_size;     /* as many of their own types */
    size_t        workspace;                              /* bytes of a thread */
    char         *states;                                 /* of all chunks, if they are the threads' tasks */
} tess__op_reduction;

/* The memory of a thread: for programs, lanes of a chunk, lanes of results and as many of their own types, states. */
typedef struct tess__op_reduce_memory {
    char *program, *lanes, *results, *own, *stack;
} tess__op_reduce_memory;

/* Neighbouring results along the axis of groups. */
typedef struct tess__op_results {
    int64_t origin[4]; /* the position of the first one */
    int64_t n;
    int64_t number; /* of the first one, or of a group of columns: orders faults */
} tess__op_results;

/* n lanes of accumulator i, which has a kernel; those of `from` lie `step` apart, 0 or 1. */
void tess__combine_lanes(const tess__op_reduction *r, int i, char *into, const char *from, int64_t step, int64_t n);

/* The state of one chunk: of one result, or of columns. */
void tess__run_chunk(const tess__op_reduction *r, const tess__op_reduce_memory *p, const tess__op_results *of,
                     int64_t chunk, char *state);

/* The state of all chunks, which are run one after the other. */
char *tess__run_all_chunks(const tess__op_reduction *r, const tess__op_reduce_memory *p, const tess__op_results *of);

/* The state of all chunks, of n lanes, from theirs, which it overwrites. */
char *tess__merge_chunks(const tess__op_reduction *r, const tess__op_reduce_memory *p, char *states, int64_t n);

/* A state of n lanes becomes results number `at` and on of a group. */
void tess__keep_results(const tess__op_reduction *r, const tess__op_reduce_memory *p, const char *state, int64_t at,
                        int64_t n);

/* Writes the results of a group that were kept. */
void tess__write_results(const tess__op_reduction *r, const tess__op_reduce_memory *p, const tess__op_results *group);

#endif
