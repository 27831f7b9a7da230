/* MRC files made by hand: modes, byte orders, flags, the rules of stacks and bytes, extended headers, bad input. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "support/mrc_bytes.h"
#include "support/test.h"

static mrc_bytes m;

/* ---- Files ---- */

static char folder[64], path[128];

/* The name of a file in a folder of this program's own, made when it is first asked for. */
static const char *in_folder(const char *name)
{
    if (!folder[0]) {
        (void)snprintf(folder, sizeof folder, "/tmp/tessera-mrc-XXXXXX");
        if (!mkdtemp(folder)) abort();
    }
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static const char *save(const char *name)
{
    FILE *file = fopen(in_folder(name), "wb");
    if (!file || fwrite(m.bytes, 1, (size_t)m.size, file) != (size_t)m.size || fclose(file) != 0) abort();
    return path;
}

static void load(void)
{
    FILE *file = fopen(path, "rb");
    if (!file) abort();
    m.size = (int64_t)fread(m.bytes, 1, sizeof m.bytes, file);
    (void)fclose(file);
}

__attribute__((destructor)) static void remove_folder(void)
{
    char command[100];
    (void)snprintf(command, sizeof command, "rm -rf %s", folder);
    if (folder[0] && system(command) != 0) abort();
}

static bool has_warning(const tess_file_info *info, tess_file_oddity code, const char *part)
{
    for (int i = 0; i < info->n_warnings; i++)
        if (info->warnings[i].code == (int32_t)code && strstr(info->warnings[i].text, part)) return true;
    return false;
}

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
            tess_file_info info;
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
    CHECK(tess_file_facts(file)->dtype == TESS_U8);
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
    tess_file_info info;
    mrc_make(&m, 2, 1, 1, 16, 6, 0);
    memcpy(m.bytes + 1024, "\xff\xff\xff\x00\xff\x00", 6);
    CHECK_FAILS(tess_info(&info, save("rgb.mrc"), NULL), TESS_EUNSUPPORTED, "MODE is 16", "opts->grey");
    double got[2] = { 0 };
    CHECK_I64(read_numbers(got, 2, &(tess_read_opts){ .grey = 1 }), 2);
    CHECK(got[0] == 255 && got[1] == 149);
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
            tess_file_info       info;
            CHECK_OK(tess_info(&info, save("bytes.mrc"), &opts));
            CHECK_I64(info.bytes_rule, rows[i].rule);
            CHECK(info.dtype == (rows[i].want < 0 ? TESS_I8 : TESS_U8));
            (void)read_numbers(&got, 1, &opts);
            if (got != rows[i].want) CHECK_I64((int64_t)got, rows[i].want);
        }
    tess_file_info info;
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
    tess_file_info info;
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
        tess_file_info info;
        CHECK_OK(tess_info(&info, save(rows[i].name), &(tess_read_opts){ .as = rows[i].as, .depth = rows[i].depth }));
        CHECK_DIMS(info.shape, rows[i].b, rows[i].d, rows[i].ny, rows[i].nx);
        CHECK_I64(info.sections_rule, rows[i].rule);
        CHECK_I64(info.sections, rows[i].sections);
        CHECK(has_warning(&info, TESS_ODD_SECTIONS, "--as volume") == rows[i].noted);
    }
}

