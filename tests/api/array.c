/* Creation, storage, ownership, the output rule, and direct access to elements. */
#include <float.h>
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"

#define TWO(n) ((int64_t)1 << (n))

/* ---- The struct ---- */

TEST(struct_layout_is_fixed)
{
    CHECK_I64(sizeof(tess_array), 96);
    CHECK_I64(offsetof(tess_array, shape), 0);
    CHECK_I64(offsetof(tess_array, strides), 32);
    CHECK_I64(offsetof(tess_array, data), 64);
    CHECK_I64(offsetof(tess_array, buffer), 64 + sizeof(void *));
    CHECK_I64(offsetof(tess_array, dtype), 64 + 2 * sizeof(void *));
    CHECK_I64(offsetof(tess_array, device), 68 + 2 * sizeof(void *));
    CHECK_I64(offsetof(tess_array, flags), 76 + 2 * sizeof(void *));
}

TEST(version_of_header_and_library_agree)
{
    CHECK_TEXT(tess_version(), TESS_VERSION);
    CHECK_I64(tess_version_number(), TESS_VERSION_NUMBER);
}

/* ---- Creation ---- */

TEST(empty_is_made_as_asked)
{
    tess_array a = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 3, 4, 5), TESS_C64, tess_cpu()));
    CHECK_DIMS(a.shape, 2, 3, 4, 5);
    CHECK_DIMS(a.strides, 60, 20, 5, 1);
    CHECK(a.data && a.buffer && a.dtype == TESS_C64 && a.flags == 0);
    CHECK(a.device.kind == TESS_CPU && a.device.index == 0);
    CHECK_I64(tess_n_elements(&a), 120);
    CHECK_I64(tess_n_bytes(&a), 1920);
    tess_release(&a);
    CHECK(is_zeroed(&a));
}

TEST(zeros_are_zero_in_every_dtype_small_and_large)
{
    for (tess_dtype t = 1; t < TESS_DTYPE_COUNT; t++) {
        tess_array a = { 0 };
        CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 2, 3, 5), t, tess_cpu()));
        const unsigned char *bytes = a.data;
        for (int64_t i = 0; i < tess_n_bytes(&a); i++) CHECK(bytes[i] == 0);
        tess_release(&a);
    }
    tess_array large = { 0 };
    CHECK_OK(tess_zeros(&large, TESS_SHAPE(1, 1, 1024, 1280), TESS_F32, tess_cpu()));
    const float *data = large.data;
    int          others = 0;
    for (int64_t i = 0; i < 1024 * 1280; i++) others += data[i] != 0;
    CHECK_I64(others, 0);
    tess_release(&large);
}

TEST(ones_are_one)
{
    for (tess_dtype t = TESS_BOOL; t <= TESS_F64; t++) {
        tess_array a = { 0 };
        CHECK_OK(tess_ones(&a, TESS_SHAPE(1, 2, 3, 5), t, tess_cpu()));
        CHECK(all_are(&a, 1));
        tess_release(&a);
    }
}

TEST(complex_ones_have_no_imaginary_part)
{
    for (tess_dtype t = TESS_C16; t <= TESS_C64; t++) {
        tess_array a = { 0 };
        tess_c64   z = { 9, 9 };
        CHECK_OK(tess_ones(&a, TESS_SHAPE(1, 1, 3, 5), t, tess_cpu()));
        CHECK_OK(tess_get_c64(&z, &a, 0, 0, 2, 4));
        CHECK(z.re == 1 && z.im == 0);
        tess_release(&a);
    }
}

TEST(full_converts_its_value)
{
    tess_array a = constant(TESS_U8, 1, 1, 2, 3, 300.7), b = constant(TESS_I8, 1, 1, 2, 3, -1e9);
    tess_array c = constant(TESS_I32, 1, 1, 2, 3, -2.9), d = constant(TESS_BOOL, 1, 1, 2, 3, 0.25);
    CHECK(all_are(&a, 255));
    CHECK(all_are(&b, -128));
    CHECK(all_are(&c, -2));
    CHECK(all_are(&d, 1));
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
    tess_release(&d);
}

TEST(full_sets_each_real_of_a_compound)
{
    tess_array a = constant(TESS_MAT23_F32, 4, 1, 1, 1, 2.5);
    for (int i = 0; i < 24; i++) CHECK(((float *)a.data)[i] == 2.5f);
    tess_release(&a);
}

TEST(like_has_shape_and_dtype_but_own_contiguous_storage)
{
    tess_array a = numbers(TESS_I16, 2, 3, 4, 5), v = { 0 }, b = { 0 };
    CHECK_OK(tess_permute(&v, &a, 3, 2, 1, 0));
    v.flags = TESS_READ_ONLY;
    CHECK_OK(tess_like(&b, &v));
    CHECK_DIMS(b.shape, 5, 4, 3, 2);
    CHECK_DIMS(b.strides, 24, 6, 2, 1);
    CHECK(b.dtype == TESS_I16 && b.flags == 0 && !tess_overlap(&a, &b));
    tess_release(&a);
    tess_release(&b);
}

TEST(arange_counts_in_b_d_h_w_order)
{
    tess_array a = { 0 };
    CHECK_OK(tess_arange(&a, TESS_SHAPE(2, 3, 4, 5), TESS_F32, tess_cpu(), -3, 0.5));
    for (int i = 0; i < 120; i++) CHECK(((float *)a.data)[i] == (float)(-3 + 0.5 * i));
    tess_release(&a);
}

TEST(arange_fills_any_strides_in_logical_order)
{
    tess_array a = constant(TESS_F32, 1, 3, 4, 5, -1), v = { 0 };
    CHECK_OK(tess_subregion_text(&v, &a, "..., ::-1, ::2"));
    CHECK_OK(tess_arange(&v, TESS_SHAPE(1, 3, 4, 3), TESS_F32, tess_cpu(), 0, 1));
    for (int d = 0; d < 3; d++)
        for (int h = 0; h < 4; h++)
            for (int w = 0; w < 5; w++)
                CHECK(TESS_AT(float, a, 0, d, h, w) == (w % 2 ? -1.0f : (float)(12 * d + 3 * (3 - h) + w / 2)));
    tess_release(&a);
}

TEST(arange_converts_as_a_cast)
{
    tess_array a = { 0 }, b = { 0 }, c = { 0 };
    CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 1, 1, 4), TESS_U8, tess_cpu(), -1, 200));
    CHECK(value_at(&a, 0, 0, 0, 0) == 0 && value_at(&a, 0, 0, 0, 1) == 199 && value_at(&a, 0, 0, 0, 3) == 255);
    CHECK_OK(tess_arange(&b, TESS_SHAPE(1, 1, 1, 4), TESS_I32, tess_cpu(), 0, -0.75));
    CHECK(value_at(&b, 0, 0, 0, 1) == 0 && value_at(&b, 0, 0, 0, 2) == -1 && value_at(&b, 0, 0, 0, 3) == -2);
    CHECK_OK(tess_arange(&c, TESS_SHAPE(1, 1, 1, 4), TESS_C32, tess_cpu(), 1, 1));
    CHECK(((float *)c.data)[6] == 4 && ((float *)c.data)[7] == 0);
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
}

