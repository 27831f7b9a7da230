/* Views and queries: exact shapes, strides and addresses, and every bad argument. */
#include "support/arrays.h"

#define TWO(n) ((int64_t)1 << (n))

/* The offset of a view's first element in `a`, in elements of `a`. */
static int64_t offset_in(const tess_array *a, const tess_array *view)
{
    return ((char *)view->data - (char *)a->data) / (int64_t)tess_dtype_size(a->dtype);
}

/* ---- Arguments that every view function rejects ---- */

typedef tess_status viewer(tess_array *view, const tess_array *a);

#define VIEWER(name, call)                                                                                             \
    static tess_status do_##name(tess_array *view, const tess_array *a) { return call; }
VIEWER(permute, tess_permute(view, a, 0, 1, 3, 2))
VIEWER(reshape, tess_reshape(view, a, TESS_SHAPE(1, 1, 1, 24)))
VIEWER(broadcast, tess_broadcast(view, a, TESS_SHAPE(7, 2, 3, 4)))
VIEWER(slice, tess_slice(view, a, 3, 0, 2, 1))
VIEWER(subregion, tess_subregion(view, a, (tess_region){ .h = tess_only(1) }))
VIEWER(text, tess_subregion_text(view, a, "..., 1"))
VIEWER(index, tess_index(view, a, 1, 1))
VIEWER(view_at, tess_view_at(view, a, 1, 1))
VIEWER(reverse, tess_reverse(view, a, TESS_W))
VIEWER(reinterpret, tess_reinterpret(view, a, TESS_F32))
#undef VIEWER

static const struct {
    const char *name;
    viewer     *view;
} viewers[] = {
    { "permute: ", do_permute },         { "transpose: ", tess_transpose }, { "reshape: ", do_reshape },
    { "flatten: ", tess_flatten },       { "broadcast: ", do_broadcast },   { "slice: ", do_slice },
    { "subregion: ", do_subregion },     { "subregion_text: ", do_text },   { "index: ", do_index },
    { "view_at: ", do_view_at },         { "reverse: ", do_reverse },       { "squeeze_left: ", tess_squeeze_left },
    { "reinterpret: ", do_reinterpret }, { "real_view: ", tess_real_view }, { "imag_view: ", tess_imag_view },
};
enum { N_VIEWERS = sizeof viewers / sizeof *viewers };

TEST(views_refuse_null_zeroed_and_released_arrays)
{
    tess_array a = numbers(TESS_C32, 1, 2, 3, 4), released = a, v = { 0 }, zero = { 0 };
    CHECK_OK(tess_retain(&released));
    tess_release(&released);
    for (int i = 0; i < N_VIEWERS; i++) {
        CHECK_FAILS(viewers[i].view(NULL, &a), TESS_EARG, viewers[i].name, "view is NULL");
        CHECK_FAILS(viewers[i].view(&v, NULL), TESS_EARG, viewers[i].name, "a is NULL");
        CHECK_FAILS(viewers[i].view(&v, &zero), TESS_EARG, viewers[i].name, "a is a released or zeroed array");
        CHECK_FAILS(viewers[i].view(&v, &released), TESS_EARG, viewers[i].name, "a is a released or zeroed array");
        CHECK(is_zeroed(&v));
    }
    tess_release(&a);
}

TEST(views_refuse_structs_that_make_no_sense)
{
    tess_array a = numbers(TESS_C32, 1, 2, 3, 4), v = { 0 };
    tess_array dtype = a, negative = a, nowhere = a, huge = a;
    dtype.dtype = 1000;
    negative.shape.h = -3;
    nowhere.data = NULL;
    huge.shape = TESS_SHAPE(TWO(40), TWO(40), 1, 1);
    for (int i = 0; i < N_VIEWERS; i++) {
        CHECK_FAILS(viewers[i].view(&v, &dtype), TESS_EDTYPE, viewers[i].name, "a has dtype 1000");
        CHECK_FAILS(viewers[i].view(&v, &negative), TESS_ESHAPE, viewers[i].name, "{1,2,-3,4}");
        CHECK_FAILS(viewers[i].view(&v, &nowhere), TESS_EARG, viewers[i].name, "data is NULL");
        CHECK_FAILS(viewers[i].view(&v, &huge), TESS_ESHAPE, viewers[i].name, "{1099511627776,1099511627776,1,1}");
        CHECK(is_zeroed(&v));
    }
    tess_release(&a);
}

TEST(a_view_may_be_the_array_itself)
{
    for (int i = 0; i < N_VIEWERS; i++) {
        tess_array a = numbers(TESS_C32, 1, 2, 3, 4), v = { 0 }, same = a;
        CHECK_OK(viewers[i].view(&v, &a));
        CHECK_OK(viewers[i].view(&same, &same));
        CHECK(same_struct(&same, &v));
        tess_release(&a);
    }
}

TEST(views_count_no_reference)
{
    const int64_t used = tess_memory_used(tess_cpu());
    for (int i = 0; i < N_VIEWERS; i++) {
        tess_array a = numbers(TESS_C32, 1, 2, 3, 4), v = { 0 };
        CHECK_OK(viewers[i].view(&v, &a));
        CHECK(v.buffer == a.buffer);
        tess_release(&a);
        CHECK_I64(tess_memory_used(tess_cpu()), used);
    }
}

/* ---- permute, transpose ---- */

TEST(permute_puts_axis_k_at_place_k)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    for (int b = 0; b < 4; b++)
        for (int d = 0; d < 4; d++)
            for (int h = 0; h < 4; h++) {
                const int w = 6 - b - d - h;
                if (b == d || b == h || d == h || w < 0 || w > 3) continue;
                CHECK_OK(tess_permute(&v, &a, b, d, h, w));
                CHECK_DIMS(v.shape, a.shape.dim[b], a.shape.dim[d], a.shape.dim[h], a.shape.dim[w]);
                CHECK_DIMS(v.strides, a.strides.dim[b], a.strides.dim[d], a.strides.dim[h], a.strides.dim[w]);
                CHECK(v.data == a.data);
            }
    tess_release(&a);
}

TEST(permute_counts_axes_from_both_ends)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, w = { 0 };
    CHECK_OK(tess_permute(&v, &a, 0, 1, 3, 2));
    CHECK_OK(tess_permute(&w, &a, -4, 1, -1, -2));
    CHECK(same_struct(&v, &w));
    CHECK_FAILS(tess_permute(&v, &a, 0, 1, 3, -1), TESS_EARG, "{0,1,3,-1}");
    CHECK_FAILS(tess_permute(&v, &a, 0, 1, 2, -5), TESS_EARG, "{0,1,2,-5}");
    tess_release(&a);
}

TEST(permute_refuses_what_is_no_permutation)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_FAILS(tess_permute(&v, &a, 0, 1, 2, 2), TESS_EARG, "{0,1,2,2}", "once");
    CHECK_FAILS(tess_permute(&v, &a, 0, 1, 2, 4), TESS_EARG, "{0,1,2,4}", "0, 1, 2 and 3");
    CHECK_FAILS(tess_permute(&v, &a, 0, 0, 0, 0), TESS_EARG, "{0,0,0,0}");
    CHECK_FAILS(tess_permute(&v, &a, 0, 1, 2, INT32_MAX), TESS_EARG, "{0,1,2,2147483647}");
    CHECK_FAILS(tess_permute(&v, &a, INT32_MIN, 1, 2, 3), TESS_EARG, "{-2147483648,1,2,3}");
    CHECK(is_zeroed(&v));
    tess_release(&a);
}

