/* Chunks of a scatter-add: how its domain is divided, so that sums of floats are the same for any number of threads,
 * and on a GPU.
 *
 * Elements of a chunk are added in the order of their indices, the statements of one element in the order of the body.
 * The first chunk begins with what is in the arrays. Each later one begins with zeros, in copies of its own, which are
 * then added in the order of the chunks. Where each batch adds to its own part of the arrays, each has its own chunks.
 */
#ifndef TESS_FORMULAS_SCATTER_CHUNKS_OP_H
#define TESS_FORMULAS_SCATTER_CHUNKS_OP_H

#include <stdbool.h>
#include <stdint.h>

enum {
    TESS__SCATTER_CHUNK = 4096,   /* about the number of elements of a chunk, */
    TESS__SCATTER_PER_BIN = 4,    /* or this many per element of the copies that are added up */
    TESS__SCATTER_COPY = 32 << 20 /* bytes of the copies of a chunk, beyond which there is but one chunk */
};

typedef struct tess__scatter_chunks {
    int64_t extent[4]; /* of a chunk */
    int64_t count[4];  /* of chunks, in each axis */
    int64_t n;         /* of chunks in all */
    int64_t of_sum;    /* of chunks that add to the same elements: those of a batch, or all */
} tess__scatter_chunks;

/* Divide a domain with elements. `bins`, `bytes`: of the copies of a chunk. */
static inline tess__scatter_chunks tess__scatter_cut(const int64_t size[4], int64_t bins, int64_t bytes, bool batched)
{
    tess__scatter_chunks c = { .n = 1 };
    int64_t              max = TESS__SCATTER_PER_BIN * bins;
    if (max < TESS__SCATTER_CHUNK) max = TESS__SCATTER_CHUNK;
    for (int d = 3; d >= 0; d--) {
        const int64_t parts = bytes > TESS__SCATTER_COPY ? 1 : (size[d] + max - 1) / max;
        c.extent[d] = batched && d == 0 ? 1 : (size[d] + parts - 1) / parts;
        c.count[d] = (size[d] + c.extent[d] - 1) / c.extent[d];
        c.n *= c.count[d];
        max = parts > 1 ? 1 : max / c.extent[d] > 1 ? max / c.extent[d] : 1;
    }
    c.of_sum = batched ? c.n / c.count[0] : c.n;
    return c;
}

#endif
