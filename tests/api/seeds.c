/* What the texts that the project was started from say of shapes, strides, views, complex numbers and errors. */
#include <complex.h>

#include "support/arrays.h"
#include "support/hooks.h"

/* ---- Order and layout ---- */

TEST(dimensions_are_batch_depth_height_width)
{
    const tess_shape   shape = TESS_SHAPE(2, 3, 4, 5);
    const tess_strides strides = TESS_STRIDES(60, 20, 5, 1);
    CHECK_DIMS(shape, shape.b, shape.d, shape.h, shape.w);
    CHECK_DIMS(shape, 2, 3, 4, 5);
    CHECK_DIMS(strides, strides.b, strides.d, strides.h, strides.w);
    CHECK_DIMS(strides, 60, 20, 5, 1);
}

TEST(c_contiguous_1_30_64_128_has_strides_245760_8192_128_1)
{
    tess_array a = { 0 };
    CHECK_DIMS(tess_strides_contiguous(TESS_SHAPE(1, 30, 64, 128), 'C'), 245760, 8192, 128, 1);
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 30, 64, 128), TESS_F32, tess_cpu()));
    CHECK_DIMS(a.strides, 245760, 8192, 128, 1);
    CHECK(tess_is_contiguous(&a, 'C'));
    tess_release(&a);
}

TEST(f_contiguous_1_30_64_128_has_strides_245760_8192_1_64)
{
    CHECK_DIMS(tess_strides_contiguous(TESS_SHAPE(1, 30, 64, 128), 'F'), 245760, 8192, 1, 64);
}

TEST(c_contiguous_1_2_3_4_has_strides_24_12_4_1)
{
    CHECK_DIMS(tess_strides_contiguous(TESS_SHAPE(1, 2, 3, 4), 'C'), 24, 12, 4, 1);
}

TEST(f_contiguous_1_2_3_4_has_strides_24_12_1_3)
{
    /* The text says {24,12,1,4}; its other example, {245760,8192,1,64} of height 64, shows that the height is meant. */
    CHECK_DIMS(tess_strides_contiguous(TESS_SHAPE(1, 2, 3, 4), 'F'), 24, 12, 1, 3);
    CHECK_DIMS(tess_strides_contiguous(TESS_SHAPE(1, 2, 4, 3), 'F'), 24, 12, 1, 4);
}

TEST(f_contiguous_is_not_rightmost)
{
    float              data[24];
    const tess_shape   shape = TESS_SHAPE(1, 2, 3, 4);
    const tess_strides strides = tess_strides_contiguous(shape, 'F');
    tess_array         a = { 0 };
    CHECK_OK(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .strides = &strides, .length = 24 }));
    CHECK(tess_is_contiguous(&a, 'F'));
    CHECK(!tess_is_contiguous(&a, 'C'));
}

TEST(f_order_leaves_batch_and_depth_as_they_are)
{
    const tess_shape   shape = TESS_SHAPE(5, 2, 3, 4);
    const tess_strides c = tess_strides_contiguous(shape, 'C'), f = tess_strides_contiguous(shape, 'F');
    CHECK(c.b == f.b && c.d == f.d);
    CHECK_DIMS(f, 24, 12, 1, 3);
}

TEST(strides_count_elements_not_bytes)
{
    tess_array one = { 0 }, eight = { 0 };
    CHECK_OK(tess_empty(&one, TESS_SHAPE(1, 3, 4, 5), TESS_U8, tess_cpu()));
    CHECK_OK(tess_empty(&eight, TESS_SHAPE(1, 3, 4, 5), TESS_F64, tess_cpu()));
    CHECK_DIMS(one.strides, 60, 20, 5, 1);
    CHECK_DIMS(eight.strides, 60, 20, 5, 1);
    CHECK(tess_address(&eight, 0, 0, 0, 1) == (char *)eight.data + 8);
    tess_release(&one);
    tess_release(&eight);
}