TEST(transpose_swaps_height_and_width)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_OK(tess_transpose(&v, &a));
    CHECK_DIMS(v.shape, 2, 3, 5, 4);
    CHECK_DIMS(v.strides, 60, 20, 1, 5);
    CHECK(value_at(&v, 1, 2, 4, 3) == 119 && value_at(&v, 0, 0, 4, 1) == 9);
    tess_release(&a);
}

/* ---- reshape, flatten ---- */

TEST(reshape_of_contiguous_arrays)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_OK(tess_reshape(&v, &a, TESS_SHAPE(1, 6, 2, 10)));
    CHECK_DIMS(v.shape, 1, 6, 2, 10);
    CHECK(tess_is_contiguous(&v, 'C') && v.data == a.data);
    CHECK_OK(tess_reshape(&v, &a, TESS_SHAPE(120, 1, 1, 1)));
    CHECK(v.strides.b == 1 && value_at(&v, 77, 0, 0, 0) == 77);
    tess_release(&a);
}

TEST(reshape_infers_one_size)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, empty = { 0 };
    for (int k = 0; k < 4; k++) {
        tess_shape    shape = TESS_SHAPE(1, 6, 2, 10);
        const int64_t size = shape.dim[k];
        shape.dim[k] = -1;
        CHECK_OK(tess_reshape(&v, &a, shape));
        CHECK_I64(v.shape.dim[k], size);
    }
    CHECK_OK(tess_empty(&empty, TESS_SHAPE(1, 0, 4, 5), TESS_F32, tess_cpu()));
    CHECK_OK(tess_reshape(&v, &empty, TESS_SHAPE(1, 1, -1, 7)));
    CHECK_DIMS(v.shape, 1, 1, 0, 7);
    tess_release(&empty);
    tess_release(&a);
}

TEST(reshape_works_where_strides_allow)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, r = { 0 };
    CHECK_OK(tess_slice(&v, &a, 0, TESS_NONE, TESS_NONE, -1));
    CHECK_OK(tess_reshape(&r, &v, TESS_SHAPE(2, 1, 3, 20)));
    CHECK_DIMS(r.strides, -60, r.strides.d, 20, 1);
    CHECK_OK(tess_reverse(&v, &a, TESS_ALL_AXES));
    CHECK_OK(tess_reshape(&r, &v, TESS_SHAPE(1, 1, 12, 10)));
    CHECK(r.strides.h == -10 && r.strides.w == -1 && value_at(&r, 0, 0, 0, 0) == 119);
    CHECK_OK(tess_slice(&v, &a, 3, 0, 4, 2));
    CHECK_OK(tess_reshape(&r, &v, TESS_SHAPE(1, 1, 24, 2)));
    CHECK(r.strides.h == 5 && r.strides.w == 2);
    CHECK_OK(tess_index(&v, &a, 3, 0));
    CHECK_OK(tess_reshape(&r, &v, TESS_SHAPE(1, 1, 1, 24)));
    CHECK(r.strides.w == 5);
    tess_release(&a);
}

TEST(reshape_keeps_the_order_of_elements)
{
    for (int i = 0; i < 300; i++) {
        static const int64_t shapes[6][4] = { { 2, 2, 3, 1 }, { 1, 12, 1, 1 }, { 3, 1, 4, 1 },
                                              { 1, 2, 1, 6 }, { 4, 3, 1, 1 },  { 1, 1, 6, 2 } };
        const int64_t       *from = shapes[test_random_in(0, 5)], *to = shapes[test_random_in(0, 5)];
        tess_array a = numbers(TESS_I32, 2 * from[0], 2 * from[1], 2 * from[2], 2 * from[3]), v = a, r = { 0 };
        for (int k = 0; k < 4; k++) {
            const int64_t step = test_random_in(-2, 2);
            const int64_t size = from[k];
            if (step == 0) CHECK_OK(tess_slice(&v, &v, k, 0, size, 1));
            else if (step > 0) CHECK_OK(tess_slice(&v, &v, k, 0, size * step, step));
            else CHECK_OK(tess_slice(&v, &v, k, -1, TESS_NONE, step));
            if (v.shape.dim[k] != size) CHECK_OK(tess_slice(&v, &v, k, 0, size, 1));
        }
        const tess_status status = tess_reshape(&r, &v, TESS_SHAPE(to[0], to[1], to[2], to[3]));
        if (status == TESS_OK) {
            tess_array x = { 0 }, y = { 0 };
            CHECK_OK(tess_copy(&x, &v));
            CHECK_OK(tess_copy(&y, &r));
            CHECK(memcmp(x.data, y.data, 12 * sizeof(int32_t)) == 0);
            tess_release(&x);
            tess_release(&y);
        } else {
            CHECK_FAILS(status, TESS_ELAYOUT, "reshape: ", "tess_copy it first");
        }
        tess_release(&a);
    }
}

TEST(reshape_refuses)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, t = { 0 };
    CHECK_FAILS(tess_reshape(&v, &a, TESS_SHAPE(1, 1, 1, 119)), TESS_ESHAPE, "{2,3,4,5}", "120 elements",
                "{1,1,1,119}");
    CHECK_FAILS(tess_reshape(&v, &a, TESS_SHAPE(-1, -1, 4, 5)), TESS_ESHAPE, "{-1,-1,4,5}", "at most one -1");
    CHECK_FAILS(tess_reshape(&v, &a, TESS_SHAPE(-2, 1, 4, 5)), TESS_ESHAPE, "{-2,1,4,5}");
    CHECK_FAILS(tess_reshape(&v, &a, TESS_SHAPE(-1, 7, 1, 1)), TESS_ESHAPE, "120 elements", "{-1,7,1,1}");
    CHECK_FAILS(tess_reshape(&v, &a, TESS_SHAPE(-1, 0, 1, 1)), TESS_ESHAPE, "{-1,0,1,1}");
    CHECK_FAILS(tess_reshape(&v, &a, TESS_SHAPE(TWO(32), TWO(32), 1, 1)), TESS_ESHAPE, "{4294967296,4294967296,1,1}");
    CHECK_FAILS(tess_reshape(&v, &a, TESS_SHAPE(TWO(40), TWO(40), -1, 1)), TESS_ESHAPE, "-1");
    CHECK_FAILS(tess_reshape(&v, &a, TESS_SHAPE(INT64_MIN, 1, 1, 1)), TESS_ESHAPE, "{-9223372036854775808,1,1,1}");
    CHECK_OK(tess_transpose(&t, &a));
    CHECK_FAILS(tess_reshape(&v, &t, TESS_SHAPE(1, 1, 1, 120)), TESS_ELAYOUT, "{2,3,5,4}", "{60,20,1,5}", "{1,1,1,120}",
                "tess_copy");
    CHECK(is_zeroed(&v));
    tess_release(&a);
}

TEST(flatten_where_elements_are_equidistant)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, f = { 0 };
    CHECK_OK(tess_flatten(&f, &a));
    CHECK_DIMS(f.shape, 1, 1, 1, 120);
    CHECK_I64(f.strides.w, 1);
    CHECK_OK(tess_reverse(&v, &a, TESS_ALL_AXES));
    CHECK_OK(tess_flatten(&f, &v));
    CHECK(f.strides.w == -1 && value_at(&f, 0, 0, 0, 0) == 119);
    CHECK_OK(tess_subregion_text(&v, &a, "..., 2"));
    CHECK(tess_is_flattenable(&v));
    CHECK_OK(tess_flatten(&f, &v));
    CHECK(f.strides.w == 5 && f.shape.w == 24);
    CHECK_OK(tess_subregion_text(&v, &a, "..., 1:3"));
    CHECK(!tess_is_flattenable(&v));
    CHECK_FAILS(tess_flatten(&f, &v), TESS_ELAYOUT, "flatten: ", "{2,3,4,2}", "{60,20,5,1}");
    tess_release(&a);
}

