/* Copies, casts, fills, joins and single elements: naive loops say what is right; then aliasing and bad arguments. */
#include <float.h>
#include <math.h>

#include "support/arrays.h"

/* ---- copy ---- */

/* Views of {2,3,4,5} of different strides. */
static const char *const layouts[] = { ":", "::-1", ":, ::-1, ::-1", "..., ::-1", "..., 1:4", "..., ::2, ::2", "1, 2" };
enum { N_LAYOUTS = sizeof layouts / sizeof *layouts };

TEST(copy_of_views)
{
    for (tess_dtype t = 1; t < TESS_DTYPE_COUNT; t++)
        for (int i = 0; i < N_LAYOUTS; i++) {
            tess_array   a = { 0 }, v = { 0 }, copy = { 0 };
            const size_t size = tess_dtype_size(t);
            CHECK_OK(tess_zeros(&a, TESS_SHAPE(2, 3, 4, 5), t, tess_cpu()));
            for (int64_t k = 0; k < tess_n_bytes(&a); k++) ((unsigned char *)a.data)[k] = (unsigned char)test_random();
            CHECK_OK(tess_subregion_text(&v, &a, layouts[i]));
            CHECK_OK(tess_copy(&copy, &v));
            CHECK(tess_same_shape(&copy, &v) && tess_is_contiguous(&copy, 'C') && copy.dtype == t);
            const char *at = copy.data;
            for (int64_t b = 0; b < v.shape.b; b++)
                for (int64_t d = 0; d < v.shape.d; d++)
                    for (int64_t h = 0; h < v.shape.h; h++)
                        for (int64_t w = 0; w < v.shape.w; w++, at += size)
                            CHECK(memcmp(at, tess_address(&v, b, d, h, w), size) == 0);
            tess_release(&a);
            tess_release(&copy);
        }
}

TEST(copy_between_any_two_layouts)
{
    for (int i = 0; i < N_LAYOUTS; i++)
        for (int j = 0; j < 24; j++) {
            const int  p[4] = { j / 6, (j / 6 + 1 + j % 6 / 2) % 4, 0, 0 };
            int        rest[2], n = 0;
            tess_array a = numbers(TESS_I32, 2, 3, 4, 5), v = { 0 }, out = { 0 }, turned = { 0 };
            for (int k = 0; k < 4; k++)
                if (k != p[0] && k != p[1]) rest[n++] = k;
            CHECK_OK(tess_subregion_text(&v, &a, layouts[i]));
            CHECK_OK(tess_permute(&turned, &v, p[0], p[1], rest[j % 2], rest[1 - j % 2]));
            CHECK_OK(tess_like(&out, &turned));
            CHECK_OK(tess_reverse(&out, &out, (int)(j % 16) << 4));
            CHECK_OK(tess_copy(&out, &turned));
            CHECK(same_values(&out, &turned));
            tess_release(&a);
            tess_release(&out);
        }
}

TEST(copy_broadcasts)
{
    tess_array in = numbers(TESS_F32, 1, 3, 1, 5), out = constant(TESS_F32, 2, 3, 4, 5, -1);
    CHECK_OK(tess_copy(&out, &in));
    for (int b = 0; b < 2; b++)
        for (int d = 0; d < 3; d++)
            for (int h = 0; h < 4; h++)
                for (int w = 0; w < 5; w++) CHECK(TESS_AT(float, out, b, d, h, w) == (float)(5 * d + w));
    tess_release(&in);
    tess_release(&out);
}

TEST(copy_reads_sliding_windows)
{
    float              data[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const tess_strides sliding = TESS_STRIDES(0, 0, 1, 1);
    tess_array         in = { 0 }, out = { 0 };
    CHECK_OK(
        tess_wrap(&in, data, TESS_SHAPE(1, 1, 6, 3), TESS_F32, &(tess_wrap_opts){ .strides = &sliding, .length = 8 }));
    CHECK_OK(tess_copy(&out, &in));
    for (int h = 0; h < 6; h++)
        for (int w = 0; w < 3; w++) CHECK(TESS_AT(float, out, 0, 0, h, w) == (float)(h + w));
    tess_release(&out);
}

TEST(copy_keeps_every_bit_of_nan_and_zero)
{
    static const uint32_t bits[4] = { 0x7fa00001u, 0xffc12345u, 0x80000000u, 0x00000001u };
    tess_array            a = constant(TESS_F32, 1, 1, 2, 2, 0), v = { 0 }, copy = { 0 };
    memcpy(a.data, bits, sizeof bits);
    CHECK_OK(tess_transpose(&v, &a));
    CHECK_OK(tess_copy(&copy, &v));
    const uint32_t want[4] = { bits[0], bits[2], bits[1], bits[3] };
    CHECK(memcmp(copy.data, want, sizeof want) == 0);
    tess_release(&a);
    tess_release(&copy);
}

TEST(copy_refuses)
{
    tess_array       a = numbers(TESS_F32, 1, 2, 3, 4), b = numbers(TESS_F64, 1, 2, 3, 4), out = { 0 }, zero = { 0 };
    tess_array       other = constant(TESS_F32, 1, 2, 3, 1, -1);
    const tess_array gpu = on_gpu(a);
    tess_array       there = on_gpu(other);
    CHECK_FAILS(tess_copy(&out, NULL), TESS_EARG, "copy: ", "in is NULL");
    CHECK_FAILS(tess_copy(NULL, &a), TESS_EARG, "copy: ", "out is NULL");
    CHECK_FAILS(tess_copy(&out, &zero), TESS_EARG, "in is a released or zeroed array");
    CHECK_FAILS(tess_copy(&b, &a), TESS_EDTYPE, "in is f32", "out is f64", "tess_cast");
    CHECK_FAILS(tess_copy(&other, &a), TESS_ESHAPE, "{1,2,3,4}", "{1,2,3,1}", "axis 3");
    CHECK_FAILS(tess_copy(&out, &gpu), TESS_EDEVICE, "gpu:0");
    CHECK_FAILS(tess_copy(&there, &other), TESS_EDEVICE, "in is on cpu", "out on gpu:0", "tess_to_device");
    CHECK_FAILS(tess_copy(&other, &there), TESS_EDEVICE, "in is on gpu:0", "out on cpu");
    CHECK(is_zeroed(&out) && all_are(&other, -1));
    tess_release(&a);
    tess_release(&b);
    tess_release(&other);
}

/* ---- permute_copy ---- */

TEST(permute_copy_is_permute_and_copy)
{
    tess_array a = numbers(TESS_I32, 2, 3, 4, 5);
    for (int b = 0; b < 4; b++)
        for (int d = 0; d < 4; d++)
            for (int h = 0; h < 4; h++) {
                const int  w = 6 - b - d - h;
                tess_array v = { 0 }, out = { 0 };
                if (b == d || b == h || d == h || w < 0 || w > 3) continue;
                CHECK_OK(tess_permute(&v, &a, b, d, h, w));
                CHECK_OK(tess_permute_copy(&out, &a, b, d, h, w));
                CHECK(tess_is_contiguous(&out, 'C') && same_values(&out, &v));
                tess_release(&out);
            }
    tess_release(&a);
}

TEST(permute_copy_refuses)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 3), out = { 0 }, v = { 0 };
    CHECK_FAILS(tess_permute_copy(&out, NULL, 0, 1, 2, 3), TESS_EARG, "permute_copy: ", "in is NULL");
    CHECK_FAILS(tess_permute_copy(NULL, &a, 0, 1, 2, 3), TESS_EARG, "permute_copy: ", "out is NULL");
    CHECK_FAILS(tess_permute_copy(&out, &a, 0, 1, 2, 2), TESS_EARG, "permute_copy: ", "{0,1,2,2}");
    CHECK_FAILS(tess_permute_copy(&a, &a, 0, 1, 3, 2), TESS_EALIAS, "permute_copy: ", "{9,9,3,1}");
    CHECK_OK(tess_transpose(&v, &a));
    CHECK_OK(tess_permute_copy(&v, &a, 0, 1, 3, 2));
    CHECK(value_at(&a, 0, 0, 1, 2) == 5);
    CHECK(is_zeroed(&out));
    tess_release(&a);
}

