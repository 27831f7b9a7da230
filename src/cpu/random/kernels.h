/* Philox random-number kernels. */
#ifndef TESS_CPU_RANDOM_KERNELS_H
#define TESS_CPU_RANDOM_KERNELS_H

#include "cpu/row_kernel.h"
#include "requests/random.h"

/* Maximum blocks of a group of random numbers, which are generated together. */
enum { TESS__RANDOM_BLOCKS = 80 };

/* n random numbers from this index of the sequence on, contiguous. */
typedef void tess__random_fn(void *out, uint64_t index, int64_t n, const tess__random_spec *spec);

/* The same for numbers that each have a mean. */
typedef void tess__poisson_fn(double *out, const double *means, uint64_t index, int64_t n,
                              const tess__random_spec *spec);

/* Filled by kernels_random.c. */
typedef struct tess__random_kernels {
    tess__random_fn  *floats[TESS__RANDOM_FLOATS][TESS__REALS]; /* f16 comes as f32 */
    tess__random_fn  *integers;                                 /* i64 */
    tess__random_fn  *keys;                                     /* u64, all bits */
    tess__poisson_fn *poisson;
    int64_t           blocks; /* of a group */
    /* For programs: seed and counter of u64. */
    void (*uniform)(float *out, const void *const *p, const int64_t *s, int64_t n);
} tess__random_kernels;

#endif
