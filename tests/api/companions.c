/* Tilt angles, transforms and mdoc files. */
#include <math.h>

#include "support/arrays.h"
#include "support/folder.h"
#include "support/hooks.h"

static const char *file(const char *name, const char *text)
{
    put_file(name, text, (long)strlen(text));
    return in_folder(name);
}

static const char *text_of(const char *name)
{
    static char text[4096];
    memset(text, 0, sizeof text);
    (void)get_file(name, text, sizeof text - 1);
    return text;
}

TEST(angles_are_read)
{
    tess_array a = { 0 }, b = { 0 };
    CHECK_OK(tess_tilts_read(&a, file("x.rawtlt", "  -60.00\n-57.5\r\n\n0\n 1.5e1"), 4));
    CHECK_DIMS(a.shape, 4, 1, 1, 1);
    CHECK(a.dtype == TESS_F64 && TESS_AT(double, a, 1, 0, 0, 0) == -57.5 && TESS_AT(double, a, 3, 0, 0, 0) == 15);
    CHECK_OK(tess_empty(&b, TESS_SHAPE(4, 1, 1, 1), TESS_F32, tess_cpu()));
    CHECK_OK(tess_tilts_read(&b, in_folder("x.rawtlt"), 0));
    CHECK(TESS_AT(float, b, 0, 0, 0, 0) == -60);
    CHECK_FAILS(tess_tilts_read(&b, in_folder("x.rawtlt"), 5), TESS_EARG, "x.rawtlt has 4 lines", "5 images");
    tess_release(&a), tess_release(&b);
    CHECK_FAILS(tess_tilts_read(&a, file("bad.tlt", "1\n2 3\n"), 0), TESS_EFORMAT, "bad.tlt", "line 2 has 2 numbers");
    CHECK_FAILS(tess_tilts_read(&a, file("bad.tlt", "1 2\n2 3\n4\n"), 0), TESS_EFORMAT, "line 3 has 1 numbers",
                "the lines before have 2");
    CHECK_FAILS(tess_tilts_read(&a, file("bad.tlt", "1 2 3\n"), 0), TESS_EFORMAT, "line 1 has 3 numbers",
                "expected 1 or one more");
    CHECK_FAILS(tess_tilts_read(&a, file("bad.tlt", "1 x\n"), 0), TESS_EFORMAT, "line 1", "\"x\" is not a number");
    CHECK_FAILS(tess_tilts_read(&a, file("bad.tlt", "1\nx2\n"), 0), TESS_EFORMAT, "line 2", "\"x2\" is not a number");
    CHECK_FAILS(tess_tilts_read(&a, in_folder("none.tlt"), 0), TESS_EIO, "tilts_read: ", "none.tlt");
    CHECK_OK(tess_tilts_read(&a, file("empty.tlt", ""), 0));
    CHECK_DIMS(a.shape, 0, 1, 1, 1);
    tess_release(&a);
}

TEST(a_second_column_is_left_out)
{
    tess_array a = { 0 };
    CHECK_OK(tess_tilts_read(&a, file("dose.rawtlt", "-60.0  3.1\n 0.5\t6.2\n\n60 9.3\n"), 3));
    CHECK_DIMS(a.shape, 3, 1, 1, 1);
    CHECK(TESS_AT(double, a, 0, 0, 0, 0) == -60 && TESS_AT(double, a, 1, 0, 0, 0) == 0.5);
    CHECK(TESS_AT(double, a, 2, 0, 0, 0) == 60);
    tess_release(&a);
}

