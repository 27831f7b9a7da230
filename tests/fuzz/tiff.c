/* TIFFs that went wrong in every way: see files.h. */
#include "fuzz/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const tess_read_opts opts[] = { { .grey = 1 }, { .salvage = 1, .grey = 1, .keep_rows = 1 } };
    /* Salvaged files may be as large as they say. */
    if (tess_set_memory_limit(INT64_C(1) << 26) != TESS_OK) fail("no limit of memory");
    for (size_t i = 0; i < sizeof opts / sizeof *opts; i++) try_bytes(&tess__format_tiff, data, n, &opts[i]);
    return 0;
}

#ifndef TESS_LIBFUZZER

static const char path[] = "fuzz_seed.tif";

/* Of every kind that the library writes. */
static void add_seeds(void)
{
    static const tess_dtype dtypes[] = { TESS_U8, TESS_I16, TESS_F16, TESS_F32, TESS_C32, TESS_U64 };
    for (int32_t c = TESS_COMPRESSION_NONE; c <= TESS_COMPRESSION_ZSTD; c++)
        for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
            const bool            rgb = dtypes[i] == TESS_U8 && c != TESS_COMPRESSION_NONE;
            const tess_write_opts opts = { .compression = c, .overwrite = 1, .rgb = rgb };
            tess_array            a = { 0 };
            if (!tess_file_format_supported(TESS_FORMAT_TIFF, (tess_compression)c)) continue;
            if (tess_arange(&a, TESS_SHAPE(2, rgb ? 3 : 1, 9, 11), dtypes[i], tess_cpu(), 0, 1) == TESS_OK &&
                tess_write(path, &a, &opts) == TESS_OK)
                add_written(path);
            tess_release(&a);
        }
}

/* The same with tiles, and with the highest byte first, by changing what the library wrote: see the tags. */
static void turn_to_tiles(void)
{
    const size_t n = n_seeds;
    for (size_t i = 0; i < n; i++) {
        unsigned char copy[LONGEST];
        memcpy(copy, seeds[i], lengths[i]);
        for (size_t at = 8; at + 12 < lengths[i]; at++) {
            const unsigned tag = copy[at] + 256u * copy[at + 1];
            if (copy[at + 2] > 4 || copy[at + 3] || copy[at + 4] != 1 || copy[at + 5]) continue;
            if (tag == 273) copy[at] = 324 & 255, copy[at + 1] = 324 >> 8;
            if (tag == 279) copy[at] = 325 & 255, copy[at + 1] = 325 >> 8;
            if (tag == 278) copy[at] = 322 & 255, copy[at + 1] = 322 >> 8, copy[at + 8] = 16;
            if (tag == 296) copy[at] = 323 & 255, copy[at + 1] = 323 >> 8, copy[at + 8] = 16;
        }
        add_seed(copy, lengths[i]);
    }
}

static void add_all(void)
{
    add_seeds();
    turn_to_tiles();
}

int main(int argc, char **argv) { return fuzz_main(argc, argv, add_all); }

#endif
