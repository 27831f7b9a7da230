/* Reductions on a GPU beside those on the CPU. */
#include <math.h>
#include <stdlib.h>

#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/normalize.h"
#include "tessera/random.h"
#include "tessera/reduce.h"

/* ---- Arrays ---- */

typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

/* Small integers, so that there are equal elements and zeros; floats may also be NaN, infinite or -0. */
static void fill(const tess_array *a, bool special)
{
    static const double numbers[] = { (double)NAN, -(double)NAN, (double)INFINITY, -(double)INFINITY, -0.0, 0.0 };
    tess_array          plain = { .data = NULL }, out = *a;
    const tess_kind     kind = tess_dtype_kind(a->dtype);
    const bool          floats = kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX;
    CHECK_OK(tess_empty(&plain, a->shape, TESS_F64, tess_cpu()));
    double *x = plain.data;
    for (int64_t i = 0; i < tess_n_elements(&plain); i++) {
        x[i] = floats ? 4 * test_random_unit() - 2 : (double)test_random_in(kind == TESS_KIND_INT ? -100 : 0, 100);
        if (special && floats && test_random() % 16 == 0) x[i] = numbers[test_random() % 6];
        if (test_random() % 8 == 0) x[i] = (double)test_random_in(0, 2);
    }
    if (kind == TESS_KIND_COMPLEX) {
        tess_array part;
        CHECK_OK(tess_real_view(&part, &out));
        CHECK_OK(tess_cast(&part, &plain, part.dtype, NULL));
        for (int64_t i = 0; i < tess_n_elements(&plain); i++) x[i] = 2 * test_random_unit() - 1;
        CHECK_OK(tess_imag_view(&part, &out));
        CHECK_OK(tess_cast(&part, &plain, part.dtype, NULL));
    } else {
        CHECK_OK(tess_cast(&out, &plain, out.dtype, NULL));
    }
    tess_release(&plain);
}

