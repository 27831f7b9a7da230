/* TIFF files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/pictures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = {
        .format = TESS_FORMAT_TIFF, .grey = 1, .keep_rows = pick % 2, .dtype = pick % 7 ? 0 : TESS_C64
    };
    one_file(data, n);
    fuzz_read("x.tif", &opts, pick, (int64_t)n << 17); /* zstd makes 65536 bytes of one, and 4 bits become 8 */
    if (pick % 4 == 0) fuzz_salvage("x.tif:tiff");
    return 0;
}

/* The same with tiles, by changing the tags of what the library wrote. */
static void add_tiled(const uint8_t *bytes, size_t n)
{
    uint8_t copy[FUZZ_LONGEST];
    memcpy(copy, bytes, n);
    for (size_t at = 8; at + 12 < n; at++) {
        const unsigned tag = copy[at] + 256u * copy[at + 1];
        if (copy[at + 2] > 4 || copy[at + 3] || copy[at + 4] != 1 || copy[at + 5]) continue;
        if (tag == 273) copy[at] = 324 & 255, copy[at + 1] = 324 >> 8;                    /* offsets */
        if (tag == 279) copy[at] = 325 & 255, copy[at + 1] = 325 >> 8;                    /* lengths */
        if (tag == 278) copy[at] = 322 & 255, copy[at + 1] = 322 >> 8, copy[at + 8] = 16; /* rows: width */
        if (tag == 274) copy[at] = 323 & 255, copy[at + 1] = 323 >> 8, copy[at + 8] = 16; /* orientation: height */
    }
    fuzz_add(copy, n);
}

/* Every kind that the library writes. */
void fuzz_seeds(void)
{
    static const tess_dtype dtypes[] = { TESS_U8, TESS_I16, TESS_F16, TESS_F32, TESS_C32, TESS_U64 };
    for (int32_t c = TESS_COMPRESSION_NONE; c <= TESS_COMPRESSION_ZSTD; c++)
        for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
            const bool            rgb = dtypes[i] == TESS_U8 && c != TESS_COMPRESSION_NONE;
            const tess_write_opts opts = { .compression = c, .overwrite = 1, .rgb = rgb };
            if (!tess_file_format_supported(TESS_FORMAT_TIFF, (tess_compression)c)) continue;
            if (fuzz_add_written("x.tif", TESS_SHAPE(2, rgb ? 3 : 1, 9, 11), dtypes[i], &opts))
                add_tiled(fuzz_seed[fuzz_n_seeds - 1].bytes, fuzz_seed[fuzz_n_seeds - 1].n);
        }
    if (fuzz_n_seeds == 0) fuzz_add("II*\0\10\0\0\0", 8); /* not built in */
}
