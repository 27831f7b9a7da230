/* Scans (cumulative operations) on a GPU beside those on the CPU. */
#include <math.h>

#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/scan.h"

typedef tess_status scan_fn(tess_array *out, const tess_array *in, int axis, const tess_scan_opts *opts);

enum { SUM, PROD, MIN, MAX, N_FUNCTIONS };

static scan_fn *const    functions[N_FUNCTIONS] = { tess_cumsum, tess_cumprod, tess_cummin, tess_cummax };
static const char *const names[N_FUNCTIONS] = { "cumsum", "cumprod", "cummin", "cummax" };

/* Around 1, so that long products stay in range; floats may also be NaN, infinite or -0. */
static void fill(const tess_array *a, bool special)
{
    static const double numbers[] = { (double)NAN, (double)INFINITY, -0.0, -(double)NAN };
    tess_array          plain = { .data = NULL }, out = *a, part;
    const tess_kind     kind = tess_dtype_kind(a->dtype);
    const bool          floats = kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX;
    CHECK_OK(tess_empty(&plain, a->shape, TESS_F64, tess_cpu()));
    double *x = plain.data;
    for (int64_t i = 0; i < tess_n_elements(&plain); i++) {
        x[i] = floats ? 0.75 + 0.5 * test_random_unit() : (double)test_random_in(kind == TESS_KIND_INT ? -50 : 0, 50);
        if (special && floats && test_random() % 32 == 0) x[i] = numbers[test_random() % 4];
    }
    if (kind == TESS_KIND_COMPLEX) {
        CHECK_OK(tess_imag_view(&part, &out));
        CHECK_OK(tess_fill(&part, 0.25));
        CHECK_OK(tess_real_view(&part, &out));
        out = part;
    }
    CHECK_OK(tess_cast(&out, &plain, out.dtype, NULL));
    tess_release(&plain);
}

typedef struct trial {
    int            function, axis;
    tess_dtype     dtype;
    layout         kind;
    tess_shape     shape;
    tess_scan_opts opts;
    bool           special, in_place;
} trial;

static bool is_exact(const trial *t)
{
    return t->function == MIN || t->function == MAX || tess_dtype_kind(t->dtype) < TESS_KIND_FLOAT;
}

/* Sums are as good as rounded once; a product has one rounding for each factor. */
static double tolerance(const trial *t)
{
    const bool   wide = tess_dtype_real(t->dtype) == TESS_F64;
    const double n = t->function == PROD ? (double)t->shape.dim[t->axis] : 1;
    return (wide ? 0x1p-52 : 0x1p-23) + 4 * n * 0x1p-53;
}

static void run(const trial *t, tess_device device)
{
    char       text[200];
    guarded    host;
    tess_array gpu = { .data = NULL }, want = { .data = NULL }, got = { .data = NULL };
    (void)snprintf(text, sizeof text, "%s of %s %s {%d,%d,%d,%d} along %d%s%s%s", names[t->function],
                   tess_dtype_name(t->dtype), layout_names[t->kind], (int)t->shape.b, (int)t->shape.d, (int)t->shape.h,
                   (int)t->shape.w, t->axis, t->opts.exclusive ? " exclusive" : "", t->opts.reverse ? " reverse" : "",
                   t->in_place ? " in place" : "");
    if (!test_wants_case(text)) return;
    guarded_make(&host, t->kind, t->shape, t->dtype);
    fill(&host.view, t->special);
    bool good = test_mirror(&gpu, &host.view, device);
    good = good && CHECK_OK(functions[t->function](&want, &host.view, t->axis, &t->opts));
    if (t->in_place && good) {
        tess_array there = { .data = NULL };
        good = CHECK_OK(functions[t->function](&gpu, &gpu, t->axis, &t->opts)) &&
               CHECK_OK(tess_cast(&there, &want, t->dtype, NULL));
        tess_release(&want);
        want = there;
    } else if (good) {
        good = CHECK_OK(functions[t->function](&got, &gpu, t->axis, &t->opts));
    }
    const tess_array *result = t->in_place ? &gpu : &got;
    if (good) good = is_exact(t) ? test_same_bits(result, &want) : test_close(result, &want, tolerance(t));
    if (!good) (void)test_failed(__FILE__, __LINE__, "%s", text);
    tess_release(&gpu);
    tess_release(&want);
    tess_release(&got);
    guarded_free(&host);
}

static bool takes(int f, tess_dtype d) { return f < MIN || tess_dtype_kind(d) != TESS_KIND_COMPLEX; }

/* In place only where the result has the elements' dtype and f16 is not rounded twice. */
static bool goes_in_place(int f, tess_dtype d)
{
    return f >= MIN || d == TESS_F32 || d == TESS_F64 || d == TESS_C32 || d == TESS_C64 || d == TESS_I64;
}

