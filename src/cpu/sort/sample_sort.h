/* Parallel sample sort of one long vector. */
#ifndef TESS_CPU_SORT_SAMPLE_SORT_H
#define TESS_CPU_SORT_SAMPLE_SORT_H

#include <stddef.h>

#include "cpu/sort/kernels.h"

/* Elements of a vector from which on a parallel sort pays, and bytes from which on it pays even for one thread. */
enum { TESS__SAMPLE_SORT_MIN = 1 << 17, TESS__SAMPLE_SORT_ALONE = 1 << 25 };

/* Sorts n items, in place, of the kind that `kernel` is for; `workspace` holds n, `memory` the bytes below. */
void tess__sample_sort(const tess__item_kernel *kernel, int64_t size, void *items, void *workspace, int64_t n, int low,
                       void *memory);
size_t tess__sample_sort_size(void);

/* The steps before and after it, in parallel. Keys may be computed in place. */
void tess__keys_parallel(const tess__key_kernel *kernel, void *keys, const void *in, int64_t n,
                         const tess__order *order);
void tess__numbers_parallel(const tess__key_kernel *kernel, void *out, const void *keys, int64_t n,
                            const tess__order *order);
void tess__pack_parallel(const tess__key_kernel *kernel, void *items, const void *in, int64_t n, bool wide,
                         const tess__order *order);

#endif