/* ---- Aliasing ---- */

TEST(out_may_be_the_input)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), same = numbers(TESS_F32, 2, 3, 4, 5);
    CHECK_OK(tess_copy(&a, &a));
    CHECK_OK(tess_cast(&a, &a, TESS_F32, NULL));
    CHECK_OK(tess_to_device(&a, &a, tess_cpu()));
    CHECK(same_values(&a, &same));
    tess_array t = { 0 };
    CHECK_OK(tess_transpose(&t, &a));
    const tess_array u = t;
    CHECK_OK(tess_copy(&t, &u));
    CHECK(same_values(&a, &same));
    tess_release(&a);
    tess_release(&same);
}

TEST(casts_of_equal_size_work_in_place)
{
    static const tess_dtype pairs[][2] = { { TESS_F32, TESS_I32 }, { TESS_I32, TESS_F32 }, { TESS_F64, TESS_I64 },
                                           { TESS_U16, TESS_F16 }, { TESS_F64, TESS_C32 }, { TESS_I64, TESS_C32 },
                                           { TESS_F32, TESS_C16 }, { TESS_I8, TESS_U8 } };
    for (int i = 0; i < 8; i++)
        for (int k = 0; k < N_LAYOUTS; k++) {
            tess_array a = numbers(pairs[i][0], 2, 3, 4, 5), v = { 0 }, want = { 0 }, out = { 0 };
            CHECK_OK(tess_subregion_text(&v, &a, layouts[k]));
            CHECK_OK(tess_cast(&want, &v, pairs[i][1], NULL));
            out = v;
            out.dtype = pairs[i][1];
            CHECK_OK(tess_cast(&out, &v, pairs[i][1], NULL));
            for (int64_t n = 0; n < tess_n_elements(&want); n++) {
                const int64_t w = n % v.shape.w, h = n / v.shape.w % v.shape.h;
                const int64_t d = n / v.shape.w / v.shape.h % v.shape.d, b = n / v.shape.w / v.shape.h / v.shape.d;
                CHECK(memcmp(tess_address(&out, b, d, h, w), tess_address(&want, b, d, h, w),
                             tess_dtype_size(out.dtype)) == 0);
            }
            tess_release(&want);
            tess_release(&a);
        }
}

TEST(complex_parts_of_equal_size_work_in_place)
{
    for (int32_t part = TESS_PART_REAL; part <= TESS_PART_POWER; part++) {
        tess_array     a = constant(TESS_C32, 1, 1, 20, 30, 0), want = { 0 }, out = a;
        const tess_c32 z = { 3, -4 };
        CHECK_OK(tess_fill_element(&a, &z));
        CHECK_OK(tess_cast(&want, &a, TESS_F64, &(tess_cast_opts){ .part = part }));
        out.dtype = TESS_F64;
        CHECK_OK(tess_cast(&out, &a, TESS_F64, &(tess_cast_opts){ .part = part }));
        CHECK(same_values(&out, &want));
        tess_release(&want);
        tess_release(&a);
    }
}

TEST(shifted_by_one_element_is_an_alias)
{
    tess_array a = numbers(TESS_F32, 1, 1, 1, 10), x = { 0 }, y = { 0 };
    CHECK_OK(tess_slice(&x, &a, 3, 0, 9, 1));
    CHECK_OK(tess_slice(&y, &a, 3, 1, 10, 1));
    CHECK_FAILS(tess_copy(&x, &y), TESS_EALIAS, "copy: ", "out", "in", "{1,1,1,9}");
    CHECK_FAILS(tess_copy(&y, &x), TESS_EALIAS, "copy: ", "out", "in");
    CHECK_FAILS(tess_cast(&x, &y, TESS_F32, NULL), TESS_EALIAS, "cast: ", "out", "in");
    CHECK_FAILS(tess_concatenate(&x, &y, 1, 3), TESS_EALIAS, "concatenate: ", "out", "parts[0]");
    CHECK_FAILS(tess_to_device(&x, &y, tess_cpu()), TESS_EALIAS, "to_device: ", "out", "in");
    for (int i = 0; i < 10; i++) CHECK(((float *)a.data)[i] == (float)i);
    tess_release(&a);
}

TEST(transposed_on_itself_is_an_alias)
{
    tess_array a = numbers(TESS_F32, 1, 1, 4, 4), t = { 0 }, r = { 0 };
    CHECK_OK(tess_transpose(&t, &a));
    CHECK_FAILS(tess_copy(&a, &t), TESS_EALIAS, "{16,16,4,1}", "{16,16,1,4}");
    CHECK_OK(tess_reverse(&r, &a, TESS_W));
    CHECK_FAILS(tess_copy(&a, &r), TESS_EALIAS, "{16,16,4,-1}");
    tess_release(&a);
}

TEST(a_broadcast_part_of_the_output_is_an_alias)
{
    tess_array a = numbers(TESS_F32, 1, 1, 4, 4), row = { 0 };
    CHECK_OK(tess_index(&row, &a, 2, 0));
    CHECK_FAILS(tess_copy(&a, &row), TESS_EALIAS, "{1,1,1,4}");
    tess_release(&a);
}

TEST(casts_to_another_size_in_place_are_an_alias)
{
    tess_array a = numbers(TESS_F32, 1, 1, 1, 8), out = a;
    out.dtype = TESS_F64;
    out.shape.w = 4;
    tess_array in = a;
    in.shape.w = 4;
    CHECK_FAILS(tess_cast(&out, &in, TESS_F64, NULL), TESS_EALIAS, "cast: ");
    tess_release(&a);
}

