/* Conversion of colours to grey: luma by ITU-R BT.601. */
#include "io/file/colour.h"

/* The weights, in parts of 2^24: they add up to 1. */
enum { RED = 5016388, GREEN = 9848226, BLUE = 1912602 };

static uint64_t mix(uint64_t r, uint64_t g, uint64_t b) { return (r * RED + g * GREEN + b * BLUE + (1 << 23)) >> 24; }

static void grey_u8(uint8_t *grey, const uint8_t *r, const uint8_t *g, const uint8_t *b, int64_t step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) grey[i] = (uint8_t)mix(r[i * step], g[i * step], b[i * step]);
}

static void grey_u16(uint16_t *grey, const uint16_t *r, const uint16_t *g, const uint16_t *b, int64_t step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) grey[i] = (uint16_t)mix(r[i * step], g[i * step], b[i * step]);
}

static void grey_u32(uint32_t *grey, const uint32_t *r, const uint32_t *g, const uint32_t *b, int64_t step, int64_t n)
{
    for (int64_t i = 0; i < n; i++) grey[i] = (uint32_t)mix(r[i * step], g[i * step], b[i * step]);
}

static void grey_f32(float *grey, const float *r, const float *g, const float *b, int64_t step, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        grey[i] = (float)(0.299 * (double)r[i * step] + 0.587 * (double)g[i * step] + 0.114 * (double)b[i * step]);
}

void tess__grey(void *grey, const void *red, const void *green, const void *blue, int64_t step, int64_t n,
                tess_dtype dtype)
{
    if (dtype == TESS_U8) grey_u8(grey, red, green, blue, step, n);
    else if (dtype == TESS_U16) grey_u16(grey, red, green, blue, step, n);
    else if (dtype == TESS_U32) grey_u32(grey, red, green, blue, step, n);
    else grey_f32(grey, red, green, blue, step, n);
}
