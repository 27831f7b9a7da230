/* Splitters of sample sort: a table from keys to buckets, of about equal sizes and in the order of the keys. */
#ifndef TESS_CPU_SORT_SPLITTERS_H
#define TESS_CPU_SORT_SPLITTERS_H

#include "cpu/sort/kernels.h"

/* Splitters for n items of `size` bytes, whose keys are their first up to 8 bytes and differ in the bits `varying`,
 * which are not 0; at least two buckets then have items. `counts` has capacity for 1 << TESS__BUCKET_BITS. */
void tess__splitters_of(tess__splitters *splitters, const void *items, int64_t n, int64_t size, uint64_t varying,
                        uint16_t *counts);

#endif
