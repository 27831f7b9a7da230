/* The library's own operators for Fourier transforms. Built once per instruction set. */
#define LIST "ops/fft/operators.def"
#define FILL TESS__FILL_KERNELS(op, library_fft)
#include "cpu/op/library.c.inc"