static void make(pair *p, layout kind, tess_shape shape, tess_dtype dtype, tess_device device, bool special)
{
    guarded_make(&p->host, kind == layout_broadcast ? layout_contiguous : kind, shape, dtype);
    fill(&p->host.view, special);
    if (kind == layout_broadcast)
        for (int d = 0; d < 4; d++)
            if (test_random() & 1) p->host.view.strides.dim[d] = 0;
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

/* ---- Functions, all with one signature ---- */

typedef tess_status reduction_fn(tess_array out[2], const tess_array in[2], int axes, bool skip);

static tess_status do_sum(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_sum(&out[0], &in[0], axes, &(tess_sum_opts){ .skip_nan = skip });
}
static tess_status do_compensated(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_sum(&out[0], &in[0], axes, &(tess_sum_opts){ .skip_nan = skip, .compensated = 1 });
}
static tess_status do_mean(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_mean(&out[0], &in[0], axes, &(tess_sum_opts){ .skip_nan = skip });
}
static tess_status do_prod(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_prod(&out[0], &in[0], axes, &(tess_reduce_opts){ .skip_nan = skip });
}
static tess_status do_mean_var(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_mean_var(&out[0], &out[1], &in[0], axes, &(tess_var_opts){ .skip_nan = skip });
}
static tess_status do_std(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_std(&out[0], &in[0], axes, &(tess_var_opts){ .skip_nan = skip, .ddof = 1 });
}
static tess_status do_l2(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_norm(&out[0], &in[0], axes, &(tess_norm_opts){ .skip_nan = skip });
}
static tess_status do_l1(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_norm(&out[0], &in[0], axes, &(tess_norm_opts){ .order = TESS_NORM_L1, .skip_nan = skip });
}
static tess_status do_largest(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_norm(&out[0], &in[0], axes, &(tess_norm_opts){ .order = TESS_NORM_MAX, .skip_nan = skip });
}
static tess_status do_minmax(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_minmax(&out[0], &out[1], &in[0], axes, &(tess_reduce_opts){ .skip_nan = skip });
}
static tess_status do_argmin(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_argmin(&out[0], &in[0], axes, &(tess_argmin_opts){ .skip_nan = skip });
}
static tess_status do_argmax(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_argmax(&out[0], &in[0], axes, &(tess_argmin_opts){ .skip_nan = skip });
}
static tess_status do_last(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_argmax(&out[0], &in[0], axes, &(tess_argmin_opts){ .skip_nan = skip, .last = 1 });
}
static tess_status do_logsumexp(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_logsumexp(&out[0], &in[0], axes, &(tess_reduce_opts){ .skip_nan = skip });
}
static tess_status do_any_all(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    const tess_reduction items[2] = { { TESS_REDUCE_ANY, &out[0] }, { TESS_REDUCE_ALL, &out[1] } };
    return tess_reduce(items, 2, &in[0], axes, &(tess_var_opts){ .skip_nan = skip });
}
static tess_status do_count(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    (void)skip;
    return tess_count_nonzero(&out[0], &in[0], axes);
}
static tess_status do_dot(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_dot(&out[0], &in[0], &in[1], axes, &(tess_sum_opts){ .skip_nan = skip });
}
static tess_status do_dot_number(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    return tess_dot(&out[0], &tess_f64(0.75), &in[0], axes, &(tess_sum_opts){ .skip_nan = skip });
}
static tess_status do_rmsd(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    (void)skip;
    return tess_rmsd(&out[0], &in[0], &in[1], axes);
}
static tess_status do_weighted(tess_array out[2], const tess_array in[2], int axes, bool skip)
{
    (void)skip;
    return tess_weighted_mean(&out[0], &in[0], &in[1], axes);
}

enum { REAL = 1, TWO = 2, EXACT = 4, EXACT_INTEGERS = 8 };

static const struct {
    const char   *name;
    reduction_fn *call;
    int           kind;
} functions[] = {
    { "sum", do_sum, EXACT_INTEGERS },
    { "minmax", do_minmax, REAL | EXACT },
    { "mean_var", do_mean_var, 0 },
    { "argmax", do_argmax, REAL | EXACT },
    { "dot", do_dot, TWO | EXACT_INTEGERS },
    { "norm", do_l2, 0 },
    { "any_all", do_any_all, EXACT },
    { "mean", do_mean, 0 },
    { "compensated", do_compensated, EXACT_INTEGERS },
    { "prod", do_prod, EXACT_INTEGERS },
    { "std", do_std, 0 },
    { "l1", do_l1, 0 },
    { "largest", do_largest, EXACT },
    { "argmin", do_argmin, REAL | EXACT },
    { "argmax_last", do_last, REAL | EXACT },
    { "logsumexp", do_logsumexp, REAL },
    { "count_nonzero", do_count, EXACT },
    { "dot_number", do_dot_number, 0 },
    { "rmsd", do_rmsd, TWO },
    { "weighted_mean", do_weighted, TWO | REAL },
};

enum { N_FUNCTIONS = sizeof functions / sizeof functions[0] };

/* ---- One case ---- */

static bool is_complex(tess_dtype d) { return tess_dtype_kind(d) == TESS_KIND_COMPLEX; }

static bool is_integer(tess_dtype d) { return tess_dtype_kind(d) < TESS_KIND_FLOAT; }

static double tolerance(const tess_array *in, tess_dtype out)
{
    const double n = (double)tess_n_elements(in), unit = tess_dtype_real(out) == TESS_F64 ? 0x1p-53 : 0x1p-24;
    return 16 * unit + 16 * 0x1p-53 * n;
}

static bool compare(const tess_array *got, const tess_array *want, bool exact, double bound)
{
    return exact ? test_same_bits(got, want) : test_close(got, want, bound);
}

typedef struct trial {
    int        function;
    tess_dtype dtype;
    layout     kind;
    tess_shape shape;
    int        axes;
    bool       skip, special;
} trial;

static void run(const trial *t, tess_device device)
{
    char       text[200];
    const int  kind = functions[t->function].kind;
    const bool exact = kind & EXACT || (kind & EXACT_INTEGERS && is_integer(t->dtype));
    pair       in[2];
    tess_array want[2] = { { .data = NULL }, { .data = NULL } }, got[2] = { { .data = NULL }, { .data = NULL } };
    (void)snprintf(text, sizeof text, "%s of %s %s {%d,%d,%d,%d} over %d%s", functions[t->function].name,
                   tess_dtype_name(t->dtype), layout_names[t->kind], (int)t->shape.b, (int)t->shape.d, (int)t->shape.h,
                   (int)t->shape.w, t->axes, t->skip ? " without NaN" : "");
    if (!test_wants_case(text)) return;
    /* Infinite complex numbers multiplied in another order may give NaN. */
    const bool special = t->special && !(functions[t->function].call == do_prod && is_complex(t->dtype));
    for (int k = 0; k < 2; k++) make(&in[k], t->kind, t->shape, t->dtype, device, special);
    const tess_array host[2] = { in[0].host.view, in[1].host.view }, gpu[2] = { in[0].gpu, in[1].gpu };
    bool             good = CHECK_OK(functions[t->function].call(want, host, t->axes, t->skip)) &&
                CHECK_OK(functions[t->function].call(got, gpu, t->axes, t->skip));
    /* Which of 0 and -0 is the larger one depends on the order in which they are met. */
    for (int k = 0; k < 2 && good; k++)
        if (want[k].data && tess_dtype_kind(want[k].dtype) == TESS_KIND_FLOAT)
            good = CHECK_OK(tess_add(&want[k], &want[k], &tess_num(0))) &&
                   CHECK_OK(tess_add(&got[k], &got[k], &tess_num(0)));
    for (int k = 0; k < 2 && good; k++)
        if (want[k].data) good = compare(&got[k], &want[k], exact, tolerance(&host[0], want[k].dtype));
    if (!good) (void)test_failed(__FILE__, __LINE__, "%s", text);
    for (int k = 0; k < 2; k++) tess_release(&want[k]), tess_release(&got[k]), drop(&in[k]);
}

static const int64_t shapes[][4] = { { 1, 1, 1, 1 },  { 1, 1, 1, 37 },  { 2, 3, 5, 16 },
                                     { 1, 1, 40, 8 }, { 3, 1, 70, 3 },  { 1, 4, 6, 64 },
                                     { 5, 2, 2, 7 },  { 1, 1, 3, 700 }, { 40, 1, 1, 33 } };

enum { N_SHAPES = sizeof shapes / sizeof shapes[0] };

static const tess_dtype common[] = { TESS_F32, TESS_F64, TESS_C32, TESS_I16, TESS_F16, TESS_U8 };

static bool takes(int f, tess_dtype d) { return !(functions[f].kind & REAL && is_complex(d)); }

/* Each kernel is compiled: in the simulated libraries few are tried. */
TEST(reductions_of_every_layout)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    const int n = test_large() ? 600 : test_fewer(24); /* most of them a kernel of its own to compile */
    for (int i = 0; i < n; i++) {
        const int64_t *shape = shapes[test_random_in(0, N_SHAPES - 1)];
        const trial    t = { .function = test_large() ? (int)test_random_in(0, N_FUNCTIONS - 1) : i % 2,
                             .dtype = test_large() ? (tess_dtype)test_random_in(TESS_BOOL, TESS_C64) : TESS_F32,
                             .kind = (layout)test_random_in(0, n_layouts - 1),
                             .shape = tess_shape_of(shape[0], shape[1], shape[2], shape[3]),
                             .axes = TESS_B * (int)test_random_in(1, 15),
                             .skip = test_large() && test_random() % 4 == 0,
                             .special = test_random() % 4 == 0 };
        if (takes(t.function, t.dtype)) run(&t, device);
    }
}

