/* SER files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = { .format = pick % 3 ? TESS_FORMAT_SER : 0,
                                  .as = (int32_t)(pick / 3 % 3),
                                  .page = pick % 5 ? 0 : pick / 5 % 4,
                                  .n_pages = (int32_t)(pick / 7 % 3),
                                  .dtype = pick % 7 ? 0 : TESS_C64 };
    one_file(data, n);
    fuzz_read("x.ser", &opts, pick, (int64_t)n);
    if (pick % 4 == 0) fuzz_salvage("x.ser:ser");
    return 0;
}

static uint8_t bytes[4096];
static size_t  n_bytes;

static void put(uint64_t value, int n)
{
    for (int i = 0; i < n; i++) bytes[n_bytes++] = (uint8_t)(i < 8 ? value >> 8 * i : 0);
}

/* Numbers of f64 that only matter as calibrations. */
static void put_calibration(void)
{
    put(0, 8);
    put(0x3e571ca2c9d6e32d, 8);
    put(0, 4);
}

static void put_element(bool is_image, int type, int size)
{
    put_calibration();
    if (is_image) put_calibration();
    put((uint64_t)type, 2);
    put(5, 4);
    if (is_image) put(3, 4);
    for (int i = 0; i < 5 * (is_image ? 3 : 1); i++) put((uint64_t)i, size);
}

void fuzz_seeds(void)
{
    static const int sizes[] = { 0, 1, 2, 4, 1, 2, 4, 4, 8, 8, 16 };
    for (int kind = 0; kind < 40; kind++) {
        const bool wide = kind % 2, is_image = kind / 2 % 2;
        const int  type = 1 + kind / 4, n = 1 + kind % 3, width = wide ? 8 : 4;
        const int  each = (is_image ? 50 + 15 * sizes[type] : 26 + 5 * sizes[type]), offsets = (wide ? 34 : 30) + 32;
        n_bytes = 0;
        put(0x01974949, 4);
        put(wide ? 0x220 : 0x210, 2);
        put(is_image ? 0x4122 : 0x4120, 4);
        put(0x4152, 4);
        put((uint64_t)n + (uint64_t)(kind % 2), 4); /* one more that is not there */
        put((uint64_t)n, 4);
        put((uint64_t)offsets, width);
        put(1, 4);
        put((uint64_t)n, 4);
        put_calibration();
        put(0, 4);
        put(0, 4);
        for (int i = 0; i < 2 * (n + kind % 2); i++)
            put((uint64_t)(offsets + 2 * (n + kind % 2) * width + i % (n + kind % 2) * each), width);
        for (int i = 0; i < n; i++) put_element(is_image, type, sizes[type]);
        fuzz_add(bytes, n_bytes);
    }
}
