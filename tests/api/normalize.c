/* Normalisation: every mode, axes, dtypes, special numbers, what is rejected. */
#include <math.h>

#include "support/hooks.h"
#include "support/rows.h"

enum { MODES = TESS_NORMALIZE_SUM };

static bool row_near(const tess_array *a, int n, const double *values, double error)
{
    for (int i = 0; i < n; i++) {
        const double got = value_at(a, 0, 0, 0, i), want = values[i];
        if (!(got == want || fabs(got - want) <= error || (isnan(got) && isnan(want))))
            return test_failed(__FILE__, __LINE__, "element %d is %.17g, not %.17g", i, got, want);
    }
    return true;
}

/* A row of f32 and of f64, into a new array and in place. */
static void check_row(int mode, int ddof, int n, const double *in, const double *want)
{
    const tess_normalize_opts opts = { .mode = mode, .ddof = ddof };
    for (tess_dtype dtype = TESS_F32; dtype <= TESS_F64; dtype++) {
        tess_array   a = row_of(dtype, n, in), out = { 0 };
        const double error = dtype == TESS_F32 ? 6e-8 : 3e-16;
        CHECK_OK(tess_normalize(&out, &a, 0, &opts));
        CHECK(out.dtype == dtype);
        CHECK(row_near(&out, n, want, error));
        CHECK_OK(tess_normalize(&a, &a, TESS_W, &opts));
        CHECK(row_near(&a, n, want, error));
        tess_release(&a);
        tess_release(&out);
    }
}

/* ---- Modes ---- */

TEST(examples)
{
    const double in[4] = { 1, 3, 5, 7 }, root5 = sqrt(5.0), root20 = sqrt(20.0), root84 = sqrt(84.0);
    check_row(TESS_NORMALIZE_MIN_MAX, 0, 4, in, (double[]){ 0, 1.0 / 3, 2.0 / 3, 1 });
    check_row(TESS_NORMALIZE_MEAN_STD, 0, 4, in, (double[]){ -3 / root5, -1 / root5, 1 / root5, 3 / root5 });
    check_row(TESS_NORMALIZE_DEFAULT, 0, 4, in, (double[]){ -3 / root5, -1 / root5, 1 / root5, 3 / root5 });
    check_row(TESS_NORMALIZE_MEAN_STD, 1, 3, in, (double[]){ -1, 0, 1 });
    check_row(TESS_NORMALIZE_L2, 0, 4, in, (double[]){ 1 / root84, 3 / root84, 5 / root84, 7 / root84 });
    check_row(TESS_NORMALIZE_MEAN_L2, 0, 4, in, (double[]){ -3 / root20, -1 / root20, 1 / root20, 3 / root20 });
    check_row(TESS_NORMALIZE_SUM, 0, 4, in, (double[]){ 1.0 / 16, 3.0 / 16, 5.0 / 16, 7.0 / 16 });
}

TEST(no_spread_gives_zeros)
{
    const double equal[3] = { 0.1, 0.1, 0.1 }, zeros[3] = { 0, 0, 0 }, third[3] = { 1.0 / 3, 1.0 / 3, 1.0 / 3 };
    check_row(TESS_NORMALIZE_MIN_MAX, 0, 3, equal, zeros);
    check_row(TESS_NORMALIZE_MEAN_STD, 0, 3, equal, zeros);
    check_row(TESS_NORMALIZE_MEAN_STD, 1, 3, equal, zeros);
    check_row(TESS_NORMALIZE_MEAN_L2, 0, 3, equal, zeros);
    check_row(TESS_NORMALIZE_SUM, 0, 3, equal, third);
    for (int mode = 1; mode <= MODES; mode++) check_row(mode, 0, 3, zeros, zeros);
    for (int mode = 1; mode <= MODES; mode++)
        check_row(mode, 0, 1, (double[]){ 2 }, (double[]){ mode == TESS_NORMALIZE_L2 || mode == TESS_NORMALIZE_SUM });
}