TEST(every_reduction)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int f = 0; f < N_FUNCTIONS; f++)
        for (int k = 0; k < (test_large() ? 6 : 1); k++) {
            const tess_dtype dtype = test_large() ? common[k] : common[f % 6];
            const bool       skip = f % 2 == 0, rows = f % 3 == 0;
            const trial      t = { .function = f,
                                   .dtype = takes(f, dtype) ? dtype : TESS_F32,
                                   .kind = layout_contiguous,
                                   .shape = rows ? TESS_SHAPE(1, 3, 10, 20) : TESS_SHAPE(1, 2, 30, 16),
                                   .axes = rows ? TESS_H | TESS_W : TESS_H,
                                   .skip = skip,
                                   .special = skip };
            run(&t, device);
        }
}

/* Parts of results, which several blocks make. */
TEST(large_reductions)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    const int64_t factor = test_large() ? 100 : 1;
    const struct {
        tess_shape shape;
        int        axes, function;
        tess_dtype dtype;
    } cases[] = { { TESS_SHAPE(1, 1, 1, 20001 * factor), 0, 0, TESS_F32 },
                  { TESS_SHAPE(1, 1, 3, 12000 * factor), TESS_W, 0, TESS_F32 },
                  { TESS_SHAPE(1, 1, 6000 * factor, 3), TESS_H, 0, TESS_F32 },
                  { TESS_SHAPE(1, 1, 3000 * factor, 8), TESS_H, 2, TESS_F32 },
                  { TESS_SHAPE(1, 1, 1, 40001 * factor), 0, 3, TESS_U8 },
                  { TESS_SHAPE(1, 1, 1, 30001 * factor), 0, 2, TESS_F64 } };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const trial t = { .function = cases[i].function,
                          .dtype = cases[i].dtype,
                          .kind = layout_contiguous,
                          .shape = cases[i].shape,
                          .axes = cases[i].axes };
        run(&t, device);
    }
}