TEST(interleaved_views_are_no_alias)
{
    tess_array c = numbers(TESS_C32, 1, 1, 4, 6), re = { 0 }, im = { 0 }, even = { 0 }, odd = { 0 };
    CHECK_OK(tess_real_view(&re, &c));
    CHECK_OK(tess_imag_view(&im, &c));
    CHECK_OK(tess_copy(&im, &re));
    CHECK(same_values(&im, &re));
    CHECK_OK(tess_slice(&even, &re, 3, 0, 6, 2));
    CHECK_OK(tess_slice(&odd, &re, 3, 1, 6, 2));
    CHECK_OK(tess_copy(&odd, &even));
    CHECK(value_at(&re, 0, 0, 3, 5) == 22 && value_at(&re, 0, 0, 3, 4) == 22 && value_at(&im, 0, 0, 3, 5) == 23);
    tess_release(&c);
}

TEST(views_that_only_touch_are_no_alias)
{
    tess_array a = numbers(TESS_F32, 1, 1, 1, 10), x = { 0 }, y = { 0 };
    CHECK_OK(tess_slice(&x, &a, 3, 0, 5, 1));
    CHECK_OK(tess_slice(&y, &a, 3, 5, 10, 1));
    CHECK_OK(tess_copy(&x, &y));
    CHECK(value_at(&a, 0, 0, 0, 0) == 5);
    tess_release(&a);
}

/* ---- cast ---- */

static double cast_one(double x, tess_dtype from, tess_dtype to, int32_t mode)
{
    tess_array a = constant(from, 1, 1, 1, 1, x), out = { 0 };
    double     y = -12345;
    if (CHECK_OK(tess_cast(&out, &a, to, &(tess_cast_opts){ .mode = mode })))
        CHECK_OK(tess_get_f64(&y, &out, 0, 0, 0, 0));
    tess_release(&a);
    tess_release(&out);
    return y;
}

TEST(casts_between_all_real_types_keep_small_numbers)
{
    for (tess_dtype from = TESS_I8; from <= TESS_F64; from++)
        for (tess_dtype to = TESS_I8; to <= TESS_F64; to++)
            for (int32_t mode = TESS_CAST_DEFAULT; mode <= TESS_CAST_EXACT; mode++) {
                tess_array a = numbers(from, 1, 2, 5, 7), v = { 0 }, out = { 0 };
                CHECK_OK(tess_subregion_text(&v, &a, "..., ::-1, ::2"));
                CHECK_OK(tess_cast(&out, &v, to, &(tess_cast_opts){ .mode = mode }));
                CHECK(out.dtype == to && tess_is_contiguous(&out, 'C') && same_values(&out, &v));
                tess_release(&a);
                tess_release(&out);
            }
}

TEST(clamp_goes_to_the_nearest_value_and_cuts_fractions)
{
    CHECK(cast_one(300, TESS_F32, TESS_U8, TESS_CAST_CLAMP) == 255);
    CHECK(cast_one(-1, TESS_F32, TESS_U8, TESS_CAST_DEFAULT) == 0);
    CHECK(cast_one(2.9, TESS_F32, TESS_I8, TESS_CAST_CLAMP) == 2);
    CHECK(cast_one(-2.9, TESS_F64, TESS_I8, TESS_CAST_CLAMP) == -2);
    CHECK(cast_one(NAN, TESS_F32, TESS_I16, TESS_CAST_CLAMP) == 0);
    CHECK(cast_one(1e30, TESS_F32, TESS_I32, TESS_CAST_CLAMP) == 2147483647.0);
    CHECK(cast_one(1e30, TESS_F32, TESS_U32, TESS_CAST_CLAMP) == 4294967295.0);
    CHECK(cast_one(-1e30, TESS_F32, TESS_I32, TESS_CAST_CLAMP) == -2147483648.0);
    CHECK(cast_one(INFINITY, TESS_F16, TESS_I16, TESS_CAST_CLAMP) == 32767);
    CHECK(cast_one(-INFINITY, TESS_F64, TESS_I8, TESS_CAST_CLAMP) == -128);
    CHECK(cast_one(70000, TESS_I32, TESS_U16, TESS_CAST_CLAMP) == 65535);
    CHECK(cast_one(-5, TESS_I32, TESS_U64, TESS_CAST_CLAMP) == 0);
    CHECK(cast_one(255.5, TESS_F32, TESS_U8, TESS_CAST_CLAMP) == 255);
    CHECK(cast_one(-0.5, TESS_F32, TESS_U8, TESS_CAST_CLAMP) == 0);
}

TEST(clamp_to_64_bits)
{
    static const struct {
        double   x;
        int64_t  i64;
        uint64_t u64;
    } cases[] = {
        { 1e30, INT64_MAX, UINT64_MAX },   { -1e30, INT64_MIN, 0 }, { 0x1p63, INT64_MAX, (uint64_t)1 << 63 },
        { -0x1p63, INT64_MIN, 0 },         { NAN, 0, 0 },           { 0x1p62, INT64_C(1) << 62, UINT64_C(1) << 62 },
        { 0x1p64, INT64_MAX, UINT64_MAX },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tess_array a = constant(TESS_F64, 1, 1, 1, 1, cases[i].x), s = { 0 }, u = { 0 };
        CHECK_OK(tess_cast(&s, &a, TESS_I64, NULL));
        CHECK_OK(tess_cast(&u, &a, TESS_U64, NULL));
        CHECK(*(int64_t *)s.data == cases[i].i64);
        CHECK(*(uint64_t *)u.data == cases[i].u64);
        tess_release(&a);
        tess_release(&s);
        tess_release(&u);
    }
}

TEST(wrap_is_modulo_2_to_the_bits)
{
    CHECK(cast_one(300, TESS_F32, TESS_U8, TESS_CAST_WRAP) == 44);
    CHECK(cast_one(-1, TESS_F32, TESS_U8, TESS_CAST_WRAP) == 255);
    CHECK(cast_one(200, TESS_I32, TESS_I8, TESS_CAST_WRAP) == -56);
    CHECK(cast_one(-2.9, TESS_F64, TESS_U8, TESS_CAST_WRAP) == 254);
    CHECK(cast_one(4294967296.0 + 7, TESS_F64, TESS_I32, TESS_CAST_WRAP) == 7);
    CHECK(cast_one(NAN, TESS_F32, TESS_U8, TESS_CAST_WRAP) == 0);
    CHECK(cast_one(INFINITY, TESS_F32, TESS_U8, TESS_CAST_WRAP) == 0);
    CHECK(cast_one(-INFINITY, TESS_F64, TESS_I64, TESS_CAST_WRAP) == 0);
    CHECK(cast_one(0x1p64 + 0x1p12, TESS_F64, TESS_U64, TESS_CAST_WRAP) == 0x1p12);
    CHECK(cast_one(-0x1p63 - 0x1p11, TESS_F64, TESS_I64, TESS_CAST_WRAP) == 0x1p63 - 0x1p11);
    CHECK(cast_one(1e300, TESS_F64, TESS_I32, TESS_CAST_WRAP) == 0);
    CHECK(cast_one(65536 + 5, TESS_U32, TESS_I16, TESS_CAST_WRAP) == 5);
}

