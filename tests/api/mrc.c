/* MRC files made by hand: modes, byte orders, flags, the rules of stacks and bytes, bad input. */
#include <math.h>

#include "support/mrc_file.h"

/* The elements of a file, read as f64, in the order b, d, h, w. */
static int64_t read_numbers(double *numbers, int64_t n, const tess_read_opts *opts)
{
    tess_array     a = { .data = NULL };
    tess_read_opts o = opts ? *opts : (tess_read_opts){ .format = 0 };
    o.dtype = TESS_F64;
    if (!CHECK_OK(tess_read(&a, path, &o))) return 0;
    const int64_t have = tess_n_elements(&a);
    memcpy(numbers, a.data, (size_t)(have < n ? have : n) * sizeof *numbers);
    tess_release(&a);
    return have;
}

/* ---- Modes ---- */

TEST(every_mode_in_both_byte_orders)
{
    static const struct {
        int        mode, bytes;
        tess_dtype dtype;
    } modes[] = { { 0, 1, TESS_I8 }, { 1, 2, TESS_I16 }, { 2, 4, TESS_F32 }, { 6, 2, TESS_U16 }, { 12, 2, TESS_F16 } };
    for (int big = 0; big < 2; big++)
        for (size_t k = 0; k < sizeof modes / sizeof *modes; k++) {
            mrc_make(&m, 3, 2, 1, modes[k].mode, 6 * modes[k].bytes, big);
            for (int i = 0; i < 6; i++) {
                static const uint64_t halves[] = { 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600 };
                if (modes[k].mode == 2) mrc_f32(&m, 1024 + 4 * i, (float)(i + 1));
                else
                    mrc_put(&m, 1024 + i * modes[k].bytes, modes[k].mode == 12 ? halves[i] : (uint64_t)i + 1,
                            modes[k].bytes);
            }
            double         got[6] = { 0 };
            tess_info_file info;
            CHECK_OK(tess_info(&info, save("mode.mrc"), NULL));
            CHECK(info.dtype == modes[k].dtype && info.mode == modes[k].mode && info.big_endian == big);
            CHECK(info.n_warnings == 0 && info.data_offset == 1024);
            CHECK_I64(read_numbers(got, 6, NULL), 6);
            for (int i = 0; i < 6; i++) CHECK(got[i] == i + 1);
        }
}

TEST(complex_modes_become_c32)
{
    for (int big = 0; big < 2; big++)
        for (int mode = 3; mode <= 4; mode++) {
            mrc_make(&m, 2, 2, 1, mode, mode == 3 ? 16 : 32, big);
            for (int i = 0; i < 8; i++)
                if (mode == 3) mrc_i16(&m, 1024 + 2 * i, -300 * i + 7);
                else mrc_f32(&m, 1024 + 4 * i, (float)(-300 * i + 7));
            tess_array a = { .data = NULL };
            CHECK_OK(tess_read(&a, save("complex.mrc"), NULL));
            CHECK(a.dtype == TESS_C32);
            for (int i = 0; i < 8; i++) CHECK(((float *)a.data)[i] == (float)(-300 * i + 7));
            tess_release(&a);
        }
    CHECK_FAILS(tess_file_map(&(tess_array){ .data = NULL }, NULL), TESS_EARG, "file_map: file is NULL");
}

