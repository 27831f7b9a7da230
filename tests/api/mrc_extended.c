/* Extended headers of MRC files made by hand: what they say of each section, and records of chosen ones. */
#include <math.h>

#include "io/codec/compression.h"
#include "support/mrc_file.h"

static tess_file *open_saved(const char *name)
{
    tess_file *file = NULL;
    CHECK_OK(tess_open(&file, save(name), NULL));
    return file;
}

/* Three sections of SerialEM's: tilt, montage piece, stage, magnification, intensity, dose. */
static void make_serial(int big)
{
    mrc_make(&m, 2, 2, 3, 0, 60 + 12, big);
    mrc_i32(&m, 92, 60);
    mrc_text(&m, 104, "SERI");
    mrc_i16(&m, 128, 20);
    mrc_i16(&m, 130, 63);
    for (int s = 0; s < 3; s++) {
        const int values[] = { -6000 + 300 * s, 10 * s, 20, s, 250, -500 + s, 640, 12500, 40, 2 * 256 + 7 };
        for (int k = 0; k < 10; k++) mrc_i16(&m, 1024 + 20 * s + 2 * k, values[k]);
    }
    for (int i = 0; i < 12; i++) m.bytes[1084 + i] = (unsigned char)i;
}

TEST(records_of_serialem)
{
    for (int big = 0; big < 2; big++) {
        make_serial(big);
        if (big) memset(m.bytes + 104, 0, 4); /* known by its layout */
        tess_file            *file = open_saved("seri.st");
        tess_info_mrc_section f;
        CHECK_OK(tess_mrc_section_info(&f, file, 2));
        CHECK_I64(f.known, TESS_MRC_TILT | TESS_MRC_PIECE | TESS_MRC_STAGE_XY | TESS_MRC_MAGNIFICATION |
                               TESS_MRC_INTENSITY | TESS_MRC_DOSE);
        CHECK(f.tilt == -54 && f.piece[0] == 20 && f.piece[1] == 20 && f.piece[2] == 2);
        CHECK(f.stage[0] == 10 && f.stage[1] == -498 / 25.0 && f.magnification == 64000 && f.intensity == 0.5);
        CHECK(f.dose == (40 * 256 + 7) * 4.0);
        CHECK_TEXT(tess_file_info(file)->meta.extended_type, "SERI");
        CHECK_FAILS(tess_mrc_section_info(&f, file, 3), TESS_ERANGE, "section 3", "it has 3 sections");
        tess_file_close(file);
    }
    /* Negative: s1 < 0 is the sign, s2 < 0 that of the power. */
    make_serial(0);
    mrc_i16(&m, 1024 + 16, -1);
    mrc_i16(&m, 1024 + 18, -(3 * 256 + 128));
    tess_file            *file = open_saved("seri.st");
    tess_info_mrc_section f;
    CHECK_OK(tess_mrc_section_info(&f, file, 0));
    CHECK(f.dose == -(256 + 128) / 8.0);
    tess_file_close(file);
}

TEST(records_that_are_chosen)
{
    make_serial(1);
    tess_file    *file = open_saved("seri.st");
    tess_array    records = { .data = NULL }, data = { .data = NULL };
    const int64_t chosen[] = { 2, 0 };
    CHECK_OK(tess_mrc_select_extended(&records, file, chosen, 2));
    CHECK_DIMS(records.shape, 1, 1, 1, 40);
    tess_meta meta = tess_file_info(file)->meta;
    CHECK_OK(tess_file_read(&data, file, (tess_region){ .b = tess_from_to_step(2, TESS_NONE, -2) }));
    meta.extended = records.data;
    meta.extended_size = 40;
    tess_file_close(file);
    for (int big = 0; big < 2; big++) {
        const tess_write_opts opts = { .meta = &meta, .overwrite = 1, .big_endian = big };
        CHECK_OK(tess_write(name_file("chosen.st"), &data, &opts));
        tess_info_mrc_section f[2];
        CHECK_OK(tess_open(&file, path, NULL));
        for (int i = 0; i < 2; i++) CHECK_OK(tess_mrc_section_info(&f[i], file, i));
        CHECK(f[0].tilt == -54 && f[1].tilt == -60);
        tess_file_close(file);
    }
    tess_release(&records);
    tess_release(&data);
}

