/* Parallel sample sort of one long vector. */
#ifndef TESS_CPU_SORT_SAMPLE_SORT_H
#define TESS_CPU_SORT_SAMPLE_SORT_H

#include <stddef.h>

#include "cpu/sort/kernels.h"

/* Elements of a vector from which on a parallel sort pays, and bytes from which on it pays even for one thread. */
enum { TESS__SAMPLE_SORT_MIN = 1 << 17, TESS__SAMPLE_SORT_ALONE = 1 << 25 };

/* Steps before and after the sort, on items first to last - 1, by the thread that reads them next or has sorted them,
 * while they are in its cache. NULL: none. */
typedef struct tess__sort_steps {
    void (*make)(void *context, int64_t first, int64_t last);
    void (*take)(void *context, int64_t first, int64_t last);
    void *context;
} tess__sort_steps;

/* n items of `size` bytes, to be sorted in place by their bits from `low` on; `workspace` holds as many, `memory` the
 * bytes below. */
typedef struct tess__long_vector {
    void            *items, *workspace, *memory;
    int64_t          n, size;
    int              low;
    tess__sort_steps steps;
} tess__long_vector;

void   tess__sample_sort(const tess__item_kernel *kernel, const tess__long_vector *v);
size_t tess__sample_sort_size(void);

#endif