TEST(floats_round_to_nearest_even_and_overflow_to_infinity)
{
    CHECK(cast_one(1 + 0x1p-24, TESS_F64, TESS_F32, TESS_CAST_CLAMP) == 1);
    CHECK(cast_one(1 + 0x1p-23 + 0x1p-24, TESS_F64, TESS_F32, TESS_CAST_CLAMP) == 1 + 0x1p-22);
    CHECK(cast_one(1e300, TESS_F64, TESS_F32, TESS_CAST_CLAMP) == INFINITY);
    CHECK(cast_one(65519.99, TESS_F64, TESS_F16, TESS_CAST_CLAMP) == 65504);
    CHECK(cast_one(65520, TESS_F64, TESS_F16, TESS_CAST_CLAMP) == INFINITY);
    CHECK(cast_one(1 + 0x1p-11 + 0x1p-40, TESS_F64, TESS_F16, TESS_CAST_CLAMP) == 1 + 0x1p-10);
    CHECK(cast_one(16777217, TESS_I32, TESS_F32, TESS_CAST_CLAMP) == 16777216);
    CHECK(isnan(cast_one(NAN, TESS_F64, TESS_F16, TESS_CAST_CLAMP)));
    CHECK(cast_one(4294967295.0, TESS_U32, TESS_F16, TESS_CAST_WRAP) == INFINITY);
}

TEST(to_bool_is_whether_not_0)
{
    CHECK(cast_one(0.25, TESS_F32, TESS_BOOL, TESS_CAST_CLAMP) == 1);
    CHECK(cast_one(-0.0, TESS_F32, TESS_BOOL, TESS_CAST_CLAMP) == 0);
    CHECK(cast_one(256, TESS_I32, TESS_BOOL, TESS_CAST_WRAP) == 1);
    CHECK(cast_one(NAN, TESS_F64, TESS_BOOL, TESS_CAST_CLAMP) == 1);
}

TEST(bool_bytes_other_than_1_count_as_true)
{
    tess_array a = constant(TESS_BOOL, 1, 1, 1, 4, 0), out = { 0 }, exact = { 0 };
    memcpy(a.data, "\0\1\2\377", 4);
    CHECK_OK(tess_cast(&out, &a, TESS_I32, NULL));
    CHECK(value_at(&out, 0, 0, 0, 0) == 0 && value_at(&out, 0, 0, 0, 2) == 1 && value_at(&out, 0, 0, 0, 3) == 1);
    CHECK_OK(tess_cast(&exact, &a, TESS_I32, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }));
    tess_release(&a);
    tess_release(&out);
    tess_release(&exact);
}

TEST(real_to_complex_has_no_imaginary_part)
{
    static const tess_dtype to[3] = { TESS_C16, TESS_C32, TESS_C64 };
    for (int i = 0; i < 3; i++) {
        tess_array a = numbers(TESS_I16, 1, 2, 3, 4), v = { 0 }, out = { 0 };
        tess_c64   z = { 9, 9 };
        CHECK_OK(tess_transpose(&v, &a));
        CHECK_OK(tess_cast(&out, &v, to[i], NULL));
        CHECK_OK(tess_get_c64(&z, &out, 0, 1, 3, 2));
        CHECK(z.re == 23 && z.im == 0);
        tess_release(&a);
        tess_release(&out);
    }
}

TEST(complex_to_complex_casts_both_parts)
{
    tess_array a = constant(TESS_C64, 1, 1, 3, 5, 0), v = { 0 }, out = { 0 };
    tess_c64   z = { 1.5, -2.25 }, got = { 0, 0 };
    CHECK_OK(tess_fill_element(&a, &z));
    CHECK_OK(tess_slice(&v, &a, 3, TESS_NONE, TESS_NONE, -2));
    for (tess_dtype t = TESS_C16; t <= TESS_C64; t++) {
        CHECK_OK(tess_cast(&out, &v, t, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }));
        CHECK_OK(tess_get_c64(&got, &out, 0, 0, 2, 2));
        CHECK(got.re == 1.5 && got.im == -2.25);
        tess_release(&out);
    }
    tess_release(&a);
}

TEST(parts_of_complex_numbers)
{
    static const double want[5] = { 0, 3, -4, 5, 25 };
    for (tess_dtype t = TESS_C16; t <= TESS_C64; t++)
        for (int32_t part = TESS_PART_REAL; part <= TESS_PART_POWER; part++) {
            tess_array a = constant(t, 1, 2, 3, 300, 0), v = { 0 }, out = { 0 }, u8 = { 0 };
            for (int64_t n = 0; n < 1800; n++)
                CHECK_OK(tess_set_c64(&a, 0, n / 900, n / 300 % 3, n % 300, (tess_c64){ 3, -4 }));
            CHECK_OK(tess_permute(&v, &a, 0, 3, 1, 2));
            CHECK_OK(tess_cast(&out, &v, TESS_F64, &(tess_cast_opts){ .part = part }));
            CHECK(all_are(&out, want[part]));
            CHECK_OK(tess_cast(&u8, &v, TESS_U8, &(tess_cast_opts){ .part = part }));
            CHECK(all_are(&u8, want[part] < 0 ? 0 : want[part]));
            tess_release(&a);
            tess_release(&out);
            tess_release(&u8);
        }
}

TEST(abs_does_not_overflow_or_vanish)
{
    tess_array a = constant(TESS_C64, 1, 1, 1, 4, 0), out = { 0 };
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 0, (tess_c64){ 3e300, 4e300 }));
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 1, (tess_c64){ 3e-310, 4e-310 }));
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 2, (tess_c64){ INFINITY, NAN }));
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 3, (tess_c64){ NAN, 1 }));
    CHECK_OK(tess_cast(&out, &a, TESS_F64, &(tess_cast_opts){ .part = TESS_PART_ABS }));
    const double *x = out.data;
    CHECK(fabs(x[0] / 5e300 - 1) < 1e-15 && fabs(x[1] / 5e-310 - 1) < 1e-13 && isinf(x[2]) && isnan(x[3]));
    tess_release(&a);
    tess_release(&out);
}

TEST(exact_casts_name_place_and_value)
{
    const tess_cast_opts exact = { .mode = TESS_CAST_EXACT };
    tess_array           a = numbers(TESS_F64, 2, 3, 4, 5), given = constant(TESS_I32, 2, 3, 4, 5, -1);
    tess_array           v = { 0 }, out = { 0 };
    CHECK_OK(tess_set_f64(&a, 1, 2, 3, 4, 0.5));
    CHECK_OK(tess_set_f64(&a, 1, 0, 2, 1, 1.25));
    CHECK_FAILS(tess_cast(&out, &a, TESS_I32, &exact), TESS_ERANGE, "cast: ", "1.25", "{1,0,2,1}", "i32");
    CHECK_FAILS(tess_cast(&given, &a, TESS_I32, &exact), TESS_ERANGE, "1.25", "{1,0,2,1}");
    CHECK(all_are(&given, -1));
    CHECK_OK(tess_reverse(&v, &a, TESS_ALL_AXES));
    CHECK_FAILS(tess_cast(&out, &v, TESS_I32, &exact), TESS_ERANGE, "0.5", "{0,0,0,0}");
    CHECK(is_zeroed(&out));
    tess_release(&a);
    tess_release(&given);
}