TEST(four_bits_low_nibble_first_with_padded_rows)
{
    mrc_make(&m, 4, 2, 1, 101, 4, 0);
    memcpy(m.bytes + 1024, "\x21\x43\x65\x87", 4);
    double got[8] = { 0 };
    save("nibbles.mrc");
    CHECK_I64(read_numbers(got, 8, NULL), 8);
    for (int i = 0; i < 8; i++) CHECK(got[i] == i + 1);
    /* Odd width: a row takes a whole number of bytes. */
    mrc_make(&m, 3, 2, 2, 101, 8, 0);
    memcpy(m.bytes + 1024, "\x21\xf3\x54\xf6\x87\xf9\xba\xfc", 8);
    save("nibbles.mrc");
    CHECK_I64(read_numbers(got, 8, &(tess_read_opts){ .as = TESS_AS_STACK }), 12);
    for (int i = 0; i < 8; i++) CHECK(got[i] == i + 1);
    tess_array a = { .data = NULL };
    tess_file *file;
    CHECK_OK(tess_open(&file, path, NULL));
    CHECK(tess_file_info(file)->dtype == TESS_U8);
    CHECK_OK(tess_file_read(&a, file, (tess_region){ .b = tess_only(1), .w = tess_from_to_step(2, TESS_NONE, -1) }));
    CHECK_DIMS(a.shape, 1, 1, 2, 3);
    CHECK(memcmp(a.data, "\x09\x08\x07\x0c\x0b\x0a", 6) == 0);
    CHECK_FAILS(tess_file_map(&(tess_array){ .data = NULL }, file), TESS_EUNSUPPORTED, "packed");
    tess_release(&a);
    tess_file_close(file);
}

TEST(four_bits_of_odd_width_without_gaps)
{
    /* 3 x 3 x 2: 5 bytes a section if packed, 6 if padded. */
    mrc_make(&m, 3, 3, 2, 101, 10, 0);
    memcpy(m.bytes + 1024, "\x21\x43\x65\x87\xf9\x12\x34\x56\x78\xf9", 10);
    double got[18] = { 0 };
    save("packed.mrc");
    CHECK_I64(read_numbers(got, 18, NULL), 18);
    static const double second[] = { 2, 1, 4, 3, 6, 5, 8, 7, 9 };
    for (int i = 0; i < 9; i++) CHECK(got[i] == i + 1 && got[9 + i] == second[i]);
    tess_file *file;
    tess_array a = { .data = NULL };
    CHECK_OK(tess_open(&file, path, NULL));
    CHECK_OK(tess_file_read(&a, file, (tess_region){ .b = tess_only(1), .h = tess_only(1), .w = tess_from_to(1, 3) }));
    CHECK(memcmp(a.data, "\x06\x05", 2) == 0);
    CHECK_FAILS(tess_file_map(&(tess_array){ .data = NULL }, file), TESS_EUNSUPPORTED, "packed");
    tess_release(&a);
    tess_file_close(file);
    mrc_i32(&m, 64, 2);
    mrc_i32(&m, 68, 1);
    CHECK_FAILS(tess_open(&file, save("packed.mrc"), NULL), TESS_EUNSUPPORTED, "without gaps", "axes 1, 2, 3");
    mrc_i32(&m, 64, 1);
    mrc_i32(&m, 68, 2);
    m.size -= 1;
    CHECK_FAILS(tess_open(&file, save("packed.mrc"), NULL), TESS_EFORMAT, "1036", "1033");
    CHECK_OK(tess_read(&a, path, &(tess_read_opts){ .salvage = 1 }));
    tess_release(&a);
}

TEST(colours_are_grey_or_refused)
{
    tess_info_file info;
    mrc_make(&m, 2, 1, 1, 16, 6, 0);
    memcpy(m.bytes + 1024, "\xff\xff\xff\x00\xff\x00", 6);
    CHECK_FAILS(tess_info(&info, save("rgb.mrc"), NULL), TESS_EUNSUPPORTED, "MODE is 16", "opts->grey");
    double got[2] = { 0 };
    CHECK_I64(read_numbers(got, 2, &(tess_read_opts){ .grey = 1 }), 2);
    CHECK(got[0] == 255 && got[1] == 150);
    CHECK_OK(tess_info(&info, path, &(tess_read_opts){ .grey = 1 }));
    CHECK(info.dtype == TESS_U8 && has_warning(&info, TESS_ODD_COLOUR, "grey"));
}

/* ---- Bytes ---- */

