/* The kernels of scans. */
#ifndef TESS_CPU_SCAN_KERNELS_H
#define TESS_CPU_SCAN_KERNELS_H

#include "requests/scan.h"

/* Lines are walked in chunks of this many elements, some of them at a time. */
enum { TESS__SCAN_CHUNK = 512, TESS__SCAN_LANES = 4 };

/* One running operation in one dtype. Strides are in elements; n elements of a line, or rows, lie within one chunk. The
 * state of `width` lines is arrays of that many, one behind the other. An input may be exactly the output. */
typedef struct tess__scan_kernel {
    int64_t state_size; /* bytes for each line, at most 32 */
    void (*start)(void *state, int64_t width);
    void (*line)(void *out, int64_t so, const void *in, int64_t si, int64_t n, void *state);
    void (*columns)(void *out, int64_t so, const void *in, int64_t si, int64_t n, int64_t width, void *state);
    /* The rest is NULL where chunks mean nothing. When a chunk ends: */
    void (*fold)(void *state, int64_t width);
    /* Contiguous lines, as many as there are lanes: */
    void (*lanes)(void *const *out, const void *const *in, int64_t n, void *state);
    /* That many whole chunks of one line, with its state, or with a new one for each and no results: */
    void (*chunks)(void *out, const void *in, void *state);
    void (*totals)(const void *in, void *states);
} tess__scan_kernel;

/* Filled by kernels_scan.c. */
typedef struct tess__scan_kernels {
    const tess__scan_kernel *op[TESS__SCANS][TESS_SCALAR_DTYPE_COUNT]; /* NULL: not computed in that dtype */
} tess__scan_kernels;

#endif
