/* PNG files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/pictures.h"

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = {
        .format = TESS_FORMAT_PNG, .grey = 1, .keep_rows = pick % 2, .dtype = pick % 7 ? 0 : TESS_F32
    };
    uint8_t *mended = malloc(n ? n : 1);
    if (!mended) return 0;
    if (n) memcpy(mended, data, n);
    if (pick % 8) mend(mended, n);
    one_file(mended, n);
    fuzz_read("x.png", &opts, pick, (int64_t)n * 1041 * 8); /* deflate makes 1032 bytes of one, and 1 bit becomes 8 */
    if (pick % 4 == 0) fuzz_salvage("x.png:png");
    free(mended);
    return 0;
}

/* Other kinds of pixels, interlaced or not: the same data under another header. */
static void add_kinds(const uint8_t *bytes, size_t n)
{
    static const uint8_t kinds[][2] = { { 1, 0 }, { 4, 0 }, { 8, 3 }, { 8, 4 }, { 8, 6 }, { 8, 2 } };
    uint8_t              copy[FUZZ_LONGEST];
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        memcpy(copy, bytes, n);
        copy[24] = kinds[i][0];
        copy[25] = kinds[i][1];
        copy[28] = (uint8_t)(i % 2);
        fuzz_add(copy, n);
    }
}

void fuzz_seeds(void)
{
    const tess_meta meta = { .pixel_size = { 1, 1.5, 2 } };
    for (int kind = 0; kind < 6; kind++) {
        const bool            rgb = kind == 2;
        const tess_write_opts opts = { .overwrite = 1,
                                       .rgb = rgb,
                                       .meta = &meta,
                                       .compression = kind % 2 ? TESS_COMPRESSION_NONE : TESS_COMPRESSION_DEFLATE };
        if (fuzz_add_written("x.png", TESS_SHAPE(1, rgb ? 3 : 1, 9, 11), kind < 3 ? TESS_U8 : TESS_U16, &opts))
            add_kinds(fuzz_seed[fuzz_n_seeds - 1].bytes, fuzz_seed[fuzz_n_seeds - 1].n);
    }
    if (fuzz_n_seeds == 0) fuzz_add("\x89PNG\r\n\x1a\n", 8); /* not built in */
}
