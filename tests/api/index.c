/* Elements by index and by mask, searching, different elements and histograms: examples and what is rejected. */
#include <math.h>

#include "support/gate.h"
#include "support/rows.h"

static void release(tess_array *a, tess_array *b, tess_array *c, tess_array *d)
{
    tess_array *const all[4] = { a, b, c, d };
    for (int k = 0; k < 4; k++)
        if (all[k]) tess_release(all[k]);
}

/* ---- Take and put ---- */

TEST(take_slices)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 2), at = ROW(TESS_I32, 2, -3, 2), out = { 0 };
    CHECK_OK(tess_take(&out, &a, &at, 2));
    CHECK_DIMS(out.shape, 1, 1, 3, 2);
    CHECK(IS(&out, 4, 5, 0, 1, 4, 5));
    tess_release(&out);
    CHECK_OK(tess_take(&out, &a, &tess_i64(-1), 3)); /* one index: a number */
    CHECK_DIMS(out.shape, 1, 1, 3, 1);
    CHECK(IS(&out, 1, 3, 5));
    release(&a, &at, &out, NULL);
}

TEST(take_of_compounds_and_of_nothing)
{
    tess_array a = { 0 }, at = ROW(TESS_U8, 1, 1), none = constant(TESS_I64, 1, 1, 0, 1, 0), out = { 0 };
    CHECK_OK(tess_full(&a, TESS_SHAPE(2, 1, 1, 3), TESS_MAT33_F64, tess_cpu(), 7));
    CHECK_OK(tess_take(&out, &a, &at, 0));
    CHECK(out.dtype == TESS_MAT33_F64 && memcmp(out.data, a.data, 2 * 3 * 9 * 8) == 0);
    tess_release(&out);
    CHECK_OK(tess_take(&out, &a, &none, 0));
    CHECK_DIMS(out.shape, 0, 1, 1, 3);
    release(&a, &at, &none, &out);
}

TEST(take_along_is_each_its_own)
{
    tess_array a = numbers(TESS_I16, 1, 1, 2, 3), at = { 0 }, out = { 0 };
    CHECK_OK(tess_zeros(&at, TESS_SHAPE(1, 1, 2, 2), TESS_I64, tess_cpu()));
    CHECK_OK(tess_set_i64(&at, 0, 0, 0, 1, -1));
    CHECK_OK(tess_set_i64(&at, 0, 0, 1, 0, 1));
    CHECK_OK(tess_take_along(&out, &a, &at, -1));
    CHECK(IS(&out, 0, 2, 4, 3));
    release(&a, &at, &out, NULL);
}

TEST(put_in_the_order_of_indices)
{
    tess_array a = constant(TESS_F32, 1, 1, 1, 4, 0), in = ROW(TESS_F32, 1, 2, 3), at = ROW(TESS_I8, 1, -1, 1);
    CHECK_OK(tess_put(&a, &in, &at, 3, NULL));
    CHECK(IS(&a, 0, 3, 0, 2));
    CHECK_OK(tess_put(&a, &in, &at, 3, &(tess_put_opts){ .add = 1 }));
    CHECK(IS(&a, 0, 7, 0, 4));
    CHECK_OK(tess_put(&a, &tess_num(9), &at, 3, NULL)); /* takes on the dtype */
    CHECK(IS(&a, 0, 9, 0, 9));
    CHECK_OK(tess_put(&a, &tess_f32(5), &tess_i32(0), 3, NULL));
    CHECK(IS(&a, 5, 9, 0, 9));
    release(&a, &in, &at, NULL);
}

TEST(put_adds_every_kind)
{
    for (tess_dtype dtype = TESS_BOOL; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
        tess_array a = constant(dtype, 1, 1, 1, 2, 1), at = ROW(TESS_I64, 0, 0);
        CHECK_FAILS(tess_put(&a, &a, &at, 3, NULL), TESS_EALIAS, "put: out", "in");
        CHECK_OK(tess_put(&a, &tess_num(1), &at, 3, &(tess_put_opts){ .add = 1 }));
        if (tess_dtype_kind(dtype) != TESS_KIND_COMPLEX)
            CHECK(value_at(&a, 0, 0, 0, 0) == (dtype == TESS_BOOL ? 1 : 3));
        release(&a, &at, NULL, NULL);
    }
}

TEST(bad_places_are_named_and_nothing_is_written)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), bad = ROW(TESS_I64, 0, 3, -9),
               out = constant(TESS_F32, 1, 1, 3, 4, -7);
    tess_array grid = constant(TESS_I32, 1, 1, 2, 4, 0), fresh = { 0 }, huge = constant(TESS_U64, 1, 1, 1, 1, 18e18);
    CHECK_OK(tess_set_i64(&grid, 0, 0, 1, 2, -4));
    CHECK_FAILS(tess_take(&out, &a, &bad, 2), TESS_ERANGE, "take: indices[1] is 3; axis 2 has size 3",
                "-3 to 2 are allowed");
    CHECK_FAILS(tess_put(&out, &a, &bad, 2, NULL), TESS_ERANGE, "put: indices[1] is 3; axis 2 has size 3");
    CHECK(all_are(&out, -7));
    CHECK_FAILS(tess_take(&fresh, &a, &bad, 2), TESS_ERANGE, "indices[1]");
    CHECK(is_zeroed(&fresh));
    CHECK_FAILS(tess_take_along(&fresh, &a, &grid, 2), TESS_ERANGE, "indices at {0,0,1,2} is -4; axis 2 has size 3");
    CHECK_FAILS(tess_take(&fresh, &a, &huge, 3), TESS_ERANGE, "indices[0] is 18000000000000000000; axis 3");
    tess_array none = { 0 };
    CHECK_OK(tess_slice(&none, &a, 3, 0, 0, 1));
    CHECK_FAILS(tess_take(&fresh, &none, &tess_i64(0), 3), TESS_ERANGE, "axis 3 has size 0, so no index is allowed");
    CHECK(is_zeroed(&fresh));
    release(&a, &bad, &out, &grid);
    tess_release(&huge);
}

