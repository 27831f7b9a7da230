/* Tiles of the results of a stencil: a block of threads has one. */
#ifndef TESS_CUDA_SIGNAL_TILE_CU_H
#define TESS_CUDA_SIGNAL_TILE_CU_H

#include "cuda/jit/prelude.cu.h"
#include "cuda/signal/stencil_params.h"
#include "tessera/border.h"

/* The first result of a tile. */
struct corner {
    int64_t batch, at[3];
};

/* The first result of this block's tile; all tiles have `height` rows and `width` columns. There are fewer than 2^31
 * blocks, and 64-bit divisions are slow. */
static __device__ corner corner_of_block(const tess__gpu_stencil &p, int height, int width)
{
    const uint32_t tiles_h = (uint32_t)p.tiles[0], tiles_w = (uint32_t)p.tiles[1];
    const uint32_t planes = (uint32_t)(p.end[0] - p.first[0]);
    const uint32_t row = blockIdx.x / tiles_w, plane = row / tiles_h;
    corner         c;
    c.at[2] = p.first[2] + (int64_t)(blockIdx.x - row * tiles_w) * width;
    c.at[1] = p.first[1] + (int64_t)(row - plane * tiles_h) * height;
    c.at[0] = p.first[0] + (int64_t)(plane % planes);
    c.batch = (int64_t)(plane / planes);
    return c;
}

/* The element of an axis that an index is, by the border; below 0: none. */
static __device__ int64_t index_of(const tess__gpu_stencil &p, int axis, int64_t i)
{
    return i >= 0 && i < p.n[axis] ? i : tess_border_index((tess_border)p.border, i, p.n[axis]);
}

#endif
