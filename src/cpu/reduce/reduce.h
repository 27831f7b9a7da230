/* Reductions on the CPU: how one is computed, what a thread works in, and the parts of its work.
 *
 * The elements of a result are numbered in b, d, h, w order over the reduced axes. Chunks of TESS__CHUNK numbers become
 * states; states are merged in a binary tree that the numbers of the chunks alone determine.
 */
#ifndef TESS_CPU_REDUCE_REDUCE_H
#define TESS_CPU_REDUCE_REDUCE_H

#include "cpu/reduce/kernels.h"
#include "cpu/reduce/plan/plan.h"
#include "cpu/reduce/plan/tile.h"
#include "cpu/reduce/plan/tree.h"
#include "cpu/tuning.h"

enum {
    TESS__LONG_RUN = 8 * TESS__CHUNK, /* elements of a call where neither order nor workspace matters */
    TESS__BATCH = 64                  /* most chunks for one call of a kernel */
};

/* How a block of results is computed: one by one; chunk by chunk; from rows that hold an element of each, in place or
 * gathered. */
enum { TESS__BY_ROWS, TESS__BY_CHUNKS, TESS__BY_COLUMNS, TESS__GATHERED };

/* Everything that is decided before the work begins. Trivially copyable: it can be copied into a queue. */
typedef struct tess__reduction {
    tess__reduce        work;
    tess__reduce_plan   plan;
    tess__tree_item     item[TESS__MAX_REDUCTIONS];
    int                 slots; /* of all items' states */
    tess_dtype          stored[2];
    bool                direct[TESS__MAX_REDUCTIONS]; /* the kernel reads elements in place */
    bool                all_direct, far;              /* all of them; what is read is in no cache */
    tess__reduce_kernel pairs;        /* for rows of two inputs, in place; columns is NULL: there is none */
    bool                converts;     /* rows of columns are converted to what all kernels read */
    int                 short_output; /* that results of short reductions go straight to; -1: there is none */
    bool                nt;           /* they go there by non-temporal stores */
    int                 threads;      /* that it is divided for */
    int                 mode;
    int64_t             run;      /* numbers of a chunk */
    int64_t             n_chunks; /* of a result */
    int64_t             block;    /* results of a block */
    int64_t             n_along;  /* blocks along the inner kept axis */
    int64_t             n_blocks;
    int64_t             sub_chunks;  /* chunks of a subtree, a power of 2 if there is more than one */
    int64_t             n_subs;      /* subtrees of a result */
    int64_t             tile[2];     /* numbers of a tile that an input is packed into; 0: it is not */
    double              cost;        /* estimated nanoseconds of all */
    _Alignas(16) char number[2][16]; /* inputs that are scalars of the caller */
} tess__reduction;

/* What a thread works in: parts of its workspace, NULL where they are not needed. */
typedef struct tess__reduce_memory {
    tess__tree   tree;
    tess__slot  *state;     /* of a block's results */
    double      *values;    /* results before they are converted */
    tess__tile   tile[2];   /* of each input that is packed; n is 0 until it is filled */
    char        *raw[2];    /* a chunk of each input, gathered, */
    char        *ready[2];  /* converted, */
    char        *converted; /* and rows of columns */
    const char **rows;      /* of one input and then of the other */
    void        *columns;   /* the kernels' of columns */
} tess__reduce_memory;

/* ---- strategy.c ---- */

/* Decides everything; r->work is set. */
void tess__choose_strategy(tess__reduction *r);

/* ---- dispatch.c, epilogue.c ---- */

/* Choose the method for an item of the work. */
void tess__method_of(tess__method *m, const tess__reduce *work, int item);

/* True if the kernel can read the elements in place. */
static inline bool tess__reads_directly(const tess__method *m, const tess_dtype stored[2], bool skip_nan)
{
    return !skip_nan && m->map == TESS__MAP_NONE && m->read[0] == stored[0] &&
           (m->read[1] == TESS_DTYPE_NONE || m->read[1] == stored[1]);
}

static inline bool tess__is_variance(const tess__method *m) { return m->op == TESS__R_VAR || m->op == TESS__R_STD; }

/* True if elements of this work are not in a cache, so that prefetch pays. */
bool tess__is_far(const tess__reduce *work);

/* Estimated nanoseconds of an element, beyond reading it. */
static inline double tess__cost_of(const tess__method *m, bool direct) { return 0.1 + m->cost + (direct ? 0 : 0.5); }

/* True if further numbers cannot change the result, when `nonzero` of `numbers` so far are not 0. */
static inline bool tess__is_settled(int op, int64_t nonzero, int64_t numbers)
{
    return op == TESS__R_ANY ? nonzero > 0 : op == TESS__R_ALL && nonzero < numbers;
}

/* Where results go: `stride` elements apart. */
typedef struct tess__destination {
    char      *to;
    tess_dtype dtype;
    int64_t    stride;
} tess__destination;

/* Output `which` of results from their states; `values` holds two doubles for each. */
void tess__put_outputs(const tess__method *m, int which, const tess__results *from, const tess__destination *d,
                       double *values);

/* ---- load.c ---- */

/* Converts, maps and removes NaNs from up to a chunk; `stored` are the dtypes of the inputs. */
void tess__prepare_chunk(const tess__method *m, tess__chunks *c, const tess_dtype stored[2], bool skip_nan,
                         char *const workspace[2]);

/* Converts n rows of `columns` elements to another dtype; `rows` then points into `workspace`. */
void tess__convert_rows(const char **rows, int64_t n, int64_t columns, tess_dtype from, tess_dtype to, char *workspace);

/* n rows of products of `columns` elements: rows[i] with rows[n + i], whose stride is `step`, 0 or 1. `rows` then
 * points to the products, in the dtype that the method reads. */
void tess__multiply_rows(const tess__method *m, const char **rows, int64_t n, int64_t columns,
                         const tess_dtype stored[2], int64_t step, char *workspace);

/* ---- rows.c, columns.c ---- */

/* Offset in elements of a number, or a result, in input k. */
int64_t tess__nest_offset(const tess__nest *nest, int k, int64_t index);

/* Chunks of a run, and the first number of one. */
int64_t tess__chunks_of_run(const tess__reduction *r);
int64_t tess__chunk_begin(const tess__reduction *r, int64_t chunk);

/* Adds whole chunks of contiguous elements, whose number is that of in->n, to a tree of one item and column. */
void tess__add_contiguous(tess__tree *tree, const tess__chunks *in, const int64_t size[2]);

/* Chunks first to last - 1 of each of the tree's columns, whose numbers begin at `base`. */
void tess__add_rows(const tess__reduction *r, const char *const base[2], int64_t first, int64_t last,
                    tess__reduce_memory *memory);
void tess__add_columns(const tess__reduction *r, const char *const base[2], int64_t first, int64_t last,
                       tess__reduce_memory *memory);

/* The results of `columns` columns, straight to `to`; false if their states are needed. */
bool tess__reduce_short_columns(const tess__reduction *r, const char *const base[2], int64_t columns, char *to,
                                tess__reduce_memory *memory);

/* ---- small.c ---- */

/* False if it is not one result of a few contiguous chunks; else it is computed or queued. */
bool tess__reduce_small(tess_stream *stream, const tess__reduce *work, tess_status *status);

#endif