TEST(flatten_of_broadcast_one_and_none)
{
    tess_array a = constant(TESS_F32, 1, 1, 1, 1, 7), v = { 0 }, f = { 0 }, empty = { 0 };
    CHECK_OK(tess_broadcast(&v, &a, TESS_SHAPE(2, 3, 4, 5)));
    CHECK_OK(tess_flatten(&f, &v));
    CHECK(f.shape.w == 120 && f.strides.w == 0);
    CHECK_OK(tess_flatten(&f, &a));
    CHECK_DIMS(f.shape, 1, 1, 1, 1);
    CHECK_OK(tess_empty(&empty, TESS_SHAPE(3, 0, 2, 2), TESS_F32, tess_cpu()));
    CHECK_OK(tess_flatten(&f, &empty));
    CHECK_DIMS(f.shape, 1, 1, 1, 0);
    tess_release(&empty);
    tess_release(&a);
}

/* ---- broadcast ---- */

TEST(broadcast_sets_strides_of_0)
{
    tess_array a = numbers(TESS_F32, 1, 3, 1, 5), v = { 0 };
    CHECK_OK(tess_broadcast(&v, &a, TESS_SHAPE(2, 3, 4, 5)));
    CHECK_DIMS(v.strides, 0, 5, 0, 1);
    CHECK(value_at(&v, 1, 2, 3, 4) == 14);
    CHECK_OK(tess_broadcast(&v, &a, a.shape));
    CHECK_DIMS(v.strides, 15, 5, 5, 1);
    tess_release(&a);
}

TEST(broadcast_refuses)
{
    tess_array a = numbers(TESS_F32, 1, 3, 1, 5), v = { 0 };
    CHECK_FAILS(tess_broadcast(&v, &a, TESS_SHAPE(2, 6, 4, 5)), TESS_ESHAPE, "{1,3,1,5}", "axis 1", "{2,6,4,5}");
    CHECK_FAILS(tess_broadcast(&v, &a, TESS_SHAPE(2, 1, 4, 5)), TESS_ESHAPE, "axis 1");
    CHECK_FAILS(tess_broadcast(&v, &a, TESS_SHAPE(2, 3, 4, 0)), TESS_ESHAPE, "axis 3");
    CHECK_FAILS(tess_broadcast(&v, &a, TESS_SHAPE(-2, 3, 4, 5)), TESS_ESHAPE, "{-2,3,4,5}");
    CHECK_FAILS(tess_broadcast(&v, &a, TESS_SHAPE(TWO(60), 3, TWO(60), 5)), TESS_ESHAPE, "2^60");
    CHECK(is_zeroed(&v));
    tess_release(&a);
}

/* ---- slice ---- */

/* NumPy's rule, from Python's documentation of slice.indices: start and length of range(n)[from:to:step]. */
static void numpy_slice(int64_t n, int64_t from, int64_t to, int64_t step, int64_t *first, int64_t *count)
{
    const int64_t lower = step < 0 ? -1 : 0, upper = step < 0 ? n - 1 : n;
    int64_t       start = step < 0 ? upper : lower, stop = step < 0 ? lower : upper;
    if (from != TESS_NONE) {
        start = from < 0 ? from + n : from;
        start = start < lower ? lower : start > upper ? upper : start;
    }
    if (to != TESS_NONE) {
        stop = to < 0 ? to + n : to;
        stop = stop < lower ? lower : stop > upper ? upper : stop;
    }
    *first = start;
    *count = 0;
    for (int64_t i = start; step < 0 ? i > stop : i < stop; i += step) ++*count;
}

TEST(slices_are_those_of_numpy)
{
    for (int64_t n = 0; n < 7; n++) {
        tess_array a = { 0 }, v = { 0 };
        CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 2, n, 3), TESS_I32, tess_cpu(), 0, 1));
        for (int64_t from = -9; from <= 9; from++)
            for (int64_t to = -9; to <= 9; to++)
                for (int64_t step = -8; step <= 8; step++) {
                    const int64_t f = from == -9 ? TESS_NONE : from, t = to == 9 ? TESS_NONE : to;
                    int64_t       first, count;
                    if (step == 0) continue;
                    numpy_slice(n, f, t, step, &first, &count);
                    CHECK_OK(tess_slice(&v, &a, 2, f, t, step));
                    CHECK(v.shape.h == count && v.shape.d == 2 && v.shape.w == 3);
                    if (count > 0) CHECK_I64(offset_in(&a, &v), first * 3);
                    if (count > 1) CHECK_I64(v.strides.h, step * 3);
                }
        tess_release(&a);
    }
}

TEST(slice_takes_extreme_numbers)
{
    tess_array a = numbers(TESS_F32, 1, 1, 4, 5), v = { 0 };
    CHECK_OK(tess_slice(&v, &a, 3, INT64_MIN + 1, INT64_MAX, 1));
    CHECK_DIMS(v.shape, 1, 1, 4, 5);
    CHECK_OK(tess_slice(&v, &a, 3, INT64_MAX, INT64_MIN + 1, -1));
    CHECK_DIMS(v.shape, 1, 1, 4, 5);
    CHECK(value_at(&v, 0, 0, 0, 0) == 4);
    CHECK_OK(tess_slice(&v, &a, 3, 0, INT64_MAX, INT64_MAX));
    CHECK_DIMS(v.shape, 1, 1, 4, 1);
    CHECK_OK(tess_slice(&v, &a, 3, TESS_NONE, TESS_NONE, INT64_MIN));
    CHECK_DIMS(v.shape, 1, 1, 4, 1);
    CHECK(value_at(&v, 0, 0, 0, 0) == 4);
    tess_release(&a);
}

TEST(slice_counts_axes_from_both_ends)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, w = { 0 };
    for (int axis = 0; axis < 4; axis++) {
        CHECK_OK(tess_slice(&v, &a, axis, 1, 2, 1));
        CHECK_OK(tess_slice(&w, &a, axis - 4, 1, 2, 1));
        CHECK(same_struct(&v, &w) && v.shape.dim[axis] == 1);
    }
    tess_release(&a);
}

TEST(slice_refuses)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_FAILS(tess_slice(&v, &a, 4, 0, 1, 1), TESS_ERANGE, "axis is 4", "0 (batch) to 3 (width)");
    CHECK_FAILS(tess_slice(&v, &a, -5, 0, 1, 1), TESS_ERANGE, "axis is -5", "-4 to -1");
    CHECK_FAILS(tess_slice(&v, &a, INT32_MIN, 0, 1, 1), TESS_ERANGE, "axis is -2147483648");
    CHECK_FAILS(tess_slice(&v, &a, 3, 0, 1, 0), TESS_EARG, "step", "is 0", "positive or negative");
    CHECK(is_zeroed(&v));
    tess_release(&a);
}

TEST(writing_to_a_slice_changes_only_its_elements)
{
    tess_array a = numbers(TESS_F32, 1, 1, 4, 6), v = { 0 };
    CHECK_OK(tess_slice(&v, &a, 3, 4, 0, -2));
    CHECK_OK(tess_fill(&v, -1));
    for (int h = 0; h < 4; h++)
        for (int w = 0; w < 6; w++)
            CHECK(TESS_AT(float, a, 0, 0, h, w) == (w == 2 || w == 4 ? -1.0f : (float)(6 * h + w)));
    tess_release(&a);
}

/* ---- subregion ---- */

