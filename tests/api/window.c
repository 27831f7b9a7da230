/* Windows and tapers: values, shapes and dtypes of outputs, special sizes, every bad argument with its message. Random
 * windows are compared with SciPy in tests/oracle/windows.py. */
#include <math.h>

#include "support/arrays.h"
#include "support/hooks.h"

/* All windows by one call; those without a number of their own ignore it. */
enum { WINDOWS = 7 };
static const char *const names[WINDOWS] = { "window_hann",     "window_hamming", "window_blackman", "window_tukey",
                                            "window_gaussian", "window_kaiser",  "window_sinc" };

static tess_status make(tess_array *out, int kind, int64_t n, double number, const tess_window_opts *opts)
{
    switch (kind) {
    case 0: return tess_window_hann(out, n, opts);
    case 1: return tess_window_hamming(out, n, opts);
    case 2: return tess_window_blackman(out, n, opts);
    case 3: return tess_window_tukey(out, n, number, opts);
    case 4: return tess_window_gaussian(out, n, number, opts);
    case 5: return tess_window_kaiser(out, n, number, opts);
    default: return tess_window_sinc(out, n, number, opts);
    }
}

static tess_status at(double *value, int kind, int64_t index, int64_t n, const tess_window_opts *opts)
{
    switch (kind) {
    case 0: return tess_window_hann_at(value, index, n, opts);
    case 1: return tess_window_hamming_at(value, index, n, opts);
    case 2: return tess_window_blackman_at(value, index, n, opts);
    case 3: return tess_window_tukey_at(value, index, n, 0.5, opts);
    case 4: return tess_window_gaussian_at(value, index, n, 0.5, opts);
    case 5: return tess_window_kaiser_at(value, index, n, 0.5, opts);
    default: return tess_window_sinc_at(value, index, n, 0.5, opts);
    }
}

static void check_values(int kind, int64_t n, double number, const tess_window_opts *opts, const double *want)
{
    tess_array out = { 0 };
    CHECK_OK(make(&out, kind, n, number, opts));
    for (int64_t i = 0; i < out.shape.w; i++)
        if (fabs(value_at(&out, 0, 0, 0, i) - want[i]) > 1e-15)
            (void)test_failed(__FILE__, __LINE__, "%s: value %d is %.17g, not %.17g", names[kind], (int)i,
                              value_at(&out, 0, 0, 0, i), want[i]);
    tess_release(&out);
}

/* ---- Windows ---- */

TEST(examples)
{
    const tess_window_opts periodic = { .periodic = 1 };
    const double           e = exp(-0.5), pi = acos(-1);
    check_values(0, 5, 0, NULL, (double[]){ 0, 0.5, 1, 0.5, 0 });
    check_values(0, 4, 0, &periodic, (double[]){ 0, 0.5, 1, 0.5 });
    check_values(1, 5, 0, NULL, (double[]){ 0.08, 0.54, 1, 0.54, 0.08 });
    check_values(2, 5, 0, NULL, (double[]){ 0, 0.34, 1, 0.34, 0 });
    check_values(3, 9, 0.5, NULL, (double[]){ 0, 0.5, 1, 1, 1, 1, 1, 0.5, 0 });
    check_values(4, 3, 1, NULL, (double[]){ e, 1, e });
    check_values(5, 3, 0, NULL, (double[]){ 1, 1, 1 });
    check_values(6, 5, 0.5, NULL, (double[]){ 0, 1 / pi, 0.5, 1 / pi, 0 });
}

/* A half window was divided by its own sum in noa, so that its values were not those of the whole one. */
TEST(noa_half_window_is_divided_by_its_own_sum)
{
    const tess_window_opts whole = { .normalize = 1 }, half = { .normalize = 1, .half = 1 };
    for (int kind = 0; kind < WINDOWS; kind++)
        for (int64_t n = 3; n < 12; n++) {
            tess_array a = { 0 }, b = { 0 };
            double     sum = 0;
            CHECK_OK(make(&a, kind, n, 0.5, &whole));
            CHECK_OK(make(&b, kind, n, 0.5, &half));
            CHECK_DIMS(b.shape, 1, 1, 1, (n + 1) / 2);
            for (int64_t i = 0; i < n; i++) sum += value_at(&a, 0, 0, 0, i);
            CHECK(fabs(sum - 1) < 1e-15);
            for (int64_t i = n / 2; i < n; i++) CHECK(value_at(&a, 0, 0, 0, i) == value_at(&b, 0, 0, 0, i - n / 2));
            tess_release(&a);
            tess_release(&b);
        }
}

TEST(windows_are_symmetric_to_the_bit)
{
    for (int kind = 0; kind < WINDOWS; kind++)
        for (int64_t n = 2; n < 40; n++) {
            tess_array a = { 0 };
            CHECK_OK(make(&a, kind, n, 0.7, NULL));
            for (int64_t i = 0; i < n; i++) CHECK(value_at(&a, 0, 0, 0, i) == value_at(&a, 0, 0, 0, n - 1 - i));
            tess_release(&a);
        }
}