static void exact_fails(double x, tess_dtype from, tess_dtype to, const char *value)
{
    tess_array a = constant(from, 1, 1, 1, 3, 0), out = { 0 };
    CHECK_OK(tess_set_f64(&a, 0, 0, 0, 2, x));
    CHECK_FAILS(tess_cast(&out, &a, to, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }), TESS_ERANGE, "{0,0,0,2}", value,
                tess_dtype_name(to));
    tess_release(&a);
    tess_release(&out);
}

TEST(exact_refuses_every_change)
{
    exact_fails(300, TESS_F32, TESS_U8, "300");
    exact_fails(-1, TESS_I8, TESS_U64, "-1");
    exact_fails(0x1p31, TESS_F32, TESS_I32, "2147483648");
    exact_fails(0x1p63, TESS_F64, TESS_I64, "9.223372036854776e+18");
    exact_fails(0x1p64, TESS_F32, TESS_U64, "1.8446744073709552e+19");
    exact_fails(NAN, TESS_F32, TESS_I32, "nan");
    exact_fails(INFINITY, TESS_F64, TESS_U8, "inf");
    exact_fails(0.1, TESS_F64, TESS_F32, "0.1");
    exact_fails(65505, TESS_I32, TESS_F16, "65505");
    exact_fails(16777217, TESS_I32, TESS_F32, "16777217");
    exact_fails(1e300, TESS_F64, TESS_F32, "1e+300");
    exact_fails(2, TESS_I32, TESS_BOOL, "2");
    exact_fails(0.5, TESS_F32, TESS_BOOL, "0.5");
}

TEST(exact_refuses_large_integers_that_floats_round)
{
    static const int64_t bad[] = { INT64_MAX, (INT64_C(1) << 53) + 1, -(INT64_C(1) << 53) - 1, INT64_MAX - 1 };
    for (int i = 0; i < 4; i++) {
        tess_array a = constant(TESS_I64, 1, 1, 1, 1, 0), out = { 0 };
        char       text[32];
        (void)snprintf(text, sizeof text, "%" PRId64, bad[i]);
        CHECK_OK(tess_set_i64(&a, 0, 0, 0, 0, bad[i]));
        CHECK_FAILS(tess_cast(&out, &a, TESS_F64, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }), TESS_ERANGE, text,
                    "f64");
        tess_release(&a);
    }
    tess_array     u = constant(TESS_U64, 1, 1, 1, 1, 0), out = { 0 };
    const uint64_t most = UINT64_MAX;
    CHECK_OK(tess_fill_element(&u, &most));
    CHECK_FAILS(tess_cast(&out, &u, TESS_F64, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }), TESS_ERANGE,
                "18446744073709551615");
    CHECK_FAILS(tess_cast(&out, &u, TESS_I64, &(tess_cast_opts){ .mode = TESS_CAST_EXACT }), TESS_ERANGE,
                "18446744073709551615", "i64");
    tess_release(&u);
}

TEST(exact_allows_what_does_not_change)
{
    CHECK(cast_one(-0x1p63, TESS_F64, TESS_I64, TESS_CAST_EXACT) == -0x1p63);
    CHECK(cast_one(0x1p63, TESS_F32, TESS_U64, TESS_CAST_EXACT) == 0x1p63);
    CHECK(cast_one(-0.0, TESS_F64, TESS_F32, TESS_CAST_EXACT) == 0);
    CHECK(cast_one(INFINITY, TESS_F64, TESS_F16, TESS_CAST_EXACT) == INFINITY);
    CHECK(isnan(cast_one(NAN, TESS_F64, TESS_F32, TESS_CAST_EXACT)));
    CHECK(isnan(cast_one(NAN, TESS_F16, TESS_F64, TESS_CAST_EXACT)));
    CHECK(cast_one(65504, TESS_I32, TESS_F16, TESS_CAST_EXACT) == 65504);
    CHECK(cast_one(0x1p-24, TESS_F64, TESS_F16, TESS_CAST_EXACT) == 0x1p-24);
    CHECK(cast_one(1, TESS_F64, TESS_BOOL, TESS_CAST_EXACT) == 1);
}

TEST(exact_looks_at_both_parts_of_complex_numbers)
{
    const tess_cast_opts exact = { .mode = TESS_CAST_EXACT };
    tess_array           a = constant(TESS_C64, 1, 1, 2, 2, 0.5), out = { 0 };
    CHECK_OK(tess_set_c64(&a, 0, 0, 1, 0, (tess_c64){ 0.5, 0.1 }));
    CHECK_FAILS(tess_cast(&out, &a, TESS_C32, &exact), TESS_ERANGE, "{0,0,1,0}", "0.5", "0.1", "c32");
    tess_release(&a);
}

TEST(cast_takes_the_dtype_of_out)
{
    tess_array a = numbers(TESS_F32, 1, 1, 2, 3), out = constant(TESS_U8, 4, 1, 2, 3, 9), made = { 0 };
    CHECK_OK(tess_cast(&out, &a, TESS_DTYPE_NONE, NULL));
    CHECK(value_at(&out, 3, 0, 1, 2) == 5);
    CHECK_FAILS(tess_cast(&made, &a, TESS_DTYPE_NONE, NULL), TESS_EDTYPE, "dtype is 0");
    CHECK_FAILS(tess_cast(&out, &a, TESS_I8, NULL), TESS_EDTYPE, "out has dtype u8", "i8");
    tess_release(&a);
    tess_release(&out);
}

TEST(compounds_cast_only_to_themselves)
{
    tess_array m = constant(TESS_MAT22_F32, 3, 1, 1, 1, 2), f = numbers(TESS_F32, 1, 1, 1, 3), out = { 0 };
    CHECK_OK(tess_cast(&out, &m, TESS_MAT22_F32, NULL));
    CHECK(memcmp(out.data, m.data, 48) == 0);
    tess_release(&out);
    CHECK_FAILS(tess_cast(&out, &m, TESS_MAT22_F64, NULL), TESS_EDTYPE, "in is mat22_f32", "mat22_f64");
    CHECK_FAILS(tess_cast(&out, &m, TESS_F32, NULL), TESS_EDTYPE, "in is mat22_f32", "f32");
    CHECK_FAILS(tess_cast(&out, &f, TESS_VEC2_F32, NULL), TESS_EDTYPE, "in is f32", "vec2_f32");
    tess_release(&m);
    tess_release(&f);
}