TEST(a_byte_order_mark_is_left_out)
{
    tess_array a = { 0 };
    tess_mdoc *mdoc = NULL;
    CHECK_OK(tess_tilts_read(&a, file("mark.tlt", "\xef\xbb\xbf-60\r\n3\r\n"), 2));
    CHECK(TESS_AT(double, a, 0, 0, 0, 0) == -60 && TESS_AT(double, a, 1, 0, 0, 0) == 3);
    tess_release(&a);
    CHECK_OK(tess_tilts_read(&a, file("mark.tlt", "\xef\xbb\xbf"), 0));
    CHECK_DIMS(a.shape, 0, 1, 1, 1);
    tess_release(&a);
    CHECK_OK(tess_xf_read(&a,
                          file("mark.xf", "\xef\xbb\xbf"
                                          "1 0 0 1 5 6\n"),
                          1));
    CHECK(TESS_AT(tess_mat23_f64, a, 0, 0, 0, 0).at[5] == 5);
    tess_release(&a);
    CHECK_OK(tess_mdoc_read(&mdoc, file("mark.mdoc", "\xef\xbb\xbf"
                                                     "PixelSpacing = 2\n")));
    CHECK_TEXT(tess_mdoc_get(mdoc, TESS_MDOC_GLOBAL, "PixelSpacing"), "2");
    tess_mdoc_free(mdoc);
    CHECK_FAILS(tess_tilts_read(&a, file("mark.tlt", "\xef\xbb"), 0), TESS_EFORMAT,
                "is not a number"); /* half a mark */
    CHECK_FAILS(tess_tilts_read(&a,
                                file("mark.tlt", "1\n\xef\xbb\xbf"
                                                 "2\n"),
                                0),
                TESS_EFORMAT, "line 2", "is not a number");
}

TEST(angles_come_back_equal)
{
    tess_array a = { 0 }, b = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(500, 1, 1, 1), TESS_F64, tess_cpu()));
    for (int i = 0; i < 500; i++) TESS_AT(double, a, i, 0, 0, 0) = 180 * (test_random_unit() - 0.5);
    CHECK_OK(tess_tilts_write(in_folder("y.tlt"), &a, NULL));
    CHECK_OK(tess_tilts_read(&b, in_folder("y.tlt"), 500));
    CHECK(memcmp(a.data, b.data, 500 * sizeof(double)) == 0);
    CHECK_FAILS(tess_tilts_write(in_folder("y.tlt"), &a, NULL), TESS_EEXIST, "tilts_write: ", "y.tlt");
    tess_release(&a), tess_release(&b);
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 2), TESS_C32, tess_cpu()));
    CHECK_FAILS(tess_tilts_write(in_folder("z.tlt"), &a, NULL), TESS_EDTYPE, "c32");
    tess_release(&a);
}

TEST(transforms_change_the_order_of_axes)
{
    tess_array a = { 0 };
    CHECK_OK(tess_xf_read(&a, file("x.xf", "   1.5  0.2  -0.3  0.9   10.25   -4.5\n1 0 0 1 0 0\n"), 2));
    CHECK(a.dtype == TESS_MAT23_F64);
    const tess_mat23_f64 m = TESS_AT(tess_mat23_f64, a, 0, 0, 0, 0);
    const double         x = 3, y = -7; /* x' = a11 x + a12 y + dx */
    CHECK(m.at[3] * y + m.at[4] * x + m.at[5] == 1.5 * x + 0.2 * y + 10.25);
    CHECK(m.at[0] * y + m.at[1] * x + m.at[2] == -0.3 * x + 0.9 * y - 4.5);
    CHECK_OK(tess_xf_write(in_folder("y.xf"), &a, NULL));
    CHECK_TEXT(text_of("y.xf"), "1.5 0.2 -0.3 0.9 10.25 -4.5\n1 0 0 1 0 0\n");
    CHECK_FAILS(tess_xf_read(&a, in_folder("x.xf"), 3), TESS_EARG, "x.xf has 2 lines", "3 images");
    tess_release(&a);
    CHECK_FAILS(tess_xf_read(&a, file("bad.xf", "1 0 0 1 0\n"), 0), TESS_EFORMAT, "line 1 has 5 numbers", "expected 6");
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 2), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_xf_write(in_folder("z.xf"), &a, NULL), TESS_EDTYPE, "f32", "mat23_f64");
    const tess_array far = {
        .shape = a.shape, .strides = a.strides, .data = a.data, .dtype = TESS_F32, .device = tess_gpu(0)
    };
    CHECK_FAILS(tess_tilts_write(in_folder("z.tlt"), &far, NULL), TESS_EDEVICE, "tilts_write: in is on gpu:0",
                "tess_to_device");
    tess_array matrices = far;
    matrices.dtype = TESS_MAT23_F32;
    CHECK_FAILS(tess_xf_write(in_folder("z.xf"), &matrices, NULL), TESS_EDEVICE, "xf_write: in is on gpu:0",
                "tess_to_device");
    tess_release(&a);
}

