/* MRC files made by hand, byte by byte, for tests: nothing here knows the library's own reader or writer. */
#ifndef TESS_MRC_BYTES_H
#define TESS_MRC_BYTES_H

#include <stdint.h>
#include <string.h>

enum { MRC_ROOM = 1 << 16 };

typedef struct mrc_bytes {
    unsigned char bytes[MRC_ROOM];
    int64_t       size;
    int           big_endian;
} mrc_bytes;

static inline void mrc_put(mrc_bytes *m, int64_t at, uint64_t value, int n)
{
    for (int k = 0; k < n; k++) m->bytes[at + k] = (unsigned char)(value >> 8 * (m->big_endian ? n - 1 - k : k));
}

static inline void mrc_i32(mrc_bytes *m, int64_t at, int64_t value) { mrc_put(m, at, (uint64_t)value, 4); }
static inline void mrc_i16(mrc_bytes *m, int64_t at, int64_t value) { mrc_put(m, at, (uint64_t)value, 2); }

static inline void mrc_f32(mrc_bytes *m, int64_t at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    mrc_put(m, at, bits, 4);
}

static inline void mrc_f64(mrc_bytes *m, int64_t at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    mrc_put(m, at, bits, 8);
}

static inline void mrc_text(mrc_bytes *m, int64_t at, const char *text) { memcpy(m->bytes + at, text, strlen(text)); }

/* A good header of a stack, statistics not determined, and zeros for `data` bytes. */
static inline void mrc_make(mrc_bytes *m, int nx, int ny, int nz, int mode, int64_t data, int big_endian)
{
    memset(m, 0, sizeof *m);
    m->big_endian = big_endian;
    m->size = 1024 + data;
    const int fields[][2] = { { 0, nx },  { 4, ny }, { 8, nz }, { 12, mode }, { 28, nx },
                              { 32, ny }, { 36, 1 }, { 64, 1 }, { 68, 2 },    { 72, 3 } };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) mrc_i32(m, fields[i][0], fields[i][1]);
    for (int k = 0; k < 3; k++) {
        mrc_f32(m, 52 + 4 * k, 90);
        mrc_f32(m, 76 + 4 * k, (float)-k);
    }
    mrc_f32(m, 216, -1);
    mrc_i32(m, 108, 20141);
    mrc_text(m, 208, "MAP ");
    mrc_text(m, 212, big_endian ? "\x11\x11" : "DD");
    memset(m->bytes + 224, ' ', 800);
}

static inline void mrc_imod(mrc_bytes *m, int flags)
{
    mrc_i32(m, 152, 1146047817);
    mrc_i32(m, 156, flags);
}

#endif