TEST(arange_of_nothing_and_of_one)
{
    tess_array a = { 0 }, b = { 0 };
    CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 0, 1, 1), TESS_F32, tess_cpu(), 1, 1));
    CHECK(tess_is_empty(&a) && a.dtype == TESS_F32);
    CHECK_OK(tess_arange(&b, TESS_SHAPE(1, 1, 1, 1), TESS_F32, tess_cpu(), 4, 1));
    CHECK(value_at(&b, 0, 0, 0, 0) == 4);
    tess_release(&a);
    tess_release(&b);
}

TEST(arange_refuses)
{
    tess_array       a = { 0 };
    const tess_shape shape = TESS_SHAPE(1, 1, 1, 4);
    CHECK_FAILS(tess_arange(NULL, shape, TESS_F32, tess_cpu(), 0, 1), TESS_EARG, "arange: ", "out is NULL");
    CHECK_FAILS(tess_arange(&a, shape, TESS_F32, tess_cpu(), NAN, 1), TESS_EARG, "start is nan", "finite");
    CHECK_FAILS(tess_arange(&a, shape, TESS_F32, tess_cpu(), 0, -INFINITY), TESS_EARG, "step is -inf", "finite");
    CHECK_FAILS(tess_arange(&a, shape, TESS_MAT22_F32, tess_cpu(), 0, 1), TESS_EDTYPE, "dtype is mat22_f32", "number");
    CHECK_FAILS(tess_arange(&a, shape, 99, tess_cpu(), 0, 1), TESS_EDTYPE, "dtype is 99");
    CHECK_FAILS(tess_arange(&a, TESS_SHAPE(1, 1, -1, 4), TESS_F32, tess_cpu(), 0, 1), TESS_ESHAPE, "{1,1,-1,4}");
    CHECK_FAILS(tess_arange(&a, shape, TESS_F32, tess_gpu(0), 0, 1), TESS_EDEVICE, "gpu:0");
    CHECK(is_zeroed(&a));
}

TEST(linspace_ends_exactly_at_stop)
{
    for (int64_t n = 2; n < 40; n++) {
        tess_array a = { 0 };
        double     step = 0;
        CHECK_OK(tess_linspace(&a, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu(), 0.1, 0.7,
                               &(tess_linspace_opts){ .step = &step }));
        const double *x = a.data;
        CHECK(x[0] == 0.1 && x[n - 1] == 0.7);
        CHECK(fabs(step - 0.6 / (double)(n - 1)) < 1e-15);
        for (int64_t i = 1; i < n; i++) CHECK(fabs(x[i] - x[i - 1] - step) < 1e-15);
        tess_release(&a);
    }
}

TEST(linspace_without_endpoint)
{
    tess_array a = { 0 };
    double     step = 0;
    CHECK_OK(tess_linspace(&a, TESS_SHAPE(1, 1, 2, 4), TESS_F32, tess_cpu(), 0, 2,
                           &(tess_linspace_opts){ .step = &step, .no_endpoint = 1 }));
    CHECK(step == 0.25);
    CHECK(value_at(&a, 0, 0, 1, 3) == 1.75);
    tess_release(&a);
}

TEST(linspace_of_one_is_start_and_of_none_is_empty)
{
    tess_array a = { 0 }, b = { 0 };
    CHECK_OK(tess_linspace(&a, TESS_SHAPE(1, 1, 1, 1), TESS_F32, tess_cpu(), 3, 9, NULL));
    CHECK(value_at(&a, 0, 0, 0, 0) == 3);
    CHECK_OK(tess_linspace(&b, TESS_SHAPE(1, 1, 0, 1), TESS_F32, tess_cpu(), 3, 9, NULL));
    CHECK(tess_is_empty(&b));
    tess_release(&a);
    tess_release(&b);
}

TEST(linspace_over_the_whole_range_does_not_overflow)
{
    for (int64_t n = 2; n < 6; n++) {
        tess_array a = { 0 };
        CHECK_OK(tess_linspace(&a, TESS_SHAPE(1, 1, 1, n), TESS_F64, tess_cpu(), -DBL_MAX, DBL_MAX, NULL));
        const double *x = a.data;
        CHECK(x[0] == -DBL_MAX && x[n - 1] == DBL_MAX);
        for (int64_t i = 0; i < n; i++) CHECK(isfinite(x[i]));
        tess_release(&a);
    }
}

TEST(linspace_fills_a_view)
{
    tess_array a = constant(TESS_F32, 1, 1, 4, 5, -1), v = { 0 };
    CHECK_OK(tess_transpose(&v, &a));
    CHECK_OK(tess_linspace(&v, TESS_SHAPE(1, 1, 5, 4), TESS_F32, tess_cpu(), 0, 19, NULL));
    CHECK(value_at(&v, 0, 0, 4, 3) == 19 && value_at(&v, 0, 0, 1, 0) == 4 && value_at(&a, 0, 0, 0, 1) == 4);
    tess_release(&a);
}

TEST(linspace_refuses)
{
    tess_array         a = { 0 };
    const tess_shape   shape = TESS_SHAPE(1, 1, 1, 4);
    tess_linspace_opts bad = { .no_endpoint = 2 }, newer = { .reserved = { 0, 0, 0, 0, 1 } };
    CHECK_FAILS(tess_linspace(NULL, shape, TESS_F32, tess_cpu(), 0, 1, NULL), TESS_EARG, "out is NULL");
    CHECK_FAILS(tess_linspace(&a, shape, TESS_F32, tess_cpu(), INFINITY, 1, NULL), TESS_EARG, "start is inf");
    CHECK_FAILS(tess_linspace(&a, shape, TESS_F32, tess_cpu(), 0, NAN, NULL), TESS_EARG, "stop is nan");
    CHECK_FAILS(tess_linspace(&a, shape, TESS_F32, tess_cpu(), 0, 1, &bad), TESS_ERANGE, "opts->no_endpoint is 2");
    CHECK_FAILS(tess_linspace(&a, shape, TESS_F32, tess_cpu(), 0, 1, &newer), TESS_EARG, "reserved");
    CHECK_FAILS(tess_linspace(&a, shape, TESS_VEC2_F32, tess_cpu(), 0, 1, NULL), TESS_EDTYPE, "vec2_f32");
    CHECK(is_zeroed(&a));
}

TEST(eye_of_square_wide_and_tall_images)
{
    static const int64_t sizes[3][2] = { { 4, 4 }, { 3, 5 }, { 5, 3 } };
    for (int i = 0; i < 3; i++) {
        tess_array a = { 0 };
        CHECK_OK(tess_eye(&a, TESS_SHAPE(2, 2, sizes[i][0], sizes[i][1]), TESS_F32, tess_cpu()));
        for (int64_t n = 0; n < 4; n++)
            for (int64_t h = 0; h < sizes[i][0]; h++)
                for (int64_t w = 0; w < sizes[i][1]; w++)
                    CHECK(TESS_AT(float, a, n / 2, n % 2, h, w) == (h == w ? 1 : 0));
        tess_release(&a);
    }
}

TEST(eye_of_one_row_and_of_nothing)
{
    tess_array a = { 0 }, b = { 0 }, c = { 0 };
    CHECK_OK(tess_eye(&a, TESS_SHAPE(1, 1, 1, 3), TESS_C32, tess_cpu()));
    CHECK(((float *)a.data)[0] == 1 && ((float *)a.data)[1] == 0 && ((float *)a.data)[2] == 0);
    CHECK_OK(tess_eye(&b, TESS_SHAPE(1, 1, 0, 3), TESS_F32, tess_cpu()));
    CHECK(tess_is_empty(&b));
    CHECK_OK(tess_eye(&c, TESS_SHAPE(3, 1, 4, 0), TESS_F32, tess_cpu()));
    CHECK(tess_is_empty(&c));
    tess_release(&a);
    tess_release(&b);
    tess_release(&c);
}

