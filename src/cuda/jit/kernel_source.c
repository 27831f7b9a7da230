/* Kernels from one kernel source with a few numbers defined before it. */
#include "cuda/jit/kernel_source.h"

#include <inttypes.h>

void tess__cuda_source_print(tess__writer *w, const tess__cuda_key *key)
{
    const tess__cuda_source *source = (const tess__cuda_source *)(const void *)key->family; /* its first member */
    /* No operators; loops that read through the caches. */
    tess__write(w, "#define TESS_ONLY\n#include \"cuda/jit/prelude.cu.h\"\n");
    for (int k = 0; k < TESS__CUDA_WORDS; k++)
        if (source->defines[k]) tess__write(w, "#define %s %" PRId64 "\n", source->defines[k], (int64_t)key->word[k]);
    tess__write(w, "#include \"cuda/%s.cu.h\"\n", source->family.name);
}

tess_status tess__cuda_run_source(tess__cuda_call *call, const tess__cuda_source *source,
                                  const int64_t numbers[TESS__CUDA_WORDS], int64_t blocks, unsigned threads,
                                  const void *params)
{
    tess__cuda_key key = { .family = &source->family };
    for (int k = 0; k < TESS__CUDA_WORDS; k++)
        if (source->defines[k]) key.word[k] = (uint64_t)numbers[k];
    TESS_TRY(tess__cuda_run(call, &key, blocks, threads, params));
    return TESS_OK;
}
