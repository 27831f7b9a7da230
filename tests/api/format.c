/* Arrays as text: layout, options, cutting, wrong arguments. tests/oracle/format.py compares the values with NumPy. */
#include <locale.h>
#include <math.h>
#include <time.h>

#include "support/test.h"

static char page[100000];

/* The text of an array; without a header if `opts` is NULL. */
static const char *text_of(const tess_array *a, const tess_format_opts *opts)
{
    const tess_format_opts plain = { .no_header = 1 };
    size_t                 length = 0;
    if (!CHECK_OK(tess_format(page, sizeof page, &length, a, opts ? opts : &plain))) return "failed";
    CHECK_I64((int64_t)strlen(page), (int64_t)length);
    return page;
}

/* The text of values in C order. */
static const char *text_of_values(const void *values, tess_shape shape, tess_dtype dtype)
{
    tess_array           a = { 0 };
    const tess_wrap_opts borrowed = { .read_only = 1 };
    if (!CHECK_OK(tess_wrap(&a, (void *)(uintptr_t)values, shape, dtype, &borrowed))) return "failed";
    return text_of(&a, NULL);
}

#define ROW_TEXT(DTYPE, type, ...)                                                                                     \
    text_of_values((const type[]){ __VA_ARGS__ },                                                                      \
                   TESS_SHAPE(1, 1, 1, (int64_t)(sizeof((const type[]){ __VA_ARGS__ }) / sizeof(type))), DTYPE)

static tess_array counting(tess_shape shape, tess_dtype dtype)
{
    tess_array a = { 0 };
    (void)CHECK_OK(tess_arange(&a, shape, dtype, tess_cpu(), 0, 1));
    return a;
}

TEST(leading_axes_of_size_1_get_no_brackets)
{
    tess_array row = counting(TESS_SHAPE(1, 1, 1, 5), TESS_F64), image = counting(TESS_SHAPE(1, 1, 2, 3), TESS_F32);
    tess_array column = counting(TESS_SHAPE(1, 1, 3, 1), TESS_I32), deep = counting(TESS_SHAPE(1, 2, 1, 2), TESS_U8);
    CHECK_TEXT(text_of(&row, NULL), "[0. 1. 2. 3. 4.]");
    CHECK_TEXT(text_of(&image, NULL), "[[0. 1. 2.]\n [3. 4. 5.]]");
    CHECK_TEXT(text_of(&column, NULL), "[[0]\n [1]\n [2]]");
    CHECK_TEXT(text_of(&deep, NULL), "[[[0 1]]\n\n [[2 3]]]");
    const tess_format_opts all = { .no_header = 1, .all_axes = 1 };
    CHECK_TEXT(text_of(&row, &all), "[[[[0. 1. 2. 3. 4.]]]]");
    tess_release(&row), tess_release(&image), tess_release(&column), tess_release(&deep);
}

TEST(commas_stand_where_numpys_repr_has_them)
{
    const tess_format_opts commas = { .no_header = 1, .commas = 1 };
    const tess_format_opts summary = { .no_header = 1, .commas = 1, .threshold = 5, .edge = 1 };
    const tess_format_opts narrow = { .no_header = 1, .commas = 1, .width = 12 };
    tess_array row = counting(TESS_SHAPE(1, 1, 1, 5), TESS_F64), image = counting(TESS_SHAPE(1, 1, 3, 3), TESS_F32);
    tess_array deep = counting(TESS_SHAPE(1, 2, 1, 2), TESS_U8);
    CHECK_TEXT(text_of(&row, &commas), "[0., 1., 2., 3., 4.]");
    CHECK_TEXT(text_of(&image, &commas), "[[0., 1., 2.],\n [3., 4., 5.],\n [6., 7., 8.]]");
    CHECK_TEXT(text_of(&deep, &commas), "[[[0, 1]],\n\n [[2, 3]]]");
    CHECK_TEXT(text_of(&image, &summary), "[[0., ..., 2.],\n ...,\n [6., ..., 8.]]");
    CHECK_TEXT(text_of(&row, &narrow), "[0., 1., 2.,\n 3., 4.]");
    tess_release(&row), tess_release(&image), tess_release(&deep);
}

