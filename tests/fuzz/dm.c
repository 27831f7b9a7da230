/* DM3 and DM4 files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/arrays.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = {
        .format = TESS_FORMAT_DM, .as = (int32_t)(pick / 3 % 3), .keep_rows = pick % 2, .dtype = pick % 7 ? 0 : TESS_C64
    };
    one_file(data, n);
    fuzz_read("x.dm4", &opts, pick, (int64_t)n);
    if (pick % 4 == 0) fuzz_salvage("x.dm4:dm");
    return 0;
}

/* ---- Files ---- */

static uint8_t bytes[FUZZ_LONGEST / 2];
static size_t  n_bytes;
static int     version; /* 3 or 4 */

static void put(uint64_t value, int n, bool big_endian)
{
    for (int i = 0; i < n; i++) bytes[n_bytes++] = (uint8_t)(value >> 8 * (big_endian ? n - 1 - i : i));
}

static void put_count(uint64_t value) { put(value, version == 4 ? 8 : 4, true); }

static void put_name(int kind, const char *name)
{
    put((uint64_t)kind, 1, true);
    put(strlen(name), 2, true);
    memcpy(bytes + n_bytes, name, strlen(name));
    n_bytes += strlen(name);
    if (version == 4) put(0, 8, true); /* the length of the tag, which is not used */
}

static void begin_group(const char *name, uint64_t n)
{
    put_name(20, name);
    put(0, 2, true);
    put_count(n);
}

/* A value of `size` bytes, or an array of n. */
static void put_value(const char *name, int type, int size, uint64_t value, int n)
{
    put_name(21, name);
    memcpy(bytes + n_bytes, "%%%%", 4);
    n_bytes += 4;
    put_count(n ? 3 : 1);
    if (n) put_count(20);
    put_count((uint64_t)type);
    if (n) put_count((uint64_t)n);
    for (int i = 0; i < (n ? n : 1); i++) put(value + (uint64_t)i, size, false);
}

static void put_image(int dims, int data_type, int type, int size)
{
    int n = 1;
    begin_group("", 1);
    begin_group("ImageData", 4);
    begin_group("Calibrations", 1);
    begin_group("Dimension", 1);
    begin_group("", 2);
    put_value("Scale", 6, 4, 0x3f800000, 0);
    put_value("Units", 4, 2, 'm', 2);
    for (int i = 0; i < dims; i++) n *= 3 + i;
    put_value("Data", type, size, 7, n);
    put_value("DataType", 5, 4, (uint64_t)data_type, 0);
    begin_group("Dimensions", (uint64_t)dims);
    for (int i = 0; i < dims; i++) put_value("", 5, 4, 3 + (uint64_t)i, 0);
}

void fuzz_seeds(void)
{
    static const int types[][3] = { { 1, 2, 2 }, { 2, 6, 4 }, { 12, 7, 8 }, { 6, 10, 1 } };
    for (int kind = 0; kind < 16; kind++) {
        const int *type = types[kind % 4];
        n_bytes = 0;
        version = 3 + kind / 4 % 2;
        put((uint64_t)version, 4, true);
        put_count(0);
        put(1, 4, true);
        put(0, 2, true);
        put_count(1);
        begin_group("ImageList", 2);
        put_image(1 + kind / 8, 6, 10, 1);
        put_image(1 + kind % 4, type[0], type[1], type[2]);
        fuzz_add(bytes, n_bytes);
    }
}