static const int64_t shapes[][4] = { { 1, 1, 1, 1 },  { 1, 1, 1, 37 },   { 2, 3, 5, 16 }, { 1, 1, 300, 5 },
                                     { 1, 2, 20, 3 }, { 1, 1, 3, 1500 }, { 5, 2, 2, 7 },  { 40, 1, 1, 33 } };

/* Each kernel is compiled: in the simulated libraries few are tried. */
TEST(scans_of_every_layout)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 2000 : 40); i++) {
        const int64_t *shape = shapes[test_random_in(0, (int64_t)(sizeof shapes / sizeof shapes[0]) - 1)];
        trial          t = { .function = test_large() ? (int)test_random_in(0, N_FUNCTIONS - 1) : i % 2 * MAX,
                             .axis = (int)test_random_in(0, 3),
                             .dtype = test_large() ? (tess_dtype)test_random_in(TESS_BOOL, TESS_C64) : TESS_F32,
                             .kind = (layout)test_random_in(0, n_output_layouts - 1),
                             .shape = tess_shape_of(shape[0], shape[1], shape[2], shape[3]),
                             .opts = { .exclusive = test_random() % 4 == 0, .reverse = test_random() & 1 },
                             .special = test_random() % 4 == 0 };
        t.in_place = goes_in_place(t.function, t.dtype) && test_random() & 1;
        if (takes(t.function, t.dtype)) run(&t, device);
    }
}

TEST(every_scan)
{
    static const tess_dtype dtypes[] = { TESS_F64, TESS_F16, TESS_U8, TESS_C32, TESS_I64 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int f = 0; f < N_FUNCTIONS; f++)
        for (int k = 0; k < 5; k++) {
            if (!takes(f, dtypes[k]) || (!test_large() && (k + f) % 2)) continue;
            const trial t = { .function = f,
                              .axis = f % 2 ? 2 : 3,
                              .dtype = dtypes[k],
                              .kind = layout_contiguous,
                              .shape = TESS_SHAPE(2, 1, 50, 60),
                              .special = k < 2 };
            run(&t, device);
        }
}

/* Lines in parts. */
TEST(long_lines)
{
    tess_device   device;
    const int64_t factor = test_large() ? 1000 : 1;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < 4; i++) {
        const bool  across = i & 1;
        const trial t = { .function = i < 2 ? SUM : PROD,
                          .axis = across ? 2 : 3,
                          .dtype = i < 2 ? TESS_F32 : TESS_F64,
                          .kind = layout_contiguous,
                          .shape = across ? TESS_SHAPE(1, 1, 700 * factor, 3) : TESS_SHAPE(1, 1, 2, 9001 * factor),
                          .opts = { .exclusive = i == 0 } };
        run(&t, device);
    }
}

/* Tiles of more than one section, which come in any order: the same bits each time. */
TEST(the_same_bits_each_time)
{
    tess_device device;
    tess_array  gpu = { .data = NULL }, want = { .data = NULL }, got = { .data = NULL }, host = { .data = NULL };
    if (!test_gpu(&device)) return;
    const int64_t n = (test_large() ? 20000 : 60) * 4096 + 77;
    CHECK_OK(tess_empty(&host, TESS_SHAPE(1, 1, 1, n), TESS_F32, tess_cpu()));
    fill(&host, false);
    CHECK_OK(tess_to_device(&gpu, &host, device));
    CHECK_OK(tess_cumsum(&want, &gpu, 3, NULL));
    for (int i = 0; i < (test_large() ? 10 : 1); i++) {
        tess_release(&got);
        CHECK_OK(tess_cumsum(&got, &gpu, 3, NULL));
        CHECK(test_same_bits(&got, &want));
    }
    tess_release(&want);
    CHECK_OK(tess_cumsum(&want, &host, 3, NULL));
    CHECK(test_close(&got, &want, 0x1p-23 + 4 * 0x1p-53));
    tess_release(&gpu);
    tess_release(&want);
    tess_release(&got);
    tess_release(&host);
}

/* Products of some elements go beyond f64, those from the first on do not. */
TEST(products_within_range)
{
    tess_device device;
    tess_array  a = { .data = NULL }, gpu = { .data = NULL }, got = { .data = NULL }, want = { .data = NULL };
    if (!test_gpu(&device)) return;
    CHECK_OK(tess_full(&a, TESS_SHAPE(1, 1, 1, 64), TESS_F64, tess_cpu(), 1));
    double *x = a.data;
    x[0] = 0x1p-1060, x[7] = -0x1p900, x[8] = 0x1p900, x[40] = 0x1p-800;
    CHECK_OK(tess_to_device(&gpu, &a, device));
    CHECK_OK(tess_cumprod(&want, &a, 3, NULL));
    CHECK_OK(tess_cumprod(&got, &gpu, 3, NULL));
    CHECK(test_same_bits(&got, &want));
    tess_release(&a);
    tess_release(&gpu);
    tess_release(&got);
    tess_release(&want);
}
