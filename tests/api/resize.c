/* Crop, pad, bin, extract, insert, atlas: examples, special shapes, outputs, what is rejected. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "support/rows.h"
#include "tessera/random.h"

static tess_array origins_of(int n, int k, const int64_t *corners)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(n, 1, 1, k), TESS_I64, tess_cpu()));
    memcpy(a.data, corners, (size_t)(n * k) * sizeof *corners);
    return a;
}

/* ---- Crop and pad ---- */

static void check_pad(int border, int left, int right, int n, const double *want)
{
    tess_array             in = row_of(TESS_F32, 4, (double[]){ 1, 2, 3, 4 }), out = { 0 };
    const tess_resize_opts opts = { .border = border, .value = border == TESS_BORDER_VALUE ? 7 : 0 };
    CHECK_OK(tess_pad(&out, &in, TESS_SHAPE(0, 0, 0, left), TESS_SHAPE(0, 0, 0, right), &opts));
    CHECK(row_is(&out, n, want));
    tess_release(&in);
    tess_release(&out);
}

TEST(borders)
{
    check_pad(TESS_BORDER_DEFAULT, 2, 1, 7, (double[]){ 0, 0, 1, 2, 3, 4, 0 });
    check_pad(TESS_BORDER_ZERO, 2, 1, 7, (double[]){ 0, 0, 1, 2, 3, 4, 0 });
    check_pad(TESS_BORDER_VALUE, 2, 1, 7, (double[]){ 7, 7, 1, 2, 3, 4, 7 });
    check_pad(TESS_BORDER_CLAMP, 2, 1, 7, (double[]){ 1, 1, 1, 2, 3, 4, 4 });
    check_pad(TESS_BORDER_PERIODIC, 2, 1, 7, (double[]){ 3, 4, 1, 2, 3, 4, 1 });
    check_pad(TESS_BORDER_MIRROR, 2, 1, 7, (double[]){ 2, 1, 1, 2, 3, 4, 4 });
    check_pad(TESS_BORDER_REFLECT, 2, 1, 7, (double[]){ 3, 2, 1, 2, 3, 4, 3 });
}

TEST(borders_of_several_periods)
{
    check_pad(TESS_BORDER_PERIODIC, 0, 9, 13, (double[]){ 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 1 });
    check_pad(TESS_BORDER_MIRROR, 0, 9, 13, (double[]){ 1, 2, 3, 4, 4, 3, 2, 1, 1, 2, 3, 4, 4 });
    check_pad(TESS_BORDER_REFLECT, 7, 2, 13, (double[]){ 2, 1, 2, 3, 4, 3, 2, 1, 2, 3, 4, 3, 2 });
}

/* Cropped on one side, padded on the other, or cropped until all comes from the border. */
TEST(crop_and_pad_at_once)
{
    check_pad(TESS_BORDER_ZERO, -2, 2, 4, (double[]){ 3, 4, 0, 0 });
    check_pad(TESS_BORDER_REFLECT, 3, -3, 4, (double[]){ 4, 3, 2, 1 });
    check_pad(TESS_BORDER_CLAMP, -6, 5, 3, (double[]){ 4, 4, 4 });
    check_pad(TESS_BORDER_ZERO, -6, 5, 3, (double[]){ 0, 0, 0 });
    check_pad(TESS_BORDER_ZERO, -4, 0, 0, NULL);
}

TEST(one_element)
{
    for (int border = TESS_BORDER_CLAMP; border <= TESS_BORDER_REFLECT; border++) {
        tess_array in = constant(TESS_U8, 1, 1, 1, 1, 9), out = { 0 };
        CHECK_OK(tess_pad(&out, &in, TESS_SHAPE(1, 0, 2, 3), TESS_SHAPE(0, 1, 0, 100),
                          &(tess_resize_opts){ .border = border }));
        CHECK_DIMS(out.shape, 2, 2, 3, 104);
        CHECK(all_are(&out, 9));
        tess_release(&in);
        tess_release(&out);
    }
}