TEST(zeroed_region_is_all)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_OK(tess_subregion(&v, &a, (tess_region){ .b = { 0, 0, 0, 0, 0 } }));
    CHECK(same_struct(&v, &a));
    tess_release(&a);
}

TEST(subregion_takes_a_range_of_each_axis)
{
    tess_array        a = numbers(TESS_F32, 2, 3, 40, 50), v = { 0 };
    const tess_region region = { .b = tess_only(-1),
                                 .d = tess_from_to_step(TESS_NONE, TESS_NONE, -1),
                                 .h = tess_from_to(16, 99),
                                 .w = tess_from_to_step(1, 50, 10) };
    CHECK_OK(tess_subregion(&v, &a, region));
    CHECK_DIMS(v.shape, 1, 3, 24, 5);
    CHECK_DIMS(v.strides, v.strides.b, -2000, 50, 10);
    CHECK_I64(offset_in(&a, &v), 6000 + 4000 + 16 * 50 + 1);
    tess_release(&a);
}

TEST(subregion_refuses)
{
    tess_array  a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    tess_region kind = { .d = { 0, 0, 0, 3, 0 } }, newer = { .w = { 0, 1, 1, TESS_RANGE_SLICE, 1 } };
    CHECK_FAILS(tess_subregion(&v, &a, (tess_region){ .h = tess_only(4) }), TESS_ERANGE, "h is 4", "has size 4",
                "-4 to 3");
    CHECK_FAILS(tess_subregion(&v, &a, (tess_region){ .b = tess_only(-3) }), TESS_ERANGE, "b is -3", "-2 to 1");
    CHECK_FAILS(tess_subregion(&v, &a, (tess_region){ .w = tess_only(TESS_NONE) }), TESS_ERANGE, "w is -92233720368");
    CHECK_FAILS(tess_subregion(&v, &a, (tess_region){ .d = tess_from_to_step(0, 1, 0) }), TESS_EARG, "axis d", "is 0");
    CHECK_FAILS(tess_subregion(&v, &a, kind), TESS_EARG, "axis d", "kind 3");
    kind.d.kind = -1;
    CHECK_FAILS(tess_subregion(&v, &a, kind), TESS_EARG, "axis d", "kind -1");
    CHECK_FAILS(tess_subregion(&v, &a, newer), TESS_EARG, "axis w", "reserved 1");
    CHECK(is_zeroed(&v));
    tess_release(&a);
}

TEST(an_index_into_an_empty_axis_does_not_exist)
{
    tess_array a = { 0 }, v = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 0, 4, 5), TESS_F32, tess_cpu()));
    CHECK_FAILS(tess_subregion(&v, &a, (tess_region){ .d = tess_only(0) }), TESS_ERANGE, "d is 0", "has size 0");
    CHECK_OK(tess_subregion(&v, &a, (tess_region){ .h = tess_only(3) }));
    CHECK_DIMS(v.shape, 2, 0, 1, 5);
    tess_release(&a);
}

/* ---- subregion_text, on an array of {2,3,40,50} ---- */

static const struct good_text {
    const char *text;
    int64_t     b, d, h, w, offset;
} good_texts[] = {
    { "...", 2, 3, 40, 50, 0 },
    { ":", 2, 3, 40, 50, 0 },
    { ":,:,:,:", 2, 3, 40, 50, 0 },
    { "0", 1, 3, 40, 50, 0 },
    { "1", 1, 3, 40, 50, 6000 },
    { "-1", 1, 3, 40, 50, 6000 },
    { "+1", 1, 3, 40, 50, 6000 },
    { "..., 16:48, ::-1", 2, 3, 24, 50, 16 * 50 + 49 },
    { "1, :, ::2", 1, 3, 20, 50, 6000 },
    { "..., 5", 2, 3, 40, 1, 5 },
    { "..., 5, :", 2, 3, 1, 50, 250 },
    { "1, ...", 1, 3, 40, 50, 6000 },
    { "1, ..., 7", 1, 3, 40, 1, 6007 },
    { "1, 2, ..., 7", 1, 1, 40, 1, 10007 },
    { "1, 2, 3, 4", 1, 1, 1, 1, 6000 + 4000 + 150 + 4 },
    { "1, 2, 3, 4, ...", 1, 1, 1, 1, 6000 + 4000 + 150 + 4 },
    { "..., 1, 2, 3, 4", 1, 1, 1, 1, 6000 + 4000 + 150 + 4 },
    { "1, 2, ..., 3, 4", 1, 1, 1, 1, 6000 + 4000 + 150 + 4 },
    { "-2, -3, -40, -50", 1, 1, 1, 1, 0 },
    { "::", 2, 3, 40, 50, 0 },
    { "1:", 1, 3, 40, 50, 6000 },
    { ":1", 1, 3, 40, 50, 0 },
    { ":-1", 1, 3, 40, 50, 0 },
    { "::2", 1, 3, 40, 50, 0 },
    { "::-1", 2, 3, 40, 50, 6000 },
    { "..., 49:0:-7", 2, 3, 40, 7, 49 },
    { "..., -5:", 2, 3, 40, 5, 45 },
    { "..., 10:-10", 2, 3, 40, 30, 10 },
    { "..., 100:", 2, 3, 40, 0, -1 },
    { "..., 5:5", 2, 3, 40, 0, -1 },
    { "..., 7:3", 2, 3, 40, 0, -1 },
    { "..., -100:100", 2, 3, 40, 50, 0 },
    { "  ...  ,  16 : 48 : 3 ,\t1 ", 2, 3, 8, 1, 801 },
    { "1,...,2:4,3", 1, 3, 2, 1, 6103 },
    { "..., 007", 2, 3, 40, 1, 7 },
    { "..., 0:9223372036854775807", 2, 3, 40, 50, 0 },
    { "..., -9223372036854775807:", 2, 3, 40, 50, 0 },
    { "..., ::9223372036854775807", 2, 3, 40, 1, 0 },
    { "..., :: -1", 2, 3, 40, 50, 49 },
    { "..., 0:99999999999999999999", 2, 3, 40, 50, 0 },
    { "..., -99999999999999999999:", 2, 3, 40, 50, 0 },
    { "..., ::-99999999999999999999", 2, 3, 40, 1, 49 },
    { "1,", 1, 3, 40, 50, 6000 },
    { "1, 2, 3, 4,", 1, 1, 1, 1, 6000 + 4000 + 150 + 4 },
    { "..., ", 2, 3, 40, 50, 0 },
};

TEST(texts_that_are_understood)
{
    tess_array a = numbers(TESS_I32, 2, 3, 40, 50);
    for (size_t i = 0; i < sizeof good_texts / sizeof *good_texts; i++) {
        const struct good_text *t = &good_texts[i];
        tess_array              v = { 0 };
        if (!CHECK_OK(tess_subregion_text(&v, &a, t->text))) continue;
        CHECK_DIMS(v.shape, t->b, t->d, t->h, t->w);
        if (t->offset >= 0 && offset_in(&a, &v) != t->offset)
            (void)test_failed(__FILE__, __LINE__, "\"%s\" begins at %d", t->text, (int)offset_in(&a, &v));
    }
    tess_release(&a);
}

