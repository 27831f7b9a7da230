/* Loops over single elements. */
#include "cuda/walk.h"

#include <string.h>

#include "cuda/loop.h"

void tess__cuda_walk(tess__gpu_loop *p, const tess__loop *loop)
{
    memset(p, 0, sizeof *p);
    p->n = loop->n;
    for (int k = 0; k < loop->n_operands; k++) {
        p->data[k] = (uintptr_t)loop->data[k];
        for (int d = 0; d < loop->n_dims; d++) p->stride[k][d] = loop->stride[k][d];
    }
    for (int d = 0; d < loop->n_dims; d++) {
        p->shape[d] = loop->shape[d];
        tess__cuda_set_division(&p->multiply[d], &p->shift[d], p->shape[d]);
    }
}

bool tess__cuda_walk_wide(const tess__gpu_loop *p) { return p->n >= (int64_t)1 << 31; }

int64_t tess__cuda_walk_blocks(const tess__gpu_loop *p)
{
    return (p->n + TESS__CUDA_WALK_THREADS - 1) / TESS__CUDA_WALK_THREADS;
}
