/* Small EER movies made by hand. */
#ifndef TESS_TEST_EER_BYTES_H
#define TESS_TEST_EER_BYTES_H

#include <stdint.h>
#include <string.h>

enum { EER_WIDTH = 40, EER_HEIGHT = 30, EER_PIXELS = EER_WIDTH * EER_HEIGHT };

typedef struct eer_bytes {
    uint8_t bytes[1 << 15];
    size_t  n; /* bits, or bytes of a file */
} eer_bytes;

static inline void eer_put_bits(eer_bytes *p, unsigned value, int n)
{
    for (int i = 0; i < n; i++, p->n++)
        if (value >> i & 1) p->bytes[p->n / 8] |= (uint8_t)(1 << p->n % 8);
}

/* An electron in every `step`-th pixel. */
static inline void eer_put_frame(eer_bytes *p, int run_bits, int position_bits, unsigned step)
{
    const unsigned longest = (1u << run_bits) - 1;
    for (unsigned at = 0; at < EER_PIXELS;) {
        unsigned run = step - 1 < EER_PIXELS - at ? step - 1 : EER_PIXELS - at;
        for (at += run; run >= longest; run -= longest) eer_put_bits(p, longest, run_bits);
        eer_put_bits(p, run, run_bits);
        if (at++ < EER_PIXELS) eer_put_bits(p, at * 7, position_bits);
    }
}

static inline void eer_put_number(eer_bytes *p, uint64_t value, int n)
{
    for (int i = 0; i < n; i++) p->bytes[p->n++] = (uint8_t)(value >> 8 * i);
}

static inline void eer_put_entry(eer_bytes *p, unsigned tag, unsigned type, uint64_t count, uint64_t value)
{
    eer_put_number(p, tag, 2);
    eer_put_number(p, type, 2);
    eer_put_number(p, count, 8);
    eer_put_number(p, value, 8);
}

/* A BigTIFF of some frames. */
static inline eer_bytes eer_make(unsigned compression, int run_bits, int n_frames)
{
    static const char xml[] = "<item name=\"sensorPixelSize.width\" unit=\"m\">7e-11</item>";
    eer_bytes         file = { .n = 0 }, frame;
    size_t            link = 8;
    memcpy(file.bytes, "II+\0\10\0\0\0", 8);
    file.n = 16;
    for (int i = 0; i < n_frames; i++) {
        memset(&frame, 0, sizeof frame);
        eer_put_frame(&frame, run_bits, 4, 5 + 300 * (unsigned)i);
        const size_t at = file.n, n = (frame.n + 7) / 8, text = at + n;
        memcpy(file.bytes + at, frame.bytes, n);
        memcpy(file.bytes + text, xml, sizeof xml);
        file.n = text + sizeof xml;
        for (int k = 0; k < 8; k++) file.bytes[link + (size_t)k] = (uint8_t)((uint64_t)file.n >> 8 * k);
        eer_put_number(&file, 8, 8);
        eer_put_entry(&file, 256, 4, 1, EER_WIDTH);
        eer_put_entry(&file, 257, 4, 1, EER_HEIGHT);
        eer_put_entry(&file, 259, 3, 1, compression);
        eer_put_entry(&file, 273, 16, 1, at);
        eer_put_entry(&file, 279, 16, 1, n);
        eer_put_entry(&file, 65001, 7, sizeof xml, text);
        eer_put_entry(&file, 65007, 3, 1, (uint64_t)run_bits);
        eer_put_entry(&file, 65008, 3, 1, 2);
        link = file.n;
        eer_put_number(&file, 0, 8);
    }
    return file;
}

#endif
