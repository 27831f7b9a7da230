/* Medians and quantiles: examples, the methods, NaNs and infinities, dtypes, what is rejected. */
#include <math.h>

#include "support/hooks.h"
#include "support/rows.h"

static double quantile(int n, const double *values, double q, int method)
{
    double                   got = -1;
    tess_array               a = row_of(TESS_F64, n, values);
    const tess_quantile_opts opts = { .method = method };
    CHECK_OK(tess_host_quantile(&got, &a, q, &opts));
    tess_release(&a);
    return got;
}

static double median(int n, const double *values)
{
    double     got = -1;
    tess_array a = row_of(TESS_F64, n, values);
    CHECK_OK(tess_host_median(&got, &a));
    tess_release(&a);
    return got;
}

TEST(medians)
{
    CHECK(median(1, (double[]){ 4 }) == 4);
    CHECK(median(2, (double[]){ 4, 1 }) == 2.5);
    CHECK(median(5, (double[]){ 9, 1, 5, 3, 7 }) == 5);
    CHECK(median(6, (double[]){ 9, 1, 5, 3, 7, 1 }) == 4);
    CHECK(median(4, (double[]){ 2, 2, 2, 2 }) == 2);
    CHECK(median(2, (double[]){ 1.5e308, 1.6e308 }) == 1.55e308);
}

/* 1 to 4 at 0.3, and where a step is met at 0.25. */
TEST(methods)
{
    static const struct {
        int    method;
        double at_03, at_025;
    } want[] = {
        { 0, 1.9, 1.75 },
        { TESS_QUANTILE_LINEAR, 1.9, 1.75 },
        { TESS_QUANTILE_LOWER, 1, 1 },
        { TESS_QUANTILE_HIGHER, 2, 2 },
        { TESS_QUANTILE_NEAREST, 2, 2 },
        { TESS_QUANTILE_MIDPOINT, 1.5, 1.5 },
        { TESS_QUANTILE_INVERTED_CDF, 2, 1 },
        { TESS_QUANTILE_AVERAGED_INVERTED_CDF, 2, 1.5 },
        { TESS_QUANTILE_CLOSEST_OBSERVATION, 1, 1 },
        { TESS_QUANTILE_INTERPOLATED_INVERTED_CDF, 1.2, 1 },
        { TESS_QUANTILE_HAZEN, 1.7, 1.5 },
        { TESS_QUANTILE_WEIBULL, 1.5, 1.25 },
        { TESS_QUANTILE_MEDIAN_UNBIASED, 1 + 19.0 / 30, 1 + 5.0 / 12 },
        { TESS_QUANTILE_NORMAL_UNBIASED, 1.65, 1.4375 },
    };
    const double in[4] = { 3, 1, 4, 2 };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        CHECK(fabs(quantile(4, in, 0.3, want[i].method) - want[i].at_03) < 1e-15);
        CHECK(fabs(quantile(4, in, 0.25, want[i].method) - want[i].at_025) < 1e-15);
        CHECK(quantile(4, in, 0, want[i].method) == 1);
        CHECK(quantile(4, in, 1, want[i].method) == 4);
    }
    /* Half-way between two, the even rank: R's type 3. */
    const double ten[10] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
    CHECK(quantile(10, ten, 0.25, TESS_QUANTILE_CLOSEST_OBSERVATION) == 2);
    CHECK(quantile(10, ten, 0.35, TESS_QUANTILE_CLOSEST_OBSERVATION) == 4);
}

