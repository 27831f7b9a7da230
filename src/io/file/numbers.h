/* Numbers of headers in a given byte order. */
#ifndef TESS_IO_FILE_NUMBERS_H
#define TESS_IO_FILE_NUMBERS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t tess__load(const unsigned char *bytes, int n, bool big_endian)
{
    uint64_t value = 0;
    for (int i = 0; i < n; i++) value = value << 8 | bytes[big_endian ? i : n - 1 - i];
    return value;
}

static inline int32_t tess__load_i32(const unsigned char *bytes, bool big_endian)
{
    return (int32_t)tess__load(bytes, 4, big_endian);
}

static inline float tess__load_f32(const unsigned char *bytes, bool big_endian)
{
    const uint32_t bits = (uint32_t)tess__load(bytes, 4, big_endian);
    float          value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline double tess__load_f64(const unsigned char *bytes, bool big_endian)
{
    const uint64_t bits = tess__load(bytes, 8, big_endian);
    double         value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
