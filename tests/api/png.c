/* PNG files: what is rejected and how it is said. That pixels are right is seen against PIL, in tests/oracle/png.py. */
#include <sys/resource.h>
#include <unistd.h>

#include "support/arrays.h"
#include "support/folder.h"

/* Without libpng there is nothing else to test. */
static bool built_in(void)
{
    if (tess_file_format_supported(TESS_FORMAT_PNG, TESS_COMPRESSION_DEFAULT)) return true;
    test_skip("built without libpng");
    return false;
}

TEST(without_libpng_that_is_said)
{
    tess_array a = numbers(TESS_U8, 1, 1, 4, 5), back = { 0 };
    if (!tess_file_format_supported(TESS_FORMAT_PNG, TESS_COMPRESSION_DEFAULT)) {
        put_file("w.dat", "\x89PNG\r\n\x1a\n", 8);
        CHECK_FAILS(tess_read(&back, in_folder("w.dat"), NULL), TESS_EUNSUPPORTED, "w.dat", "without libpng");
        CHECK_FAILS(tess_write(in_folder("w.png"), &a, NULL), TESS_EUNSUPPORTED, "without libpng");
    }
    tess_release(&a);
}

enum { MOST = 4096 };

/* A small file of ours: 5 x 4, u8. */
static long make(unsigned char *bytes)
{
    tess_array a = numbers(TESS_U8, 1, 1, 4, 5);
    CHECK_OK(tess_write(in_folder("small.png"), &a, &(tess_write_opts){ .overwrite = 1 }));
    tess_release(&a);
    return get_file("small.png", bytes, MOST);
}

static void check_refused(const unsigned char *bytes, long n, const char *part)
{
    tess_array a = { 0 };
    put_file("p.png", bytes, n);
    CHECK_FAILS(tess_read(&a, in_folder("p.png"), NULL), TESS_EFORMAT, "p.png", part);
    CHECK(a.data == NULL);
}

TEST(every_shorter_file_is_refused)
{
    if (!built_in()) return;
    unsigned char bytes[MOST];
    const long    n = make(bytes);
    for (long k = 8; k < n; k++) check_refused(bytes, k, "libpng: the file is truncated");
}

TEST(every_changed_byte_is_refused_or_read)
{
    if (!built_in()) return;
    unsigned char bytes[MOST];
    const long    n = make(bytes);
    for (long k = 8; k < n; k++)
        for (int bit = 0; bit < 8; bit++) {
            tess_array a = { 0 };
            bytes[k] ^= (unsigned char)(1 << bit);
            put_file("p.png", bytes, n);
            const tess_status status = tess_read(&a, in_folder("p.png"), NULL);
            if (status != TESS_OK) CHECK(status == TESS_EFORMAT && strstr(tess_error_message(), "p.png"));
            tess_release(&a);
            bytes[k] ^= (unsigned char)(1 << bit);
        }
}

/* The checksum of chunks. */
static uint32_t checksum(const unsigned char *bytes, long n)
{
    uint32_t crc = 0xffffffff;
    for (long i = 0; i < n; i++) {
        crc ^= bytes[i];
        for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
    }
    return ~crc;
}

static void set_header(unsigned char *bytes, long at, const unsigned char *value, long n)
{
    memcpy(bytes + 16 + at, value, (size_t)n);
    const uint32_t crc = checksum(bytes + 12, 17);
    for (int i = 0; i < 4; i++) bytes[29 + i] = (unsigned char)(crc >> (24 - 8 * i));
}

TEST(sizes_beyond_the_file_are_refused_before_anything_is_allocated)
{
    if (!built_in()) return;
    unsigned char bytes[MOST];
    const long    n = make(bytes);
    set_header(bytes, 0, (const unsigned char *)"\x7f\xff\xff\xff\x7f\xff\xff\xff", 8);
    check_refused(bytes, n, "2147483647 x 2147483647 pixels of 8 bits cannot be in a file of");
    const long rows = 1040 * n + 1; /* of 1 byte: one more than there can be, in a file of n bytes */
    for (int i = 0; i < 4; i++) bytes[20 + i] = (unsigned char)(rows >> (24 - 8 * i));
    set_header(bytes, 0, (const unsigned char *)"\0\0\0\1", 4);
    check_refused(bytes, n, "pixels of 8 bits cannot be in a file of");
    set_header(bytes, 0, (const unsigned char *)"\0\0\0\0\0\0\0\1", 8);
    check_refused(bytes, n, "libpng: ");
    (void)make(bytes);
    set_header(bytes, 8, (const unsigned char *)"\7", 1);
    check_refused(bytes, n, "libpng: ");
}

