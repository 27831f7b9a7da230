/* Random numbers: the same for any number of threads, any instruction set, any device and any strides.
 *
 * The generator is Philox4x32-10, which makes numbers from a key, the seed, and a counter. Element i of an array, in b,
 * d, h, w order, takes the numbers that belong to index `offset + i`: two halves of an array filled by two calls, the
 * second with the first one's number of elements as its offset, are the whole. Equal seeds give equal numbers;
 * `stream` gives independent ones for the same seed, as for the threads or the frames of a program.
 * tessera/math/random.op.h defines every number.
 *
 * `out` is an array that was made; a zeroed one is an error, since nothing says its shape. Complex numbers have two
 * independent parts, each as for a real array of twice as many elements. Parameters are rounded to the dtype of the
 * numbers, and beyond its range an error; f16 is computed as f32. Of an empty array there is nothing to do.
 */
#ifndef TESSERA_RANDOM_H
#define TESSERA_RANDOM_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_random_opts {
    uint32_t stream;      /* which of 2^32 sequences of the seed [0] */
    int32_t  unused;      /* must be 0 */
    uint64_t offset;      /* index of the first element, up to 2^62 [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_random_opts;

/** From low to high, high left out unless it is equal to low: f16, f32 and f64 from 11, 24 and 53 random bits. Floats
 *  and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_uniform(tess_array *out, double low, double high, uint64_t seed,
                                                         const tess_random_opts *opts);

/** Normal, with mean and standard deviation; up to 6.8 of these from the mean in f16 and f32, 8.5 in f64. Floats and
 *  complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_normal(tess_array *out, double mean, double std, uint64_t seed,
                                                        const tess_random_opts *opts);

/** Numbers whose logarithms are normal with this mean and standard deviation: exp of tess_random_normal's. Floats and
 *  complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_lognormal(tess_array *out, double mean, double std, uint64_t seed,
                                                           const tess_random_opts *opts);

/** Exponential, with mean `scale`. Floats and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_exponential(tess_array *out, double scale, uint64_t seed,
                                                             const tess_random_opts *opts);

/** Poisson: numbers of events, of which `means` says how many are expected; it broadcasts to `out`, may be exactly
 *  `out`, and may be a number (tessera/scalar.h). From 0 to 2^53; any other mean is an error, found before anything is
 *  written, which an asynchronous stream reports when it is waited for unless it is a number. A result depends on its
 *  index and its own mean alone, which of a complex number is that of both parts. Integers, clamped to their range,
 *  floats and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_poisson(tess_array *out, const tess_array *means, uint64_t seed,
                                                         const tess_random_opts *opts);

/** Integers from low to high, both included, all equally likely, the same in every dtype. All real dtypes that
 *  hold both: floats up to 2^11, 2^24 and 2^53, where they hold all that lie between. */
TESS_API TESS_MUST_CHECK tess_status tess_random_integers(tess_array *out, int64_t low, int64_t high, uint64_t seed,
                                                          const tess_random_opts *opts);

/** The numbers 0 to n - 1 in random order, into an integer array of n elements that was made and holds them. All orders
 *  are equally likely. Takes 32 n bytes of memory. */
TESS_API TESS_MUST_CHECK tess_status tess_random_permutation(tess_array *out, uint64_t seed,
                                                             const tess_random_opts *opts);

/** The slices of an array of any dtype along an axis in random order: that of tess_random_permutation of as many
 *  numbers. `out` may be exactly `in`, of which a copy is taken then, or zeroed. */
TESS_API TESS_MUST_CHECK tess_status tess_random_shuffle(tess_array *out, const tess_array *in, int axis, uint64_t seed,
                                                         const tess_random_opts *opts);

/** The four 32-bit words of Philox4x32-10. */
TESS_API void tess_random_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

TESS_END_C

#endif
