/* DM3 and DM4 files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/arrays.h"
#include "support/dm_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = { .format = TESS_FORMAT_DM,
                                  .as = (int32_t)(pick / 3 % 3),
                                  .keep_rows = pick % 2,
                                  .grey = pick / 5 % 2,
                                  .page = pick / 11 % 3,
                                  .dtype = pick % 7 ? 0 : TESS_C64 };
    one_file(data, n);
    fuzz_read("x.dm4", &opts, pick, (int64_t)n);
    if (pick % 4 == 0) fuzz_salvage("x.dm4:dm");
    return 0;
}

void fuzz_seeds(void)
{
    static const int types[][3] = { { 1, 2, 2 }, { 2, 6, 4 }, { 12, 7, 8 }, { 23, 3, 4 } };
    for (int kind = 0; kind < 16; kind++) {
        const int *type = types[kind % 4];
        dm_make(3 + kind / 4 % 2, 1 + kind % 4, 1 + kind / 8, type[0], type[1], type[2]);
        fuzz_add(dm_bytes, dm_n_bytes);
    }
}