/* A number of the caller's is an array of one element, also after the call. */
TEST(numbers)
{
    tess_stream *stream = NULL;
    tess_array   out = { 0 };
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_pad(&out, &tess_f32(5), TESS_SHAPE(0, 0, 10, 10), TESS_SHAPE(0, 0, 20, 20),
                      &(tess_resize_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(all_are(&out, 5));
    tess_release(&out);
    tess_stream_free(stream);
}

TEST(resize_keeps_the_centre)
{
    for (int64_t n = 1; n < 9; n++)
        for (int64_t m = 1; m < 9; m++) {
            tess_array in = numbers(TESS_I32, 1, 2, n, n + 1), there = { 0 }, back = { 0 };
            CHECK_OK(tess_resize(&there, &in, TESS_SHAPE(0, 0, m, m + 2), NULL));
            CHECK_DIMS(there.shape, 1, 2, m, m + 2);
            CHECK(value_at(&there, 0, 1, m / 2, (m + 2) / 2) == value_at(&in, 0, 1, n / 2, (n + 1) / 2));
            CHECK_OK(tess_resize(&back, &there, in.shape, NULL));
            if (m >= n) CHECK(same_values(&in, &back));
            tess_release(&in);
            tess_release(&there);
            tess_release(&back);
        }
}

TEST(crop)
{
    tess_array in = numbers(TESS_F64, 2, 3, 4, 5), out = { 0 }, view = { 0 };
    CHECK_OK(tess_crop(&out, &in, TESS_SHAPE(1, 0, 1, 2), TESS_SHAPE(0, 1, 2, 0)));
    CHECK_OK(tess_subregion_text(&view, &in, "1:, :2, 1:2, 2:"));
    CHECK(same_values(&out, &view));
    tess_release(&out);
    CHECK_OK(tess_crop(&out, &in, TESS_SHAPE(1, 0, 4, 2), TESS_SHAPE(0, 1, 0, 0)));
    CHECK_DIMS(out.shape, 1, 2, 0, 3);
    tess_release(&in);
    tess_release(&out);
}

TEST(nothing_leaves_the_output_as_it_is)
{
    tess_array in = constant(TESS_F32, 1, 1, 2, 2, 1), out = constant(TESS_F32, 1, 1, 4, 4, 8);
    CHECK_OK(tess_pad(&out, &in, TESS_SHAPE(0, 0, 1, 1), TESS_SHAPE(0, 0, 1, 1),
                      &(tess_resize_opts){ .border = TESS_BORDER_NOTHING }));
    CHECK(value_at(&out, 0, 0, 1, 1) == 1 && value_at(&out, 0, 0, 2, 2) == 1);
    CHECK(value_at(&out, 0, 0, 0, 1) == 8 && value_at(&out, 0, 0, 3, 3) == 8);
    tess_release(&in);
    tess_release(&out);
}

TEST(values_of_complex_and_compound_dtypes)
{
    tess_array z = constant(TESS_C32, 1, 1, 1, 1, 1), m = constant(TESS_MAT22_F64, 1, 1, 1, 1, 1), out = { 0 };
    tess_c64   got = { 0, 0 };
    CHECK_OK(tess_pad(&out, &z, TESS_SHAPE(0, 0, 0, 1), TESS_SHAPE(0, 0, 0, 0),
                      &(tess_resize_opts){ .border = TESS_BORDER_VALUE, .value = 2, .value_imag = -3 }));
    CHECK_OK(tess_get_c64(&got, &out, 0, 0, 0, 0));
    CHECK(got.re == 2 && got.im == -3);
    tess_release(&out);
    CHECK_OK(tess_pad(&out, &m, TESS_SHAPE(0, 0, 0, 1), TESS_SHAPE(0, 0, 0, 0),
                      &(tess_resize_opts){ .border = TESS_BORDER_VALUE, .value = (double)NAN }));
    for (int i = 0; i < 4; i++) CHECK(isnan(((double *)out.data)[i]) && ((double *)out.data)[4 + i] == 1);
    tess_release(&out);
    tess_release(&z);
    tess_release(&m);
}

TEST(empty_inputs)
{
    const tess_shape none = TESS_SHAPE(0, 0, 0, 0), some = TESS_SHAPE(0, 0, 2, 0);
    tess_array       in = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 0, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_pad(&out, &in, some, none, NULL));
    CHECK_DIMS(out.shape, 1, 1, 2, 3);
    CHECK(all_are(&out, 0));
    CHECK_OK(tess_pad(&out, &in, some, none, &(tess_resize_opts){ .border = TESS_BORDER_VALUE, .value = 4 }));
    CHECK(all_are(&out, 4));
    for (int border = TESS_BORDER_CLAMP; border <= TESS_BORDER_REFLECT; border++)
        CHECK_FAILS(tess_pad(&out, &in, some, none, &(tess_resize_opts){ .border = border }), TESS_ESHAPE,
                    "pad: in has", "{1,1,0,3}", "{1,1,2,3}");
    tess_release(&out);
    CHECK_OK(tess_pad(&out, &in, TESS_SHAPE(0, 0, 0, 5), none, &(tess_resize_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK_DIMS(out.shape, 1, 1, 0, 8);
    tess_release(&in);
    tess_release(&out);
}

/* ---- Bin ---- */

TEST(bin)
{
    tess_array in = numbers(TESS_F32, 1, 1, 4, 5), out = { 0 };
    CHECK_OK(tess_bin(&out, &in, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK_DIMS(out.shape, 1, 1, 2, 2);
    CHECK(value_at(&out, 0, 0, 0, 0) == 3 && value_at(&out, 0, 0, 1, 1) == 15);
    tess_release(&out);
    CHECK_OK(tess_bin(&out, &in, TESS_SHAPE(1, 1, 3, 2), &(tess_bin_opts){ .partial = 1 }));
    CHECK_DIMS(out.shape, 1, 1, 2, 3);
    CHECK(value_at(&out, 0, 0, 0, 2) == 9 && value_at(&out, 0, 0, 1, 0) == 15.5 && value_at(&out, 0, 0, 1, 2) == 19);
    tess_release(&out);
    CHECK_OK(tess_bin(&out, &in, TESS_SHAPE(9, 9, 9, 9), &(tess_bin_opts){ .partial = 1, .sum = 1 }));
    CHECK(out.dtype == TESS_F32 && value_at(&out, 0, 0, 0, 0) == 190);
    tess_release(&out);
    CHECK_OK(tess_bin(&out, &in, TESS_SHAPE(9, 1, 1, 1), NULL));
    CHECK_DIMS(out.shape, 0, 1, 4, 5);
    tess_release(&out);
    tess_release(&in);
}

TEST(dtypes_of_bins)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
        tess_array in = constant(dtype, 1, 1, 4, 4, 1), mean = { 0 }, sum = { 0 }, want_mean = { 0 }, want_sum = { 0 };
        CHECK_OK(tess_bin(&mean, &in, TESS_SHAPE(1, 1, 4, 4), NULL));
        CHECK_OK(tess_bin(&sum, &in, TESS_SHAPE(1, 1, 4, 4), &(tess_bin_opts){ .sum = 1 }));
        CHECK_OK(tess_mean(&want_mean, &in, 0, NULL));
        CHECK_OK(tess_sum(&want_sum, &in, 0, NULL));
        CHECK(mean.dtype == want_mean.dtype && sum.dtype == want_sum.dtype);
        CHECK(memcmp(mean.data, want_mean.data, tess_dtype_size(mean.dtype)) == 0);
        CHECK(memcmp(sum.data, want_sum.data, tess_dtype_size(sum.dtype)) == 0);
        tess_release(&in);
        tess_release(&mean);
        tess_release(&sum);
        tess_release(&want_mean);
        tess_release(&want_sum);
    }
}

TEST(bins_are_converted_to_the_dtype_of_out)
{
    tess_array in = constant(TESS_F32, 1, 1, 3, 3, 200), small = constant(TESS_U8, 1, 1, 1, 1, 0),
               z = constant(TESS_C64, 1, 1, 1, 1, 0);
    tess_c64 got = { 0, 0 };
    CHECK_OK(tess_bin(&small, &in, TESS_SHAPE(1, 1, 3, 3), &(tess_bin_opts){ .sum = 1 }));
    CHECK(value_at(&small, 0, 0, 0, 0) == 255);
    CHECK_OK(tess_bin(&z, &in, TESS_SHAPE(1, 1, 3, 3), NULL));
    CHECK_OK(tess_get_c64(&got, &z, 0, 0, 0, 0));
    CHECK(got.re == 200 && got.im == 0);
    tess_release(&in);
    tess_release(&small);
    tess_release(&z);
}

/* Not even where their sum does not fit. */
TEST(means_of_wide_integers_do_not_wrap)
{
    const int64_t  i64[2][6] = { { INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX, (INT64_C(1) << 62) + 1, 3 },
                                 { INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, -(INT64_C(1) << 62), 4 } };
    const uint64_t u64[2][4] = { { UINT64_C(1) << 63, UINT64_C(1) << 63, UINT64_MAX, 1 },
                                 { UINT64_C(1) << 63, UINT64_C(1) << 63, 0, 0 } };
    tess_array     a = { 0 }, b = { 0 }, means = { 0 }, whole = constant(TESS_U64, 1, 1, 1, 2, 0);
    CHECK_OK(tess_wrap(&a, (void *)(uintptr_t)i64, TESS_SHAPE(1, 1, 2, 6), TESS_I64, NULL));
    CHECK_OK(tess_wrap(&b, (void *)(uintptr_t)u64, TESS_SHAPE(1, 1, 2, 4), TESS_U64, NULL));
    CHECK_OK(tess_bin(&means, &a, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK(value_at(&means, 0, 0, 0, 0) == -0x1p63 && value_at(&means, 0, 0, 0, 1) == -0.5);
    CHECK(value_at(&means, 0, 0, 0, 2) == 2);
    tess_release(&means);
    CHECK_OK(tess_bin(&means, &b, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK(value_at(&means, 0, 0, 0, 0) == 0x1p63 && value_at(&means, 0, 0, 0, 1) == 0x1p62);
    CHECK_OK(tess_bin(&whole, &b, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK(((uint64_t *)whole.data)[0] == UINT64_C(1) << 63 && ((uint64_t *)whole.data)[1] == UINT64_C(1) << 62);
    tess_release(&means);
    tess_release(&whole);
    tess_release(&a);
    tess_release(&b);
}

/* A column that is all there is gives what it gives beside others. */
TEST(bins_of_columns_are_added_in_the_same_order)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_F64, TESS_C64 };
    static const tess_shape factors[] = { { { 1, 1, 4, 1 } }, { { 1, 1, 5, 1 } },    { { 1, 2, 2, 1 } },
                                          { { 2, 1, 3, 1 } }, { { 1, 1, 3000, 1 } }, { { 2, 2, 1, 1 } } };
    for (int d = 0; d < 3; d++)
        for (size_t f = 0; f < sizeof factors / sizeof *factors; f++)
            for (int o = 0; o < 4; o++) {
                const tess_bin_opts opts = { .sum = o & 1, .partial = o >> 1 };
                tess_array          in = { 0 }, column = { 0 }, all = { 0 }, one = { 0 }, part = { 0 }, want = { 0 };
                CHECK_OK(tess_empty(&in, TESS_SHAPE(2, 2, 3019, 2), dtypes[d], tess_cpu()));
                CHECK_OK(tess_random_normal(&in, 0, 1, 3, NULL));
                CHECK_OK(tess_slice(&column, &in, 3, 0, 1, 1));
                CHECK_OK(tess_bin(&all, &in, factors[f], &opts));
                CHECK_OK(tess_bin(&one, &column, factors[f], &opts));
                CHECK_OK(tess_slice(&part, &all, 3, 0, 1, 1));
                CHECK_OK(tess_copy(&want, &part));
                CHECK(memcmp(one.data, want.data, (size_t)tess_n_bytes(&want)) == 0);
                tess_release(&in);
                tess_release(&all);
                tess_release(&one);
                tess_release(&want);
            }
}

TEST(special_numbers_in_bins)
{
    tess_array in = row_of(
                   TESS_F32, 8,
                   (double[]){ -0.0, -0.0, (double)INFINITY, 1, (double)INFINITY, -(double)INFINITY, 1e30, 1e30 }),
               out = { 0 };
    for (int factor = 2; factor < 4; factor++) {
        CHECK_OK(tess_bin(&out, &in, TESS_SHAPE(1, 1, 1, factor), NULL));
        CHECK(factor == 2 ? signbit(value_at(&out, 0, 0, 0, 0)) && isnan(value_at(&out, 0, 0, 0, 2))
                          : isinf(value_at(&out, 0, 0, 0, 0)));
        tess_release(&out);
    }
    tess_release(&in);
}

/* ---- Sub-regions ---- */

TEST(extract)
{
    tess_array in = numbers(TESS_I16, 2, 3, 4, 5), out = { 0 };
    tess_array all = origins_of(2, 4, (int64_t[]){ 1, 0, 1, 1, 0, 2, -1, 3 });
    CHECK_OK(tess_extract(&out, &in, &all, TESS_SHAPE(1, 1, 2, 3), NULL));
    CHECK_DIMS(out.shape, 2, 1, 2, 3);
    CHECK(value_at(&out, 0, 0, 0, 0) == 66 && value_at(&out, 0, 0, 1, 2) == 73);
    CHECK(value_at(&out, 1, 0, 0, 0) == 0 && value_at(&out, 1, 0, 1, 1) == 44 && value_at(&out, 1, 0, 1, 2) == 0);
    tess_release(&out);
    tess_release(&all);
    tess_array plane = origins_of(2, 2, (int64_t[]){ 3, 4, -9, 0 });
    CHECK_OK(
        tess_extract(&out, &in, &plane, TESS_SHAPE(1, 2, 1, 2), &(tess_resize_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 19 && value_at(&out, 0, 1, 0, 1) == 39); /* batch i of `in` */
    CHECK(value_at(&out, 1, 0, 0, 0) == 60 && value_at(&out, 1, 1, 0, 1) == 81);
    tess_release(&out);
    tess_release(&plane);
    tess_release(&in);
}

TEST(no_sub_regions)
{
    tess_array in = numbers(TESS_F32, 1, 1, 4, 5), none = { 0 }, out = { 0 }, parts = { 0 };
    CHECK_OK(tess_empty(&none, TESS_SHAPE(0, 1, 1, 2), TESS_I32, tess_cpu()));
    CHECK_OK(tess_extract(&out, &in, &none, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK_DIMS(out.shape, 0, 1, 2, 2);
    CHECK_OK(tess_empty(&parts, TESS_SHAPE(0, 1, 2, 2), TESS_F32, tess_cpu()));
    CHECK_OK(tess_insert(&in, &parts, &none, NULL));
    CHECK(value_at(&in, 0, 0, 3, 4) == 19);
    tess_release(&in);
    tess_release(&out);
    tess_release(&parts);
    tess_release(&none);
}

/* Origins as far away as their dtype goes. */
TEST(far_origins)
{
    tess_array in = numbers(TESS_F32, 1, 1, 4, 5), out = { 0 };
    tess_array far = origins_of(2, 2, (int64_t[]){ INT64_MAX, INT64_MIN, INT64_MIN, INT64_MAX });
    CHECK_OK(tess_extract(&out, &in, &far, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK(all_are(&out, 0));
    CHECK_OK(tess_extract(&out, &in, &far, TESS_SHAPE(1, 1, 2, 2), &(tess_resize_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK(value_at(&out, 0, 0, 1, 1) == 15 && value_at(&out, 1, 0, 1, 1) == 4);
    CHECK_OK(
        tess_extract(&out, &in, &far, TESS_SHAPE(1, 1, 2, 2), &(tess_resize_opts){ .border = TESS_BORDER_MIRROR }));
    CHECK_OK(tess_insert(&in, &out, &far, NULL));
    CHECK(value_at(&in, 0, 0, 3, 4) == 19);
    tess_release(&in);
    tess_release(&out);
    tess_release(&far);
}

TEST(insert_the_last_one_stands)
{
    tess_array out = constant(TESS_F32, 1, 1, 4, 4, 0), parts = numbers(TESS_F32, 3, 1, 2, 2);
    tess_array at = origins_of(3, 2, (int64_t[]){ 0, 0, 1, 1, 3, 3 });
    CHECK_OK(tess_insert(&out, &parts, &at, NULL));
    CHECK(value_at(&out, 0, 0, 0, 1) == 1 && value_at(&out, 0, 0, 1, 1) == 4 && value_at(&out, 0, 0, 3, 3) == 8);
    tess_release(&out);
    tess_release(&parts);
    tess_release(&at);
}

/* Where regions overlap, the weighted mean; elsewhere what was there. */
TEST(insert_with_weights)
{
    tess_array out = constant(TESS_F32, 1, 1, 1, 4, 0), parts = constant(TESS_F32, 2, 1, 1, 2, 0),
               sums = constant(TESS_F32, 1, 1, 1, 4, 0), weights = row_of(TESS_F32, 2, (double[]){ 1, 3 });
    tess_array at = origins_of(2, 2, (int64_t[]){ 0, 0, 0, 1 });
    for (int i = 0; i < 4; i++) ((float *)parts.data)[i] = (float)(i + 1);
    CHECK_OK(
        tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weights = &weights, .weight_sums = &sums }));
    CHECK(row_is(&out, 4, (double[]){ 1, 9, 12, 0 }));
    CHECK(row_is(&sums, 4, (double[]){ 1, 4, 3, 0 }));
    CHECK_OK(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weights = &tess_num(0.5) }));
    CHECK(row_is(&out, 4, (double[]){ 1.5, 11.5, 14, 0 }));
    CHECK_OK(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weight_sums = &sums }));
    CHECK(row_is(&out, 4, (double[]){ 2.5, 16.5, 18, 0 }));
    CHECK(row_is(&sums, 4, (double[]){ 2, 6, 4, 0 }));
    tess_release(&out);
    tess_release(&parts);
    tess_release(&sums);
    tess_release(&weights);
    tess_release(&at);
}

TEST(insert_complex_numbers)
{
    tess_array out = constant(TESS_C16, 1, 1, 1, 2, 1), part = constant(TESS_C16, 1, 1, 1, 1, 2), imag = { 0 };
    tess_array at = origins_of(1, 3, (int64_t[]){ 0, 0, 1 });
    tess_c64   got = { 0, 0 };
    CHECK_OK(tess_imag_view(&imag, &part));
    CHECK_OK(tess_fill(&imag, 3));
    CHECK_OK(tess_insert(&out, &part, &at, &(tess_insert_opts){ .add = 1, .weights = &tess_num(0.5) }));
    CHECK_OK(tess_get_c64(&got, &out, 0, 0, 0, 1));
    CHECK(got.re == 2 && got.im == 1.5);
    tess_release(&out);
    tess_release(&part);
    tess_release(&at);
}

TEST(atlas)
{
    for (int64_t n = 1; n < 30; n++) {
        tess_array images = numbers(TESS_F32, n, 1, 3, 4), origins = { 0 }, whole = { 0 }, back = { 0 };
        tess_shape shape = TESS_SHAPE(0, 0, 0, 0);
        CHECK_OK(tess_atlas_layout(&shape, &origins, n, 3, 4));
        const int64_t columns = (int64_t)ceil(sqrt((double)n));
        CHECK_DIMS(shape, 1, 1, 3 * ((n - 1) / columns + 1), 4 * columns);
        CHECK_OK(tess_zeros(&whole, shape, TESS_F32, tess_cpu()));
        CHECK_OK(tess_insert(&whole, &images, &origins, NULL));
        CHECK_OK(tess_extract(&back, &whole, &origins, TESS_SHAPE(1, 1, 3, 4), NULL));
        CHECK(same_values(&images, &back));
        tess_release(&images);
        tess_release(&origins);
        tess_release(&whole);
        tess_release(&back);
    }
    tess_shape shape;
    CHECK_OK(tess_atlas_layout(&shape, NULL, 10, 1, 1));
    CHECK_DIMS(shape, 1, 1, 3, 4);
}

TEST(asynchronous_streams_keep_what_they_need)
{
    tess_stream *stream = NULL;
    tess_array   in = constant(TESS_F32, 1, 1, 200, 300, 2), padded = { 0 }, small = { 0 }, parts = { 0 }, w = { 0 };
    tess_array   at = origins_of(2, 2, (int64_t[]){ 1, 2, 3, 4 }), out = constant(TESS_F32, 1, 1, 220, 320, 0);
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_pad(&padded, &in, TESS_SHAPE(0, 0, 10, 10), TESS_SHAPE(0, 0, 10, 10),
                      &(tess_resize_opts){ .border = TESS_BORDER_MIRROR }));
    CHECK_OK(tess_bin(&small, &padded, TESS_SHAPE(1, 1, 2, 2), NULL));
    CHECK_OK(tess_extract(&parts, &small, &at, TESS_SHAPE(1, 1, 5, 6), NULL));
    CHECK_OK(tess_full(&w, TESS_SHAPE(1, 1, 5, 6), TESS_F32, tess_cpu(), 3));
    CHECK_OK(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weights = &w }));
    tess_release(&in);
    tess_release(&padded);
    tess_release(&small);
    tess_release(&parts);
    tess_release(&at);
    tess_release(&w);
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(value_at(&out, 0, 0, 1, 2) == 6 && value_at(&out, 0, 0, 3, 4) == 12 && value_at(&out, 0, 0, 0, 0) == 0);
    tess_release(&out);
    tess_stream_free(stream);
}

/* ---- What is rejected ---- */

TEST(bad_shapes)
{
    const tess_shape none = TESS_SHAPE(0, 0, 0, 0);
    tess_array       in = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 };
    CHECK_FAILS(tess_resize(&out, &in, TESS_SHAPE(0, 0, -1, 0), NULL), TESS_ESHAPE, "resize: shape is {0,0,-1,0}");
    CHECK_FAILS(tess_resize(&out, &in, TESS_SHAPE(1, 1 << 30, 1 << 30, 4), NULL), TESS_ESHAPE, "resize: shape", "2^60");
    CHECK_FAILS(tess_resize(&out, &in, TESS_SHAPE(1 << 30, 1 << 26, 0, 0), NULL), TESS_ESHAPE, "resize: the shape",
                "2^60");
    CHECK_FAILS(tess_pad(&out, &in, TESS_SHAPE(0, 0, 0, -3), TESS_SHAPE(0, 0, 0, -2), NULL), TESS_ESHAPE, "pad: in has",
                "leaves -1 elements along axis 3");
    CHECK_FAILS(tess_pad(&out, &in, TESS_SHAPE(0, 0, 0, INT64_MAX), TESS_SHAPE(0, 0, 0, INT64_MAX), NULL), TESS_ERANGE,
                "pad: before is", "2^60");
    CHECK_FAILS(tess_pad(&out, &in, none, TESS_SHAPE(INT64_MIN, 0, 0, 0), NULL), TESS_ERANGE, "pad: after is", "2^60");
    CHECK_FAILS(tess_pad(&out, &in, none, TESS_SHAPE(0, INT64_C(1) << 60, 0, 0), NULL), TESS_ESHAPE, "pad: the shape",
                "2^60");
    CHECK_FAILS(tess_crop(&out, &in, TESS_SHAPE(0, 0, 0, -1), none), TESS_ERANGE, "crop: before is {0,0,0,-1}", "0 to");
    CHECK_FAILS(tess_crop(&out, &in, none, TESS_SHAPE(0, 0, -1, 0)), TESS_ERANGE, "crop: after is {0,0,-1,0}");
    CHECK_FAILS(tess_crop(&out, &in, TESS_SHAPE(0, 0, 2, 0), TESS_SHAPE(0, 0, 2, 0)), TESS_ESHAPE, "crop: in has",
                "leaves -1 elements along axis 2");
    CHECK_FAILS(tess_bin(&out, &in, TESS_SHAPE(1, 1, 0, 1), NULL), TESS_ERANGE, "bin: factors is {1,1,0,1}");
    CHECK_FAILS(tess_bin(&out, &in, TESS_SHAPE(1, 1, 1, -2), NULL), TESS_ERANGE, "bin: factors is {1,1,1,-2}");
    CHECK(is_zeroed(&out));
    tess_release(&in);
}

/* Each function that writes an output made by it, on one input. */
static tess_status call(int function, tess_array *out, const tess_array *in, const tess_array *origins)
{
    const tess_shape one = TESS_SHAPE(0, 0, 0, 1);
    switch (function) {
    case 0: return tess_resize(out, in, TESS_SHAPE(0, 0, 0, 5), NULL);
    case 1: return tess_pad(out, in, one, TESS_SHAPE(0, 0, 0, 0), NULL);
    case 2: return tess_crop(out, in, one, TESS_SHAPE(0, 0, 0, -0));
    case 3: return tess_bin(out, in, TESS_SHAPE(1, 1, 1, 1), NULL);
    default: return tess_extract(out, in, origins, TESS_SHAPE(1, 1, 2, 2), NULL);
    }
}

static const char *const names[] = { "resize", "pad", "crop", "bin", "extract" };
enum { FUNCTIONS = 5 };

TEST(bad_arrays)
{
    tess_array in = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 }, unmade = { 0 }, other = numbers(TESS_F32, 1, 1, 9, 9);
    tess_array at = origins_of(1, 2, (int64_t[]){ 0, 0 }), gpu = on_gpu(in), broken = in;
    broken.dtype = 999;
    for (int f = 0; f < FUNCTIONS; f++) {
        CHECK_FAILS(call(f, NULL, &in, &at), TESS_EARG, names[f], "out is NULL");
        CHECK_FAILS(call(f, &out, NULL, &at), TESS_EARG, names[f], "in is NULL");
        CHECK_FAILS(call(f, &out, &unmade, &at), TESS_EARG, names[f], "in is a released or zeroed");
        CHECK_FAILS(call(f, &out, &broken, &at), TESS_EDTYPE, names[f], "in has dtype 999");
        CHECK_FAILS(call(f, &other, &in, &at), TESS_ESHAPE, names[f], "out has shape {1,1,9,9}");
        CHECK_FAILS(call(f, &out, &gpu, &at), TESS_EDEVICE, names[f]);
        tess_array made = { 0 };
        CHECK_OK(call(f, &made, &in, &at));
        tess_array wrong = constant(TESS_VEC2_F32, made.shape.b, made.shape.d, made.shape.h, made.shape.w, 0);
        tess_array locked = read_only(made), same = made, repeated = made;
        same.data = in.data;
        repeated.strides.h = 0;
        CHECK_FAILS(call(f, &wrong, &in, &at), TESS_EDTYPE, names[f], "out");
        CHECK_FAILS(call(f, &locked, &in, &at), TESS_EWRITE, names[f], "out is read-only");
        CHECK_FAILS(call(f, &repeated, &in, &at), TESS_EWRITE, names[f], "out");
        CHECK_FAILS(call(f, &same, &in, &at), TESS_EALIAS, names[f], "out", "in");
        CHECK(is_zeroed(&out));
        tess_release(&made);
        tess_release(&wrong);
    }
    tess_array v = constant(TESS_VEC2_F32, 1, 1, 2, 2, 0);
    CHECK_FAILS(tess_bin(&out, &v, TESS_SHAPE(1, 1, 2, 2), NULL), TESS_EDTYPE, "bin: in is vec2_f32");
    tess_release(&v);
    tess_release(&in);
    tess_release(&other);
    tess_release(&at);
}

TEST(bad_options)
{
    const tess_shape none = TESS_SHAPE(0, 0, 0, 0), shape = TESS_SHAPE(1, 1, 2, 2);
    tess_array       in = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 }, at = origins_of(1, 2, (int64_t[]){ 0, 0 });
    const struct {
        tess_resize_opts opts;
        tess_status      status;
        const char      *text;
    } bad[] = {
        { { .border = 8 }, TESS_EARG, "border is 8" },
        { { .border = -1 }, TESS_EARG, "border is -1" },
        { { .unused = 1 }, TESS_ERANGE, "unused is 1" },
        { { .value = 3 }, TESS_EARG, "value is 3" },
        { { .value_imag = 3 }, TESS_EARG, "value_imag is 3" },
        { { .border = TESS_BORDER_CLAMP, .value = 3 }, TESS_EARG, "value is 3" },
        { { .border = TESS_BORDER_VALUE, .value_imag = 3 }, TESS_EDTYPE, "value_imag is 3 and in is f32" },
        { { .border = TESS_BORDER_NOTHING }, TESS_EARG, "out is zeroed" },
        { { .reserved = { 0, 0, 1 } }, TESS_EARG, "reserved" },
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK_FAILS(tess_resize(&out, &in, shape, &bad[i].opts), bad[i].status, "resize: ", bad[i].text);
        CHECK_FAILS(tess_pad(&out, &in, none, none, &bad[i].opts), bad[i].status, "pad: ", bad[i].text);
        CHECK_FAILS(tess_extract(&out, &in, &at, shape, &bad[i].opts), bad[i].status, "extract: ", bad[i].text);
    }
    CHECK_FAILS(tess_bin(&out, &in, shape, &(tess_bin_opts){ .sum = 2 }), TESS_ERANGE, "bin: opts->sum is 2");
    CHECK_FAILS(tess_bin(&out, &in, shape, &(tess_bin_opts){ .partial = -1 }), TESS_ERANGE, "bin: opts->partial is -1");
    CHECK_FAILS(tess_bin(&out, &in, shape, &(tess_bin_opts){ .reserved = { 1 } }), TESS_EARG, "bin: opts->reserved");
    CHECK(is_zeroed(&out));
    tess_release(&in);
    tess_release(&at);
}

TEST(bad_origins)
{
    const tess_shape shape = TESS_SHAPE(1, 1, 2, 2);
    tess_array       in = numbers(TESS_F32, 3, 1, 3, 4), out = { 0 }, floats = constant(TESS_F32, 2, 1, 1, 2, 0);
    tess_array       long_ones = constant(TESS_I32, 2, 1, 1, 5, 0), flat = constant(TESS_I32, 1, 1, 2, 2, 0);
    tess_array       two = constant(TESS_I32, 2, 1, 1, 2, 0), parts = numbers(TESS_F32, 2, 1, 2, 2), unmade = { 0 };
    tess_array       single = in;
    single.shape.b = 1;
    CHECK_FAILS(tess_extract(&out, &in, NULL, shape, NULL), TESS_EARG, "extract: origins is NULL");
    CHECK_FAILS(tess_extract(&out, &in, &unmade, shape, NULL), TESS_EARG, "extract: origins is a released");
    CHECK_FAILS(tess_extract(&out, &in, &floats, shape, NULL), TESS_EDTYPE, "extract: origins is f32");
    CHECK_FAILS(tess_extract(&out, &in, &long_ones, shape, NULL), TESS_ESHAPE, "extract: origins has shape {2,1,1,5}");
    CHECK_FAILS(tess_extract(&out, &in, &flat, shape, NULL), TESS_ESHAPE, "extract: origins has shape {1,1,2,2}");
    CHECK_FAILS(tess_extract(&out, &in, &two, shape, NULL), TESS_ESHAPE, "extract: in has shape {3,1,3,4}", "2");
    CHECK_FAILS(tess_extract(&out, &single, &two, TESS_SHAPE(2, 1, 2, 2), NULL), TESS_ESHAPE,
                "extract: shape is {2,1,2,2}", "{1,d,h,w}");
    CHECK_FAILS(tess_extract(&out, &single, &two, TESS_SHAPE(1, 1, -2, 2), NULL), TESS_ESHAPE,
                "extract: shape is {1,1,-2,2}");
    CHECK_FAILS(tess_insert(&in, &parts, &two, NULL), TESS_ESHAPE, "insert: out has shape {3,1,3,4}", "2");
    CHECK_FAILS(tess_insert(&in, &parts, &floats, NULL), TESS_EDTYPE, "insert: origins is f32");
    CHECK_FAILS(tess_insert(&in, &in, &two, NULL), TESS_ESHAPE, "insert: origins has shape {2,1,1,2}", "3");
    CHECK(is_zeroed(&out));
    tess_release(&in);
    tess_release(&floats);
    tess_release(&long_ones);
    tess_release(&flat);
    tess_release(&two);
    tess_release(&parts);
}

TEST(bad_insertions)
{
    tess_array out = numbers(TESS_F32, 1, 1, 4, 4), parts = numbers(TESS_F32, 2, 1, 2, 2), unmade = { 0 };
    tess_array at = origins_of(2, 2, (int64_t[]){ 0, 0, 1, 1 }), ints = numbers(TESS_I32, 2, 1, 2, 2);
    tess_array locked = read_only(out), wide = numbers(TESS_F32, 2, 1, 2, 3), z = constant(TESS_C32, 1, 1, 1, 1, 1);
    tess_array v = constant(TESS_VEC2_F32, 1, 1, 4, 4, 0), vs = constant(TESS_VEC2_F32, 2, 1, 2, 2, 0);
    tess_array sums = constant(TESS_F32, 1, 1, 4, 5, 0), inside = out, gpu = on_gpu(parts);
    inside.shape = TESS_SHAPE(2, 1, 2, 2);
    CHECK_FAILS(tess_insert(NULL, &parts, &at, NULL), TESS_EARG, "insert: out is NULL");
    CHECK_FAILS(tess_insert(&unmade, &parts, &at, NULL), TESS_EARG, "insert: out is a released");
    CHECK_FAILS(tess_insert(&out, NULL, &at, NULL), TESS_EARG, "insert: in is NULL");
    CHECK_FAILS(tess_insert(&locked, &parts, &at, NULL), TESS_EWRITE, "insert: out is read-only");
    CHECK_FAILS(tess_insert(&out, &ints, &at, NULL), TESS_EDTYPE, "insert: in is i32 and out is f32");
    CHECK_FAILS(tess_insert(&out, &inside, &at, NULL), TESS_EALIAS, "insert: out", "in");
    CHECK_FAILS(tess_insert(&out, &gpu, &at, NULL), TESS_EDEVICE, "insert: in");
    tess_array far = on_gpu(at);
    CHECK_FAILS(tess_insert(&out, &parts, &far, NULL), TESS_EDEVICE, "insert: origins is on gpu:0 and out on cpu");
    CHECK_FAILS(tess_extract(&unmade, &out, &far, TESS_SHAPE(1, 1, 2, 2), NULL), TESS_EDEVICE,
                "extract: origins is on gpu:0 and in on cpu");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 3 }), TESS_ERANGE, "insert: opts->add is 3");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .unused = 3 }), TESS_ERANGE,
                "insert: opts->unused");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .reserved = { 3 } }), TESS_EARG, "reserved");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .weights = &parts }), TESS_EARG,
                "insert: opts->weights", "opts->add");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .weight_sums = &sums }), TESS_EARG,
                "insert: opts->weight_sums", "opts->add");
    CHECK_FAILS(tess_insert(&v, &vs, &at, &(tess_insert_opts){ .add = 1 }), TESS_EDTYPE, "insert: in is vec2_f32");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weights = &wide }), TESS_ESHAPE,
                "insert: opts->weights has shape {2,1,2,3}");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weights = &z }), TESS_EDTYPE,
                "insert: opts->weights is c32");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weights = &inside }), TESS_EALIAS,
                "insert: out", "opts->weights");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weight_sums = &sums }), TESS_ESHAPE,
                "insert: opts->weight_sums has shape {1,1,4,5}", "{1,1,4,4}");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weight_sums = &out }), TESS_EALIAS,
                "insert: opts->weight_sums", "out");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weight_sums = &locked }), TESS_EWRITE,
                "insert: opts->weight_sums is read-only");
    CHECK_FAILS(tess_insert(&out, &parts, &at, &(tess_insert_opts){ .add = 1, .weight_sums = &z }), TESS_EDTYPE,
                "insert: opts->weight_sums is c32");
    CHECK(value_at(&out, 0, 0, 3, 3) == 15);
    tess_release(&out);
    tess_release(&parts);
    tess_release(&at);
    tess_release(&ints);
    tess_release(&wide);
    tess_release(&z);
    tess_release(&v);
    tess_release(&vs);
    tess_release(&sums);
}

