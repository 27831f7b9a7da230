/* Reductions against plain loops in long double: function x dtype x layout x axes x shape x instruction set; and the
 * same bits from every layout, number of threads and instruction set. */
#include <math.h>
#include <stdlib.h>

#include "support/isas.h"
#include "support/reductions.h"

/* ---- Functions ---- */

static void check_function(function f)
{
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++) {
        if (!is_defined(f, dtype)) continue;
        for (int s = 0; s < N_SHAPES; s++)
            for (int kind = 0; kind < n_layouts; kind++) {
                if (!test_takes_case()) continue;
                const int     axes = kind ? (int)test_random_in(1, 15) * TESS_B : TESS_ALL_AXES;
                const options o = { has_skip(f) && test_random_in(0, 2) == 0, (int)test_random_in(0, 1), 0 };
                check_reduction(f, dtype, (layout)kind, reduced_shapes[s], axes, o);
            }
    }
}

TEST(functions)
{
    isas_tell_missing();
    for (int f = 0; f < n_functions; f++) check_function((function)f);
}

TEST(many_numbers)
{
    static const tess_dtype dtypes[] = { TESS_U8, TESS_I16, TESS_F16, TESS_F32, TESS_F64, TESS_C32 };
    isas_tell_missing();
    for (int f = 0; f < n_functions; f++)
        for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++)
            if (is_defined((function)f, dtypes[i]) && ((size_t)f % 6 == i || test_takes_case()))
                check_reduction((function)f, dtypes[i], (layout)test_random_in(0, n_layouts - 1),
                                tess_shape_of(1, 1, 263, 251), (int)test_random_in(1, 15) * TESS_B,
                                (options){ 0, 1, 0 });
}

/* ---- The same bits ---- */

static void copy_elements(void *context, const int64_t place[4])
{
    const tess_array *const *both = context;
    memcpy(element_at(both[0], place), element_at(both[1], place), tess_dtype_size(both[0]->dtype));
}

/* The same values in every layout. */
static void lay_out_all(guarded all[n_output_layouts], tess_shape shape, tess_dtype dtype, filling fill)
{
    for (int kind = 0; kind < n_output_layouts; kind++) guarded_make(&all[kind], (layout)kind, shape, dtype);
    fill.array = &all[layout_contiguous].view;
    each_index(shape, set_random, &fill);
    for (int kind = 0; kind < n_output_layouts; kind++)
        if (kind != layout_contiguous)
            each_index(shape, copy_elements, (const tess_array *[]){ &all[kind].view, fill.array });
}

/* What has one output is numbered as above; these have several, or one for each element. */
enum {
    work_mean_std = n_functions,
    work_mean_var,
    work_minmax,
    work_reduce,
    work_normalize,
    work_mean_l2,
    work_log_normalize,
    n_works
};
enum { MOST_OUTPUTS = 8 };

static const char *name_of_work(int work)
{
    static const char *const others[] = { "mean_std",     "mean_var",  "minmax",
                                          "reduce",       "normalize", "normalize to length",
                                          "log_normalize" };
    return work < n_functions ? function_names[work] : others[work - n_functions];
}

static bool is_work_defined(int work, tess_dtype dtype)
{
    if (work < n_functions) return is_defined((function)work, dtype);
    return is_real(dtype) || (work != work_minmax && work != work_log_normalize);
}

/* All that one pass can make of the dtype, variance and norm among them. */
static tess_status reduce_several(tess_array *out, const tess_array *a, int axes, options o)
{
    static const int32_t kinds[] = { TESS_REDUCE_SUM, TESS_REDUCE_MEAN, TESS_REDUCE_STD,    TESS_REDUCE_NORM,
                                     TESS_REDUCE_ANY, TESS_REDUCE_MIN,  TESS_REDUCE_ARGMAX, TESS_REDUCE_VAR };
    tess_reduction       items[MOST_OUTPUTS];
    const int            n = is_real(a->dtype) ? 8 : 5;
    for (int i = 0; i < n; i++) items[i] = (tess_reduction){ kinds[i], &out[i] };
    return tess_reduce(items, n, a, axes, &(tess_var_opts){ .skip_nan = o.skip_nan });
}

