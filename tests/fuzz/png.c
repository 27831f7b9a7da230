/* PNGs that went wrong in every way: see files.h. */
#include "fuzz/files.h"

/* Changed chunks get a right checksum again, or nothing but checksums would be tried. */
static uint32_t checksum(const uint8_t *bytes, size_t n)
{
    uint32_t crc = 0xffffffff;
    for (size_t i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void mend(uint8_t *bytes, size_t n)
{
    for (size_t at = 8; at + 12 <= n;) {
        const size_t length =
            (size_t)bytes[at] << 24 | (size_t)bytes[at + 1] << 16 | (size_t)bytes[at + 2] << 8 | (size_t)bytes[at + 3];
        if (length > n - at - 12) return;
        const uint32_t crc = checksum(bytes + at + 4, length + 4);
        for (int i = 0; i < 4; i++) bytes[at + 8 + length + (size_t)i] = (uint8_t)(crc >> (24 - 8 * i));
        at += 12 + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const tess_read_opts opts[] = { { .grey = 1 }, { .salvage = 1, .grey = 1, .keep_rows = 1 } };
    uint8_t                    *mended = malloc(n ? n : 1);
    if (tess_set_memory_limit(INT64_C(1) << 26) != TESS_OK) fail("no limit of memory");
    if (!mended) return 0;
    if (n) memcpy(mended, data, n);
    mend(mended, n);
    for (size_t i = 0; i < sizeof opts / sizeof *opts; i++) try_bytes(&tess__format_png, mended, n, &opts[i]);
    try_bytes(&tess__format_png, data, n, &opts[0]);
    free(mended);
    return 0;
}

#ifndef TESS_LIBFUZZER

static const char path[] = "fuzz_seed.png";

static void add_seeds(void)
{
    const tess_meta meta = { .pixel_size = { 1, 1.5, 2 } };
    for (int kind = 0; kind < 6; kind++) {
        const bool            rgb = kind == 2;
        const tess_write_opts opts = { .overwrite = 1,
                                       .rgb = rgb,
                                       .meta = &meta,
                                       .compression = kind % 2 ? TESS_COMPRESSION_NONE : TESS_COMPRESSION_DEFLATE };
        tess_array            a = { 0 };
        if (tess_arange(&a, TESS_SHAPE(1, rgb ? 3 : 1, 9, 11), kind < 3 ? TESS_U8 : TESS_U16, tess_cpu(), 0, 1) ==
                TESS_OK &&
            tess_write(path, &a, &opts) == TESS_OK)
            add_written(path);
        tess_release(&a);
    }
    /* Other kinds of pixels, interlaced or not: the same data under another header. */
    const size_t n = n_seeds;
    for (size_t i = 0; i < 5 * n; i++) {
        static const uint8_t kinds[5][2] = { { 1, 0 }, { 4, 0 }, { 8, 3 }, { 8, 4 }, { 8, 6 } };
        uint8_t             *copy = malloc(lengths[i % n]);
        if (!copy) break;
        memcpy(copy, seeds[i % n], lengths[i % n]);
        copy[24] = kinds[i / n][0];
        copy[25] = kinds[i / n][1];
        copy[28] = (uint8_t)(i % 2);
        add_seed(copy, lengths[i % n]);
        free(copy);
    }
}

int main(int argc, char **argv) { return fuzz_main(argc, argv, add_seeds); }

#endif