TEST(bad_atlases)
{
    tess_shape shape = TESS_SHAPE(9, 9, 9, 9);
    tess_array floats = constant(TESS_F32, 3, 1, 1, 2, 0), ints = constant(TESS_I64, 4, 1, 1, 2, 7);
    CHECK_FAILS(tess_atlas_layout(NULL, NULL, 1, 1, 1), TESS_EARG, "atlas_layout: atlas is NULL");
    CHECK_FAILS(tess_atlas_layout(&shape, NULL, 0, 1, 1), TESS_ERANGE, "atlas_layout: n is 0");
    CHECK_FAILS(tess_atlas_layout(&shape, NULL, INT64_MAX, 1, 1), TESS_ERANGE, "atlas_layout: n is");
    CHECK_FAILS(tess_atlas_layout(&shape, NULL, 1, 0, 1), TESS_ESHAPE, "atlas_layout: h is 0");
    CHECK_FAILS(tess_atlas_layout(&shape, NULL, 1, 1, -1), TESS_ESHAPE, "atlas_layout: h is 1 and w is -1");
    CHECK_FAILS(tess_atlas_layout(&shape, NULL, 9, INT64_MAX, 1), TESS_ESHAPE, "3 rows", "2^63");
    CHECK_FAILS(tess_atlas_layout(&shape, NULL, 4, INT64_C(1) << 40, 1 << 30), TESS_ESHAPE, "atlas_layout: the atlas");
    CHECK_FAILS(tess_atlas_layout(&shape, &floats, 3, 1, 1), TESS_EDTYPE, "atlas_layout: origins has dtype f32");
    tess_array locked = read_only(ints);
    CHECK_FAILS(tess_atlas_layout(&shape, &locked, 4, 1, 1), TESS_EWRITE, "atlas_layout: origins is read-only");
    CHECK_FAILS(tess_atlas_layout(&shape, &ints, 3, 1, 1), TESS_ESHAPE, "atlas_layout: origins has shape {4,1,1,2}");
    CHECK_DIMS(shape, 9, 9, 9, 9);
    CHECK(all_are(&ints, 7));
    tess_release(&floats);
    tess_release(&ints);
}