TEST(eye_fills_a_reversed_view)
{
    tess_array a = constant(TESS_F32, 1, 1, 3, 3, -1), v = { 0 };
    CHECK_OK(tess_reverse(&v, &a, TESS_W));
    CHECK_OK(tess_eye(&v, TESS_SHAPE(1, 1, 3, 3), TESS_F32, tess_cpu()));
    for (int h = 0; h < 3; h++)
        for (int w = 0; w < 3; w++) CHECK(TESS_AT(float, a, 0, 0, h, w) == (h + w == 2 ? 1 : 0));
    tess_release(&a);
}

TEST(eye_refuses_compounds)
{
    tess_array a = { 0 };
    CHECK_FAILS(tess_eye(&a, TESS_SHAPE(1, 1, 3, 3), TESS_MAT33_F64, tess_cpu()), TESS_EDTYPE, "eye: ", "mat33_f64");
    CHECK_FAILS(tess_eye(NULL, TESS_SHAPE(1, 1, 3, 3), TESS_F32, tess_cpu()), TESS_EARG, "out is NULL");
}

/* ---- Bad shapes, dtypes and devices ---- */

typedef tess_status maker(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device);

static tess_status make_full(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device)
{
    TESS_TRY(tess_full(out, shape, dtype, device, 2));
    return TESS_OK;
}

static tess_status make_arange(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device)
{
    TESS_TRY(tess_arange(out, shape, dtype, device, 0, 1));
    return TESS_OK;
}

static tess_status make_linspace(tess_array *out, tess_shape shape, tess_dtype dtype, tess_device device)
{
    TESS_TRY(tess_linspace(out, shape, dtype, device, 0, 1, NULL));
    return TESS_OK;
}

static maker *const makers[] = { tess_empty, tess_zeros, tess_ones, make_full, make_arange, make_linspace, tess_eye };
enum { N_MAKERS = sizeof makers / sizeof *makers };

TEST(makers_refuse_a_null_out)
{
    for (int i = 0; i < N_MAKERS; i++)
        CHECK_FAILS(makers[i](NULL, TESS_SHAPE(1, 1, 1, 1), TESS_F32, tess_cpu()), TESS_EARG, "out is NULL");
}

TEST(makers_refuse_negative_sizes)
{
    for (int i = 0; i < N_MAKERS; i++) {
        tess_array a = { 0 };
        CHECK_FAILS(makers[i](&a, TESS_SHAPE(1, -2, 3, 4), TESS_F32, tess_cpu()), TESS_ESHAPE, "{1,-2,3,4}",
                    "0 or more");
        CHECK_FAILS(makers[i](&a, TESS_SHAPE(-1, -1, 1, 1), TESS_F32, tess_cpu()), TESS_ESHAPE, "{-1,-1,1,1}");
        CHECK_FAILS(makers[i](&a, TESS_SHAPE(0, 1, 1, INT64_MIN), TESS_F32, tess_cpu()), TESS_ESHAPE, "{0,1,1,-92");
        CHECK(is_zeroed(&a));
    }
}

TEST(makers_refuse_products_that_wrap)
{
    static const int64_t shapes[][4] = {
        { TWO(32), TWO(32), 1, 1 },       /* wraps to 0 */
        { TWO(32), TWO(32) + 1, 1, 1 },   /* to 2^32 */
        { TWO(62), 4, 1, 1 },             /* to 0 */
        { TWO(62), 2, 1, 1 },             /* to the smallest int64 */
        { TWO(31), TWO(31), 3, 1 },       /* negative */
        { 3037000500, 3037000500, 1, 1 }, /* negative */
        { INT64_MAX, INT64_MAX, 1, 1 },   /* to 1 */
        { INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX },
        { TWO(61), 1, 1, 1 },     /* the bytes to 0 */
        { TWO(61) + 1, 1, 1, 1 }, /* the bytes to 8 */
    };
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++) {
        const tess_shape shape = TESS_SHAPE(shapes[k][0], shapes[k][1], shapes[k][2], shapes[k][3]);
        for (int i = 0; i < N_MAKERS; i++) {
            tess_array a = { 0 };
            CHECK_FAILS(makers[i](&a, shape, TESS_F64, tess_cpu()), TESS_ESHAPE, "shape is {", "2^60");
            CHECK(is_zeroed(&a));
        }
    }
}

TEST(an_empty_array_with_huge_other_sizes_is_harmless)
{
    tess_array        a = { 0 }, copy = { 0 };
    const tess_status status = tess_empty(&a, TESS_SHAPE(0, TWO(40), TWO(40), TWO(40)), TESS_F64, tess_cpu());
    if (status == TESS_OK) {
        CHECK_I64(tess_n_elements(&a), 0);
        CHECK_OK(tess_copy(&copy, &a));
    } else {
        CHECK_FAILS(status, TESS_ESHAPE, "{0,1099511627776,");
    }
    tess_release(&a);
    tess_release(&copy);
}

TEST(makers_refuse_dtypes_that_are_none)
{
    static const tess_dtype bad[] = { 0, -1, TESS_DTYPE_COUNT, INT32_MAX, INT32_MIN };
    for (int i = 0; i < N_MAKERS; i++) {
        for (int k = 0; k < 5; k++) {
            tess_array a = { 0 };
            char       text[32];
            (void)snprintf(text, sizeof text, "dtype is %d", (int)bad[k]);
            CHECK_FAILS(makers[i](&a, TESS_SHAPE(1, 1, 1, 4), bad[k], tess_cpu()), TESS_EDTYPE, text, "needed");
            CHECK(is_zeroed(&a));
        }
    }
}

TEST(makers_refuse_devices_that_are_not_here)
{
    const tess_device second = { TESS_CPU, 1 }, odd = { 7, 0 };
    for (int i = 0; i < N_MAKERS; i++) {
        tess_array a = { 0 };
        CHECK_FAILS(makers[i](&a, TESS_SHAPE(1, 1, 1, 4), TESS_F32, tess_gpu(3)), TESS_EDEVICE, "gpu:3");
        CHECK_FAILS(makers[i](&a, TESS_SHAPE(1, 1, 1, 4), TESS_F32, second), TESS_EDEVICE, "index 1", "0 is needed");
        CHECK_FAILS(makers[i](&a, TESS_SHAPE(1, 1, 1, 4), TESS_F32, odd), TESS_EDEVICE, "kind 7");
        CHECK(is_zeroed(&a));
    }
}

TEST(like_refuses)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_FAILS(tess_like(&out, NULL), TESS_EARG, "like: ", "in is NULL");
    CHECK_FAILS(tess_like(&out, &a), TESS_EARG, "in is a released or zeroed array");
    a = numbers(TESS_F32, 1, 1, 2, 3);
    CHECK_FAILS(tess_like(NULL, &a), TESS_EARG, "out is NULL");
    const tess_array gpu = on_gpu(a);
    CHECK_FAILS(tess_like(&out, &gpu), TESS_EDEVICE, "gpu:0");
    tess_release(&a);
}

/* ---- The output rule ---- */

/* Every function that writes an array of {1,1,2,3} f32 as its output. */
typedef tess_status writer(tess_array *out, const tess_array *in);

static tess_status write_cast(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess_cast(out, in, TESS_F32, NULL));
    return TESS_OK;
}

