/* PNG files in memory: chunks, and a zlib stream of stored blocks. */
#include "picture/stored_png.h"

static void add_be32(longtext *t, uint32_t value)
{
    const uint8_t bytes[4] = { (uint8_t)(value >> 24), (uint8_t)(value >> 16), (uint8_t)(value >> 8), (uint8_t)value };
    longtext_bytes(t, bytes, 4);
}

static uint32_t crc32_of(const char *bytes, size_t n)
{
    uint32_t crc = 0xffffffffU;
    for (size_t i = 0; i < n; i++) {
        crc ^= (uint8_t)bytes[i];
        for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
    }
    return ~crc;
}

static void add_chunk(longtext *t, const char *type, const longtext *body)
{
    longtext chunk = { 0 };
    longtext_bytes(&chunk, type, 4);
    if (body->length > 0) longtext_bytes(&chunk, body->bytes, body->length);
    add_be32(t, (uint32_t)body->length);
    if (!chunk.failed) {
        longtext_bytes(t, chunk.bytes, chunk.length);
        add_be32(t, crc32_of(chunk.bytes, chunk.length));
    }
    t->failed = t->failed || chunk.failed || body->failed;
    longtext_free(&chunk);
}

/* Rows, each after a byte 0, as a zlib stream of stored blocks, one for each row or part of it. */
static void add_stored(longtext *t, const uint8_t *pixels, int64_t row_bytes, int64_t height)
{
    uint32_t a = 1, b = 0;
    longtext_bytes(t, "\x78\x01", 2);
    for (int64_t y = 0; y < height; y++) {
        const uint8_t *row = pixels + y * row_bytes;
        for (int64_t at = -1; at < row_bytes;) { /* byte -1 is the 0 */
            const int64_t left = row_bytes - at, n = left < 65535 ? left : 65535;
            const bool    last = y + 1 == height && n == left;
            const uint8_t head[5] = { last, (uint8_t)(n & 255), (uint8_t)(n >> 8), (uint8_t)(~n & 255),
                                      (uint8_t)(~n >> 8 & 255) };
            longtext_bytes(t, head, 5);
            for (int64_t i = at; i < at + n; i++) {
                const uint8_t byte = i < 0 ? 0 : row[i];
                longtext_bytes(t, &byte, 1);
                a = (a + byte) % 65521;
                b = (b + a) % 65521;
            }
            at += n;
        }
    }
    add_be32(t, b << 16 | a);
}

void stored_png(longtext *t, const uint8_t *pixels, int64_t width, int64_t height)
{
    longtext header = { 0 }, data = { 0 }, nothing = { 0 };
    add_be32(&header, (uint32_t)width);
    add_be32(&header, (uint32_t)height);
    longtext_bytes(&header, "\x08\x00\x00\x00\x00", 5);
    add_stored(&data, pixels, width, height);
    longtext_bytes(t, "\x89PNG\r\n\x1a\n", 8);
    add_chunk(t, "IHDR", &header);
    add_chunk(t, "IDAT", &data);
    add_chunk(t, "IEND", &nothing);
    longtext_free(&header);
    longtext_free(&data);
}
