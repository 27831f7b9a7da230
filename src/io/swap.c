/* The other byte order. */
#include "io/swap.h"

#include "core/dtype.h"

static void swap_2(uint16_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = __builtin_bswap16(x[i]);
}

static void swap_4(uint32_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = __builtin_bswap32(x[i]);
}

static void swap_8(uint64_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = __builtin_bswap64(x[i]);
}

void tess__swap(void *elements, int64_t n, tess_dtype dtype)
{
    const int64_t real = tess__dtype_alignment(dtype), reals = n * tess__dtypes[dtype].reals;
    if (real == 2) swap_2(elements, reals);
    if (real == 4) swap_4(elements, reals);
    if (real == 8) swap_8(elements, reals);
}
