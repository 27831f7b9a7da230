/* Merging the tables of an ordered scatter: one thread for each element adds those of the chunks in their order. The
 * table of the first chunk begins with what the array had.
 *
 * The program defines TYPE, the dtype. */
#include "cuda/jit/elements.cu.h"
#include "cuda/op/scatter_merge_params.h"
#include "cuda/op/sum.cu.h"

enum { THREADS = 256 };

TESS_KERNEL(THREADS, tess__gpu_scatter_tables, p)
{
    typedef element<TYPE>::stored stored;
    const int64_t                 i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.all) return;
    const int64_t batch = p.first / p.of_sum + i / p.elements, bin = i % p.elements;
    const int64_t h = bin / p.shape[3], d = h / p.shape[2], b = d / p.shape[1];
    const int64_t from = batch * p.of_sum, to = from + p.of_sum, end = p.first + p.n;
    int64_t       chunk = from < p.first ? p.first : from;
    const int64_t last = to < end ? to : end;
    stored *const sum = (stored *)p.data + ((batch + b) * p.stride[0] + (d - b * p.shape[1]) * p.stride[1] +
                                            (h - d * p.shape[2]) * p.stride[2] + (bin - h * p.shape[3]) * p.stride[3]);
    const char *table = (const char *)p.tables + (chunk - p.first) * p.copies + p.copy + bin * (int64_t)sizeof(stored);
    stored      x = *sum;
    if (chunk == from) {
        x = *(const stored *)table;
        chunk++, table += p.copies;
    }
#pragma unroll 8
    for (; chunk < last; chunk++, table += p.copies) x = sum_of<TYPE>(x, element<TYPE>::load(*(const stored *)table));
    *sum = x;
}
