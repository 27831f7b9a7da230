/* Philox random numbers on a GPU: the same bits as on the CPU, in every layout. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/random.h"
#include "tessera/scalar.h"

enum { UNIFORM, NORMAL, LOGNORMAL, EXPONENTIAL, SMALL, LARGE, ALL, KINDS };

static tess_status make_numbers(int kind, tess_array *out, uint64_t seed, const tess_random_opts *o)
{
    if (kind == UNIFORM) return tess_random_uniform(out, -1.5, 2.25, seed, o);
    if (kind == NORMAL) return tess_random_normal(out, 0.5, 1.25, seed, o);
    if (kind == LOGNORMAL) return tess_random_lognormal(out, 0.5, 1.25, seed, o);
    if (kind == EXPONENTIAL) return tess_random_exponential(out, 2, seed, o);
    if (kind == SMALL) return tess_random_integers(out, 0, out->dtype == TESS_BOOL ? 1 : 100, seed, o);
    if (kind == LARGE) return tess_random_integers(out, -3, INT64_C(3) << 33, seed, o);
    return tess_random_integers(out, INT64_MIN, INT64_MAX, seed, o);
}

static tess_shape random_shape(void)
{
    const int64_t most = test_large() ? 300 : 40;
    return TESS_SHAPE(test_random_in(1, 3), test_random_in(1, 3), test_random_in(1, 7), test_random_in(1, most));
}

static void check_numbers(int kind, tess_dtype dtype, layout how, tess_device device)
{
    guarded                host;
    tess_array             gpu = { .data = NULL };
    const uint64_t         seed = test_random();
    const uint64_t         far = test_random() % 3 == 0 ? (UINT64_C(1) << 34) - 20 : 0; /* blocks beyond 32 bits */
    const tess_random_opts o = { .stream = (uint32_t)test_random_in(0, 3),
                                 .offset = far + (uint64_t)(test_random() & 1 ? test_random_in(0, 40) : 0) };
    guarded_make(&host, how, random_shape(), dtype);
    if (!test_mirror(&gpu, &host.view, device)) return;
    CHECK_OK(make_numbers(kind, &host.view, seed, &o));
    CHECK_OK(make_numbers(kind, &gpu, seed, &o));
    if (!test_same_bits(&gpu, &host.view))
        (void)test_failed(__FILE__, __LINE__, "kind %d, %s, %s, offset %llu", kind, tess_dtype_name(dtype),
                          layout_names[how], (unsigned long long)o.offset);
    tess_release(&gpu);
    guarded_free(&host);
}

static void check_kind(int kind, const tess_dtype *dtypes, int n, tess_device device)
{
    for (int t = 0; t < n; t++)
        for (int i = 0; i < (test_large() ? 40 : 6); i++)
            check_numbers(kind, dtypes[t], i == 0 ? layout_contiguous : (layout)(i % n_output_layouts), device);
}

TEST(floats)
{
    static const tess_dtype all[] = { TESS_F32, TESS_F64, TESS_F16, TESS_C32, TESS_C64, TESS_C16 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    check_kind(UNIFORM, all, test_large() ? 6 : 4, device);
    check_kind(NORMAL, all, test_large() ? 6 : 2, device);
    check_kind(LOGNORMAL, all, test_large() ? 6 : 1, device);
    check_kind(EXPONENTIAL, all + (test_large() ? 0 : 3), test_large() ? 6 : 1, device);
}

TEST(whole_numbers)
{
    static const tess_dtype small[] = { TESS_U8,  TESS_I32, TESS_F32, TESS_I8,  TESS_I16, TESS_BOOL,
                                        TESS_U16, TESS_U32, TESS_U64, TESS_F16, TESS_F64, TESS_I64 };
    static const tess_dtype large[] = { TESS_I64, TESS_F64 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    check_kind(SMALL, small, test_large() ? 12 : 2, device);
    check_kind(LARGE, large, test_large() ? 2 : 1, device);
    check_kind(ALL, large, 1, device);
}

/* Numbers that are often drawn again. */
TEST(whole_numbers_drawn_again)
{
    tess_device device;
    tess_array  host = { .data = NULL }, gpu = { .data = NULL };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_empty(&host, TESS_SHAPE(1, 1, 1, 1000), TESS_I64, tess_cpu()));
    CHECK_OK(tess_empty(&gpu, host.shape, TESS_I64, device));
    for (int wide = 0; wide < 2; wide++) {
        const int64_t high = wide ? (INT64_C(1) << 62) + 5 : (INT64_C(1) << 31) + 5;
        CHECK_OK(tess_random_integers(&host, 0, high, 7, NULL));
        CHECK_OK(tess_random_integers(&gpu, 0, high, 7, NULL));
        CHECK(test_same_bits(&gpu, &host));
    }
    tess_release(&host);
    tess_release(&gpu);
}

/* ---- Poisson ---- */

static void check_poisson(tess_dtype dtype, tess_dtype of_means, tess_device device)
{
    guarded    host, means;
    tess_array gpu = { .data = NULL }, gpu_means = { .data = NULL };
    tess_shape shape = random_shape(), mean_shape = shape;
    if (test_random() & 1) mean_shape.w = 1;
    guarded_make(&host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    guarded_make(&means, (layout)test_random_in(0, n_output_layouts - 1), mean_shape, of_means);
    CHECK_OK(tess_random_integers(&means.view, 0, 60, test_random(), NULL));
    if (test_mirror(&gpu, &host.view, device) && test_mirror(&gpu_means, &means.view, device)) {
        const uint64_t   seed = test_random();
        const tess_array mean = tess_num(37.5);
        CHECK_OK(tess_random_poisson(&host.view, &means.view, seed, NULL));
        CHECK_OK(tess_random_poisson(&gpu, &gpu_means, seed, NULL));
        CHECK(test_same_bits(&gpu, &host.view));
        CHECK_OK(tess_random_poisson(&host.view, &mean, seed, NULL));
        CHECK_OK(tess_random_poisson(&gpu, &mean, seed, NULL));
        CHECK(test_same_bits(&gpu, &host.view));
    }
    tess_release(&gpu);
    tess_release(&gpu_means);
    guarded_free(&host);
    guarded_free(&means);
}

TEST(poisson)
{
    static const tess_dtype dtypes[] = {
        TESS_F32, TESS_I32, TESS_U8, TESS_F64, TESS_F16, TESS_C32, TESS_C64, TESS_C16
    };
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 80 : 4); i++)
        check_poisson(dtypes[test_large() ? i % 8
                             : i & 1      ? 5
                                          : 0],
                      test_large() ? dtypes[i / 8 % 5] : TESS_F32, device);
}

