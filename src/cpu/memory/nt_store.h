/* Non-temporal stores of cache lines, where the processor has them. For files built once per instruction set. */
#ifndef TESS_CPU_MEMORY_NT_STORE_H
#define TESS_CPU_MEMORY_NT_STORE_H

#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { TESS__AT_ONCE = 64 /* bytes: those of a vector */ };
static inline void tess__nt_store_line(char *out, const char *in)
{
    _mm512_stream_si512((void *)out, _mm512_loadu_si512((const void *)in));
}
#elif defined(__AVX__)
enum { TESS__AT_ONCE = 32 };
static inline void tess__nt_store_line(char *out, const char *in)
{
    _mm256_stream_si256((void *)out, _mm256_loadu_si256((const void *)in));
}
#elif defined(__SSE2__)
enum { TESS__AT_ONCE = 16 };
static inline void tess__nt_store_line(char *out, const char *in)
{
    _mm_stream_si128((void *)out, _mm_loadu_si128((const void *)in));
}
#else
enum { TESS__AT_ONCE = 16 };
static inline void tess__nt_store_line(char *out, const char *in) { memcpy(out, in, TESS__AT_ONCE); }
#endif

/* 16 bytes of a cache line, of which all others have to follow directly. */
static inline void tess__nt_store_16(char *out, const void *in)
{
#if defined(__SSE2__)
    _mm_stream_si128((void *)out, _mm_loadu_si128(in));
#else
    memcpy(out, in, 16);
#endif
}

/* Whole cache lines. */
static inline void tess__nt_copy_lines(char *out, const char *in, int64_t bytes)
{
    for (int64_t i = 0; i < bytes; i += TESS__AT_ONCE) tess__nt_store_line(out + i, in + i);
}

#endif
