/* Byte swap of elements, in place. Built once per instruction set. */
#include "cpu/convert/kernels.h"
#include "cpu/template.h"

/* Compilers vectorise these where there is an instruction for it. Baseline x86-64 has none, but shifts and masks. */
#if defined __x86_64__ && !defined __SSSE3__
static inline uint16_t             swapped_2(uint16_t x) { return (uint16_t)(x << 8 | x >> 8); }

static inline uint32_t swapped_4(uint32_t x)
{
    x = (x & 0x00ff00ffu) << 8 | (x >> 8 & 0x00ff00ffu);
    return x << 16 | x >> 16;
}

static inline uint64_t swapped_8(uint64_t x)
{
    x = (x & 0x00ff00ff00ff00ffu) << 8 | (x >> 8 & 0x00ff00ff00ff00ffu);
    x = (x & 0x0000ffff0000ffffu) << 16 | (x >> 16 & 0x0000ffff0000ffffu);
    return x << 32 | x >> 32;
}
#else
static inline uint16_t swapped_2(uint16_t x) { return __builtin_bswap16(x); }
static inline uint32_t swapped_4(uint32_t x) { return __builtin_bswap32(x); }
static inline uint64_t swapped_8(uint64_t x) { return __builtin_bswap64(x); }
#endif

static void swap_2(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    uint16_t     *x = (uint16_t *)(void *)p[0];
    const int64_t step = s[0];
    (void)param;
    if (step == 1)
        for (int64_t i = 0; i < n; i++) x[i] = swapped_2(x[i]);
    else
        for (int64_t i = 0; i < n; i++) x[i * step] = swapped_2(x[i * step]);
}

static void swap_4(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    uint32_t     *x = (uint32_t *)(void *)p[0];
    const int64_t step = s[0];
    (void)param;
    if (step == 1)
        for (int64_t i = 0; i < n; i++) x[i] = swapped_4(x[i]);
    else
        for (int64_t i = 0; i < n; i++) x[i * step] = swapped_4(x[i * step]);
}

static void swap_8(char *const *p, const int64_t *s, int64_t n, const void *param)
{
    uint64_t     *x = (uint64_t *)(void *)p[0];
    const int64_t step = s[0];
    (void)param;
    if (step == 1)
        for (int64_t i = 0; i < n; i++) x[i] = swapped_8(x[i]);
    else
        for (int64_t i = 0; i < n; i++) x[i * step] = swapped_8(x[i * step]);
}

void TESS__FILL_KERNELS(convert, byteswap)(tess__convert_kernels *k);

void TESS__FILL_KERNELS(convert, byteswap)(tess__convert_kernels *k)
{
    k->swap[1] = swap_2, k->swap[2] = swap_4, k->swap[3] = swap_8;
}
