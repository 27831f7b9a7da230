/* NPZ files that went wrong; see tests/fuzz/mutate.h. */
#include "fuzz/arrays.h"
#include "io/zip/zip.h"
#include "support/folder.h"

static void read_names(void)
{
    tess_npz_list *list = NULL;
    if (!fuzz_ok(tess_npz_members(&list, "x.npz"))) return;
    for (int64_t i = 0; i < tess_npz_list_count(list); i++)
        if (strlen(tess_npz_list_name(list, i)) > 200000) fuzz_fail("a long name");
    tess_npz_list_free(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    static const char *const names[] = { "a", "b.npy", NULL, "c" };
    const uint32_t           pick = fuzz_pick(data, n);
    const tess_read_opts     opts = { .format = TESS_FORMAT_NPZ, .member = names[pick % 4] };
    one_file(data, n);
    read_names();
    fuzz_read("x.npz", &opts, pick, 1032 * (int64_t)(n + 1));
    if (pick % 2 == 0) fuzz_salvage(pick % 4 ? "x.npz:b" : "x.npz:npz");
    return 0;
}

/* ---- Seeds, written by the library ---- */

static void add_file(const char *name)
{
    static uint8_t bytes[FUZZ_LONGEST / 2];
    const long     n = get_file(name, bytes, sizeof bytes);
    if (n <= 0 || n > (long)sizeof bytes) abort();
    fuzz_add(bytes, (size_t)n);
}

static void add_archive(const tess_npz_entry *entries, int64_t n, tess_compression compression)
{
    const tess_write_opts opts = { .overwrite = 1, .compression = (int32_t)compression };
    if (tess_npz_write(in_folder("seed.npz"), entries, n, &opts) != TESS_OK) fuzz_fail("no seed");
    add_file("seed.npz");
}

void fuzz_seeds(void)
{
    tess_array a = { 0 }, b = { 0 }, c = { 0 };
    if (tess_arange(&a, TESS_SHAPE(2, 3, 4, 5), TESS_F32, tess_cpu(), 0, 1) != TESS_OK ||
        tess_ones(&b, TESS_SHAPE(1, 1, 30, 40), TESS_U8, tess_cpu()) != TESS_OK ||
        tess_zeros(&c, TESS_SHAPE(1, 0, 3, 4), TESS_C64, tess_cpu()) != TESS_OK)
        abort();
    const tess_npz_entry entries[] = { { "a", &a }, { "b", &b }, { "c", &c } };
    for (int64_t n = 1; n <= 3; n += 2) {
        add_archive(entries, n, TESS_COMPRESSION_NONE);
        add_archive(entries, n, TESS_COMPRESSION_DEFLATE);
        const int64_t from = tess__zip64_from;
        tess__zip64_from = 100;
        add_archive(entries, n, TESS_COMPRESSION_NONE);
        add_archive(entries, n, TESS_COMPRESSION_DEFLATE);
        tess__zip64_from = from;
    }
    if (tess_write(in_folder("one.npz"), &b, &(tess_write_opts){ .member = "b" }) != TESS_OK) fuzz_fail("no seed");
    add_file("one.npz");
    tess_release(&a), tess_release(&b), tess_release(&c);
}
