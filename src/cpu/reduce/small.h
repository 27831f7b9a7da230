/* Contiguous chunks, and the fast path of reductions to one result of a few of them. */
#ifndef TESS_CPU_REDUCE_SMALL_H
#define TESS_CPU_REDUCE_SMALL_H

#include "cpu/reduce/reduce.h"

/* Estimated time of a byte read, in nanoseconds. */
#define TESS__BYTE_NS 0.03
/* Below this, a result's numbers are not divided among threads. */
#define TESS__PARALLEL_MIN_NS 40000.0

enum { TESS__LONG_RUN = 8 * TESS__CHUNK }; /* elements of a call where neither order nor workspace matters */

/* The order in which n consecutive chunks are read: several streams interleaved. x86 reads memory faster so; on other
 * processors it has not been tried. */
static inline int64_t tess__interleaved(int64_t i, int64_t n)
{
#if defined(__x86_64__)
    enum { STREAMS = 4 };
#else
    enum { STREAMS = 1 };
#endif
    const int64_t each = n / STREAMS;
    return i < each * STREAMS ? i % STREAMS * each + i / STREAMS : i;
}

/* `behind`: bytes after the elements that are read next. */
static inline tess__reduce_fn *tess__kernel_for(const tess__method *m, int64_t behind)
{
    return m->prefetch && behind >= TESS__PREFETCH_DISTANCE ? m->prefetch : m->fn;
}

/* True if further numbers cannot change the result, when `nonzero` of `numbers` so far are not 0. */
static inline bool tess__is_settled(int op, int64_t nonzero, int64_t numbers)
{
    return op == TESS__R_ANY ? nonzero > 0 : op == TESS__R_ALL && nonzero < numbers;
}

/* Estimated nanoseconds of an element, beyond reading it. */
static inline double tess__cost_of(const tess__method *m, bool direct) { return 0.1 + m->cost + (direct ? 0 : 0.5); }

/* Chunk states that are not merged yet, in a binary counter. */
typedef struct tess__waiting {
    tess__slot *slot;  /* state after state */
    int         top;   /* states */
    int64_t     count; /* chunks so far */
} tess__waiting;

/* Chunks first to last - 1 of n contiguous elements. */
void tess__add_contiguous_chunks(const tess__method *m, const char *const in[2], int64_t n, int64_t first, int64_t last,
                                 tess__waiting *w);

/* Converts results from `values` to the dtype of an output. */
void tess__convert_results(const tess__method *m, int which, char *to, tess_dtype dtype, int64_t stride, double *values,
                           int64_t n);

/* False if it is not one result of a few contiguous chunks; else it is computed or queued. */
bool tess__reduce_small(tess_stream *stream, const tess__reduce *work, tess_status *status);

#endif
