/* Convolution, median and rank filters, filters by name, outliers: examples, special shapes, outputs, what is rejected.
 * */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"
#include "support/rows.h"
#include "tessera/signal.h"

/* A row of any numbers, complex ones too. */
static tess_array numbers_of(tess_dtype dtype, int n, const double *values)
{
    tess_array reals = row_of(TESS_F64, n, values), out = { 0 };
    CHECK_OK(tess_cast(&out, &reals, dtype, NULL));
    tess_release(&reals);
    return out;
}

/* ---- Convolution ---- */

static void check_row(const tess_convolve_opts *opts, const double *want)
{
    tess_array in = row_of(TESS_F32, 4, (double[]){ 1, 2, 3, 4 }),
               filter = row_of(TESS_F32, 3, (double[]){ 1, 0, -10 });
    tess_array out = { 0 };
    CHECK_OK(tess_convolve(&out, &in, &filter, opts));
    CHECK(out.dtype == TESS_F32 && row_is(&out, 4, want));
    tess_release(&in);
    tess_release(&filter);
    tess_release(&out);
}

/* noa does not reverse the filter: its convolution is a correlation. */
TEST(noa_convolution_does_not_reverse_the_filter)
{
    check_row(NULL, (double[]){ 2, -7, -16, -30 });
    check_row(&(tess_convolve_opts){ .correlate = 1 }, (double[]){ -20, -29, -38, 3 });
    check_row(&(tess_convolve_opts){ .method = TESS_CONVOLVE_DIRECT }, (double[]){ 2, -7, -16, -30 });
}

/* noa has zeros and reflection alone. */
TEST(noa_convolution_has_two_borders)
{
    check_row(&(tess_convolve_opts){ .border = TESS_BORDER_VALUE, .value = 1 }, (double[]){ -8, -7, -16, -29 });
    check_row(&(tess_convolve_opts){ .border = TESS_BORDER_CLAMP }, (double[]){ -8, -7, -16, -26 });
    check_row(&(tess_convolve_opts){ .border = TESS_BORDER_PERIODIC }, (double[]){ -38, -7, -16, -29 });
    check_row(&(tess_convolve_opts){ .border = TESS_BORDER_MIRROR }, (double[]){ -8, -7, -16, -26 });
    check_row(&(tess_convolve_opts){ .border = TESS_BORDER_REFLECT }, (double[]){ -18, -7, -16, -27 });
}

/* Where the window is not inside, the output stays as it is. */
TEST(convolve_leaves_the_border_alone)
{
    tess_array in = row_of(TESS_F32, 4, (double[]){ 1, 2, 3, 4 }),
               filter = row_of(TESS_F32, 3, (double[]){ 1, 0, -10 });
    tess_array               out = row_of(TESS_F32, 4, (double[]){ 9, 9, 9, 9 }), none = { 0 };
    const tess_convolve_opts o = { .border = TESS_BORDER_NOTHING };
    CHECK_OK(tess_convolve(&out, &in, &filter, &o));
    CHECK(row_is(&out, 4, (double[]){ 9, -7, -16, 9 }));
    CHECK_FAILS(tess_convolve(&none, &in, &filter, &o), TESS_EARG, "convolve: out is zeroed",
                "opts->border is \"nothing\"");
    tess_release(&in);
    tess_release(&filter);
    tess_release(&out);
}

/* The result is of the dtype in which both meet; integers are computed with as floats. */
TEST(convolve_dtypes)
{
    static const struct {
        tess_dtype in, filter, out;
    } cases[] = {
        { TESS_F32, TESS_F32, TESS_F32 },  { TESS_F16, TESS_F16, TESS_F16 }, { TESS_F32, TESS_F64, TESS_F64 },
        { TESS_U8, TESS_I8, TESS_F32 },    { TESS_I32, TESS_F32, TESS_F64 }, { TESS_U8, TESS_F32, TESS_F32 },
        { TESS_C32, TESS_F32, TESS_C32 },  { TESS_F32, TESS_C32, TESS_C32 }, { TESS_C32, TESS_F64, TESS_C64 },
        { TESS_BOOL, TESS_I32, TESS_F64 }, { TESS_C16, TESS_C16, TESS_C16 }, { TESS_C16, TESS_F32, TESS_C32 }
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tess_array in = numbers_of(cases[i].in, 3, (double[]){ 0, 1, 0 });
        tess_array filter = numbers_of(cases[i].filter, 3, (double[]){ 1, 2, 3 }), out = { 0 }, view = { 0 };
        CHECK_OK(tess_convolve(&out, &in, &filter, NULL));
        view = out;
        if (tess_dtype_kind(out.dtype) == TESS_KIND_COMPLEX) CHECK_OK(tess_real_view(&view, &out));
        CHECK(out.dtype == cases[i].out && row_is(&view, 3, (double[]){ 1, 2, 3 }));
        tess_release(&in);
        tess_release(&filter);
        tess_release(&out);
    }
}