/* A mean that is not allowed is named as on the CPU, and nothing is written. */
TEST(poisson_of_a_bad_mean)
{
    tess_device device;
    tess_array  host = { .data = NULL }, gpu = { .data = NULL }, out = { .data = NULL }, back = { .data = NULL };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_full(&host, TESS_SHAPE(2, 3, 4, 5), TESS_F32, tess_cpu(), 2));
    CHECK_OK(tess_set_f64(&host, 1, 0, 2, 3, -1));
    CHECK_OK(tess_set_f64(&host, 1, 2, 3, 4, -2));
    CHECK_OK(tess_zeros(&out, host.shape, TESS_F32, device));
    if (test_mirror(&gpu, &host, device))
        CHECK_FAILS(tess_random_poisson(&out, &gpu, 1, NULL), TESS_ERANGE, "means is -1 at {1,0,2,3}");
    CHECK_OK(tess_zeros(&back, host.shape, TESS_F32, tess_cpu()));
    CHECK(test_same_bits(&out, &back));
    tess_release(&host);
    tess_release(&gpu);
    tess_release(&out);
    tess_release(&back);
}

/* ---- Orders ---- */

static void check_order(tess_dtype dtype, tess_shape shape, tess_device device)
{
    guarded                host;
    tess_array             gpu = { .data = NULL };
    const tess_random_opts o = { .offset = (uint64_t)test_random_in(0, 5) };
    guarded_make(&host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    if (test_mirror(&gpu, &host.view, device)) {
        CHECK_OK(tess_random_permutation(&host.view, 11, &o));
        CHECK_OK(tess_random_permutation(&gpu, 11, &o));
        CHECK(test_same_bits(&gpu, &host.view));
    }
    tess_release(&gpu);
    guarded_free(&host);
}

TEST(permutations)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    check_order(TESS_I64, TESS_SHAPE(1, 1, 1, 1), device);
    check_order(TESS_I64, TESS_SHAPE(1, 1, 1, 300), device);
    check_order(TESS_U16, TESS_SHAPE(2, 3, 4, 50), device);
    if (test_large()) check_order(TESS_I32, TESS_SHAPE(1, 1, 1000, 3000), device);
}

TEST(shuffles)
{
    tess_device device;
    tess_array  host = { .data = NULL }, gpu = { .data = NULL };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_empty(&host, TESS_SHAPE(3, 2, 5, 7), TESS_F32, tess_cpu()));
    CHECK_OK(tess_random_normal(&host, 0, 1, 3, NULL));
    if (test_mirror(&gpu, &host, device))
        for (int axis = 0; axis < 4; axis++) {
            CHECK_OK(tess_random_shuffle(&host, &host, axis, 5, NULL));
            CHECK_OK(tess_random_shuffle(&gpu, &gpu, axis, 5, NULL));
            CHECK(test_same_bits(&gpu, &host));
        }
    tess_release(&host);
    tess_release(&gpu);
}
