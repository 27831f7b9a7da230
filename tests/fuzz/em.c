/* EM files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = { .format = pick % 3 ? TESS_FORMAT_EM : 0,
                                  .as = (int32_t)(pick / 3 % 3),
                                  .bytes = (int32_t)(pick / 5 % 3),
                                  .dtype = pick % 7 ? 0 : TESS_C64 };
    one_file(data, n);
    fuzz_read("x.em", &opts, pick, (int64_t)n);
    if (pick % 4 == 0) fuzz_salvage("x.em:em");
    return 0;
}

void fuzz_seeds(void)
{
    static const uint8_t types[] = { 1, 2, 4, 5, 8, 9, 10 }, sizes[] = { 1, 2, 4, 4, 8, 8, 16 };
    static const uint8_t machines[] = { 6, 5, 0, 3, 1 };
    static uint8_t       bytes[2048];
    for (size_t kind = 0; kind < 35; kind++) {
        const size_t  type = kind % 7, machine = machines[kind / 7];
        const bool    big_endian = machine == 0 || machine == 3 || machine == 5;
        const uint8_t n[3] = { 5, 4, (uint8_t)(1 + kind % 3) };
        memset(bytes, 1, sizeof bytes);
        memset(bytes, 0, 512);
        bytes[0] = (uint8_t)machine;
        bytes[3] = types[type];
        for (int k = 0; k < 3; k++) bytes[4 + 4 * k + (big_endian ? 3 : 0)] = n[k];
        memcpy(bytes + 16, "a comment", 9);
        fuzz_add(bytes, 512 + (size_t)n[0] * n[1] * n[2] * sizes[type]);
    }
}
