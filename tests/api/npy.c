/* NPY files: what the library makes of headers, and what it says of bad ones. tests/oracle/npy.py compares with NumPy. */
#include <stdlib.h>

#include "io/codec/compression.h"
#include "support/arrays.h"
#include "support/folder.h"

/* A file of this header and n bytes of data, which count up. */
static const char *npy(const char *text, long n)
{
    static unsigned char bytes[70000];
    const long           length = (long)strlen(text);
    memcpy(bytes, "\x93NUMPY\1\0", 8);
    bytes[8] = (unsigned char)(length & 255), bytes[9] = (unsigned char)(length >> 8);
    memcpy(bytes + 10, text, (size_t)length);
    for (long i = 0; i < n; i++) bytes[10 + length + i] = (unsigned char)i;
    put_file("x.npy", bytes, 10 + length + n);
    return in_folder("x.npy");
}

#define HEADER(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }\n"

static tess_status look(const char *text, long n)
{
    tess_info_file info;
    return tess_info(&info, npy(text, n), NULL);
}

TEST(rank_3_is_a_volume_unless_the_caller_says_otherwise)
{
    const char    *path = npy(HEADER("|u1", "False", "(6, 4, 5)"), 120);
    tess_info_file info;
    CHECK_OK(tess_info(&info, path, NULL));
    CHECK_DIMS(info.shape, 1, 6, 4, 5);
    CHECK(info.sections == TESS_AS_VOLUME && info.sections_rule == 7 && info.dtype == TESS_U8 && info.mode == -1);
    CHECK(info.data_offset == info.file_size - 120 && info.n_warnings == 0 && info.format == TESS_FORMAT_NPY);
    CHECK_OK(tess_info(&info, path, &(tess_read_opts){ .as = TESS_AS_STACK }));
    CHECK_DIMS(info.shape, 6, 1, 4, 5);
    CHECK(info.sections == TESS_AS_STACK && info.sections_rule == 1);
    CHECK_OK(tess_info(&info, path, &(tess_read_opts){ .as = TESS_AS_VOLUMES, .depth = 3 }));
    CHECK_DIMS(info.shape, 2, 3, 4, 5);
    CHECK_FAILS(tess_info(&info, path, &(tess_read_opts){ .as = TESS_AS_VOLUMES, .depth = 4 }), TESS_EARG, "x.npy",
                "opts->depth is 4", "6 sections");
}

TEST(fewer_axes_are_right_aligned)
{
    tess_info_file info;
    CHECK_OK(tess_info(&info, npy(HEADER("<f4", "False", "()"), 4), NULL));
    CHECK_DIMS(info.shape, 1, 1, 1, 1);
    CHECK_OK(tess_info(&info, npy(HEADER("<f4", "False", "(5,)"), 20), NULL));
    CHECK_DIMS(info.shape, 1, 1, 1, 5);
    CHECK_OK(tess_info(&info, npy(HEADER(">f4", "True", "(3, 5)"), 60), NULL));
    CHECK_DIMS(info.shape, 1, 1, 3, 5);
    CHECK(info.big_endian == 1);
    CHECK_OK(tess_info(&info, npy(HEADER("<f4", "False", "(0, 7)"), 0), NULL));
    CHECK_DIMS(info.shape, 1, 1, 0, 7);
}

TEST(fortran_order_is_a_view)
{
    tess_file *file = NULL;
    tess_array a = { 0 };
    uint8_t    value = 0;
    CHECK_OK(tess_open(&file, npy(HEADER("|u1", "True", "(2, 3, 4, 5)"), 120), NULL));
    CHECK_OK(tess_file_map(&a, file));
    CHECK_DIMS(a.shape, 2, 3, 4, 5);
    CHECK_DIMS(a.strides, 1, 2, 6, 24);
    value = TESS_AT(uint8_t, a, 1, 2, 3, 4);
    CHECK_I64(value, 1 + 2 * 2 + 3 * 6 + 4 * 24);
    tess_release(&a);
    tess_file_close(file);
    CHECK_FAILS(tess_open(&file, in_folder("x.npy"), &(tess_read_opts){ .as = TESS_AS_STACK }), TESS_EUNSUPPORTED,
                "Fortran order", "opts->as");
}