TEST(take_and_put_refuse)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), at = ROW(TESS_I64, 0, 1), real = ROW(TESS_F64, 0), out = { 0 };
    tess_array grid = constant(TESS_I64, 1, 1, 2, 2, 0), mask = constant(TESS_BOOL, 1, 1, 1, 2, 1), zeroed = { 0 };
    tess_array small = constant(TESS_F32, 1, 1, 2, 2, 0), other = constant(TESS_F64, 1, 1, 2, 4, 0);
    tess_array three = ROW(TESS_I8, 0, 1, 2);
    CHECK_FAILS(tess_take(NULL, &a, &at, 2), TESS_EARG, "take: out is NULL");
    CHECK_FAILS(tess_take(&out, NULL, &at, 2), TESS_EARG, "take: in is NULL");
    CHECK_FAILS(tess_take(&out, &a, NULL, 2), TESS_EARG, "take: indices is NULL");
    CHECK_FAILS(tess_take(&out, &a, &real, 2), TESS_EDTYPE, "take: indices is f64; integers are needed");
    CHECK_FAILS(tess_take(&out, &a, &mask, 2), TESS_EDTYPE, "indices is bool", "tess_compress");
    CHECK_FAILS(tess_take(&out, &a, &at, 4), TESS_ERANGE, "take: axis is 4");
    CHECK_FAILS(tess_take(&out, &a, &grid, 2), TESS_ESHAPE, "take: indices has shape {1,1,2,2}", "tess_take_along");
    CHECK_FAILS(tess_take(&small, &a, &at, 2), TESS_ESHAPE, "take: out has shape {1,1,2,2}; {1,1,2,4} is needed");
    CHECK_FAILS(tess_take(&other, &a, &at, 2), TESS_EDTYPE, "take: out has dtype f64; f32 is needed");
    CHECK_FAILS(tess_take(&a, &a, &three, 2), TESS_EALIAS, "take: out", "shares memory with in");
    tess_array gpu = on_gpu(at), fixed = read_only(a);
    CHECK_FAILS(tess_take(&out, &a, &gpu, 2), TESS_EDEVICE, "take: indices is on gpu:0");
    CHECK_FAILS(tess_take_along(&out, &a, &grid, 9), TESS_ERANGE, "take_along: axis is 9");
    CHECK_FAILS(tess_take_along(&out, &a, &grid, 2), TESS_ESHAPE, "take_along: indices has shape");
    CHECK_FAILS(tess_put(&zeroed, &a, &at, 2, NULL), TESS_EARG, "put: out is a released or zeroed array");
    CHECK_FAILS(tess_put(&fixed, &small, &at, 2, NULL), TESS_EWRITE, "put: out is read-only");
    CHECK_FAILS(tess_put(&a, &small, &at, 2, NULL), TESS_ESHAPE, "put: in has shape {1,1,2,2}", "{1,1,2,4}");
    CHECK_FAILS(tess_put(&a, &other, &at, 2, NULL), TESS_EDTYPE, "put: in is f64 and out is f32");
    CHECK_FAILS(tess_put(&a, &small, &grid, 2, NULL), TESS_ESHAPE, "put: indices has shape {1,1,2,2}");
    CHECK_FAILS(tess_put(&a, &tess_num(1), &at, 2, &(tess_put_opts){ .add = 2 }), TESS_ERANGE, "put: opts->add is 2");
    CHECK_FAILS(tess_put(&a, &tess_num(1), &at, 2, &(tess_put_opts){ .reserved = { 1 } }), TESS_EARG, "reserved");
    CHECK(is_zeroed(&out));
    release(&a, &at, &real, &grid);
    release(&mask, &small, &other, &three);
}

/* ---- Through the whole array ---- */

TEST(flat_places_are_those_of_compress_and_unique)
{
    tess_array a = numbers(TESS_F32, 1, 2, 3, 4), turned = { 0 }, mask = { 0 }, values = { 0 }, indices = { 0 };
    CHECK_OK(tess_transpose(&turned, &a));
    CHECK_OK(tess_greater(&mask, &turned, &tess_num(12.5)));
    CHECK_OK(tess_compress(&values, &indices, &turned, &mask));
    tess_array out = { 0 };
    CHECK_OK(tess_take_flat(&out, &turned, &indices));
    CHECK(same_values(&out, &values) && IS(&out, 16, 20, 13, 17, 21, 14, 18, 22, 15, 19, 23));
    CHECK_OK(tess_put_flat(&turned, &tess_num(0), &indices, NULL));
    CHECK(value_at(&a, 0, 0, 2, 3) == 11 && value_at(&a, 0, 1, 0, 0) == 12 && value_at(&a, 0, 1, 0, 1) == 0);
    release(&values, &indices, &out, &mask);
    CHECK_OK(tess_unique(&values, NULL, &indices, NULL, &turned));
    CHECK_OK(tess_take_flat(&out, &turned, &indices));
    CHECK(same_values(&out, &values));
    release(&values, &indices, &out, &a);
}

TEST(take_flat_has_the_shape_of_indices)
{
    tess_array a = numbers(TESS_I16, 1, 2, 2, 3), at = numbers(TESS_U8, 2, 1, 2, 1), out = { 0 }, back = { 0 };
    CHECK_OK(tess_reverse(&back, &a, TESS_D | TESS_W)); /* 8 7 6 11 10 9 2 1 0 5 4 3 */
    CHECK_OK(tess_take_flat(&out, &back, &at));
    CHECK_DIMS(out.shape, 2, 1, 2, 1);
    CHECK(IS(&out, 8, 7, 6, 11));
    tess_release(&out);
    CHECK_OK(tess_take_flat(&out, &back, &tess_i64(-12)));
    CHECK_DIMS(out.shape, 1, 1, 1, 1);
    CHECK(IS(&out, 8));
    tess_release(&out);
    CHECK_OK(tess_take_flat(&out, &tess_f64(7), &tess_i64(0)));
    CHECK(IS(&out, 7));
    release(&a, &at, &out, NULL);
}

