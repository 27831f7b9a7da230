/* ZIP record layouts: signatures, sizes, flags and little-endian fields. */
#ifndef TESS_IO_ZIP_ZIP_BYTES_H
#define TESS_IO_ZIP_ZIP_BYTES_H

#include <stdint.h>

/* The first four bytes of each record, and how long it is without names and the like. */
#define ZIP_LOCAL 0x04034b50u
#define ZIP_ENTRY 0x02014b50u
#define ZIP_END 0x06054b50u
#define ZIP_END64 0x06064b50u
#define ZIP_LOCATOR 0x07064b50u
#define ZIP_DESCRIPTOR 0x08074b50u
enum { ZIP_LOCAL_SIZE = 30, ZIP_ENTRY_SIZE = 46, ZIP_END_SIZE = 22, ZIP_END64_SIZE = 56, ZIP_LOCATOR_SIZE = 20 };

/* The value of a 32-bit field that is in the ZIP64 extra field instead, and the number of that field. */
#define ZIP_IN_64 0xffffffffu
enum { ZIP_EXTRA64 = 1 };

/* Flags of a member. */
enum { ZIP_ENCRYPTED = 1, ZIP_SIZES_FOLLOW = 8, ZIP_UTF8 = 1 << 11 };

static inline uint16_t get16(const unsigned char *b) { return (uint16_t)(b[0] | b[1] << 8); }

static inline uint32_t get32(const unsigned char *b) { return (uint32_t)get16(b) | (uint32_t)get16(b + 2) << 16; }

static inline uint64_t get64(const unsigned char *b) { return (uint64_t)get32(b) | (uint64_t)get32(b + 4) << 32; }

/* Write the n lowest bytes of a value; returns what follows. */
static inline unsigned char *put(unsigned char *b, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) *b++ = (unsigned char)(value >> 8 * i);
    return b;
}

#endif