/* A filter is larger than the data, of one element, or the data have none. */
TEST(convolve_special_shapes)
{
    tess_array one = row_of(TESS_F32, 1, (double[]){ 3 }), wide = row_of(TESS_F32, 5, (double[]){ 1, 2, 3, 4, 5 });
    tess_array out = { 0 }, empty = { 0 };
    CHECK_OK(tess_convolve(&out, &one, &wide, &(tess_convolve_opts){ .border = TESS_BORDER_MIRROR }));
    CHECK(row_is(&out, 1, (double[]){ 45 }));
    tess_release(&out);
    CHECK_OK(tess_convolve(&out, &wide, &one, NULL));
    CHECK(row_is(&out, 5, (double[]){ 3, 6, 9, 12, 15 }));
    tess_release(&out);
    CHECK_OK(tess_empty(&empty, TESS_SHAPE(2, 0, 3, 4), TESS_F32, tess_cpu()));
    for (int method = TESS_CONVOLVE_AUTO; method <= TESS_CONVOLVE_FFT; method++) {
        CHECK_OK(tess_convolve(&out, &empty, &wide, &(tess_convolve_opts){ .method = method }));
        CHECK_DIMS(out.shape, 2, 0, 3, 4);
        tess_release(&out);
    }
    CHECK_OK(tess_median_filter(&out, &empty, TESS_SHAPE(1, 3, 3, 3), NULL));
    CHECK_DIMS(out.shape, 2, 0, 3, 4);
    tess_release(&out);
    tess_release(&empty);
    tess_release(&one);
    tess_release(&wide);
}

/* Transforms are taken for large filters, and agree with sums. */
TEST(convolve_by_transforms_as_by_sums)
{
    tess_array in = { 0 }, filter = { 0 }, sums = { 0 }, transforms = { 0 };
    CHECK_OK(tess_linspace(&in, TESS_SHAPE(2, 1, 40, 50), TESS_F64, tess_cpu(), -1, 1, NULL));
    CHECK_OK(tess_linspace(&filter, TESS_SHAPE(1, 1, 31, 33), TESS_F64, tess_cpu(), 0, 1, NULL));
    for (int border = TESS_BORDER_ZERO; border <= TESS_BORDER_REFLECT; border++) {
        tess_convolve_opts o = { .border = border, .method = TESS_CONVOLVE_DIRECT };
        bool               close = false;
        CHECK_OK(tess_convolve(&sums, &in, &filter, &o));
        o.method = TESS_CONVOLVE_AUTO;
        CHECK_OK(tess_convolve(&transforms, &in, &filter, &o));
        double most = 0, least = 0;
        CHECK_OK(tess_sub(&sums, &sums, &transforms));
        CHECK_OK(tess_host_max(&most, &sums));
        CHECK_OK(tess_host_min(&least, &sums));
        close = most < 1e-10 && least > -1e-10;
        CHECK(close && (most != 0 || least != 0)); /* they were transforms */
        tess_release(&sums);
        tess_release(&transforms);
    }
    tess_release(&in);
    tess_release(&filter);
}

