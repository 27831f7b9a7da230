/* Random numbers: the same for any number of threads, any instruction set, any device and any strides.
 *
 * The generator is Philox4x32-10, which makes numbers from a key, the seed, and a counter. Element i of an array, in b,
 * d, h, w order, takes the numbers that belong to place `offset + i`: two halves of an array filled by two calls, the
 * second with the first one's number of elements as its offset, are the whole. Equal seeds give equal numbers;
 * `stream` gives independent ones for the same seed, as for the threads or the frames of a program.
 *
 * `out` is an array that was made; a zeroed one is an error, since nothing says its shape. Complex numbers have two
 * independent parts, each as for a real array of twice as many elements.
 */
#ifndef TESSERA_RANDOM_H
#define TESSERA_RANDOM_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_random_opts {
    uint32_t stream;      /* which of 2^32 sequences of the seed [0] */
    int32_t  unused;      /* must be 0 */
    uint64_t offset;      /* place of the first element [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_random_opts;

/** From low to high, high left out: f16, f32 and f64 from 11, 24 and 53 random bits. Floats and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_uniform(tess_array *out, double low, double high, uint64_t seed,
                                                         const tess_random_opts *opts);

/** Normal, with mean and standard deviation. Floats and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_normal(tess_array *out, double mean, double std, uint64_t seed,
                                                        const tess_random_opts *opts);

/** Numbers whose logarithms are normal with this mean and standard deviation. Floats. */
TESS_API TESS_MUST_CHECK tess_status tess_random_lognormal(tess_array *out, double mean, double std, uint64_t seed,
                                                           const tess_random_opts *opts);

/** Exponential, with mean `scale`. Floats. */
TESS_API TESS_MUST_CHECK tess_status tess_random_exponential(tess_array *out, double scale, uint64_t seed,
                                                             const tess_random_opts *opts);

/** Poisson: numbers of events, of which `means` says how many are expected; it broadcasts to `out`, and may be a number
 *  (tessera/scalar.h). From 0 to 2^53; a negative or NaN mean is an error. Integers, clamped to their range, and
 *  floats. */
TESS_API TESS_MUST_CHECK tess_status tess_random_poisson(tess_array *out, const tess_array *means, uint64_t seed,
                                                         const tess_random_opts *opts);

/** Whole numbers from low to high, both included, all equally likely. All real dtypes that hold both. */
TESS_API TESS_MUST_CHECK tess_status tess_random_integers(tess_array *out, int64_t low, int64_t high, uint64_t seed,
                                                          const tess_random_opts *opts);

/** The numbers 0 to n - 1 in random order, into an integer array of n elements that was made. All orders are equally
 *  likely. */
TESS_API TESS_MUST_CHECK tess_status tess_random_permutation(tess_array *out, uint64_t seed,
                                                             const tess_random_opts *opts);

/** The slices of an array along an axis in random order: that of tess_random_permutation of as many numbers. `out` may
 *  be exactly `in`, or zeroed. */
TESS_API TESS_MUST_CHECK tess_status tess_random_shuffle(tess_array *out, const tess_array *in, int axis, uint64_t seed,
                                                         const tess_random_opts *opts);

/** The four 32-bit words of Philox4x32-10. */
TESS_API void tess_random_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

TESS_END_C

#endif
