/* Arrays on a GPU beside the same ones on the CPU, for tests that compare the two. */
#ifndef TESS_TEST_GPU_H
#define TESS_TEST_GPU_H

#include "support/test.h"

/* GPU 0, or false, and the running test is skipped with the reason. */
bool test_gpu(tess_device *device);

/* Sizes and cases are few, for the simulated libraries, unless TESS_TEST_LARGE is set in the environment. */
bool test_large(void);

/* A view on the GPU with the elements and the strides of one on the host: negative, zero and with gaps too. The caller
 * owns it. */
bool test_mirror(tess_array *gpu, const tess_array *host, tess_device device);

/* A contiguous copy on the host. The caller owns it. */
bool test_fetch(tess_array *host, const tess_array *gpu);

/* Elements are the same bits, but for NaNs, of which any equals any; both of one shape and dtype. `a` may be on a
 * GPU. */
bool test_same_bits(const tess_array *a, const tess_array *b);

/* Floats and complex numbers that differ by no more than `bound` times the largest magnitude in `b`. */
bool test_close(const tess_array *a, const tess_array *b, double bound);

#endif