static tess_status write_permuted(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess_permute_copy(out, in, 1, 0, 2, 3));
    return TESS_OK;
}

static tess_status write_joined(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess_concatenate(out, in, 1, 3));
    return TESS_OK;
}

static tess_status write_to_device(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess_to_device(out, in, tess_cpu()));
    return TESS_OK;
}

static tess_status write_arange(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess_arange(out, in->shape, TESS_F32, tess_cpu(), 0, 1));
    return TESS_OK;
}

static tess_status write_linspace(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess_linspace(out, in->shape, TESS_F32, tess_cpu(), 0, 5, NULL));
    return TESS_OK;
}

static tess_status write_eye(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess_eye(out, in->shape, TESS_F32, tess_cpu()));
    return TESS_OK;
}

static tess_status write_fill(tess_array *out, const tess_array *in)
{
    (void)in;
    TESS_TRY(tess_fill(out, 1));
    return TESS_OK;
}

static tess_status write_fill_element(tess_array *out, const tess_array *in)
{
    TESS_TRY(tess_fill_element(out, in->data));
    return TESS_OK;
}

/* The first eight make a zeroed `out` and know its shape and dtype. */
static writer *const writers[] = { tess_copy,    write_cast,     write_permuted, write_to_device, write_joined,
                                   write_arange, write_linspace, write_eye,      write_fill,      write_fill_element };
enum { N_WRITERS = sizeof writers / sizeof *writers, N_MAKING = 8 };

TEST(a_zeroed_out_is_made)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3);
    for (int i = 0; i < N_MAKING; i++) {
        tess_array out = { 0 };
        CHECK_OK(writers[i](&out, &in));
        CHECK_DIMS(out.shape, 1, 1, 2, 3);
        CHECK_DIMS(out.strides, 6, 6, 3, 1);
        CHECK(out.buffer && out.buffer != in.buffer && out.dtype == TESS_F32 && out.flags == 0);
        tess_release(&out);
    }
    tess_release(&in);
}

TEST(a_given_out_is_written_in_place_whatever_its_strides)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3);
    for (int i = 0; i < N_WRITERS; i++) {
        tess_array storage = constant(TESS_F32, 1, 3, 4, 5, -7), out = { 0 },
                   plain = constant(TESS_F32, 1, 1, 2, 3, -7);
        CHECK_OK(tess_subregion_text(&out, &storage, "0, 1, 3:0:-2, ::2"));
        const tess_array before = out;
        CHECK_OK(writers[i](&out, &in));
        CHECK(same_struct(&out, &before));
        CHECK_OK(writers[i](&plain, &in));
        CHECK(same_values(&out, &plain));
        int touched = 0;
        for (int k = 0; k < 60; k++) touched += ((float *)storage.data)[k] != -7;
        CHECK_I64(touched, 6);
        tess_release(&storage);
        tess_release(&plain);
    }
    tess_release(&in);
}

TEST(a_released_array_can_be_made_again)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3), out = { 0 };
    CHECK_OK(tess_copy(&out, &in));
    tess_release(&out);
    CHECK_OK(tess_copy(&out, &in));
    CHECK(same_values(&out, &in));
    tess_release(&out);
    tess_release(&in);
}

TEST(a_null_out_is_refused)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3);
    for (int i = 0; i < N_WRITERS; i++) CHECK_FAILS(writers[i](NULL, &in), TESS_EARG, "out is NULL");
    tess_release(&in);
}

/* The writer must reject `out` and leave it, what it points to, and the memory in use as they were. */
static void refuses(writer *write, tess_array *out, const tess_array *in, tess_status status, const char *part)
{
    const tess_array before = *out;
    const int64_t    used = tess_memory_used(tess_cpu());
    unsigned char    bytes[96];
    memcpy(bytes, out->data, sizeof bytes);
    CHECK_FAILS(write(out, in), status, part);
    CHECK(same_struct(out, &before));
    CHECK(memcmp(bytes, out->data, sizeof bytes) == 0);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

TEST(an_out_of_another_shape_is_refused)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3), out = constant(TESS_F32, 1, 1, 3, 8, -7);
    for (int i = 0; i < N_MAKING; i++) refuses(writers[i], &out, &in, TESS_ESHAPE, "{1,1,3,8}");
    tess_release(&in);
    tess_release(&out);
}

TEST(an_out_of_another_dtype_is_refused)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3), out = constant(TESS_F64, 1, 1, 2, 6, -7);
    out.shape.w = 3;
    for (int i = 0; i < N_MAKING; i++) refuses(writers[i], &out, &in, TESS_EDTYPE, "f64");
    tess_release(&in);
    tess_release(&out);
}

TEST(an_out_on_another_device_is_refused)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3), host = constant(TESS_F32, 1, 1, 4, 6, -7), out = host;
    out.device = tess_gpu(0);
    out.shape = in.shape;
    for (int i = 0; i < N_MAKING; i++) refuses(writers[i], &out, &in, TESS_EDEVICE, "gpu:0");
    CHECK_FAILS(tess_fill(&out, 1), TESS_EDEVICE, "gpu:0");
    CHECK_FAILS(tess_fill_element(&out, in.data), TESS_EDEVICE, "gpu:0");
    tess_release(&in);
    tess_release(&host);
}

TEST(a_read_only_out_is_refused)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3), storage = constant(TESS_F32, 1, 1, 4, 6, -7), out = { 0 };
    CHECK_OK(tess_subregion_text(&out, &storage, "..., :2, :3"));
    out.flags = TESS_READ_ONLY;
    for (int i = 0; i < N_WRITERS; i++) refuses(writers[i], &out, &in, TESS_EWRITE, "read-only");
    tess_release(&in);
    tess_release(&storage);
}

TEST(a_broadcast_out_is_refused)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3), storage = constant(TESS_F32, 1, 1, 4, 6, -7), out = { 0 };
    CHECK_OK(tess_subregion_text(&out, &storage, "..., :1, :3"));
    CHECK_OK(tess_broadcast(&out, &out, in.shape));
    for (int i = 0; i < N_WRITERS; i++) refuses(writers[i], &out, &in, TESS_EWRITE, "axis 2");
    tess_release(&in);
    tess_release(&storage);
}

TEST(an_out_whose_elements_share_memory_is_refused)
{
    tess_array         in = numbers(TESS_F32, 1, 1, 2, 3), out = { 0 };
    float              data[24] = { 0 };
    const tess_strides sliding = TESS_STRIDES(1, 1, 1, 1);
    CHECK_OK(tess_wrap(&out, data, in.shape, TESS_F32, &(tess_wrap_opts){ .strides = &sliding, .length = 24 }));
    for (int i = 0; i < N_WRITERS; i++) refuses(writers[i], &out, &in, TESS_EWRITE, "{1,1,1,1}");
    tess_release(&in);
}

TEST(an_empty_out_is_written_without_complaint)
{
    for (int axis = 0; axis < 4; axis++) {
        tess_shape shape = TESS_SHAPE(2, 2, 2, 2);
        tess_array in = { 0 }, out = { 0 };
        shape.dim[axis] = 0;
        CHECK_OK(tess_empty(&in, shape, TESS_F32, tess_cpu()));
        CHECK_OK(tess_empty(&out, shape, TESS_F32, tess_cpu()));
        CHECK_OK(tess_copy(&out, &in));
        CHECK_OK(tess_cast(&out, &in, TESS_F32, NULL));
        CHECK_OK(tess_concatenate(&out, &in, 1, 0));
        CHECK_OK(tess_arange(&out, shape, TESS_F32, tess_cpu(), 0, 1));
        CHECK_OK(tess_linspace(&out, shape, TESS_F32, tess_cpu(), 0, 1, NULL));
        CHECK_OK(tess_eye(&out, shape, TESS_F32, tess_cpu()));
        CHECK_OK(tess_fill(&out, 1));
        tess_release(&in);
        tess_release(&out);
    }
}

