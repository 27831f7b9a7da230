/* Binning kernel: one thread for each result or for each run of a row. The program defines, beside what
 * bin_blocks.cu.h needs, STEP, a TESS__GPU_BIN_ …. */
#include "cuda/resize/bin_blocks.cu.h"

/* A block added up from sums of runs, in the same order. */
static __device__ void add_runs(sum s[PARTS], const tess__gpu_bin &p, const block &b, int64_t result)
{
    const sum    *of = (const sum *)p.sums + result * p.runs * PARTS;
    const int64_t n = (b.n[3] - 1) / RUN + 1;
#pragma unroll
    for (int part = 0; part < PARTS; part++) s[part] = nothing();
    for (int64_t i = 0; i < b.n[0]; i++)
        for (int64_t j = 0; j < b.n[1]; j++) {
            const int64_t first = (i * p.factor[1] + j) * p.factor[2];
#pragma unroll 8
            for (int64_t h = 0; h < b.n[2]; h++)
                for (int64_t r = 0; r < n; r++)
#pragma unroll
                    for (int part = 0; part < PARTS; part++)
                        s[part] += of[((first + h) * p.runs_of_row + r) * PARTS + part];
        }
}

TESS_KERNEL(THREADS, tess__gpu_bin, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    int64_t       position[4];
#if STEP == TESS__GPU_BIN_RUNS
    const int64_t result = item / p.runs, run = item % p.runs;
    if (result >= p.grid.n) return;
    grid_position(position, p.grid, result);
    const block   b = block_of(p, position);
    const int64_t row = run / p.runs_of_row, first = run % p.runs_of_row * RUN;
    const int64_t h = row % p.factor[2], j = row / p.factor[2] % p.factor[1], i = row / p.factor[2] / p.factor[1];
    if (i >= b.n[0] || j >= b.n[1] || h >= b.n[2] || first >= b.n[3]) return;
    const int64_t stride = p.in.stride[3] * REALS, n = b.n[3] - first < RUN ? b.n[3] - first : RUN;
    const stored *x = b.in + (i * p.in.stride[0] + j * p.in.stride[1] + h * p.in.stride[2]) * REALS + first * stride;
#pragma unroll
    for (int part = 0; part < PARTS; part++)
        ((sum *)p.sums)[item * PARTS + part] = many(x + (HALVES ? 0 : part), stride, n, part);
#else
    sum s[PARTS];
    if (item >= p.grid.n) return;
    grid_position(position, p.grid, item);
    const block b = block_of(p, position);
#if STEP == TESS__GPU_BIN_EPILOGUE
    add_runs(s, p, b, item);
#else
    add_up(s, p, b);
#endif
    epilogue(p, position, s, b);
#endif
}