TEST(rules_of_bytes)
{
    static const struct {
        int   stamp, flags;
        float min, max;
        int   asked, rule;
        int   want; /* of byte 0xfe */
    } rows[] = {
        { 0, 0, 0, -1, TESS_BYTES_SIGNED, 1, -2 },
        { 0, 0, 0, -1, TESS_BYTES_UNSIGNED, 1, 254 },
        { 0, 0, 0, -1, TESS_BYTES_IMOD, 1, 126 },
        { 1, 1, 0, 255, TESS_BYTES_UNSIGNED, 1, 254 },
        { 1, 1, 0, 255, 0, 2, -2 },
        { 1, 0, -5, 5, 0, 2, 254 },
        { 1, 4, -5, 5, 0, 2, 254 },
        { 0, 1, -5, 5, 0, 3, -2 },
        { 0, 0, 0, 255, 0, 3, 254 },
        { 0, 0, 3, 128, 0, 3, 254 },
        { 0, 0, -100, 200, 0, 3, -2 },
        { 0, 0, -10, 200, 0, 3, 254 },
        { 0, 0, 0, 100, 0, 4, -2 },
        { 0, 0, 0, -1, 0, 4, -2 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int big = 0; big < 2; big++) {
            mrc_make(&m, 1, 1, 1, 0, 1, big);
            m.bytes[1024] = 0xfe;
            if (rows[i].stamp) mrc_imod(&m, rows[i].flags);
            else mrc_i32(&m, 156, rows[i].flags);
            mrc_f32(&m, 76, rows[i].min);
            mrc_f32(&m, 80, rows[i].max);
            const tess_read_opts opts = { .bytes = rows[i].asked };
            double               got = 0;
            tess_info_file       info;
            CHECK_OK(tess_info(&info, save("bytes.mrc"), &opts));
            CHECK_I64(info.bytes_rule, rows[i].rule);
            CHECK(info.dtype == (rows[i].want < 0 ? TESS_I8 : TESS_U8));
            (void)read_numbers(&got, 1, &opts);
            if (got != rows[i].want) CHECK_I64((int64_t)got, rows[i].want);
        }
    tess_info_file info;
    mrc_make(&m, 1, 1, 1, 0, 1, 0);
    mrc_imod(&m, 1);
    CHECK_OK(tess_info(&info, save("bytes.mrc"), NULL));
    CHECK(has_warning(&info, TESS_ODD_BYTES, "--bytes imod"));
    mrc_f32(&m, 76, -128);
    mrc_f32(&m, 80, -127);
    mrc_f32(&m, 84, -127.5f);
    CHECK_OK(tess_info(&info, save("bytes.mrc"), &(tess_read_opts){ .bytes = TESS_BYTES_IMOD }));
    CHECK(info.meta.min == 0 && info.meta.max == 1 && info.meta.mean == 0.5);
}

TEST(two_pixels_in_each_byte_of_mode_0)
{
    tess_info_file info;
    double         got[8] = { 0 };
    for (int big = 0; big < 2; big++) {
        mrc_make(&m, 2, 2, 1, 0, 4, big);
        memcpy(m.bytes + 1024, "\x21\x43\x65\x87", 4);
        mrc_imod(&m, 16);
        mrc_f32(&m, 40, 3);
        CHECK_OK(tess_info(&info, save("half.mrc"), NULL));
        CHECK_DIMS(info.shape, 1, 1, 2, 4);
        CHECK(has_warning(&info, TESS_ODD_HALF_WIDTH, "IMOD's flag: images are 4 wide, not 2"));
        CHECK(info.meta.pixel_size[2] == 1.5 && info.grid[0] == 4 && info.cell[0] == 6 && info.stored[0] == 4);
        CHECK_I64(read_numbers(got, 8, NULL), 8);
        for (int i = 0; i < 8; i++) CHECK(got[i] == i + 1);
        CHECK_OK(tess_info(&info, path, &(tess_read_opts){ .bytes = TESS_BYTES_UNSIGNED }));
        CHECK_DIMS(info.shape, 1, 1, 2, 2);
    }
    mrc_imod(&m, 17);
    CHECK_FAILS(tess_info(&info, save("half.mrc"), NULL), TESS_EFORMAT, "imodFlags is 17", "signed (1)", "(16)");
    /* By label and size; the data are not there. */
    const tess_read_opts salvage = { .salvage = 1 };
    mrc_make(&m, 7420, 3838, 1, 0, 0, 0);
    mrc_text(&m, 224, "SerialEM: 4 bits packed");
    mrc_i32(&m, 220, 1);
    CHECK_OK(tess_info(&info, save("half.mrc"), &salvage));
    CHECK_DIMS(info.shape, 1, 1, 3838, 14840);
    CHECK(has_warning(&info, TESS_ODD_HALF_WIDTH, "its label and size"));
    mrc_i32(&m, 220, 2);
    CHECK_OK(tess_info(&info, save("half.mrc"), &salvage));
    CHECK_DIMS(info.shape, 1, 1, 3838, 7420);
    mrc_i32(&m, 220, 1);
    mrc_i32(&m, 4, 3837);
    CHECK_OK(tess_info(&info, save("half.mrc"), &salvage));
    CHECK_DIMS(info.shape, 1, 1, 3837, 7420);
}

/* ---- Sections ---- */

TEST(rules_of_sections)
{
    static const struct {
        const char *name;
        int         nx, ny, nz, group, mz;
        int         as, depth;
        int64_t     b, d;
        int         rule, sections, noted;
    } rows[] = {
        /* what programs write, under names that say nothing */
        { "x.mrc", 3, 2, 6, 0, 1, 0, 0, 6, 1, 6, TESS_AS_STACK, 0 },     /* standard, mrcfile */
        { "x.mrc", 3, 2, 6, 1, 6, 0, 0, 1, 6, 6, TESS_AS_VOLUME, 0 },    /* standard, mrcfile */
        { "x.mrc", 3, 2, 6, 401, 3, 0, 0, 2, 3, 2, TESS_AS_VOLUMES, 0 }, /* standard, mrcfile */
        { "x.mrc", 3, 2, 6, 630, 6, 0, 0, 1, 6, 2, TESS_AS_VOLUMES, 0 },
        { "x.mrc", 3, 2, 6, 0, 6, 0, 0, 6, 1, 7, TESS_AS_STACK, 1 }, /* RELION, EMAN2, IMOD: either */
        { "x.mrc", 4, 4, 4, 0, 4, 0, 0, 1, 4, 7, TESS_AS_VOLUME, 0 },
        { "x.mrc", 3, 2, 6, 1, 6, 0, 0, 1, 6, 6, TESS_AS_VOLUME, 0 },  /* cisTEM: a stack, which is not seen */
        { "x.mrc", 3, 2, 6, 19, 5, 0, 0, 1, 6, 6, TESS_AS_VOLUME, 0 }, /* a crystal, of part of its cell */
        { "x.mrc", 3, 2, 1, 0, 1, 0, 0, 1, 1, 3, TESS_AS_STACK, 0 },
        { "x.mrc", 3, 2, 1, 1, 1, 0, 0, 1, 1, 3, TESS_AS_STACK, 0 },
        /* names that do */
        { "x.mrcs", 3, 2, 6, 0, 6, 0, 0, 6, 1, 4, TESS_AS_STACK, 0 },
        { "x.mrcs", 3, 2, 6, 1, 6, 0, 0, 6, 1, 4, TESS_AS_STACK, 0 }, /* cisTEM's under a better name */
        { "x.mrcs", 3, 2, 6, 401, 3, 0, 0, 2, 3, 2, TESS_AS_VOLUMES, 0 },
        { "x.st", 4, 4, 4, 0, 4, 0, 0, 4, 1, 4, TESS_AS_STACK, 0 },
        { "x.ali", 3, 2, 6, 0, 6, 0, 0, 6, 1, 4, TESS_AS_STACK, 0 },
        { "x.preali", 3, 2, 6, 0, 6, 0, 0, 6, 1, 4, TESS_AS_STACK, 0 },
        { "x.STK", 3, 2, 6, 0, 6, 0, 0, 6, 1, 4, TESS_AS_STACK, 0 },
        { "x.map", 3, 2, 6, 0, 1, 0, 0, 1, 6, 5, TESS_AS_VOLUME, 0 },
        { "x.ccp4", 3, 2, 6, 0, 6, 0, 0, 1, 6, 5, TESS_AS_VOLUME, 0 },
        { "x.rec", 3, 2, 6, 0, 6, 0, 0, 1, 6, 5, TESS_AS_VOLUME, 0 },
        { "x.rec", 3, 2, 1, 0, 6, 0, 0, 1, 1, 3, TESS_AS_STACK, 0 },
        /* the caller */
        { "x.mrc", 3, 2, 6, 0, 1, TESS_AS_VOLUME, 0, 1, 6, 1, TESS_AS_VOLUME, 0 },
        { "x.mrc", 3, 2, 6, 401, 3, TESS_AS_STACK, 0, 6, 1, 1, TESS_AS_STACK, 0 },
        { "x.map", 3, 2, 6, 1, 6, TESS_AS_VOLUMES, 2, 3, 2, 1, TESS_AS_VOLUMES, 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mrc_make(&m, rows[i].nx, rows[i].ny, rows[i].nz, 0, (int64_t)rows[i].nx * rows[i].ny * rows[i].nz, 0);
        mrc_i32(&m, 88, rows[i].group);
        mrc_i32(&m, 36, rows[i].mz);
        tess_info_file info;
        CHECK_OK(tess_info(&info, save(rows[i].name), &(tess_read_opts){ .as = rows[i].as, .depth = rows[i].depth }));
        CHECK_DIMS(info.shape, rows[i].b, rows[i].d, rows[i].ny, rows[i].nx);
        CHECK_I64(info.sections_rule, rows[i].rule);
        CHECK_I64(info.sections, rows[i].sections);
        CHECK(has_warning(&info, TESS_ODD_SECTIONS, "--as volume") == rows[i].noted);
    }
}

TEST(sections_said_by_a_suffix_or_not_divisible)
{
    tess_info_file info;
    char           name[300];
    mrc_make(&m, 3, 2, 6, 0, 36, 0);
    save("x.mrc");
    (void)snprintf(name, sizeof name, "%s:mrc", path);
    CHECK_OK(tess_info(&info, name, NULL));
    CHECK_DIMS(info.shape, 1, 6, 2, 3);
    CHECK_I64(info.sections_rule, 1);
    (void)snprintf(name, sizeof name, "%s:mrcs", path);
    CHECK_OK(tess_info(&info, name, NULL));
    CHECK_DIMS(info.shape, 6, 1, 2, 3);
    CHECK_FAILS(tess_info(&info, path, &(tess_read_opts){ .as = TESS_AS_VOLUMES, .depth = 4 }), TESS_EARG,
                "opts->depth is 4", "6 sections");
}

TEST(odd_space_groups_are_noted)
{
    tess_info_file info;
    mrc_make(&m, 3, 2, 6, 0, 36, 0);
    mrc_i32(&m, 88, 231);
    CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
    CHECK(has_warning(&info, TESS_ODD_SPACE_GROUP, "231") && info.sections_rule == 7 && info.meta.space_group == 0);
    mrc_i32(&m, 88, -1);
    CHECK_OK(tess_info(&info, save("x.mrcs"), NULL));
    CHECK(has_warning(&info, TESS_ODD_SPACE_GROUP, "-1") && info.sections_rule == 4);
    for (int mz = 0; mz <= 4; mz += 4) {
        mrc_i32(&m, 88, 401);
        mrc_i32(&m, 36, mz);
        CHECK_OK(tess_info(&info, save("x.map"), NULL));
        CHECK(has_warning(&info, TESS_ODD_SPACE_GROUP, "does not divide 6") && info.sections_rule == 5);
    }
}

/* ---- What travels along ---- */

TEST(pixel_size_is_cell_by_grid_or_unknown)
{
    static const float bad[] = { NAN, INFINITY, -1 };
    tess_info_file     info;
    mrc_make(&m, 3, 2, 1, 0, 6, 0);
    mrc_i32(&m, 28, 30);
    mrc_f32(&m, 40, 45);
    mrc_i32(&m, 32, 0);
    mrc_f32(&m, 44, 45);
    CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
    CHECK(info.meta.pixel_size[2] == 1.5 && info.meta.pixel_size[1] == 0 && info.meta.pixel_size[0] == 0);
    CHECK(info.n_warnings == 0);
    for (int k = 0; k < 3; k++) {
        mrc_f32(&m, 48, bad[k]);
        CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
        CHECK(has_warning(&info, TESS_ODD_PIXEL_SIZE, "along z: pixel size unknown") && info.meta.pixel_size[0] == 0);
    }
}

/* The shortest number that gives the cell of the header. */
TEST(pixel_sizes_are_as_their_writer_had_them)
{
    static const double sizes[] = { 3.54, 1.0825, 0.66, 13.33, 0.825, 1.3456, 2, 150, 12000, 0.00123 };
    static const int    grids[] = { 1, 7, 10, 28, 96, 97, 360, 511, 4096 };
    tess_info_file      info;
    mrc_make(&m, 3, 2, 1, 0, 6, 0);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
            mrc_i32(&m, 28, grids[k]);
            mrc_f32(&m, 40, (float)(sizes[i] * grids[k]));
            CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
            CHECK(info.meta.pixel_size[2] == sizes[i]);
        }
    const float cell = 1.2345679e-30f;
    mrc_f32(&m, 40, cell);
    CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
    CHECK(info.meta.pixel_size[2] == (double)cell / 4096);
}

TEST(angles_of_the_cell_are_read)
{
    static const struct {
        float angles[3];
        bool  used, warned;
    } rows[] = { { { 90, 90, 90 }, true, false },        { { 90, 94.33f, 90 }, true, false },
                 { { 90, 90, 120 }, true, false },       { { 0, 0, 0 }, false, false },
                 { { 90, 0, 90 }, false, true },         { { 90, 180, 90 }, false, true },
                 { { 30, 30, 61 }, false, true },        { { 120, 120, 120 }, false, true },
                 { { 90, (float)NAN, 90 }, false, true } };
    tess_info_file info;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mrc_make(&m, 3, 2, 1, 0, 6, 0);
        for (int k = 0; k < 3; k++) mrc_f32(&m, 52 + 4 * k, rows[i].angles[k]);
        CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
        for (int k = 0; k < 3; k++) CHECK(info.meta.angles[k] == (rows[i].used ? rows[i].angles[k] : 0));
        CHECK(has_warning(&info, TESS_ODD_OTHER, "no unit cell has the angles") == rows[i].warned);
    }
}