TEST(an_out_with_a_strange_dtype_is_refused)
{
    tess_array in = numbers(TESS_F32, 1, 1, 2, 3), host = constant(TESS_F32, 1, 1, 4, 6, -7), out = host;
    out.dtype = 77;
    for (int i = 0; i < N_WRITERS; i++) CHECK_FAILS(writers[i](&out, &in), TESS_EDTYPE, "77");
    out = host;
    out.data = NULL;
    for (int i = 0; i < N_WRITERS; i++) CHECK_FAILS(writers[i](&out, &in), TESS_EARG, "out", "data is NULL");
    tess_release(&in);
    tess_release(&host);
}

/* ---- wrap ---- */

TEST(wrap_borrows)
{
    float      data[6] = { 0, 1, 2, 3, 4, 5 };
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 2, 3), TESS_F32, NULL));
    CHECK(a.data == data && a.buffer == NULL && a.flags == 0);
    CHECK_DIMS(a.strides, 6, 6, 3, 1);
    CHECK_OK(tess_set_f64(&a, 0, 0, 1, 0, -3));
    CHECK(data[3] == -3);
    CHECK_OK(tess_retain(&a));
    tess_release(&a);
    CHECK(is_zeroed(&a) && data[5] == 5);
}

TEST(wrap_takes_strides_and_offset)
{
    double             data[20];
    tess_array         a = { 0 };
    const tess_strides strides = TESS_STRIDES(0, 0, -4, -1);
    for (int i = 0; i < 20; i++) data[i] = i;
    CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 5, 4), TESS_F64,
                       &(tess_wrap_opts){ .strides = &strides, .offset = 19, .length = 20 }));
    CHECK(a.data == data + 19);
    CHECK_DIMS(a.strides, 0, 0, -4, -1);
    CHECK(value_at(&a, 0, 0, 0, 0) == 19 && value_at(&a, 0, 0, 4, 3) == 0);
}

TEST(wrap_checks_that_the_view_lies_inside)
{
    float              data[20] = { 0 };
    tess_array         a = { 0 };
    const tess_strides back = TESS_STRIDES(0, 0, -4, 1), wide = TESS_STRIDES(0, 0, 8, 1);
    const tess_shape   shape = TESS_SHAPE(1, 1, 3, 4);
    CHECK_OK(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .length = 12 }));
    CHECK_FAILS(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .length = 11 }), TESS_ERANGE, "0 to 11",
                "length is 11", "0 to 10");
    CHECK_OK(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .length = 20, .offset = 8 }));
    CHECK_FAILS(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .length = 20, .offset = 9 }), TESS_ERANGE,
                "offset 9", "9 to 20", "0 to 19");
    CHECK_FAILS(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .length = 20, .offset = -1 }), TESS_ERANGE,
                "offset -1", "-1 to 10");
    CHECK_FAILS(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .length = 20, .strides = &back }), TESS_ERANGE,
                "{0,0,-4,1}", "-8 to 3");
    CHECK_OK(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .length = 20, .strides = &back, .offset = 8 }));
    CHECK_OK(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .length = 20, .strides = &wide }));
    CHECK_FAILS(tess_wrap(&a, data, shape, TESS_F32, &(tess_wrap_opts){ .length = 19, .strides = &wide }), TESS_ERANGE,
                "0 to 19", "length is 19");
}

TEST(wrap_checks_extents_that_overflow)
{
    float                data[4] = { 0 };
    tess_array           a = { 0 };
    const tess_strides   huge = TESS_STRIDES(INT64_MAX, 0, 0, 0), large = TESS_STRIDES(TWO(61), TWO(61), TWO(61), 1);
    const tess_strides   low = TESS_STRIDES(INT64_MIN, 0, 0, 0);
    const tess_wrap_opts far = { .strides = &huge, .length = 4 }, three = { .strides = &large, .length = 4 };
    const tess_wrap_opts below = { .strides = &low };
    CHECK_FAILS(tess_wrap(&a, data, TESS_SHAPE(3, 1, 1, 1), TESS_F32, &far), TESS_ESHAPE, "{9223372036854775807,0,0,0}",
                "addressed");
    CHECK_FAILS(tess_wrap(&a, data, TESS_SHAPE(2, 2, 2, 1), TESS_F32, &three), TESS_ESHAPE, "addressed");
    CHECK_FAILS(tess_wrap(&a, data, TESS_SHAPE(2, 1, 1, 1), TESS_F32, &below), TESS_ESHAPE, "addressed");
    CHECK_FAILS(tess_wrap(&a, data, TESS_SHAPE(TWO(32), TWO(32), 1, 1), TESS_F32, NULL), TESS_ESHAPE, "2^60");
    CHECK(is_zeroed(&a));
}

TEST(wrap_refuses_an_offset_that_cannot_be_addressed)
{
    static const int64_t bad[] = { INT64_MAX, INT64_MIN, TWO(62), -TWO(62), TWO(61), TWO(60) + 1 };
    double               data[4] = { 0 };
    for (int i = 0; i < 6; i++) {
        tess_array a = { 0 };
        CHECK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 1, 1), TESS_F64, &(tess_wrap_opts){ .offset = bad[i] }) != TESS_OK);
        CHECK(is_zeroed(&a));
    }
}

TEST(wrap_refuses_other_bad_arguments)
{
    float                data[4] = { 0 };
    tess_array           a = { 0 };
    const tess_shape     shape = TESS_SHAPE(1, 1, 1, 3);
    const tess_wrap_opts flag = { .read_only = 2 }, newer = { .reserved = { 1 } }, less = { .length = -1 };
    const tess_wrap_opts gpu = { .device = { TESS_GPU, 0 } };
    CHECK_FAILS(tess_wrap(NULL, data, shape, TESS_F32, NULL), TESS_EARG, "wrap: ", "out is NULL");
    CHECK_FAILS(tess_wrap(&a, NULL, shape, TESS_F32, NULL), TESS_EARG, "data is NULL");
    CHECK_FAILS(tess_wrap(&a, (char *)data + 1, shape, TESS_F32, NULL), TESS_EARG, "data is ", "multiple of 4 bytes");
    CHECK_FAILS(tess_wrap(&a, (char *)data + 2, shape, TESS_C32, NULL), TESS_EARG, "not aligned for c32");
    CHECK_FAILS(tess_wrap(&a, data, shape, 0, NULL), TESS_EDTYPE, "dtype is 0");
    CHECK_FAILS(tess_wrap(&a, data, TESS_SHAPE(1, 1, 1, -3), TESS_F32, NULL), TESS_ESHAPE, "{1,1,1,-3}");
    CHECK_FAILS(tess_wrap(&a, data, shape, TESS_F32, &flag), TESS_ERANGE, "opts->read_only is 2");
    CHECK_FAILS(tess_wrap(&a, data, shape, TESS_F32, &less), TESS_ERANGE, "opts->length is -1");
    CHECK_FAILS(tess_wrap(&a, data, shape, TESS_F32, &newer), TESS_EARG, "reserved");
    CHECK_FAILS(tess_wrap(&a, data, shape, TESS_F32, &gpu), TESS_EDEVICE, "gpu:0");
    CHECK(is_zeroed(&a));
}