/* ---- Numbers on the host, results of nothing, mistakes ---- */

TEST(numbers_on_the_host)
{
    tess_device device;
    pair        a;
    double      x[2], y[2], mean[2], std[2];
    int64_t     position[2][4], flat[2];
    bool        any[2];
    if (!test_gpu(&device)) return;
    make(&a, layout_permuted, TESS_SHAPE(2, 3, 4, 5), TESS_F32, device, false);
    const tess_array *in[2] = { &a.host.view, &a.gpu };
    for (int k = 0; k < 2; k++) {
        CHECK_OK(tess_host_sum(&x[k], in[k]));
        CHECK_OK(tess_host_max(&y[k], in[k]));
        CHECK_OK(tess_host_mean_std(&mean[k], &std[k], in[k], NULL));
        CHECK_OK(tess_host_argmin(position[k], &flat[k], in[k]));
        CHECK_OK(tess_host_any(&any[k], in[k]));
    }
    CHECK(fabs(x[0] - x[1]) < 1e-12 && fabs(mean[0] - mean[1]) < 1e-14 && fabs(std[0] - std[1]) < 1e-14);
    CHECK(y[0] == y[1] && any[0] == any[1] && flat[0] == flat[1]);
    CHECK(memcmp(position[0], position[1], sizeof position[0]) == 0);
    drop(&a);
}

TEST(whole_numbers_on_the_host)
{
    tess_device device;
    tess_array  a = { .data = NULL };
    double      low = 0, high = 0, sum = 0;
    uint64_t    most = 0;
    int64_t     least = 0;
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 3, 4), TESS_U64, device, 1));
    CHECK_OK(tess_set_f64(&a, 0, 0, 2, 3, 0x1p63));
    CHECK_OK(tess_host_max_uint(&most, &a));
    CHECK(most == (uint64_t)1 << 63);
    CHECK_OK(tess_host_min_int(&least, &a));
    CHECK(least == 1);
    CHECK_FAILS(tess_host_sum_int(&least, &a), TESS_ERANGE, "host_sum_int: the result is 9223372036854775819",
                "tess_host_sum_uint");
    tess_release(&a);
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 3, 4), TESS_F32, device, 2));
    CHECK_OK(tess_set_f64(&a, 0, 0, 1, 1, (double)NAN));
    CHECK_OK(tess_host_nansum(&sum, &a));
    CHECK_OK(tess_host_nanminmax(&low, &high, &a));
    CHECK(sum == 22 && low == 2 && high == 2);
    CHECK_OK(tess_host_minmax(&low, &high, &a));
    CHECK(isnan(low) && isnan(high));
    tess_release(&a);
}

TEST(sums_of_nothing)
{
    tess_device device;
    tess_array  none = { .data = NULL }, out = { .data = NULL }, host;
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_empty(&none, TESS_SHAPE(1, 0, 1, 3), TESS_F32, device));
    CHECK_OK(tess_sum(&out, &none, TESS_D, NULL));
    CHECK_DIMS(out.shape, 1, 1, 1, 3);
    if (test_fetch(&host, &out)) {
        for (int i = 0; i < 3; i++) CHECK(((const float *)host.data)[i] == 0);
        tess_release(&host);
    }
    CHECK_FAILS(tess_max(&out, &none, TESS_D, NULL), TESS_ESHAPE, "no elements");
    tess_release(&out);
    tess_release(&none);
}