TEST(sections_said_by_a_suffix_or_not_divisible)
{
    tess_file_info info;
    char           name[140];
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
    tess_file_info info;
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
    tess_file_info     info;
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

TEST(axes_are_put_in_order)
{
    tess_file_info info;
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
    tess_file_info info;
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
    tess_file_info info;
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
    tess_file_info info;
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
    tess_file_info info;
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
    tess_file_info info;
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
    tess_file_info info;
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
    CHECK(info.format == TESS_FORMAT_MRC && has_warning(&info, TESS_ODD_MAP, "'MAP ' is missing"));
    memset(m.bytes, 0, 1024);
    CHECK_FAILS(tess_info(&info, save("zeros.mrc"), NULL), TESS_EFORMAT, "format is not known");
}

/* ---- Extended headers ---- */

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
        tess_file             *file = open_saved("seri.st");
        tess_mrc_section_facts f;
        CHECK_OK(tess_mrc_section(&f, file, 2));
        CHECK_I64(f.known, TESS_MRC_TILT | TESS_MRC_PIECE | TESS_MRC_STAGE_XY | TESS_MRC_MAGNIFICATION |
                               TESS_MRC_INTENSITY | TESS_MRC_DOSE);
        CHECK(f.tilt == -54 && f.piece[0] == 20 && f.piece[1] == 20 && f.piece[2] == 2);
        CHECK(f.stage[0] == 10 && f.stage[1] == -498 / 25.0 && f.magnification == 64000 && f.intensity == 0.5);
        CHECK(f.dose == (40 * 256 + 7) * 4.0);
        CHECK_TEXT(tess_file_facts(file)->meta.extended_type, "SERI");
        CHECK_FAILS(tess_mrc_section(&f, file, 3), TESS_ERANGE, "section 3", "there are 3");
        tess_file_close(file);
    }
    /* Negative: s1 < 0 is the sign, s2 < 0 that of the power. */
    make_serial(0);
    mrc_i16(&m, 1024 + 16, -1);
    mrc_i16(&m, 1024 + 18, -(3 * 256 + 128));
    tess_file             *file = open_saved("seri.st");
    tess_mrc_section_facts f;
    CHECK_OK(tess_mrc_section(&f, file, 0));
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
    tess_meta meta = tess_file_facts(file)->meta;
    CHECK_OK(tess_file_read(&data, file, (tess_region){ .b = tess_from_to_step(2, TESS_NONE, -2) }));
    meta.extended = records.data;
    meta.extended_size = 40;
    tess_file_close(file);
    for (int big = 0; big < 2; big++) {
        const tess_write_opts opts = { .meta = &meta, .overwrite = 1, .big_endian = big };
        CHECK_OK(tess_write(in_folder("chosen.st"), &data, &opts));
        tess_mrc_section_facts f[2];
        CHECK_OK(tess_open(&file, path, NULL));
        for (int i = 0; i < 2; i++) CHECK_OK(tess_mrc_section(&f[i], file, i));
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
    tess_file             *file = open_saved("agar.st");
    tess_mrc_section_facts f;
    CHECK_OK(tess_mrc_section(&f, file, 1));
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
        tess_file             *file = open_saved("fei.mrc");
        tess_mrc_section_facts f;
        CHECK_OK(tess_mrc_section(&f, file, 0));
        CHECK(f.voltage == 300000 && fabs(f.dose - 2.5) < 1e-12 && f.tilt == -42.5 && f.tilt_axis == 85);
        CHECK(fabs(f.stage[0] - 10) < 1e-9 && fabs(f.stage[2] + 30) < 1e-9 && fabs(f.pixel_size[0] - 1.5) < 1e-9);
        CHECK(fabs(f.defocus + 3) < 1e-9 && f.magnification == 64000);
        CHECK_OK(tess_mrc_section(&f, file, 1));
        CHECK_I64(f.known, TESS_MRC_TILT | TESS_MRC_STAGE_XY);
        tess_file_close(file);
        mrc_i32(&m, 1024, 10); /* a size that cannot be */
        file = open_saved("fei.mrc");
        CHECK_OK(tess_mrc_section(&f, file, 1));
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
    tess_mrc_section_facts f;
    tess_array             records = { .data = NULL };
    const int64_t          zero = 0;
    mrc_make(&m, 2, 2, 1, 0, 80 + 4, 0);
    mrc_i32(&m, 92, 80);
    memset(m.bytes + 1024, ' ', 80);
    mrc_text(&m, 1024, "X, Y, Z");
    tess_file *file = open_saved("x.map");
    CHECK_TEXT(tess_file_facts(file)->meta.extended_type, "CCP4");
    CHECK_I64(tess_file_facts(file)->n_warnings, 0);
    CHECK_OK(tess_mrc_section(&f, file, 0));
    CHECK_I64(f.known, 0);
    CHECK_OK(tess_mrc_select_extended(&records, file, &zero, 1));
    CHECK_I64(records.shape.w, 80);
    CHECK(memcmp(records.data, "X, Y, Z ", 8) == 0);
    tess_release(&records);
    tess_file_close(file);
    m.bytes[1030] = 200;
    mrc_text(&m, 104, "WHAT");
    file = open_saved("x.map");
    CHECK(has_warning(tess_file_facts(file), TESS_ODD_EXTENDED, "'WHAT' is not known"));
    CHECK_I64(tess_file_facts(file)->meta.extended_size, 80);
    CHECK(memcmp(tess_file_facts(file)->meta.extended, m.bytes + 1024, 80) == 0);
    tess_file_close(file);
    CHECK_FAILS(tess_mrc_section(&f, NULL, 0), TESS_EARG, "file is NULL");
    CHECK_FAILS(tess_mrc_section(NULL, NULL, 0), TESS_EARG, "facts is NULL");
    CHECK_FAILS(tess_mrc_select_extended(&records, NULL, NULL, 0), TESS_EARG, "file is NULL");
}