static hooks h;

TEST(allocations_that_fail)
{
    tess_array   in = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 }, at = origins_of(1, 2, (int64_t[]){ 0, 0 });
    tess_stream *stream = NULL;
    tess_shape   shape;
    hooks_on(&h);
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    for (int f = 0; f < FUNCTIONS; f++) {
        bool fired = true;
        for (int n = 1; fired && n < 20; n++) {
            atomic_store(&h.calls, 0);
            atomic_store(&h.fired, 0);
            atomic_store(&h.fail_at, n);
            const tess_status at_once = call(f, &out, &in, &at);
            const tess_status status =
                at_once == TESS_OK ? tess_stream_sync(stream) : at_once; /* lists are made late */
            atomic_store(&h.fail_at, 0);
            fired = atomic_load(&h.fired) > 0;
            if (fired) CHECK_FAILS(status, TESS_ENOMEM, "memory", "bytes");
            else CHECK_OK(status);
            if (at_once != TESS_OK) CHECK(is_zeroed(&out));
        }
        tess_release(&out);
    }
    atomic_store(&h.calls, 0);
    atomic_store(&h.fail_at, 1);
    CHECK_FAILS(tess_insert(&in, &tess_f32(1), &at, NULL), TESS_ENOMEM, "insert", "memory", "bytes");
    atomic_store(&h.calls, 0);
    CHECK_FAILS(tess_atlas_layout(&shape, &out, 3, 4, 5), TESS_ENOMEM, "atlas_layout", "memory", "bytes");
    CHECK(is_zeroed(&out));
    atomic_store(&h.fail_at, 0);
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(stream);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    tess_release(&in);
    tess_release(&at);
}

