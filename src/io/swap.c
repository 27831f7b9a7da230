/* The other byte order. */
#include "io/swap.h"

#include "core/dtype.h"

/* Compilers make vectors of these where there is an instruction for it. Plain x86-64 has none, but shifts and masks. */
#if defined __x86_64__ && !defined __SSSE3__
static uint32_t                    turned_4(uint32_t x)
{
    x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return x << 16 | x >> 16;
}

static uint64_t turned_8(uint64_t x)
{
    x = (x & 0x00ff00ff00ff00ffu) << 8 | (x >> 8 & 0x00ff00ff00ff00ffu);
    x = (x & 0x0000ffff0000ffffu) << 16 | (x >> 16 & 0x0000ffff0000ffffu);
    return x << 32 | x >> 32;
}

static uint16_t turned_2(uint16_t x) { return (uint16_t)(x << 8 | x >> 8); }
#else
static uint16_t turned_2(uint16_t x) { return __builtin_bswap16(x); }
static uint32_t turned_4(uint32_t x) { return __builtin_bswap32(x); }
static uint64_t turned_8(uint64_t x) { return __builtin_bswap64(x); }
#endif

static void swap_2(uint16_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = turned_2(x[i]);
}

static void swap_4(uint32_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = turned_4(x[i]);
}

static void swap_8(uint64_t *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) x[i] = turned_8(x[i]);
}

void tess__swap(void *elements, int64_t n, tess_dtype dtype)
{
    const int64_t real = tess__dtype_alignment(dtype), reals = n * tess__dtypes[dtype].reals;
    if (real == 2) swap_2(elements, reals);
    if (real == 4) swap_4(elements, reals);
    if (real == 8) swap_8(elements, reals);
}