TEST(put_flat_in_the_order_of_indices)
{
    tess_array a = constant(TESS_C32, 1, 1, 2, 4, 0), part = { 0 }, at = ROW(TESS_I8, 1, -1, 1), wide = { 0 };
    CHECK_OK(tess_slice(&part, &a, 3, 1, 3, 1));
    CHECK_OK(tess_cast(&wide, &at, TESS_C32, NULL));
    CHECK_OK(tess_put_flat(&part, &wide, &at, NULL));
    tess_array real = { 0 }, turned = { 0 };
    CHECK_OK(tess_real_view(&real, &a));
    CHECK(IS(&real, 0, 0, 1, 0, 0, 0, -1, 0));
    CHECK_OK(tess_put_flat(&part, &wide, &at, &(tess_put_opts){ .add = 1 }));
    CHECK(IS(&real, 0, 0, 3, 0, 0, 0, -2, 0));
    tess_array grid = numbers(TESS_I32, 1, 1, 2, 2); /* turned: 0 2 1 3 */
    CHECK_OK(tess_transpose(&turned, &grid));
    tess_array rows = ROW(TESS_F64, 10, 20), sums = constant(TESS_F64, 1, 1, 2, 2, 0);
    CHECK_OK(tess_put_flat(&sums, &rows, &turned, NULL)); /* in broadcasts to {1,1,2,2} */
    CHECK(IS(&sums, 10, 10, 20, 20));
    release(&a, &at, &wide, &grid);
    release(&rows, &sums, NULL, NULL);
}

TEST(flat_places_of_compounds_and_of_nothing)
{
    tess_array a = { 0 }, at = ROW(TESS_U8, 1, 4), none = constant(TESS_I64, 1, 1, 0, 3, 0), out = { 0 };
    CHECK_OK(tess_full(&a, TESS_SHAPE(2, 1, 1, 3), TESS_MAT33_F64, tess_cpu(), 7));
    CHECK_OK(tess_take_flat(&out, &a, &at));
    CHECK(out.dtype == TESS_MAT33_F64 && memcmp(out.data, a.data, 2 * 9 * 8) == 0);
    CHECK_OK(tess_put_flat(&a, &out, &at, &(tess_put_opts){ .add = 1 }));
    CHECK(((double *)a.data)[9] == 14 && ((double *)a.data)[0] == 7);
    tess_release(&out);
    CHECK_OK(tess_take_flat(&out, &a, &none));
    CHECK_DIMS(out.shape, 1, 1, 0, 3);
    CHECK_OK(tess_put_flat(&a, &out, &none, NULL));
    release(&a, &at, &none, &out);
}

TEST(bad_flat_places_are_named_and_nothing_is_written)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), grid = constant(TESS_I32, 1, 2, 1, 3, -12), turned = { 0 };
    tess_array empty = { 0 }, out = { 0 };
    CHECK_OK(tess_transpose(&turned, &a));
    CHECK_OK(tess_set_i64(&grid, 0, 1, 0, 2, 12));
    CHECK_FAILS(tess_take_flat(&out, &a, &grid), TESS_ERANGE,
                "take_flat: indices at {0,1,0,2} is 12; in has 12 elements, so -12 to 11 are allowed");
    CHECK_FAILS(tess_put_flat(&turned, &tess_num(5), &grid, NULL), TESS_ERANGE,
                "put_flat: indices at {0,1,0,2} is 12; out has 12 elements");
    CHECK_FAILS(tess_put_flat(&a, &tess_num(5), &tess_i64(-13), NULL), TESS_ERANGE, "put_flat: indices[0] is -13");
    CHECK_FAILS(tess_take_flat(&out, &tess_num(5), &tess_i64(1)), TESS_ERANGE, "in has 1 element, so -1 to 0 are");
    CHECK_OK(tess_slice(&empty, &a, 3, 0, 0, 1));
    CHECK_FAILS(tess_take_flat(&out, &empty, &grid), TESS_ERANGE, "in has 0 elements, so no index is allowed");
    CHECK(is_zeroed(&out) && value_at(&a, 0, 0, 0, 0) == 0 && value_at(&a, 0, 0, 2, 3) == 11);
    release(&a, &grid, NULL, NULL);
}

TEST(flat_places_refuse)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), at = ROW(TESS_I64, 0, 1), real = ROW(TESS_F64, 0), out = { 0 };
    tess_array small = constant(TESS_F32, 1, 1, 1, 3, 0), other = constant(TESS_F64, 1, 1, 1, 2, 0), zeroed = { 0 };
    CHECK_FAILS(tess_take_flat(NULL, &a, &at), TESS_EARG, "take_flat: out is NULL");
    CHECK_FAILS(tess_take_flat(&out, NULL, &at), TESS_EARG, "take_flat: in is NULL");
    CHECK_FAILS(tess_take_flat(&out, &a, NULL), TESS_EARG, "take_flat: indices is NULL");
    CHECK_FAILS(tess_take_flat(&out, &a, &real), TESS_EDTYPE, "take_flat: indices is f64; integers are needed");
    CHECK_FAILS(tess_take_flat(&small, &a, &at), TESS_ESHAPE, "take_flat: out has shape {1,1,1,3}; {1,1,1,2} is");
    CHECK_FAILS(tess_take_flat(&other, &a, &at), TESS_EDTYPE, "take_flat: out has dtype f64; f32 is needed");
    CHECK_FAILS(tess_take_flat(&at, &at, &at), TESS_EALIAS, "take_flat: out", "shares memory with in");
    tess_array gpu = on_gpu(at), fixed = read_only(a);
    CHECK_FAILS(tess_take_flat(&out, &a, &gpu), TESS_EDEVICE, "take_flat: indices is on gpu:0");
    CHECK_FAILS(tess_put_flat(NULL, &a, &at, NULL), TESS_EARG, "put_flat: out is NULL");
    CHECK_FAILS(tess_put_flat(&zeroed, &a, &at, NULL), TESS_EARG, "put_flat: out is a released or zeroed array");
    CHECK_FAILS(tess_put_flat(&fixed, &small, &at, NULL), TESS_EWRITE, "put_flat: out is read-only");
    CHECK_FAILS(tess_put_flat(&a, NULL, &at, NULL), TESS_EARG, "put_flat: in is NULL");
    CHECK_FAILS(tess_put_flat(&a, &small, &real, NULL), TESS_EDTYPE, "put_flat: indices is f64");
    CHECK_FAILS(tess_put_flat(&a, &small, &at, NULL), TESS_ESHAPE, "put_flat: in has shape {1,1,1,3}", "{1,1,1,2}");
    CHECK_FAILS(tess_put_flat(&a, &other, &at, NULL), TESS_EDTYPE, "put_flat: in is f64 and out is f32");
    CHECK_FAILS(tess_put_flat(&at, &at, &at, NULL), TESS_EALIAS, "put_flat: out", "in");
    CHECK_FAILS(tess_put_flat(&a, &tess_num(1), &gpu, NULL), TESS_EDEVICE, "put_flat: indices is on gpu:0");
    CHECK_FAILS(tess_put_flat(&a, &tess_num(1), &at, &(tess_put_opts){ .add = 2 }), TESS_ERANGE,
                "put_flat: opts->add is 2");
    CHECK(is_zeroed(&out));
    release(&a, &at, &real, &small);
    tess_release(&other);
}