TEST(one_element_and_none)
{
    tess_array one = { 0 }, none = { 0 };
    CHECK_OK(tess_full(&one, TESS_SHAPE(1, 1, 1, 1), TESS_F32, tess_cpu(), 5));
    CHECK_TEXT(text_of(&one, NULL), "[5.]");
    CHECK_OK(tess_zeros(&none, TESS_SHAPE(2, 0, 3, 4), TESS_F32, tess_cpu()));
    CHECK_TEXT(text_of(&none, NULL), "[]");
    CHECK_TEXT(text_of(&none, &(tess_format_opts){ 0 }), "f32 array, shape {2,0,3,4}, strides {12,12,4,1}, cpu\n[]");
    tess_release(&one), tess_release(&none);
}

TEST(header_tells_dtype_shape_strides_and_device)
{
    tess_array a = counting(TESS_SHAPE(1, 1, 2, 3), TESS_F32), turned;
    size_t     length;
    CHECK_OK(tess_format(page, sizeof page, &length, &a, NULL));
    CHECK_TEXT(page, "f32 array, shape {1,1,2,3}, strides {6,6,3,1}, cpu\n[[0. 1. 2.]\n [3. 4. 5.]]");
    CHECK_OK(tess_transpose(&turned, &a));
    CHECK_OK(tess_reverse(&turned, &turned, TESS_H));
    CHECK_OK(tess_format(page, sizeof page, NULL, &turned, NULL));
    CHECK_TEXT(page, "f32 array, shape {1,1,3,2}, strides {6,6,-1,3}, cpu\n[[2. 5.]\n [1. 4.]\n [0. 3.]]");
    tess_release(&a);
}

TEST(whole_numbers_of_every_size)
{
    CHECK_TEXT(ROW_TEXT(TESS_U64, uint64_t, UINT64_MAX, 0, 7),
               "[18446744073709551615                    0                    7]");
    CHECK_TEXT(ROW_TEXT(TESS_I64, int64_t, INT64_MIN, INT64_MAX), "[-9223372036854775808  9223372036854775807]");
    CHECK_TEXT(ROW_TEXT(TESS_I8, int8_t, -128, 5, 100), "[-128    5  100]");
    CHECK_TEXT(ROW_TEXT(TESS_BOOL, uint8_t, 1, 0, 1), "[ True False  True]");
}

TEST(floating_types_have_their_own_shortest_digits)
{
    const tess_f16 tenth = tess_f64_to_f16(0.1), largest = { 0x7bff };
    CHECK_TEXT(ROW_TEXT(TESS_F16, tess_f16, tenth), "[0.1]");
    CHECK_TEXT(ROW_TEXT(TESS_F16, tess_f16, largest), "[65504.]");
    CHECK_TEXT(ROW_TEXT(TESS_F32, float, 0.1f, 1.0f / 3), "[0.1        0.33333334]");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, 0.1, 1.0 / 3, -2), "[ 0.1         0.33333333 -2.        ]");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, (double)0.1f), "[0.1]");
    tess_array             a = { 0 };
    const tess_format_opts fine = { .no_header = 1, .precision = 17 };
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 1), TESS_F64, tess_cpu(), (double)0.1f));
    CHECK_TEXT(text_of(&a, &fine), "[0.10000000149011612]");
    tess_release(&a);
}

TEST(scientific_notation_when_numpy_takes_it)
{
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, 1e8, 1), "[1.e+08 1.e+00]");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, 99999999, 100000), "[99999999.   100000.]");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, 1e-4, 0.05), "[0.0001 0.05  ]");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, 9.9e-5, 0), "[9.9e-05 0.0e+00]");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, 1000, 1), "[1000.    1.]");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, -1001, 1), "[-1.001e+03  1.000e+00]");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, 5e-324, 1.7976931348623157e308), "[4.94065646e-324 1.79769313e+308]");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, 1e-100, 1), "[1.e-100 1.e+000]");
}

