/* Bin lookup of a histogram: the bin i with edges[i] <= x < edges[i+1]; the last bin includes its right edge. Of
 * bins with equal left edges it is the last. By multiplication where bins have equal widths, else by binary search. */
#include "cuda/index/histogram_params.h"

static __device__ int32_t search_bin(double x, const double *edges, int64_t n)
{
    int64_t first = 0;
    for (int64_t left = n; left > 0;) { /* edges[0] to edges[n-1] */
        const int64_t half = left / 2;
        const bool    before = edges[first + half] <= x;
        if (before) first += half + 1;
        left = before ? left - half - 1 : half;
    }
    return (int32_t)(first - 1);
}

/* -1: none. */
static __device__ int32_t bin_of(double x, const tess__gpu_bins &b)
{
    const double *const edges = (const double *)b.edges;
    if (!(x >= b.low && x <= b.high)) return -1;
    if (b.near > 0.5) return search_bin(x, edges, b.n);
    const double scaled = (x - b.low) * b.scale, whole = __builtin_floor(scaled), fraction = scaled - whole;
    int64_t      bin = (int64_t)whole;
    if (bin > b.n - 1) bin = b.n - 1;
    if (fraction > b.near && fraction < 1 - b.near) return (int32_t)bin;
    while (bin > 0 && x < edges[bin]) bin--;
    while (bin + 1 < b.n && x >= edges[bin + 1]) bin++;
    return (int32_t)bin;
}

/* Where operand k of result number `i` begins. */
static __device__ int64_t result_at(const tess__gpu_histogram &p, int64_t i, int k)
{
    int64_t at = 0;
    for (int d = p.result_dims - 1; d >= 0; d--) {
        at += i % p.results.shape[d] * p.results.stride[k][d];
        i /= p.results.shape[d];
    }
    return at;
}
