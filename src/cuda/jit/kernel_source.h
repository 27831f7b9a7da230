/* Kernels from one kernel source, a *.cu.h of src/cuda, with a few numbers defined before it. */
#ifndef TESS_CUDA_JIT_KERNEL_SOURCE_H
#define TESS_CUDA_JIT_KERNEL_SOURCE_H

#include "cuda/jit/kernel.h"

/* The family's name is that of the kernel source, without cuda/ and .cu.h; word k of a key is the number
 * `defines[k]`. */
typedef struct tess__cuda_source {
    tess__cuda_family family;
    const char       *defines[TESS__CUDA_WORDS];
} tess__cuda_source;

#define TESS__CUDA_SOURCE(path, ...)                                                                                   \
    {                                                                                                                  \
        .family = { .name = path, .print = tess__cuda_source_print }, .defines = { __VA_ARGS__ }                       \
    }

void tess__cuda_source_print(tess__writer *w, const tess__cuda_key *key);

/* tess__cuda_run of a kernel source with these numbers. */
tess_status tess__cuda_run_source(tess__cuda_call *call, const tess__cuda_source *source,
                                  const int64_t numbers[TESS__CUDA_WORDS], int64_t blocks, unsigned threads,
                                  const void *params);

#endif
