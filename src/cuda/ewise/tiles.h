/* Tiled element-wise operations, for operands with different dimension orders: from the loop plan of the core to the
 * parameters of the kernel. */
#ifndef TESS_CUDA_EWISE_TILES_H
#define TESS_CUDA_EWISE_TILES_H

#include "core/array/plan.h"
#include "cuda/jit/kernel.h"
#include "cuda/jit/loop_params.h"

enum { TESS__CUDA_TILE_THREADS = 256 };

/* What of the tiles is compiled into their kernel. */
typedef struct tess__cuda_tiling {
    uint8_t tile;                       /* elements of a side */
    uint8_t transposed;                 /* bits: inputs that go through shared memory */
    uint8_t still;                      /* bits: others that are the same all along the output's side */
    uint8_t dims[3];                    /* of the sides: out, in, stack */
    uint8_t vector[TESS__GPU_OPERANDS]; /* elements that are moved at once */
} tess__cuda_tiling;

/* Tiles for the loop; false if it is better walked in rows. `scalars`: bits of operands that are single numbers. */
bool tess__cuda_tiles(tess__gpu_tiles *p, tess__cuda_tiling *tiling, const tess__loop *loop, unsigned scalars);

int64_t tess__cuda_tiles_blocks(const tess__gpu_tiles *p);

/* A word of a key, and the definitions that cuda/ewise/tiles.cu.h asks for beside those of the specialisation. */
uint64_t tess__cuda_tiling_word(const tess__cuda_tiling *tiling);
void     tess__cuda_tiling_print(tess__writer *w, const tess__cuda_tiling *tiling);

#endif