TEST(convolve_separable_is_the_product)
{
    tess_array in = { 0 }, filter = row_of(TESS_F64, 3, (double[]){ 1, 2, 4 }), whole = { 0 }, out = { 0 },
               want = { 0 };
    tess_array column = { 0 };
    CHECK_OK(tess_linspace(&in, TESS_SHAPE(1, 1, 5, 6), TESS_F64, tess_cpu(), 0, 29, NULL));
    CHECK_OK(tess_permute(&column, &filter, 0, 1, 3, 2));
    CHECK_OK(tess_mul(&whole, &column, &filter));
    CHECK_OK(tess_convolve(&want, &in, &whole, &(tess_convolve_opts){ .border = TESS_BORDER_REFLECT }));
    CHECK_OK(tess_convolve_separable(&out, &in, NULL, &filter, &filter,
                                     &(tess_separable_opts){ .border = TESS_BORDER_REFLECT }));
    for (int64_t i = 0; i < 30; i++) CHECK(((double *)out.data)[i] == ((double *)want.data)[i]);
    tess_release(&in);
    tess_release(&filter);
    tess_release(&whole);
    tess_release(&out);
    tess_release(&want);
}

TEST(convolve_rejects)
{
    tess_array in = row_of(TESS_F32, 4, (double[]){ 1, 2, 3, 4 }), out = { 0 },
               filter = row_of(TESS_F32, 3, (double[]){ 1, 2, 3 });
    tess_array even = row_of(TESS_F32, 2, (double[]){ 1, 2 }), image = { 0 }, batch = { 0 }, mixed = { 0 };
    CHECK_OK(tess_zeros(&image, TESS_SHAPE(1, 1, 3, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&batch, TESS_SHAPE(2, 1, 1, 3), TESS_F32, tess_cpu()));
    CHECK_OK(tess_zeros(&mixed, TESS_SHAPE(1, 1, 1, 4), TESS_VEC2_F32, tess_cpu()));
    CHECK_FAILS(tess_convolve(NULL, &in, &filter, NULL), TESS_EARG, "convolve: out is NULL");
    CHECK_FAILS(tess_convolve(&out, NULL, &filter, NULL), TESS_EARG, "convolve: in is NULL");
    CHECK_FAILS(tess_convolve(&out, &in, NULL, NULL), TESS_EARG, "convolve: filter is NULL");
    CHECK_FAILS(tess_convolve(&out, &mixed, &filter, NULL), TESS_EDTYPE, "convolve: in is vec2_f32");
    CHECK_FAILS(tess_convolve(&out, &in, &even, NULL), TESS_ESHAPE, "convolve: filter has shape {1,1,1,2}",
                "odd sizes");
    CHECK_FAILS(tess_convolve(&out, &in, &batch, NULL), TESS_ESHAPE, "convolve: filter has shape {2,1,1,3}",
                "b must be 1");
    CHECK_FAILS(tess_convolve(&out, &in, &image, NULL), TESS_ESHAPE, "convolve: filter has shape {1,1,3,3}",
                "in {1,1,1,4}", "at most 1 axes");
    CHECK_FAILS(tess_convolve(&out, &in, &filter, &(tess_convolve_opts){ .value = 2 }), TESS_EARG,
                "convolve: opts->value is 2", "to be \"value\", not ");
    CHECK_FAILS(
        tess_convolve(&out, &in, &filter, &(tess_convolve_opts){ .border = TESS_BORDER_VALUE, .value_imag = 2 }),
        TESS_EDTYPE, "convolve: opts->value_imag is 2", "sums are f32");
    CHECK_FAILS(tess_convolve(&out, &in, &filter, &(tess_convolve_opts){ .border = 9 }), TESS_EARG, "convolve",
                "border is 9");
    CHECK_FAILS(tess_convolve(&out, &in, &filter, &(tess_convolve_opts){ .method = 9 }), TESS_EARG, "convolve",
                "method is 9");
    CHECK_FAILS(tess_convolve(&in, &in, &filter, NULL), TESS_EALIAS, "convolve: out", "in");
    CHECK_FAILS(tess_convolve(&in, &in, &filter, &(tess_convolve_opts){ .method = TESS_CONVOLVE_FFT }), TESS_EALIAS,
                "convolve: out", "in");
    CHECK_FAILS(tess_convolve(&even, &in, &filter, NULL), TESS_ESHAPE, "convolve: out has shape {1,1,1,2}");
    CHECK_FAILS(tess_convolve_separable(&out, &in, NULL, NULL, NULL, NULL), TESS_EARG,
                "convolve_separable: filter_d, filter_h and filter_w are NULL");
    CHECK_FAILS(tess_convolve_separable(&out, &in, NULL, &image, NULL, NULL), TESS_ESHAPE,
                "convolve_separable: filter_h has shape {1,1,3,3}", "{1,1,1,n}");
    CHECK_FAILS(tess_convolve_separable(&out, &in, &even, NULL, NULL, NULL), TESS_ESHAPE,
                "convolve_separable: filter_d has shape {1,1,1,2}", "odd");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&filter);
    tess_release(&even);
    tess_release(&image);
    tess_release(&batch);
    tess_release(&mixed);
}

