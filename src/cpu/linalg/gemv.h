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
    int64_t                    bytes;    /* of a thread's sums; 0: none are needed */
} tess__gemv_plan;

tess__gemv_plan tess__gemv_plan_of(const tess__matmul *work, const tess__matmul_kernel *kernel);

/* One of the products, of the matrices at these addresses, with workspaces of the plan's `bytes`. */
void tess__gemv_run(const tess__gemv_plan *plan, tess__workspaces *sums, char *out, const char *a, const char *b);

#endif
