/* Kernel cache and launch: a kernel is found by its key, compiled at first use, and launched with one struct of
 * parameters. */
#ifndef TESS_CUDA_JIT_KERNEL_H
#define TESS_CUDA_JIT_KERNEL_H

#include "cuda/runtime/device.h"
#include "lang/print/write.h"

typedef struct tess__cuda_key tess__cuda_key;

/* Kernels of one kind, distinguished by the words of their keys. */
typedef struct tess__cuda_family {
    const char *name;
    /* Writes the program: usually definitions and an #include of a kernel source. Its entry is `tess_kernel`. */
    void (*print)(tess__writer *w, const tess__cuda_key *key);
} tess__cuda_family;

enum { TESS__CUDA_WORDS = 6 };

struct tess__cuda_key {
    const tess__cuda_family *family;
    uint64_t                 word[TESS__CUDA_WORDS]; /* all that the program depends on */
    const void              *context;                /* what else `print` needs, not compared; may be NULL */
};

/* Kernels of a device that are kept in memory: beyond these, those that were not used lately are dropped. */
enum { TESS__CUDA_KERNELS = 1024 };

/* Have the kernel of a key on the call's device: from memory, from the disk's cache, or compiled now. */
tess_status tess__cuda_prepare(tess__cuda_call *call, const tess__cuda_key *key);

/* The same, and launch it on the call's stream: 1 to 2^31-1 `blocks` of `threads`. `params` is its only argument. */
tess_status tess__cuda_run(tess__cuda_call *call, const tess__cuda_key *key, int64_t blocks, unsigned threads,
                           const void *params);

/* Blocks for a kernel with a grid-stride loop over tasks: enough to keep a GPU busy to the end. */
enum { TESS__CUDA_STRIDE_BLOCKS = 1 << 14 };
static inline int64_t tess__cuda_stride_blocks(int64_t tasks)
{
    return tasks < TESS__CUDA_STRIDE_BLOCKS ? tasks : TESS__CUDA_STRIDE_BLOCKS;
}

#endif