TEST(cast_refuses)
{
    tess_array a = numbers(TESS_F32, 1, 2, 3, 4), c = constant(TESS_C32, 1, 2, 3, 4, 0), out = { 0 }, zero = { 0 };
    tess_array other = constant(TESS_I32, 1, 2, 3, 1, -1);
    const tess_array     gpu = on_gpu(a);
    const tess_cast_opts exact_abs = { .mode = TESS_CAST_EXACT, .part = TESS_PART_ABS };
    CHECK_FAILS(tess_cast(&out, NULL, TESS_I32, NULL), TESS_EARG, "cast: ", "in is NULL");
    CHECK_FAILS(tess_cast(NULL, &a, TESS_I32, NULL), TESS_EARG, "cast: ", "out is NULL");
    CHECK_FAILS(tess_cast(&out, &zero, TESS_I32, NULL), TESS_EARG, "in is a released or zeroed array");
    CHECK_FAILS(tess_cast(&out, &a, 99, NULL), TESS_EDTYPE, "dtype is 99");
    CHECK_FAILS(tess_cast(&other, &a, TESS_I32, NULL), TESS_ESHAPE, "{1,2,3,4}", "{1,2,3,1}", "axis 3");
    CHECK_FAILS(tess_cast(&out, &gpu, TESS_I32, NULL), TESS_EDEVICE, "gpu:0");
    CHECK_FAILS(tess_cast(&out, &c, TESS_F32, NULL), TESS_EDTYPE, "in is c32", "f32", "opts->part",
                "real, imag, abs or power");
    CHECK_FAILS(tess_cast(&out, &c, TESS_F32, &exact_abs), TESS_EARG, "exact", "abs");
    CHECK(is_zeroed(&out) && all_are(&other, -1));
    tess_release(&a);
    tess_release(&c);
    tess_release(&other);
}

TEST(cast_refuses_unknown_options)
{
    tess_array     a = numbers(TESS_F32, 1, 2, 3, 4), out = { 0 };
    tess_cast_opts opts = { .mode = 4 };
    CHECK_FAILS(tess_cast(&out, &a, TESS_I32, &opts), TESS_EARG, "opts->mode is 4", "1 (clamp)", "2 (wrap)",
                "3 (exact)");
    opts.mode = -1;
    CHECK_FAILS(tess_cast(&out, &a, TESS_I32, &opts), TESS_EARG, "opts->mode is -1");
    opts = (tess_cast_opts){ .part = 5 };
    CHECK_FAILS(tess_cast(&out, &a, TESS_I32, &opts), TESS_EARG, "opts->part is 5", "1 (real)", "4 (power)");
    opts.part = INT32_MIN;
    CHECK_FAILS(tess_cast(&out, &a, TESS_I32, &opts), TESS_EARG, "opts->part is -2147483648");
    for (int i = 0; i < 6; i++) {
        opts = (tess_cast_opts){ .mode = TESS_CAST_WRAP };
        opts.reserved[i] = 0x100;
        CHECK_FAILS(tess_cast(&out, &a, TESS_I32, &opts), TESS_EARG, "cast: ", "opts->reserved is not 0");
    }
    CHECK(is_zeroed(&out));
    tess_release(&a);
}

/* ---- fill, fill_element ---- */

TEST(fill_converts_as_a_cast)
{
    static const struct {
        tess_dtype dtype;
        double     value, want;
    } cases[] = {
        { TESS_U8, 300, 255 }, { TESS_U8, -3, 0 },      { TESS_I8, -1000, -128 },
        { TESS_I32, 2.9, 2 },  { TESS_I16, NAN, 0 },    { TESS_F16, 1e6, INFINITY },
        { TESS_BOOL, 0.5, 1 }, { TESS_U64, 1e3, 1000 }, { TESS_F32, 0.1, (double)0.1f },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < N_LAYOUTS; k++) {
            tess_array a = numbers(cases[i].dtype, 2, 3, 4, 5), v = { 0 };
            CHECK_OK(tess_subregion_text(&v, &a, layouts[k]));
            CHECK_OK(tess_fill(&v, cases[i].value));
            CHECK(all_are(&v, cases[i].want));
            tess_release(&a);
        }
}

TEST(fill_of_complex_and_compounds)
{
    tess_array c = constant(TESS_C64, 1, 1, 2, 3, 9), m = constant(TESS_MAT34_F64, 2, 1, 1, 1, 9);
    CHECK_OK(tess_fill(&c, 1.5));
    CHECK_OK(tess_fill(&m, -2));
    for (int i = 0; i < 6; i++) CHECK(((double *)c.data)[2 * i] == 1.5 && ((double *)c.data)[2 * i + 1] == 0);
    for (int i = 0; i < 24; i++) CHECK(((double *)m.data)[i] == -2);
    tess_release(&c);
    tess_release(&m);
}

TEST(fill_element_takes_any_dtype)
{
    for (tess_dtype t = 1; t < TESS_DTYPE_COUNT; t++) {
        tess_array    a = { 0 }, v = { 0 };
        unsigned char element[128];
        const size_t  size = tess_dtype_size(t);
        for (size_t i = 0; i < size; i++) element[i] = (unsigned char)(i * 7 + 1);
        CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 2, 3, 7), t, tess_cpu()));
        CHECK_OK(tess_subregion_text(&v, &a, "..., ::-1, ::2"));
        CHECK_OK(tess_fill_element(&v, element));
        for (int64_t n = 0; n < 42; n++) {
            const unsigned char *at = (unsigned char *)a.data + n * (int64_t)size;
            bool                 zero = true;
            for (size_t i = 0; i < size; i++) zero = zero && at[i] == 0;
            CHECK(n % 7 % 2 ? zero : memcmp(at, element, size) == 0);
        }
        tess_release(&a);
    }
}

TEST(fill_element_keeps_64_bit_integers)
{
    tess_array    a = constant(TESS_I64, 1, 1, 1, 2, 0);
    const int64_t most = INT64_MAX - 1;
    int64_t       got = 0;
    CHECK_OK(tess_fill_element(&a, &most));
    CHECK_OK(tess_get_i64(&got, &a, 0, 0, 0, 1));
    CHECK_I64(got, most);
    tess_release(&a);
}

TEST(fill_element_may_point_into_the_array)
{
    tess_array a = numbers(TESS_F32, 1, 1, 4, 5);
    CHECK_OK(tess_fill_element(&a, tess_address(&a, 0, 0, 2, 3)));
    CHECK(all_are(&a, 13));
    tess_release(&a);
}

TEST(fill_refuses)
{
    tess_array  a = numbers(TESS_F32, 1, 1, 2, 3), zero = { 0 };
    const float one = 1;
    CHECK_FAILS(tess_fill(NULL, 1), TESS_EARG, "fill: ", "out is NULL");
    CHECK_FAILS(tess_fill(&zero, 1), TESS_EARG, "out is a released or zeroed array");
    CHECK_FAILS(tess_fill_element(NULL, &one), TESS_EARG, "fill_element: ", "out is NULL");
    CHECK_FAILS(tess_fill_element(&zero, &one), TESS_EARG, "out is a released or zeroed array");
    CHECK_FAILS(tess_fill_element(&a, NULL), TESS_EARG, "fill_element: ", "element is NULL");
    tess_release(&a);
}

/* ---- concatenate ---- */