/* Only a volume of a crystal, or one that is a part of its cell, has a cell of its own. */
TEST(samples_of_the_cell_are_read)
{
    static const struct {
        int   group, mx, mz;
        float gamma;
        bool  kept;
    } rows[] = { { 1, 3, 2, 90, false }, { 1, 5, 2, 90, true },  { 1, 3, 1, 90, false }, { 0, 5, 2, 90, false },
                 { 5, 3, 2, 90, true },  { 1, 3, 2, 120, true }, { 0, 3, 2, 120, true }, { 401, 5, 2, 120, false },
                 { 5, 0, 2, 90, false }, { -7, 5, 2, 90, false } };
    tess_info_file info;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mrc_make(&m, 3, 2, 2, 0, 12, 0);
        mrc_i32(&m, 28, rows[i].mx);
        mrc_i32(&m, 36, rows[i].mz);
        mrc_i32(&m, 88, rows[i].group);
        mrc_f32(&m, 60, rows[i].gamma);
        CHECK_OK(tess_info(&info, save("x.map"), NULL));
        CHECK_I64(info.meta.grid[2], rows[i].kept ? rows[i].mx : 0);
        CHECK(info.meta.grid[1] == (rows[i].kept ? 2 : 0) && info.meta.grid[0] == (rows[i].kept ? rows[i].mz : 0));
    }
}