TEST(not_numbers_and_infinities)
{
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, NAN, 1.5, -INFINITY), "[ nan  1.5 -inf]");
    CHECK_TEXT(ROW_TEXT(TESS_F32, float, NAN, INFINITY), "[nan inf]");
    CHECK_TEXT(ROW_TEXT(TESS_F32, float, -0.0f, 0.0f), "[-0.  0.]");
}

TEST(complex_numbers)
{
    const tess_c32 pair[2] = { { 1, 2 }, { -1.5f, -0.25f } };
    const tess_c64 strange[2] = { { NAN, 1 }, { INFINITY, -INFINITY } };
    const tess_c16 half[1] = { { tess_f64_to_f16(0.1), tess_f64_to_f16(-3) } };
    CHECK_TEXT(text_of_values(pair, TESS_SHAPE(1, 1, 1, 2), TESS_C32), "[ 1. +2.j   -1.5-0.25j]");
    CHECK_TEXT(text_of_values(pair, TESS_SHAPE(1, 1, 1, 1), TESS_C32), "[1.+2.j]");
    CHECK_TEXT(text_of_values(strange, TESS_SHAPE(1, 1, 1, 2), TESS_C64), "[nan +1.j inf-infj]");
    CHECK_TEXT(text_of_values(half, TESS_SHAPE(1, 1, 1, 1), TESS_C16), "[0.1-3.j]");
}

TEST(vectors_and_matrices_are_inner_brackets)
{
    const tess_vec3_f32  points[2] = { { { 0, 1, 2.5f } }, { { 3, 4, 5 } } };
    const tess_mat23_f64 maps[2] = { { { 1, 0, 0.5, 0, 1, -3 } }, { { 1, 2, 3, 4, 5, 6 } } };
    CHECK_TEXT(text_of_values(points, TESS_SHAPE(1, 1, 1, 2), TESS_VEC3_F32), "[[0.  1.  2.5]\n [3.  4.  5. ]]");
    CHECK_TEXT(text_of_values(points, TESS_SHAPE(1, 1, 1, 1), TESS_VEC3_F32), "[[0.  1.  2.5]]");
    CHECK_TEXT(text_of_values(maps, TESS_SHAPE(1, 1, 1, 2), TESS_MAT23_F64),
               "[[[ 1.   0.   0.5]\n  [ 0.   1.  -3. ]]\n\n [[ 1.   2.   3. ]\n  [ 4.   5.   6. ]]]");
    tess_array             many = { 0 };
    const tess_format_opts edge = { .no_header = 1, .threshold = 2, .edge = 1 };
    CHECK_OK(tess_zeros(&many, TESS_SHAPE(1, 1, 1, 5), TESS_VEC4_F32, tess_cpu()));
    CHECK_TEXT(text_of(&many, &edge), "[[0. 0. 0. 0.]\n ...\n [0. 0. 0. 0.]]");
    tess_release(&many);
}

TEST(long_rows_are_broken)
{
    tess_array             a = counting(TESS_SHAPE(1, 1, 2, 6), TESS_I32);
    const tess_format_opts narrow = { .no_header = 1, .width = 12 }, least = { .no_header = 1, .width = 1 };
    CHECK_TEXT(text_of(&a, &narrow), "[[ 0  1  2\n   3  4  5]\n [ 6  7  8\n   9 10 11]]");
    CHECK_OK(tess_slice(&a, &a, 3, 0, 2, 1));
    CHECK_TEXT(text_of(&a, &least), "[[0\n  1]\n [6\n  7]]");
    tess_release(&a);
}

