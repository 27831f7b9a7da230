/* Factorisation of an FFT length into radices, a cost model of it, and the cheapest length of at least n. */
#ifndef TESS_CPU_FFT_FACTORS_H
#define TESS_CPU_FFT_FACTORS_H

#include <stdbool.h>
#include <stdint.h>

/* Maximum stages of a 1-D plan; lengths are below 2^62. */
enum { TESS__FFT_MAX_STAGES = 40 };

/* The radices that n is the product of, in the order of the stages; returns how many. Prime factors are below 2^31. */
int tess__fft_factors(int32_t *radices, int64_t n);

bool tess__fft_has_kernel(int64_t r);

int64_t tess__fft_largest_prime(int64_t n);

/* Whether all prime factors of n have kernels. */
bool tess__fft_is_smooth(int64_t n);

/* The radices of such a length for one vector by itself. The first stage interleaves its results, which vectors do well
 * where there are 2, 4, 8 or 16: such a radix is first if there is one. */
int tess__fft_stockham_factors(int32_t *radices, int64_t n);

/* Algorithms for a prime length. */
enum { TESS__FFT_DIRECT, TESS__FFT_RADER, TESS__FFT_BLUESTEIN };

/* The cheapest one; the cost goes to `cost`, unless that is NULL. */
int tess__fft_prime_way(int64_t r, double *cost);

/* Estimated nanoseconds of each element of a transform. */
double tess__fft_cost(int64_t n);

/* The cheapest size of n or more, for convolutions. */
int64_t tess__fft_convolution_size(int64_t n);

#endif