TEST(types_that_are_not_supported)
{
    CHECK_FAILS(look(HEADER("|O", "False", "(2,)"), 16), TESS_EUNSUPPORTED, "x.npy", "descr is '|O'");
    CHECK_FAILS(look(HEADER("<U7", "False", "(2,)"), 56), TESS_EUNSUPPORTED, "descr is '<U7'");
    CHECK_FAILS(look(HEADER("<f16", "False", "(2,)"), 32), TESS_EUNSUPPORTED, "descr is '<f16'");
    CHECK_FAILS(look("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", 8), TESS_EUNSUPPORTED,
                "structured");
    CHECK_FAILS(look(HEADER("<f4", "False", "(1, 1, 1, 1, 2)"), 8), TESS_EUNSUPPORTED, "5 axes");
    CHECK_FAILS(look(HEADER("<q9", "False", "(2,)"), 18), TESS_EFORMAT, "descr is '<q9'", "not an element type");
}

TEST(bad_headers_name_the_byte)
{
    CHECK_FAILS(look(HEADER("<f4", "False", "(2, -3)"), 24), TESS_EFORMAT, "byte 64", "negative size");
    CHECK_FAILS(look(HEADER("<f4", "Maybe", "(2, 3)"), 24), TESS_EFORMAT, "byte 44", "neither True nor False");
    CHECK_FAILS(look(HEADER("<f4", "False", "(6)"), 24), TESS_EFORMAT, "(5,) needs its comma");
    CHECK_FAILS(look(HEADER("<f4", "False", "(99999999999999999999,)"), 24), TESS_EFORMAT, "beyond 2^63");
    CHECK_FAILS(look(HEADER("<f4", "False", "(4294967296, 4294967296)"), 24), TESS_EFORMAT, "2^60 bytes");
    CHECK_FAILS(look("{'descr': '<f4', 'fortran_order': False}", 24), TESS_EFORMAT, "no 'shape'");
    CHECK_FAILS(look("{'descr': '<f4', 'more': False}", 24), TESS_EFORMAT, "key 'more'");
    CHECK_FAILS(look("{'descr': '<f4", 24), TESS_EFORMAT, "unterminated");
    CHECK_FAILS(look(HEADER("<f4", "False", "(2, 3)") "x", 24), TESS_EFORMAT, "after the dict");
    put_file("v.npy", "\x93NUMPY\x09\0\x10\0{}", 12);
    tess_info_file info;
    CHECK_FAILS(tess_info(&info, in_folder("v.npy"), NULL), TESS_EUNSUPPORTED, "NPY version 9.0");
    put_file("v.npy", "\x93NUMPY\x02\0\xff\xff\xff\xff{}", 14);
    CHECK_FAILS(tess_info(&info, in_folder("v.npy"), NULL), TESS_EFORMAT, "4294967307 bytes", "the file has 14");
    put_file("v.npy", "\x93NUMPY\x01", 7);
    CHECK_FAILS(tess_info(&info, in_folder("v.npy"), NULL), TESS_EFORMAT, "ends at byte 7");
}

TEST(files_of_another_length)
{
    tess_array     a = { 0 };
    tess_info_file info;
    const char    *path = npy(HEADER("<i2", "False", "(2, 3)"), 10);
    CHECK_FAILS(tess_read(&a, path, NULL), TESS_EFORMAT, "1 x 1 x 2 x 3 of i16", "salvage");
    CHECK_OK(tess_read(&a, path, &(tess_read_opts){ .salvage = 1 }));
    CHECK_I64(TESS_AT(int16_t, a, 0, 0, 1, 2), 0);
    CHECK_I64(TESS_AT(int16_t, a, 0, 0, 1, 1), 0x0908);
    tess_release(&a);
    CHECK_OK(tess_info(&info, npy(HEADER("<i2", "False", "(2, 3)"), 14), NULL));
    CHECK(info.n_warnings == 1 && info.warnings[0].code == TESS_ODD_LENGTH);
}