TEST(axes_are_put_in_order)
{
    tess_info_file info;
    double         got[24];
    /* Columns along z, rows along x, sections along y. */
    mrc_make(&m, 4, 2, 3, 0, 24, 0);
    for (int i = 0; i < 24; i++) m.bytes[1024 + i] = (unsigned char)i;
    for (int k = 0; k < 3; k++) {
        mrc_i32(&m, 64 + 4 * k, "\3\1\2"[k]);
        mrc_i32(&m, 16 + 4 * k, 10 + k);
        mrc_i32(&m, 28 + 4 * k, "\2\3\4"[k]);
        mrc_f32(&m, 40 + 4 * k, 12);
        mrc_f32(&m, 196 + 4 * k, (float)k);
    }
    CHECK_OK(tess_info(&info, save("x.map"), NULL));
    CHECK_DIMS(info.shape, 1, 4, 3, 2);
    CHECK(info.meta.start[0] == 10 && info.meta.start[2] == 11 && info.meta.start[1] == 12);
    CHECK(info.meta.pixel_size[0] == 3 && info.meta.pixel_size[1] == 4 && info.meta.pixel_size[2] == 6);
    CHECK(info.meta.origin[0] == 2 && info.meta.origin[2] == 0);
    CHECK_I64(read_numbers(got, 24, NULL), 24);
    for (int z = 0; z < 4; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 2; x++) CHECK(got[(z * 3 + y) * 2 + x] == (y * 2 + x) * 4 + z);
    for (int k = 0; k < 3; k++) mrc_i32(&m, 64 + 4 * k, 0); /* files from before there were axes */
    CHECK_OK(tess_info(&info, save("x.map"), NULL));
    CHECK(info.axes[0] == 1 && info.axes[1] == 2 && info.axes[2] == 3);
    mrc_i32(&m, 64, 2);
    mrc_i32(&m, 68, 2);
    mrc_i32(&m, 72, 7);
    CHECK_FAILS(tess_info(&info, save("x.map"), NULL), TESS_EFORMAT, "MAPC, MAPR, MAPS are 2, 2, 7", "1, 2, 3");
}

