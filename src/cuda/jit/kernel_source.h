/* Kernels from one kernel source, a *.cu.h of src/cuda, with a few numbers defined before it. */
#ifndef TESS_CUDA_JIT_KERNEL_SOURCE_H
#define TESS_CUDA_JIT_KERNEL_SOURCE_H

#include "cuda/jit/kernel.h"

/* The family's name is that of the text, without cuda/ and .cu.h; word k of a key is the number `defines[k]`. */
typedef struct tess__cuda_text {
    tess__cuda_family family;
    const char       *defines[TESS__CUDA_WORDS];
} tess__cuda_text;

#define TESS__CUDA_TEXT(text, ...)                                                                                     \
    {                                                                                                                  \
        .family = { .name = text, .print = tess__cuda_text_print }, .defines = { __VA_ARGS__ }                         \
    }

void tess__cuda_text_print(tess__writer *w, const tess__cuda_key *key);

/* tess__cuda_run of a text with these numbers. */
tess_status tess__cuda_run_text(tess__cuda_call *call, const tess__cuda_text *text,
                                const int64_t numbers[TESS__CUDA_WORDS], int64_t blocks, unsigned threads,
                                const void *params);

#endif