TEST(windows_far_outside_hold_the_border_alone)
{
    tess_array    in = constant(TESS_F32, 1, 1, 4, 16, 1), out = { 0 };
    const int64_t far = INT64_C(1) << 60;
    CHECK_OK(tess_pad(&out, &in, TESS_SHAPE(0, 0, -far, 0), TESS_SHAPE(0, 0, far, 0), NULL));
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 16; x++) CHECK(value_at(&out, 0, 0, y, x) == 0);
    tess_release(&in);
    tess_release(&out);
}

TEST(a_number_as_origin_is_taken_in_the_call)
{
    tess_stream *stream = NULL;
    tess_array   in = { 0 }, out = { 0 }, origins, number = tess_i64(2);
    CHECK_OK(tess_arange(&in, TESS_SHAPE(1, 1, 8, 8), TESS_F32, tess_cpu(), 0, 1));
    CHECK_OK(tess_broadcast(&origins, &number, TESS_SHAPE(1, 1, 1, 2)));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_extract(&out, &in, &origins, TESS_SHAPE(1, 1, 1, 1), NULL));
    *(int64_t *)number.data = 5;
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(value_at(&out, 0, 0, 0, 0) == 18);
    tess_stream_free(stream);
    tess_release(&in);
    tess_release(&out);
}