TEST(statistics_by_the_rule_of_the_format)
{
    static const struct {
        float min, max, mean, rms;
        int   known;
    } rows[] = { { 0, -1, -2, -1, 0 }, { -2, 5, 1, 2, 7 },  { 0, 0, 0, 0, 7 },
                 { -2, 5, -3, 2, 5 },  { 5, -2, 1, -1, 2 }, { -2, 5, 1, -1, 3 } };
    tess_info_file info;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mrc_make(&m, 3, 2, 1, 0, 6, 1);
        mrc_f32(&m, 76, rows[i].min);
        mrc_f32(&m, 80, rows[i].max);
        mrc_f32(&m, 84, rows[i].mean);
        mrc_f32(&m, 216, rows[i].rms);
        CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
        CHECK_I64(info.meta.stats, rows[i].known);
    }
    mrc_f32(&m, 84, NAN);
    CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
    CHECK(has_warning(&info, TESS_ODD_STATISTICS, "not numbers") && !(info.meta.stats & TESS_STATS_MEAN));
}

TEST(labels_are_printable)
{
    tess_info_file info;
    mrc_make(&m, 3, 2, 1, 0, 6, 0);
    mrc_text(&m, 224, "first \x07\xc3");
    mrc_text(&m, 304, "after it a zero");
    m.bytes[304 + 15] = 0;
    mrc_text(&m, 384, "third");
    mrc_i32(&m, 220, 2);
    CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
    CHECK_I64(info.meta.n_labels, 2);
    CHECK_TEXT(info.meta.labels[0], "first ??");
    CHECK_TEXT(info.meta.labels[1], "after it a zero");
    for (int n = -1; n <= 11; n += 12) {
        mrc_i32(&m, 220, n);
        CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
        CHECK(has_warning(&info, TESS_ODD_LABELS, n < 0 ? "labels is -1" : "labels is 11"));
        CHECK_I64(info.meta.n_labels, 3);
    }
}