TEST(arrays_on_two_devices_are_refused)
{
    tess_device device;
    tess_array  a = { .data = NULL }, b = { .data = NULL }, out = { .data = NULL };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_ones(&a, TESS_SHAPE(1, 1, 1, 4), TESS_F32, tess_cpu()));
    CHECK_OK(tess_to_device(&b, &a, device));
    CHECK_FAILS(tess_dot(&out, &a, &b, 0, NULL), TESS_EDEVICE, "cpu", "gpu:0");
    CHECK_OK(tess_sum(&out, &a, 0, NULL));
    CHECK_FAILS(tess_sum(&out, &b, 0, NULL), TESS_EDEVICE, "cpu", "gpu:0");
    tess_release(&a);
    tess_release(&b);
    tess_release(&out);
}

/* A mean that comes with a variance is the mean. */
TEST(means_are_the_same)
{
    tess_device device;
    pair        a;
    if (!test_gpu(&device)) return;
    make(&a, layout_contiguous, TESS_SHAPE(1, 1, 50, 24), TESS_F64, device, false);
    for (int axes = TESS_H; axes <= TESS_W; axes += TESS_W - TESS_H) {
        tess_array mean = { .data = NULL }, both = { .data = NULL }, var = { .data = NULL };
        CHECK_OK(tess_mean(&mean, &a.gpu, axes, NULL));
        CHECK_OK(tess_mean_var(&both, &var, &a.gpu, axes, NULL));
        CHECK(test_same_bits(&both, &mean));
        tess_release(&mean);
        tess_release(&both);
        tess_release(&var);
    }
    drop(&a);
}

/* Squares leave the range of f64, their roots do not. */
TEST(variances_of_large_and_small_numbers)
{
    static const double scales[] = { 0x1p664, 0x1p-664, 0x1p531, 0x1p-531, 1 };
    tess_device         device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < 10; i++) {
        tess_array   got[2] = { { .data = NULL } }, want[2] = { { .data = NULL } };
        const double scale = scales[i / 2];
        const int    axes = i % 4 < 2 ? TESS_H : TESS_W;
        pair         a;
        make(&a, layout_contiguous, TESS_SHAPE(1, 1, 50, 24), i % 2 ? TESS_C64 : TESS_F64, device, false);
        CHECK_OK(tess_std(&want[0], &a.host.view, axes, NULL));
        CHECK_OK(tess_rmsd(&want[1], &a.host.view, &tess_f64(0), axes));
        CHECK_OK(tess_mul(&a.gpu, &a.gpu, &tess_f64(scale)));
        CHECK_OK(tess_std(&got[0], &a.gpu, axes, NULL));
        CHECK_OK(tess_rmsd(&got[1], &a.gpu, &tess_f64(0), axes));
        for (int k = 0; k < 2; k++) {
            CHECK_OK(tess_true_div(&got[k], &got[k], &tess_f64(scale)));
            CHECK(test_close(&got[k], &want[k], 1e-14));
            tess_release(&got[k]);
            tess_release(&want[k]);
        }
        drop(&a);
    }
}

TEST(several_at_once)
{
    static const int kinds[] = { TESS_REDUCE_SUM,  TESS_REDUCE_PROD,   TESS_REDUCE_MEAN, TESS_REDUCE_STD,
                                 TESS_REDUCE_NORM, TESS_REDUCE_ARGMIN, TESS_REDUCE_MAX,  TESS_REDUCE_COUNT_NONZERO };
    enum { N = sizeof kinds / sizeof kinds[0] };
    tess_device device;
    pair        a;
    if (!test_gpu(&device)) return;
    make(&a, layout_contiguous, TESS_SHAPE(1, 2, 40, 12), TESS_F32, device, false);
    for (int axes = TESS_H; axes <= TESS_W; axes += TESS_W - TESS_H) {
        tess_array     out[2][N];
        tess_reduction items[2][N];
        memset(out, 0, sizeof out);
        for (int i = 0; i < 2 * N; i++)
            items[i / N][i % N] = (tess_reduction){ .kind = kinds[i % N], .out = &out[i / N][i % N] };
        CHECK_OK(tess_reduce(items[0], N, &a.host.view, axes, NULL));
        CHECK_OK(tess_reduce(items[1], N, &a.gpu, axes, NULL));
        for (int i = 0; i < N; i++) CHECK(compare(&out[1][i], &out[0][i], is_integer(out[0][i].dtype), 4e-6));
        for (int i = 0; i < 2 * N; i++) tess_release(&out[i / N][i % N]);
    }
    drop(&a);
}