/* ---- Masks ---- */

TEST(compress_and_place)
{
    tess_array a = numbers(TESS_I32, 1, 1, 2, 3), mask = ROW(TESS_F32, 0, -0.5, NAN), values = { 0 }, indices = { 0 };
    CHECK_OK(tess_compress(&values, &indices, &a, &mask));
    CHECK(IS(&values, 1, 2, 4, 5) && IS(&indices, 1, 2, 4, 5));
    CHECK(values.dtype == TESS_I32 && indices.dtype == TESS_I64);
    CHECK_OK(tess_neg(&values, &values));
    CHECK_OK(tess_place(&a, &values, &mask));
    CHECK(IS(&a, 0, -1, -2, 3, -4, -5));
    release(&values, &indices, NULL, NULL);
    CHECK_OK(tess_compress(NULL, &indices, &a, &tess_num(0)));
    CHECK_DIMS(indices.shape, 1, 1, 1, 0);
    tess_release(&indices);
    tess_array none = { 0 };
    CHECK_OK(tess_slice(&none, &a, 3, 1, 1, 1));
    CHECK_OK(tess_compress(&values, NULL, &none, &tess_num(1)));
    CHECK_DIMS(values.shape, 1, 1, 1, 0);
    CHECK_OK(tess_place(&none, &values, &tess_num(1)));
    release(&a, &mask, &values, NULL);
}

/* As tess_put does: a weak number takes on the dtype, others must have it. */
TEST(place_takes_a_number)
{
    tess_array a = numbers(TESS_I16, 2, 1, 100, 101), mask = { 0 }, want = { 0 }, none = { 0 };
    CHECK_OK(tess_greater(&mask, &a, &tess_num(5)));
    CHECK_OK(tess_place(&a, &tess_num(7), &mask));
    CHECK_OK(tess_minimum(&want, &a, &tess_num(7)));
    CHECK(same_values(&a, &want) && value_at(&a, 0, 0, 0, 5) == 5 && value_at(&a, 1, 0, 99, 100) == 7);
    CHECK_OK(tess_place(&a, &tess_num(9), &tess_num(1)));
    CHECK(all_are(&a, 9));
    CHECK_FAILS(tess_place(&a, &tess_f64(1), &mask), TESS_EDTYPE, "place: values is f64 and out is i16");
    CHECK_OK(tess_slice(&none, &a, 3, 1, 1, 1));
    CHECK_OK(tess_place(&none, &tess_num(1), &tess_num(1)));
    release(&a, &mask, &want, NULL);
}

TEST(place_takes_values_in_any_layout)
{
    tess_array a = constant(TESS_F32, 1, 1, 2, 3, 0), values = numbers(TESS_F32, 1, 1, 3, 2), turned = { 0 };
    CHECK_OK(tess_transpose(&turned, &values));
    CHECK_OK(tess_place(&a, &turned, &tess_num(1)));
    CHECK(IS(&a, 0, 2, 4, 1, 3, 5));
    release(&a, &values, NULL, NULL);
}

TEST(masks_refuse)
{
    tess_array a = numbers(TESS_F32, 1, 1, 2, 3), mask = constant(TESS_BOOL, 1, 1, 1, 3, 1), out = { 0 }, two = { 0 };
    tess_array wide = constant(TESS_BOOL, 1, 1, 1, 4, 1), vec = { 0 }, few = constant(TESS_F32, 1, 1, 1, 5, 0);
    CHECK_OK(tess_zeros(&vec, TESS_SHAPE(1, 1, 1, 3), TESS_VEC2_F32, tess_cpu()));
    CHECK_FAILS(tess_compress(NULL, NULL, &a, &mask), TESS_EARG, "compress: values and indices are NULL");
    CHECK_FAILS(tess_compress(&out, &out, &a, &mask), TESS_EARG, "compress: values and indices are the same");
    CHECK_FAILS(tess_compress(&few, NULL, &a, &mask), TESS_EARG, "compress: values is an allocated array");
    CHECK_FAILS(tess_compress(&out, &few, &a, &mask), TESS_EARG, "compress: indices is an allocated array");
    CHECK_FAILS(tess_compress(&out, &two, NULL, &mask), TESS_EARG, "compress: in is NULL");
    CHECK_FAILS(tess_compress(&out, &two, &a, NULL), TESS_EARG, "compress: mask is NULL");
    CHECK_FAILS(tess_compress(&out, &two, &a, &wide), TESS_ESHAPE, "compress: mask has shape {1,1,1,4}");
    CHECK_FAILS(tess_compress(&out, &two, &a, &vec), TESS_EDTYPE, "compress: mask is vec2_f32");
    tess_array gpu = on_gpu(mask), fixed = read_only(a);
    CHECK_FAILS(tess_compress(&out, &two, &a, &gpu), TESS_EDEVICE, "compress: mask is on gpu:0");
    CHECK_FAILS(tess_place(NULL, &few, &mask), TESS_EARG, "place: out is NULL");
    CHECK_FAILS(tess_place(&fixed, &few, &mask), TESS_EWRITE, "place: out is read-only");
    CHECK_FAILS(tess_place(&a, &few, &mask), TESS_ESHAPE, "place: values has 5 elements and the mask selects 6");
    CHECK_FAILS(tess_place(&a, &mask, &mask), TESS_EDTYPE, "place: values is bool and out is f32");
    CHECK_FAILS(tess_place(&a, &a, &mask), TESS_EALIAS, "place: out", "values");
    CHECK_FAILS(tess_place(&a, &few, &a), TESS_EALIAS, "place: out", "mask");
    CHECK_FAILS(tess_place(&a, NULL, &mask), TESS_EARG, "place: values is NULL");
    CHECK(is_zeroed(&out) && is_zeroed(&two) && value_at(&a, 0, 0, 1, 2) == 5);
    release(&a, &mask, &wide, &vec);
    tess_release(&few);
}