TEST(concatenate_joins_along_each_axis)
{
    for (int axis = -4; axis < 4; axis++) {
        const int  k = axis < 0 ? axis + 4 : axis;
        tess_array parts[3] = { numbers(TESS_I32, 2, 3, 4, 5), numbers(TESS_I32, 2, 3, 4, 5),
                                numbers(TESS_I32, 2, 3, 4, 5) };
        tess_array whole = { 0 }, v = { 0 }, first = parts[0];
        CHECK_OK(tess_reverse(&parts[1], &parts[1], TESS_ALL_AXES));
        CHECK_OK(tess_slice(&parts[0], &parts[0], k, 1, 2, 1));
        CHECK_OK(tess_concatenate(&whole, parts, 3, axis));
        CHECK_I64(whole.shape.dim[k], 1 + 2 * first.shape.dim[k]);
        int64_t at = 0;
        for (int i = 0; i < 3; i++) {
            CHECK_OK(tess_slice(&v, &whole, k, at, at + parts[i].shape.dim[k], 1));
            CHECK(same_values(&v, &parts[i]));
            at += parts[i].shape.dim[k];
        }
        tess_release(&first);
        tess_release(&parts[1]);
        tess_release(&parts[2]);
        tess_release(&whole);
    }
}

TEST(concatenate_takes_one_part_and_empty_parts)
{
    tess_array parts[2] = { numbers(TESS_F32, 1, 1, 2, 3), numbers(TESS_F32, 1, 1, 2, 3) }, whole = { 0 };
    CHECK_OK(tess_concatenate(&whole, parts, 1, 2));
    CHECK(same_values(&whole, &parts[0]));
    tess_release(&whole);
    tess_array both[2] = { parts[0], parts[1] };
    CHECK_OK(tess_slice(&both[0], &parts[0], 2, 0, 0, 1));
    CHECK_OK(tess_concatenate(&whole, both, 2, 2));
    CHECK(same_values(&whole, &parts[1]));
    tess_release(&whole);
    both[1] = both[0];
    CHECK_OK(tess_concatenate(&whole, both, 2, 2));
    CHECK(tess_is_empty(&whole));
    tess_release(&whole);
    tess_release(&parts[0]);
    tess_release(&parts[1]);
}

TEST(concatenate_takes_the_same_part_many_times)
{
    tess_array part = numbers(TESS_F32, 1, 1, 2, 3), parts[50], whole = { 0 };
    for (int i = 0; i < 50; i++) parts[i] = part;
    CHECK_OK(tess_concatenate(&whole, parts, 50, 0));
    CHECK_DIMS(whole.shape, 50, 1, 2, 3);
    CHECK(value_at(&whole, 49, 0, 1, 2) == 5);
    tess_release(&whole);
    tess_release(&part);
}

TEST(concatenate_refuses)
{
    tess_array a = numbers(TESS_F32, 1, 2, 3, 4), b = numbers(TESS_F64, 1, 2, 3, 4), c = numbers(TESS_F32, 1, 2, 4, 4);
    tess_array out = { 0 }, zero = { 0 }, given = constant(TESS_F32, 2, 2, 3, 4, -1);
    const tess_array dtypes[2] = { a, b }, shapes[2] = { a, c }, none[2] = { a, zero }, devices[2] = { a, on_gpu(a) };
    const tess_array good[2] = { a, a };
    CHECK_FAILS(tess_concatenate(NULL, good, 2, 0), TESS_EARG, "concatenate: ", "out is NULL");
    CHECK_FAILS(tess_concatenate(&out, NULL, 2, 0), TESS_EARG, "parts is NULL");
    CHECK_FAILS(tess_concatenate(&out, good, 0, 0), TESS_EARG, "n is 0", "at least one");
    CHECK_FAILS(tess_concatenate(&out, good, -1, 0), TESS_EARG, "n is -1");
    CHECK_FAILS(tess_concatenate(&out, good, 2, 4), TESS_ERANGE, "axis is 4");
    CHECK_FAILS(tess_concatenate(&out, good, 2, -5), TESS_ERANGE, "axis is -5");
    CHECK_FAILS(tess_concatenate(&out, none, 2, 0), TESS_EARG, "parts[1] is a released or zeroed array");
    CHECK_FAILS(tess_concatenate(&out, dtypes, 2, 0), TESS_EDTYPE, "parts[1] is f64", "parts[0] is f32");
    CHECK_FAILS(tess_concatenate(&out, shapes, 2, 0), TESS_ESHAPE, "parts[1]", "{1,2,4,4}", "{1,2,3,4}", "axis 0");
    CHECK_OK(tess_concatenate(&out, shapes, 2, 2));
    tess_release(&out);
    CHECK_FAILS(tess_concatenate(&out, devices, 2, 0), TESS_EDEVICE, "parts[1] is on gpu:0 and parts[0] on cpu");
    CHECK_FAILS(tess_concatenate(&given, good, 2, 1), TESS_ESHAPE, "{2,2,3,4}", "{1,4,3,4}");
    CHECK(is_zeroed(&out) && all_are(&given, -1));
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
    tess_release(&given);
}

TEST(concatenate_refuses_sizes_that_overflow)
{
    tess_array one = constant(TESS_U8, 1, 1, 1, 1, 0), parts[4], out = { 0 };
    CHECK_OK(tess_broadcast(&one, &one, TESS_SHAPE(1, 1, 1, INT64_C(1) << 59)));
    for (int i = 0; i < 4; i++) parts[i] = one;
    CHECK_FAILS(tess_concatenate(&out, parts, 4, 3), TESS_ESHAPE, "");
    CHECK_FAILS(tess_concatenate(&out, parts, 2, 3), TESS_ENOMEM, "1152921504606846976");
    CHECK(is_zeroed(&out));
    tess_release(&one);
}

TEST(concatenate_refuses_parts_inside_the_output)
{
    tess_array whole = numbers(TESS_F32, 2, 1, 2, 3), parts[2];
    CHECK_OK(tess_slice(&parts[0], &whole, 0, 0, 1, 1));
    CHECK_OK(tess_slice(&parts[1], &whole, 0, 1, 2, 1));
    CHECK_FAILS(tess_concatenate(&whole, parts, 2, 0), TESS_EALIAS, "parts[0]");
    for (int i = 0; i < 12; i++) CHECK(((float *)whole.data)[i] == (float)i);
    tess_release(&whole);
}

/* ---- to_device ---- */

TEST(to_the_same_device_is_a_copy)
{
    tess_array a = numbers(TESS_F32, 1, 2, 3, 4), t = { 0 }, out = { 0 };
    CHECK_OK(tess_transpose(&t, &a));
    CHECK_OK(tess_to_device(&out, &t, tess_cpu()));
    CHECK(tess_is_contiguous(&out, 'C') && same_values(&out, &t) && !tess_overlap(&out, &a));
    tess_release(&a);
    tess_release(&out);
}