TEST(indices_are_entered_left_to_right)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5);
    CHECK(value_at(&a, 1, 0, 0, 0) == 60);
    CHECK(value_at(&a, 0, 1, 0, 0) == 20);
    CHECK(value_at(&a, 0, 0, 1, 0) == 5);
    CHECK(value_at(&a, 0, 0, 0, 1) == 1);
    tess_release(&a);
}

TEST(users_may_use_column_major_arrays)
{
    const tess_shape   shape = TESS_SHAPE(1, 2, 3, 4);
    const tess_strides strides = tess_strides_contiguous(shape, 'F');
    tess_array         c = numbers(TESS_F32, 1, 2, 3, 4), f = { 0 }, back = { 0 };
    float              data[24] = { 0 };
    CHECK_OK(tess_wrap(&f, data, shape, TESS_F32, &(tess_wrap_opts){ .strides = &strides, .length = 24 }));
    CHECK_OK(tess_copy(&f, &c));
    CHECK(data[0] == 0 && data[1] == 4 && data[2] == 8 && data[3] == 1);
    CHECK_OK(tess_copy(&back, &f));
    CHECK(tess_is_contiguous(&back, 'C'));
    CHECK(same_values(&back, &c));
    tess_release(&back);
    tess_release(&c);
}

TEST(shapes_and_strides_need_no_heap)
{
    static hooks h;
    tess_array   a = numbers(TESS_F32, 1, 3, 4, 5), v = { 0 };
    hooks_on(&h);
    CHECK_OK(tess_permute(&v, &a, 0, 1, 3, 2));
    CHECK_OK(tess_broadcast(&v, &a, TESS_SHAPE(10, 3, 4, 5)));
    CHECK_OK(tess_slice(&v, &a, 3, TESS_NONE, TESS_NONE, -1));
    CHECK_OK(tess_subregion_text(&v, &a, "..., 1:3, ::2"));
    CHECK_OK(tess_view_at(&v, &a, 1, 2));
    CHECK_I64(atomic_load(&h.calls), 0);
    CHECK_I64(sizeof(tess_shape), 32);
    CHECK_I64(sizeof(tess_strides), 32);
    hooks_off();
    tess_release(&a);
}

/* ---- The example: a, permute, copy, permute_copy ---- */

TEST(array_1_3_4_5_has_strides_60_20_5_1)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5);
    CHECK_DIMS(a.shape, 1, 3, 4, 5);
    CHECK_DIMS(a.strides, 60, 20, 5, 1);
    CHECK(tess_is_contiguous(&a, 'C'));
    tess_release(&a);
}

TEST(permute_0132_has_shape_1_3_5_4_and_strides_60_20_1_5)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), b = { 0 };
    CHECK_OK(tess_permute(&b, &a, 0, 1, 3, 2));
    CHECK_DIMS(b.shape, 1, 3, 5, 4);
    CHECK_DIMS(b.strides, 60, 20, 1, 5);
    CHECK(!tess_is_contiguous(&b, 'C'));
    CHECK(tess_is_contiguous(&b, 'F'));
    tess_release(&a);
}

TEST(copy_of_permuted_array_is_c_contiguous)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), b = { 0 }, c = { 0 };
    CHECK_OK(tess_permute(&b, &a, 0, 1, 3, 2));
    CHECK_OK(tess_copy(&c, &b));
    CHECK(tess_is_contiguous(&c, 'C'));
    CHECK(same_values(&b, &c));
    tess_release(&c);
    tess_release(&a);
}

TEST(permute_copy_is_c_and_not_f)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), b = { 0 }, c = { 0 };
    CHECK_OK(tess_permute(&b, &a, 0, 1, 3, 2));
    CHECK_OK(tess_permute_copy(&c, &a, 0, 1, 3, 2));
    CHECK_DIMS(c.shape, 1, 3, 5, 4);
    CHECK(tess_is_contiguous(&c, 'C'));
    CHECK(!tess_is_contiguous(&c, 'F'));
    CHECK(same_values(&b, &c));
    tess_release(&c);
    tess_release(&a);
}