/* ---- Filters by name ---- */

TEST(named_filters)
{
    tess_array in = row_of(TESS_F64, 5, (double[]){ 0, 0, 8, 0, 0 }), out = { 0 };
    CHECK_OK(tess_derivative(&out, &in, 3, NULL));
    CHECK(row_is(&out, 5, (double[]){ 0, 4, 0, -4, 0 }));
    CHECK_OK(tess_derivative(&out, &in, -1, &(tess_derivative_opts){ .kind = TESS_DERIVATIVE_SOBEL }));
    CHECK(row_is(&out, 5, (double[]){ 0, 8, 0, -8, 0 }));
    CHECK_OK(tess_laplacian(&out, &in, 0, NULL));
    CHECK(row_is(&out, 5, (double[]){ 0, 8, -16, 8, 0 }));
    CHECK_OK(tess_laplacian(&out, &in, TESS_H, &(tess_laplacian_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK(row_is(&out, 5, (double[]){ 0, 0, 0, 0, 0 }));
    CHECK_OK(tess_gaussian_filter(&out, &in, 0, 0, 0.5, NULL));
    const double *x = out.data, w = exp(-2.0), sum = 1 + 2 * w + 2 * exp(-8.0);
    CHECK(fabs(x[2] - 8 / sum) < 1e-15 && fabs(x[1] - 8 * w / sum) < 1e-15 && x[1] == x[3]);
    tess_release(&in);
    tess_release(&out);
}

/* Queued work finds its weights when it runs. */
TEST(filters_on_an_asynchronous_stream)
{
    tess_stream *stream = NULL;
    tess_array   in = row_of(TESS_F64, 5, (double[]){ 0, 0, 8, 0, 0 }), out[5] = { { .data = NULL } };
    tess_array   filter = row_of(TESS_F64, 3, (double[]){ 1, 0, -1 });
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_laplacian(&out[0], &in, 0, NULL));
    CHECK_OK(tess_derivative(&out[1], &in, 3, NULL));
    CHECK_OK(tess_gaussian_filter(&out[2], &in, 0, 0, 0.5, NULL));
    CHECK_OK(tess_convolve(&out[3], &in, &filter, &(tess_convolve_opts){ .method = TESS_CONVOLVE_FFT }));
    CHECK_OK(tess_remove_outliers(&out[4], &in, 1, NULL));
    tess_release(&filter);
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(row_is(&out[0], 5, (double[]){ 0, 8, -16, 8, 0 }));
    CHECK(row_is(&out[1], 5, (double[]){ 0, 4, 0, -4, 0 }));
    CHECK(fabs(((double *)out[3].data)[1] - 8) < 1e-13 && fabs(((double *)out[3].data)[3] + 8) < 1e-13);
    CHECK(row_is(&out[4], 5, (double[]){ 0, 0, 0, 0, 0 }));
    for (int i = 0; i < 5; i++) tess_release(&out[i]);
    tess_stream_free(stream);
    tess_release(&in);
}

TEST(named_filters_reject)
{
    tess_array in = row_of(TESS_F64, 5, (double[]){ 0, 0, 8, 0, 0 }), out = { 0 };
    CHECK_FAILS(tess_gaussian_filter(&out, &in, 0, 0, 0, NULL), TESS_ERANGE, "gaussian_filter: sigma_d", "above 0");
    CHECK_FAILS(tess_gaussian_filter(&out, &in, 0, -1, 0, NULL), TESS_ERANGE, "gaussian_filter: sigma_h is -1");
    CHECK_FAILS(tess_gaussian_filter(&out, &in, 0, 0, NAN, NULL), TESS_ERANGE, "gaussian_filter: sigma_w is nan");
    CHECK_FAILS(tess_gaussian_filter(&out, &in, 1e9, 0, 0, NULL), TESS_ERANGE,
                "gaussian_filter: sigma_d is 1000000000");
    CHECK_FAILS(tess_gaussian_filter(&out, NULL, 1, 0, 0, NULL), TESS_EARG, "gaussian_filter: in is NULL");
    CHECK_FAILS(tess_laplacian(&out, &in, TESS_B, NULL), TESS_ERANGE, "laplacian: axes is 1");
    CHECK_FAILS(tess_laplacian(NULL, &in, 0, NULL), TESS_EARG, "laplacian: out is NULL");
    CHECK_FAILS(tess_derivative(&out, &in, 0, NULL), TESS_ERANGE, "derivative: axis is 0");
    CHECK_FAILS(tess_derivative(&out, &in, 4, NULL), TESS_ERANGE, "derivative: axis is 4");
    CHECK_FAILS(tess_derivative(&out, &in, -4, NULL), TESS_ERANGE, "derivative: axis is -4");
    CHECK(out.data == NULL);
    tess_release(&in);
}

/* ---- Ranks ---- */

/* noa: zeros and reflection alone, with windows of at most 21 on a GPU, and reflection of arrays longer than half of
 * them. */
TEST(noa_median_has_two_borders_and_small_windows)
{
    tess_array in = row_of(TESS_I16, 5, (double[]){ 4, 1, 9, 2, 3 }), out = { 0 };
    CHECK_OK(tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), NULL));
    CHECK(out.dtype == TESS_I16 && row_is(&out, 5, (double[]){ 1, 4, 2, 3, 2 }));
    CHECK_OK(tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), &(tess_rank_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK(row_is(&out, 5, (double[]){ 4, 4, 2, 3, 3 }));
    CHECK_OK(
        tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), &(tess_rank_opts){ .border = TESS_BORDER_PERIODIC }));
    CHECK(row_is(&out, 5, (double[]){ 3, 4, 2, 3, 3 }));
    CHECK_OK(tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), &(tess_rank_opts){ .border = TESS_BORDER_MIRROR }));
    CHECK(row_is(&out, 5, (double[]){ 4, 4, 2, 3, 3 }));
    CHECK_OK(tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), &(tess_rank_opts){ .border = TESS_BORDER_REFLECT }));
    CHECK(row_is(&out, 5, (double[]){ 1, 4, 2, 3, 2 }));
    CHECK_OK(tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3),
                                &(tess_rank_opts){ .border = TESS_BORDER_VALUE, .value = 5 }));
    CHECK(row_is(&out, 5, (double[]){ 4, 4, 2, 3, 3 }));
    CHECK_OK(
        tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 1, 99), &(tess_rank_opts){ .border = TESS_BORDER_REFLECT }));
    CHECK_OK(
        tess_median_filter(&out, &in, TESS_SHAPE(1, 31, 31, 31), &(tess_rank_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK_OK(tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 1, 1), NULL));
    CHECK(row_is(&out, 5, (double[]){ 4, 1, 9, 2, 3 }));
    tess_release(&in);
    tess_release(&out);
}

