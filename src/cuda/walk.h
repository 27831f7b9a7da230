/* Loops over single elements, for kernels that find some of their operands' elements by themselves. */
#ifndef TESS_CUDA_WALK_H
#define TESS_CUDA_WALK_H

#include "core/plan.h"
#include "cuda/kernels/params.h"
#include "tessera/base.h"

enum { TESS__CUDA_WALK_THREADS = 256 };

/* The loop for a kernel; strides stay as they are. */
void tess__cuda_walk(tess__gpu_loop *p, const tess__loop *loop);

/* Does an index of it need 64 bits? */
bool tess__cuda_walk_wide(const tess__gpu_loop *p);

/* How many blocks of threads a launch needs. */
int64_t tess__cuda_walk_blocks(const tess__gpu_loop *p);

#endif
