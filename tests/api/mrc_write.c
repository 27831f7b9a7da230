/* MRC files as they are written, byte by byte. */
#include <unistd.h>

#include "support/mrc_file.h"

static int32_t field(int at)
{
    return (int32_t)((uint32_t)m.bytes[at] | (uint32_t)m.bytes[at + 1] << 8 | (uint32_t)m.bytes[at + 2] << 16 |
                     (uint32_t)m.bytes[at + 3] << 24);
}

static void write_and_load(tess_shape shape, tess_dtype dtype, const tess_write_opts *opts)
{
    tess_array      a = { .data = NULL };
    tess_write_opts o = opts ? *opts : (tess_write_opts){ .format = 0 };
    o.overwrite = 1;
    CHECK_OK(tess_zeros(&a, shape, dtype, tess_cpu()));
    CHECK_OK(tess_write(name_file("written.mrc"), &a, &o));
    tess_release(&a);
    load();
}

TEST(shapes_as_they_are_written)
{
    static const struct {
        tess_shape shape;
        int        imod, nz, mz, group, given;
    } rows[] = {
        { { { 1, 1, 3, 4 } }, 0, 1, 1, 0, 1 },     { { { 5, 1, 3, 4 } }, 0, 5, 1, 0, 0 },
        { { { 1, 5, 3, 4 } }, 0, 5, 5, 1, 0 },     { { { 2, 5, 3, 4 } }, 0, 10, 5, 401, 0 },
        { { { 5, 1, 3, 4 } }, 1, 5, 5, 0, 19 },    { { { 1, 5, 3, 4 } }, 0, 5, 5, 19, 19 },
        { { { 2, 5, 3, 4 } }, 1, 10, 5, 419, 19 }, { { { 1, 5, 3, 4 } }, 1, 5, 5, 19, 419 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const tess_meta meta = { .pixel_size = { 3, 2, 1.5 }, .space_group = rows[i].given };
        write_and_load(rows[i].shape, TESS_F32, &(tess_write_opts){ .compat_imod = rows[i].imod, .meta = &meta });
        CHECK(field(0) == 4 && field(4) == 3 && field(8) == rows[i].nz && field(12) == 2);
        CHECK(field(28) == 4 && field(32) == 3 && field(36) == rows[i].mz && field(88) == rows[i].group);
        float cell[3];
        memcpy(cell, m.bytes + 40, sizeof cell);
        CHECK(cell[0] == 6 && cell[1] == 6 && cell[2] == (float)(3 * rows[i].mz));
    }
}

static float real_field(int at)
{
    float value;
    memcpy(&value, m.bytes + at, sizeof value);
    return value;
}

TEST(cells_as_they_are_written)
{
    const tess_meta meta = { .pixel_size = { 3, 2, 1.5 }, .angles = { 0, 94.33f, 120 }, .grid = { 20, 0, 40 } };
    write_and_load(TESS_SHAPE(1, 5, 3, 4), TESS_F32, &(tess_write_opts){ .meta = &meta });
    CHECK(real_field(52) == 90 && real_field(56) == 94.33f && real_field(60) == 120);
    CHECK(field(28) == 40 && field(32) == 3 && field(36) == 20);
    CHECK(real_field(40) == 60 && real_field(44) == 6 && real_field(48) == 60);
    write_and_load(TESS_SHAPE(2, 5, 3, 4), TESS_F32, &(tess_write_opts){ .meta = &meta }); /* MZ says what they are */
    CHECK(field(36) == 5 && field(28) == 40);
    write_and_load(TESS_SHAPE(5, 1, 3, 4), TESS_F32, &(tess_write_opts){ .meta = &meta });
    CHECK(field(36) == 1 && field(28) == 40);
    tess_writer    *w;
    const tess_meta skew = { .angles = { 90, 181, 0 } }, negative = { .grid = { 1, -2, 3 } };
    CHECK_FAILS(tess_writer_open(&w, name_file("refused.mrc"), TESS_SHAPE(1, 1, 2, 2), TESS_F32,
                                 &(tess_write_opts){ .meta = &skew }),
                TESS_ERANGE, "opts->meta->angles are 90, 181, 90", "below 180");
    CHECK_FAILS(tess_writer_open(&w, path, TESS_SHAPE(1, 1, 2, 2), TESS_F32, &(tess_write_opts){ .meta = &negative }),
                TESS_ERANGE, "opts->meta->grid is 1, -2, 3", "1 or more");
}

TEST(fixed_fields_as_they_are_written)
{
    write_and_load(TESS_SHAPE(1, 1, 3, 4), TESS_F32, NULL);
    CHECK(memcmp(m.bytes + 208, "MAP \x44\x44\0\0", 8) == 0 && field(108) == 20141 && field(92) == 0);
    CHECK(memcmp(m.bytes + 104, "    ", 4) == 0 && field(64) == 1 && field(68) == 2 && field(72) == 3);
    CHECK(field(40) == 0 && field(44) == 0 && field(152) == 0 && field(220) == 0 && m.size == 1024 + 48);
    write_and_load(TESS_SHAPE(1, 1, 3, 4), TESS_U8, &(tess_write_opts){ .bytes = TESS_BYTES_UNSIGNED });
    CHECK(field(12) == 0 && field(152) == 1146047817 && (field(156) & 1) == 0);
    write_and_load(TESS_SHAPE(1, 1, 3, 4), TESS_I8, NULL);
    CHECK(field(12) == 0 && field(152) == 0);
    write_and_load(TESS_SHAPE(1, 1, 3, 4), TESS_F32, &(tess_write_opts){ .big_endian = 1 });
    CHECK(memcmp(m.bytes, "\0\0\0\4\0\0\0\3", 8) == 0 && memcmp(m.bytes + 212, "\x11\x11\0\0", 4) == 0);
}

TEST(labels_move_on_when_there_are_ten)
{
    tess_meta meta = { .n_labels = 10 };
    for (int k = 0; k < 10; k++) (void)snprintf(meta.labels[k], sizeof meta.labels[k], "label %d", k);
    write_and_load(TESS_SHAPE(1, 1, 3, 4), TESS_F32, &(tess_write_opts){ .meta = &meta, .label = "new\n" });
    CHECK(field(220) == 10 && memcmp(m.bytes + 224, "label 1 ", 8) == 0);
    CHECK(memcmp(m.bytes + 224 + 720, "new? ", 5) == 0 && m.bytes[1023] == ' ');
}

TEST(what_cannot_be_written)
{
    tess_writer *w;
    const char  *to = name_file("refused.mrc");
    CHECK_FAILS(tess_writer_open(&w, to, TESS_SHAPE(1, 1, 0, 4), TESS_F32, NULL), TESS_ESHAPE, "{1,1,0,4}",
                "1 to 2147483647");
    CHECK_FAILS(tess_writer_open(&w, to, TESS_SHAPE(65536, 65536, 1, 1), TESS_I8, NULL), TESS_ESHAPE,
                "at most 2147483647 sections");
    CHECK_FAILS(tess_writer_open(&w, to, TESS_SHAPE(1, 1, 2, 2), TESS_F32, &(tess_write_opts){ .dtype = TESS_I32 }),
                TESS_EDTYPE, "opts->dtype is i32", "i8, u8, i16, u16, f16, f32 or c32");
    CHECK_FAILS(
        tess_writer_open(&w, to, TESS_SHAPE(1, 1, 2, 2), TESS_F32, &(tess_write_opts){ .bytes = TESS_BYTES_UNSIGNED }),
        TESS_EARG, "opts->bytes is unsigned", "f32");
    CHECK_FAILS(tess_writer_open(&w, to, TESS_SHAPE(1, 1, 2, 2), TESS_MAT22_F32, NULL), TESS_EDTYPE, "mat22_f32",
                "numbers");
    CHECK(access(to, F_OK) != 0);
}

/* u8 is mode 6, clamped to 0..255, whatever the elements were. */
TEST(bytes_are_stored_as_u16)
{
    static const struct {
        float   value;
        int64_t stored;
    } rows[] = { { -3, 0 }, { 0, 0 }, { 7, 7 }, { 254, 254 }, { 255, 255 }, { 300, 255 } };
    enum { N = sizeof rows / sizeof *rows, W = 9001 };
    tess_array floats = { .data = NULL }, bytes = { .data = NULL };
    CHECK_OK(tess_zeros(&floats, TESS_SHAPE(1, 1, 1, W), TESS_F32, tess_cpu()));
    for (int i = 0; i < W; i++) TESS_AT(float, floats, 0, 0, 0, i) = rows[i % N].value;
    CHECK_OK(tess_cast(&bytes, &floats, TESS_U8, NULL));
    for (int k = 0; k < 4; k++) {
        static unsigned char  file[1024 + 2 * W + 1];
        const tess_write_opts opts = { .dtype = TESS_U8, .big_endian = k / 2, .overwrite = 1 };
        tess_info_file        info;
        CHECK_OK(tess_write(name_file("wide.mrc"), k % 2 ? &bytes : &floats, &opts));
        CHECK_I64(get_file("wide.mrc", file, sizeof file), 1024 + 2 * W);
        int64_t wrong = 0;
        for (int i = 0; i < W; i++) {
            const unsigned char *at = file + 1024 + 2 * (size_t)i;
            wrong += at[k / 2 ? 1 : 0] + 256 * at[k / 2 ? 0 : 1] != rows[i % N].stored;
        }
        CHECK_I64(wrong, 0);
        CHECK_OK(tess_info(&info, path, NULL));
        CHECK(info.mode == 6 && info.dtype == TESS_U16 && info.meta.min == 0 && info.meta.max == 255);
    }
    tess_release(&floats);
    tess_release(&bytes);
}