/* Windows of more elements than 16 bits count. */
TEST(median_of_very_large_windows)
{
    static const tess_dtype dtypes[] = { TESS_U8, TESS_I8, TESS_U16, TESS_F32 };
    const tess_rank_opts    clamp = { .border = TESS_BORDER_CLAMP };
    for (int i = 0; i < 4; i++) {
        tess_array in = row_of(dtypes[i], 5, (double[]){ 4, 1, 9, 2, 3 }), out = { 0 };
        CHECK_OK(tess_median_filter(&out, &in, TESS_SHAPE(1, 257, 257, 1), &clamp));
        CHECK(row_is(&out, 5, (double[]){ 4, 1, 9, 2, 3 }));
        CHECK_OK(tess_median_filter(&out, &in, TESS_SHAPE(1, 151, 151, 3), &clamp));
        CHECK(row_is(&out, 5, (double[]){ 4, 4, 2, 3, 3 }));
        tess_release(&in);
        tess_release(&out);
    }
}

TEST(ranks_and_quantiles)
{
    tess_array in = row_of(TESS_F32, 5, (double[]){ 4, NAN, 9, -0.0, 3 }), out = { 0 };
    CHECK_OK(tess_rank_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), 0, &(tess_rank_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK(row_is(&out, 5, (double[]){ 4, 4, -0.0, -0.0, -0.0 }));
    CHECK_OK(tess_rank_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), -1, &(tess_rank_opts){ .border = TESS_BORDER_CLAMP }));
    const float *x = out.data;
    CHECK(isnan(x[0]) && isnan(x[1]) && isnan(x[2]) && x[3] == 9 && x[4] == 3); /* NaNs are last */
    CHECK_OK(
        tess_quantile_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), 0.5, &(tess_rank_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK(row_is(&out, 5, (double[]){ 4, 9, 9, 3, 3 }));
    CHECK_OK(
        tess_quantile_filter(&out, &in, TESS_SHAPE(1, 1, 1, 3), 1, &(tess_rank_opts){ .border = TESS_BORDER_CLAMP }));
    CHECK(isnan(x[2]) && x[3] == 9);
    tess_release(&in);
    tess_release(&out);
}

