/* FFT kernels in f64. Built once per instruction set. */
#define REAL double
#define REAL_SIZE 8

#include "cpu/fft/kernels.c.inc"

void TESS__FILL_KERNELS(fft, f64)(tess__fft_kernels *kernels) { fill(&kernels->precision[1]); }
