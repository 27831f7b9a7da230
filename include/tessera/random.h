/* Random numbers, reproducible for any number of threads, instruction set, device and strides.
 *
 * The generator is Philox4x32-10, which computes numbers from a key, the seed, and a counter. Element i of an array, in
 * b, d, h, w order, uses the numbers of index `offset + i`. So filling an array in two calls, the second with the
 * number of elements of the first as its offset, gives the same result as one call. Equal seeds give equal numbers;
 * `stream` gives independent ones for the same seed, for example for the threads or frames of a program.
 * tessera/math/random.op.h defines every number.
 *
 * `out` must be an allocated array, since its shape is not known otherwise; a zeroed one is an error. Complex numbers
 * have two independent parts, generated as for a real array with twice as many elements. Parameters are rounded to the
 * dtype of the numbers, and are an error if out of its range; f16 is computed as f32. Empty arrays are allowed.
 */
#ifndef TESSERA_RANDOM_H
#define TESSERA_RANDOM_H

#include "tessera/array.h"

TESS_BEGIN_C

typedef struct tess_random_opts {
    uint32_t stream;      /* selects one of 2^32 sequences of the seed [0] */
    int32_t  unused;      /* must be 0 */
    uint64_t offset;      /* index of the first element, up to 2^62 [0] */
    uint32_t reserved[4]; /* must be 0 */
} tess_random_opts;

/** Generates uniform random numbers from low to high, excluding high unless it equals low. f16, f32 and f64 use 11, 24
 *  and 53 random bits. Floats and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_uniform(tess_array *out, double low, double high, uint64_t seed,
                                                         const tess_random_opts *opts);

/** Generates normal random numbers with this mean and standard deviation, within 6.8 standard deviations of the mean in
 *  f16 and f32, and 8.5 in f64. Floats and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_normal(tess_array *out, double mean, double std, uint64_t seed,
                                                        const tess_random_opts *opts);

/** Generates log-normal random numbers, whose logarithms have this mean and standard deviation: exp of those of
 *  tess_random_normal. Floats and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_lognormal(tess_array *out, double mean, double std, uint64_t seed,
                                                           const tess_random_opts *opts);

/** Generates exponential random numbers with mean `scale`. Floats and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_exponential(tess_array *out, double scale, uint64_t seed,
                                                             const tess_random_opts *opts);

/** Generates Poisson random numbers with the expected values `means`, which broadcast to `out`, may be exactly `out`,
 *  and may be a number (tessera/scalar.h). Means range from 0 to 2^53. Any other mean is an error, detected before
 *  anything is written; an asynchronous stream reports it at the next synchronisation unless `means` is a number. A
 *  result depends only on its index and its own mean, which for a complex number is that of both parts. Integers,
 *  clamped to their range, floats and complex. */
TESS_API TESS_MUST_CHECK tess_status tess_random_poisson(tess_array *out, const tess_array *means, uint64_t seed,
                                                         const tess_random_opts *opts);

/** Generates uniform random integers from low to high, both included, the same in every dtype. All real dtypes that can
 *  represent the range: f16, f32 and f64 up to 2^11, 2^24 and 2^53. */
TESS_API TESS_MUST_CHECK tess_status tess_random_integers(tess_array *out, int64_t low, int64_t high, uint64_t seed,
                                                          const tess_random_opts *opts);

/** Generates a random permutation of 0 to n - 1 in an allocated integer array of n elements, whose dtype can represent
 *  them. All permutations are equally likely. Needs 32 n bytes of workspace. */
TESS_API TESS_MUST_CHECK tess_status tess_random_permutation(tess_array *out, uint64_t seed,
                                                             const tess_random_opts *opts);

/** Shuffles the slices of an array of any dtype along an axis, in the order of tess_random_permutation of the same
 *  length. `out` may be zeroed, or exactly `in`, which is then copied first. */
TESS_API TESS_MUST_CHECK tess_status tess_random_shuffle(tess_array *out, const tess_array *in, int axis, uint64_t seed,
                                                         const tess_random_opts *opts);

/** Computes the four 32-bit output words of Philox4x32-10. */
TESS_API void tess_random_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

TESS_END_C

#endif
