/* What is asked of long lines whose keys are in order: quantiles, or where lines part. A thread for each.
 *
 * The program defines KEY_SIZE, KEY_KIND, MODE (TESS__GPU_QUANTILES or TESS__GPU_PARTITION) and WIDE (1: starts of 64
 * bits). */
#include "cuda/kernels/keys.h"
#include "cuda/kernels/line_quantiles.h"

enum { THREADS = 128, DIGITS = 256 };

#if WIDE
typedef uint64_t number;
#else
typedef uint32_t number;
#endif

/* How many of the sorted keys are below one; or, if `equal`, not above it. */
static __device__ int64_t count_below(const key *sorted, int64_t n, key k, bool equal)
{
    int64_t first = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const key     other = sorted[first + half];
        const bool    below = other < k || (equal && other == k);
        if (below) first += half + 1;
        n = below ? n - half - 1 : half;
    }
    return first;
}

TESS_KERNEL(THREADS, tess__gpu_ranks, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
#if MODE == TESS__GPU_QUANTILES
    const int64_t line = item / p.quantiles.n;
    if (line >= p.lines) return;
    line_quantiles((const key *)p.sorted + line * p.n, p.n, line, p.quantiles, item % p.quantiles.n, p.quantiles.n,
                   p.order);
#else
    if (item >= p.lines) return;
    const key *const sorted = (const key *)p.sorted + item * p.n;
    number *const    starts = (number *)p.starts + item * DIGITS;
    const key        pivot = sorted[p.kth];
    ((key *)p.pivots)[item] = pivot;
    starts[0] = 0;
    starts[1] = (number)count_below(sorted, p.n, pivot, false);
    starts[2] = (number)count_below(sorted, p.n, pivot, true);
#endif
}