TEST(origins_of_older_imod_files_are_noted)
{
    tess_info_file info;
    mrc_make(&m, 3, 2, 1, 1, 12, 0);
    mrc_f32(&m, 196, -5);
    mrc_imod(&m, 0);
    CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
    CHECK(has_warning(&info, TESS_ODD_OTHER, "sign of older IMOD") && info.meta.origin[2] == -5);
    mrc_imod(&m, 4);
    CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
    CHECK(info.n_warnings == 0);
}

/* ---- Bad input ---- */

TEST(headers_that_cannot_be)
{
    tess_info_file info;
    mrc_make(&m, 3, 2, 1, 2, 24, 0);
    m.size = 1000;
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EFORMAT, "has 1000 bytes", "1024");
    mrc_make(&m, 3, 0, 1, 2, 24, 0);
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EFORMAT, "NX, NY, NZ, MODE are 3, 0, 1, 2", "1 or more");
    mrc_make(&m, 3, 2, -1, 2, 24, 1);
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EFORMAT, "are 3, 2, -1, 2");
    mrc_make(&m, 3, 2, 1, 5, 24, 0);
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EUNSUPPORTED, "MODE is 5", "101 are read");
    mrc_text(&m, 212, "\x01\x01");
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EFORMAT, "are 3, 2, 1, 5");
    mrc_make(&m, 3, 2, 1, 2002, 24, 0);
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EUNSUPPORTED, "MODE is 2002", "MRCZ");
    mrc_make(&m, INT32_MAX, INT32_MAX, INT32_MAX, 4, 24, 0);
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EFORMAT, "2147483647 x 2147483647 x 2147483647 of c32",
                "more bytes");
    mrc_make(&m, 100000, 100000, 1000, 2, 24, 0);
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EFORMAT, "40000000001024", "1048");
}