TEST(special_numbers)
{
    const double inf = INFINITY, nan = NAN;
    check_row(TESS_NORMALIZE_SUM, 0, 3, (double[]){ 1, -1, 0 }, (double[]){ inf, -inf, nan });
    check_row(TESS_NORMALIZE_MIN_MAX, 0, 3, (double[]){ 1, inf, 0 }, (double[]){ 0, nan, 0 });
    check_row(TESS_NORMALIZE_L2, 0, 3, (double[]){ 1, inf, 0 }, (double[]){ 0, nan, 0 });
    check_row(TESS_NORMALIZE_MEAN_STD, 1, 1, (double[]){ 1 }, (double[]){ nan });
    for (int mode = 1; mode <= MODES; mode++)
        check_row(mode, 0, 3, (double[]){ 1, nan, 0 }, (double[]){ nan, nan, nan });
}

/* A mean far from 0 that f32 cannot hold. */
TEST(statistics_are_kept_in_f64)
{
    const double want = 1.5 / sqrt(1.25);
    tess_array   a = numbers(TESS_F32, 1, 1, 1, 4), out = { 0 };
    CHECK_OK(tess_add(&a, &a, &tess_num(16777212)));
    CHECK_OK(tess_normalize(&out, &a, 0, NULL));
    CHECK(row_near(&out, 4, (double[]){ -want, -want / 3, want / 3, want }, 1e-7));
    tess_release(&a);
    tess_release(&out);
}

TEST(each_image_by_itself)
{
    const tess_normalize_opts sum = { .mode = TESS_NORMALIZE_SUM };
    tess_array                a = numbers(TESS_F32, 3, 1, 4, 5), out = { 0 }, image = { 0 }, turned = { 0 };
    double                    mean, std, total;
    CHECK_OK(tess_normalize(&out, &a, TESS_H | TESS_W, NULL));
    for (int b = 0; b < 3; b++) {
        CHECK_OK(tess_index(&image, &out, 0, b));
        CHECK_OK(tess_host_mean_std(&mean, &std, &image, NULL));
        CHECK(fabs(mean) < 1e-7 && fabs(std - 1) < 1e-7);
    }
    CHECK_OK(tess_permute(&turned, &a, 3, 1, 2, 0));
    CHECK_OK(tess_normalize(&turned, &turned, TESS_B, &sum)); /* along what is w in memory, in place */
    for (int h_ = 0; h_ < 4; h_++) {
        CHECK_OK(tess_index(&image, &a, 2, h_));
        CHECK_OK(tess_host_sum(&total, &image));
        CHECK(fabs(total - 3) < 1e-6);
    }
    tess_release(&a);
    tess_release(&out);
}

TEST(dtypes_of_results)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (int mode = 1; mode <= MODES; mode++) {
            const bool integral =
                tess_dtype_kind(dtype) != TESS_KIND_FLOAT && tess_dtype_kind(dtype) != TESS_KIND_COMPLEX;
            if (mode == TESS_NORMALIZE_MIN_MAX && tess_dtype_kind(dtype) == TESS_KIND_COMPLEX) continue;
            tess_array a = numbers(dtype, 1, 1, 1, 2), out = { 0 };
            CHECK_OK(tess_normalize(&out, &a, 0, &(tess_normalize_opts){ .mode = mode }));
            CHECK(out.dtype == (!integral ? dtype : tess_dtype_size(dtype) <= 2 ? TESS_F32 : TESS_F64));
            tess_release(&a);
            tess_release(&out);
        }
}