static const struct {
    const char *text;
    tess_status status;
    const char *part;
} bad_texts[] = {
    { "", TESS_EPARSE, "column 1" },
    { " ", TESS_EPARSE, "column 2" },
    { ",", TESS_EPARSE, "column 1" },
    { "1,,", TESS_EPARSE, "column 3" },
    { ",1", TESS_EPARSE, "column 1" },
    { "1,,2", TESS_EPARSE, "column 3" },
    { "a", TESS_EPARSE, "column 1" },
    { "1a", TESS_EPARSE, "'a' at column 2" },
    { "1 2", TESS_EPARSE, "'2' at column 3" },
    { "1.5", TESS_EPARSE, "'.' at column 2" },
    { "1e2", TESS_EPARSE, "'e' at column 2" },
    { "0x1", TESS_EPARSE, "'x' at column 2" },
    { "-", TESS_EPARSE, "column 2" },
    { "+", TESS_EPARSE, "column 2" },
    { "--1", TESS_EPARSE, "column 2" },
    { "1:-", TESS_EPARSE, "column 4" },
    { "1:2:3:4", TESS_EPARSE, "third ':' at column 6" },
    { ":::", TESS_EPARSE, "third ':' at column 3" },
    { "..", TESS_EPARSE, "column 1" },
    { "....", TESS_EPARSE, "'.' at column 4" },
    { "...1", TESS_EPARSE, "'1' at column 4" },
    { "..., ...", TESS_EPARSE, "second \"...\" at column 6" },
    { "1,2,3,4,5", TESS_EPARSE, "fifth axis at column 9" },
    { ":,:,:,:,:", TESS_EPARSE, "fifth axis at column 9" },
    { "..., 1,2,3,4,5", TESS_EPARSE, "fifth axis" },
    { "9223372036854775808", TESS_ERANGE, "b is 9223372036854775807" },
    { "99999999999999999999999999", TESS_ERANGE, "b is 9223372036854775807" },
    { "-9223372036854775809", TESS_ERANGE, "b is -922337203685477580" },
    { "[1]", TESS_EPARSE, "column 1" },
    { "(1, 2)", TESS_EPARSE, "column 1" },
    { "None", TESS_EPARSE, "column 1" },
    { "1;2", TESS_EPARSE, "';' at column 2" },
    { "\xc3\xa4", TESS_EPARSE, "column 1" },
    { "2", TESS_ERANGE, "b is 2" },
    { "-3", TESS_ERANGE, "b is -3" },
    { ":, 3", TESS_ERANGE, "d is 3" },
    { "..., 40, :", TESS_ERANGE, "h is 40" },
    { "..., 50", TESS_ERANGE, "w is 50" },
    { "..., -51", TESS_ERANGE, "w is -51" },
    { "..., 9223372036854775807", TESS_ERANGE, "w is 9223372036854775807" },
    { "::0", TESS_EARG, "step" },
    { "..., 1:2:0", TESS_EARG, "axis w" },
};

TEST(texts_that_are_refused)
{
    tess_array a = numbers(TESS_I32, 2, 3, 40, 50);
    for (size_t i = 0; i < sizeof bad_texts / sizeof *bad_texts; i++) {
        tess_array v = { 0 };
        if (!CHECK_FAILS(tess_subregion_text(&v, &a, bad_texts[i].text), bad_texts[i].status,
                         "subregion_text: ", bad_texts[i].part))
            (void)test_failed(__FILE__, __LINE__, "the text was \"%s\"", bad_texts[i].text);
        CHECK(is_zeroed(&v));
    }
    CHECK_FAILS(tess_subregion_text(&a, &a, NULL), TESS_EARG, "text is NULL");
    tess_release(&a);
}

TEST(a_long_text_is_cut_in_the_message)
{
    static char text[100000];
    tess_array  a = numbers(TESS_F32, 1, 1, 1, 4), v = { 0 };
    memset(text, '1', sizeof text - 1);
    CHECK_FAILS(tess_subregion_text(&v, &a, text), TESS_ERANGE, "b is 9223372036854775807");
    text[50000] = 'x';
    CHECK_FAILS(tess_subregion_text(&v, &a, text), TESS_EPARSE, "column 50001");
    CHECK(strlen(tess_error_message()) < 300);
    memset(text, ' ', sizeof text - 1);
    CHECK_FAILS(tess_subregion_text(&v, &a, text), TESS_EPARSE, "column 100000");
    tess_release(&a);
}

TEST(a_line_break_in_a_text_is_not_in_the_message)
{
    tess_array a = numbers(TESS_F32, 1, 1, 1, 4), v = { 0 };
    CHECK_FAILS(tess_subregion_text(&v, &a, "0,\n0"), TESS_EPARSE, "subregion_text: ");
    CHECK(strchr(tess_error_message(), '\n') == NULL);
    CHECK_FAILS(tess_subregion_text(&v, &a, "0\n"), TESS_EPARSE, "subregion_text: ");
    CHECK(strchr(tess_error_message(), '\n') == NULL);
    tess_release(&a);
}

/* ---- index, view_at, along_next ---- */

TEST(index_keeps_the_axis)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    for (int axis = 0; axis < 4; axis++)
        for (int64_t i = -a.shape.dim[axis]; i < a.shape.dim[axis]; i++) {
            tess_shape shape = a.shape;
            shape.dim[axis] = 1;
            CHECK_OK(tess_index(&v, &a, axis, i));
            CHECK_DIMS(v.shape, shape.b, shape.d, shape.h, shape.w);
            CHECK_I64(offset_in(&a, &v), (i < 0 ? i + a.shape.dim[axis] : i) * a.strides.dim[axis]);
        }
    tess_release(&a);
}

TEST(view_at_drops_the_axis)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, b = { 0 };
    CHECK_OK(tess_view_at(&v, &a, 0, 1));
    CHECK_DIMS(v.shape, 1, 3, 4, 5);
    CHECK_OK(tess_view_at(&v, &a, 1, 1));
    CHECK_DIMS(v.shape, 1, 2, 4, 5);
    CHECK_DIMS(v.strides, v.strides.b, 60, 5, 1);
    CHECK_OK(tess_view_at(&v, &a, 2, -1));
    CHECK_DIMS(v.shape, 1, 2, 3, 5);
    CHECK_DIMS(v.strides, v.strides.b, 60, 20, 1);
    CHECK_OK(tess_view_at(&v, &a, -1, 2));
    CHECK_DIMS(v.shape, 1, 2, 3, 4);
    CHECK_DIMS(v.strides, v.strides.b, 60, 20, 5);
    CHECK(value_at(&v, 0, 1, 2, 3) == 117);
    b = numbers(TESS_F32, 1, 2, 3, 2);
    CHECK_OK(tess_view_at(&v, &b, 1, 0));
    CHECK_DIMS(v.shape, 1, 1, 3, 2);
    tess_release(&a);
    tess_release(&b);
}

TEST(index_and_view_at_refuse)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_FAILS(tess_index(&v, &a, 4, 0), TESS_ERANGE, "index: ", "axis is 4");
    CHECK_FAILS(tess_index(&v, &a, 1, 3), TESS_ERANGE, "index is 3", "axis 1", "-3 to 2");
    CHECK_FAILS(tess_index(&v, &a, 1, -4), TESS_ERANGE, "index is -4");
    CHECK_FAILS(tess_index(&v, &a, -3, INT64_MAX), TESS_ERANGE, "index is 9223372036854775807");
    CHECK_FAILS(tess_view_at(&v, &a, -5, 0), TESS_ERANGE, "view_at: ", "axis is -5");
    CHECK_FAILS(tess_view_at(&v, &a, 3, 5), TESS_ERANGE, "index is 5", "axis 3", "-5 to 4");
    CHECK_FAILS(tess_view_at(&v, &a, 3, INT64_MIN), TESS_ERANGE, "index is -9223372036854775808");
    CHECK(is_zeroed(&v));
    tess_release(&a);
}