TEST(one_value_and_none)
{
    static const tess_window_opts opts[] = { { 0 }, { .periodic = 1 }, { .half = 1 }, { .normalize = 1 } };
    for (int kind = 0; kind < WINDOWS; kind++)
        for (size_t k = 0; k < sizeof opts / sizeof *opts; k++) {
            tess_array   a = { 0 };
            double       value;
            const double one = kind == 6 && !opts[k].normalize ? 0.5 : 1;
            CHECK_OK(make(&a, kind, 1, 0.5, &opts[k]));
            CHECK(value_at(&a, 0, 0, 0, 0) == one);
            tess_release(&a);
            CHECK_OK(at(&value, kind, 0, 1, &opts[k]));
            CHECK(value == one);
            CHECK_OK(make(&a, kind, 0, 0.5, &opts[k]));
            CHECK_DIMS(a.shape, 1, 1, 1, 0);
            tess_release(&a);
        }
}

TEST(outputs_that_were_made)
{
    tess_array             column = constant(TESS_F32, 1, 1, 5, 1, 7), wide = constant(TESS_F64, 1, 1, 1, 10, 7), every;
    const tess_window_opts f32 = { .dtype = TESS_F32 };
    CHECK_OK(tess_window_hann(&column, 5, NULL));
    CHECK(value_at(&column, 0, 0, 1, 0) == 0.5 && value_at(&column, 0, 0, 2, 0) == 1);
    CHECK_OK(tess_slice(&every, &wide, 3, 0, 10, 2));
    CHECK_OK(tess_window_hann(&every, 5, NULL));
    CHECK(value_at(&wide, 0, 0, 0, 4) == 1 && value_at(&wide, 0, 0, 0, 5) == 7);
    tess_array a = { 0 };
    CHECK_OK(tess_window_hann(&a, 5, &f32));
    CHECK(a.dtype == TESS_F32);
    tess_release(&a);
    tess_release(&wide);
    tess_release(&column);
}

TEST(bad_arguments_of_windows)
{
    tess_array a = { 0 }, image = constant(TESS_F32, 1, 1, 2, 5, 0), whole = constant(TESS_I32, 1, 1, 1, 5, 0);
    tess_array fixed = read_only(image);
    double     value;
    const tess_window_opts normalize = { .normalize = 1 }, half = { .half = 1 };
    for (int kind = 0; kind < WINDOWS; kind++) {
        CHECK_FAILS(make(NULL, kind, 5, 0.5, NULL), TESS_EARG, names[kind], "out is NULL");
        CHECK_FAILS(make(&a, kind, -1, 0.5, NULL), TESS_ERANGE, names[kind], "n is -1; 0 or more is needed");
        CHECK_FAILS(make(&a, kind, INT64_MAX, 0.5, NULL), TESS_ESHAPE, names[kind], "n");
        CHECK_FAILS(make(&image, kind, 5, 0.5, NULL), TESS_ESHAPE, names[kind], "{1,1,2,5}", "{1,1,1,5} is needed");
        CHECK_FAILS(make(&whole, kind, 5, 0.5, NULL), TESS_EDTYPE, names[kind], "out is i32; f16, f32 or f64");
        CHECK_FAILS(make(&fixed, kind, 5, 0.5, NULL), TESS_EWRITE, names[kind], "out");
        CHECK_FAILS(make(&a, kind, 5, 0.5, &(tess_window_opts){ .half = 2 }), TESS_ERANGE, names[kind], "half");
        CHECK_FAILS(make(&a, kind, 5, 0.5, &(tess_window_opts){ .dtype = TESS_I32 }), TESS_EARG, names[kind], "dtype");
        CHECK_FAILS(make(&a, kind, 5, 0.5, &(tess_window_opts){ .reserved = { 1 } }), TESS_EARG, names[kind],
                    "reserved");
        CHECK_FAILS(at(NULL, kind, 0, 5, NULL), TESS_EARG, names[kind], "value is NULL");
        CHECK_FAILS(at(&value, kind, 5, 5, NULL), TESS_ERANGE, names[kind], "index is 5; 0 to 4 is allowed");
        CHECK_FAILS(at(&value, kind, 3, 5, &half), TESS_ERANGE, names[kind], "index is 3; 0 to 2 is allowed");
        CHECK_FAILS(at(&value, kind, -1, 5, NULL), TESS_ERANGE, names[kind], "index is -1");
    }
    CHECK_FAILS(tess_window_hann(&a, 2, &normalize), TESS_ERANGE, "window_hann", "opts->normalize", "n = 2", "is 0");
    CHECK_FAILS(tess_window_tukey(&a, 5, 1.5, NULL), TESS_ERANGE, "window_tukey", "alpha is 1.5; 0 to 1 is allowed");
    CHECK_FAILS(tess_window_tukey(&a, 5, (double)NAN, NULL), TESS_ERANGE, "window_tukey", "alpha is nan");
    CHECK_FAILS(tess_window_gaussian(&a, 5, 0, NULL), TESS_ERANGE, "window_gaussian",
                "sigma is 0 samples; it must be finite and above 0");
    CHECK_FAILS(tess_window_kaiser(&a, 5, 701, NULL), TESS_ERANGE, "window_kaiser", "beta is 701; 0 to 700");
    CHECK_FAILS(tess_window_sinc(&a, 5, -1, NULL), TESS_ERANGE, "window_sinc",
                "k is -1, twice the cutoff frequency; it must be finite and above 0");
    CHECK(a.data == NULL);
    tess_release(&image);
    tess_release(&whole);
}