TEST(copies_of_c_and_f_arrays_are_the_same)
{
    tess_array a = numbers(TESS_F64, 2, 3, 7, 9), f = { 0 }, turned = { 0 }, back = { 0 };
    CHECK_OK(tess_permute_copy(&f, &a, 0, 1, 3, 2));
    CHECK_OK(tess_transpose(&turned, &f));
    CHECK(tess_is_contiguous(&turned, 'F'));
    CHECK_OK(tess_copy(&back, &turned));
    CHECK(memcmp(back.data, a.data, (size_t)tess_n_bytes(&a)) == 0);
    tess_release(&back);
    tess_release(&f);
    tess_release(&a);
}

TEST(a_layout_that_a_function_cannot_use_is_an_error)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), b = { 0 }, v = { 0 };
    CHECK_OK(tess_permute(&b, &a, 0, 1, 3, 2));
    CHECK_FAILS(tess_flatten(&v, &b), TESS_ELAYOUT, "{60,20,1,5}");
    tess_release(&a);
}

/* ---- Broadcasting ---- */

TEST(broadcast_1_3_4_5_to_10_3_4_5_has_strides_0_20_5_1)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), b = { 0 };
    CHECK_OK(tess_broadcast(&b, &a, TESS_SHAPE(10, 3, 4, 5)));
    CHECK_DIMS(b.shape, 10, 3, 4, 5);
    CHECK_DIMS(b.strides, 0, 20, 5, 1);
    tess_release(&a);
}

TEST(broadcasting_breaks_contiguity)
{
    bool       contiguous[4];
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), b = { 0 };
    CHECK_OK(tess_broadcast(&b, &a, TESS_SHAPE(10, 3, 4, 5)));
    CHECK(!tess_is_contiguous(&b, 'C'));
    CHECK(!tess_is_contiguous(&b, 'F'));
    tess_contiguity(contiguous, &b);
    CHECK(!contiguous[0] && contiguous[1] && contiguous[2] && contiguous[3]);
    tess_release(&a);
}

TEST(broadcasting_repeats_the_same_element)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), b = { 0 };
    CHECK_OK(tess_broadcast(&b, &a, TESS_SHAPE(10, 3, 4, 5)));
    for (int64_t i = 0; i < 10; i++) CHECK(tess_address(&b, i, 2, 3, 4) == tess_address(&a, 0, 2, 3, 4));
    tess_release(&a);
}

TEST(empty_dimensions_broadcast_to_any_size)
{
    tess_array a = constant(TESS_F32, 1, 1, 1, 1, 7), v = { 0 };
    CHECK_OK(tess_broadcast(&v, &a, TESS_SHAPE(2, 3, 4, 5)));
    CHECK(all_are(&v, 7));
    CHECK_OK(tess_broadcast(&v, &a, TESS_SHAPE(1, 1 << 20, 1 << 20, 1)));
    CHECK_I64(tess_n_elements(&v), (int64_t)1 << 40);
    CHECK_OK(tess_broadcast(&v, &a, TESS_SHAPE(1, 0, 1, 1)));
    CHECK(tess_is_empty(&v));
    tess_release(&a);
}

TEST(inputs_are_broadcast_to_the_output)
{
    tess_array row = numbers(TESS_F32, 1, 1, 1, 5), out = constant(TESS_F32, 2, 3, 4, 5, -1);
    CHECK_OK(tess_copy(&out, &row));
    CHECK(value_at(&out, 0, 0, 0, 4) == 4 && value_at(&out, 1, 2, 3, 4) == 4 && value_at(&out, 1, 0, 2, 1) == 1);
    tess_release(&row);
    tess_release(&out);
}

TEST(shapes_that_do_not_fit_after_broadcasting_are_an_error)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), out = constant(TESS_F32, 1, 3, 2, 5, -1), v = { 0 };
    CHECK_FAILS(tess_broadcast(&v, &a, TESS_SHAPE(1, 3, 8, 5)), TESS_ESHAPE, "{1,3,4,5}", "{1,3,8,5}");
    CHECK_FAILS(tess_copy(&out, &a), TESS_ESHAPE, "{1,3,4,5}", "{1,3,2,5}");
    CHECK(all_are(&out, -1));
    tess_release(&a);
    tess_release(&out);
}