static long peak_kib(void)
{
    struct rusage used;
    CHECK(getrusage(RUSAGE_SELF, &used) == 0);
    return used.ru_maxrss;
}

TEST(a_chunk_longer_than_the_file_takes_no_memory)
{
    if (!built_in()) return;
    unsigned char bytes[MOST + 12];
    const long    n = make(bytes), header = 33 /* bytes of the signature and of IHDR */, before = peak_kib();
    memmove(bytes + header + 12, bytes + header, (size_t)(n - header));
    memcpy(bytes + header, "\x20\0\0\1tEXtkey", 12);
    check_refused(bytes, n + 12, "libpng: a chunk is longer than the file");
    CHECK(peak_kib() - before < 1 << 17); /* libpng would take, and clear, 512 MiB */
}

TEST(what_cannot_be_written)
{
    if (!built_in()) return;
    tess_array  f = numbers(TESS_F32, 1, 1, 4, 5), stack = numbers(TESS_U8, 2, 1, 4, 5);
    tess_array  planes = numbers(TESS_U8, 1, 3, 4, 5);
    const char *path = in_folder("w.png");
    CHECK_FAILS(tess_write(path, &f, NULL), TESS_EUNSUPPORTED, "w.png", "f32", "u8 or u16");
    CHECK_FAILS(tess_write(path, &stack, NULL), TESS_ESHAPE, "{2,1,4,5}", "one image");
    CHECK_FAILS(tess_write(path, &planes, NULL), TESS_ESHAPE, "{1,3,4,5}", "opts->rgb");
    CHECK_FAILS(tess_write(path, &planes, &(tess_write_opts){ .rgb = 1, .compression = TESS_COMPRESSION_LZW }),
                TESS_EUNSUPPORTED, "lzw, which is not supported for png files");
    CHECK_FAILS(tess_write(path, &f, &(tess_write_opts){ .dtype = TESS_U8, .compression = TESS_COMPRESSION_GZIP }),
                TESS_EARG, "w.png");
    CHECK(access(path, F_OK) != 0);
    CHECK_OK(tess_write(path, &planes, &(tess_write_opts){ .rgb = 1 }));
    tess_array back = { 0 };
    CHECK_FAILS(tess_read(&back, path, NULL), TESS_EUNSUPPORTED, "red, green and blue", "opts->grey");
    CHECK_OK(tess_read(&back, path, &(tess_read_opts){ .grey = 1 }));
    CHECK_DIMS(back.shape, 1, 1, 4, 5);
    CHECK(value_at(&back, 0, 0, 0, 0) == 16); /* 0.587 * 20 + 0.114 * 40 */
    tess_release(&f);
    tess_release(&stack);
    tess_release(&planes);
    tess_release(&back);
}

TEST(what_is_known_travels)
{
    if (!built_in()) return;
    tess_array      a = numbers(TESS_U16, 1, 1, 30, 40), back = { 0 };
    const tess_meta meta = { .pixel_size = { 0, 1.25, 1e-3 } };
    tess_info_file  info;
    const char     *path = in_folder("m.png");
    CHECK_OK(tess_write(path, &a, &(tess_write_opts){ .meta = &meta }));
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.format == TESS_FORMAT_PNG && info.dtype == TESS_U16 && info.compression == TESS_COMPRESSION_DEFLATE);
    CHECK(info.meta.pixel_size[0] == 0 && info.meta.pixel_size[1] == 1.25 && info.meta.pixel_size[2] == 1e-3);
    CHECK_OK(tess_read(&back, path, &(tess_read_opts){ .dtype = TESS_F64 }));
    CHECK(back.dtype == TESS_F64 && same_values(&a, &back));
    tess_release(&a);
    tess_release(&back);
}

/* ---- Formats that are not read ---- */

TEST(known_formats_are_named)
{
    static const struct {
        long        at, n;
        const char *bytes, *name;
    } cases[] = {
        { 0, 4, "\xff\xd8\xff\xe0", "JPEG" },
        { 0, 4, "NRRD", "NRRD" },
        { 344, 4, "n+1", "NIfTI" },
        { 128, 4, "DICM", "DICOM" },
        { 100, 24, "ThermoFisherECComprOK000", "EER" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        unsigned char bytes[1024] = { 0 };
        tess_array    a = { 0 };
        memcpy(bytes + cases[i].at, cases[i].bytes, (size_t)cases[i].n);
        put_file("other", bytes, sizeof bytes);
        CHECK_FAILS(tess_read(&a, in_folder("other"), NULL), TESS_EUNSUPPORTED, "other", cases[i].name, "not supported");
    }
}