TEST(wrap_takes_memory_aligned_for_its_reals_only)
{
    _Alignas(16) char bytes[64] = { 0 };
    tess_array        a = { 0 };
    CHECK_OK(tess_wrap(&a, bytes + 4, TESS_SHAPE(1, 1, 1, 2), TESS_C32, NULL));
    CHECK_OK(tess_wrap(&a, bytes + 4, TESS_SHAPE(1, 1, 1, 1), TESS_MAT22_F32, NULL));
    CHECK_OK(tess_wrap(&a, bytes + 2, TESS_SHAPE(1, 1, 1, 2), TESS_C16, NULL));
    CHECK_OK(tess_wrap(&a, bytes + 1, TESS_SHAPE(1, 1, 1, 2), TESS_BOOL, NULL));
}

TEST(wrap_of_an_empty_array_needs_no_memory)
{
    tess_array a = { 0 }, copy = { 0 };
    CHECK_OK(tess_wrap(&a, NULL, TESS_SHAPE(1, 0, 4, 5), TESS_F32, NULL));
    CHECK(tess_is_empty(&a) && a.dtype == TESS_F32);
    CHECK_OK(tess_copy(&copy, &a));
    tess_release(&copy);
}

static void count_drop(void *context) { ++*(int *)context; }

TEST(drop_is_called_once_when_the_last_reference_goes)
{
    float      data[4] = { 0 };
    int        drops = 0;
    tess_array a = { 0 }, view = { 0 };
    CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 2, 2), TESS_F32,
                       &(tess_wrap_opts){ .drop = count_drop, .context = &drops }));
    CHECK(a.buffer != NULL);
    CHECK_OK(tess_transpose(&view, &a));
    CHECK_OK(tess_retain(&view));
    tess_release(&a);
    CHECK_I64(drops, 0);
    CHECK(value_at(&view, 0, 0, 1, 1) == 0);
    tess_release(&view);
    CHECK_I64(drops, 1);
    tess_release(&view);
    tess_release(&a);
    CHECK_I64(drops, 1);
}

TEST(drop_is_called_once_after_many_references)
{
    float      data[1] = { 0 };
    int        drops = 0;
    tess_array a = { 0 }, held[100];
    CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 1, 1), TESS_F32,
                       &(tess_wrap_opts){ .drop = count_drop, .context = &drops }));
    for (int i = 0; i < 100; i++) {
        held[i] = a;
        CHECK_OK(tess_retain(&held[i]));
    }
    tess_release(&a);
    for (int i = 0; i < 100; i++) {
        CHECK_I64(drops, 0);
        tess_release(&held[i]);
    }
    CHECK_I64(drops, 1);
}

TEST(drop_is_not_called_when_wrap_fails)
{
    float          data[4] = { 0 };
    int            drops = 0;
    tess_array     a = { 0 };
    tess_wrap_opts opts = { .drop = count_drop, .context = &drops, .length = 3 };
    CHECK_FAILS(tess_wrap(&a, data, TESS_SHAPE(1, 1, 2, 2), TESS_F32, &opts), TESS_ERANGE, "length is 3");
    CHECK_FAILS(tess_wrap(&a, data, TESS_SHAPE(1, 1, 2, 2), 0, &opts), TESS_EDTYPE, "dtype is 0");
    CHECK_I64(drops, 0);
}

TEST(wrapped_memory_does_not_count_as_used)
{
    static float  data[1024];
    int           drops = 0;
    tess_array    a = { 0 };
    const int64_t used = tess_memory_used(tess_cpu());
    CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 1, 1024), TESS_F32,
                       &(tess_wrap_opts){ .drop = count_drop, .context = &drops }));
    CHECK_I64(tess_memory_used(tess_cpu()), used);
    tess_release(&a);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
    CHECK_I64(drops, 1);
}

TEST(read_only_is_refused_by_every_writing_function)
{
    static const float data[6] = { 0, 1, 2, 3, 4, 5 };
    tess_array         a = { 0 }, in = numbers(TESS_F32, 1, 1, 2, 3);
    CHECK_OK(
        tess_wrap(&a, (void *)(uintptr_t)data, TESS_SHAPE(1, 1, 2, 3), TESS_F32, &(tess_wrap_opts){ .read_only = 1 }));
    CHECK(a.flags == TESS_READ_ONLY);
    for (int i = 0; i < N_WRITERS; i++) CHECK_FAILS(writers[i](&a, &in), TESS_EWRITE, "out is read-only");
    CHECK_FAILS(tess_set_f64(&a, 0, 0, 0, 0, 1), TESS_EWRITE, "set_f64: ", "a is read-only");
    CHECK_FAILS(tess_set_i64(&a, 0, 0, 0, 0, 1), TESS_EWRITE, "set_i64: ", "a is read-only");
    tess_array complex = read_only(constant(TESS_C32, 1, 1, 1, 1, 0));
    CHECK_FAILS(tess_set_c64(&complex, 0, 0, 0, 0, (tess_c64){ 1, 1 }), TESS_EWRITE, "set_c64: ", "a is read-only");
    tess_release(&complex);
    tess_release(&in);
}

TEST(views_of_read_only_arrays_are_read_only)
{
    tess_array a = read_only(numbers(TESS_C32, 1, 2, 3, 4)), v = { 0 };
    CHECK_OK(tess_transpose(&v, &a));
    CHECK(v.flags == TESS_READ_ONLY);
    CHECK_OK(tess_slice(&v, &a, 3, 0, 2, 1));
    CHECK(v.flags == TESS_READ_ONLY);
    CHECK_OK(tess_real_view(&v, &a));
    CHECK_FAILS(tess_fill(&v, 1), TESS_EWRITE, "read-only");
    CHECK_OK(tess_reinterpret(&v, &a, TESS_F32));
    CHECK_FAILS(tess_fill(&v, 1), TESS_EWRITE, "read-only");
    CHECK_OK(tess_reshape(&v, &a, TESS_SHAPE(1, 1, 1, 24)));
    CHECK_FAILS(tess_fill(&v, 1), TESS_EWRITE, "read-only");
    CHECK_OK(tess_view_at(&v, &a, 1, 0));
    CHECK_FAILS(tess_fill(&v, 1), TESS_EWRITE, "read-only");
    tess_release(&a);
}

TEST(size_1_dimensions_may_have_any_strides)
{
    static const int64_t wild[] = { INT64_MAX, INT64_MIN, TWO(62), -TWO(62), 0, -1 };
    _Alignas(16) float   data[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    for (int i = 0; i < 6; i++) {
        const tess_strides   strides = TESS_STRIDES(wild[i], wild[i], wild[i], 1);
        const tess_wrap_opts opts = { .strides = &strides, .length = 4 };
        tess_array           a = { 0 }, v = { 0 }, copy = { 0 };
        double               x = 0;
        CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 1, 4), TESS_C32, &opts));
        CHECK(tess_is_contiguous(&a, 'C') && tess_is_dense(&a) && tess_is_flattenable(&a));
        CHECK_OK(tess_reverse(&v, &a, TESS_ALL_AXES));
        CHECK_OK(tess_imag_view(&v, &v));
        CHECK_OK(tess_get_f64(&x, &v, 0, 0, 0, 0));
        CHECK(x == 8);
        CHECK_OK(tess_reinterpret(&v, &a, TESS_F32));
        CHECK_OK(tess_reinterpret(&v, &a, TESS_VEC4_F32));
        CHECK_OK(tess_slice(&v, &a, 0, TESS_NONE, TESS_NONE, -1));
        CHECK_OK(tess_squeeze_left(&v, &a));
        CHECK_OK(tess_reshape(&v, &a, TESS_SHAPE(2, 1, 2, 1)));
        CHECK_OK(tess_view_at(&v, &a, 1, 0));
        CHECK_OK(tess_broadcast(&v, &a, TESS_SHAPE(3, 1, 1, 4)));
        CHECK_OK(tess_copy(&copy, &a));
        CHECK_OK(tess_copy(&a, &copy));
        CHECK(tess_overlap(&a, &a));
        CHECK(data[0] == 1 && data[7] == 8);
        tess_release(&copy);
    }
}