static tess_status do_work(int work, tess_array *out, const tess_array *a, const tess_array *b, int axes, options o)
{
    const tess_var_opts       var = { .skip_nan = o.skip_nan };
    const tess_reduce_opts    plain = { .skip_nan = o.skip_nan };
    const tess_normalize_opts length = { .mode = TESS_NORMALIZE_MEAN_L2 };
    switch (work) {
    case work_mean_std: return tess_mean_std(&out[0], &out[1], a, axes, &var);
    case work_mean_var: return tess_mean_var(&out[0], &out[1], a, axes, &var);
    case work_minmax: return tess_minmax(&out[0], &out[1], a, axes, &plain);
    case work_reduce: return reduce_several(out, a, axes, o);
    case work_normalize: return tess_normalize(&out[0], a, axes, NULL);
    case work_mean_l2: return tess_normalize(&out[0], a, axes, &length);
    case work_log_normalize: return tess_log_normalize(&out[0], a, axes);
    default: return call_function((function)work, &out[0], a, b, axes, o);
    }
}

/* Once more, of the same values as they lie here, into outputs like those of the first time. */
static void repeat_work(const char *what, int work, const tess_array *want, const tess_array *a, const tess_array *b,
                        int axes, options o)
{
    tess_array got[MOST_OUTPUTS] = { { .data = NULL } };
    for (int i = 0; i < MOST_OUTPUTS && want[i].data; i++)
        CHECK_OK(tess_zeros(&got[i], want[i].shape, want[i].dtype, tess_cpu()));
    CHECK_OK(do_work(work, got, a, b, axes, o));
    for (int i = 0; i < MOST_OUTPUTS && want[i].data; i++) {
        expect_bits(what, &got[i], &want[i]);
        tess_release(&got[i]);
    }
}

/* One function of the same values in some layouts, with other numbers of threads, on every instruction set. */
static void check_bits(int work, const guarded all[n_output_layouts], int axes, int skip_nan)
{
    const tess_array *plain = &all[layout_contiguous].view;
    const tess_shape  shape = plain->shape;
    tess_array        want[MOST_OUTPUTS] = { { .data = NULL } };
    const options     o = { skip_nan, 0, 0 };
    static const int  threads[] = { 2, 3, 8, 1 };
    const tess_array  second = second_input((function)work, plain);
    CHECK_OK(tess_threads_set(1));
    CHECK_OK(do_work(work, want, plain, &second, axes, o));
    for (int kind = 0; kind < n_output_layouts; kind++) {
        char what[160];
        if (kind != layout_contiguous && test_random() % 3 != 0) continue;
        snprintf(what, sizeof what, "%s of %s {%d,%d,%d,%d} axes 0x%x, %s, %d threads", name_of_work(work),
                 tess_dtype_name(plain->dtype), (int)shape.b, (int)shape.d, (int)shape.h, (int)shape.w, (unsigned)axes,
                 layout_names[kind], threads[kind % 4]);
        CHECK_OK(tess_threads_set(threads[kind % 4]));
        for (const tess__isa *isa = tess__isas; isa->name; isa++) {
            if (!isa->supported() || (kind != layout_contiguous && !isa_has_turn(isa))) continue;
            CHECK_OK(tess_cpu_limit_set(isa->name));
            repeat_work(what, work, want, &all[kind].view, &second, axes, o);
        }
    }
    CHECK_OK(tess_cpu_limit_set(NULL));
    CHECK_OK(tess_threads_set(0));
    for (int i = 0; i < MOST_OUTPUTS; i++) tess_release(&want[i]);
}

/* Of each filling once for all functions: to lay numbers out takes longer than to reduce them. */
static void check_bits_of(tess_dtype dtype, tess_shape shape, filling fill)
{
    guarded all[n_output_layouts];
    lay_out_all(all, shape, dtype, fill);
    for (int work = 0; work < n_works; work++) {
        const int  axes = (int)test_random_in(1, fill.nans ? 15 : 14) * TESS_B;
        const bool skips = work < n_functions ? has_skip((function)work) : work < work_normalize;
        if (!is_work_defined(work, dtype) || !test_takes_case()) continue;
        if (fill.near_one != (work == fn_prod) || (fill.nans && !skips)) continue;
        check_bits(work, all, axes, fill.nans != 0);
        if (!fill.nans && work < work_normalize) check_bits(work, all, TESS_ALL_AXES, 0);
    }
    for (int kind = 0; kind < n_output_layouts; kind++) guarded_free(&all[kind]);
}