TEST(nans_and_infinities)
{
    const double           inf = INFINITY, nan = NAN;
    const tess_median_opts skip = { .skip_nan = 1 };
    tess_array             a = row_of(TESS_F32, 5, (double[]){ 3, nan, 1, 2, nan }), out = { 0 };
    CHECK_OK(tess_median(&out, &a, 0, NULL));
    CHECK(isnan(value_at(&out, 0, 0, 0, 0)));
    CHECK_OK(tess_median(&out, &a, 0, &skip));
    CHECK(value_at(&out, 0, 0, 0, 0) == 2);
    CHECK_OK(tess_quantile(&out, &a, 0.75, 0, &(tess_quantile_opts){ .skip_nan = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 2.5);
    CHECK_OK(tess_fill(&a, nan));
    CHECK_OK(tess_median(&out, &a, 0, &skip));
    CHECK(isnan(value_at(&out, 0, 0, 0, 0)));
    CHECK(median(3, (double[]){ inf, 1, inf }) == inf);
    CHECK(median(4, (double[]){ inf, inf, 1, inf }) == inf);
    CHECK(isnan(median(2, (double[]){ inf, -inf })));
    CHECK(quantile(3, (double[]){ inf, 1, 2 }, 0.5, 0) == 2);
    tess_release(&a);
    tess_release(&out);
}

TEST(several_at_once_lie_along_the_innermost_axis)
{
    const double q[3] = { 1, 0, 0.5 };
    tess_array   a = numbers(TESS_I16, 2, 3, 4, 5), out = { 0 };
    CHECK_OK(tess_quantiles(&out, &a, q, 3, TESS_B | TESS_H, NULL));
    CHECK_DIMS(out.shape, 1, 3, 3, 5);
    CHECK(out.dtype == TESS_F64);
    CHECK(value_at(&out, 0, 1, 0, 2) == 97 && value_at(&out, 0, 1, 1, 2) == 22 && value_at(&out, 0, 1, 2, 2) == 59.5);
    tess_release(&out);
    CHECK_OK(tess_quantiles(&out, &a, NULL, 0, 0, NULL));
    CHECK_DIMS(out.shape, 1, 1, 1, 0);
    tess_release(&out);
    tess_release(&a);
}

TEST(dtypes_of_results)
{
    for (tess_dtype dtype = 1; dtype <= TESS_F64; dtype++) {
        tess_array       a = numbers(dtype, 1, 1, 1, 2), out = { 0 }, whole = constant(TESS_U8, 1, 1, 1, 1, 0);
        const tess_dtype want = dtype == TESS_F16 || dtype == TESS_F32 ? TESS_F32 : TESS_F64;
        CHECK_OK(tess_median(&out, &a, TESS_W, NULL));
        CHECK(out.dtype == want && value_at(&out, 0, 0, 0, 0) == 0.5);
        CHECK_OK(tess_quantile(&whole, &a, 1, 0, NULL));
        CHECK(value_at(&whole, 0, 0, 0, 0) == 1);
        tess_release(&a);
        tess_release(&out);
        tess_release(&whole);
    }
}

/* Data on which a careless selection takes quadratic time. */
/* Long lines, in which a sample says nothing, or nearly all is one number. */
TEST(long_lines_of_any_kind)
{
    enum { N = 200001, WAYS = 6 };
    float     *x = malloc(N * sizeof *x);
    tess_array a = { 0 };
    CHECK_OK(tess_wrap(&a, x, TESS_SHAPE(1, 1, 1, N), TESS_F32, NULL));
    for (int way = 0; way < WAYS; way++) {
        static const double medians[WAYS] = { N / 2, N / 2, 5, 1, 1, 0 };
        for (int i = 0; i < N; i++) {
            const int turned = (int)((int64_t)i * 77773 % N); /* a permutation */
            x[i] = way == 0   ? (float)i
                   : way == 1 ? (float)turned
                   : way == 2 ? 5
                   : way == 3 ? (float)(turned > N / 2 - 1) /* one more of 1 than of 0 */
                   : way == 4 ? (float)(i < N / 2 ? -i : 1)
                              : (float)(turned < N / 2   ? -1
                                        : turned > N / 2 ? 1
                                                         : 0);
        }
        for (int threads = 1; threads <= 3; threads++) {
            double     median = -7;
            tess_array out = { 0 };
            CHECK_OK(tess_threads_set(threads));
            CHECK_OK(tess_host_median(&median, &a));
            CHECK(median == medians[way]);
            CHECK_OK(tess_partition(&out, &a, N / 2, 3));
            const float *y = out.data;
            CHECK((double)y[N / 2] == medians[way]);
            bool good = true;
            for (int i = 0; i < N; i++) good = good && (i < N / 2 ? y[i] <= y[N / 2] : y[i] >= y[N / 2]);
            CHECK(good);
            tess_release(&out);
        }
    }
    CHECK_OK(tess_threads_set(0));
    tess_release(&a);
    free(x);
}

/* NaNs are counted as the line is walked: many, where the sample sees none, and the other way round. */
TEST(nans_in_long_lines)
{
    enum { N = 150000 };
    tess_array a = { 0 }, out = { 0 };
    for (int nans = 0; nans <= N; nans += nans < 3 ? 1 : N / 3 - 1) {
        CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 1, 1, N), TESS_F64, tess_cpu(), 0, 1));
        double *x = a.data;
        for (int i = 0; i < nans; i++) x[N - 1 - i] = (double)NAN;
        double got = -7;
        CHECK_OK(tess_host_median(&got, &a));
        CHECK(nans ? isnan(got) : got == (N - 1) / 2.0);
        CHECK_OK(tess_median(&out, &a, 0, &(tess_median_opts){ .skip_nan = 1 }));
        got = value_at(&out, 0, 0, 0, 0);
        CHECK(nans < N ? got == (N - nans - 1) / 2.0 : isnan(got));
        tess_release(&out);
        tess_release(&a);
    }
}

