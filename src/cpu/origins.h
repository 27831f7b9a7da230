/* Where windows and sub-regions lie: origins of any integer dtype, as places in b, d, h, w. */
#ifndef TESS_CPU_ORIGINS_H
#define TESS_CPU_ORIGINS_H

#include "backend.h"

/* So many are looked at in one go. */
enum { TESS__ORIGINS = 512 };

/* Origins `first` to first + n - 1, n at most TESS__ORIGINS, of windows onto an array of `batches`; each coordinate is
 * brought within 2^60. With k coordinates below 4, origin i lies in batch i, or in the only one. */
void tess__read_origins(int64_t (*place)[4], const tess_array *origins, int64_t first, int64_t n, int64_t batches);

#endif