TEST(same_bits_from_every_layout_and_number_of_threads)
{
    static const tess_shape sizes[] = {
        { { 2, 3, 37, 41 } },   { { 1, 1, 700, 150 } }, { { 3, 35, 1, 90 } },   { { 1, 1, 1100, 36 } },
        { { 1, 4, 1, 16400 } }, { { 1, 1, 1, 65535 } }, { { 1, 1, 1, 65536 } },
    };
    enum { SIZES = sizeof sizes / sizeof *sizes };
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (int filled = 0; filled < 4; filled++) { /* near one or not, with NaNs or not */
            const filling fill = { NULL, filled & 1, filled & 2 ? 4 : 0, 0 };
            const int     times = is_integer(dtype) || fill.near_one ? 1 : fill.nans ? 2 : 3;
            const int64_t first = test_random_in(0, SIZES - 1);
            if (fill.nans && is_integer(dtype)) continue;
            for (int i = 0; i < times; i++) check_bits_of(dtype, sizes[(first + 2 * i) % SIZES], fill);
        }
}

TEST(several_at_once_are_each_their_own)
{
    static const function of_kind[] = { fn_sum, fn_prod,   fn_mean,   fn_var, fn_std, fn_norm_l2,      fn_min,
                                        fn_max, fn_argmin, fn_argmax, fn_any, fn_all, fn_count_nonzero };
    for (tess_dtype dtype = 1; dtype < TESS_SCALAR_DTYPE_COUNT; dtype++)
        for (int round = 0; round < 12; round++) {
            guarded        in;
            tess_array     got[8] = { { .data = NULL } };
            tess_reduction items[8];
            const int      axes = (int)test_random_in(1, 15) * TESS_B, n = (int)test_random_in(1, 8);
            guarded_make(&in, (layout)test_random_in(0, n_layouts - 1), reduced_shapes[test_random_in(0, N_SHAPES - 1)],
                         dtype);
            const filling fill = { &in.view, true, 0, 0 };
            each_index(in.view.shape, set_random, (void *)(uintptr_t)&fill);
            for (int i = 0; i < n; i++) {
                do items[i].kind = (int32_t)test_random_in(TESS_REDUCE_SUM, TESS_REDUCE_COUNT_NONZERO);
                while (!is_defined(of_kind[items[i].kind - 1], dtype));
                items[i].out = &got[i];
            }
            CHECK_OK(tess_reduce(items, n, &in.view, axes, &(tess_var_opts){ .ddof = 1 }));
            for (int i = 0; i < n; i++) {
                tess_array want = { 0 };
                CHECK_OK(call_function(of_kind[items[i].kind - 1], &want, &in.view, NULL, axes, (options){ 0, 1, 0 }));
                CHECK(got[i].dtype == want.dtype);
                expect_bits(function_names[of_kind[items[i].kind - 1]], &got[i], &want);
                tess_release(&want);
                tess_release(&got[i]);
            }
            guarded_free(&in);
        }
}

/* ---- Special values ---- */

static bool same_f64(double a, double b) { return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0; }

/* Of the whole of a small array. */
static double whole(function f, const double *x, int64_t n, options o)
{
    double     copy[64], got = 77;
    tess_array in = wrap_f64(copy, n), out = wrap_f64(&got, 1);
    memcpy(copy, x, (size_t)n * sizeof *x);
    CHECK_OK(call_function(f, &out, &in, &in, 0, o));
    return got;
}

#define WHOLE(f, skip, ...)                                                                                            \
    whole(fn_##f, (const double[]){ __VA_ARGS__ }, sizeof((double[]){ __VA_ARGS__ }) / sizeof(double),                 \
          (options){ skip, 0, 0 })