TEST(values_are_not_written_along_a_broadcast_dimension)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), same = numbers(TESS_F32, 1, 3, 4, 5), b = { 0 };
    CHECK_OK(tess_broadcast(&b, &a, TESS_SHAPE(10, 3, 4, 5)));
    CHECK_FAILS(tess_fill(&b, 1), TESS_EWRITE, "out", "{0,20,5,1}");
    CHECK_FAILS(tess_copy(&b, &same), TESS_EWRITE, "out", "{0,20,5,1}");
    CHECK_FAILS(tess_cast(&b, &same, TESS_F32, NULL), TESS_EWRITE, "out", "{0,20,5,1}");
    CHECK(same_values(&a, &same));
    tess_release(&a);
    tess_release(&same);
}

TEST(reading_a_broadcast_array_is_always_valid)
{
    tess_array a = numbers(TESS_F32, 1, 3, 4, 5), b = { 0 }, copy = { 0 };
    CHECK_OK(tess_broadcast(&b, &a, TESS_SHAPE(10, 3, 4, 5)));
    CHECK_OK(tess_copy(&copy, &b));
    CHECK_DIMS(copy.strides, 60, 20, 5, 1);
    CHECK(same_values(&copy, &b));
    tess_release(&a);
    tess_release(&copy);
}

/* ---- Sizes and their meaning ---- */

TEST(a_size_of_0_makes_an_empty_array)
{
    for (int axis = 0; axis < 4; axis++) {
        tess_shape shape = TESS_SHAPE(2, 3, 4, 5);
        tess_array a = { 0 }, copy = { 0 };
        shape.dim[axis] = 0;
        CHECK_OK(tess_zeros(&a, shape, TESS_F32, tess_cpu()));
        CHECK(tess_is_empty(&a));
        CHECK_I64(tess_n_elements(&a), 0);
        CHECK_I64(tess_n_bytes(&a), 0);
        CHECK_OK(tess_fill(&a, 1));
        CHECK_OK(tess_copy(&copy, &a));
        CHECK(tess_same_shape(&a, &copy));
        tess_release(&a);
        tess_release(&copy);
    }
}

TEST(empty_dimensions_are_1)
{
    tess_array a = numbers(TESS_F32, 1, 1, 4, 5);
    CHECK(!tess_is_empty(&a));
    CHECK_I64(tess_n_elements(&a), 20);
    tess_release(&a);
}

TEST(images_64_1_32_32_and_volume_1_64_32_32_are_told_apart)
{
    tess_array images = numbers(TESS_F32, 64, 1, 32, 32), volume = numbers(TESS_F32, 1, 64, 32, 32), v = { 0 };
    CHECK(!tess_same_shape(&images, &volume));
    CHECK_I64(tess_n_elements(&images), tess_n_elements(&volume));
    CHECK_FAILS(tess_copy(&images, &volume), TESS_ESHAPE, "{1,64,32,32}", "{64,1,32,32}");
    int n = 0;
    for (tess_along walk = { 0 }; tess_along_next(&walk, &v, &images, 0); n++) CHECK_DIMS(v.shape, 1, 1, 32, 32);
    CHECK_I64(n, 64);
    CHECK_OK(tess_reshape(&v, &images, TESS_SHAPE(1, 64, 32, 32)));
    CHECK(tess_same_shape(&v, &volume));
    tess_release(&images);
    tess_release(&volume);
}

TEST(row_and_column_vectors)
{
    tess_array row = numbers(TESS_F32, 1, 1, 1, 5), column = { 0 }, out = { 0 }, grid = { 0 };
    CHECK_OK(tess_transpose(&column, &row));
    CHECK_DIMS(column.shape, 1, 1, 5, 1);
    CHECK(!tess_same_shape(&row, &column));
    CHECK_FAILS(tess_broadcast(&out, &row, column.shape), TESS_ESHAPE, "axis 3", "{1,1,1,5}", "{1,1,5,1}");
    CHECK_OK(tess_broadcast(&grid, &row, TESS_SHAPE(1, 1, 5, 5)));
    CHECK(value_at(&grid, 0, 0, 4, 1) == 1);
    CHECK_OK(tess_broadcast(&grid, &column, TESS_SHAPE(1, 1, 5, 5)));
    CHECK(value_at(&grid, 0, 0, 4, 1) == 4);
    tess_release(&row);
}

