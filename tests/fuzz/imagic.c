/* IMAGIC files that went wrong; see tests/fuzz/mutate.h. The same bytes are the headers and the images. */
#include "fuzz/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = { .format = pick % 3 ? TESS_FORMAT_IMAGIC : 0,
                                  .as = (int32_t)(pick / 3 % 3),
                                  .dtype = pick % 7 ? 0 : TESS_C64 };
    one_file(data, n);
    fuzz_read(pick % 2 ? "x.hed" : "x.img", &opts, pick, (int64_t)n);
    if (pick % 4 == 0) fuzz_salvage("x.hed:imagic");
    return 0;
}

static void put_word(uint8_t *header, int word, int value, bool big_endian)
{
    for (int i = 0; i < 4; i++) header[4 * word + (big_endian ? 3 - i : i)] = (uint8_t)(value >> 8 * i);
}

/* Images of 1024 bytes: as many as there are headers. */
void fuzz_seeds(void)
{
    static const char *const types[] = { "PACK", "INTG", "LONG", "REAL", "COMP", "RECO" };
    static const int         columns[] = { 32, 32, 16, 16, 8, 16 }, rows[] = { 32, 16, 16, 16, 16, 16 };
    static uint8_t           bytes[4 * 1024];
    for (int kind = 0; kind < 24; kind++) {
        const bool big_endian = kind / 6 % 2;
        const int  type = kind % 6, n = 1 + kind % 4;
        memset(bytes, 0, sizeof bytes);
        for (int i = 0; i < n; i++) {
            uint8_t *header = bytes + 1024 * i;
            put_word(header, 0, i + 1, big_endian);
            put_word(header, 1, i ? 0 : n - 1, big_endian);
            put_word(header, 12, rows[type], big_endian);
            put_word(header, 13, columns[type], big_endian);
            memcpy(header + 56, types[type], 4);
            put_word(header, 60, kind >= 12 ? n : 1, big_endian);
            if (kind % 5) put_word(header, 68, big_endian ? 0x04040404 : 0x02020202, big_endian);
        }
        fuzz_add(bytes, 1024 * (size_t)n);
    }
}
