/* Short rows copied and filled, one after the other. */
#ifndef TESS_CPU_ROWS_H
#define TESS_CPU_ROWS_H

#include <stdint.h>
#include <string.h>

/* Longer rows are left to memcpy. */
enum { TESS__SHORT_ROW = 8192 };

/* Byte after byte, each once: rows that make up contiguous memory are then written as one stream, and the processor
 * does not read the lines first. memcpy writes the ends of what it copies out of turn, or twice. */
static inline void tess__copy_row(char *out, const char *in, int64_t bytes)
{
    int64_t at = 0;
    if (bytes >= TESS__SHORT_ROW) {
        memcpy(out, in, (size_t)bytes);
        return;
    }
    for (; at + 64 <= bytes; at += 64) memcpy(out + at, in + at, 64);
    for (; at + 16 <= bytes; at += 16) memcpy(out + at, in + at, 16);
    for (; at + 4 <= bytes; at += 4) memcpy(out + at, in + at, 4);
    for (; at < bytes; at++) out[at] = in[at];
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