TEST(to_device_refuses)
{
    tess_array a = numbers(TESS_F32, 1, 2, 3, 4), out = { 0 }, zero = { 0 };
    CHECK_FAILS(tess_to_device(&out, &a, tess_gpu(0)), TESS_EDEVICE, "to_device: ", "gpu:0 is not available");
    CHECK_FAILS(tess_to_device(&out, &a, (tess_device){ 9, 0 }), TESS_EDEVICE, "kind 9");
    CHECK_FAILS(tess_to_device(&out, NULL, tess_cpu()), TESS_EARG, "in is NULL");
    CHECK_FAILS(tess_to_device(&out, &zero, tess_cpu()), TESS_EARG, "released or zeroed");
    CHECK_FAILS(tess_to_device(NULL, &a, tess_cpu()), TESS_EARG, "out is NULL");
    const tess_array gpu = on_gpu(a);
    CHECK_FAILS(tess_to_device(&out, &gpu, tess_cpu()), TESS_EDEVICE, "gpu:0");
    CHECK(is_zeroed(&out));
    tess_release(&a);
}

/* ---- get and set ---- */

TEST(get_and_set_each_type)
{
    for (tess_dtype t = TESS_I8; t <= TESS_F64; t++) {
        tess_array a = numbers(t, 2, 3, 2, 5);
        double     x = 0;
        int64_t    i = 0;
        tess_c64   z = { 9, 9 };
        CHECK_OK(tess_set_f64(&a, -1, 0, 1, -2, 77.5));
        CHECK_OK(tess_get_f64(&x, &a, 1, 0, 1, 3));
        CHECK(x == (t >= TESS_F16 ? 77.5 : 77));
        CHECK_OK(tess_set_i64(&a, 0, 0, 0, 0, 100));
        CHECK_OK(tess_get_i64(&i, &a, 0, 0, 0, 0));
        CHECK_I64(i, 100);
        CHECK_OK(tess_get_c64(&z, &a, 0, 0, 0, 0));
        CHECK(z.re == 100 && z.im == 0);
        CHECK(value_at(&a, 0, 1, 0, 2) == 12);
        tess_release(&a);
    }
}

TEST(get_and_set_clamp)
{
    tess_array a = constant(TESS_U8, 1, 1, 1, 2, 0), f = constant(TESS_F64, 1, 1, 1, 1, 1e30);
    tess_array u = constant(TESS_U64, 1, 1, 1, 1, 1e30);
    int64_t    i = 0;
    CHECK_OK(tess_set_f64(&a, 0, 0, 0, 0, 1e9));
    CHECK_OK(tess_set_i64(&a, 0, 0, 0, 1, -9));
    CHECK(value_at(&a, 0, 0, 0, 0) == 255 && value_at(&a, 0, 0, 0, 1) == 0);
    CHECK_OK(tess_get_i64(&i, &f, 0, 0, 0, 0));
    CHECK(i == INT64_MAX);
    CHECK_OK(tess_get_i64(&i, &u, 0, 0, 0, 0));
    CHECK(i == INT64_MAX);
    tess_release(&a);
    tess_release(&f);
    tess_release(&u);
}

TEST(complex_elements_need_the_c64_forms)
{
    tess_array c = constant(TESS_C32, 1, 1, 1, 1, 7), r = constant(TESS_F32, 1, 1, 1, 1, 7);
    double     x = 0;
    int64_t    i = 0;
    tess_c64   z = { 0, 0 };
    CHECK_OK(tess_set_c64(&c, 0, 0, 0, 0, (tess_c64){ 1, -2 }));
    CHECK_OK(tess_get_c64(&z, &c, 0, 0, 0, 0));
    CHECK(z.re == 1 && z.im == -2);
    CHECK_FAILS(tess_get_f64(&x, &c, 0, 0, 0, 0), TESS_EDTYPE, "get_f64: ", "a has dtype c32", "c64");
    CHECK_FAILS(tess_get_i64(&i, &c, 0, 0, 0, 0), TESS_EDTYPE, "get_i64: ", "a has dtype c32");
    CHECK_FAILS(tess_set_f64(&c, 0, 0, 0, 0, 5), TESS_EDTYPE, "set_f64: ", "a has dtype c32");
    CHECK_FAILS(tess_set_i64(&c, 0, 0, 0, 0, 5), TESS_EDTYPE, "set_i64: ", "a has dtype c32");
    CHECK_FAILS(tess_set_c64(&r, 0, 0, 0, 0, z), TESS_EDTYPE, "set_c64: ", "a has dtype f32");
    tess_release(&c);
    tess_release(&r);
}

TEST(set_refuses_to_write_through_a_broadcast)
{
    tess_array a = constant(TESS_F32, 1, 1, 1, 1, 7), v = { 0 };
    CHECK_OK(tess_broadcast(&v, &a, TESS_SHAPE(1, 1, 1, 4)));
    CHECK_FAILS(tess_set_f64(&v, 0, 0, 0, 2, 1), TESS_EWRITE, "set_f64: ");
    CHECK_FAILS(tess_set_i64(&v, 0, 0, 0, 2, 1), TESS_EWRITE, "set_i64: ");
    CHECK(all_are(&v, 7));
    tess_release(&a);
}

TEST(get_and_set_refuse)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), m = constant(TESS_VEC2_F32, 1, 1, 1, 1, 0), zero = { 0 };
    double     x = -1;
    CHECK_FAILS(tess_get_f64(NULL, &a, 0, 0, 0, 0), TESS_EARG, "value is NULL");
    CHECK_FAILS(tess_get_f64(&x, NULL, 0, 0, 0, 0), TESS_EARG, "get_f64: ", "a is NULL");
    CHECK_FAILS(tess_get_f64(&x, &zero, 0, 0, 0, 0), TESS_EARG, "released or zeroed");
    CHECK_FAILS(tess_get_f64(&x, &a, 2, 0, 0, 0), TESS_ERANGE, "b is 2", "-2 to 1");
    CHECK_FAILS(tess_get_f64(&x, &a, 0, -4, 0, 0), TESS_ERANGE, "d is -4", "-3 to 2");
    CHECK_FAILS(tess_get_f64(&x, &a, 0, 0, 4, 0), TESS_ERANGE, "h is 4");
    CHECK_FAILS(tess_get_f64(&x, &a, 0, 0, 0, INT64_MIN), TESS_ERANGE, "w is -9223372036854775808");
    CHECK_FAILS(tess_get_f64(&x, &m, 0, 0, 0, 0), TESS_EDTYPE, "vec2_f32");
    CHECK_FAILS(tess_set_f64(&m, 0, 0, 0, 0, 1), TESS_EDTYPE, "vec2_f32");
    CHECK_FAILS(tess_set_f64(NULL, 0, 0, 0, 0, 1), TESS_EARG, "set_f64: ", "a is NULL");
    CHECK_FAILS(tess_set_i64(&a, 0, 3, 0, 0, 1), TESS_ERANGE, "set_i64: ", "d is 3");
    tess_array gpu = on_gpu(a);
    CHECK_FAILS(tess_get_f64(&x, &gpu, 0, 0, 0, 0), TESS_EDEVICE, "gpu:0");
    CHECK_FAILS(tess_set_f64(&gpu, 0, 0, 0, 0, 1), TESS_EDEVICE, "gpu:0");
    CHECK(x == -1);
    tess_release(&a);
    tess_release(&m);
}
