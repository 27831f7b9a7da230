/* Kernel of non-local means: for each shift, a block adds squared differences along w for the rows of its patches, and
 * each thread adds those rows, in the CPU's order.
 *
 * The program defines IN and OUT, the dtypes of elements, and SUM, that of sums. */
#include "cuda/signal/similar.cu.h"

__shared__ sum rows[(WIDTH + 2 * TESS__GPU_PATCH_RADIUS) * WIDTH];

/* Sums along w of one plane of the patches, for columns and rows of the block, those of a patch above and below. */
static __device__ void sum_rows(const tess__gpu_stencil &p, const place &block, int64_t d, const int64_t shift[3])
{
    const int radius_h = p.patch[1] / 2, radius_w = p.patch[2] / 2;
    for (int i = (int)threadIdx.x; i < (WIDTH + 2 * radius_h) * WIDTH; i += THREADS) {
        const int64_t h = i / WIDTH - radius_h, w = i % WIDTH;
        sum           total = 0;
        for (int k = -radius_w; k <= radius_w; k++) {
            const sum a = value_at(p, block, d, h, w + k);
            const sum b = value_at(p, block, d + shift[0], h + shift[1], w + k + shift[2]);
            total += square_of(a, b, (sum)p.scale);
        }
        rows[i] = total;
    }
}

/* The sum of squares of the patches at the thread's place and at a shift from it. */
static __device__ sum compare(const tess__gpu_stencil &p, const place &block, const int64_t shift[3])
{
    sum squares = 0;
    for (int d = -(p.patch[0] / 2); d <= p.patch[0] / 2; d++) {
        sum plane = 0;
        __syncthreads();
        sum_rows(p, block, d, shift);
        __syncthreads();
        for (int k = 0; k < p.patch[1]; k++) plane += rows[(int)threadIdx.x + k * WIDTH];
        squares += plane;
    }
    return squares;
}

static __device__ bool next_shift(const tess__gpu_stencil &p, int64_t shift[3])
{
    for (int k = 2; k >= 0; k--) {
        const int64_t radius = (p.size[k] - p.patch[k]) / 2;
        if (++shift[k] <= radius) return true;
        shift[k] = -radius;
    }
    return false;
}

TESS_KERNEL(THREADS, tess__gpu_stencil, p)
{
    place block, x;
    block = corner_of_block(p, WIDTH, WIDTH);
    const bool inside = find_place(p, x);
    const sum  centre = value_at(p, x, 0, 0, 0), base = (sum)p.base;
    sum        total = 0, weights = 0;
    int64_t    shift[3] = { 0, 0, 0 };
    while (next_shift(p, shift))
        for (int sign = 1; sign >= -1; sign -= 2) {
            const int64_t signed_shift[3] = { sign * shift[0], sign * shift[1], sign * shift[2] };
            const sum     weight = patch_weight(compare(p, block, signed_shift), base);
            const sum     value = value_at(p, x, signed_shift[0], signed_shift[1], signed_shift[2]);
            total = add_similar(total, weight, value, centre);
            weights += weight;
        }
    if (inside) store_at(p, x, mean_of(total, weights + (sum)1, centre));
}
