/* Connected component kernels: a forest of disjoint sets in the memory of the device, whose trees are joined at their
 * roots by atomic minima; then the rank of each root, by a prefix sum over parts of a batch.
 *
 * Parents only ever become smaller, so that the root of a tree is its first element in the end.
 *
 * The program defines STEP, a TESS__GPU_COMPONENTS_BEGIN …, and OUT, the dtype of the output. */
#include "cuda/geometry/distance/components_params.h"
#include "cuda/jit/elements.cu.h"
#include "cuda/jit/grid.cu.h"

enum { THREADS = 128 };

static __device__ long long root_of(volatile long long *parent, long long i)
{
    while (parent[i] != i) i = parent[i];
    return i;
}

/* Where another thread has hung x below something else meanwhile, that is joined with y next. */
static __device__ void join(long long *parent, long long x, long long y)
{
    while (true) {
        x = root_of(parent, x), y = root_of(parent, y);
        if (x == y) return;
        if (x < y) {
            const long long lower = x;
            x = y, y = lower;
        }
        const long long before = atomicMin(&parent[x], y);
        if (before == x) return;
        x = before;
    }
}

static __device__ void join_neighbours(const tess__gpu_components &p, long long *parent, const int64_t at[4],
                                       int64_t number)
{
    for (int d = -1; d <= 0; d++)
        for (int h = -1; h <= 1; h++)
            for (int w = -1; w <= 1; w++) {
                const bool    is_before = d < 0 || (d == 0 && (h < 0 || (h == 0 && w < 0)));
                const int64_t z = at[1] + d, y = at[2] + h, x = at[3] + w;
                if (!is_before || (!p.full && d * d + h * h + w * w != 1)) continue;
                if (z < 0 || y < 0 || x < 0 || y >= p.grid.size[2] || x >= p.grid.size[3]) continue;
                const int64_t other = number + (d * p.grid.size[2] + h) * p.grid.size[3] + w;
                if (((volatile long long *)parent)[other] >= 0) join(parent, number, other);
            }
}

/* A thread an element. */
static __device__ void do_element(const tess__gpu_components &p, int64_t item)
{
    int64_t at[4];
    grid_position(at, p.grid, item);
    const int64_t number = item - at[0] * p.n;
    long long    *parent = (long long *)p.parent + at[0] * p.n;
#if STEP == TESS__GPU_COMPONENTS_BEGIN
    parent[number] = ((const uint8_t *)p.in.data)[grid_offset(p.in.stride, at)] ? number : -1;
#elif STEP == TESS__GPU_COMPONENTS_JOIN
    if (parent[number] >= 0) join_neighbours(p, parent, at, number);
#elif STEP == TESS__GPU_COMPONENTS_END
    if (parent[number] >= 0) parent[number] = root_of(parent, number);
#elif STEP == TESS__GPU_COMPONENTS_PUT
    const long long root = parent[number], rank = root >= 0 ? parent[root] : root;
    ((element<OUT>::stored *)p.out.data)[grid_offset(p.out.stride, at)] = (element<OUT>::stored)(-1 - rank);
#endif
}

/* A thread a part. */
static __device__ void do_part(const tess__gpu_components &p, int64_t item)
{
    const int64_t batch = item / p.parts, first = item % p.parts * TESS__GPU_COMPONENTS_PART;
    const int64_t last = first + TESS__GPU_COMPONENTS_PART < p.n ? first + TESS__GPU_COMPONENTS_PART : p.n;
    long long    *parent = (long long *)p.parent + batch * p.n, *before = (long long *)p.before + item;
    long long     count = STEP == TESS__GPU_COMPONENTS_RANK ? *before : 0;
    for (int64_t i = first; i < last; i++) {
        if (parent[i] != i) continue;
        count++;
        if (STEP == TESS__GPU_COMPONENTS_RANK) parent[i] = -1 - count;
    }
    if (STEP == TESS__GPU_COMPONENTS_COUNT) *before = count;
}

/* A thread a batch. */
static __device__ void do_batch(const tess__gpu_components &p, int64_t batch)
{
    long long *before = (long long *)p.before + batch * p.parts, sum = 0;
    for (int64_t i = 0; i < p.parts; i++) {
        const long long count = before[i];
        before[i] = sum;
        sum += count;
    }
    if (p.counts) ((long long *)p.counts)[batch] = sum;
}

TESS_KERNEL(THREADS, tess__gpu_components, p)
{
    const int64_t item = (int64_t)blockIdx.x * THREADS + threadIdx.x;
#if STEP == TESS__GPU_COMPONENTS_PREFIX
    if (item < p.grid.size[0]) do_batch(p, item);
#elif STEP == TESS__GPU_COMPONENTS_COUNT || STEP == TESS__GPU_COMPONENTS_RANK
    if (item < p.grid.size[0] * p.parts) do_part(p, item);
#else
    if (item < p.grid.n) do_element(p, item);
#endif
}