TEST(constant_and_sorted_data)
{
    tess_array a = constant(TESS_F32, 1, 1, 1000, 3000, 0), b = numbers(TESS_F32, 1, 1, 1000, 3000);
    double     got = -1;
    CHECK_OK(tess_host_median(&got, &a));
    CHECK(got == 0);
    CHECK_OK(tess_host_median(&got, &b));
    CHECK(got == 1499999.5);
    tess_release(&a);
    tess_release(&b);
}

TEST(asynchronous_streams_keep_what_they_need)
{
    tess_stream *stream = NULL;
    tess_array   a = { 0 }, out = { 0 };
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_arange(&a, TESS_SHAPE(1, 1, 100, 999), TESS_F64, tess_cpu(), 0, 1));
    double q[2] = { 0.5, 1 };
    CHECK_OK(tess_quantiles(&out, &a, q, 2, TESS_W, NULL));
    q[0] = q[1] = 7;
    tess_release(&a);
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(value_at(&out, 0, 0, 1, 0) == 999 + 499 && value_at(&out, 0, 0, 1, 1) == 999 + 998);
    tess_release(&out);
    tess_stream_free(stream);
}

/* ---- What is rejected ---- */

static tess_status take_median(tess_array *out, const tess_array *in, int axes)
{
    TESS_TRY(tess_median(out, in, axes, NULL));
    return TESS_OK;
}

static tess_status take_quantile(tess_array *out, const tess_array *in, int axes)
{
    TESS_TRY(tess_quantile(out, in, 0.5, axes, NULL));
    return TESS_OK;
}

static tess_status take_quantiles(tess_array *out, const tess_array *in, int axes)
{
    const double q[1] = { 0.5 };
    TESS_TRY(tess_quantiles(out, in, q, 1, axes, NULL));
    return TESS_OK;
}

static const struct {
    tess_status (*call)(tess_array *out, const tess_array *in, int axes);
    const char *name;
} calls[3] = { { take_median, "median" }, { take_quantile, "quantile" }, { take_quantiles, "quantiles" } };

TEST(bad_arguments)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 }, other = numbers(TESS_F32, 1, 1, 4, 1), none = { 0 };
    tess_array locked = read_only(numbers(TESS_F32, 1, 1, 3, 1)), gpu = on_gpu(a), inside = { 0 }, unmade = { 0 };
    tess_array z = constant(TESS_C32, 1, 1, 3, 4, 1), v = constant(TESS_VEC2_F32, 1, 1, 3, 1, 1);
    CHECK_OK(tess_slice(&inside, &a, 3, 0, 1, 1));
    CHECK_OK(tess_empty(&none, TESS_SHAPE(1, 2, 0, 4), TESS_F32, tess_cpu()));
    for (int k = 0; k < 3; k++) {
        const char *name = calls[k].name;
        CHECK_FAILS(calls[k].call(NULL, &a, 0), TESS_EARG, name, "out is NULL");
        CHECK_FAILS(calls[k].call(&out, NULL, 0), TESS_EARG, name, "in is NULL");
        CHECK_FAILS(calls[k].call(&out, &unmade, 0), TESS_EARG, name, "in ");
        CHECK_FAILS(calls[k].call(&out, &a, 3), TESS_ERANGE, name, "axes is 0x3");
        CHECK_FAILS(calls[k].call(&out, &z, 0), TESS_EDTYPE, name, "in is c32", "no order");
        CHECK_FAILS(calls[k].call(&out, &gpu, 0), TESS_EDEVICE, name);
        CHECK_FAILS(calls[k].call(&out, &none, 0), TESS_ESHAPE, name, "{1,2,0,4}", "no elements");
        CHECK_FAILS(calls[k].call(&other, &a, TESS_W), TESS_ESHAPE, name, "out has shape {1,1,4,1}", "{1,1,3,1}");
        CHECK_FAILS(calls[k].call(&locked, &a, TESS_W), TESS_EWRITE, name, "out");
        CHECK_FAILS(calls[k].call(&inside, &a, TESS_W), TESS_EALIAS, name, "out", "in");
        CHECK_FAILS(calls[k].call(&v, &a, TESS_W), TESS_EDTYPE, name, "out is vec2_f32");
        CHECK(is_zeroed(&out));
    }
    CHECK_OK(tess_median(&out, &none, TESS_W, NULL));
    CHECK_DIMS(out.shape, 1, 2, 0, 1);
    tess_release(&out);
    tess_release(&a);
    tess_release(&other);
    tess_release(&locked);
    tess_release(&none);
    tess_release(&z);
    tess_release(&v);
}