/* ---- Searching ---- */

TEST(searchsorted_left_and_right)
{
    tess_array row = ROW(TESS_F32, 1, 2, 2, 5, NAN), values = ROW(TESS_F64, 0, 2, 3, 9, NAN), out = { 0 };
    CHECK_OK(tess_searchsorted(&out, &row, &values, NULL));
    CHECK(IS(&out, 0, 1, 3, 4, 4) && out.dtype == TESS_I64);
    CHECK_OK(tess_searchsorted(&out, &row, &values, &(tess_searchsorted_opts){ .right = 1 }));
    CHECK(IS(&out, 0, 3, 3, 4, 5));
    tess_release(&out);
    CHECK_OK(tess_searchsorted(&out, &row, &tess_num(2.5), NULL));
    CHECK(IS(&out, 3));
    tess_release(&out);
    tess_array narrow = constant(TESS_U8, 1, 1, 1, 5, 0);
    CHECK_OK(tess_searchsorted(&narrow, &row, &values, NULL));
    CHECK(IS(&narrow, 0, 1, 3, 4, 4));
    release(&row, &values, &narrow, NULL);
}

TEST(searchsorted_refuses)
{
    tess_array row = constant(TESS_F32, 2, 1, 1, 300, 0), values = constant(TESS_F32, 3, 1, 1, 4, 0), out = { 0 };
    tess_array one = constant(TESS_F32, 1, 1, 1, 300, 0), narrow = constant(TESS_I8, 3, 1, 1, 4, 0);
    tess_array real = constant(TESS_F32, 3, 1, 1, 4, 0), c = { 0 };
    CHECK_OK(tess_zeros(&c, TESS_SHAPE(1, 1, 1, 4), TESS_C32, tess_cpu()));
    CHECK_FAILS(tess_searchsorted(NULL, &one, &values, NULL), TESS_EARG, "searchsorted: out is NULL");
    CHECK_FAILS(tess_searchsorted(&out, NULL, &values, NULL), TESS_EARG, "searchsorted: sorted is NULL");
    CHECK_FAILS(tess_searchsorted(&out, &one, NULL, NULL), TESS_EARG, "searchsorted: values is NULL");
    CHECK_FAILS(tess_searchsorted(&out, &row, &values, NULL), TESS_ESHAPE,
                "searchsorted: sorted has shape {2,1,1,300}");
    CHECK_FAILS(tess_searchsorted(&out, &one, &c, NULL), TESS_EDTYPE, "searchsorted: values is c32");
    CHECK_FAILS(tess_searchsorted(&out, &c, &values, NULL), TESS_EDTYPE, "searchsorted: sorted is c32");
    CHECK_FAILS(tess_searchsorted(&narrow, &one, &values, NULL), TESS_EDTYPE,
                "out is i8, which cannot hold indices up to 300");
    CHECK_FAILS(tess_searchsorted(&real, &one, &values, NULL), TESS_EDTYPE, "searchsorted: out is f32; integers are");
    CHECK_FAILS(tess_searchsorted(&out, &one, &values, &(tess_searchsorted_opts){ .right = 3 }), TESS_ERANGE,
                "right is 3");
    tess_array gpu = on_gpu(one);
    CHECK_FAILS(tess_searchsorted(&out, &gpu, &values, NULL), TESS_EDEVICE, "searchsorted: sorted is on gpu:0");
    CHECK(is_zeroed(&out));
    release(&row, &values, &one, &narrow);
    release(&real, &c, NULL, NULL);
}

/* ---- Different elements ---- */

TEST(unique_with_everything)
{
    tess_array a = ROW(TESS_F32, 3, -0.0, NAN, 1, 0, NAN, 3), values = { 0 }, counts = { 0 }, indices = { 0 },
               which = { 0 };
    CHECK_OK(tess_unique(&values, &counts, &indices, &which, &a));
    CHECK(IS(&values, 0, 1, 3, NAN) && IS(&counts, 2, 1, 2, 2) && IS(&indices, 1, 3, 0, 2));
    CHECK(IS(&which, 2, 0, 3, 1, 0, 3, 2));
    CHECK(!signbit(value_at(&values, 0, 0, 0, 0)));
    release(&values, &counts, &indices, &which);
    CHECK_OK(tess_unique(NULL, &counts, NULL, NULL, &a));
    CHECK(IS(&counts, 2, 1, 2, 2));
    tess_release(&counts);
    tess_array none = { 0 };
    CHECK_OK(tess_slice(&none, &a, 3, 1, 1, 1));
    CHECK_OK(tess_unique(&values, &counts, &indices, &which, &none));
    CHECK(tess_is_empty(&values) && tess_is_empty(&counts) && tess_is_empty(&indices) && tess_is_empty(&which));
    release(&values, &counts, &indices, &which);
    tess_release(&a);
}