/* ---- Ownership ---- */

TEST(release_allows_null_and_zeroed_arrays)
{
    tess_array a = { 0 };
    tess_release(NULL);
    tess_release(&a);
    CHECK(is_zeroed(&a));
}

TEST(storage_lives_as_long_as_a_reference)
{
    const int64_t used = tess_memory_used(tess_cpu());
    tess_array    a = numbers(TESS_F32, 1, 1, 10, 10), v = { 0 };
    CHECK_OK(tess_view_at(&v, &a, 2, 9));
    CHECK_OK(tess_retain(&v));
    tess_release(&a);
    CHECK_I64(tess_memory_used(tess_cpu()), used + 400);
    CHECK(value_at(&v, 0, 0, 0, 9) == 99);
    tess_release(&v);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

TEST(retain_refuses)
{
    tess_array a = { 0 };
    CHECK_FAILS(tess_retain(NULL), TESS_EARG, "retain: ", "a is NULL");
    CHECK_FAILS(tess_retain(&a), TESS_EARG, "released or zeroed");
}

/* ---- Memory ---- */

TEST(storage_is_aligned)
{
    for (int64_t n = 0; n < 200; n++) {
        tess_array a = { 0 };
        CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, n), TESS_U8, tess_cpu()));
        CHECK((uintptr_t)a.data % 64 == 0);
        tess_release(&a);
    }
    for (int64_t n = 4 << 20; n < 40 << 20; n = n * 3 / 2 + 1) {
        tess_array a = { 0 };
        CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, n), TESS_U8, tess_cpu()));
        CHECK((uintptr_t)a.data % (2 << 20) == 0);
        ((char *)a.data)[n - 1] = 1;
        tess_release(&a);
    }
}

TEST(memory_used_counts_bytes)
{
    const int64_t used = tess_memory_used(tess_cpu());
    tess_array    a = numbers(TESS_F64, 1, 1, 10, 10), b = numbers(TESS_U8, 1, 5, 1024, 1024);
    CHECK_I64(tess_memory_used(tess_cpu()), used + 800 + 5 * 1024 * 1024);
    tess_release(&a);
    CHECK_I64(tess_memory_used(tess_cpu()), used + 5 * 1024 * 1024);
    tess_release(&b);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
    CHECK_I64(tess_memory_used(tess_gpu(0)), 0);
}