/* ---- mdoc ---- */

static const char series[] = "PixelSpacing = 1.72\n"
                             "ImageFile = TS_01.mrc\r\n"
                             "\n"
                             "[T = SerialEM: Acquired on Krios = yes]\n"
                             "\n"
                             "[ZValue = 0]\n"
                             "TiltAngle = 0.001\n"
                             "StagePosition = 12.5 -3\n"
                             "SubFramePath = D:\\Frames\\TS_01 = 000.tif\n"
                             "Empty =\n"
                             "\n"
                             "[ZValue = 1]\n"
                             "TiltAngle = abc\n";

TEST(mdoc_sections_and_keys)
{
    tess_mdoc *m = NULL;
    double     numbers[3];
    int        found = 0;
    CHECK_OK(tess_mdoc_read(&m, file("x.mdoc", series)));
    CHECK_I64(tess_mdoc_sections(m), 3);
    CHECK_TEXT(tess_mdoc_get(m, TESS_MDOC_GLOBAL, "ImageFile"), "TS_01.mrc");
    CHECK_TEXT(tess_mdoc_kind(m, 0), "T");
    CHECK_TEXT(tess_mdoc_title(m, 0), "SerialEM: Acquired on Krios = yes");
    CHECK_I64(tess_mdoc_find(m, 0), 1);
    CHECK_I64(tess_mdoc_find(m, 1), 2);
    CHECK_I64(tess_mdoc_find(m, 2), -1);
    CHECK_TEXT(tess_mdoc_get(m, 1, "SubFramePath"), "D:\\Frames\\TS_01 = 000.tif");
    CHECK_TEXT(tess_mdoc_get(m, 1, "Empty"), "");
    CHECK(tess_mdoc_get(m, 1, "PixelSpacing") == NULL && tess_mdoc_get(m, 3, "TiltAngle") == NULL);
    CHECK_TEXT(tess_mdoc_key(m, 1, 1), "StagePosition");
    CHECK_TEXT(tess_mdoc_value(m, 1, 1), "12.5 -3");
    CHECK(tess_mdoc_key(m, 1, 4) == NULL && tess_mdoc_kind(m, TESS_MDOC_GLOBAL) == NULL);
    CHECK_OK(tess_mdoc_numbers(numbers, 3, &found, m, 1, "StagePosition"));
    CHECK(found == 2 && numbers[0] == 12.5 && numbers[1] == -3);
    CHECK_FAILS(tess_mdoc_numbers(numbers, 3, &found, m, 2, "TiltAngle"), TESS_EFORMAT, "x.mdoc", "TiltAngle", "abc");
    CHECK_FAILS(tess_mdoc_numbers(numbers, 3, &found, m, 2, "Dose"), TESS_EARG, "section 2 has no key Dose");
    tess_mdoc_free(m);
    tess_mdoc_free(NULL);
}

TEST(mdoc_is_changed_and_written)
{
    tess_mdoc *m = NULL;
    int64_t    section = 0;
    CHECK_OK(tess_mdoc_parse(&m, series, (int64_t)strlen(series), "x.mdoc"));
    CHECK_OK(tess_mdoc_set(m, 2, "TiltAngle", "3"));
    CHECK_OK(tess_mdoc_set(m, 2, "TiltAngle", "4"));
    CHECK_OK(tess_mdoc_set(m, TESS_MDOC_GLOBAL, "Voltage", "300"));
    CHECK_OK(tess_mdoc_add(&section, m, "ZValue", "2"));
    CHECK_I64(section, 3);
    CHECK_OK(tess_mdoc_set(m, section, "TiltAngle", "6"));
    CHECK_OK(tess_mdoc_write(in_folder("y.mdoc"), m, NULL));
    CHECK_TEXT(text_of("y.mdoc"), "PixelSpacing = 1.72\nImageFile = TS_01.mrc\nVoltage = 300\n\n"
                                  "[T = SerialEM: Acquired on Krios = yes]\n\n"
                                  "[ZValue = 0]\nTiltAngle = 0.001\nStagePosition = 12.5 -3\n"
                                  "SubFramePath = D:\\Frames\\TS_01 = 000.tif\nEmpty = \n\n"
                                  "[ZValue = 1]\nTiltAngle = 4\n\n[ZValue = 2]\nTiltAngle = 6\n");
    CHECK_FAILS(tess_mdoc_write(in_folder("y.mdoc"), m, NULL), TESS_EEXIST, "mdoc_write: ", "y.mdoc");
    CHECK_FAILS(tess_mdoc_set(m, 9, "a", "b"), TESS_ERANGE, "section is 9");
    CHECK_FAILS(tess_mdoc_set(m, 0, "a = b", "b"), TESS_EARG, "key is \"a = b\"");
    CHECK_FAILS(tess_mdoc_set(m, 0, "a", " b"), TESS_EARG, "value is \" b\"");
    CHECK_FAILS(tess_mdoc_set(m, 0, "a", "b\nc"), TESS_EARG, "line breaks");
    CHECK_FAILS(tess_mdoc_add(&section, m, "", "b"), TESS_EARG, "expected a name");
    tess_mdoc_free(m);
}