/* ---- Writing ---- */

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
    CHECK_OK(tess_write(in_folder("written.mrc"), &a, &o));
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
    const char  *to = in_folder("refused.mrc");
    CHECK_FAILS(tess_create(&w, to, TESS_SHAPE(1, 1, 0, 4), TESS_F32, NULL), TESS_ESHAPE, "{1,1,0,4}",
                "1 to 2147483647");
    CHECK_FAILS(tess_create(&w, to, TESS_SHAPE(65536, 65536, 1, 1), TESS_I8, NULL), TESS_ESHAPE,
                "at most 2147483647 sections");
    CHECK_FAILS(tess_create(&w, to, TESS_SHAPE(1, 1, 2, 2), TESS_F32, &(tess_write_opts){ .dtype = TESS_I32 }),
                TESS_EDTYPE, "opts->dtype is i32", "i8, i16, u16, f16, f32 or c32");
    CHECK_FAILS(tess_create(&w, to, TESS_SHAPE(1, 1, 2, 2), TESS_F32, &(tess_write_opts){ .dtype = TESS_U8 }),
                TESS_EDTYPE, "opts->dtype is u8", "opts->bytes unsigned");
    CHECK_FAILS(
        tess_create(&w, to, TESS_SHAPE(1, 1, 2, 2), TESS_F32, &(tess_write_opts){ .bytes = TESS_BYTES_UNSIGNED }),
        TESS_EARG, "opts->bytes is unsigned", "f32");
    CHECK_FAILS(tess_create(&w, to, TESS_SHAPE(1, 1, 2, 2), TESS_MAT22_F32, NULL), TESS_EDTYPE, "mat22_f32", "numbers");
    CHECK(access(to, F_OK) != 0);
}

/* ---- Checking and editing ---- */

static bool finds(const tess_mrc_report *report, tess_mrc_fault code, const char *part)
{
    for (int i = 0; i < report->n_findings; i++)
        if (report->findings[i].code == (int32_t)code && strstr(report->findings[i].text, part)) return true;
    return false;
}

static void check_saved(tess_mrc_report *report) { CHECK_OK(tess_mrc_check(report, save("checked.mrc"), NULL)); }

TEST(a_good_file_has_no_findings)
{
    tess_mrc_report report;
    for (int big = 0; big < 2; big++) {
        mrc_make(&m, 3, 2, 1, 1, 12, big);
        for (int i = 0; i < 6; i++) mrc_i16(&m, 1024 + 2 * i, i);
        check_saved(&report);
        CHECK(report.n_findings == 0 && report.data_read == 1);
        CHECK(report.stats.min == 0 && report.stats.max == 5 && report.stats.mean == 2.5);
        CHECK(fabs(report.stats.std - sqrt(35.0 / 12)) < 1e-12);
    }
    CHECK_OK(tess_mrc_check(&report, path, &(tess_mrc_check_opts){ .header_only = 1 }));
    CHECK(report.data_read == 0 && report.stats.stats == 0);
}