TEST(summaries)
{
    tess_array             row = counting(TESS_SHAPE(1, 1, 1, 1001), TESS_I32), image, tall;
    const tess_format_opts few = { .no_header = 1, .threshold = 10, .edge = 1 };
    CHECK_TEXT(text_of(&row, NULL), "[   0    1    2 ...  998  999 1000]");
    CHECK_OK(tess_slice(&row, &row, 3, 0, 12, 1));
    CHECK_TEXT(text_of(&row, NULL), "[ 0  1  2  3  4  5  6  7  8  9 10 11]");
    CHECK_OK(tess_reshape(&image, &row, TESS_SHAPE(1, 1, 3, 4)));
    CHECK_TEXT(text_of(&image, &few), "[[ 0 ...  3]\n ...\n [ 8 ... 11]]");
    CHECK_OK(tess_reshape(&tall, &row, TESS_SHAPE(1, 3, 2, 2)));
    CHECK_TEXT(text_of(&tall, &few), "[[[ 0  1]\n  [ 2  3]]\n\n ...\n\n [[ 8  9]\n  [10 11]]]");
    tess_release(&row);
}

TEST(summaries_touch_only_what_they_show)
{
    const clock_t start = clock();
    tess_array    one = { 0 }, many;
    CHECK_OK(tess_full(&one, TESS_SHAPE(1, 1, 1, 1), TESS_F32, tess_cpu(), 0.5));
    CHECK_OK(tess_broadcast(&many, &one, TESS_SHAPE(1, 1, 1 << 20, 1 << 13)));
    CHECK_TEXT(text_of(&many, NULL),
               "[[0.5 0.5 0.5 ... 0.5 0.5 0.5]\n [0.5 0.5 0.5 ... 0.5 0.5 0.5]\n [0.5 0.5 0.5 ... 0.5 0.5 0.5]\n ...\n"
               " [0.5 0.5 0.5 ... 0.5 0.5 0.5]\n [0.5 0.5 0.5 ... 0.5 0.5 0.5]\n [0.5 0.5 0.5 ... 0.5 0.5 0.5]]");
    CHECK_OK(tess_broadcast(&many, &one, TESS_SHAPE(1 << 10, 1 << 10, 1 << 10, 1 << 10)));
    (void)text_of(&many, NULL);
    CHECK((double)(clock() - start) / CLOCKS_PER_SEC < 1);
    tess_release(&one);
}

TEST(any_strides)
{
    tess_array a = counting(TESS_SHAPE(1, 1, 3, 4), TESS_F64), view;
    CHECK_OK(tess_subregion_text(&view, &a, "..., ::-2, 1::2"));
    CHECK_TEXT(text_of(&view, NULL), "[[ 9. 11.]\n [ 1.  3.]]");
    CHECK_OK(tess_slice(&view, &a, 2, 0, 1, 1));
    CHECK_OK(tess_broadcast(&view, &view, TESS_SHAPE(1, 1, 2, 4)));
    CHECK_TEXT(text_of(&view, NULL), "[[0. 1. 2. 3.]\n [0. 1. 2. 3.]]");
    tess_release(&a);
}

TEST(text_is_cut_and_ended)
{
    tess_array  a = counting(TESS_SHAPE(1, 1, 2, 3), TESS_F32);
    const char *whole = "f32 array, shape {1,1,2,3}, strides {6,6,3,1}, cpu\n[[0. 1. 2.]\n [3. 4. 5.]]";
    size_t      length = 0;
    CHECK_OK(tess_format(NULL, 0, &length, &a, NULL));
    CHECK_I64((int64_t)length, (int64_t)strlen(whole));
    for (size_t size = 1; size <= length + 3; size++) {
        char         text[128];
        size_t       told = 0;
        const size_t kept = size - 1 < length ? size - 1 : length;
        memset(text, '#', sizeof text);
        CHECK_OK(tess_format(text, size, &told, &a, NULL));
        CHECK_I64((int64_t)told, (int64_t)length);
        CHECK(memcmp(text, whole, kept) == 0 && text[kept] == '\0' && text[kept + 1] == '#');
    }
    char untouched[2] = "#";
    CHECK_OK(tess_format(untouched, 0, NULL, &a, NULL));
    CHECK_TEXT(untouched, "#");
    tess_release(&a);
}