TEST(along_next_walks_each_axis)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5);
    for (int axis = -4; axis < 4; axis++) {
        tess_along walk = { 0 };
        tess_array v = { 0 }, want = { 0 };
        int64_t    n = 0;
        tess_error_clear();
        while (tess_along_next(&walk, &v, &a, axis)) {
            CHECK_I64(walk.index, n);
            CHECK_OK(tess_view_at(&want, &a, axis, n++));
            CHECK(same_struct(&v, &want));
        }
        CHECK_I64(n, a.shape.dim[axis < 0 ? axis + 4 : axis]);
        CHECK(tess_error_status() == TESS_OK);
        CHECK(!tess_along_next(&walk, &v, &a, axis));
    }
    tess_release(&a);
}

TEST(along_next_of_an_empty_axis_ends_at_once)
{
    tess_array a = { 0 }, v = { 0 };
    tess_along walk = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 0, 4, 5), TESS_F32, tess_cpu()));
    tess_error_clear();
    CHECK(!tess_along_next(&walk, &v, &a, 1));
    CHECK(tess_error_status() == TESS_OK);
    CHECK(tess_along_next(&walk, &v, &a, 0));
    CHECK_DIMS(v.shape, 1, 0, 4, 5);
    tess_release(&a);
}

TEST(along_next_tells_of_bad_arguments)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, zero = { 0 };
    tess_along walk = { 0 };
    CHECK(!tess_along_next(NULL, &v, &a, 0));
    CHECK_FAILS(tess_error_status(), TESS_EARG, "along_next: ", "walk is NULL");
    CHECK(!tess_along_next(&walk, NULL, &a, 0));
    CHECK_FAILS(tess_error_status(), TESS_EARG, "view is NULL");
    CHECK(!tess_along_next(&walk, &v, NULL, 0));
    CHECK_FAILS(tess_error_status(), TESS_EARG, "a is NULL");
    CHECK(!tess_along_next(&walk, &v, &zero, 0));
    CHECK_FAILS(tess_error_status(), TESS_EARG, "released or zeroed");
    CHECK(!tess_along_next(&walk, &v, &a, 4));
    CHECK_FAILS(tess_error_status(), TESS_ERANGE, "axis is 4");
    CHECK_I64(walk.next, 0);
    tess_release(&a);
}

/* ---- reverse, squeeze_left ---- */

TEST(reverse_turns_each_set_of_axes)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    for (int axes = 0; axes <= TESS_ALL_AXES; axes += TESS_B) {
        int64_t offset = 0;
        CHECK_OK(tess_reverse(&v, &a, axes));
        for (int k = 0; k < 4; k++) {
            const bool turned = (axes & TESS_B << k) != 0;
            CHECK_I64(v.strides.dim[k], turned ? -a.strides.dim[k] : a.strides.dim[k]);
            if (turned) offset += (a.shape.dim[k] - 1) * a.strides.dim[k];
        }
        CHECK_I64(offset_in(&a, &v), offset);
        CHECK_OK(tess_reverse(&v, &v, axes));
        CHECK(same_struct(&v, &a));
    }
    tess_release(&a);
}

TEST(reverse_of_an_empty_array_is_empty)
{
    tess_array a = { 0 }, v = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 0, 4, 5), TESS_F32, tess_cpu()));
    CHECK_OK(tess_reverse(&v, &a, TESS_ALL_AXES));
    CHECK_DIMS(v.shape, 2, 0, 4, 5);
    CHECK(v.data == a.data);
    tess_release(&a);
}

TEST(reverse_refuses_axes_that_are_none)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_FAILS(tess_reverse(&v, &a, 3), TESS_EARG, "axes is 3", "not the number of an axis");
    CHECK_FAILS(tess_reverse(&v, &a, TESS_W | 1), TESS_EARG, "axes is 129");
    CHECK_FAILS(tess_reverse(&v, &a, 256), TESS_EARG, "axes is 256");
    CHECK_FAILS(tess_slice(&v, &a, TESS_H, 0, 1, 1), TESS_ERANGE, "axis is 64");
    CHECK_FAILS(tess_reverse(&v, &a, -1), TESS_EARG, "axes is -1");
    tess_release(&a);
}

TEST(squeeze_left_moves_ones)
{
    static const int64_t cases[][8] = { { 1, 5, 1, 7, 1, 1, 5, 7 }, { 5, 1, 1, 1, 1, 1, 1, 5 },
                                        { 2, 1, 3, 4, 1, 2, 3, 4 }, { 1, 1, 1, 1, 1, 1, 1, 1 },
                                        { 2, 3, 4, 5, 2, 3, 4, 5 }, { 3, 1, 2, 1, 1, 1, 3, 2 } };
    for (int i = 0; i < 6; i++) {
        const int64_t *c = cases[i];
        tess_array     a = numbers(TESS_I32, c[0], c[1], c[2], c[3]), v = { 0 };
        CHECK_OK(tess_squeeze_left(&v, &a));
        CHECK_DIMS(v.shape, c[4], c[5], c[6], c[7]);
        CHECK(tess_is_contiguous(&v, 'C'));
        tess_release(&a);
    }
}

TEST(squeeze_left_keeps_strides)
{
    tess_array a = numbers(TESS_I32, 2, 3, 4, 5), v = { 0 };
    CHECK_OK(tess_subregion_text(&v, &a, "::-1, 1, :, 2"));
    CHECK_OK(tess_squeeze_left(&v, &v));
    CHECK_DIMS(v.shape, 1, 1, 2, 4);
    CHECK(v.strides.h == -60 && v.strides.w == 5 && value_at(&v, 0, 0, 0, 3) == 60 + 20 + 15 + 2);
    tess_release(&a);
}

/* ---- reinterpret, real_view, imag_view ---- */

TEST(reinterpret_of_one_size_takes_any_strides)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 }, r = { 0 };
    CHECK_OK(tess_subregion_text(&v, &a, "::-1, :, ::2, ::-2"));
    CHECK_OK(tess_reinterpret(&r, &v, TESS_U32));
    CHECK(memcmp(&r.shape, &v.shape, sizeof r.shape) == 0 && memcmp(&r.strides, &v.strides, sizeof r.strides) == 0);
    CHECK(r.dtype == TESS_U32 && r.data == v.data);
    CHECK(TESS_AT(uint32_t, r, 1, 0, 0, 2) == 0);
    CHECK(TESS_AT(uint32_t, r, 1, 0, 0, 1) == 0x40000000u);
    tess_release(&a);
}

TEST(reinterpret_changes_the_width)
{
    tess_array a = constant(TESS_C32, 2, 3, 4, 6, 0), v = { 0 };
    CHECK_OK(tess_reinterpret(&v, &a, TESS_F32));
    CHECK_DIMS(v.shape, 2, 3, 4, 12);
    CHECK_DIMS(v.strides, 144, 48, 12, 1);
    CHECK_OK(tess_reinterpret(&v, &v, TESS_U8));
    CHECK_DIMS(v.shape, 2, 3, 4, 48);
    CHECK_OK(tess_reinterpret(&v, &v, TESS_C64));
    CHECK_DIMS(v.shape, 2, 3, 4, 3);
    CHECK_DIMS(v.strides, 36, 12, 3, 1);
    CHECK_OK(tess_reinterpret(&v, &v, TESS_MAT23_F64));
    CHECK_DIMS(v.shape, 2, 3, 4, 1);
    CHECK_OK(tess_reinterpret(&v, &v, TESS_F64));
    CHECK_DIMS(v.shape, 2, 3, 4, 6);
    tess_release(&a);
}

