/* Quantiles of one vector with sorted keys, divided among threads. Empty where the program has no use for it. */
#if MODE == TESS__GPU_QUANTILES
#include "formulas/quantile.op.h"
#include "tessera/math/f16.op.h"

/* The number of a key, rising order. */
static __device__ double f64_of(key x, const tess__gpu_order &order)
{
    const key number = number_of(x, order);
    if constexpr (KEY_KIND == TESS__GPU_KEY_FLOAT) {
        if constexpr (KEY_SIZE == 2) return (double)tess__f16_to_f32((uint16_t)number);
        else if constexpr (KEY_SIZE == 4) return (double)tess__f32_of_bits((uint32_t)number);
        else return tess__f64_of_bits((uint64_t)number);
    }
    return order.flip ? (double)(signed_key)number : (double)number;
}

/* How many of the sorted keys are not NaNs. */
static __device__ int64_t count_numbers(const key *sorted, int64_t n)
{
    if constexpr (KEY_KIND != TESS__GPU_KEY_FLOAT) return n;
    int64_t first = 0;
    while (n > 0) {
        const int64_t half = n / 2;
        const bool    number = sorted[first + half] < FIRST_NAN;
        if (number) first += half + 1;
        n = number ? n - half - 1 : half;
    }
    return first;
}

/* Every `step`-th quantile from `first` on. */
static __device__ void vector_quantiles(const key *sorted, int64_t n, int64_t vector, const tess__gpu_quantiles &wanted,
                                        int64_t first, int64_t step, const tess__gpu_order &order)
{
    const int64_t count = count_numbers(sorted, n);
    double *const out = (double *)wanted.out + vector * wanted.n;
    for (int64_t i = first; i < wanted.n; i += step) {
        if (count == 0 || (count < n && !wanted.skip_nan)) {
            out[i] = __builtin_nan("");
            continue;
        }
        const tess__between b = tess__quantile_find(wanted.method, ((const double *)wanted.q)[i], count);
        out[i] = tess__quantile_mix(wanted.method, f64_of(sorted[b.low], order), f64_of(sorted[b.high], order), b.part);
    }
}
#endif