/* A byte order mark that is not at the beginning of a file belongs to the text. */
TEST(a_key_that_begins_with_a_mark_comes_back)
{
    static const char key[] = "\xef\xbb\xbfKey";
    tess_mdoc        *m = NULL, *again = NULL;
    char              text[40];
    (void)snprintf(text, sizeof text, "\n%s = 1\n", key);
    CHECK_OK(tess_mdoc_parse(&m, text, (int64_t)strlen(text), "x.mdoc"));
    CHECK_TEXT(tess_mdoc_get(m, TESS_MDOC_GLOBAL, key), "1");
    CHECK_OK(tess_mdoc_write(in_folder("mark.mdoc"), m, &(tess_sidecar_opts){ .overwrite = 1 }));
    CHECK_OK(tess_mdoc_read(&again, in_folder("mark.mdoc")));
    CHECK_TEXT(tess_mdoc_get(again, TESS_MDOC_GLOBAL, key), "1");
    tess_mdoc_free(m);
    tess_mdoc_free(again);
}

static tess_status refuse(const char *text)
{
    tess_mdoc *m = NULL;
    return tess_mdoc_parse(&m, text, (int64_t)strlen(text), "t.mdoc");
}

TEST(bad_mdoc_lines)
{
    CHECK_FAILS(refuse("a = 1\nno value\n"), TESS_EFORMAT, "mdoc_parse: t.mdoc: line 2", "\"no value\"");
    CHECK_FAILS(refuse("[ZValue = 0\n"), TESS_EFORMAT, "line 1", "no ] at its end");
    CHECK_FAILS(refuse("[ZValue]\n"), TESS_EFORMAT, "line 1", "[ZValue] has no =");
    CHECK_FAILS(refuse(" = 5\n"), TESS_EFORMAT, "line 1");
}

static hooks h;

static tess_status scenario(void)
{
    tess_mdoc              *m = NULL;
    tess_array              a = { 0 }, b = { 0 };
    int64_t                 section;
    tess_status             status = TESS_OK;
    const tess_sidecar_opts over = { .overwrite = 1 };
    TESS_GOTO(done, status, tess_mdoc_parse(&m, series, (int64_t)strlen(series), "x.mdoc"));
    TESS_GOTO(done, status, tess_mdoc_add(&section, m, "ZValue", "2"));
    TESS_GOTO(done, status, tess_mdoc_set(m, section, "TiltAngle", "6"));
    TESS_GOTO(done, status, tess_mdoc_set(m, section, "TiltAngle", "7"));
    TESS_GOTO(done, status, tess_mdoc_write(in_folder("f.mdoc"), m, &over));
    TESS_GOTO(done, status, tess_xf_read(&a, in_folder("x.xf"), 0));
    TESS_GOTO(done, status, tess_xf_write(in_folder("f.xf"), &a, &over));
    TESS_GOTO(done, status, tess_tilts_read(&b, in_folder("x.rawtlt"), 0));
    TESS_GOTO(done, status, tess_tilts_write(in_folder("f.tlt"), &b, &over));
done:
    tess_mdoc_free(m);
    tess_release(&a), tess_release(&b);
    return status;
}

TEST(every_allocation_fails)
{
    (void)file("x.xf", "1 0 0 1 0 0\n");
    (void)file("x.rawtlt", "1\n2\n");
    hooks_each_fails(&h, scenario, 20);
}