TEST(unique_and_searchsorted_of_bools_of_any_bytes)
{
    tess_array a = constant(TESS_BOOL, 1, 1, 1, 4, 0), values = { 0 }, counts = { 0 }, indices = { 0 };
    memcpy(a.data, (uint8_t[]){ 4, 0, 1, 255 }, 4);
    CHECK_OK(tess_unique(&values, &counts, &indices, NULL, &a));
    CHECK(IS(&counts, 1, 3) && IS(&indices, 1, 0) && memcmp(values.data, (uint8_t[]){ 0, 1 }, 2) == 0);
    tess_release(&indices);
    CHECK_OK(tess_searchsorted(&indices, &values, &a, NULL));
    CHECK(IS(&indices, 1, 0, 1, 1));
    memcpy(a.data, (uint8_t[]){ 0, 2, 255, 1 }, 4); /* sorted */
    tess_release(&indices);
    CHECK_OK(tess_searchsorted(&indices, &a, &values, &(tess_searchsorted_opts){ .right = 1 }));
    CHECK(IS(&indices, 1, 4));
    release(&a, &values, &counts, &indices);
}

TEST(unique_refuses)
{
    tess_array a = numbers(TESS_I32, 1, 1, 1, 300), made = constant(TESS_I8, 1, 1, 1, 300, -7), out = { 0 }, c = { 0 };
    tess_array wrong = constant(TESS_I64, 1, 1, 1, 3, 0), real = constant(TESS_F32, 1, 1, 1, 300, 0);
    CHECK_OK(tess_zeros(&c, TESS_SHAPE(1, 1, 1, 4), TESS_C32, tess_cpu()));
    CHECK_FAILS(tess_unique(NULL, NULL, NULL, NULL, &a), TESS_EARG,
                "unique: values, counts, indices and inverse are NULL");
    CHECK_FAILS(tess_unique(&out, NULL, NULL, NULL, NULL), TESS_EARG, "unique: in is NULL");
    CHECK_FAILS(tess_unique(&out, NULL, NULL, NULL, &c), TESS_EDTYPE, "unique: in is c32");
    CHECK_FAILS(tess_unique(&out, &out, NULL, NULL, &a), TESS_EARG, "unique: values and counts are the same array");
    CHECK_FAILS(tess_unique(&made, NULL, NULL, NULL, &a), TESS_EARG, "unique: values is an allocated array");
    CHECK_FAILS(tess_unique(NULL, NULL, NULL, &wrong, &a), TESS_ESHAPE, "unique: inverse has shape {1,1,1,3}");
    CHECK_FAILS(tess_unique(NULL, NULL, NULL, &real, &a), TESS_EDTYPE, "unique: inverse is f32; integers are needed");
    CHECK_FAILS(tess_unique(&out, NULL, NULL, &made, &a), TESS_EDTYPE, "unique: inverse is i8, which cannot hold",
                "299");
    CHECK_FAILS(tess_unique(NULL, NULL, NULL, &a, &a), TESS_EALIAS, "unique: inverse (", "memory with in");
    tess_array there = on_gpu(made);
    CHECK_FAILS(tess_unique(NULL, NULL, NULL, &there, &a), TESS_EDEVICE, "unique: in is on cpu", "inverse on gpu:0");
    CHECK(is_zeroed(&out) && all_are(&made, -7));
    release(&a, &made, &c, &wrong);
    tess_release(&real);
}

/* ---- Histograms ---- */

TEST(histogram_of_equal_bins)
{
    tess_array a = ROW(TESS_F32, 0, 0.5, 1, 1.5, 2, NAN, 3, -1), out = { 0 };
    CHECK_OK(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .high = 2 }));
    CHECK_DIMS(out.shape, 1, 1, 1, 2);
    CHECK(IS(&out, 2, 3) && out.dtype == TESS_I64);
    tess_release(&out);
    CHECK_OK(tess_histogram(&out, &a, 4, 0, NULL)); /* from -1 to 3 */
    CHECK(IS(&out, 1, 2, 2, 2));
    tess_release(&out);
    CHECK_OK(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .high = 2, .density = 1 }));
    CHECK(IS(&out, 0.4, 0.6) && out.dtype == TESS_F64);
    release(&a, &out, NULL, NULL);
}

TEST(histogram_of_constants_and_of_nothing)
{
    tess_array a = constant(TESS_I32, 1, 1, 1, 5, 7), none = { 0 }, out = { 0 };
    CHECK_OK(tess_histogram(&out, &a, 4, 0, NULL)); /* from 6.5 to 7.5 */
    CHECK(IS(&out, 0, 0, 5, 0));
    CHECK_OK(tess_slice(&none, &a, 3, 2, 2, 1));
    CHECK_OK(tess_histogram(&out, &none, 4, 0, NULL));
    CHECK(all_are(&out, 0));
    tess_array nans = constant(TESS_F32, 1, 1, 1, 5, (double)NAN);
    CHECK_OK(tess_histogram(&out, &nans, 4, 0, NULL));
    CHECK(all_are(&out, 0));
    release(&a, &out, &nans, NULL);
}

/* A range beyond what the dtype holds, or that is empty in it, is taken in f64. */
TEST(histogram_of_ranges_that_are_none_in_the_dtype)
{
    const double inf = (double)INFINITY;
    tess_array   a = ROW(TESS_F32, -1, 0, 1, 3e38, inf, NAN), out = { 0 }, half = ROW(TESS_F16, 0, 65504, inf, -inf);
    CHECK_OK(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .high = 1e39 }));
    CHECK(IS(&out, 3, 0));
    CHECK_OK(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .low = -1e39, .high = 1e39 }));
    CHECK(IS(&out, 1, 3));
    CHECK_OK(tess_histogram(&out, &half, 2, 0, &(tess_histogram_opts){ .low = -1e6, .high = 1e6 }));
    CHECK(IS(&out, 0, 2));
    release(&a, &half, &out, NULL);
    a = ROW(TESS_F32, 16777216, 16777218, 16777214);
    CHECK_OK(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .low = 16777216, .high = 16777217 }));
    CHECK(IS(&out, 1, 0));
    release(&a, &out, NULL, NULL);
}

