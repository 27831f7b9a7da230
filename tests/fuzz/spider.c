/* SPIDER files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = { .format = TESS_FORMAT_SPIDER,
                                  .as = pick % 3 ? 0 : (int32_t)(pick / 3 % 3),
                                  .dtype = pick % 7 ? 0 : TESS_F64 };
    one_file(data, n);
    fuzz_read("x.spi", &opts, pick, (int64_t)n);
    if (pick % 4 == 0) fuzz_salvage("x.spi:spider");
    return 0;
}

/* Words of a header of 1024 bytes or more, in either byte order. */
static void put_words(uint8_t *header, int columns, int rows, int slices, int images, bool swapped)
{
    const int   records = (1024 + 4 * columns - 1) / (4 * columns);
    const float words[][2] = {
        { 0, (float)slices },
        { 1, (float)rows },
        { 4, slices > 1 ? 3 : 1 },
        { 5, 1 },
        { 11, (float)columns },
        { 12, (float)records },
        { 21, (float)(records * 4 * columns) },
        { 22, (float)(4 * columns) },
        { 23, images ? 2 : 0 },
        { 25, (float)images },
        { 37, 1.5f },
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        uint8_t bytes[4];
        memcpy(bytes, &words[i][1], 4);
        for (int k = 0; k < 4; k++) header[4 * (int)words[i][0] + k] = bytes[swapped ? 3 - k : k];
    }
}

void fuzz_seeds(void)
{
    static uint8_t bytes[FUZZ_LONGEST / 2];
    for (int kind = 0; kind < 12; kind++) {
        const int    columns = 8 + 3 * (kind % 3), rows = 5, slices = kind % 2 ? 3 : 1, images = kind / 2 % 3;
        const size_t header = (size_t)((1024 + 4 * columns - 1) / (4 * columns) * 4 * columns);
        const size_t each = header + (size_t)(4 * columns * rows * slices);
        memset(bytes, 0, sizeof bytes);
        put_words(bytes, columns, rows, slices, images, kind >= 6);
        fuzz_add(bytes, (images ? header : 0) + each * (size_t)(images ? images : 1));
    }
}