TEST(ranks_reject)
{
    tess_array in = row_of(TESS_F32, 4, (double[]){ 1, 2, 3, 4 }), out = { 0 },
               z = numbers_of(TESS_C32, 2, (double[]){ 1, 2 });
    tess_array       other = row_of(TESS_F64, 4, (double[]){ 1, 2, 3, 4 });
    const tess_shape three = TESS_SHAPE(1, 1, 1, 3);
    CHECK_FAILS(tess_median_filter(NULL, &in, three, NULL), TESS_EARG, "median_filter: out is NULL");
    CHECK_FAILS(tess_median_filter(&out, &z, three, NULL), TESS_EDTYPE, "median_filter: in is c32");
    CHECK_FAILS(tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 2, 3), NULL), TESS_ESHAPE,
                "median_filter: window has shape {1,1,2,3}", "odd sizes");
    CHECK_FAILS(tess_median_filter(&out, &in, TESS_SHAPE(3, 1, 1, 3), NULL), TESS_ESHAPE, "median_filter: window",
                "b must be 1");
    CHECK_FAILS(tess_median_filter(&out, &in, TESS_SHAPE(1, 0, 1, 3), NULL), TESS_ESHAPE, "median_filter: window");
    CHECK_FAILS(tess_median_filter(&out, &in, TESS_SHAPE(1, 1, -1, 3), NULL), TESS_ESHAPE, "median_filter: window");
    CHECK_FAILS(tess_median_filter(&out, &in, TESS_SHAPE(1, 1, 1, 1 << 22), NULL), TESS_ESHAPE,
                "median_filter: window");
    CHECK_FAILS(tess_median_filter(&out, &in, TESS_SHAPE(1, 99999, 99999, 3), NULL), TESS_ESHAPE,
                "median_filter: window", "elements are allowed");
    CHECK_FAILS(tess_median_filter(&other, &in, three, NULL), TESS_EDTYPE, "median_filter: out is f64", "f32");
    CHECK_FAILS(tess_median_filter(&in, &in, three, NULL), TESS_EALIAS, "median_filter: out");
    CHECK_FAILS(tess_rank_filter(&out, &in, three, 3, NULL), TESS_ERANGE, "rank_filter: rank is 3", "from -3 to 2");
    CHECK_FAILS(tess_rank_filter(&out, &in, three, -4, NULL), TESS_ERANGE, "rank_filter: rank is -4");
    CHECK_FAILS(tess_quantile_filter(&out, &in, three, 1.5, NULL), TESS_ERANGE, "quantile_filter: q is 1.5");
    CHECK_FAILS(tess_quantile_filter(&out, &in, three, NAN, NULL), TESS_ERANGE, "quantile_filter: q is nan");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&z);
    tess_release(&other);
}

/* ---- Outliers ---- */