TEST(records_of_the_older_fei_programs)
{
    enum { EXTENDED = 2 * 128 };
    mrc_make(&m, 2, 2, 2, 0, EXTENDED + 8, 0);
    mrc_i32(&m, 92, EXTENDED);
    mrc_text(&m, 104, "AGAR");
    mrc_i16(&m, 130, 32);
    static const float values[] = { 30, 1, 1e-6f, 2e-6f, -3e-6f, 4e-8f, 5e-8f, -2e-6f, 0.5f, 100, 84, 2e-10f, 50000 };
    for (int k = 0; k < 13; k++) mrc_f32(&m, 1024 + 128 + 4 * k, values[k]);
    tess_file            *file = open_saved("agar.st");
    tess_info_mrc_section f;
    CHECK_OK(tess_mrc_section_info(&f, file, 1));
    CHECK(f.tilt == 30 && f.tilt_beta == 1 && fabs(f.stage[0] - 1) < 1e-6 && fabs(f.stage[2] + 3) < 1e-6);
    CHECK(fabs(f.defocus + 2) < 1e-6 && f.exposure == 0.5 && f.mean == 100 && f.tilt_axis == 84);
    CHECK(fabs(f.pixel_size[0] - 2) < 1e-6 && f.magnification == 50000 && fabs(f.shift[1] - 0.05) < 1e-6);
    tess_array    records = { .data = NULL };
    const int64_t one = 1;
    CHECK_OK(tess_mrc_select_extended(&records, file, &one, 1));
    CHECK_DIMS(records.shape, 1, 1, 1, 128);
    tess_release(&records);
    tess_file_close(file);
}

TEST(records_of_fei1_and_fei2)
{
    for (int version = 1; version <= 2; version++) {
        const int record = version == 1 ? 768 : 888;
        mrc_make(&m, 2, 2, 2, 0, 2 * record + 8, version == 2); /* records are little-endian in any file */
        mrc_i32(&m, 92, 2 * record);
        mrc_text(&m, 104, version == 1 ? "FEI1" : "FEI2");
        m.big_endian = 0;
        for (int s = 0; s < 2; s++) {
            const int64_t at = 1024 + (int64_t)s * record;
            static const struct {
                int    at;
                double value;
            } values[] = { { 84, 300000 },   { 92, 2.5e20 },   { 100, -42.5 }, { 108, 1 },
                           { 116, 1e-5 },    { 124, 2e-5 },    { 132, -3e-5 }, { 140, 85 },
                           { 156, 1.5e-10 }, { 164, 1.5e-10 }, { 220, -3e-6 }, { 289, 64000 } };
            mrc_i32(&m, at, record);
            mrc_i32(&m, at + 8, s == 0 ? 0 : 1 << 7 | 1 << 9);
            for (size_t k = 0; k < sizeof values / sizeof *values; k++) mrc_f64(&m, at + values[k].at, values[k].value);
        }
        tess_file            *file = open_saved("fei.mrc");
        tess_info_mrc_section f;
        CHECK_OK(tess_mrc_section_info(&f, file, 0));
        CHECK(f.voltage == 300000 && fabs(f.dose - 2.5) < 1e-12 && f.tilt == -42.5 && f.tilt_axis == 85);
        CHECK(fabs(f.stage[0] - 10) < 1e-9 && fabs(f.stage[2] + 30) < 1e-9 && fabs(f.pixel_size[0] - 1.5) < 1e-9);
        CHECK(fabs(f.defocus + 3) < 1e-9 && f.magnification == 64000);
        CHECK_OK(tess_mrc_section_info(&f, file, 1));
        CHECK_I64(f.known, TESS_MRC_TILT | TESS_MRC_STAGE_XY);
        tess_file_close(file);
        mrc_i32(&m, 1024, 10); /* a size that cannot be */
        file = open_saved("fei.mrc");
        CHECK(has_warning(tess_file_info(file), TESS_ODD_EXTENDED, "has no records that can be read"));
        CHECK_OK(tess_mrc_section_info(&f, file, 1));
        CHECK_I64(f.known, 0);
        const int64_t one = 1;
        tess_array    records = { .data = NULL };
        CHECK_OK(tess_mrc_select_extended(&records, file, &one, 1));
        CHECK_DIMS(records.shape, 1, 1, 1, 0);
        tess_release(&records);
        tess_file_close(file);
    }
}