TEST(bad_quantiles)
{
    tess_array   a = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 };
    double       got;
    const double q[2] = { 0.5, 1.5 };
    CHECK_FAILS(tess_quantile(&out, &a, -0.1, 0, NULL), TESS_ERANGE, "quantile: q is -0.1", "0 to 1");
    CHECK_FAILS(tess_quantile(&out, &a, (double)NAN, 0, NULL), TESS_ERANGE, "quantile: q is nan");
    CHECK_FAILS(tess_quantiles(&out, &a, q, 2, 0, NULL), TESS_ERANGE, "quantiles: q[1] is 1.5");
    CHECK_FAILS(tess_quantiles(&out, &a, NULL, 2, 0, NULL), TESS_EARG, "quantiles: q is NULL");
    CHECK_FAILS(tess_quantiles(&out, &a, q, -1, 0, NULL), TESS_ERANGE, "quantiles: n is -1");
    CHECK_FAILS(tess_host_quantile(&got, &a, 2, NULL), TESS_ERANGE, "host_quantile: q is 2");
    CHECK_FAILS(tess_host_quantile(NULL, &a, 0.5, NULL), TESS_EARG, "host_quantile: out is NULL");
    CHECK_FAILS(tess_host_median(NULL, &a), TESS_EARG, "host_median: out is NULL");
    CHECK_FAILS(tess_host_median(&got, NULL), TESS_EARG, "host_median: in is NULL");
    CHECK_FAILS(tess_quantile(&out, &a, 0.5, 0, &(tess_quantile_opts){ .method = 14 }), TESS_EARG,
                "quantile: opts->method is 14", "1 (linear)", "13 (normal_unbiased)");
    CHECK_FAILS(tess_quantile(&out, &a, 0.5, 0, &(tess_quantile_opts){ .skip_nan = 2 }), TESS_ERANGE, "skip_nan is 2");
    CHECK_FAILS(tess_quantile(&out, &a, 0.5, 0, &(tess_quantile_opts){ .reserved = { 1 } }), TESS_EARG, "reserved");
    CHECK_FAILS(tess_median(&out, &a, 0, &(tess_median_opts){ .skip_nan = 2 }), TESS_ERANGE, "median", "skip_nan is 2");
    CHECK_FAILS(tess_median(&out, &a, 0, &(tess_median_opts){ .reserved = { 1 } }), TESS_EARG, "median", "reserved");
    CHECK(is_zeroed(&out));
    tess_release(&a);
}

static hooks h;

TEST(allocations_that_fail)
{
    tess_array a = numbers(TESS_F32, 1, 1, 30, 40), out = { 0 };
    hooks_on(&h);
    atomic_store(&h.for_good, true);
    for (int k = 0; k < 3; k++)
        for (int at = 1; at <= 3; at++) { /* the array, the numbers q, the workspace */
            atomic_store(&h.calls, 0);
            atomic_store(&h.fail_at, at);
            CHECK_FAILS(calls[k].call(&out, &a, TESS_H), TESS_ENOMEM, calls[k].name, "memory", "bytes");
            CHECK(is_zeroed(&out));
        }
    atomic_store(&h.fail_at, 0);
    hooks_off();
    CHECK_I64(atomic_load(&h.live), 0);
    tess_release(&a);
}

static double quantile_of(double a, double b, double q, int method)
{
    double     values[2] = { a, b }, got = 0;
    tess_array pair = { 0 };
    CHECK_OK(tess_wrap(&pair, values, TESS_SHAPE(1, 1, 1, 2), TESS_F64, NULL));
    CHECK_OK(tess_host_quantile(&got, &pair, q, &(tess_quantile_opts){ .method = method }));
    tess_release(&pair);
    return got;
}

TEST(between_infinities_and_the_largest_numbers)
{
    const double inf = (double)INFINITY, most = 1.7976931348623157e308;
    for (int i = 1; i < 4; i++) {
        CHECK(quantile_of(1, inf, 0.25 * i, TESS_QUANTILE_LINEAR) == inf);
        CHECK(quantile_of(-inf, 1, 0.25 * i, TESS_QUANTILE_LINEAR) == -inf);
        CHECK(fabs(quantile_of(-most, most, 0.25 * i, TESS_QUANTILE_LINEAR) / most - (0.5 * i - 1)) < 1e-15);
    }
    CHECK(quantile_of(1, inf, 0.5, TESS_QUANTILE_MIDPOINT) == inf);
    CHECK(isnan(quantile_of(-inf, inf, 0.5, TESS_QUANTILE_LINEAR)));
}
