/* Fourier transforms in long double, to compare with: a plain sum, and one that is fast enough for long lines. */
#ifndef TESS_TEST_DFT_H
#define TESS_TEST_DFT_H

#include <stdbool.h>
#include <stdint.h>

typedef struct dft_number {
    long double re, im;
} dft_number;

/* cos and sin of 2 pi k / n, by the octant that the angle is in. */
dft_number dft_root(int64_t k, int64_t n);

/* out[k] = sum of in[j] exp(sign 2 pi i j k / n): n^2 products. False: no memory. */
bool dft_plain(dft_number *out, const dft_number *in, int64_t n, int sign);

/* The same by splitting n into its factors, and as a convolution where these are large primes. */
bool dft_fast(dft_number *out, const dft_number *in, int64_t n, int sign);

#endif
