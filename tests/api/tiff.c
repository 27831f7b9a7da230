/* TIFF files: what is rejected and how it is said, by bytes made here; options; pages, parts and volumes. That pixels are
 * right is seen against tifffile, in tests/oracle/tiff.py. */
#include <unistd.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

static const tess_region all;

/* Without libtiff there is nothing else to test. */
static bool built_in(void)
{
    if (tess_file_format_supported(TESS_FORMAT_TIFF, TESS_COMPRESSION_DEFAULT)) return true;
    test_skip("built without libtiff");
    return false;
}

TEST(without_libtiff_that_is_said)
{
    tess_array a = numbers(TESS_U8, 1, 1, 4, 5), back = { 0 };
    if (!tess_file_format_supported(TESS_FORMAT_TIFF, TESS_COMPRESSION_DEFAULT)) {
        put_file("w.dat", "II*\0\10\0\0\0", 8);
        CHECK_FAILS(tess_read(&back, in_folder("w.dat"), NULL), TESS_EUNSUPPORTED, "w.dat", "without libtiff");
        CHECK_FAILS(tess_write(in_folder("w.tif"), &a, NULL), TESS_EUNSUPPORTED, "without libtiff");
    }
    tess_release(&a);
}

/* ---- Files made by hand: little-endian, strips, nothing compressed ---- */

enum { MOST = 4096, WIDTH = 8, HEIGHT = 6, N_TAGS = 11 };

typedef struct entry {
    uint16_t tag, type;
    uint32_t n, value;
} entry;

typedef struct made {
    unsigned char bytes[MOST];
    long          n;
    long          directory[8]; /* offsets of the directories */
    int           n_pages;
    long          link; /* offset of the last link */
} made;

static void put_u16(made *m, long at, unsigned value)
{
    m->bytes[at] = (unsigned char)value;
    m->bytes[at + 1] = (unsigned char)(value >> 8);
}

static void put_u32(made *m, long at, uint32_t value)
{
    put_u16(m, at, value & 0xffff);
    put_u16(m, at + 2, value >> 16);
}

static made empty(void)
{
    made m = { .bytes = "II*", .n = 8, .link = 4 };
    return m;
}

/* A page of u8: pixels are 0, 1, 2 … from the top left. */
static void add_page(made *m)
{
    const long  data = m->n;
    const entry tags[N_TAGS] = {
        { 256, 4, 1, WIDTH },  { 257, 4, 1, HEIGHT },         { 258, 3, 1, 8 }, { 259, 3, 1, 1 },
        { 262, 3, 1, 1 },      { 273, 4, 1, (uint32_t)data }, { 274, 3, 1, 1 }, { 277, 3, 1, 1 },
        { 278, 4, 1, HEIGHT }, { 279, 4, 1, WIDTH * HEIGHT }, { 339, 3, 1, 1 }
    };
    for (int i = 0; i < WIDTH * HEIGHT; i++) m->bytes[m->n++] = (unsigned char)i;
    put_u32(m, m->link, (uint32_t)m->n);
    m->directory[m->n_pages++] = m->n;
    put_u16(m, m->n, N_TAGS);
    m->n += 2;
    for (int i = 0; i < N_TAGS; i++, m->n += 12) {
        put_u16(m, m->n, tags[i].tag);
        put_u16(m, m->n + 2, tags[i].type);
        put_u32(m, m->n + 4, tags[i].n);
        put_u32(m, m->n + 8, tags[i].value);
    }
    m->link = m->n;
    m->n += 4;
}

static made pages(int n)
{
    made m = empty();
    for (int i = 0; i < n; i++) add_page(&m);
    return m;
}

static void set_tag(made *m, int page, unsigned tag, uint32_t value)
{
    for (long at = m->directory[page] + 2; at < m->n; at += 12)
        if (m->bytes[at] + 256u * m->bytes[at + 1] == tag) {
            put_u32(m, at + 8, value);
            return;
        }
}

static const char *put(const made *m)
{
    put_file("t.tif", m->bytes, m->n);
    return in_folder("t.tif");
}

static void check_refused(const made *m, tess_status status, const char *part)
{
    tess_array a = { 0 };
    CHECK_FAILS(tess_read(&a, put(m), NULL), status, part, "t.tif");
    CHECK(a.data == NULL);
}

/* ---- What is rejected ---- */