TEST(written_files_are_those_of_numpy)
{
    static const char wanted[] = "{'descr': '<i2', 'fortran_order': False, 'shape': (1, 1, 2, 3), }";
    tess_array        a = { 0 }, b = { 0 };
    char              bytes[256] = "";
    CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 1, 2, 3), TESS_I16, tess_cpu(), 5, 1));
    CHECK_OK(tess_write(in_folder("w.npy"), &a, NULL));
    CHECK_I64(get_file("w.npy", bytes, sizeof bytes), 128 + 12);
    CHECK(memcmp(bytes, "\x93NUMPY\1\0\x76\0", 10) == 0 && memcmp(bytes + 10, wanted, sizeof wanted - 1) == 0);
    CHECK(bytes[126] == ' ' && bytes[127] == '\n' && bytes[128] == 5 && bytes[129] == 0);
    CHECK_OK(tess_write(in_folder("w.npy.gz"), &a, &(tess_write_opts){ .big_endian = 1, .dtype = TESS_F64 }));
    CHECK_OK(tess_read(&b, in_folder("w.npy.gz"), NULL));
    CHECK(b.dtype == TESS_F64 && TESS_AT(double, b, 0, 0, 1, 2) == 10);
    tess_release(&a), tess_release(&b);
}

TEST(written_files_have_as_many_axes_as_asked_for)
{
    tess_array     a = { 0 };
    tess_info_file info;
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), TESS_F32, tess_cpu()));
    for (int rank = 0; rank <= 4; rank++) {
        if (rank == 1) continue;
        const tess_write_opts opts = { .overwrite = 1, .rank = rank };
        CHECK_OK(tess_write(in_folder("r.npy"), &a, &opts));
        CHECK_OK(tess_info(&info, in_folder("r.npy"), NULL));
        CHECK_I64(info.rank, rank ? rank : 4);
        CHECK_DIMS(info.shape, 1, 1, 2, 3);
    }
    CHECK_FAILS(tess_write(in_folder("r1.npy"), &a, &(tess_write_opts){ .rank = 1 }), TESS_ESHAPE, "opts->rank is 1",
                "{1,1,2,3}", "expected 2 or more");
    CHECK_FAILS(tess_write(in_folder("r1.npz"), &a, &(tess_write_opts){ .rank = 1 }), TESS_ESHAPE, "opts->rank is 1");
    CHECK_FAILS(tess_write(in_folder("r5.npy"), &a, &(tess_write_opts){ .rank = 5 }), TESS_ERANGE, "rank is 5");
    CHECK_OK(tess_write(in_folder("r.mrc"), &a, NULL));
    CHECK_OK(tess_info(&info, in_folder("r.mrc"), NULL));
    CHECK_I64(info.rank, -1);
    tess_release(&a);
}

TEST(types_that_numpy_has_not)
{
    tess_array a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 2, 3), TESS_C16, tess_cpu()));
    const int before = count_files();
    CHECK_FAILS(tess_write(in_folder("c16.npy"), &a, NULL), TESS_EUNSUPPORTED, "c16.npy", "element type for c16",
                "choose a dtype");
    CHECK_FAILS(tess_write(in_folder("c16.npz"), &a, NULL), TESS_EUNSUPPORTED, "c16.npz", "element type for c16");
    CHECK_I64(count_files(), before);
    CHECK_OK(tess_write(in_folder("c16.npy"), &a, &(tess_write_opts){ .dtype = TESS_C32 }));
    tess_release(&a);
}

TEST(sizes_that_a_compressed_file_cannot_hold)
{
    static const char    text[] = HEADER("<f4", "False", "(4, 32768, 32768)");
    static unsigned char bytes[70000], stream[71000];
    tess_info_file       info;
    if (!tess__has_codec(TESS_COMPRESSION_GZIP)) return;
    (void)npy(text, 60000);
    const long n = get_file("x.npy", bytes, sizeof bytes);
    tess__gzip_stored(stream, bytes, n);
    put_file("lies.npy.gz", stream, (long)tess__gzip_stored_size(n));
    CHECK_FAILS(tess_info(&info, in_folder("lies.npy.gz"), NULL), TESS_EFORMAT, "lies.npy.gz", "4 x 32768 x 32768",
                "compressed bytes cannot hold them");
}
