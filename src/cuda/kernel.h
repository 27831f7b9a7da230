/* Kernels: found by a key, made when they are first asked for, launched with one struct of parameters. */
#ifndef TESS_CUDA_KERNEL_H
#define TESS_CUDA_KERNEL_H

#include "cuda/device.h"
#include "lang/write.h"

typedef struct tess__cuda_key tess__cuda_key;

/* Kernels of one kind, one of which is told from another by the words of its key. */
typedef struct tess__cuda_family {
    const char *name;
    /* Writes the program: usually definitions and an #include of a text of cuda/kernels. Its entry is `tess_kernel`. */
    void (*print)(tess__writer *w, const tess__cuda_key *key);
} tess__cuda_family;

enum { TESS__CUDA_WORDS = 6 };

struct tess__cuda_key {
    const tess__cuda_family *family;
    uint64_t                 word[TESS__CUDA_WORDS]; /* all that the program depends on */
    const void              *source;                 /* what `print` needs beside, not compared; NULL is usual */
};

typedef struct tess__cuda_kernel {
    tess__cu_function function;
} tess__cuda_kernel;

/* The kernel of a key on the call's device: from memory, from the disk's cache, or compiled now. */
tess_status tess__cuda_kernel_need(tess__cuda_kernel *kernel, tess__cuda_call *call, const tess__cuda_key *key);

/* Launch `blocks` (x, y, z) of `threads` on the call's stream; `params` is the kernel's only argument. */
tess_status tess__cuda_launch(tess__cuda_call *call, const tess__cuda_kernel *kernel, const unsigned blocks[3],
                              unsigned threads, const void *params);

/* Both; `blocks` along x alone, at least 1. */
tess_status tess__cuda_run(tess__cuda_call *call, const tess__cuda_key *key, int64_t blocks, unsigned threads,
                           const void *params);

#endif