/* Indices beyond 32 bits: bytes, all 0 but for one at the end. */
TEST(more_than_2_to_31_elements)
{
    const int64_t n = (INT64_C(1) << 31) + 16;
    gpu_controls  controls;
    tess_device   device;
    tess_array    a = { .data = NULL }, rows, last, out = { .data = NULL };
    int64_t       sum = 0, position[4], flat = 0;
    if (!test_gpu(&device)) return;
    if (!test_large() || gpu_simulated(&controls)) {
        test_skip("it takes 7 GB on a GPU, and TESS_TEST_LARGE=1");
        return;
    }
    CHECK_OK(tess_zeros(&a, TESS_SHAPE(1, 1, 1, 2 * n), TESS_U8, device));
    CHECK_OK(tess_slice(&last, &a, 3, 2 * n - 3, 2 * n - 2, 1));
    CHECK_OK(tess_fill(&last, 7));
    CHECK_OK(tess_host_sum_int(&sum, &a));
    CHECK_OK(tess_host_argmax(position, &flat, &a));
    CHECK(sum == 7 && flat == 2 * n - 3);
    CHECK_OK(tess_reshape(&rows, &a, TESS_SHAPE(1, 1, 2, n)));
    CHECK_OK(tess_empty(&out, TESS_SHAPE(1, 1, 1, n), TESS_U8, device));
    CHECK_OK(tess_max(&out, &rows, TESS_H, NULL));
    CHECK_OK(tess_host_argmax(position, &flat, &out));
    CHECK(flat == n - 3);
    CHECK_OK(tess_cummax(&a, &a, 3, NULL));
    CHECK_OK(tess_host_sum_int(&sum, &a));
    CHECK(sum == 3 * 7);
    tess_release(&a);
    tess_release(&out);
}

TEST(normalized_arrays)
{
    static const int modes[] = { TESS_NORMALIZE_MEAN_STD, TESS_NORMALIZE_MIN_MAX, TESS_NORMALIZE_SUM, TESS_NORMALIZE_L2,
                                 TESS_NORMALIZE_MEAN_L2 };
    tess_device      device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 10 : 1); i++) {
        tess_array                want = { .data = NULL }, got = { .data = NULL };
        const tess_normalize_opts opts = { .mode = modes[i % 5] };
        pair                      a;
        if (i == 6) continue; /* complex numbers have no range */
        make(&a, layout_contiguous, TESS_SHAPE(3, 1, 5, 7), i < 5 ? TESS_F32 : TESS_C32, device, false);
        CHECK_OK(tess_normalize(&want, &a.host.view, TESS_H | TESS_W, &opts));
        CHECK_OK(tess_normalize(&got, &a.gpu, TESS_H | TESS_W, &opts));
        CHECK(test_close(&got, &want, 1e-6));
        tess_release(&want);
        tess_release(&got);
        drop(&a);
    }
}

TEST(normalized_logarithms)
{
    tess_device device;
    tess_array  want = { .data = NULL }, got = { .data = NULL };
    pair        a;
    if (!test_gpu(&device)) return;
    make(&a, layout_contiguous, TESS_SHAPE(3, 1, 5, 7), TESS_F64, device, false);
    CHECK_OK(tess_log_normalize(&want, &a.host.view, TESS_W));
    CHECK_OK(tess_log_normalize(&got, &a.gpu, TESS_W));
    CHECK(test_close(&got, &want, 1e-14));
    tess_release(&want);
    tess_release(&got);
    drop(&a);
}
