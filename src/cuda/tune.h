/* For measurements: TESS_TUNE_EWISE=bytes,threads,cache,order,tile_cache in the environment. */
#ifndef TESS_CUDA_TUNE_H
#define TESS_CUDA_TUNE_H

typedef struct tess__cuda_tune {
    int bytes;      /* that a thread reads before it computes */
    int threads;    /* of a block */
    int cache;      /* bits: what is read (1) or written (2) is not used again */
    int order;      /* tiles side by side in the input (0) or in the output (1) come one after the other */
    int tile_cache; /* as cache */
} tess__cuda_tune;

const tess__cuda_tune *tess__cuda_tuned(void);

#endif
