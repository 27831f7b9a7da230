/* Short rows copied and filled, one after the other. */
#ifndef TESS_CPU_ROWS_H
#define TESS_CPU_ROWS_H

#include <stdint.h>
#include <string.h>

enum {
    TESS__FETCH_AHEAD = 32768,  /* bytes; into the last cache, which the processor by itself fills too late */
    TESS__FETCH_MOST = 1 << 20, /* bytes of a row; after a longer one, the next would no longer be there */
    TESS__FETCH_LEAST = 4 << 20 /* bytes read; fewer may be in a cache, where fetching costs more than it gives */
};

/* Byte after byte, each once: rows that make up contiguous memory are then written as one stream, and the processor
 * does not read the lines first. memcpy writes the ends of what it copies out of turn, or twice. `later`: a row as long
 * that comes some time after this one, or NULL. */
static inline void tess__copy_fetching(char *out, const char *in, const char *later, int64_t bytes)
{
    int64_t at = 0;
    for (; at + 64 <= bytes; at += 64) {
        if (later) __builtin_prefetch(later + at, 0, 1);
        memcpy(out + at, in + at, 64);
    }
    if (later && at < bytes) {
        __builtin_prefetch(later + at, 0, 1);
        __builtin_prefetch(later + bytes - 1, 0, 1);
    }
    for (; at + 16 <= bytes; at += 16) memcpy(out + at, in + at, 16);
    for (; at + 4 <= bytes; at += 4) memcpy(out + at, in + at, 4);
    for (; at < bytes; at++) out[at] = in[at];
}

/* Longer rows are left to memcpy. */
enum { TESS__SHORT_ROW = 8192 };

static inline void tess__copy_row(char *out, const char *in, int64_t bytes)
{
    if (bytes >= TESS__SHORT_ROW) memcpy(out, in, (size_t)bytes);
    else tess__copy_fetching(out, in, NULL, bytes);
}

/* The same with a pattern of 64 bytes again and again. */
static inline void tess__fill_row(char *out, const char pattern[64], int64_t bytes)
{
    int64_t at = 0;
    for (; at + 64 <= bytes; at += 64) memcpy(out + at, pattern, 64);
    for (; at + 16 <= bytes; at += 16) memcpy(out + at, pattern + at % 64, 16);
    for (; at + 4 <= bytes; at += 4) memcpy(out + at, pattern + at % 64, 4);
    for (; at < bytes; at++) out[at] = pattern[at % 64];
}

#endif