TEST(matrices_are_elements_of_a_1d_array)
{
    tess_array a = { 0 };
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(7, 1, 1, 1), TESS_MAT44_F64, tess_cpu()));
    CHECK_DIMS(a.strides, 1, 1, 1, 1);
    CHECK_I64((int64_t)tess_dtype_size(TESS_MAT44_F64), 128);
    CHECK_I64(tess_n_bytes(&a), 7 * 128);
    TESS_AT(tess_mat44_f64, a, 6, 0, 0, 0).at[4 * 1 + 2] = 3;
    CHECK(((double *)a.data)[6 * 16 + 6] == 3);
    tess_release(&a);
}

/* ---- Negative strides: the texts say that they are not supported, or not tested ---- */

TEST(negative_strides_work)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, copy = { 0 };
    CHECK_OK(tess_reverse(&v, &a, TESS_ALL_AXES));
    CHECK_DIMS(v.strides, -60, -20, -5, -1);
    CHECK(value_at(&v, 0, 0, 0, 0) == 119 && value_at(&v, 1, 2, 3, 4) == 0);
    CHECK_OK(tess_copy(&copy, &v));
    CHECK(tess_is_contiguous(&copy, 'C'));
    for (int i = 0; i < 120; i++) CHECK(((float *)copy.data)[i] == (float)(119 - i));
    CHECK_OK(tess_fill(&v, 3));
    CHECK(all_are(&a, 3));
    tess_release(&a);
    tess_release(&copy);
}

TEST(negative_strides_of_one_axis_work_as_input_and_output)
{
    for (int axis = 0; axis < 4; axis++) {
        tess_array a = numbers(TESS_I16, 2, 3, 4, 5), turned = { 0 }, there = { 0 }, back = { 0 };
        CHECK_OK(tess_like(&there, &a));
        CHECK_OK(tess_reverse(&turned, &there, TESS_B << axis));
        CHECK_OK(tess_copy(&turned, &a));
        CHECK_OK(tess_copy(&back, &turned));
        CHECK(same_values(&back, &a));
        CHECK(!same_values(&there, &a));
        tess_release(&a);
        tess_release(&there);
        tess_release(&back);
    }
}

/* ---- Storage: the 2x3x2 table ---- */

static tess_array table(double data[12])
{
    tess_array a = { 0 };
    for (int i = 0; i < 12; i++) data[i] = i;
    CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 2, 3, 2), TESS_F64, &(tess_wrap_opts){ .length = 12 }));
    return a;
}

TEST(array_2x3x2_lies_in_row_major_order)
{
    static const int position[12][3] = { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 1, 0 }, { 0, 1, 1 }, { 0, 2, 0 }, { 0, 2, 1 },
                                         { 1, 0, 0 }, { 1, 0, 1 }, { 1, 1, 0 }, { 1, 1, 1 }, { 1, 2, 0 }, { 1, 2, 1 } };
    double           data[12];
    const tess_array a = table(data);
    for (int i = 0; i < 12; i++)
        CHECK(&TESS_AT(double, a, 0, position[i][0], position[i][1], position[i][2]) == &data[i]);
}

TEST(element_i_j_k_is_data_6i_2j_k)
{
    double           data[12];
    const tess_array a = table(data);
    CHECK(a.strides.d == 6 && a.strides.h == 2 && a.strides.w == 1);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 2; k++) CHECK(tess_address(&a, 0, i, j, k) == &data[6 * i + 2 * j + k]);
}

