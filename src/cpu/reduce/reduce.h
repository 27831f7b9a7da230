/* Reduction methods on the CPU: how the elements of one result are reduced, and how states are merged.
 *
 * The elements of a result are numbered in b, d, h, w order over the reduced axes. Chunks of TESS__CHUNK numbers become
 * states; states are merged in a binary tree that the numbers of the chunks alone determine.
 */
#ifndef TESS_CPU_REDUCE_REDUCE_H
#define TESS_CPU_REDUCE_REDUCE_H

#include "cpu/convert/convert.h"
#include "cpu/reduce/kernels.h"
#include "requests/reduce.h"

enum { TESS__STATE_SLOTS = 11 }; /* most slots of a state, with the count of numbers that are not NaN */

typedef struct tess__method tess__method;

/* Merges b, the state of the range that follows, into a. */
typedef void tess__merge_fn(tess__slot *a, int64_t step_a, const tess__slot *b, int64_t step_b);

/* The states of neighbouring results: slot k of result i is slot[k * step + i]. */
typedef struct tess__states {
    tess__slot *slot;
    int64_t     step;
} tess__states;

/* Epilogue: output `which` of n results from their states, to `wide`, in the dtype method->wide. `counts` are the
 * numbers in each, step 0 or 1. */
typedef void tess__epilogue_fn(const tess__method *m, int which, tess__states s, int64_t n, const int64_t *counts,
                               int count_step, void *wide);

/* No operator. */
enum { TESS__MAP_NONE = -1 };

/* How one reduction of one dtype is computed. */
struct tess__method {
    int                      op;      /* a TESS__R_ */
    tess_dtype               read[2]; /* dtypes that the inputs are converted to */
    tess_dtype               mapped;  /* dtype that the kernel reads */
    tess_dtype               wide[2]; /* dtype of each output before it is converted */
    int                      map;     /* operator, TESS__OP_, applied to elements after conversion */
    tess__reduce_fn         *fn;
    tess__reduce_fn         *prefetch; /* fn with prefetch; NULL: there is none */
    tess__sums_fn           *sums;     /* of chunks that are merged by adding; NULL: there is none */
    tess__sums_fn           *far_sums; /* the same for data outside the caches */
    tess__columns_fn        *columns;  /* NULL: there is none */
    tess__column_results_fn *results;  /* columns to results; NULL: there is none */
    int                      slots;
    bool                     ordered; /* fn writes a new state; otherwise it adds to one */
    tess__slot               neutral[TESS__STATE_SLOTS];
    tess__merge_fn          *merge;
    tess__epilogue_fn       *epilogue;
    double                   empty; /* result of no numbers */
    int                      ddof;
    double                   cost; /* estimated nanoseconds an element, beyond reading it */
};

/* Choose the method for an item of the work. */
void tess__method_of(tess__method *m, const tess__reduce *work, int item);

/* A chunk's elements, contiguous, as the method's kernel wants them. */
typedef struct tess__chunk {
    const void *x, *y;
    int64_t     n;
} tess__chunk;

/* Workspace for the converted elements of a chunk. */
typedef struct tess__chunk_workspace {
    _Alignas(64) char x[TESS__CHUNK * 16];
    _Alignas(64) char y[TESS__CHUNK * 16];
} tess__chunk_workspace;

/* Converts, maps and removes NaNs; `stored` are the dtypes of the inputs. */
void tess__prepare_chunk(const tess__method *m, tess__chunk *c, const tess_dtype stored[2], bool skip_nan,
                         tess__chunk_workspace *workspace);

/* Converts n rows of `columns` elements to another dtype; `rows` then points into `workspace`. */
void tess__convert_rows(const char **rows, int64_t n, int64_t columns, tess_dtype from, tess_dtype to, char *workspace);

/* n rows of products of `columns` elements: rows[i] with rows[n + i], whose stride is `step`, 0 or 1. `rows` then
 * points to the products, in the dtype that the method reads. */
void tess__multiply_rows(const tess__method *m, const char **rows, int64_t n, int64_t columns,
                         const tess_dtype stored[2], int64_t step, char *workspace);

/* True if the kernel can read the elements in place. */
static inline bool tess__reads_directly(const tess__method *m, const tess_dtype stored[2], bool skip_nan)
{
    return !skip_nan && m->map == TESS__MAP_NONE && m->read[0] == stored[0] &&
           (m->read[1] == TESS_DTYPE_NONE || m->read[1] == stored[1]);
}

#endif