/* ---- Large results ---- */

enum { IMAGES = 70, HEIGHT = 1000, WIDTH = 1001 };

/* Each image of `all` is what the work makes of that image alone, which is too small for non-temporal stores. */
static void check_alone(const tess_array *all, const tess_array *in, const tess_array *origins, tess_resize_opts opts)
{
    for (int i = 0; i < IMAGES; i++) {
        tess_array image, want, origin, got = { 0 };
        CHECK_OK(tess_view_at(&image, in, 0, i));
        CHECK_OK(tess_view_at(&want, all, 0, i));
        if (origins) {
            CHECK_OK(tess_view_at(&origin, origins, 0, i));
            CHECK_OK(tess_extract(&got, &image, &origin, TESS_SHAPE(1, 1, 990, 977), &opts));
        } else {
            CHECK_OK(tess_pad(&got, &image, TESS_SHAPE(0, 0, 3, 2), TESS_SHAPE(0, 0, 5, 29), &opts));
        }
        CHECK(tess_n_bytes(&got) == tess_n_bytes(&want));
        CHECK(memcmp(got.data, want.data, (size_t)tess_n_bytes(&got)) == 0);
        tess_release(&got);
    }
}

TEST(large_results_are_those_of_their_parts)
{
    tess_array in = { 0 }, out = { 0 };
    int64_t    corners[IMAGES][2];
    for (int i = 0; i < IMAGES; i++) corners[i][0] = i % 11, corners[i][1] = i % 25;
    tess_array origins = origins_of(IMAGES, 2, corners[0]);
    CHECK_OK(tess_empty(&in, TESS_SHAPE(IMAGES, 1, HEIGHT, WIDTH), TESS_U8, tess_cpu()));
    CHECK_OK(tess_random_integers(&in, 0, 255, 1, NULL));
    for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_REFLECT; border++) {
        const tess_resize_opts opts = { .border = border };
        CHECK_OK(tess_pad(&out, &in, TESS_SHAPE(0, 0, 3, 2), TESS_SHAPE(0, 0, 5, 29), &opts));
        check_alone(&out, &in, NULL, opts);
    }
    tess_release(&out);
    CHECK_OK(tess_extract(&out, &in, &origins, TESS_SHAPE(1, 1, 990, 977), NULL));
    check_alone(&out, &in, &origins, (tess_resize_opts){ 0 });
    tess_release(&in);
    tess_release(&out);
    tess_release(&origins);
}
