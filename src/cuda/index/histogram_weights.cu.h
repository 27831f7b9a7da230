/* Weighted histogram with a fixed order of additions: each warp adds one chunk of a result to a table of its own, and
 * the sums are those of a sequential loop over the chunk.
 *
 * The program defines DIMS and WIDE of the loop over elements, IN and WEIGHT (dtypes). */
#include "cuda/jit/elements.cu.h"
#include "cuda/index/bin_lookup.cu.h"
#include "cuda/jit/loop.cu.h"

enum { THREADS = 32 };

/* Adds the weights of 32 elements to the table, those of one bin in the order of lanes. */
static __device__ void add_weights(volatile double *table, int32_t bin, double weight)
{
    const unsigned same = __match_any_sync(0xffffffffu, bin), lower = (1u << threadIdx.x) - 1;
    double         sum = bin >= 0 ? table[bin] : 0;
    __syncwarp();
    if (__any_sync(0xffffffffu, __popc(same) > 1)) {
        for (int lane = 0; lane < 32; lane++) {
            const double other = __shfl_sync(0xffffffffu, weight, lane);
            if (same >> lane & 1) sum += other;
        }
    } else {
        sum += weight;
    }
    if (bin >= 0 && (same & lower) == 0) table[bin] = sum;
    __syncwarp();
}

static __device__ void add_chunk(const tess__gpu_histogram &p, int64_t result, int64_t slot)
{
    typedef element<IN>::stored     number;
    typedef element<WEIGHT>::stored weighted;
    const int64_t                   first = (p.first + slot) * p.chunk;
    const int64_t                   end = first + p.chunk < p.elements.n ? first + p.chunk : p.elements.n;
    const number *const             in = (const number *)p.elements.data[0] + result_at(p, result, 0);
    const weighted *const           weights = (const weighted *)p.elements.data[1] + result_at(p, result, 1);
    double *const                   table = (double *)p.tables + (result * p.chunks + slot) * p.bins.n;
    for (int64_t base = first; base < end; base += THREADS) {
        const int64_t i = base + threadIdx.x;
        int32_t       bin = -1;
        double        weight = 0;
        if (i < end) {
            int64_t at[2];
            locate<2>(at, p.elements, (index_type)i);
            bin = bin_of(convert<TESS_F64, IN>(element<IN>::load(in[at[0]])), p.bins);
            weight = convert<TESS_F64, WEIGHT>(element<WEIGHT>::load(weights[at[1]]));
        }
        add_weights(table, bin, weight);
    }
}

TESS_KERNEL(THREADS, tess__gpu_histogram, p)
{
    for (int64_t number = blockIdx.x; number < p.results.n * p.chunks; number += gridDim.x)
        add_chunk(p, number / p.chunks, number % p.chunks);
}