TEST(reinterpret_keeps_outer_strides)
{
    tess_array a = constant(TESS_F32, 1, 1, 6, 8, 0), v = { 0 }, r = { 0 };
    CHECK_OK(tess_subregion_text(&v, &a, "..., ::-2, 2:6"));
    CHECK_OK(tess_reinterpret(&r, &v, TESS_F64));
    CHECK_DIMS(r.shape, 1, 1, 3, 2);
    CHECK(r.strides.h == -8 && r.strides.w == 1 && r.data == v.data);
    CHECK_OK(tess_reinterpret(&r, &v, TESS_U8));
    CHECK_DIMS(r.shape, 1, 1, 3, 16);
    CHECK(r.strides.h == -64);
    tess_release(&a);
}

TEST(reinterpret_refuses)
{
    tess_array a = constant(TESS_F32, 1, 2, 4, 6, 0), v = { 0 }, r = { 0 };
    CHECK_FAILS(tess_reinterpret(&r, &a, 0), TESS_EDTYPE, "dtype is 0");
    CHECK_FAILS(tess_reinterpret(&r, &a, 99), TESS_EDTYPE, "dtype is 99");
    CHECK_FAILS(tess_reinterpret(&r, &a, TESS_MAT22_F32), TESS_ESHAPE, "width 6", "multiple of 4");
    CHECK_OK(tess_reinterpret(&v, &a, TESS_VEC3_F32));
    CHECK_FAILS(tess_reinterpret(&r, &v, TESS_F64), TESS_EDTYPE, "vec3_f32 of 12 bytes", "f64 of 8");
    CHECK_OK(tess_transpose(&v, &a));
    CHECK_FAILS(tess_reinterpret(&r, &v, TESS_F64), TESS_ELAYOUT, "{48,24,1,6}", "contiguous width");
    CHECK_FAILS(tess_reinterpret(&r, &v, TESS_U8), TESS_ELAYOUT, "contiguous width");
    CHECK_OK(tess_subregion_text(&v, &a, "..., 1:5"));
    CHECK_FAILS(tess_reinterpret(&r, &v, TESS_F64), TESS_ELAYOUT, "aligned for f64", "8 bytes");
    CHECK_OK(tess_reverse(&v, &a, TESS_W));
    CHECK_FAILS(tess_reinterpret(&r, &v, TESS_U8), TESS_ELAYOUT, "{48,24,6,-1}");
    CHECK(is_zeroed(&r));
    tess_release(&a);
}

TEST(reinterpret_refuses_rows_that_would_be_misaligned)
{
    tess_array a = constant(TESS_F32, 1, 1, 4, 5, 0), v = { 0 }, r = { 0 };
    CHECK_OK(tess_subregion_text(&v, &a, "..., 0:4"));
    CHECK_FAILS(tess_reinterpret(&r, &v, TESS_F64), TESS_ELAYOUT, "axis 2", "multiple of 2");
    CHECK_OK(tess_subregion_text(&v, &a, "..., ::2, 0:4"));
    CHECK_OK(tess_reinterpret(&r, &v, TESS_F64));
    CHECK_DIMS(r.shape, 1, 1, 2, 2);
    tess_release(&a);
}

TEST(real_and_imag_views_reach_the_parts)
{
    static const tess_dtype types[3] = { TESS_C16, TESS_C32, TESS_C64 };
    for (int i = 0; i < 3; i++) {
        tess_array a = constant(types[i], 2, 1, 3, 4, 0), turned = { 0 }, re = { 0 }, im = { 0 };
        tess_c64   z = { 0, 0 };
        CHECK_OK(tess_permute(&turned, &a, 3, 1, 2, 0));
        CHECK_OK(tess_real_view(&re, &turned));
        CHECK_OK(tess_imag_view(&im, &turned));
        CHECK(re.dtype == tess_dtype_real(types[i]) && im.dtype == re.dtype);
        CHECK_DIMS(re.shape, 4, 1, 3, 2);
        CHECK_DIMS(re.strides, 2, 24, 8, 24);
        CHECK_DIMS(im.strides, 2, 24, 8, 24);
        CHECK((char *)im.data - (char *)re.data == (ptrdiff_t)tess_dtype_size(re.dtype));
        CHECK_OK(tess_fill(&re, 3));
        CHECK_OK(tess_arange(&im, im.shape, im.dtype, tess_cpu(), 0, 1));
        CHECK_OK(tess_get_c64(&z, &turned, 3, 0, 2, 1));
        CHECK(z.re == 3 && z.im == 23);
        CHECK_OK(tess_get_c64(&z, &a, 1, 0, 2, 3));
        CHECK(z.re == 3 && z.im == 23);
        tess_release(&a);
    }
}

TEST(parts_of_an_empty_complex_array_are_empty)
{
    tess_array a = { 0 }, v = { 0 };
    CHECK_OK(tess_wrap(&a, NULL, TESS_SHAPE(1, 0, 1, 1), TESS_C32, NULL));
    CHECK_OK(tess_imag_view(&v, &a));
    CHECK(tess_is_empty(&v) && v.dtype == TESS_F32);
}

TEST(real_and_imag_views_refuse_other_types)
{
    tess_array a = numbers(TESS_F32, 1, 1, 2, 3), m = constant(TESS_VEC2_F32, 1, 1, 2, 3, 0), v = { 0 };
    CHECK_FAILS(tess_real_view(&v, &a), TESS_EDTYPE, "real_view: ", "a has dtype f32", "c32");
    CHECK_FAILS(tess_imag_view(&v, &m), TESS_EDTYPE, "imag_view: ", "a has dtype vec2_f32");
    tess_release(&a);
    tess_release(&m);
}

/* ---- Queries ---- */

TEST(queries_take_null_and_zeroed_arrays)
{
    const tess_array        zero = { 0 };
    const tess_array *const none[2] = { NULL, &zero };
    tess_array              a = numbers(TESS_F32, 1, 1, 2, 3);
    for (int i = 0; i < 2; i++) {
        bool contiguous[4] = { false, false, false, false };
        CHECK(tess_is_empty(none[i]));
        CHECK_I64(tess_n_elements(none[i]), 0);
        CHECK_I64(tess_n_bytes(none[i]), 0);
        CHECK(tess_is_contiguous(none[i], 'C') && tess_is_contiguous(none[i], 'F'));
        CHECK(tess_is_flattenable(none[i]) && tess_is_dense(none[i]));
        CHECK(!tess_overlap(none[i], &a) && !tess_overlap(&a, none[i]) && !tess_overlap(none[i], none[i]));
        CHECK(!tess_same_shape(none[i], &a));
        tess_contiguity(contiguous, none[i]);
        CHECK(contiguous[0] && contiguous[1] && contiguous[2] && contiguous[3]);
    }
    tess_release(&a);
}

TEST(size_1_dimensions_never_matter_for_contiguity)
{
    tess_array a = numbers(TESS_F32, 1, 3, 1, 5), v = a;
    v.strides.b = -77;
    v.strides.h = 1234;
    CHECK(tess_is_contiguous(&v, 'C') && tess_is_contiguous(&v, 'F') && tess_is_dense(&v) && tess_is_flattenable(&v));
    v.strides.d = 6;
    CHECK(!tess_is_contiguous(&v, 'C') && !tess_is_dense(&v));
    tess_release(&a);
}

TEST(contiguity_tells_each_dimension)
{
    bool       c[4];
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_OK(tess_slice(&v, &a, 2, 0, 2, 1));
    tess_contiguity(c, &v);
    CHECK(!c[0] && !c[1] && c[2] && c[3]);
    CHECK_OK(tess_slice(&v, &a, 0, TESS_NONE, TESS_NONE, -1));
    tess_contiguity(c, &v);
    CHECK(!c[0] && c[1] && c[2] && c[3]);
    CHECK_OK(tess_slice(&v, &a, 3, TESS_NONE, TESS_NONE, 2));
    tess_contiguity(c, &v);
    CHECK(!c[0] && !c[1] && !c[2] && !c[3]);
    tess_release(&a);
}