TEST(histogram_densities_of_empty_ranges)
{
    static const double at[] = { 1e17, -1e17, 9007199254740992.0, 1.7976931348623157e308, 0 };
    for (int k = 0; k < 5; k++) {
        const tess_histogram_opts opts = { .low = at[k], .high = at[k] + at[k] * 1e-17, .density = 1 };
        tess_array                a = constant(TESS_F64, 1, 1, 1, 3, at[k]), out = { 0 }, many = { 0 };
        double                    sum = 0;
        CHECK_OK(tess_histogram(&out, &a, 1, 0, &opts));
        CHECK(isfinite(value_at(&out, 0, 0, 0, 0)) && value_at(&out, 0, 0, 0, 0) > 0);
        CHECK_OK(tess_histogram(&many, &a, 1000, 0, &opts)); /* more than there are numbers: most bins have no width */
        for (int i = 0; i < 1000; i++) {
            CHECK(!isnan(value_at(&many, 0, 0, 0, i)));
            sum += value_at(&many, 0, 0, 0, i);
        }
        CHECK(sum > 0);
        release(&a, &out, &many, NULL);
    }
}

TEST(histogram_with_edges_weights_and_axes)
{
    tess_array a = numbers(TESS_U8, 2, 1, 1, 4), edges = ROW(TESS_F64, 0, 1, 5, 5, 6), w = ROW(TESS_F32, 1, 2, 3, 4);
    tess_array out = { 0 };
    CHECK_OK(tess_histogram(&out, &a, 4, TESS_W, &(tess_histogram_opts){ .edges = &edges }));
    CHECK_DIMS(out.shape, 2, 1, 1, 4);
    CHECK(IS(&out, 1, 3, 0, 0, 0, 1, 0, 2));
    tess_release(&out);
    CHECK_OK(tess_histogram(&out, &a, 2, TESS_B, &(tess_histogram_opts){ .high = 8, .weights = &w }));
    CHECK_DIMS(out.shape, 2, 1, 1, 4);
    CHECK(IS(&out, 1, 2, 3, 4, 1, 2, 3, 4));
    tess_release(&out);
    CHECK_OK(tess_histogram(&out, &a, 1, 0, &(tess_histogram_opts){ .weights = &tess_f64(0.5) }));
    CHECK(IS(&out, 4));
    release(&a, &edges, &w, &out);
}

TEST(histogram_of_infinite_bins)
{
    const double inf = INFINITY;
    tess_array   a = ROW(TESS_F32, -inf, -3, NAN, 0, 2, inf, inf), edges = ROW(TESS_F64, -inf, 0, inf), out = { 0 };
    CHECK_OK(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &edges }));
    CHECK(IS(&out, 2, 4));
    tess_release(&out);
    CHECK_OK(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &edges, .density = 1 }));
    CHECK(IS(&out, 0, 0));
    tess_release(&out);
    CHECK_OK(tess_set_f64(&edges, 0, 0, 0, 2, 2));
    CHECK_OK(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &edges }));
    CHECK(IS(&out, 2, 2));
    release(&a, &edges, &out, NULL);
}

TEST(histogram_refuses)
{
    const double inf = INFINITY;
    tess_array   a = ROW(TESS_F32, 0, 1, 2), c = { 0 }, out = { 0 }, endless = ROW(TESS_F64, 0, inf),
               two = ROW(TESS_F64, 0, 1);
    tess_array falls = ROW(TESS_F64, 0, 2, 1), wide = constant(TESS_F32, 1, 1, 1, 4, 1), small = ROW(TESS_I64, 0, 0);
    CHECK_OK(tess_zeros(&c, TESS_SHAPE(1, 1, 1, 3), TESS_C32, tess_cpu()));
    CHECK_FAILS(tess_histogram(NULL, &a, 2, 0, NULL), TESS_EARG, "histogram: out is NULL");
    CHECK_FAILS(tess_histogram(&out, NULL, 2, 0, NULL), TESS_EARG, "histogram: in is NULL");
    CHECK_FAILS(tess_histogram(&out, &c, 2, 0, NULL), TESS_EDTYPE, "histogram: in is c32");
    CHECK_FAILS(tess_histogram(&out, &a, 0, 0, NULL), TESS_ERANGE, "histogram: bins is 0; 1 to");
    CHECK_FAILS(tess_histogram(&out, &a, INT64_MAX, 0, NULL), TESS_ERANGE, "histogram: bins is 9223372036854775807");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 3, NULL), TESS_ERANGE, "histogram: axes is 0x3");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .low = 2, .high = 1 }), TESS_ERANGE,
                "opts->low is 2 and opts->high is 1; high - low must be from 0 to 1.7976931348623157e+308");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .low = -1e308, .high = 1e308 }), TESS_ERANGE,
                "opts->low is -1e+308 and opts->high is 1e+308");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .low = (double)NAN }), TESS_ERANGE,
                "opts->low is nan; any finite number is allowed");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .high = inf }), TESS_ERANGE,
                "opts->high is inf");
    CHECK_FAILS(tess_histogram(&out, &endless, 2, 0, NULL), TESS_ERANGE, "elements of in range from 0 to inf",
                "opts->low");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &two }), TESS_ESHAPE,
                "histogram: opts->edges has shape {1,1,1,2}; for 2 bins {1,1,1,3} is needed");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &a }), TESS_EDTYPE,
                "histogram: opts->edges is f32; f64");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &falls }), TESS_ERANGE,
                "histogram: opts->edges[2] is 1 after 2; the numbers must be in ascending order");
    CHECK_OK(tess_set_f64(&falls, 0, 0, 0, 0, (double)NAN));
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &falls }), TESS_ERANGE,
                "histogram: opts->edges[0] is nan; the numbers");
    CHECK_OK(tess_set_f64(&falls, 0, 0, 0, 0, 0));
    CHECK_OK(tess_set_f64(&falls, 0, 0, 0, 2, (double)NAN));
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &falls }), TESS_ERANGE,
                "opts->edges[2] is nan after 2");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &falls, .high = 1 }), TESS_EARG,
                "either edges or a range");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .weights = &wide }), TESS_ESHAPE,
                "histogram: opts->weights has shape {1,1,1,4}");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .weights = &c }), TESS_EDTYPE,
                "histogram: opts->weights is c32");
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .density = 2 }), TESS_ERANGE, "density is 2");
    CHECK_FAILS(tess_histogram(&small, &a, 3, 0, NULL), TESS_ESHAPE, "out has shape {1,1,1,2}; {1,1,1,3} is needed");
    CHECK_FAILS(tess_histogram(&a, &a, 3, 0, NULL), TESS_EALIAS, "histogram: out", "in");
    tess_array gpu = on_gpu(falls);
    CHECK_FAILS(tess_histogram(&out, &a, 2, 0, &(tess_histogram_opts){ .edges = &gpu }), TESS_EDEVICE,
                "histogram: opts->edges is on gpu:0");
    CHECK(is_zeroed(&out));
    release(&a, &c, &endless, &two);
    release(&falls, &wide, &small, NULL);
}

