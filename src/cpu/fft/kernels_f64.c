/* Fourier transforms in f64. Built once per instruction set. */
#define REAL double
#define REAL_SIZE 8

#include "cpu/fft/kernels.c.inc"

void TESS__FILL_KERNELS(fft_f64)(tess__kernels *kernels) { fill(&kernels->fft[1]); }