TEST(dense_in_any_order_and_direction)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_OK(tess_permute(&v, &a, 2, 0, 3, 1));
    CHECK(tess_is_dense(&v) && !tess_is_contiguous(&v, 'C'));
    CHECK_OK(tess_reverse(&v, &v, TESS_D | TESS_W));
    CHECK(tess_is_dense(&v));
    CHECK_OK(tess_slice(&v, &v, 1, 0, 1, 1));
    CHECK(tess_is_dense(&v));
    CHECK_OK(tess_slice(&v, &a, 3, 0, 4, 1));
    CHECK(!tess_is_dense(&v));
    CHECK_OK(tess_broadcast(&v, &v, v.shape));
    CHECK_OK(tess_index(&v, &a, 2, 0));
    CHECK_OK(tess_broadcast(&v, &v, a.shape));
    CHECK(!tess_is_dense(&v));
    tess_release(&a);
}

TEST(same_shape_compares_all_sizes)
{
    tess_array a = numbers(TESS_F32, 1, 2, 3, 4), b = numbers(TESS_F64, 1, 2, 3, 4), c = numbers(TESS_F32, 2, 1, 3, 4);
    CHECK(tess_same_shape(&a, &b) && tess_same_shape(&a, &a));
    CHECK(!tess_same_shape(&a, &c));
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
}

/* ---- overlap ---- */

enum { STORAGE = 400 };

/* Mark the bytes of a view; true if one was marked before. */
static bool mark(const tess_array *a, const char *base, unsigned char bytes[STORAGE], unsigned char with)
{
    const size_t size = tess_dtype_size(a->dtype);
    bool         met = false;
    for (int64_t b = 0; b < a->shape.b; b++)
        for (int64_t d = 0; d < a->shape.d; d++)
            for (int64_t h = 0; h < a->shape.h; h++)
                for (int64_t w = 0; w < a->shape.w; w++) {
                    const char *at =
                        (char *)a->data +
                        (b * a->strides.b + d * a->strides.d + h * a->strides.h + w * a->strides.w) * (int64_t)size;
                    for (size_t i = 0; i < size; i++) {
                        met = met || (bytes[at - base + (ptrdiff_t)i] != 0 && bytes[at - base + (ptrdiff_t)i] != with);
                        bytes[at - base + (ptrdiff_t)i] = with;
                    }
                }
    return met;
}

/* A view of random shape, strides and offset inside `storage`; false if it did not fit. */
static bool random_view(tess_array *a, char *storage, tess_dtype dtype)
{
    tess_strides  strides;
    tess_shape    shape;
    const int64_t length = STORAGE / (int64_t)tess_dtype_size(dtype);
    for (int k = 0; k < 4; k++) {
        shape.dim[k] = test_random_in(1, k == 3 ? 6 : 3);
        strides.dim[k] = test_random_in(-12, 12);
    }
    const tess_wrap_opts opts = { .strides = &strides, .offset = test_random_in(0, length - 1), .length = length };
    return tess_wrap(a, storage, shape, dtype, &opts) == TESS_OK;
}

TEST(overlap_is_exact)
{
    static _Alignas(16) char storage[STORAGE];
    static const tess_dtype  types[] = { TESS_U8, TESS_I16, TESS_F32, TESS_C32, TESS_VEC3_F32 };
    int                      met = 0, apart = 0;
    while (met + apart < 20000) {
        tess_array    a = { 0 }, b = { 0 };
        unsigned char bytes[STORAGE] = { 0 };
        if (!random_view(&a, storage, types[test_random_in(0, 4)])) continue;
        if (!random_view(&b, storage, types[test_random_in(0, 4)])) continue;
        (void)mark(&a, storage, bytes, 1);
        const bool want = mark(&b, storage, bytes, 2);
        want ? met++ : apart++;
        CHECK(tess_overlap(&a, &b) == want);
        CHECK(tess_overlap(&b, &a) == want);
    }
    CHECK(met > 1000 && apart > 1000);
}

/* Writing is rejected exactly where two indices share a byte. */
TEST(writing_is_refused_exactly_where_elements_share_memory)
{
    static _Alignas(16) char storage[STORAGE];
    int                      unique = 0, shared = 0;
    for (int i = 0; i < 20000; i++) {
        tess_array a = { 0 };
        int64_t    n = 0;
        if (!random_view(&a, storage, TESS_I16)) continue;
        unsigned char bytes[STORAGE] = { 0 };
        (void)mark(&a, storage, bytes, 1);
        for (int k = 0; k < STORAGE; k++) n += bytes[k];
        const bool        want = n == 2 * tess_n_elements(&a);
        const tess_status status = tess_fill(&a, 1);
        want ? unique++ : shared++;
        CHECK(status == (want ? TESS_OK : TESS_EWRITE));
    }
    CHECK(unique > 500 && shared > 500);
}

TEST(interleaved_views_do_not_overlap)
{
    tess_array a = constant(TESS_C32, 1, 1, 8, 8, 0), x = { 0 }, y = { 0 };
    CHECK_OK(tess_real_view(&x, &a));
    CHECK_OK(tess_imag_view(&y, &a));
    CHECK(!tess_overlap(&x, &y) && tess_overlap(&x, &a) && tess_overlap(&a, &y));
    CHECK_OK(tess_slice(&x, &a, 3, 0, 8, 2));
    CHECK_OK(tess_slice(&y, &a, 3, 1, 8, 2));
    CHECK(!tess_overlap(&x, &y));
    CHECK_OK(tess_slice(&y, &a, 3, 7, 0, -2));
    CHECK(!tess_overlap(&x, &y));
    CHECK_OK(tess_slice(&y, &a, 3, 0, 8, 3));
    CHECK(tess_overlap(&x, &y));
    tess_release(&a);
}

TEST(arrays_on_different_devices_do_not_overlap)
{
    tess_array       a = numbers(TESS_F32, 1, 1, 2, 3);
    const tess_array gpu = on_gpu(a);
    CHECK(!tess_overlap(&a, &gpu));
    tess_release(&a);
}

TEST(reshape_of_an_empty_array_makes_only_shapes_that_others_take)
{
    tess_array a = { 0 }, v = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(0, 1, 1, 1), TESS_F64, tess_cpu()));
    CHECK_FAILS(tess_reshape(&v, &a, TESS_SHAPE(-1, INT64_C(1) << 31, INT64_C(1) << 30, 1)), TESS_ESHAPE, "-1");
    tess_release(&a);
}

TEST(a_range_with_numbers_but_no_kind_is_refused)
{
    tess_array a = numbers(TESS_F32, 1, 1, 4, 5), v = { 0 };
    CHECK_FAILS(tess_subregion(&v, &a, (tess_region){ .h = { .from = 1, .to = 3, .step = 1 } }), TESS_EARG, "axis h",
                "tess_from_to");
    tess_release(&a);
}

TEST(a_walk_tells_why_it_ended)
{
    tess_array a = numbers(TESS_F32, 2, 1, 4, 5), v = { 0 };
    tess_along walk = { 0 };
    while (tess_along_next(&walk, &v, &a, 0)) {}
    CHECK(walk.status == TESS_OK);
    CHECK(!tess_along_next(&walk, &v, &a, 7) && walk.status == TESS_ERANGE);
    walk.next = -1;
    CHECK(!tess_along_next(&walk, &v, &a, 0) && walk.status == TESS_EARG);
    tess_release(&a);
}