TEST(second_slice_has_offset_6)
{
    double           data[12];
    const tess_array a = table(data);
    tess_array       b = { 0 };
    CHECK_OK(tess_view_at(&b, &a, 1, 1));
    CHECK_DIMS(b.shape, 1, 1, 3, 2);
    CHECK(b.data == data + 6);
    CHECK(&TESS_AT(double, b, 0, 0, 0, 0) == &TESS_AT(double, a, 0, 1, 0, 0));
    CHECK(&TESS_AT(double, b, 0, 0, 0, 1) == &TESS_AT(double, a, 0, 1, 0, 1));
    CHECK(&TESS_AT(double, b, 0, 0, 1, 0) == &TESS_AT(double, a, 0, 1, 1, 0));
    CHECK(&TESS_AT(double, b, 0, 0, 1, 1) == &TESS_AT(double, a, 0, 1, 1, 1));
    CHECK(&TESS_AT(double, b, 0, 0, 2, 0) == &TESS_AT(double, a, 0, 1, 2, 0));
    CHECK(&TESS_AT(double, b, 0, 0, 2, 1) == &TESS_AT(double, a, 0, 1, 2, 1));
}

TEST(slice_element_i_j_is_data_6_2i_j)
{
    double           data[12];
    const tess_array a = table(data);
    tess_array       b = { 0 };
    CHECK_OK(tess_view_at(&b, &a, 1, 1));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) CHECK(tess_address(&b, 0, 0, i, j) == &data[6 + 2 * i + j]);
}

TEST(work_in_place_on_a_slice_is_seen_through_the_array)
{
    double           data[12];
    const tess_array a = table(data);
    tess_array       b = { 0 };
    CHECK_OK(tess_view_at(&b, &a, 1, 1));
    CHECK_OK(tess_fill(&b, -1));
    for (int i = 0; i < 12; i++) CHECK(data[i] == (i < 6 ? i : -1));
    CHECK(value_at(&a, 0, 1, 2, 1) == -1 && value_at(&a, 0, 0, 2, 1) == 5);
}

TEST(a_slice_is_an_array_in_its_own_right)
{
    double     data[12];
    tess_array a = table(data), b = { 0 };
    CHECK_OK(tess_view_at(&b, &a, 1, 1));
    memset(&a, 0, sizeof a);
    CHECK(value_at(&b, 0, 0, 2, 1) == 11);
    CHECK(tess_is_contiguous(&b, 'C'));
}

TEST(two_arrays_over_one_storage_intersect_or_not)
{
    double           data[12];
    const tess_array a = table(data);
    tess_array       first = { 0 }, second = { 0 }, left = { 0 }, right = { 0 };
    CHECK_OK(tess_view_at(&first, &a, 1, 0));
    CHECK_OK(tess_view_at(&second, &a, 1, 1));
    CHECK_OK(tess_slice(&left, &a, 3, 0, 1, 1));
    CHECK_OK(tess_slice(&right, &a, 3, 1, 2, 1));
    CHECK(tess_overlap(&a, &first) && tess_overlap(&a, &second));
    CHECK(!tess_overlap(&first, &second));
    CHECK(tess_overlap(&first, &left) && tess_overlap(&second, &right));
    CHECK(!tess_overlap(&left, &right));
}

/* ---- Complex numbers ---- */

TEST(complex_is_two_adjacent_reals)
{
    CHECK_I64(sizeof(tess_c16), 4);
    CHECK_I64(sizeof(tess_c32), 8);
    CHECK_I64(sizeof(tess_c64), 16);
    CHECK_I64(offsetof(tess_c16, re), 0);
    CHECK_I64(offsetof(tess_c16, im), 2);
    CHECK_I64(offsetof(tess_c32, re), 0);
    CHECK_I64(offsetof(tess_c32, im), 4);
    CHECK_I64(offsetof(tess_c64, re), 0);
    CHECK_I64(offsetof(tess_c64, im), 8);
}

TEST(complex_is_reinterpreted_as_reals)
{
    tess_array     a = constant(TESS_C32, 1, 1, 2, 3, 0), v = { 0 };
    const tess_c32 z = { 3, -4 };
    CHECK_OK(tess_fill_element(&a, &z));
    const float *reals = a.data;
    for (int i = 0; i < 6; i++) CHECK(reals[2 * i] == 3 && reals[2 * i + 1] == -4);
    CHECK_OK(tess_reinterpret(&v, &a, TESS_F32));
    CHECK_DIMS(v.shape, 1, 1, 2, 6);
    CHECK(value_at(&v, 0, 0, 1, 5) == -4);
    tess_release(&a);
}

