/* Checks and preparation of indices: range check, the last of equal indices, and the targets of a scatter.
 *
 * The program defines DIMS and WIDE of the loop over indices, INDEX (their dtype) and STEP (0: check, 1: the last of
 * each, 2: targets of those, 3: targets of all, of 32 bits, 4: the same of 64 bits). Targets are indices from 0 on, or
 * offsets. */
#include "cuda/jit/elements.cu.h"
#include "cuda/index/take_put_params.h"
#include "cuda/jit/loop.cu.h"
#include "formulas/whole.op.inc"

enum { THREADS = TESS__GPU_LOOP_THREADS };

TESS_KERNEL(THREADS, tess__gpu_indices, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.loop.n) return;
    int64_t at[1];
    locate<1>(at, p.loop, (index_type)i);
    const int64_t index =
        convert<TESS_I64, INDEX>(element<INDEX>::load(((const element<INDEX>::stored *)p.loop.data[0])[at[0]]));
    const int64_t             there = index < 0 ? index + p.n : index;
    const int64_t             target = STEP > 1 && p.whole.dims > 0 ? tess__whole_offset(&p.whole, there) : there;
    unsigned long long *const last = (unsigned long long *)p.last + (STEP == 0 ? 0 : there);
    if constexpr (STEP == 0) {
        if (index < -p.n || index >= p.n) atomicMin((unsigned long long *)p.bad, (unsigned long long)i);
    } else if constexpr (STEP == 1) {
        atomicMax(last, (unsigned long long)i + 1);
    } else if constexpr (STEP == 2) {
        ((int64_t *)p.targets)[i] = *last == (unsigned long long)i + 1 ? target : -1;
    } else if constexpr (STEP == 3) {
        ((uint32_t *)p.targets)[i] = (uint32_t)target;
    } else {
        ((uint64_t *)p.targets)[i] = (uint64_t)target;
    }
}
