/* Fourier transforms in f32. Built once per instruction set. */
#define REAL float
#define REAL_SIZE 4

#include "cpu/fft/kernels.c.inc"

void TESS__FILL_KERNELS(fft_f32)(tess__kernels *kernels) { fill(&kernels->fft[0]); }