TEST(infinities_nans_and_zeros)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    CHECK(same_f64(WHOLE(sum, 0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(sum, 0, -0.0, -0.0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(sum, 0, -0.0, 0.0), 0.0));
    CHECK(same_f64(WHOLE(compensated, 0, -0.0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(sum, 0, inf, 1), inf));
    CHECK(same_f64(WHOLE(sum, 0, inf, -inf), nan));
    CHECK(same_f64(WHOLE(compensated, 0, inf, 1, 2), inf));
    CHECK(same_f64(WHOLE(compensated, 0, 1, -inf, 2), -inf));
    CHECK(same_f64(WHOLE(compensated, 0, inf, -inf), nan));
    CHECK(same_f64(WHOLE(compensated, 0, 1e300, 1, -1e300), 1));
    CHECK(same_f64(WHOLE(compensated, 0, 1, 1e100, 1, -1e100), 2));
    CHECK(same_f64(WHOLE(sum, 1, nan, nan), 0));
    CHECK(same_f64(WHOLE(sum, 1, nan, -0.0), -0.0));
    CHECK(same_f64(WHOLE(prod, 1, nan), 1));
    CHECK(same_f64(WHOLE(mean, 1, nan), nan));
    CHECK(same_f64(WHOLE(min, 0, 0.0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(max, 0, -0.0, 0.0), 0.0));
    CHECK(same_f64(WHOLE(min, 0, 1, nan, -inf), nan));
    CHECK(same_f64(WHOLE(max, 0, 1, -nan, inf), nan));
    CHECK(same_f64(WHOLE(min, 1, 1, nan, 2), 1));
    CHECK(same_f64(WHOLE(max, 1, nan, nan), nan));
    CHECK(same_f64(WHOLE(min, 0, inf, inf), inf));
    CHECK(same_f64(WHOLE(max, 0, -inf, -inf), -inf));
    CHECK(same_f64(WHOLE(argmin, 0, 1, 0.0, -0.0), 1));
    CHECK(same_f64(WHOLE(argmax, 0, -1, -0.0, 0.0), 1));
    CHECK(same_f64(WHOLE(argmin, 0, 1, nan, nan, 0), 1));
    CHECK(same_f64(WHOLE(argmax, 0, 1, -nan, nan, 9), 1));
    CHECK(same_f64(WHOLE(argmin, 1, nan, 5, nan, 5), 1));
    CHECK(same_f64(WHOLE(argmax, 1, nan, nan), -1));
    CHECK(same_f64(WHOLE(argmin, 1, nan, inf), 1));
    CHECK(same_f64(WHOLE(argmin_last, 0, 1, 0.0, -0.0), 2));
    CHECK(same_f64(WHOLE(argmax_last, 0, 3, 1, 3, 2), 2));
    CHECK(same_f64(WHOLE(argmax_last, 0, 1, -nan, nan, 9), 2));
    CHECK(same_f64(WHOLE(argmin_last, 1, nan, 5, nan, 5, nan), 3));
    CHECK(same_f64(WHOLE(argmax_last, 1, nan, nan), -1));
    CHECK(same_f64(WHOLE(any, 0, 0.0, -0.0), 0));
    CHECK(same_f64(WHOLE(any, 0, 0.0, nan), 1));
    CHECK(same_f64(WHOLE(logsumexp, 0, -inf, -inf), -inf));
    CHECK(same_f64(WHOLE(logsumexp, 0, -inf, inf, 3), inf));
    CHECK(same_f64(WHOLE(logsumexp, 0, nan, inf), nan));
    CHECK(same_f64(WHOLE(logsumexp, 0, -0.0), -0.0));
    CHECK(same_f64(WHOLE(logsumexp, 0, 1000.25), 1000.25));
    CHECK(same_f64(WHOLE(logsumexp, 0, -inf, 3.7), 3.7));
    CHECK(same_f64(WHOLE(logsumexp, 1, nan), -inf));
    CHECK(same_f64(WHOLE(var, 0, 1, inf), nan));
    CHECK(same_f64(WHOLE(var, 0, -1e200, 1e200), inf));
    CHECK(same_f64(WHOLE(std, 0, -1e200, 1e200), 1e200));
    CHECK(same_f64(WHOLE(std, 0, 1.7e308, -1.7e308), 1.7e308));
    CHECK(same_f64(WHOLE(var, 0, 1e-200, 3e-200), 0));
    CHECK(same_f64(WHOLE(std, 0, 1e200, inf), nan));
    CHECK(same_f64(WHOLE(std, 0, 1e200, nan), nan));
    CHECK(same_f64(WHOLE(std, 0, 1e-200, 1e-200, 1e-200), 0));
    CHECK(fabs(WHOLE(std, 0, 1e200, 3e200, 2e200) / 8.1649658092772603e199 - 1) < 1e-15);
    CHECK(fabs(WHOLE(std, 0, 1e-200, 3e-200, 2e-200) / 8.1649658092772603e-201 - 1) < 1e-15);
    CHECK(fabs(WHOLE(std, 0, 2e-200, 1e-200, 3e-200) / 8.1649658092772603e-201 - 1) < 1e-15);
    CHECK(fabs(WHOLE(norm_l2, 0, 3e200, 4e200) / 5e200 - 1) < 1e-15);
    CHECK(fabs(WHOLE(norm_l2, 0, 3e-200, 4e-200) / 5e-200 - 1) < 1e-15);
    CHECK(fabs(WHOLE(norm_l2, 0, 3e-320, 4e-320) / 5e-320 - 1) < 1e-3);
    CHECK(fabs(WHOLE(norm_l2, 0, 1e-200, 3, 4) / 5 - 1) < 1e-15);
    CHECK(same_f64(WHOLE(norm_l2, 0, 1e200, -inf), inf));
    CHECK(same_f64(WHOLE(norm_max, 0, 1, nan), nan));
}

TEST(reductions_of_nothing)
{
    double     x = 0, got = 77;
    tess_array in = wrap_f64(&x, 0), out = wrap_f64(&got, 1);
    static const struct {
        function f;
        double   want;
    } cases[] = {
        { fn_sum, 0 },      { fn_compensated, 0 }, { fn_prod, 1 }, { fn_norm_l2, 0 }, { fn_norm_l1, 0 },
        { fn_norm_max, 0 }, { fn_any, 0 },         { fn_all, 1 },  { fn_dot, 0 },     { fn_count_nonzero, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_OK(call_function(cases[i].f, &out, &in, &in, 0, (options){ 0 }));
        if (got != cases[i].want) (void)test_failed(__FILE__, __LINE__, "%s of nothing", function_names[cases[i].f]);
    }
    CHECK_OK(call_function(fn_logsumexp, &out, &in, NULL, 0, (options){ 0 }));
    CHECK(got == -(double)INFINITY);
    CHECK_OK(call_function(fn_var, &out, &in, NULL, 0, (options){ 0 }));
    CHECK(isnan(got));
    static const function errors[] = { fn_mean,   fn_min,         fn_max,           fn_argmin,
                                       fn_argmax, fn_argmin_last, fn_weighted_mean, fn_rmsd };
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        CHECK_FAILS(call_function(errors[i], &out, &in, &in, 0, (options){ 0 }), TESS_ESHAPE, "no elements");
}

/* ---- Numbers on the host ---- */

TEST(whole_arrays_to_the_host)
{
    double     x[24], f = 0, g = 0, z[2];
    int64_t    place[4], flat = -1, i = 0;
    bool       truth = false;
    tess_array a = { .shape = { { 1, 2, 3, 4 } }, .strides = { { 24, 12, 4, 1 } }, .data = x, .dtype = TESS_F64 };
    for (int k = 0; k < 24; k++) x[k] = k == 17 ? -5 : k;
    CHECK_OK(tess_host_sum(&f, &a));
    CHECK(f == 276 - 17 - 5);
    CHECK_OK(tess_host_mean(&g, &a));
    CHECK(g == f / 24);
    CHECK_OK(tess_host_min(&f, &a));
    CHECK(f == -5);
    CHECK_OK(tess_host_max(&f, &a));
    CHECK(f == 23);
    CHECK_OK(tess_host_argmin(place, &flat, &a));
    CHECK(flat == 17 && place[0] == 0 && place[1] == 1 && place[2] == 1 && place[3] == 1);
    CHECK_OK(tess_host_argmax(place, NULL, &a));
    CHECK(place[1] == 1 && place[2] == 2 && place[3] == 3);
    CHECK_OK(tess_host_count_nonzero(&i, &a));
    CHECK(i == 23);
    CHECK_OK(tess_host_any(&truth, &a));
    CHECK(truth);
    CHECK_OK(tess_host_all(&truth, &a));
    CHECK(!truth);
    CHECK_OK(tess_host_dot(&f, &a, &a));
    CHECK_OK(tess_host_norm(&g, &a, NULL));
    CHECK(fabs(g * g - f) < 1e-9);
    CHECK_OK(tess_host_rmsd(&f, &a, &a));
    CHECK(f == 0);
    CHECK_OK(tess_host_mean_std(&f, &g, &a, NULL));
    CHECK_OK(tess_host_sum_complex(z, &a));
    CHECK(z[0] == 254 && z[1] == 0);
    CHECK_FAILS(tess_host_sum_int(&i, &a), TESS_EDTYPE, "integers");
    CHECK_FAILS(tess_host_sum(NULL, &a), TESS_EARG, "out");
    CHECK_FAILS(tess_sum(&a, &a, 3, NULL), TESS_ERANGE, "axes is 0x3");
}