TEST(each_rule_is_checked)
{
    static const struct {
        int            at;
        int64_t        value;
        tess_mrc_fault code;
        const char    *text;
        int            fixable;
    } rows[] = {
        { 208, 0, TESS_MRC_BAD_MAP, "in the place of 'MAP '", 1 },
        { 212, 0, TESS_MRC_BAD_STAMP, "machine stamp 00 00 00 00 of a little-endian file", 1 },
        { 12, 7, TESS_MRC_BAD_MODE, "mode 7 is none", 0 },
        { 0, -3, TESS_MRC_BAD_SIZE, "NX is -3", 0 },
        { 32, -3, TESS_MRC_BAD_GRID, "MY is -3", 1 },
        { 48, 0x7fc00000, TESS_MRC_BAD_CELL, "CELLA.z is nan", 1 },
        { 44, 0xbf800000, TESS_MRC_BAD_CELL, "CELLA.y is -1", 1 },
        { 200, 0x7f800000, TESS_MRC_BAD_ORIGIN, "ORIGIN of y is inf", 1 },
        { 64, 3, TESS_MRC_BAD_AXES, "axes are 3, 2, 3", 1 },
        { 88, 300, TESS_MRC_BAD_SPACE_GROUP, "space group is 300", 1 },
        { 108, 0, TESS_MRC_BAD_VERSION, "version of the format is 0", 1 },
        { 220, 1, TESS_MRC_BAD_LABELS, "number of labels is 1; 0", 1 },
        { 92, -1, TESS_MRC_BAD_EXTENDED, "extended header of -1 bytes", 1 },
        { 92, 100, TESS_MRC_BAD_EXTENDED, "extended header of 100 bytes", 1 },
        { 92, 4, TESS_MRC_BAD_EXTENDED, "type of the extended header is", 1 },
        { 92, 4, TESS_MRC_BAD_LENGTH, "need", 0 },
        { 216, 0x40000000, TESS_MRC_BAD_STATISTICS, "standard deviation of the header is 2; that of the data is 0", 1 },
        { 84, 0x40000000, TESS_MRC_BAD_STATISTICS, "mean of the header is 2", 1 },
        { 80, 0x40000000, TESS_MRC_BAD_STATISTICS, "maximum of the header is 2", 1 },
        { 1024, 0x7fc00000, TESS_MRC_NOT_FINITE, "1 values are not numbers, 0 are infinite", 0 },
        { 1028, 0xff800000, TESS_MRC_NOT_FINITE, "0 values are not numbers, 1 are infinite", 0 },
        { 12, 2001, TESS_MRC_NOT_READ, "MRCZ", 0 },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tess_mrc_report report;
        mrc_make(&m, 3, 2, 1, 2, 24, 0);
        mrc_i32(&m, rows[i].at, rows[i].value);
        check_saved(&report);
        if (!finds(&report, rows[i].code, rows[i].text))
            (void)test_failed(__FILE__, __LINE__, "no \"%s\", but \"%s\"", rows[i].text, report.findings[0].text);
        for (int k = 0; k < report.n_findings; k++)
            if (report.findings[k].code == (int32_t)rows[i].code)
                CHECK_I64(report.findings[k].fixable, rows[i].fixable);
    }
    tess_mrc_report report;
    mrc_make(&m, 3, 2, 6, 0, 36, 0);
    mrc_i32(&m, 88, 401);
    mrc_i32(&m, 36, 4);
    check_saved(&report);
    CHECK(finds(&report, TESS_MRC_BAD_SPACE_GROUP, "volumes of 4 sections cannot be 6"));
    mrc_make(&m, 3, 2, 6, 0, 36, 0);
    mrc_text(&m, 304, "second");
    mrc_i32(&m, 220, 1);
    m.size += 3;
    check_saved(&report);
    CHECK(finds(&report, TESS_MRC_BAD_LABELS, "empty labels come before") &&
          finds(&report, TESS_MRC_BAD_LENGTH, "3 more"));
    m.size = 500;
    check_saved(&report);
    CHECK(finds(&report, TESS_MRC_BAD_LENGTH, "500 bytes"));
    mrc_make(&m, 3, 2, 1, 16, 18, 0);
    check_saved(&report);
    CHECK(finds(&report, TESS_MRC_BAD_MODE, "IMOD's, for colours") && report.data_read == 1);
    CHECK_FAILS(tess_mrc_check(&report, in_folder("none.mrc"), NULL), TESS_EIO, "mrc_check: ", "none.mrc");
    CHECK_FAILS(tess_mrc_check(NULL, path, NULL), TESS_EARG, "report is NULL");
}

TEST(what_is_fixable_is_mended)
{
    static const struct {
        int     at;
        int64_t value;
    } rows[] = { { 208, 0 }, { 212, 0 },  { 32, -3 },  { 48, 0x7fc00000 },  { 200, 0x7f800000 },
                 { 64, 3 },  { 88, 300 }, { 88, 401 }, { 108, 0 },          { 220, 1 },
                 { 92, -1 }, { 92, 100 }, { 92, 4 },   { 216, 0x40000000 }, { 84, 0x40000000 } };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        tess_mrc_report report;
        mrc_make(&m, 3, 2, 6, 2, 144, 0);
        mrc_i32(&m, 36, 4);
        mrc_i32(&m, rows[i].at, rows[i].value);
        check_saved(&report);
        CHECK(report.n_findings > 0);
        CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .repair = 1 }));
        CHECK_OK(tess_mrc_check(&report, path, NULL));
        if (report.n_findings)
            (void)test_failed(__FILE__, __LINE__, "row %zu: \"%s\" is left", i, report.findings[0].text);
    }
    mrc_make(&m, 3, 2, 1, 2, 24 + 80, 0); /* an extended header without a type */
    mrc_i32(&m, 92, 80);
    memset(m.bytes + 1024, ' ', 80);
    save("checked.mrc");
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .repair = 1 }));
    load();
    CHECK(memcmp(m.bytes + 104, "CCP4", 4) == 0);
    mrc_i32(&m, 92, 1000);
    save("checked.mrc");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .repair = 1 }), TESS_EFORMAT, "NSYMBT is 1000", "1128");
}

