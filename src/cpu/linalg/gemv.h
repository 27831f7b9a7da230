/* GEMV on the CPU: products of a matrix and a vector. */
#ifndef TESS_CPU_LINALG_GEMV_H
#define TESS_CPU_LINALG_GEMV_H

#include "backend.h"
#include "cpu/linalg/kernels.h"
#include "cpu/runtime/workspace.h"

/* How products of one kind, with an m or an n of 1, are divided into tasks. */
typedef struct tess__gemv_plan {
    const tess__matmul        *work;
    const tess__matmul_kernel *kernel;
    int64_t                    per_task; /* rows (or columns) of the matrix that a task takes */
    int64_t                    blocks; /* of its steps whose sums are made before the results; 0: one after the other */
    int64_t                    bytes;  /* of a workspace: sums of all these blocks, or a thread's; 0: none is needed */
    int64_t                    workspaces;
} tess__gemv_plan;

/* For so many threads. */
tess__gemv_plan tess__gemv_plan_of(const tess__matmul *work, const tess__matmul_kernel *kernel, int64_t threads);

/* One of the products, of the matrices at these addresses, with the plan's workspaces. */
void tess__gemv_run(const tess__gemv_plan *plan, tess__workspaces *sums, char *out, const char *a, const char *b);

#endif