/* ---- Tapers ---- */

TEST(edges_fade_to_a_value_or_the_mean)
{
    tess_array a = constant(TESS_F32, 2, 1, 1, 7, 4), out = { 0 };
    CHECK_OK(tess_taper(&out, &a, &(tess_taper_opts){ .width_w = 2 }));
    const double want[7] = { 0, 2, 4, 4, 4, 2, 0 };
    for (int i = 0; i < 7; i++) CHECK(fabs(value_at(&out, 1, 0, 0, i) - want[i]) < 1e-6);
    CHECK_OK(tess_taper(&a, &a, &(tess_taper_opts){ .width_w = 2, .mean = 1 }));
    CHECK(all_are(&a, 4));
    CHECK_OK(tess_taper(&out, &a, &(tess_taper_opts){ .width_w = 2, .value = 6 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 6 && value_at(&out, 0, 0, 0, 3) == 4);
    CHECK_OK(tess_taper(&out, &a, &(tess_taper_opts){ .axes = TESS_H }));
    CHECK(all_are(&out, 4));
    tess_release(&a);
    tess_release(&out);
}

/* What another batch holds does not matter: each has a mean of its own. */
TEST(means_are_those_of_each_batch)
{
    tess_array a = numbers(TESS_F64, 2, 1, 1, 9), out = { 0 };
    CHECK_OK(tess_taper(&out, &a, &(tess_taper_opts){ .width_w = 1, .mean = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 4 && value_at(&out, 1, 0, 0, 0) == 13);
    CHECK_OK(tess_taper_radial(&out, &a, 1, &(tess_taper_radial_opts){ .mean = 1 }));
    CHECK(value_at(&out, 0, 0, 0, 0) == 4 && value_at(&out, 1, 0, 0, 8) == 13 && value_at(&out, 1, 0, 0, 5) == 14);
    tess_release(&a);
    tess_release(&out);
}

TEST(circles_keep_what_is_inside)
{
    tess_array a = constant(TESS_I16, 1, 1, 8, 9, 3), out = { 0 };
    CHECK_OK(tess_taper_radial(&out, &a, 2, NULL));
    CHECK(out.dtype == TESS_F32);
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 9; x++)
            CHECK(value_at(&out, 0, 0, y, x) == ((y - 4) * (y - 4) + (x - 4) * (x - 4) <= 4 ? 3 : 0));
    CHECK_OK(tess_taper_radial(&out, &a, 0, &(tess_taper_radial_opts){ .shift_h = -4, .shift_w = 3 }));
    CHECK(value_at(&out, 0, 0, 0, 7) == 3 && value_at(&out, 0, 0, 4, 4) == 0);
    tess_release(&a);
    tess_release(&out);
}

TEST(empty_arrays_and_single_pixels)
{
    tess_array none = constant(TESS_F32, 0, 1, 4, 5, 0), one = constant(TESS_F32, 3, 1, 1, 1, 2), out = { 0 };
    CHECK_OK(tess_taper(&out, &none, NULL));
    CHECK_DIMS(out.shape, 0, 1, 4, 5);
    tess_release(&out);
    CHECK_OK(tess_taper_radial(&out, &none, 2, NULL));
    tess_release(&out);
    CHECK_OK(tess_taper(&out, &one, NULL));
    CHECK(all_are(&out, 2));
    tess_release(&out);
    CHECK_OK(tess_taper(&out, &tess_num(2.5), NULL));
    CHECK(all_are(&out, 2.5));
    tess_release(&out);
    tess_release(&one);
    tess_release(&none);
}

TEST(bad_arguments_of_tapers)
{
    tess_array a = constant(TESS_F32, 1, 1, 4, 6, 1), z = constant(TESS_C32, 1, 1, 4, 6, 1), out = { 0 }, part;
    tess_array small = constant(TESS_F32, 1, 1, 4, 5, 1), whole = constant(TESS_I32, 1, 1, 4, 6, 1);
    CHECK_FAILS(tess_taper(NULL, &a, NULL), TESS_EARG, "taper", "out is NULL");
    CHECK_FAILS(tess_taper(&out, NULL, NULL), TESS_EARG, "taper", "in is NULL");
    CHECK_FAILS(tess_taper(&out, &z, NULL), TESS_EDTYPE, "taper", "in is c32");
    CHECK_FAILS(tess_taper(&small, &a, NULL), TESS_ESHAPE, "taper", "out has shape {1,1,4,5}; {1,1,4,6} is needed");
    CHECK_FAILS(tess_taper(&whole, &a, NULL), TESS_EDTYPE, "taper", "out is i32; f16, f32 or f64 is needed");
    CHECK_FAILS(tess_taper(&out, &a, &(tess_taper_opts){ .axes = TESS_B }), TESS_ERANGE, "taper", "opts->axes is 0x10");
    CHECK_FAILS(tess_taper(&out, &a, &(tess_taper_opts){ .fraction = 0.6 }), TESS_ERANGE, "taper", "fraction", "0.5");
    CHECK_FAILS(tess_taper(&out, &a, &(tess_taper_opts){ .width_h = -1 }), TESS_ERANGE, "taper", "width_h");
    CHECK_FAILS(tess_taper(&out, &a, &(tess_taper_opts){ .reserved = { 1 } }), TESS_EARG, "taper", "reserved");
    CHECK_FAILS(tess_taper_radial(&out, &a, -1, NULL), TESS_ERANGE, "taper_radial",
                "radius is -1; it must be finite and not negative");
    CHECK_FAILS(tess_taper_radial(&out, &a, (double)NAN, NULL), TESS_ERANGE, "taper_radial", "radius is nan");
    CHECK_FAILS(tess_taper_radial(&out, &z, 1, NULL), TESS_EDTYPE, "taper_radial", "in is c32");
    CHECK_FAILS(tess_taper_radial(&out, &a, 1, &(tess_taper_radial_opts){ .width = -1 }), TESS_ERANGE, "taper_radial",
                "width");
    CHECK_OK(tess_slice(&part, &a, 3, 1, 6, 1));
    tess_array other = a;
    other.shape.w = 5;
    CHECK_FAILS(tess_taper(&other, &part, NULL), TESS_EALIAS, "taper", "shares memory with in");
    CHECK(out.data == NULL);
    tess_release(&a);
    tess_release(&z);
    tess_release(&small);
    tess_release(&whole);
}

/* ---- No memory ---- */

static hooks h;

static tess_status call(int which, tess_array *out, const tess_array *in)
{
    switch (which) {
    case 0: return tess_taper(out, in, NULL);
    case 1: return tess_taper(out, in, &(tess_taper_opts){ .mean = 1 });
    case 2: return tess_taper_radial(out, in, 9, &(tess_taper_radial_opts){ .width = 3 });
    default: return tess_window_kaiser(out, 50, 3, NULL);
    }
}

/* Every allocation fails in turn: a clear status, no leak, and the output as it was. */
TEST(allocations_that_fail)
{
    tess_array in = numbers(TESS_F32, 2, 1, 30, 40), out = { 0 };
    for (int which = 0; which < 4; which++) {
        CHECK_OK(call(which, &out, &in)); /* operators are checked at their first call, and kept */
        tess_release(&out);
        hooks_on(&h);
        for (int k = 1, fired = 1; fired && k < 100; k++) {
            atomic_store(&h.calls, 0);
            atomic_store(&h.fired, 0);
            atomic_store(&h.fail_at, k);
            const tess_status status = call(which, &out, &in);
            atomic_store(&h.fail_at, 0);
            fired = atomic_load(&h.fired) > 0;
            if (!fired) CHECK_OK(status);
            else CHECK_FAILS(status, TESS_ENOMEM, "memory");
            CHECK(out.data == NULL || !fired);
            tess_release(&out);
            CHECK_I64(atomic_load(&h.live), 0);
        }
        hooks_off();
    }
    tess_release(&in);
}

/* A terabyte of values: the sum of them would take hours. */
TEST(memory_is_asked_for_before_a_window_is_summed_up)
{
    const tess_window_opts normalize = { .normalize = 1 };
    tess_array             a = { 0 };
    const int64_t          n = INT64_C(1) << 40;
    CHECK_OK(tess_memory_limit_set(1 << 20));
    CHECK_FAILS(tess_window_hann(&a, n, &normalize), TESS_ENOMEM, "window_hann", "bytes");
    CHECK_FAILS(tess_window_kaiser(&a, n, 8, &normalize), TESS_ENOMEM, "window_kaiser", "bytes");
    CHECK(is_zeroed(&a));
    CHECK_OK(tess_memory_limit_set(0));
}
