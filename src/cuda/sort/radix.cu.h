/* Stable ranking of the items of a block by an 8-bit digit: the block-level step of a radix sort.
 *
 * The program defines THREADS and ITEMS of a thread. Item i of a thread is item `first + 32 i` of the block, so
 * that the items of a warp lie together: see first_item. */
enum { WARPS = THREADS / 32, TILE = THREADS * ITEMS, DIGITS = 256 };

struct radix_workspace {
    uint16_t before[WARPS][DIGITS]; /* items of a digit in a warp; then in those before it */
    uint32_t total[DIGITS];         /* items of a digit */
    uint32_t start[DIGITS];         /* items of smaller digits */
};

static __device__ uint32_t first_item() { return threadIdx.x / 32 * (32 * ITEMS) + threadIdx.x % 32; }

/* The lanes of this one's warp that have the same digit. */
static __device__ unsigned same_digit(uint32_t digit)
{
    unsigned same = 0xffffffffu;
#pragma unroll
    for (int bit = 0; bit < 8; bit++) {
        const bool     set = digit >> bit & 1;
        const unsigned all = __ballot_sync(0xffffffffu, set);
        same &= set ? all : ~all;
    }
    return same;
}

/* rank[i] = how many items of the same digit come before it in its warp; digit(i) is that of item i. `workspace` is
 * to be cleared before. */
template <class F>
static __device__ void rank_in_warp(radix_workspace &workspace, const F &digit, uint32_t (&rank)[ITEMS])
{
    uint16_t *const before = workspace.before[threadIdx.x / 32];
    const unsigned  lower = (1u << threadIdx.x % 32) - 1;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const uint32_t own = digit(i);
        const unsigned same = same_digit(own);
        const uint32_t behind = before[own];
        rank[i] = behind + (uint32_t)__popc(same & lower);
        __syncwarp();
        if ((same & lower) == 0) before[own] = (uint16_t)(behind + (uint32_t)__popc(same));
        __syncwarp();
    }
}

static __device__ void clear_workspace(radix_workspace &workspace)
{
    uint32_t *const words = (uint32_t *)&workspace.before[0][0];
    for (int i = threadIdx.x; i < WARPS * DIGITS / 2; i += THREADS) words[i] = 0;
    __syncthreads();
}

/* Counts of warps to sums over those before each, and totals. */
static __device__ void sum_warps(radix_workspace &workspace)
{
    __syncthreads();
    for (int d = threadIdx.x; d < DIGITS; d += THREADS) {
        uint32_t sum = 0;
#pragma unroll
        for (int w = 0; w < WARPS; w++) {
            const uint32_t count = workspace.before[w][d];
            workspace.before[w][d] = (uint16_t)sum;
            sum += count;
        }
        workspace.total[d] = sum;
    }
    __syncthreads();
}

/* The starts of digits, by the first warp. */
static __device__ void add_totals(radix_workspace &workspace)
{
    enum { EACH = DIGITS / 32 };
    if (threadIdx.x < 32) {
        const int first = threadIdx.x * EACH;
        uint32_t  own[EACH], sum = 0;
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            own[k] = sum;
            sum += workspace.total[first + k];
        }
        uint32_t upto = sum;
#pragma unroll
        for (int far = 1; far < 32; far *= 2) {
            const uint32_t other = __shfl_up_sync(0xffffffffu, upto, far);
            if (threadIdx.x >= far) upto += other;
        }
#pragma unroll
        for (int k = 0; k < EACH; k++) workspace.start[first + k] = upto - sum + own[k];
    }
    __syncthreads();
}

/* rank[i] becomes the index of item i in the block. */
template <class F>
static __device__ void set_positions(const radix_workspace &workspace, const F &digit, uint32_t (&rank)[ITEMS])
{
    const uint16_t *const before = workspace.before[threadIdx.x / 32];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const uint32_t own = digit(i);
        rank[i] += workspace.start[own] + before[own];
    }
}

/* All of it. */
template <class F>
static __device__ void rank_items(radix_workspace &workspace, const F &digit, uint32_t (&rank)[ITEMS])
{
    clear_workspace(workspace);
    rank_in_warp(workspace, digit, rank);
    sum_warps(workspace);
    add_totals(workspace);
    set_positions(workspace, digit, rank);
}