TEST(memory_limit_refuses_with_all_numbers)
{
    const int64_t used = tess_memory_used(tess_cpu());
    tess_array    a = { 0 }, b = { 0 };
    char          in_use[64], limit[64];
    CHECK_OK(tess_memory_limit_set(used + 1000));
    CHECK_OK(tess_empty(&a, TESS_SHAPE(1, 1, 1, 600), TESS_U8, tess_cpu()));
    (void)snprintf(in_use, sizeof in_use, "%" PRId64 " bytes in use", used + 600);
    (void)snprintf(limit, sizeof limit, "limit is %" PRId64, used + 1000);
    CHECK_FAILS(tess_empty(&b, TESS_SHAPE(1, 1, 1, 401), TESS_U8, tess_cpu()), TESS_ENOMEM, "401 bytes", in_use, limit);
    CHECK_FAILS(tess_copy(&b, &a), TESS_ENOMEM, "600 bytes", in_use, limit);
    CHECK_FAILS(tess_cast(&b, &a, TESS_F64, NULL), TESS_ENOMEM, "4800 bytes", in_use, limit);
    CHECK(is_zeroed(&b));
    CHECK_OK(tess_empty(&b, TESS_SHAPE(1, 1, 1, 400), TESS_U8, tess_cpu()));
    tess_release(&a);
    tess_release(&b);
    CHECK_OK(tess_memory_limit_set(0));
    CHECK_FAILS(tess_memory_limit_set(-1), TESS_EARG, "memory_limit_set: ", "bytes is -1");
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

TEST(memory_limit_below_what_is_in_use_refuses_more)
{
    tess_array a = numbers(TESS_U8, 1, 1, 1, 600), b = { 0 };
    CHECK_OK(tess_memory_limit_set(10));
    CHECK_FAILS(tess_empty(&b, TESS_SHAPE(1, 1, 1, 1), TESS_U8, tess_cpu()), TESS_ENOMEM, "1 bytes", "limit is 10");
    CHECK_OK(tess_memory_limit_set(0));
    CHECK_OK(tess_empty(&b, TESS_SHAPE(1, 1, 1, 1), TESS_U8, tess_cpu()));
    tess_release(&a);
    tess_release(&b);
}

TEST(more_than_the_machine_has_is_refused)
{
    tess_array a = { 0 };
    CHECK_FAILS(tess_zeros(&a, TESS_SHAPE(1, 1, 1, TWO(56)), TESS_F64, tess_cpu()), TESS_ENOMEM,
                "576460752303423488 bytes");
    CHECK(is_zeroed(&a));
}

/* ---- Elements ---- */

TEST(at_is_an_lvalue_at_the_address_that_the_strides_give)
{
    tess_array a = numbers(TESS_F32, 2, 3, 4, 5), v = { 0 };
    CHECK_OK(tess_subregion_text(&v, &a, "::-1, 1:, ::2, ::-2"));
    for (int64_t b = 0; b < v.shape.b; b++)
        for (int64_t d = 0; d < v.shape.d; d++)
            for (int64_t h = 0; h < v.shape.h; h++)
                for (int64_t w = 0; w < v.shape.w; w++) {
                    float *at = (float *)v.data + b * v.strides.b + d * v.strides.d + h * v.strides.h + w * v.strides.w;
                    CHECK(&TESS_AT(float, v, b, d, h, w) == at);
                    CHECK(tess_address(&v, b, d, h, w) == at);
                }
    TESS_AT(float, v, 0, 0, 0, 0) += 0.5f;
    CHECK(TESS_AT(float, a, 1, 1, 0, 4) == 84.5f);
    tess_release(&a);
}

TEST(at_takes_small_index_types)
{
    tess_array          a = numbers(TESS_F32, 1, 1, 300, 300);
    const unsigned char h = 255, w = 255;
    CHECK(TESS_AT(float, a, 0, 0, h, w) == 255 * 300 + 255);
    tess_release(&a);
}

TEST(address_counts_negative_indices_from_the_end)
{
    tess_array a = numbers(TESS_F64, 2, 3, 4, 5);
    CHECK(tess_address(&a, -1, -1, -1, -1) == (double *)a.data + 119);
    CHECK(tess_address(&a, -2, -3, -4, -5) == a.data);
    tess_release(&a);
}

TEST(address_refuses)
{
    static const int64_t bad[][4] = {
        { 2, 0, 0, 0 }, { 0, 3, 0, 0 }, { 0, 0, -5, 0 }, { 0, 0, 0, INT64_MIN }, { INT64_MAX, 0, 0, 0 }
    };
    static const char *const parts[] = { "b is 2", "d is 3", "h is -5", "w is -9223372036854775808",
                                         "b is 9223372036854775807" };
    tess_array               a = numbers(TESS_F64, 2, 3, 4, 5), empty = { 0 };
    for (int i = 0; i < 5; i++) {
        tess_error_clear();
        CHECK(tess_address(&a, bad[i][0], bad[i][1], bad[i][2], bad[i][3]) == NULL);
        CHECK_FAILS(tess_error_status(), TESS_ERANGE, "address: ", parts[i]);
    }
    CHECK(tess_address(NULL, 0, 0, 0, 0) == NULL);
    CHECK_FAILS(tess_error_status(), TESS_EARG, "a is NULL");
    CHECK(tess_address(&empty, 0, 0, 0, 0) == NULL);
    CHECK_FAILS(tess_error_status(), TESS_EARG, "released or zeroed");
    CHECK_OK(tess_empty(&empty, TESS_SHAPE(1, 0, 1, 1), TESS_F32, tess_cpu()));
    CHECK(tess_address(&empty, 0, 0, 0, 0) == NULL);
    CHECK_FAILS(tess_error_status(), TESS_ERANGE, "d is 0", "has size 0");
    tess_release(&empty);
    tess_release(&a);
}

/* ---- Spans ---- */

#define CHECK_SPAN(NAME, name, type, REAL)                                                                             \
    do {                                                                                                               \
        tess_array       a = constant(TESS_##NAME, 1, 2, 3, 4, 0), v = { 0 };                                          \
        tess_span_##name span = { 0 };                                                                                 \
        CHECK_OK(tess_reverse(&v, &a, TESS_H));                                                                        \
        CHECK_OK(tess_as_##name(&span, &v));                                                                           \
        CHECK(span.data == v.data && span.data == (type *)a.data + 8);                                                 \
        CHECK_DIMS(span.shape, 1, 2, 3, 4);                                                                            \
        CHECK_DIMS(span.strides, 24, 12, -4, 1);                                                                       \
        CHECK(&TESS_AT(type, span, 0, 1, 2, 3) == (type *)a.data + 15);                                                \
        tess_release(&a);                                                                                              \
    } while (0);

TEST(spans_of_each_dtype){ TESS_SCALAR_DTYPES(CHECK_SPAN) }

#define CHECK_SPAN_REFUSES(NAME, name, type, REAL)                                                                     \
    do {                                                                                                               \
        const tess_dtype other = TESS_##NAME == TESS_U8 ? TESS_BOOL : TESS_U8;                                         \
        tess_array       a = constant(other, 1, 1, 1, 2, 0);                                                           \
        tess_span_##name span = { 0 };                                                                                 \
        CHECK_FAILS(tess_as_##name(&span, &a), TESS_EDTYPE, tess_dtype_name(other), #name);                            \
        CHECK(span.data == NULL);                                                                                      \
        tess_release(&a);                                                                                              \
    } while (0);

TEST(spans_refuse_another_dtype){ TESS_SCALAR_DTYPES(CHECK_SPAN_REFUSES) }

TEST(spans_refuse_arrays_that_are_not_here)
{
    tess_array       a = numbers(TESS_F32, 1, 1, 1, 4), zero = { 0 };
    tess_span_f32    span = { 0 };
    const tess_array gpu = on_gpu(a);
    CHECK_FAILS(tess_as_f32(&span, &gpu), TESS_EDEVICE, "gpu:0");
    CHECK_FAILS(tess_as_f32(&span, &zero), TESS_EARG, "released or zeroed");
    CHECK_FAILS(tess_as_f32(&span, NULL), TESS_EARG, "a is NULL");
    CHECK(span.data == NULL);
    tess_release(&a);
}

/* ---- Failing leaves nothing behind ---- */

TEST(failing_calls_leak_nothing)
{
    static hooks  h;
    const int64_t used = tess_memory_used(tess_cpu());
    tess_array    in = { 0 }, out = { 0 };
    hooks_on(&h);
    CHECK_OK(tess_full(&in, TESS_SHAPE(1, 1, 2, 3), TESS_F64, tess_cpu(), 1.5));
    const long           live = atomic_load(&h.live);
    const tess_cast_opts exact = { .mode = TESS_CAST_EXACT };
    const tess_array     parts[2] = { in, out };
    CHECK_FAILS(tess_cast(&out, &in, TESS_I32, &exact), TESS_ERANGE, "1.5");
    CHECK_FAILS(tess_cast(&out, &in, TESS_MAT22_F32, NULL), TESS_EDTYPE, "mat22_f32");
    CHECK_FAILS(tess_permute_copy(&out, &in, 0, 0, 1, 2), TESS_EARG, "{0,0,1,2}");
    CHECK_FAILS(tess_concatenate(&out, parts, 2, 0), TESS_EARG, "parts[1]");
    CHECK_FAILS(tess_to_device(&out, &in, tess_gpu(0)), TESS_EDEVICE, "gpu:0");
    CHECK_FAILS(tess_full(&out, in.shape, 0, tess_cpu(), 1), TESS_EDTYPE, "0");
    CHECK(is_zeroed(&out));
    CHECK_I64(atomic_load(&h.live), live);
    tess_release(&in);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    CHECK_I64(atomic_load(&h.wrong), 0);
    CHECK_I64(tess_memory_used(tess_cpu()), used);
}

TEST(linspace_to_integers_rounds_down)
{
    tess_array a = { 0 };
    CHECK_OK(tess_linspace(&a, TESS_SHAPE(1, 1, 1, 4), TESS_I32, tess_cpu(), -1, 1, NULL));
    const int32_t want[4] = { -1, -1, 0, 1 };
    CHECK(memcmp(a.data, want, sizeof want) == 0);
    tess_release(&a);
}

TEST(arange_counts_integers_exactly_up_to_the_last)
{
    tess_array   a = { 0 };
    const double step = 0x1p61 + 512;
    CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 1, 1, 4), TESS_I64, tess_cpu(), 0, step));
    for (int64_t i = 0; i < 4; i++) CHECK_I64(((int64_t *)a.data)[i], i * (INT64_C(1) << 61) + i * 512);
    tess_release(&a);
}

TEST(an_empty_array_over_no_memory_can_be_turned_and_filled)
{
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, NULL, TESS_SHAPE(1, 1, 2, 0), TESS_F32, NULL));
    CHECK_OK(tess_reverse(&a, &a, TESS_H));
    CHECK_OK(tess_fill(&a, 1));
    CHECK_OK(tess_eye(&a, TESS_SHAPE(1, 1, 2, 0), TESS_F32, tess_cpu()));
}

TEST(a_span_of_nothing_or_of_a_read_only_array_is_refused)
{
    float         data[4] = { 0 };
    tess_array    a = { 0 };
    tess_span_f32 span;
    CHECK_OK(tess_wrap(&a, data, TESS_SHAPE(1, 1, 1, 4), TESS_F32, &(tess_wrap_opts){ .read_only = 1 }));
    CHECK_FAILS(tess_as_f32(NULL, &a), TESS_EARG, "as_f32: span is NULL");
    CHECK_FAILS(tess_as_f32(&span, &a), TESS_EWRITE, "as_f32: a is read-only");
}
