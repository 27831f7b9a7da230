/* Decoders of MRC rows whose samples are no array elements: complex i16, 4-bit, colour and IMOD's bytes. */
#include "io/file/colour.h"
#include "io/mrc/mrc.h"

static float read_i16(const unsigned char *bytes, bool big_endian)
{
    const unsigned high = bytes[big_endian ? 0 : 1], low = bytes[big_endian ? 1 : 0];
    const int      value = (int)(high << 8 | low);
    return (float)(value >= 0x8000 ? value - 0x10000 : value);
}

void tess__mrc_complex_i16(const unsigned char *row, int64_t first, int64_t n, void *out, const tess_file *file)
{
    const bool           big_endian = file->info.big_endian != 0;
    const unsigned char *from = row + 4 * first;
    float               *to = out;
    for (int64_t i = 0; i < 2 * n; i++) to[i] = read_i16(from + 2 * i, big_endian);
}

void tess__mrc_nibbles(const unsigned char *row, int64_t first, int64_t n, void *out, const tess_file *file)
{
    (void)file;
    const unsigned char *from = row + first / 2;
    unsigned char       *to = out, *end = to + n;
    if (first % 2 && n > 0) *to++ = (unsigned char)(*from++ >> 4);
    const int64_t pairs = (end - to) / 2;
    for (int64_t i = 0; i < pairs; i++) {
        to[2 * i] = from[i] & 15;
        to[2 * i + 1] = (unsigned char)(from[i] >> 4);
    }
    if (to + 2 * pairs < end) to[2 * pairs] = from[pairs] & 15;
}

void tess__mrc_grey(const unsigned char *row, int64_t first, int64_t n, void *out, const tess_file *file)
{
    (void)file;
    const unsigned char *from = row + 3 * first;
    tess__grey(out, from, from + 1, from + 2, 3, n, TESS_U8);
}

void tess__mrc_imod_bytes(const unsigned char *row, int64_t first, int64_t n, void *out, const tess_file *file)
{
    (void)file;
    unsigned char *to = out;
    for (int64_t i = 0; i < n; i++) to[i] = row[first + i] ^ 0x80u;
}
