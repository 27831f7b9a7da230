/* Gather and scatter along an axis, one word for each thread.
 *
 * The program defines DIMS and WIDE of the loop, WORD (bytes), INDEX (the dtype of indices) and PUT (1: to indices,
 * those that are not negative; 0: from indices). */
#include "cuda/jit/elements.cu.h"
#include "cuda/index/take_put_params.h"
#include "cuda/jit/loop.cu.h"

enum { THREADS = TESS__GPU_LOOP_THREADS };

typedef unit<WORD>::type moved;

TESS_KERNEL(THREADS, tess__gpu_move, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.loop.n) return;
    int64_t at[3];
    locate<3>(at, p.loop, (index_type)i);
    int64_t target =
        convert<TESS_I64, INDEX>(element<INDEX>::load(((const element<INDEX>::stored *)p.loop.data[2])[at[2]]));
    if (PUT && target < 0) return;
    if (target < 0) target += p.n;
    moved *const here = (moved *)p.loop.data[0] + at[0];
    moved *const there = (moved *)p.loop.data[1] + at[1] + target * p.step;
    if constexpr (PUT) *there = *here;
    else *here = *there;
}