TEST(outliers_become_medians)
{
    tess_array in = { 0 }, out = { 0 }, count = { 0 };
    CHECK_OK(tess_full(&in, TESS_SHAPE(2, 1, 9, 9), TESS_U16, tess_cpu(), 100));
    CHECK_OK(tess_set_f64(&in, 0, 0, 4, 4, 60000));
    CHECK_OK(tess_set_f64(&in, 0, 0, 0, 0, 0));
    CHECK_OK(tess_remove_outliers(&out, &in, 3, &(tess_outliers_opts){ .count = &count }));
    double hot = 0, dead = 0;
    CHECK_OK(tess_get_f64(&hot, &out, 0, 0, 4, 4));
    CHECK_OK(tess_get_f64(&dead, &out, 0, 0, 0, 0));
    CHECK(out.dtype == TESS_U16 && hot == 100 && dead == 0); /* 0 is near beside 60000 */
    CHECK(((int64_t *)count.data)[0] == 1 && ((int64_t *)count.data)[1] == 0);
    CHECK_OK(tess_remove_outliers(&in, &in, 3, NULL)); /* in place */
    CHECK_OK(tess_remove_outliers(&in, &in, 3, NULL));
    CHECK_OK(tess_get_f64(&dead, &in, 0, 0, 0, 0));
    CHECK(dead == 100);
    tess_release(&in);
    tess_release(&out);
    tess_release(&count);
}

TEST(an_empty_array_has_no_outliers)
{
    tess_array in = { 0 }, out = { 0 }, count = { 0 };
    CHECK_OK(tess_empty(&in, TESS_SHAPE(2, 1, 0, 9), TESS_F32, tess_cpu()));
    CHECK_OK(tess_remove_outliers(&out, &in, 3, &(tess_outliers_opts){ .count = &count }));
    CHECK(count.shape.b == 2 && count.shape.h == 1);
    CHECK(((int64_t *)count.data)[0] == 0 && ((int64_t *)count.data)[1] == 0);
    tess_release(&in);
    tess_release(&out);
    tess_release(&count);
}

TEST(the_count_of_outliers_overlaps_nothing)
{
    tess_array in = { 0 }, out = { 0 };
    CHECK_OK(tess_full(&in, TESS_SHAPE(1, 1, 3, 3), TESS_I64, tess_cpu(), 1));
    CHECK_OK(tess_full(&out, TESS_SHAPE(1, 1, 3, 3), TESS_I64, tess_cpu(), 1));
    tess_array in_it = in, in_out = out;
    in_it.shape = in_out.shape = TESS_SHAPE(1, 1, 1, 1);
    CHECK_FAILS(tess_remove_outliers(&out, &in, 3, &(tess_outliers_opts){ .count = &in_it }), TESS_EALIAS,
                "remove_outliers: opts->count", "shares memory with in");
    CHECK_FAILS(tess_remove_outliers(&out, &in, 3, &(tess_outliers_opts){ .count = &in_out }), TESS_EALIAS,
                "remove_outliers: opts->count", "shares memory with out");
    tess_release(&in);
    tess_release(&out);
}

TEST(outliers_reject)
{
    tess_array in = row_of(TESS_F32, 4, (double[]){ 1, 2, 3, 4 }), out = { 0 },
               z = numbers_of(TESS_C32, 2, (double[]){ 1, 2 });
    CHECK_FAILS(tess_remove_outliers(NULL, &in, 3, NULL), TESS_EARG, "remove_outliers: out is NULL");
    CHECK_FAILS(tess_remove_outliers(&out, &z, 3, NULL), TESS_EDTYPE, "remove_outliers: in is c32");
    CHECK_FAILS(tess_remove_outliers(&out, &in, 0, NULL), TESS_ERANGE, "remove_outliers: threshold is 0");
    CHECK_FAILS(tess_remove_outliers(&out, &in, NAN, NULL), TESS_ERANGE, "remove_outliers: threshold is nan");
    CHECK_FAILS(tess_remove_outliers(&out, &in, 3, &(tess_outliers_opts){ .border = TESS_BORDER_NOTHING }), TESS_EARG,
                "remove_outliers: opts->border is \"nothing\"");
    CHECK_FAILS(tess_remove_outliers(&out, &in, 3, &(tess_outliers_opts){ .window = TESS_SHAPE(1, 1, 2, 3) }),
                TESS_ESHAPE, "remove_outliers: opts->window has shape {1,1,2,3}");
    CHECK(out.data == NULL);
    tess_release(&in);
    tess_release(&z);
}