TEST(extended_headers_of_other_kinds)
{
    tess_info_mrc_section f;
    tess_array            records = { .data = NULL };
    const int64_t         zero = 0;
    mrc_make(&m, 2, 2, 1, 0, 80 + 4, 0);
    mrc_i32(&m, 92, 80);
    memset(m.bytes + 1024, ' ', 80);
    mrc_text(&m, 1024, "X, Y, Z");
    tess_file *file = open_saved("x.map");
    CHECK_TEXT(tess_file_info(file)->meta.extended_type, "CCP4");
    CHECK_I64(tess_file_info(file)->n_warnings, 0);
    CHECK_OK(tess_mrc_section_info(&f, file, 0));
    CHECK_I64(f.known, 0);
    CHECK_OK(tess_mrc_select_extended(&records, file, &zero, 1));
    CHECK_I64(records.shape.w, 80);
    CHECK(memcmp(records.data, "X, Y, Z ", 8) == 0);
    tess_release(&records);
    tess_file_close(file);
    m.bytes[1030] = 200;
    mrc_text(&m, 104, "WHAT");
    file = open_saved("x.map");
    CHECK(has_warning(tess_file_info(file), TESS_ODD_EXTENDED, "'WHAT' is not known"));
    CHECK_I64(tess_file_info(file)->meta.extended_size, 80);
    CHECK(memcmp(tess_file_info(file)->meta.extended, m.bytes + 1024, 80) == 0);
    tess_file_close(file);
    mrc_text(&m, 104, "SERI"); /* without a layout */
    file = open_saved("x.map");
    CHECK(has_warning(tess_file_info(file), TESS_ODD_EXTENDED, "'SERI' has no records"));
    CHECK_OK(tess_mrc_section_info(&f, file, 0));
    CHECK_I64(f.known, 0);
    tess_file_close(file);
    CHECK_FAILS(tess_mrc_section_info(&f, NULL, 0), TESS_EARG, "file is NULL");
    CHECK_FAILS(tess_mrc_section_info(NULL, NULL, 0), TESS_EARG, "info is NULL");
    CHECK_FAILS(tess_mrc_select_extended(&records, NULL, NULL, 0), TESS_EARG, "file is NULL");
}

/* The first 1024 bytes of `m` and nothing else, as gzip. */
static const char *save_packed_header(void)
{
    static unsigned char stream[2048];
    tess__gzip_stored(stream, m.bytes, 1024);
    put_file("lies.mrc.gz", stream, (long)tess__gzip_stored_size(1024));
    return in_folder("lies.mrc.gz");
}

TEST(sizes_that_a_compressed_file_cannot_hold)
{
    tess_info_file info;
    if (!tess__has_codec(TESS_COMPRESSION_GZIP)) return;
    mrc_make(&m, 32768, 32768, 4, 2, 0, 0);
    CHECK_FAILS(tess_info(&info, save_packed_header(), NULL), TESS_EFORMAT, "lies.mrc.gz", "17179870208 bytes",
                "1047 compressed bytes");
    CHECK_OK(tess_info(&info, save_packed_header(), &(tess_read_opts){ .salvage = 1 }));
    mrc_make(&m, 2, 2, 1, 0, 0, 0);
    mrc_i32(&m, 92, 400000000);
    CHECK_FAILS(tess_info(&info, save_packed_header(), NULL), TESS_EFORMAT, "NSYMBT is 400000000",
                "the compressed file has 1047", "at most 68189368");
    mrc_i32(&m, 92, 68189368); /* not rejected by its size: the bytes are missing */
    CHECK_FAILS(tess_info(&info, save_packed_header(), NULL), TESS_EFORMAT, "the extended header", "are available");
}

/* Each record says its own size: the offsets of many must not be looked for again and again. */
TEST(many_records_of_fei1)
{
    enum { N = 60000, LEAST = 297, BYTES = 1024 + N * (LEAST + 1) };
    unsigned char *bytes = calloc(1, BYTES);
    int64_t       *sections = calloc(N, sizeof *sections);
    if (!bytes || !sections) abort();
    mrc_make(&m, 1, 1, N, 0, 0, 0);
    mrc_i32(&m, 92, N * LEAST);
    mrc_text(&m, 104, "FEI1");
    memcpy(bytes, m.bytes, 1024);
    for (int64_t i = 0; i < N; i++) {
        const double tilt = (double)i;
        bytes[1024 + i * LEAST] = LEAST & 255, bytes[1024 + i * LEAST + 1] = LEAST >> 8;
        memcpy(bytes + 1024 + i * LEAST + 100, &tilt, sizeof tilt);
        sections[i] = N - 1 - i;
    }
    put_file("many.mrcs", bytes, BYTES);
    tess_file            *file = NULL;
    tess_array            records = { .data = NULL };
    tess_info_mrc_section f;
    CHECK_OK(tess_open(&file, in_folder("many.mrcs"), NULL));
    for (int64_t i = 0; i < N; i++) {
        if (!CHECK_OK(tess_mrc_section_info(&f, file, i))) break;
        if (!CHECK(f.tilt == (double)i)) break;
    }
    CHECK_OK(tess_mrc_select_extended(&records, file, sections, N));
    CHECK_I64(records.shape.w, N * LEAST);
    CHECK(memcmp((char *)records.data + 100, bytes + 1024 + (int64_t)(N - 1) * LEAST + 100, 8) == 0);
    tess_release(&records);
    tess_file_close(file);
    free(bytes);
    free(sections);
}