TEST(complex_numbers)
{
    tess_array     a = constant(TESS_C32, 1, 1, 1, 2, 0), out = { 0 };
    const tess_c64 x[2] = { { 3, 4 }, { 0, 0 } };
    /* mean 1.5 + 2i, standard deviation 2.5, norm 5 */
    const tess_c64 want[MODES + 1][2] = { [TESS_NORMALIZE_MEAN_STD] = { { 0.6, 0.8 }, { -0.6, -0.8 } },
                                          [TESS_NORMALIZE_L2] = { { 0.6, 0.8 }, { 0, 0 } },
                                          [TESS_NORMALIZE_MEAN_L2] = { { 0.6 / sqrt(2), 0.8 / sqrt(2) },
                                                                       { -0.6 / sqrt(2), -0.8 / sqrt(2) } },
                                          [TESS_NORMALIZE_SUM] = { { 1, 0 }, { 0, 0 } } };
    for (int i = 0; i < 2; i++) CHECK_OK(tess_set_c64(&a, 0, 0, 0, i, x[i]));
    for (int mode = TESS_NORMALIZE_MEAN_STD; mode <= MODES; mode++) {
        CHECK_OK(tess_normalize(&out, &a, 0, &(tess_normalize_opts){ .mode = mode }));
        for (int i = 0; i < 2; i++) {
            tess_c64 z = { 0, 0 };
            CHECK_OK(tess_get_c64(&z, &out, 0, 0, 0, i));
            CHECK(fabs(z.re - want[mode][i].re) < 1e-7 && fabs(z.im - want[mode][i].im) < 1e-7);
        }
    }
    CHECK_OK(tess_fill(&a, 0));
    for (int mode = TESS_NORMALIZE_MEAN_STD; mode <= MODES; mode++) {
        CHECK_OK(tess_normalize(&a, &a, 0, &(tess_normalize_opts){ .mode = mode }));
        const float *parts = a.data;
        CHECK(parts[0] == 0 && parts[1] == 0 && parts[2] == 0 && parts[3] == 0);
    }
    tess_release(&a);
    tess_release(&out);
}

TEST(results_are_converted_to_the_dtype_of_out)
{
    const tess_normalize_opts range = { .mode = TESS_NORMALIZE_MIN_MAX };
    tess_array                a = numbers(TESS_U8, 1, 1, 1, 5), half = constant(TESS_F16, 1, 1, 1, 5, 9);
    tess_array                z = constant(TESS_C64, 1, 1, 1, 5, 9);
    CHECK_OK(tess_normalize(&half, &a, 0, &range));
    CHECK(row_near(&half, 5, (double[]){ 0, 0.25, 0.5, 0.75, 1 }, 0));
    CHECK_OK(tess_normalize(&z, &a, 0, &range));
    CHECK(((double *)z.data)[2] == 0.25 && ((double *)z.data)[3] == 0);
    tess_release(&a);
    tess_release(&half);
    tess_release(&z);
}

/* ---- Logarithms ---- */

TEST(log_normalize_makes_the_sum_one)
{
    const double in[4] = { -1000, -1001, -1000.5, -INFINITY };
    tess_array a = row_of(TESS_F64, 4, in), wide = numbers(TESS_F32, 2, 1, 3, 4), ints = numbers(TESS_I16, 1, 1, 1, 3);
    tess_array out = { 0 };
    double     total = 1;
    CHECK_OK(tess_log_normalize(&a, &a, 0));
    CHECK_OK(tess_host_logsumexp(&total, &a));
    CHECK(fabs(total) < 1e-12);
    CHECK(value_at(&a, 0, 0, 0, 3) == -(double)INFINITY);
    CHECK_OK(tess_log_normalize(&wide, &wide, TESS_B | TESS_W));
    CHECK(fabs(exp(value_at(&wide, 0, 0, 1, 0)) + exp(value_at(&wide, 0, 0, 1, 1)) + exp(value_at(&wide, 0, 0, 1, 2)) +
               exp(value_at(&wide, 0, 0, 1, 3)) + exp(value_at(&wide, 1, 0, 1, 0)) + exp(value_at(&wide, 1, 0, 1, 1)) +
               exp(value_at(&wide, 1, 0, 1, 2)) + exp(value_at(&wide, 1, 0, 1, 3)) - 1) < 1e-6);
    CHECK_OK(tess_log_normalize(&out, &ints, 0));
    CHECK(out.dtype == TESS_F32 && fabs(value_at(&out, 0, 0, 0, 2) - (2 - log(1 + exp(1) + exp(2)))) < 1e-7);
    tess_release(&a);
    tess_release(&wide);
    tess_release(&ints);
    tess_release(&out);
}

