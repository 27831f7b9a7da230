/* Specialisation of element-wise kernels: what they compute, whatever the layout of their operands; printed as the
 * start of the program, and packed into the kernel key. */
#ifndef TESS_CUDA_JIT_SPECIALISE_H
#define TESS_CUDA_JIT_SPECIALISE_H

#include "cuda/jit/kernel.h"
#include "cuda/jit/loop_params.h"

typedef struct tess__cuda_spec {
    uint8_t  kind, kernel, mode, part; /* as tess__ewise and tess__apply have them */
    uint16_t op;
    uint8_t  n_inputs;
    uint8_t  unit;    /* not 0: bytes that are moved as they are */
    uint8_t  scalars; /* bits: operands that are one number */
    uint8_t  stored[TESS__GPU_OPERANDS], wanted[TESS__GPU_OPERANDS];
} tess__cuda_spec;

/* The specialisation for a request; the caller sets the unit of a move. */
tess__cuda_spec tess__cuda_spec_of(const tess__ewise *work);

/* Two words of a key. */
void tess__cuda_spec_words(uint64_t words[2], const tess__cuda_spec *spec);

/* Includes and definitions: INPUTS, SCALARS, OUT_TYPE, IN1_TYPE, …, COMPUTE(out, x, y, z). */
void tess__cuda_spec_print(tess__writer *w, const tess__cuda_spec *spec);

#endif
