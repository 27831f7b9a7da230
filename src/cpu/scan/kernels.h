/* Scan kernels (prefix sums, products, minima and maxima): the table of one kernel for each operation and dtype. */
#ifndef TESS_CPU_SCAN_KERNELS_H
#define TESS_CPU_SCAN_KERNELS_H

#include "requests/scan.h"

/* Vectors along the axis are scanned in chunks of this many elements, and this many vectors or chunks interleaved. */
enum { TESS__SCAN_CHUNK = 512, TESS__SCAN_LANES = 4 };

/* One scan in one dtype. Strides are in elements; n elements of a vector, or rows, lie within one chunk. The state of
 * `width` vectors is arrays of that many, one after the other. An input may be exactly the output. */
typedef struct tess__scan_kernel {
    int64_t state_size; /* bytes for each vector, at most 32 */
    void (*start)(void *state, int64_t width);
    void (*vector)(void *out, int64_t so, const void *in, int64_t si, int64_t n, void *state);
    void (*columns)(void *out, int64_t so, const void *in, int64_t si, int64_t n, int64_t width, void *state);
    /* The following are NULL where chunks do not change the result. At the end of a chunk: */
    void (*fold)(void *state, int64_t width);
    /* TESS__SCAN_LANES contiguous vectors, interleaved: */
    void (*lanes)(void *const *out, const void *const *in, int64_t n, void *state);
    /* TESS__SCAN_LANES whole chunks of one vector, with its state; or their sums alone, with a state for each: */
    void (*chunks)(void *out, const void *in, void *state);
    void (*totals)(const void *in, void *states);
} tess__scan_kernel;

/* Filled by kernels_scan.c. */
typedef struct tess__scan_kernels {
    const tess__scan_kernel *op[TESS__SCANS][TESS_SCALAR_DTYPE_COUNT]; /* NULL: not computed in that dtype */
} tess__scan_kernels;

#endif