TEST(sizes_that_do_not_agree)
{
    tess_info_file info;
    double         got[6];
    mrc_make(&m, 3, 2, 1, 2, 23, 0);
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EFORMAT, "3 x 2 x 1 of f32", "1048", "1047");
    CHECK_OK(tess_info(&info, path, &(tess_read_opts){ .salvage = 1 }));
    CHECK(has_warning(&info, TESS_ODD_LENGTH, "read as 0"));
    CHECK_I64(read_numbers(got, 6, &(tess_read_opts){ .salvage = 1 }), 6);
    m.size += 5;
    CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
    CHECK(has_warning(&info, TESS_ODD_LENGTH, "4 more"));
    mrc_i32(&m, 92, -80);
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EFORMAT, "NSYMBT is -80", "1052");
    mrc_i32(&m, 92, 100);
    CHECK_FAILS(tess_info(&info, save("x.mrc"), NULL), TESS_EFORMAT, "NSYMBT is 100", "1052");
}

TEST(stamps_and_names_that_are_missing)
{
    static const unsigned char stamps[][4] = {
        { 0x44, 0x41, 0, 0 }, { 0x44, 0, 0, 0 }, { 0, 0, 0, 0 }, { 7, 7, 7, 7 }
    };
    tess_info_file info;
    double         got[6];
    for (int big = 0; big < 2; big++)
        for (int k = 0; k < 4; k++) {
            mrc_make(&m, 3, 2, 1, 1, 12, big);
            memcpy(m.bytes + 212, stamps[k], 4);
            for (int i = 0; i < 6; i++) mrc_i16(&m, 1024 + 2 * i, i - 3);
            CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
            CHECK(has_warning(&info, TESS_ODD_BYTE_ORDER, big ? "read as big-endian" : "read as little-endian") ==
                  (k > 0 || big));
            (void)read_numbers(got, 6, NULL);
            for (int i = 0; i < 6; i++) CHECK(got[i] == i - 3);
        }
    mrc_make(&m, 3, 2, 1, 1, 12, 0);
    mrc_text(&m, 208, "MAP");
    m.bytes[211] = 0;
    CHECK_OK(tess_info(&info, save("x.mrc"), NULL));
    CHECK_I64(info.n_warnings, 0);
    memset(m.bytes + 208, 0, 8); /* from before the year 2000 */
    CHECK_OK(tess_info(&info, save("old.dat"), NULL));
    CHECK(info.format == TESS_FORMAT_MRC && has_warning(&info, TESS_ODD_MAP, "instead of 'MAP '"));
    memset(m.bytes, 0, 1024);
    CHECK_FAILS(tess_info(&info, save("zeros.mrc"), NULL), TESS_EFORMAT,
                "is not a mrc file, nor of any other known format");
}