TEST(complex_is_c_complex)
{
    tess_array a = constant(TESS_C32, 1, 1, 1, 2, 0), b = constant(TESS_C64, 1, 1, 1, 2, 0);
    CHECK_I64(sizeof(float _Complex), sizeof(tess_c32));
    CHECK_I64(sizeof(double _Complex), sizeof(tess_c64));
    CHECK_OK(tess_set_c64(&a, 0, 0, 0, 1, (tess_c64){ 1.5, -2 }));
    CHECK_OK(tess_set_c64(&b, 0, 0, 0, 1, (tess_c64){ 1.5, -2 }));
    float _Complex x;
    double _Complex y;
    memcpy(&x, tess_address(&a, 0, 0, 0, 1), sizeof x);
    memcpy(&y, tess_address(&b, 0, 0, 0, 1), sizeof y);
    CHECK(crealf(x) == 1.5f && cimagf(x) == -2);
    CHECK(creal(y) == 1.5 && cimag(y) == -2);
    CHECK(crealf(((float _Complex *)a.data)[1]) == 1.5f);
    tess_release(&a);
    tess_release(&b);
}

/* ---- Errors ---- */

static tess_status read_slice(const tess_array *a, int64_t i)
{
    tess_array v = { 0 };
    TESS_TRY(tess_view_at(&v, a, 1, i));
    return TESS_OK;
}

static tess_status read_volume(const tess_array *a, const char *name)
{
    for (int64_t i = 0; i < 100; i++) TESS_TRY_NOTE(read_slice(a, i), "slice %d", (int)i);
    (void)name;
    return TESS_OK;
}

static tess_status read_all(const tess_array *a)
{
    TESS_TRY_NOTE(read_volume(a, "x"), "volume of %s", "stack.mrc");
    return TESS_OK;
}

TEST(errors_carry_the_place_where_they_began)
{
    tess_array a = numbers(TESS_F32, 1, 2, 3, 4);
    CHECK_FAILS(read_all(&a), TESS_ERANGE, "index is 2", "-2 to 1");
    CHECK(strncmp(tess_error_trace(), "error: view_at: ", 16) == 0);
    CHECK(strstr(tess_error_trace(), "\n  at ") != NULL);
    CHECK(strstr(tess_error_trace(), "\n  in tess_view_at (") != NULL);
    CHECK(strstr(tess_error_trace(), "\n  in read_slice (") != NULL);
    CHECK(strstr(tess_error_trace(), "tess_view_at(&v, a, 1, i)\n") != NULL);
    tess_release(&a);
}

TEST(nested_errors_unroll_in_order)
{
    tess_array a = numbers(TESS_F32, 1, 2, 3, 4);
    CHECK_FAILS(read_all(&a), TESS_ERANGE, "view_at");
    const char *slice = strstr(tess_error_trace(), "  note: slice 2\n");
    const char *volume = strstr(tess_error_trace(), "  note: volume of stack.mrc\n");
    CHECK(slice && volume && slice < volume);
    tess_release(&a);
}

TEST(messages_have_enough_information)
{
    tess_array a = numbers(TESS_F32, 1, 2, 3, 4), v = { 0 };
    CHECK_FAILS(tess_view_at(&v, &a, 1, 2), TESS_ERANGE, "view_at: ", "index is 2", "axis 1", "has size 2", "-2 to 1");
    tess_release(&a);
}

TEST(running_out_of_memory_is_an_error_like_others)
{
    tess_array a = { 0 };
    CHECK_FAILS(tess_empty(&a, TESS_SHAPE(1 << 15, 1 << 15, 1 << 15, 1), TESS_F64, tess_cpu()), TESS_ENOMEM,
                "281474976710656 bytes");
    CHECK(is_zeroed(&a));
}
