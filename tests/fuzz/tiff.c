/* TIFF files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/pictures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    const uint32_t       pick = fuzz_pick(data, n);
    const tess_read_opts opts = { .format = TESS_FORMAT_TIFF,
                                  .grey = 1,
                                  .keep_rows = pick % 2,
                                  .n_pages = pick % 5 == 0,
                                  .page = pick % 5 == 0 && pick % 2,
                                  .dtype = pick % 7 ? 0 : TESS_C64 };
    one_file(data, n);
    fuzz_read("x.tif", &opts, pick, (int64_t)n << 20); /* zstd makes 65536 bytes of one, and 1 bit becomes 8 */
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

/* The same with the tag `from` replaced by another one of n values of a type, where they or their place is `value`. */
static void add_changed(const uint8_t *bytes, size_t size, unsigned from, unsigned tag, const uint32_t type_n_value[3])
{
    uint8_t copy[FUZZ_LONGEST];
    memcpy(copy, bytes, size);
    for (size_t at = 8; at + 12 < size; at++) {
        if (copy[at] + 256u * copy[at + 1] != from || copy[at + 2] > 4 || copy[at + 3] || copy[at + 5]) continue;
        copy[at] = (uint8_t)tag, copy[at + 1] = (uint8_t)(tag >> 8), copy[at + 2] = (uint8_t)type_n_value[0];
        for (int i = 0; i < 4; i++) {
            copy[at + 4 + (size_t)i] = (uint8_t)(type_n_value[1] >> 8 * i);
            copy[at + 8 + (size_t)i] = (uint8_t)(type_n_value[2] >> 8 * i);
        }
    }
    fuzz_add(copy, size);
}

/* The last one with half the height: its four rows are two planes, before the directory. */
static void add_halved(void)
{
    add_changed(fuzz_seed[fuzz_n_seeds - 1].bytes, fuzz_seed[fuzz_n_seeds - 1].n, 257, 257,
                (const uint32_t[3]){ 4, 1, 2 });
}

/* One page as a stack of planes by MetaMorph's tag and by a description, with few bits, and of other colours. */
static void add_stacks(void)
{
    static const char     description[] = "ImageJ=1.53\nimages=2\nunit=micron\nspacing=0.5\n";
    static const char     ome[] = "<OME><Pixels PhysicalSizeX=\"1\" PhysicalSizeXUnit=\"nm\"/></OME>";
    const tess_write_opts opts = { .overwrite = 1, .compression = TESS_COMPRESSION_NONE };
    const tess_write_opts rgb = { .overwrite = 1, .compression = TESS_COMPRESSION_NONE, .rgb = 1 };
    uint8_t               copy[FUZZ_LONGEST];
    if (!fuzz_add_written("x.tif", TESS_SHAPE(1, 1, 4, 5), TESS_U16, &opts)) return;
    const uint8_t *bytes = fuzz_seed[fuzz_n_seeds - 1].bytes;
    const size_t   n = fuzz_seed[fuzz_n_seeds - 1].n;
    memset(copy, 0, sizeof copy);
    memcpy(copy, bytes, n);
    memcpy(copy + n, description, sizeof description);
    memcpy(copy + n + 64, ome, sizeof ome);
    add_changed(copy, n + 160, 274, 33629, (const uint32_t[3]){ 5, 3, 8 });
    add_halved();
    add_changed(copy, n + 160, 274, 270, (const uint32_t[3]){ 2, sizeof description, (uint32_t)n });
    add_halved();
    add_changed(copy, n + 160, 274, 270, (const uint32_t[3]){ 2, sizeof ome, (uint32_t)n + 64 });
    add_changed(bytes, n, 258, 258, (const uint32_t[3]){ 3, 1, 12 });
    add_changed(bytes, n, 258, 258, (const uint32_t[3]){ 3, 1, 1 });
    if (!fuzz_add_written("x.tif", TESS_SHAPE(1, 3, 4, 5), TESS_U8, &rgb)) return;
    for (uint32_t colours = 5; colours <= 8; colours++)
        add_changed(fuzz_seed[fuzz_n_seeds - 1].bytes, fuzz_seed[fuzz_n_seeds - 1].n, 262, 262,
                    (const uint32_t[3]){ 3, 1, colours });
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
    add_stacks();
    if (fuzz_n_seeds == 0) fuzz_add("II*\0\10\0\0\0", 8); /* not built in */
}
