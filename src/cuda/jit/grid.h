/* 4-D grids and strided arrays as parameters of kernels; see cuda/jit/grid.cu.h. */
#ifndef TESS_CUDA_JIT_GRID_H
#define TESS_CUDA_JIT_GRID_H

#include "cuda/jit/grid_params.h"
#include "cuda/jit/kernel.h"

void tess__cuda_grid(tess__gpu_grid *grid, const int64_t size[4]);

/* A grid over the elements of an array in b, d, h, w order, with as few axes as its strides allow, and the strides of
 * these. */
void tess__cuda_grid_in_order(tess__gpu_grid *grid, tess__gpu_array *out, const tess_array *a);

/* An array that is broadcast to a shape. */
tess__gpu_array tess__cuda_array(const tess_array *a);

/* The address of an array, and the distance from one batch to the next where each has `each` numbers: 0 if there is one
 * for all. */
static inline uint64_t tess__cuda_address(const tess_array *a) { return (uint64_t)(uintptr_t)a->data; }
static inline int64_t  tess__cuda_step(const tess_array *a, int64_t each) { return a->shape.b == 1 ? 0 : each; }

/* How many groups of `each` make up n. */
static inline int64_t tess__cuda_groups(int64_t n, int64_t each) { return (n - 1) / each + 1; }

/* A number of the caller's among arrays of a GPU: `*a`, if it lies on the host, is copied to a workspace, which the
 * caller must release; else `*workspace` is 0. */
tess_status tess__cuda_number(tess__cu_address *workspace, tess_array *a, tess__cuda_call *call);

#endif