TEST(headers_are_edited_where_they_stand)
{
    const double    size[3] = { 4, 3, 2 }, origin[3] = { 7, 8, 9 };
    tess_file_info  info;
    tess_mrc_report report;
    for (int big = 0; big < 2; big++) {
        mrc_make(&m, 3, 2, 6, 1, 72, big);
        for (int i = 0; i < 36; i++) mrc_i16(&m, 1024 + 2 * i, i);
        m.bytes[140] = 'x'; /* belongs to nobody, and stays */
        save("edited.mrc");
        CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .pixel_size = size,
                                                            .origin = origin,
                                                            .as = TESS_AS_VOLUMES,
                                                            .depth = 2,
                                                            .stats = 1,
                                                            .label = "edited" }));
        CHECK_OK(tess_info(&info, path, NULL));
        CHECK_DIMS(info.shape, 3, 2, 2, 3);
        CHECK(memcmp(info.meta.pixel_size, size, sizeof size) == 0 && info.meta.origin[0] == 7 && info.n_warnings == 0);
        CHECK(info.meta.stats == 7 && info.meta.max == 35 && info.meta.mean == 17.5 && info.big_endian == big);
        CHECK_TEXT(info.meta.labels[0], "edited");
        load();
        CHECK(m.bytes[140] == 'x' && m.size == 1024 + 72 && m.bytes[1024 + (big ? 3 : 2)] == 1);
        CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .as = TESS_AS_STACK }));
        CHECK_OK(tess_info(&info, path, NULL));
        CHECK(info.shape.b == 6 && info.grid[2] == 1 && info.meta.pixel_size[0] == 4);
        CHECK_OK(tess_mrc_check(&report, path, NULL));
        CHECK_I64(report.n_findings, 0);
    }
    mrc_make(&m, 2, 1, 1, 0, 2, 0);
    m.bytes[1024] = 200;
    save("edited.mrc");
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_UNSIGNED, .stats = 1 }));
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.dtype == TESS_U8 && info.bytes_rule == 2 && info.meta.max == 200);
    CHECK_OK(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_SIGNED, .stats = 1 }));
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.dtype == TESS_I8 && info.meta.min == -56);
}

TEST(edits_that_are_refused)
{
    const double   bad[3] = { 1, -2, 1 }, far[3] = { 1, 1, 1e300 };
    tess_file_info info;
    mrc_make(&m, 3, 2, 6, 1, 72, 0);
    save("edited.mrc");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .pixel_size = bad }), TESS_ERANGE,
                "pixel_size is -2 along y");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .origin = far }), TESS_ERANGE, "origin is 1e+300 along x");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .as = TESS_AS_VOLUMES, .depth = 4 }), TESS_EARG,
                "opts->depth is 4", "6 sections");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .depth = 4 }), TESS_EARG, "it is for volumes");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_IMOD }), TESS_EARG, "opts->bytes is 3");
    CHECK_FAILS(tess_mrc_edit(path, &(tess_mrc_edit_opts){ .bytes = TESS_BYTES_SIGNED }), TESS_EARG, "the mode is 1");
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK(info.n_warnings == 0 && info.shape.b == 6);
    m.size = 100;
    CHECK_FAILS(tess_mrc_edit(save("edited.mrc"), NULL), TESS_EFORMAT, "has 100 bytes");
    mrc_make(&m, 3, 0, 6, 1, 72, 0);
    CHECK_FAILS(tess_mrc_edit(save("edited.mrc"), NULL), TESS_EFORMAT, "are 3, 0, 6, 1");
    mrc_make(&m, 3, 2, 6, 1001, 72, 0);
    CHECK_FAILS(tess_mrc_edit(save("edited.mrc"), &(tess_mrc_edit_opts){ .repair = 1 }), TESS_EUNSUPPORTED, "MRCZ");
    CHECK_FAILS(tess_mrc_edit(in_folder("none.mrc"), NULL), TESS_EIO, "mrc_edit: ", "none.mrc");
    tess_array a = { .data = NULL };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 2), TESS_F32, tess_cpu()));
    CHECK_OK(tess_write(in_folder("x.mrc.gz"), &a, &(tess_write_opts){ .overwrite = 1 }));
    CHECK_FAILS(tess_mrc_edit(path, NULL), TESS_EUNSUPPORTED, "compressed");
    tess_release(&a);
}