TEST(wrong_arguments)
{
    tess_array a = counting(TESS_SHAPE(1, 1, 1, 3), TESS_F32), zeroed = { 0 }, far = a;
    char       text[16] = "as it was";
    size_t     length = 77;
    far.device = tess_gpu(1);
    CHECK_FAILS(tess_format(text, sizeof text, &length, NULL, NULL), TESS_EARG, "format: a is NULL; an array");
    CHECK_FAILS(tess_format(text, sizeof text, &length, &zeroed, NULL), TESS_EARG, "format: a is a released or zeroed");
    CHECK_FAILS(tess_format(NULL, 5, &length, &a, NULL), TESS_EARG, "format: text is NULL and size is 5; ", "size 0");
    CHECK_FAILS(tess_format(text, sizeof text, &length, &far, NULL), TESS_EDEVICE, "format: ", "gpu:1");
    CHECK_TEXT(text, "as it was");
    CHECK_I64((int64_t)length, 77);
    tess_release(&a);
}

TEST(wrong_options)
{
    static const struct {
        tess_format_opts opts;
        const char      *message;
    } cases[] = {
        { { .threshold = -1 }, "format: opts->threshold is -1; 1 to " },
        { { .edge = -3 }, "format: opts->edge is -3; 1 to " },
        { { .precision = -1 }, "format: opts->precision is -1; 1 to " },
        { { .precision = 101 }, "format: opts->precision is 101; 1 to " },
        { { .width = -75 }, "format: opts->width is -75; 1 to " },
        { { .no_header = 2 }, "format: opts->no_header is 2; " },
        { { .all_axes = -1 }, "format: opts->all_axes is -1; " },
    };
    const tess_format_opts largest = { INT64_MAX, INT32_MAX, 100, INT32_MAX, 1, 1, 1, { 0 } };
    const tess_format_opts newer = { .reserved = { 0, 0, 0, 1 } };
    tess_array             a = counting(TESS_SHAPE(1, 1, 1, 3), TESS_F32);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(tess_format(page, sizeof page, NULL, &a, &cases[i].opts), TESS_ERANGE, cases[i].message);
    CHECK_FAILS(tess_format(page, sizeof page, NULL, &a, &newer), TESS_EARG, "format: opts->reserved is not 0");
    CHECK_TEXT(text_of(&a, &largest), "[[[[0., 1., 2.]]]]");
    tess_release(&a);
}

TEST(same_text_in_every_locale)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "de_DE")) {
        test_skip("the locale de_DE is not installed");
        return;
    }
    char sample[8];
    (void)snprintf(sample, sizeof sample, "%.1f", 0.5);
    CHECK_TEXT(sample, "0,5");
    CHECK_TEXT(ROW_TEXT(TESS_F64, double, 0.5, -1234.25), "[ 5.00000e-01 -1.23425e+03]");
    CHECK_TEXT(ROW_TEXT(TESS_F32, float, 0.5f, 1.25f), "[0.5  1.25]");
    CHECK_TEXT(ROW_TEXT(TESS_I32, int32_t, 1234567), "[1234567]");
    (void)setlocale(LC_ALL, "C");
}

TEST(waits_for_queued_work)
{
    const tess_stream_opts queued = { .async = 1 };
    tess_stream           *stream = NULL;
    tess_array             a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 1 << 24), TESS_F32, tess_cpu()));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &queued));
    CHECK_OK(tess_stream_set_current(stream));
    for (int i = 1; i <= 5; i++) CHECK_OK(tess_fill(&a, i));
    CHECK_TEXT(text_of(&a, NULL), "[5. 5. 5. ... 5. 5. 5.]");
    CHECK(!tess_stream_busy(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    tess_release(&a);
}