/* ---- Asynchronous streams ---- */

/* What depends on elements is found when the work is done; arrays may be released before. */
/* Calls that wait, made by the stream's own thread as it frees storage. */
typedef struct callback {
    tess_stream *stream;
    tess_array   in;
    tess_status  status[6];
    char         message[6][200];
} callback;

static void call_all(void *context)
{
    callback  *c = context;
    tess_array out = { 0 };
    double     number = 0;
    CHECK_OK(tess_stream_set_current(c->stream));
    for (int k = 0; k < 6; k++) {
        c->status[k] = k == 0   ? tess_compress(&out, NULL, &c->in, &c->in)
                       : k == 1 ? tess_unique(&out, NULL, NULL, NULL, &c->in)
                       : k == 2 ? tess_host_median(&number, &c->in)
                       : k == 3 ? tess_host_quantile(&number, &c->in, 0.25, NULL)
                       : k == 4 ? tess_histogram(&out, &c->in, 3, 0, NULL)
                                : tess_host_sum(&number, &c->in);
        (void)snprintf(c->message[k], sizeof c->message[k], "%s", tess_error_message());
    }
    CHECK(is_zeroed(&out));
    CHECK_OK(tess_stream_set_current(NULL));
}

TEST(calls_that_wait_refuse_the_thread_they_would_wait_for)
{
    static const char *const names[6] = {
        "compress", "unique", "host_median", "host_quantile", "histogram", "host_sum"
    };
    static gate  g;
    static float cell;
    callback     c = { .in = numbers(TESS_F32, 1, 1, 20, 30) };
    tess_array   wrapped = { 0 };
    CHECK_OK(tess_stream_new(&c.stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    if (!gate_close(&g, c.stream)) return;
    CHECK_OK(tess_stream_set_current(c.stream));
    CHECK_OK(tess_wrap(&wrapped, &cell, TESS_SHAPE(1, 1, 1, 1), TESS_F32,
                       &(tess_wrap_opts){ .drop = call_all, .context = &c }));
    CHECK_OK(tess_fill(&wrapped, 1));
    tess_release(&wrapped);
    gate_open(&g);
    CHECK_OK(tess_stream_sync(c.stream));
    CHECK_OK(tess_stream_set_current(NULL));
    for (int k = 0; k < 6; k++)
        CHECK(c.status[k] == TESS_EARG && strncmp(c.message[k], names[k], strlen(names[k])) == 0 &&
              strstr(c.message[k], "would wait"));
    tess_stream_free(c.stream);
    tess_release(&c.in);
}

TEST(on_an_asynchronous_stream)
{
    tess_stream *s = NULL;
    tess_array   a = numbers(TESS_F32, 1, 1, 300, 40), at = ROW(TESS_I64, 0, -1, 1000), good = { 0 },
               out[6] = { { .dtype = 0 } };
    CHECK_OK(tess_stream_new(&s, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(s));
    CHECK_OK(tess_slice(&good, &at, 3, 0, 2, 1));
    CHECK_OK(tess_take(&out[0], &a, &good, 2));
    CHECK_OK(tess_put(&out[0], &tess_num(3), &tess_i64(0), 3, NULL));
    CHECK_OK(tess_compress(&out[1], &out[2], &a, &a));
    CHECK_OK(tess_unique(&out[3], NULL, NULL, &out[4], &a));
    CHECK_OK(tess_histogram(&out[5], &a, 10, 0, &(tess_histogram_opts){ .weights = &tess_num(2) }));
    CHECK_OK(tess_stream_sync(s));
    CHECK(value_at(&out[0], 0, 0, 1, 1) == 299 * 40 + 1 && value_at(&out[0], 0, 0, 1, 0) == 3);
    CHECK_I64(out[1].shape.w, 300 * 40 - 1);
    CHECK(value_at(&out[3], 0, 0, 0, 7) == 7 && value_at(&out[4], 0, 0, 1, 1) == 41);
    CHECK(value_at(&out[5], 0, 0, 0, 3) == 2 * 1200);
    tess_array grid = numbers(TESS_I32, 1, 1, 30, 40), turned = { 0 }, flat = { 0 };
    CHECK_OK(tess_transpose(&turned, &grid)); /* so that a row of it is a copy */
    CHECK_OK(tess_take_flat(&flat, &a, &turned));
    CHECK_OK(tess_put_flat(&a, &flat, &turned, &(tess_put_opts){ .add = 1 }));
    release(&grid, &flat, NULL, NULL);
    CHECK_OK(tess_stream_sync(s));
    CHECK(value_at(&a, 0, 0, 29, 39) == 2 * 1199 && value_at(&a, 0, 0, 30, 0) == 1200);
    tess_array wrong = { 0 };
    CHECK_OK(tess_take(&wrong, &a, &at, 2));
    release(&wrong, &a, &at, NULL);
    CHECK_FAILS(tess_stream_sync(s), TESS_ERANGE, "take: indices[2] is 1000; axis 2 has size 300");
    CHECK_OK(tess_stream_set_current(NULL));
    tess_stream_free(s);
    for (int k = 0; k < 6; k++) tess_release(&out[k]);
}
