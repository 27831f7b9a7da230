/* Inline copy, fill and reversal of short rows, with prefetch or non-temporal stores. */
#ifndef TESS_CPU_MEMORY_ROW_COPY_H
#define TESS_CPU_MEMORY_ROW_COPY_H

#include <stdint.h>
#include <string.h>

#include "cpu/isa.h"
#include "cpu/tuning.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* The tail of bytes % 64, by branches instead of loops: each goes the same way for every row, and is predicted. */
static inline void tess__copy_end(char *out, const char *in, int64_t bytes)
{
    if (bytes & 32) memcpy(out, in, 32), out += 32, in += 32;
    if (bytes & 16) memcpy(out, in, 16), out += 16, in += 16;
    if (bytes & 8) memcpy(out, in, 8), out += 8, in += 8;
    if (bytes & 4) memcpy(out, in, 4), out += 4, in += 4;
    if (bytes & 2) memcpy(out, in, 2), out += 2, in += 2;
    if (bytes & 1) *out = *in;
}

/* Byte after byte, each once: rows that make up contiguous memory are then written as one stream, and the processor
 * does not read the lines first. memcpy writes the ends of what it copies out of order, or twice. `later`: a row as
 * long, to be prefetched, or NULL. */
static inline void tess__copy_prefetch(char *out, const char *in, const char *later, int64_t bytes)
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
    tess__copy_end(out + at, in + at, bytes);
}

/* The same by non-temporal stores, for results too large for the caches: x86 processors read the cache lines of
 * ordinary stores first, in whatever order they come. Others do not gain by it. tess__stores_done, a store fence, has
 * to come before another thread reads the result. */
#if defined(__SSE2__)
enum { TESS__HAVE_NT_STORES = 1 };

static inline void tess__stores_done(void) { _mm_sfence(); }
#else
enum { TESS__HAVE_NT_STORES = 0 };

static inline void tess__stores_done(void) {}
#endif

static inline void tess__nt_copy_bytes(char *out, const char *in, int64_t bytes)
{
    const int64_t to_line = (int64_t)(-(uintptr_t)out & 63), head = to_line < bytes ? to_line : bytes;
    const int64_t lines = (bytes - head) / 64 * 64;
    if (head) tess__copy_end(out, in, head);
    if (lines) tess__cpu_kernels()->memory.nt_copy(out + head, in + head, lines);
    if (head + lines < bytes) tess__copy_end(out + head + lines, in + head + lines, bytes - head - lines);
}

/* Longer rows are left to memcpy. */
enum { TESS__SHORT_ROW = 8192 };

static inline void tess__copy_row(char *out, const char *in, int64_t bytes)
{
    if (bytes >= TESS__SHORT_ROW) memcpy(out, in, (size_t)bytes);
    else tess__copy_prefetch(out, in, NULL, bytes);
}

/* Fills a row with a pattern of 64 bytes, repeated. */
static inline void tess__fill_row(char *out, const char pattern[64], int64_t bytes)
{
    int64_t at = 0;
    for (; at + 64 <= bytes; at += 64) memcpy(out + at, pattern, 64);
    tess__copy_end(out + at, pattern, bytes);
}

enum { TESS__VECTOR = 16 };

/* A vector of elements in reverse order; their size is one that divides the vector's and that the compiler knows. */
static inline void tess__reverse_vector(char *out, const char *in, int64_t size)
{
    typedef uint64_t two __attribute__((vector_size(TESS__VECTOR)));
    typedef uint32_t four __attribute__((vector_size(TESS__VECTOR)));
    char             to[TESS__VECTOR];
    two              x;
    memcpy(&x, in, sizeof x);
    if (size == 4) {
        const four v = (four)x, reversed = { v[3], v[2], v[1], v[0] };
        memcpy(to, &reversed, sizeof to);
    } else if (size == 8) {
        const two reversed = { x[1], x[0] };
        memcpy(to, &reversed, sizeof to);
    } else {
        for (int64_t i = 0; i < TESS__VECTOR; i += size) memcpy(to + i, in + TESS__VECTOR - size - i, (size_t)size);
    }
    memcpy(out, to, sizeof to);
}

/* Elements in reverse order, from `in` downwards. */
static inline void tess__reverse_row(char *out, const char *in, int64_t n, int64_t size)
{
    for (; n * size >= TESS__VECTOR; n -= TESS__VECTOR / size, out += TESS__VECTOR, in -= TESS__VECTOR)
        tess__reverse_vector(out, in + size - TESS__VECTOR, size);
    for (; n > 0; n--, out += size, in -= size) memcpy(out, in, (size_t)size);
}

/* One such element, repeated. */
static inline void tess__repeat_row(char *out, const char *in, int64_t n, int64_t size)
{
    char to[TESS__VECTOR];
    for (int64_t i = 0; i < TESS__VECTOR; i += size) memcpy(to + i, in, (size_t)size);
    for (; n * size >= TESS__VECTOR; n -= TESS__VECTOR / size, out += TESS__VECTOR) memcpy(out, to, sizeof to);
    for (; n > 0; n--, out += size) memcpy(out, in, (size_t)size);
}

/* Contiguous elements in reverse order (step -1), or the first one repeated (0), of a size that the compiler knows. */
static inline void tess__reverse_run_of(char *out, const char *in, int64_t step, int64_t n, int64_t size)
{
    if (step == 0) tess__repeat_row(out, in, n, size);
    else tess__reverse_row(out, in, n, size);
}

/* False if their size is another. */
static inline bool tess__reverse_run(char *out, const char *in, int64_t step, int64_t n, int64_t size)
{
    if (size == 4) tess__reverse_run_of(out, in, step, n, 4);
    else if (size == 8) tess__reverse_run_of(out, in, step, n, 8);
    else if (size == 2) tess__reverse_run_of(out, in, step, n, 2);
    else if (size == 1) tess__reverse_run_of(out, in, step, n, 1);
    else if (size == 16) tess__reverse_run_of(out, in, step, n, 16);
    else return false;
    return true;
}

#endif