TEST(log_normalize_of_infinities)
{
    const double inf = INFINITY, nan = NAN;
    for (tess_dtype dtype = TESS_F16; dtype <= TESS_F64; dtype++) {
        tess_array none = row_of(dtype, 2, (double[]){ -inf, -inf }),
                   some = row_of(dtype, 3, (double[]){ 1, -inf, inf });
        tess_array bad = row_of(dtype, 2, (double[]){ 1, nan });
        CHECK_OK(tess_log_normalize(&none, &none, 0));
        CHECK(row_near(&none, 2, (double[]){ -inf, -inf }, 0));
        CHECK_OK(tess_log_normalize(&some, &some, 0));
        CHECK(row_near(&some, 3, (double[]){ -inf, -inf, nan }, 0));
        CHECK_OK(tess_log_normalize(&bad, &bad, 0));
        CHECK(row_near(&bad, 2, (double[]){ nan, nan }, 0));
        tess_release(&none);
        tess_release(&some);
        tess_release(&bad);
    }
}

/* ---- Empty arrays, streams ---- */

TEST(empty_arrays)
{
    tess_array a = { 0 }, out = { 0 };
    CHECK_OK(tess_empty(&a, TESS_SHAPE(2, 0, 3, 4), TESS_F32, tess_cpu()));
    for (int mode = 0; mode <= MODES; mode++) {
        CHECK_OK(tess_normalize(&out, &a, TESS_D, &(tess_normalize_opts){ .mode = mode }));
        CHECK_DIMS(out.shape, 2, 0, 3, 4);
    }
    CHECK_OK(tess_log_normalize(&out, &a, 0));
    tess_release(&a);
    tess_release(&out);
}

TEST(asynchronous_streams_keep_what_they_need)
{
    tess_stream *stream = NULL;
    tess_array   a = numbers(TESS_F64, 4, 1, 200, 200), out = { 0 }, now = { 0 };
    CHECK_OK(tess_normalize(&now, &a, TESS_H | TESS_W, NULL));
    CHECK_OK(tess_log_normalize(&now, &now, 0));
    CHECK_OK(tess_stream_new(&stream, tess_cpu(), &(tess_stream_opts){ .async = 1 }));
    CHECK_OK(tess_stream_set_current(stream));
    CHECK_OK(tess_normalize(&out, &a, TESS_H | TESS_W, NULL));
    tess_release(&a);
    CHECK_OK(tess_log_normalize(&out, &out, 0));
    CHECK_OK(tess_stream_sync(stream));
    CHECK_OK(tess_stream_set_current(NULL));
    CHECK(memcmp(out.data, now.data, (size_t)tess_n_bytes(&now)) == 0);
    tess_release(&out);
    tess_release(&now);
    tess_stream_free(stream);
}

/* ---- What is rejected ---- */

static tess_status plain(tess_array *out, const tess_array *in, int axes)
{
    return tess_normalize(out, in, axes, NULL);
}

static const struct {
    tess_status (*function)(tess_array *out, const tess_array *in, int axes);
    const char *name;
} both[] = { { plain, "normalize" }, { tess_log_normalize, "log_normalize" } };

TEST(bad_arguments)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), out = { 0 }, other = numbers(TESS_F32, 1, 1, 4, 3), unmade = { 0 };
    tess_array locked = read_only(numbers(TESS_F32, 1, 1, 3, 4)), gpu = on_gpu(a), wide = numbers(TESS_F32, 1, 1, 3, 8);
    tess_array left = { 0 }, right = { 0 }, v = constant(TESS_VEC2_F32, 1, 1, 3, 4, 1);
    CHECK_OK(tess_slice(&left, &wide, 3, 0, 4, 1));
    CHECK_OK(tess_slice(&right, &wide, 3, 1, 5, 1));
    for (int k = 0; k < 2; k++) {
        const char *name = both[k].name;
        CHECK_FAILS(both[k].function(NULL, &a, 0), TESS_EARG, name, "out is NULL");
        CHECK_FAILS(both[k].function(&out, NULL, 0), TESS_EARG, name, "in is NULL");
        CHECK_FAILS(both[k].function(&out, &unmade, 0), TESS_EARG, name, "in ");
        CHECK_FAILS(both[k].function(&out, &a, 3), TESS_ERANGE, name, "axes is 0x3", "TESS_W");
        CHECK_FAILS(both[k].function(&out, &a, -1), TESS_ERANGE, name, "axes is 0xffffffff");
        CHECK_FAILS(both[k].function(&other, &a, 0), TESS_ESHAPE, name, "out has shape {1,1,4,3}", "{1,1,3,4}");
        CHECK_FAILS(both[k].function(&locked, &a, 0), TESS_EWRITE, name, "out");
        CHECK_FAILS(both[k].function(&left, &right, 0), TESS_EALIAS, name, "out", "in");
        CHECK_FAILS(both[k].function(&out, &gpu, 0), TESS_EDEVICE, name);
        CHECK_FAILS(both[k].function(&out, &v, 0), TESS_EDTYPE, name, "in is vec2_f32");
        CHECK_FAILS(both[k].function(&v, &a, 0), TESS_EDTYPE, name, "out is vec2_f32");
        CHECK(is_zeroed(&out));
    }
    tess_release(&a);
    tess_release(&other);
    tess_release(&locked);
    tess_release(&wide);
    tess_release(&v);
}

