/* Binary search in sorted rows: one value for each thread.
 *
 * The program defines DIMS and WIDE of the loop over indices, values and first elements of rows; OUT, IN and KEY, the
 * dtypes of indices, of values, and of rows, in which values are compared. */
#include "cuda/jit/elements.cu.h"
#include "cuda/index/search_params.h"
#include "cuda/jit/loop.cu.h"

enum { THREADS = TESS__GPU_LOOP_THREADS };

typedef element<KEY>::stored number;

/* How many of the row's elements stand before the value. */
static __device__ int64_t find(const number *row, int64_t n, number value, bool right)
{
    int64_t first = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const number  other = row[first + half];
        const bool    before = right ? other <= value : other < value; /* false of a NaN, which comes last */
        if (before) first += half + 1;
        n = before ? n - half - 1 : half;
    }
    return first;
}

/* How many numbers stand before the NaNs. */
static __device__ int64_t find_nan(const number *row, int64_t n)
{
    int64_t first = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const bool    before = row[first + half] == row[first + half];
        if (before) first += half + 1;
        n = before ? n - half - 1 : half;
    }
    return first;
}

TESS_KERNEL(THREADS, tess__gpu_search, p)
{
    const int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    if (i >= p.loop.n) return;
    int64_t at[3];
    locate<3>(at, p.loop, (index_type)i);
    const number value = convert<KEY, IN>(element<IN>::load(((const element<IN>::stored *)p.loop.data[1])[at[1]]));
    const number *const row = (const number *)p.loop.data[2] + at[2];
    const bool          is_nan = !(value == value);
    const int64_t       found = !is_nan ? find(row, p.n, value, p.right) : p.right ? p.n : find_nan(row, p.n);
    ((element<OUT>::stored *)p.loop.data[0])[at[0]] = element<OUT>::store(convert<OUT, TESS_I64>(found));
}
