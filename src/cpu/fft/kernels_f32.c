/* FFT kernels in f32. Built once per instruction set. */
#define REAL float
#define REAL_SIZE 4

#include "cpu/fft/kernels.c.inc"

void TESS__FILL_KERNELS(fft, f32)(tess__fft_kernels *kernels) { fill(&kernels->precision[0]); }