TEST(pages_by_hand_are_read)
{
    if (!built_in()) return;
    made       m = pages(3);
    tess_array a = { 0 };
    if (!CHECK_OK(tess_read(&a, put(&m), NULL))) return;
    CHECK_DIMS(a.shape, 3, 1, HEIGHT, WIDTH);
    CHECK(a.dtype == TESS_U8 && value_at(&a, 2, 0, 0, 1) == (HEIGHT - 1) * WIDTH + 1);
    CHECK(value_at(&a, 0, 0, HEIGHT - 1, 3) == 3); /* the top row is the last */
    tess_release(&a);
}

TEST(bad_tags_are_refused_with_their_values)
{
    if (!built_in()) return;
    static const struct {
        unsigned    tag;
        uint32_t    value;
        tess_status status;
        const char *part;
    } cases[] = {
        { 256, 0, TESS_EFORMAT, "page 1" },
        { 257, 0, TESS_EFORMAT, "page 1" },
        { 256, 0xffffffff, TESS_EFORMAT, "page 1" },
        { 256, 9, TESS_EUNSUPPORTED, "page 1 is 9 x 6 and page 0 is 8 x 6" },
        { 257, 5, TESS_EUNSUPPORTED, "page 1 is 8 x 5" },
        { 258, 16, TESS_EUNSUPPORTED, "page 1 has unsigned integers of 16 bits and page 0 unsigned integers of 8" },
        { 258, 3, TESS_EUNSUPPORTED, "samples of 3 bits" },
        { 259, 34712, TESS_EUNSUPPORTED, "JPEG 2000" },
        { 259, 1234, TESS_EUNSUPPORTED, "compression 1234" },
        { 262, 5, TESS_EUNSUPPORTED, "photometric interpretation 5" },
        { 273, 4000, TESS_EFORMAT, "page 1, strip 0 takes 48 bytes from byte 4000" },
        { 274, 4, TESS_EUNSUPPORTED, "orientation 4 and page 0 1" },
        { 277, 2, TESS_EUNSUPPORTED, "page 1 has 2 samples" },
        { 339, 2, TESS_EUNSUPPORTED, "page 1 has integers" },
        { 339, 5, TESS_EUNSUPPORTED, "complex integers" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made m = pages(2);
        set_tag(&m, 1, cases[i].tag, cases[i].value);
        check_refused(&m, cases[i].status, cases[i].part);
    }
}

TEST(sizes_beyond_the_file_are_refused_before_anything_is_allocated)
{
    if (!built_in()) return;
    made m = pages(1);
    set_tag(&m, 0, 256, 0x7fffffff);
    set_tag(&m, 0, 257, 0x7fffffff);
    set_tag(&m, 0, 278, 0x7fffffff);
    set_tag(&m, 0, 279, 0x7fffffff);
    check_refused(&m, TESS_EFORMAT, "page 0");
    set_tag(&m, 0, 259, 5);
    check_refused(&m, TESS_EFORMAT, "page 0");
    m = pages(1);
    set_tag(&m, 0, 259, 8);
    set_tag(&m, 0, 256, 1 << 20);
    check_refused(&m, TESS_EFORMAT, "strips of 6 rows of 1048576 bytes; the file has 194");
    set_tag(&m, 0, 256, 20000);
    check_refused(&m, TESS_EFORMAT, "strip 0 has 48 bytes, which cannot hold the 120000 of its pixels");
}

TEST(pages_that_share_their_bytes_are_refused)
{
    if (!built_in()) return;
    made m = pages(8);
    for (int i = 0; i < 8; i++) { /* each has the same quarter of the file */
        set_tag(&m, i, 256, 64);
        set_tag(&m, i, 273, 8);
        set_tag(&m, i, 279, 64 * HEIGHT);
    }
    const char *const part = "the pages need 1152 + 384 bytes; the file has 1496, and pages must not share bytes";
    check_refused(&m, TESS_EFORMAT, part);
    for (int i = 0; i < 8; i++) set_tag(&m, i, 259, 5);
    check_refused(&m, TESS_EFORMAT, part);
    set_tag(&m, 7, 259, 1); /* one page of another kind changes nothing */
    check_refused(&m, TESS_EFORMAT, "pages must not share bytes");
}

TEST(rings_of_pages_are_found)
{
    if (!built_in()) return;
    for (int n = 1; n <= 8; n++)
        for (int to = 0; to < n; to++) {
            char part[64];
            made m = pages(n);
            put_u32(&m, m.link, (uint32_t)m.directory[to]);
            (void)snprintf(part, sizeof part, "page %d is followed by the directory of page %d again", n - 1, to);
            check_refused(&m, TESS_EFORMAT, part);
            tess_info_file info;
            CHECK_OK(tess_info(&info, put(&m), &(tess_read_opts){ .salvage = 1 }));
            CHECK(info.shape.b == n && info.warnings[0].code == TESS_ODD_FRAME);
        }
}

TEST(links_and_directories_that_lead_nowhere)
{
    if (!built_in()) return;
    made m = pages(2);
    put_u32(&m, m.link, 100000);
    check_refused(&m, TESS_EFORMAT, "the directory of page 2 is at byte 100000");
    m = pages(1);
    put_u32(&m, 4, 0);
    check_refused(&m, TESS_EFORMAT, "first directory");
    m = pages(1);
    put_u16(&m, m.directory[0], 0);
    check_refused(&m, TESS_EFORMAT, "0 entries");
    put_u16(&m, m.directory[0], 60000);
    check_refused(&m, TESS_EFORMAT, "60000 entries");
    m = pages(1);
    m.bytes[2] = 43;
    m.bytes[4] = 4;
    check_refused(&m, TESS_EFORMAT, "offsets take");
    m = pages(1);
    m.n = 6;
    CHECK(tess_read(&(tess_array){ 0 }, put(&m), NULL) == TESS_EFORMAT);
}

TEST(every_shorter_file_is_refused_and_salvaged)
{
    if (!built_in()) return;
    const made whole = pages(3);
    for (long n = 0; n < whole.n; n++) {
        made       m = whole;
        tess_array a = { 0 };
        m.n = n;
        CHECK(tess_read(&a, put(&m), NULL) == TESS_EFORMAT);
        const tess_status status = tess_read(&a, put(&m), &(tess_read_opts){ .salvage = 1 });
        CHECK(status == TESS_OK || status == TESS_EFORMAT);
        if (n > whole.directory[1] + 2 + 12 * N_TAGS) CHECK(status == TESS_OK && a.shape.b >= 1);
        if (status == TESS_OK) CHECK(value_at(&a, 0, 0, HEIGHT - 1, 3) == 3);
        tess_release(&a);
    }
}

TEST(what_libtiff_says_is_kept)
{
    if (!built_in()) return;
    made m = pages(1);
    set_tag(&m, 0, 259, 8);
    check_refused(&m, TESS_EFORMAT, "page 0, strip 0 cannot be decoded; it is truncated or damaged: ");
}

/* ---- Stacks in one directory ---- */

/* One directory of u8, and n planes of WIDTH x HEIGHT behind it: plane i is filled with i. MetaMorph's tag has the place
 * of SampleFormat, and says `told` planes. */
static made planes(int n, uint32_t told)
{
    made m = pages(1);
    set_tag(&m, 0, 273, (uint32_t)m.n);
    for (long at = m.directory[0] + 2; at < m.link; at += 12)
        if (m.bytes[at] + 256u * m.bytes[at + 1] == 339) {
            put_u16(&m, at, 33629);
            put_u16(&m, at + 2, 5);
            put_u32(&m, at + 4, told);
            put_u32(&m, at + 8, 8);
        }
    for (int i = 0; i < n; i++, m.n += WIDTH * HEIGHT) memset(m.bytes + m.n, i, WIDTH * HEIGHT);
    return m;
}

TEST(planes_of_one_directory_are_read)
{
    if (!built_in()) return;
    made           m = planes(9, 9);
    tess_array     a = { 0 };
    tess_info_file info;
    CHECK_OK(tess_read(&a, put(&m), NULL));
    CHECK_DIMS(a.shape, 9, 1, HEIGHT, WIDTH);
    for (int i = 0; i < 9; i++) CHECK(value_at(&a, i, 0, 0, 0) == i && value_at(&a, i, 0, HEIGHT - 1, WIDTH - 1) == i);
    tess_release(&a);
    CHECK_OK(tess_read(&a, put(&m), &(tess_read_opts){ .page = 7 }));
    CHECK_DIMS(a.shape, 2, 1, HEIGHT, WIDTH);
    CHECK(value_at(&a, 1, 0, 3, 3) == 8);
    tess_release(&a);
    CHECK_OK(tess_info(&info, put(&m), &(tess_read_opts){ .as = TESS_AS_VOLUMES, .depth = 3 }));
    CHECK_DIMS(info.shape, 3, 3, HEIGHT, WIDTH);
    CHECK_I64(info.n_warnings, 0);
    m = planes(9, 6);
    CHECK_OK(tess_info(&info, put(&m), NULL));
    CHECK(info.shape.b == 6 && info.n_warnings == 1 && strstr(info.warnings[0].text, "bytes for 9"));
    m = planes(9, 1);
    CHECK_OK(tess_info(&info, put(&m), NULL));
    CHECK(info.shape.b == 1);
}

TEST(planes_that_are_missing_are_told)
{
    if (!built_in()) return;
    tess_array     a = { 0 };
    tess_info_file info;
    made           m = planes(9, 12);
    check_refused(&m, TESS_EFORMAT,
                  "the MetaMorph tag says 12 images of 8 x 6, 48 bytes each; the file has 626 bytes, enough for 9");
    CHECK_OK(tess_read(&a, put(&m), &(tess_read_opts){ .salvage = 1 }));
    CHECK(a.shape.b == 9 && value_at(&a, 8, 0, 0, 0) == 8);
    tess_release(&a);
    m = planes(2, 0xffffffff);
    check_refused(&m, TESS_EFORMAT, "says 4294967295 images");
    m = planes(1, 12);
    CHECK_OK(tess_info(&info, put(&m), NULL));
    CHECK(info.shape.b == 1 && info.n_warnings == 1 && strstr(info.warnings[0].text, "says 12 images"));
    m = planes(9, 9);
    set_tag(&m, 0, 259, 8);
    CHECK_OK(tess_info(&info, put(&m), NULL));
    CHECK(info.shape.b == 1 && strstr(info.warnings[0].text, "one image is read"));
}

/* ---- Pages that are chosen ---- */

TEST(pages_are_chosen)
{
    if (!built_in()) return;
    made           m = pages(4);
    tess_array     a = { 0 };
    tess_info_file info;
    set_tag(&m, 1, 256, WIDTH - 1);
    set_tag(&m, 3, 258, 3); /* of a kind that is not read */
    CHECK_OK(tess_read(&a, put(&m), &(tess_read_opts){ .page = 1, .n_pages = 1 }));
    CHECK_DIMS(a.shape, 1, 1, HEIGHT, WIDTH - 1);
    tess_release(&a);
    CHECK_OK(tess_read(&a, put(&m), &(tess_read_opts){ .n_pages = 1 }));
    CHECK_DIMS(a.shape, 1, 1, HEIGHT, WIDTH);
    tess_release(&a);
    check_refused(
        &m, TESS_EUNSUPPORTED,
        "page 1 is 7 x 6 and page 0 is 8 x 6; pages that are read together must have one size; opts->page selects one "
        "of these: 0: 8 x 6 of u8, 1: 7 x 6 of u8, 2: 8 x 6 of u8, 3: 8 x 6 of 3-bit numbers");
    CHECK_FAILS(tess_info(&info, put(&m), &(tess_read_opts){ .page = 2 }), TESS_EUNSUPPORTED,
                "page 3 has samples of 3 bits");
    CHECK_FAILS(tess_info(&info, put(&m), &(tess_read_opts){ .page = 4 }), TESS_ERANGE, "opts->page is 4",
                "pages 0 to 3");
    CHECK_FAILS(tess_info(&info, put(&m), &(tess_read_opts){ .page = 2, .n_pages = 3 }), TESS_ERANGE,
                "opts->n_pages is 3 from opts->page 2 on", "has 4 pages");
    CHECK_FAILS(tess_info(&info, put(&m), &(tess_read_opts){ .page = -1 }), TESS_ERANGE, "page is -1");
    CHECK_FAILS(tess_info(&info, put(&m), &(tess_read_opts){ .n_pages = -1 }), TESS_ERANGE, "n_pages is -1");
    m = pages(1);
    CHECK_FAILS(tess_info(&info, put(&m), &(tess_read_opts){ .page = 1 }), TESS_ERANGE,
                "opts->page is 1; the file has page 0");
}

static hooks faults;

static tess_status read_stacks(void)
{
    made        m = planes(5, 5);
    tess_array  a = { 0 };
    tess_status status = tess_read(&a, put(&m), NULL);
    tess_release(&a);
    if (status != TESS_OK) return status;
    m = pages(3);
    status = tess_read(&a, put(&m), &(tess_read_opts){ .page = 1, .n_pages = 1 });
    tess_release(&a);
    return status;
}

TEST(every_allocation_for_stacks_fails)
{
    if (!built_in()) return;
    hooks_each_fails(&faults, read_stacks, 3);
}

/* ---- Options ---- */

TEST(sections_are_what_the_caller_says)
{
    if (!built_in()) return;
    made           m = pages(6);
    const char    *path = put(&m);
    tess_info_file info;
    CHECK_OK(tess_info(&info, path, &(tess_read_opts){ .as = TESS_AS_VOLUME }));
    CHECK_DIMS(info.shape, 1, 6, HEIGHT, WIDTH);
    CHECK_OK(tess_info(&info, path, &(tess_read_opts){ .as = TESS_AS_VOLUMES, .depth = 3 }));
    CHECK_DIMS(info.shape, 2, 3, HEIGHT, WIDTH);
    CHECK(info.sections == TESS_AS_VOLUMES && info.sections_rule == 1);
    CHECK_FAILS(tess_info(&info, path, &(tess_read_opts){ .as = TESS_AS_VOLUMES, .depth = 4 }), TESS_EARG, "depth is 4",
                "6 pages");
    tess_array a = { 0 };
    tess_file *file;
    set_tag(&m, 4, 273, 8 + 1); /* page 4 is one byte on */
    path = put(&m);
    if (!CHECK_OK(tess_open(&file, path, &(tess_read_opts){ .as = TESS_AS_VOLUMES, .depth = 3 }))) return;
    CHECK_OK(tess_file_read(&a, file, (tess_region){ .b = tess_only(1), .d = tess_from_to_step(TESS_NONE, 0, -1) }));
    CHECK_DIMS(a.shape, 1, 2, HEIGHT, WIDTH);
    CHECK(value_at(&a, 0, 0, HEIGHT - 1, 0) == 0 && value_at(&a, 0, 1, HEIGHT - 1, 0) == 1);
    tess_release(&a);
    tess_file_close(file);
}

TEST(facts_of_a_file)
{
    if (!built_in()) return;
    made           m = pages(2);
    tess_info_file info;
    CHECK_OK(tess_info(&info, put(&m), NULL));
    CHECK(info.format == TESS_FORMAT_TIFF && info.compression == TESS_COMPRESSION_NONE && info.mode == 8);
    CHECK(info.dtype == TESS_U8 && info.sections == TESS_AS_STACK && info.data_offset == -1 && info.n_warnings == 0);
    CHECK(info.stored[0] == WIDTH && info.stored[1] == HEIGHT && info.stored[2] == 2 && info.file_size == m.n);
    CHECK(info.meta.pixel_size[1] == 0);
    set_tag(&m, 0, 262, 0);
    set_tag(&m, 1, 262, 0);
    CHECK_OK(tess_info(&info, put(&m), NULL));
    CHECK(info.n_warnings == 1 && strstr(info.warnings[0].text, "white"));
    tess_array mapped = { 0 };
    tess_file *file;
    CHECK_OK(tess_open(&file, in_folder("t.tif"), NULL));
    CHECK_FAILS(tess_file_map(&mapped, file), TESS_EUNSUPPORTED, "t.tif");
    tess_file_close(file);
}

TEST(a_compressed_tiff_is_refused)
{
    if (!built_in()) return;
    put_file("x.tif.gz", "\x1f\x8b\x08\0\0\0\0\0\0\3", 10);
    tess_array a = { 0 };
    CHECK_FAILS(tess_read(&a, in_folder("x.tif.gz"), &(tess_read_opts){ .format = TESS_FORMAT_TIFF }),
                TESS_EUNSUPPORTED, "x.tif.gz");
}

/* ---- Writing ---- */

TEST(what_cannot_be_written)
{
    if (!built_in()) return;
    tess_array  a = numbers(TESS_F32, 1, 1, 4, 5), empty_one = { 0 };
    const char *path = in_folder("w.tif");
    CHECK_FAILS(tess_write(path, &a, &(tess_write_opts){ .compression = TESS_COMPRESSION_GZIP }), TESS_EARG, "w.tif");
    CHECK_FAILS(tess_write(path, &a, &(tess_write_opts){ .dtype = TESS_C16 }), TESS_EUNSUPPORTED, "c16");
    CHECK_FAILS(tess_write(path, &a, &(tess_write_opts){ .dtype = TESS_VEC2_F32 }), TESS_EUNSUPPORTED, "vec2_f32");
    CHECK_FAILS(tess_write(path, &a, &(tess_write_opts){ .rgb = 1 }), TESS_ESHAPE, "{n,3,h,w}");
    CHECK_OK(tess_empty(&empty_one, TESS_SHAPE(0, 1, 4, 5), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_write(path, &empty_one, NULL), TESS_ESHAPE, "{0,1,4,5}");
    CHECK(access(path, F_OK) != 0);
    tess_release(&a);
    tess_release(&empty_one);
}

TEST(a_volume_becomes_pages_and_comes_back)
{
    if (!built_in()) return;
    tess_array      a = numbers(TESS_I16, 2, 3, 4, 5), back = { 0 };
    tess_writer    *writer;
    tess_info_file  info;
    const char     *path = in_folder("v.tif");
    const tess_meta meta = { .start = { 1, -2, 3 }, .extended = "12345678", .extended_size = 8 };
    CHECK_OK(tess_writer_open(&writer, path, a.shape, a.dtype, &(tess_write_opts){ .meta = &meta }));
    CHECK(strstr(tess_writer_note(writer), "cannot hold the extended header") != NULL);
    CHECK_OK(tess_writer_append(writer, &a));
    CHECK_OK(tess_writer_finish(writer));
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK_DIMS(info.shape, 2, 3, 4, 5);
    CHECK(info.sections == TESS_AS_VOLUMES && info.sections_rule == 2);
    CHECK(info.meta.start[0] == 1 && info.meta.start[1] == -2 && info.meta.start[2] == 3);
    CHECK_OK(tess_info(&info, path, &(tess_read_opts){ .as = TESS_AS_STACK }));
    CHECK_DIMS(info.shape, 6, 1, 4, 5);
    CHECK_OK(tess_info(&info, path, &(tess_read_opts){ .page = 1, .n_pages = 2 }));
    CHECK_DIMS(info.shape, 2, 1, 4, 5);
    CHECK_OK(tess_read(&back, path, &(tess_read_opts){ .as = TESS_AS_VOLUMES, .depth = 3 }));
    CHECK(same_values(&a, &back));
    CHECK_OK(tess_writer_open(&writer, in_folder("s.tif"), TESS_SHAPE(2, 1, 4, 5), TESS_U8, NULL));
    CHECK_TEXT(tess_writer_note(writer), "");
    tess_writer_discard(writer);
    static const char *const formats[] = { "n.tif", "n.hdf", "n.spi", "n.npy" };
    for (int i = 0; i < 4; i++) { /* all notes, one after the other */
        CHECK_OK(tess_writer_open(&writer, in_folder(formats[i]), TESS_SHAPE(1, 3, 4, 5), i ? TESS_F32 : TESS_I64,
                                  &(tess_write_opts){ .meta = &meta }));
        CHECK(strstr(tess_writer_note(writer), "cannot hold the extended header") != NULL);
        if (i == 0)
            CHECK(strstr(tess_writer_note(writer), "read back as a stack; this TIFF file cannot store") != NULL);
        tess_writer_discard(writer);
    }
    tess_release(&a);
    tess_release(&back);
}

TEST(discarded_writers_leave_nothing)
{
    if (!built_in()) return;
    tess_array   a = numbers(TESS_F32, 1, 1, 300, 400);
    tess_writer *writer;
    const int    before = count_files();
    CHECK_OK(tess_writer_open(&writer, in_folder("d.tif"), TESS_SHAPE(3, 1, 300, 400), TESS_F32,
                              &(tess_write_opts){ .compression = TESS_COMPRESSION_LZW }));
    CHECK_OK(tess_writer_append(writer, &a));
    tess_writer_discard(writer);
    CHECK_I64(count_files(), before);
    tess_release(&a);
}

TEST(parts_of_files_that_are_read_again_and_again)
{
    if (!built_in()) return;
    tess_array  a = numbers(TESS_U16, 5, 1, 90, 70), part = { 0 }, wanted;
    tess_file  *file;
    const char *path = in_folder("p.tif");
    CHECK_OK(tess_write(path, &a, &(tess_write_opts){ .compression = TESS_COMPRESSION_LZW }));
    if (!CHECK_OK(tess_open(&file, path, NULL))) return;
    for (int i = 0; i < 20; i++) {
        const tess_region r = { .b = tess_from_to_step(4 - i % 5, TESS_NONE, i % 2 ? 2 : -1),
                                .h = tess_from_to_step(i, 90 - i, 3),
                                .w = tess_from_to_step(69 - i, i, -2) };
        CHECK_OK(tess_file_read(&part, file, r));
        CHECK_OK(tess_subregion(&wanted, &a, r));
        CHECK(same_values(&part, &wanted));
        tess_release(&part);
    }
    CHECK_OK(tess_file_read(&part, file, all));
    CHECK(same_values(&part, &a));
    tess_file_close(file);
    tess_release(&part);
    tess_release(&a);
}