TEST(bad_options)
{
    tess_array a = numbers(TESS_F32, 1, 1, 3, 4), z = constant(TESS_C32, 1, 1, 3, 4, 1), out = { 0 };
    CHECK_FAILS(tess_normalize(&out, &a, 0, &(tess_normalize_opts){ .mode = 6 }), TESS_EARG, "normalize", "mode is 6");
    CHECK_FAILS(tess_normalize(&out, &a, 0, &(tess_normalize_opts){ .mode = TESS_NORMALIZE_L2, .ddof = 1 }), TESS_EARG,
                "normalize: opts->ddof is 1", "mean_std");
    CHECK_FAILS(tess_normalize(&out, &a, 0, &(tess_normalize_opts){ .reserved = { 1 } }), TESS_EARG, "normalize",
                "reserved");
    CHECK_FAILS(tess_normalize(&out, &z, 0, &(tess_normalize_opts){ .mode = TESS_NORMALIZE_MIN_MAX }), TESS_EDTYPE,
                "normalize: in is c32", "no order");
    CHECK_FAILS(tess_log_normalize(&out, &z, 0), TESS_EDTYPE, "log_normalize: in is c32", "no order");
    CHECK_FAILS(tess_normalize(&a, &z, 0, NULL), TESS_EDTYPE, "normalize: out is f32", "the result is c32");
    CHECK(is_zeroed(&out));
    tess_release(&a);
    tess_release(&z);
}

static hooks h;

/* Every allocation fails in turn: a clear status, no leak, and the output as it was. */
static void torture(tess_dtype dtype, int mode, bool in_place)
{
    tess_array a = numbers(dtype, 2, 1, 30, 40), kept = { 0 }, out = { 0 };
    CHECK_OK(tess_copy(&kept, &a));
    hooks_on(&h);
    for (int at = 1, fired = 1; fired && at < 100; at++) {
        tess_array *to = in_place ? &a : &out;
        atomic_store(&h.calls, 0);
        atomic_store(&h.fired, 0);
        atomic_store(&h.fail_at, at);
        const tess_status status = mode ? tess_normalize(to, &a, TESS_H, &(tess_normalize_opts){ .mode = mode })
                                        : tess_log_normalize(to, &a, TESS_H);
        atomic_store(&h.fail_at, 0);
        fired = atomic_load(&h.fired) > 0;
        if (!fired) {
            CHECK(at > 1);
            CHECK_OK(status);
            break;
        }
        CHECK_FAILS(status, TESS_ENOMEM, "memory", "bytes");
        CHECK(is_zeroed(&out));
        CHECK(memcmp(a.data, kept.data, (size_t)tess_n_bytes(&a)) == 0);
        CHECK_I64(atomic_load(&h.live), 0);
    }
    tess_release(&out);
    CHECK_I64(atomic_load(&h.live), 0);
    hooks_off();
    tess_release(&a);
    tess_release(&kept);
}

TEST(allocations_that_fail)
{
    for (int in_place = 0; in_place < 2; in_place++) {
        for (int mode = 0; mode <= MODES; mode++) torture(TESS_F32, mode, in_place);
        for (int mode = TESS_NORMALIZE_MEAN_STD; mode <= MODES; mode++) torture(TESS_C64, mode, in_place);
    }
}
