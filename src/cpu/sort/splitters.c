/* Splitters from a sample of keys: each pattern of the highest bits that vary gets a bucket by how much of the sample
 * is below it. So buckets are about equal for numbers of any distribution, as buckets by radix digits of floats would
 * not be. The sample does not change results. */
#include "cpu/sort/splitters.h"

#include <string.h>

enum {
    SAMPLES = 4096,
    LARGE = 1 << 25 /* bytes of items that exceed the caches */
};

static uint64_t key_at(const char *items, int64_t i, int64_t size)
{
    uint8_t  byte;
    uint16_t half;
    uint32_t single;
    uint64_t whole;
    switch (size) {
    case 1: memcpy(&byte, items + i, sizeof byte); return byte;
    case 2: memcpy(&half, items + 2 * i, sizeof half); return half;
    case 4: memcpy(&single, items + 4 * i, sizeof single); return single;
    default: memcpy(&whole, items + size * i, sizeof whole); return whole;
    }
}

/* The first bucket is for keys below the sample's, the last for those above; so keys that differ within the bits of the
 * mask never all share a bucket. */
static void set_buckets(tess__splitters *splitters, const uint16_t *counts)
{
    uint32_t below = 0;
    for (uint64_t bits = 0; bits <= splitters->mask; bits++) {
        if (below == 0 && counts[bits] == 0) splitters->of[bits] = 0;
        else if (below == SAMPLES) splitters->of[bits] = TESS__BUCKETS - 1;
        else splitters->of[bits] = (uint8_t)(1 + (below * (TESS__BUCKETS - 3) + SAMPLES - 1) / SAMPLES);
        below += counts[bits];
    }
}

void tess__splitters_of(tess__splitters *splitters, const void *items, int64_t n, int64_t size, uint64_t varying,
                        uint16_t *counts)
{
    const int top = 64 - __builtin_clzll(varying), low = __builtin_ctzll(varying);
    const int few = 64 - __builtin_clzll((uint64_t)n) - 5; /* far fewer patterns than items: all are read */
    int       bits = few < 1 ? 1 : few < TESS__BUCKET_BITS ? few : TESS__BUCKET_BITS;
    if (bits > top - low) bits = top - low;
    splitters->shift = top - bits;
    splitters->mask = ((uint64_t)1 << bits) - 1;
    splitters->large = n * size >= LARGE;
    memset(counts, 0, sizeof counts[0] << bits);
    for (uint64_t i = 0; i < SAMPLES; i++) {
        const uint64_t at = (i * 0x9e3779b9u & UINT32_MAX) * (uint64_t)n >> 32; /* over all items, in no pattern */
        counts[key_at(items, (int64_t)at, size) >> splitters->shift & splitters->mask]++;
    }
    set_buckets(splitters, counts);
}
