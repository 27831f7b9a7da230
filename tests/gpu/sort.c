/* Sorting, quantiles, searching, histograms, masks, and gather and scatter by indices on a GPU beside the CPU, bit
 * by bit. */
#include <math.h>

#include "core/dtype.h"
#include "support/gpu.h"
#include "support/layouts.h"

/* ---- Arrays ---- */

static void set_element(unsigned char *to, tess_dtype dtype, double x, uint64_t bits)
{
    const float    single = (float)x;
    const tess_f16 half = tess_f32_to_f16(single);
    switch (dtype) {
    case TESS_F64: memcpy(to, &x, sizeof x); break;
    case TESS_F32: memcpy(to, &single, sizeof single); break;
    case TESS_F16: memcpy(to, &half, sizeof half); break;
    default: memcpy(to, &bits, (size_t)tess__dtype_size(dtype)); break;
    }
}

/* Numbers with many equal ones, zeros of both signs, infinities and, one in so many, NaNs. */
typedef struct filling {
    const tess_array *array;
    int64_t           nans; /* 0: none */
} filling;

static void set_any(void *context, const int64_t position[4])
{
    const filling   *f = context;
    const tess_dtype real = tess_dtype_real(f->array->dtype);
    const int64_t    size = tess__dtype_size(real), n = tess__dtype_size(f->array->dtype) / size;
    for (int64_t i = 0; i < n; i++) {
        const int64_t which = test_random_in(0, 19);
        double        x = which < 8 ? (double)test_random_in(-3, 3) : (test_random_unit() - 0.5) * 100;
        if (which == 8) x = -0.0;
        if (which == 9) x = test_random() & 1 ? (double)INFINITY : (double)-INFINITY;
        if (f->nans && test_random_in(1, f->nans) == 1) x = test_random() & 1 ? (double)NAN : -(double)NAN;
        const uint64_t bits = real == TESS_BOOL ? test_random() & 1 : test_random() >> (which < 10 ? 62 : 0);
        set_element(element_at(f->array, position) + i * size, real, x, bits);
    }
}

/* An array of the CPU in some layout, and the same on the GPU. */
typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static void make(pair *p, layout kind, tess_shape shape, tess_dtype dtype, int64_t nans)
{
    guarded_make(&p->host, kind, shape, dtype);
    filling f = { &p->host.view, nans };
    each_index(shape, set_any, &f);
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, tess_gpu(0));
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

/* Few of them as a rule, since each has kernels of its own, which take their time to be made. */
static layout any_layout(int n)
{
    if (test_random() & 1) return layout_contiguous;
    return test_large() ? (layout)test_random_in(0, n - 1) : layout_permuted;
}

static int64_t any_size(int64_t most) { return test_random_in(test_large() ? 1 : 2, most); }

static const tess_dtype reals[] = { TESS_F32, TESS_F64, TESS_F16, TESS_I32, TESS_U8,  TESS_BOOL,
                                    TESS_I64, TESS_U16, TESS_I8,  TESS_I16, TESS_U32, TESS_U64 };
enum { REALS = sizeof reals / sizeof reals[0] };

static tess_dtype any_real(void) { return reals[test_large() ? test_random_in(0, REALS - 1) : 0]; }

/* Two arrays are the same; both are released. */
static bool same(tess_array *gpu, tess_array *host, const char *what)
{
    const bool good = test_same_bits(gpu, host);
    if (!good) (void)test_failed(__FILE__, __LINE__, "in %s", what);
    tess_release(gpu);
    tess_release(host);
    return good;
}

/* ---- Sorting ---- */

static const char *line_text(const char *what, const tess_array *in, int axis)
{
    static char text[128];
    (void)snprintf(text, sizeof text, "%s of %s {%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "} along %d", what,
                   tess_dtype_name(in->dtype), in->shape.b, in->shape.d, in->shape.h, in->shape.w, axis);
    return text;
}

static void check_sorts(const pair *in, int axis)
{
    const int64_t        n = in->gpu.shape.dim[axis], k = test_random_in(1, n);
    const tess_sort_opts order = { .descending = (int32_t)(test_random() & 1) };
    const tess_topk_opts least = { .smallest = order.descending };
    tess_array           gpu[2] = { { .data = NULL } }, host[2] = { { .data = NULL } };
    CHECK_OK(tess_sort(&gpu[0], &in->gpu, axis, &order));
    CHECK_OK(tess_sort(&host[0], &in->host.view, axis, &order));
    (void)same(&gpu[0], &host[0], line_text("sort", &in->gpu, axis));
    CHECK_OK(tess_argsort(&gpu[0], &in->gpu, axis, &order));
    CHECK_OK(tess_argsort(&host[0], &in->host.view, axis, &order));
    (void)same(&gpu[0], &host[0], line_text("argsort", &in->gpu, axis));
    CHECK_OK(tess_partition(&gpu[0], &in->gpu, k - 1, axis));
    CHECK_OK(tess_partition(&host[0], &in->host.view, k - 1, axis));
    (void)same(&gpu[0], &host[0], line_text("partition", &in->gpu, axis));
    CHECK_OK(tess_topk(&gpu[0], &gpu[1], &in->gpu, k, axis, &least));
    CHECK_OK(tess_topk(&host[0], &host[1], &in->host.view, k, axis, &least));
    (void)same(&gpu[0], &host[0], line_text("topk", &in->gpu, axis));
    (void)same(&gpu[1], &host[1], line_text("indices of topk", &in->gpu, axis));
}

static void sort_some(tess_shape shape, int axis, tess_dtype dtype)
{
    pair in;
    make(&in, any_layout(n_layouts), shape, dtype, test_random() & 1 ? 5 : 0);
    check_sorts(&in, axis);
    drop(&in);
}

TEST(sorts_of_short_lines_are_those_of_the_cpu)
{
    static const int64_t sizes[] = { 1, 7, 32, 33, 256, 1000, 4096, 2, 3, 8, 31, 64, 100, 257, 700, 1500 };
    tess_device          device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 16 : 7); i++) {
        const int  axis = (int)test_random_in(0, 3);
        tess_shape shape = TESS_SHAPE(any_size(2), any_size(3), 2, 1);
        shape.dim[axis] = sizes[i];
        sort_some(shape, axis, any_real());
    }
    sort_some(TESS_SHAPE(1, 1, 4, 19), 3, TESS_F64);
    sort_some(TESS_SHAPE(1, 1, 2, 60), 3, TESS_I16);
    sort_some(TESS_SHAPE(1, 1, 2, 20), 3, TESS_BOOL);
}

TEST(sorts_of_long_lines_are_those_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    sort_some(TESS_SHAPE(1, 2, 1, 20000), 3, TESS_F32);
    sort_some(TESS_SHAPE(4097, 1, 1, 3), 0, TESS_F32);
    if (!test_large()) return;
    for (int i = 0; i < REALS; i++) {
        sort_some(TESS_SHAPE(2, 1, 1, 300000), 3, reals[i]);
        sort_some(TESS_SHAPE(1, 4500, 3, 1), 1, reals[i]);
    }
}

TEST(sorts_go_where_they_are_told)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < 4; i++) {
        if ((i == 1 || i == 2) && !test_large() && !test_takes_case()) continue;
        const tess_shape shape = TESS_SHAPE(2, 1, 3, i < 2 ? 40 : 4500);
        pair             in, out, indices;
        make(&in, layout_permuted, shape, i & 1 ? TESS_U8 : TESS_F32, 0);
        make(&out, any_layout(n_output_layouts), shape, i & 1 ? TESS_I16 : TESS_F64, 0);
        make(&indices, any_layout(n_output_layouts), shape, TESS_U16, 0);
        CHECK_OK(tess_sort(&out.gpu, &in.gpu, 3, NULL));
        CHECK_OK(tess_sort(&out.host.view, &in.host.view, 3, NULL));
        CHECK(test_same_bits(&out.gpu, &out.host.view));
        CHECK_OK(tess_argsort(&indices.gpu, &in.gpu, 3, NULL));
        CHECK_OK(tess_argsort(&indices.host.view, &in.host.view, 3, NULL));
        CHECK(test_same_bits(&indices.gpu, &indices.host.view));
        CHECK_OK(tess_partition(&in.gpu, &in.gpu, 11, 3)); /* in place */
        CHECK_OK(tess_partition(&in.host.view, &in.host.view, 11, 3));
        CHECK(test_same_bits(&in.gpu, &in.host.view));
        CHECK_OK(tess_sort(&in.gpu, &in.gpu, 3, NULL));
        CHECK_OK(tess_sort(&in.host.view, &in.host.view, 3, NULL));
        CHECK(test_same_bits(&in.gpu, &in.host.view));
        drop(&in);
        drop(&out);
        drop(&indices);
    }
}

/* ---- Quantiles ---- */

static void check_quantiles(const pair *in, int axes)
{
    const double             q[5] = { 0, 0.25, test_random_unit(), 0.5, 1 };
    const tess_quantile_opts opts = { .method = (int32_t)test_random_in(0, TESS_QUANTILE_NORMAL_UNBIASED),
                                      .skip_nan = (int32_t)(test_random() & 1) };
    tess_array               gpu = { .data = NULL }, host = { .data = NULL };
    CHECK_OK(tess_quantiles(&gpu, &in->gpu, q, 5, axes, &opts));
    CHECK_OK(tess_quantiles(&host, &in->host.view, q, 5, axes, &opts));
    (void)same(&gpu, &host, line_text("quantiles", &in->gpu, axes));
    CHECK_OK(tess_quantile(&gpu, &in->gpu, q[2], axes, &opts));
    CHECK_OK(tess_quantile(&host, &in->host.view, q[2], axes, &opts));
    (void)same(&gpu, &host, line_text("quantile", &in->gpu, axes));
    CHECK_OK(tess_median(&gpu, &in->gpu, axes, NULL));
    CHECK_OK(tess_median(&host, &in->host.view, axes, NULL));
    (void)same(&gpu, &host, line_text("median", &in->gpu, axes));
}

TEST(quantiles_are_those_of_the_cpu)
{
    static const int axes[] = { TESS_W, TESS_B, TESS_H | TESS_W, TESS_B | TESS_H, TESS_D | TESS_W, 0 };
    tess_device      device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 60 : 6); i++) {
        const tess_shape shape = TESS_SHAPE(any_size(3), any_size(4), any_size(40), any_size(i % 6 == 5 ? 60 : 30));
        pair             in;
        make(&in, any_layout(n_layouts), shape, any_real(), i & 1 ? 30 : 0);
        check_quantiles(&in, axes[i % 6]);
        drop(&in);
    }
    pair whole;
    make(&whole, layout_contiguous, TESS_SHAPE(1, 1, 90, 101), TESS_F32, 0);
    check_quantiles(&whole, 0);
    double gpu = 0, host = 0;
    CHECK_OK(tess_host_median(&gpu, &whole.gpu));
    CHECK_OK(tess_host_median(&host, &whole.host.view));
    CHECK(gpu == host);
    drop(&whole);
}

/* ---- Searching ---- */

TEST(indices_in_sorted_rows_are_those_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 40 : 4); i++) {
        const tess_searchsorted_opts opts = { .right = i & 1 };
        const tess_shape             shape = TESS_SHAPE(2, 1, any_size(5), any_size(200));
        pair                         sorted, values;
        tess_array                   gpu = { .data = NULL }, host = { .data = NULL };
        make(&sorted, layout_contiguous, TESS_SHAPE(i & 2 ? 2 : 1, 1, i & 1 ? shape.h : 1, 77), any_real(), 9);
        CHECK_OK(tess_sort(&sorted.host.view, &sorted.host.view, 3, NULL));
        tess_release(&sorted.gpu);
        (void)test_mirror(&sorted.gpu, &sorted.host.view, device);
        make(&values, any_layout(n_layouts), shape, any_real(), 9);
        CHECK_OK(tess_searchsorted(&gpu, &sorted.gpu, &values.gpu, &opts));
        CHECK_OK(tess_searchsorted(&host, &sorted.host.view, &values.host.view, &opts));
        (void)same(&gpu, &host, "searchsorted");
        if (sorted.gpu.shape.b * sorted.gpu.shape.h == 1) {
            CHECK_OK(tess_searchsorted(&gpu, &sorted.gpu, &tess_num(2.5), &opts));
            CHECK_OK(tess_searchsorted(&host, &sorted.host.view, &tess_num(2.5), &opts));
            (void)same(&gpu, &host, "searchsorted of a number");
        }
        drop(&sorted);
        drop(&values);
    }
}

static void check_unique(const pair *in, unsigned wanted)
{
    tess_array gpu[4] = { { .data = NULL } }, host[4] = { { .data = NULL } }, *g[4], *h[4];
    for (int k = 0; k < 4; k++) {
        g[k] = wanted >> k & 1 ? &gpu[k] : NULL;
        h[k] = wanted >> k & 1 ? &host[k] : NULL;
    }
    CHECK_OK(tess_unique(g[0], g[1], g[2], g[3], &in->gpu));
    CHECK_OK(tess_unique(h[0], h[1], h[2], h[3], &in->host.view));
    for (int k = 0; k < 4; k++)
        if (g[k]) (void)same(g[k], h[k], line_text("unique", &in->gpu, k));
}

TEST(different_elements_are_those_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 40 : 3); i++) {
        const tess_shape shape = TESS_SHAPE(1, any_size(3), any_size(20), i % 3 ? 30 : 300);
        pair             in;
        make(&in, any_layout(n_layouts), shape, any_real(), 20);
        check_unique(&in, 15);
        check_unique(&in, (unsigned)test_random_in(1, 14));
        drop(&in);
    }
}

/* ---- Histograms ---- */

static void check_histogram(const pair *in, int64_t bins, int axes, const tess_histogram_opts *gpu_opts,
                            const tess_histogram_opts *host_opts)
{
    tess_array gpu = { .data = NULL }, host = { .data = NULL };
    CHECK_OK(tess_histogram(&gpu, &in->gpu, bins, axes, gpu_opts));
    CHECK_OK(tess_histogram(&host, &in->host.view, bins, axes, host_opts));
    if (gpu_opts->density) {
        CHECK(test_close(&gpu, &host, 1e-14));
        tess_release(&gpu);
        tess_release(&host);
        return;
    }
    (void)same(&gpu, &host, line_text("histogram", &in->gpu, axes));
}

static void check_histograms(const pair *in, int axes)
{
    pair                weights, edges;
    const int64_t       bins = test_random_in(1, 2) == 1 ? test_random_in(1, 40) : 9000;
    tess_histogram_opts gpu = { .low = -20, .high = 30.5 }, host = gpu;
    make(&weights, any_layout(n_layouts), in->gpu.shape, TESS_F64, 0);
    make(&edges, layout_stepped, TESS_SHAPE(1, 1, 1, 11), TESS_F64, 0);
    for (int64_t i = 0; i <= 10; i++) CHECK_OK(tess_set_f64(&edges.host.view, 0, 0, 0, i, (double)(i * i) / 4 - 9));
    tess_release(&edges.gpu);
    (void)test_mirror(&edges.gpu, &edges.host.view, tess_gpu(0));
    check_histogram(in, bins, axes, &gpu, &host);
    gpu.density = host.density = 1;
    check_histogram(in, bins, axes, &gpu, &host);
    gpu = host = (tess_histogram_opts){ .density = 0 };
    gpu.edges = &edges.gpu, host.edges = &edges.host.view;
    check_histogram(in, 10, axes, &gpu, &host);
    gpu.weights = &weights.gpu, host.weights = &weights.host.view;
    check_histogram(in, 10, axes, &gpu, &host);
    drop(&weights);
    drop(&edges);
}

/* More than the driver takes at once from memory that is freed behind the call. */
TEST(many_quantiles_are_those_of_the_cpu)
{
    enum { N = 9000 };
    static double q[N];
    tess_device   device;
    if (!test_gpu(&device)) return;
    tess_array x = { .data = NULL }, there = { .data = NULL }, want = { .data = NULL }, got = { .data = NULL };
    for (int i = 0; i < N; i++) q[i] = i / (double)N;
    CHECK_OK(tess_arange(&x, TESS_SHAPE(1, 1, 1, 50), TESS_F32, tess_cpu(), 0, 3));
    CHECK_OK(tess_to_device(&there, &x, device));
    CHECK_OK(tess_quantiles(&want, &x, q, N, 0, NULL));
    CHECK_OK(tess_quantiles(&got, &there, q, N, 0, NULL));
    CHECK(test_same_bits(&got, &want));
    tess_release(&x);
    tess_release(&there);
    tess_release(&want);
    tess_release(&got);
}

TEST(histograms_are_those_of_the_cpu)
{
    static const int axes[] = { 0, TESS_W, TESS_B | TESS_H, TESS_H | TESS_W };
    tess_device      device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 40 : 3); i++) {
        const tess_shape shape = TESS_SHAPE(any_size(3), 1, any_size(60), any_size(90));
        pair             in;
        make(&in, any_layout(n_layouts), shape, test_large() ? any_real() : TESS_F32, i & 1 ? 30 : 0);
        check_histograms(&in, axes[i % 4]);
        drop(&in);
    }
    tess_array          out = { .data = NULL };
    pair                in, edges;
    tess_histogram_opts opts = { .edges = &edges.gpu };
    make(&in, layout_contiguous, TESS_SHAPE(1, 1, 1, 5), TESS_F32, 0);
    make(&edges, layout_contiguous, TESS_SHAPE(1, 1, 1, 3), TESS_F64, 0);
    for (int64_t i = 0; i < 3; i++) CHECK_OK(tess_set_f64(&edges.host.view, 0, 0, 0, i, (double)(i == 1 ? 5 : i)));
    tess_release(&edges.gpu);
    (void)test_mirror(&edges.gpu, &edges.host.view, device);
    CHECK_FAILS(tess_histogram(&out, &in.gpu, 2, 0, &opts), TESS_ERANGE, "opts->edges[2] is 2 after 5");
    CHECK_OK(tess_set_f64(&edges.host.view, 0, 0, 0, 0, -(double)INFINITY));
    CHECK_OK(tess_set_f64(&edges.host.view, 0, 0, 0, 1, 1));
    CHECK_OK(tess_set_f64(&edges.host.view, 0, 0, 0, 2, (double)INFINITY));
    CHECK_OK(tess_set_f64(&in.host.view, 0, 0, 0, 3, (double)INFINITY));
    CHECK_OK(tess_set_f64(&in.host.view, 0, 0, 0, 4, -(double)INFINITY));
    tess_release(&edges.gpu);
    tess_release(&in.gpu);
    (void)test_mirror(&edges.gpu, &edges.host.view, device);
    (void)test_mirror(&in.gpu, &in.host.view, device);
    tess_array host = { .data = NULL };
    CHECK_OK(tess_histogram(&out, &in.gpu, 2, 0, &opts));
    CHECK_OK(tess_histogram(&host, &in.host.view, 2, 0, &(tess_histogram_opts){ .edges = &edges.host.view }));
    CHECK(test_same_bits(&out, &host));
    tess_release(&out);
    tess_release(&host);
    drop(&in);
    drop(&edges);
}

/* ---- Masks ---- */

static const tess_dtype any_dtypes[] = { TESS_F32, TESS_MAT34_F64, TESS_U8, TESS_C64, TESS_VEC3_F32, TESS_I16 };

TEST(elements_chosen_by_masks_are_those_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 40 : 2); i++) {
        const tess_shape shape = TESS_SHAPE(2, any_size(3), any_size(30), i < 2 ? 200 : 20);
        pair             in, mask;
        tess_array       gpu[2] = { { .data = NULL } }, host[2] = { { .data = NULL } };
        make(&in, any_layout(n_output_layouts), shape, any_dtypes[i % 6], 0);
        make(&mask, any_layout(n_layouts), shape, i % 3 ? TESS_BOOL : TESS_U8, 0);
        CHECK_OK(tess_compress(&gpu[0], &gpu[1], &in.gpu, &mask.gpu));
        CHECK_OK(tess_compress(&host[0], &host[1], &in.host.view, &mask.host.view));
        CHECK(test_same_bits(&gpu[1], &host[1]));
        CHECK(test_same_bits(&gpu[0], &host[0]));
        CHECK_OK(tess_reverse(&gpu[0], &gpu[0], TESS_W));
        CHECK_OK(tess_reverse(&host[0], &host[0], TESS_W));
        CHECK_OK(tess_place(&in.gpu, &gpu[0], &mask.gpu));
        CHECK_OK(tess_place(&in.host.view, &host[0], &mask.host.view));
        CHECK(test_same_bits(&in.gpu, &in.host.view));
        if (i % 2 == 0 && i % 6 < 3) {
            CHECK_OK(tess_place(&in.gpu, &tess_num(7), &mask.gpu));
            CHECK_OK(tess_place(&in.host.view, &tess_num(7), &mask.host.view));
            CHECK(test_same_bits(&in.gpu, &in.host.view));
        }
        CHECK_FAILS(tess_place(&in.gpu, &in.gpu, &mask.gpu), TESS_EALIAS, "place");
        for (int k = 0; k < 2; k++) {
            tess_release(&gpu[k]);
            tess_release(&host[k]);
        }
        drop(&in);
        drop(&mask);
    }
}

TEST(values_that_a_mask_does_not_choose_are_refused)
{
    tess_device device;
    pair        in, mask, values;
    if (!test_gpu(&device)) return;
    make(&in, layout_contiguous, TESS_SHAPE(1, 1, 3, 4), TESS_F32, 0);
    make(&mask, layout_contiguous, TESS_SHAPE(1, 1, 3, 4), TESS_BOOL, 0);
    make(&values, layout_contiguous, TESS_SHAPE(1, 1, 1, 13), TESS_F32, 0);
    CHECK_FAILS(tess_place(&in.gpu, &values.gpu, &mask.gpu), TESS_ESHAPE,
                "values has 13 elements and the mask selects");
    CHECK_FAILS(tess_place(&in.gpu, &values.host.view, &mask.gpu), TESS_EDEVICE, "gpu:0", "cpu");
    CHECK(test_same_bits(&in.gpu, &in.host.view));
    drop(&in);
    drop(&mask);
    drop(&values);
}

/* ---- Places ---- */

static void set_indices(pair *indices, int64_t n)
{
    tess_array *view = &indices->host.view;
    for (int64_t b = 0; b < view->shape.b; b++)
        for (int64_t d = 0; d < view->shape.d; d++)
            for (int64_t h = 0; h < view->shape.h; h++)
                for (int64_t w = 0; w < view->shape.w; w++)
                    CHECK_OK(tess_set_f64(view, b, d, h, w, (double)test_random_in(-n, n - 1)));
    tess_release(&indices->gpu);
    (void)test_mirror(&indices->gpu, view, tess_gpu(0));
}

static void take_some(tess_shape shape, int axis, tess_dtype dtype)
{
    tess_shape line = TESS_SHAPE(1, 1, 1, 1), along = shape;
    pair       in, indices, others;
    tess_array gpu = { .data = NULL }, host = { .data = NULL };
    line.dim[test_random_in(0, 3)] = test_random_in(1, 70);
    along.dim[axis] = test_random_in(1, 20);
    make(&in, any_layout(n_layouts), shape, dtype, 0);
    make(&indices, any_layout(n_output_layouts), line, TESS_I64, 0);
    make(&others, any_layout(n_output_layouts), along, TESS_I16, 0);
    set_indices(&indices, shape.dim[axis]);
    set_indices(&others, shape.dim[axis]);
    CHECK_OK(tess_take(&gpu, &in.gpu, &indices.gpu, axis));
    CHECK_OK(tess_take(&host, &in.host.view, &indices.host.view, axis));
    (void)same(&gpu, &host, line_text("take", &in.gpu, axis));
    CHECK_OK(tess_take_along(&gpu, &in.gpu, &others.gpu, axis));
    CHECK_OK(tess_take_along(&host, &in.host.view, &others.host.view, axis));
    (void)same(&gpu, &host, line_text("take_along", &in.gpu, axis));
    CHECK_OK(tess_take(&gpu, &in.gpu, &tess_i64(-1), axis));
    CHECK_OK(tess_take(&host, &in.host.view, &tess_i64(-1), axis));
    (void)same(&gpu, &host, line_text("take of one", &in.gpu, axis));
    drop(&in);
    drop(&indices);
    drop(&others);
}

static void put_some(tess_shape shape, int axis, tess_dtype dtype)
{
    static const tess_put_opts add = { .add = 1 };
    const int64_t              n = test_random_in(1, 30);
    tess_shape                 line = TESS_SHAPE(1, 1, n, 1), slices = shape;
    pair                       out, in, indices;
    slices.dim[axis] = n;
    make(&out, any_layout(n_output_layouts), shape, dtype, 0);
    make(&in, any_layout(n_layouts), slices, dtype, 0);
    make(&indices, any_layout(n_output_layouts), line, TESS_I32, 0);
    set_indices(&indices, shape.dim[axis]);
    CHECK_OK(tess_put(&out.gpu, &in.gpu, &indices.gpu, axis, NULL));
    CHECK_OK(tess_put(&out.host.view, &in.host.view, &indices.host.view, axis, NULL));
    CHECK(test_same_bits(&out.gpu, &out.host.view));
    CHECK_OK(tess_put(&out.gpu, &in.gpu, &indices.gpu, axis, &add));
    CHECK_OK(tess_put(&out.host.view, &in.host.view, &indices.host.view, axis, &add));
    CHECK(test_same_bits(&out.gpu, &out.host.view));
    drop(&out);
    drop(&in);
    drop(&indices);
}

/* Through the whole array. */
static void move_flat(tess_shape shape, tess_dtype dtype)
{
    static const tess_put_opts add = { .add = 1 };
    const tess_shape           some = TESS_SHAPE(1, any_size(3), any_size(4), any_size(9));
    pair                       whole, in, indices;
    tess_array                 gpu = { .data = NULL }, host = { .data = NULL };
    make(&whole, any_layout(n_output_layouts), shape, dtype, 0);
    make(&in, any_layout(n_layouts), some, dtype, 0);
    make(&indices, any_layout(n_output_layouts), some, TESS_I32, 0);
    set_indices(&indices, tess_n_elements(&whole.gpu));
    CHECK_OK(tess_take_flat(&gpu, &whole.gpu, &indices.gpu));
    CHECK_OK(tess_take_flat(&host, &whole.host.view, &indices.host.view));
    (void)same(&gpu, &host, line_text("take_flat", &whole.gpu, 0));
    CHECK_OK(tess_put_flat(&whole.gpu, &in.gpu, &indices.gpu, NULL));
    CHECK_OK(tess_put_flat(&whole.host.view, &in.host.view, &indices.host.view, NULL));
    CHECK(test_same_bits(&whole.gpu, &whole.host.view));
    CHECK_OK(tess_put_flat(&whole.gpu, &in.gpu, &indices.gpu, &add));
    CHECK_OK(tess_put_flat(&whole.host.view, &in.host.view, &indices.host.view, &add));
    CHECK(test_same_bits(&whole.gpu, &whole.host.view));
    drop(&whole);
    drop(&in);
    drop(&indices);
}

TEST(elements_at_places_are_those_of_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 60 : test_fewer(3)); i++) {
        const tess_shape shape = TESS_SHAPE(any_size(3), any_size(4), any_size(9), i & 1 ? 16 : any_size(20));
        const int        axis = (int)test_random_in(0, 3);
        take_some(shape, axis, any_dtypes[i % 6]);
        put_some(shape, axis, any_dtypes[i % 6]);
        move_flat(shape, any_dtypes[i % 6]);
    }
    pair out;
    make(&out, layout_contiguous, TESS_SHAPE(1, 1, 3, 5), TESS_F32, 0);
    CHECK_OK(tess_put(&out.gpu, &tess_num(3), &tess_i64(1), 3, NULL));
    CHECK_OK(tess_put(&out.host.view, &tess_num(3), &tess_i64(1), 3, NULL));
    CHECK(test_same_bits(&out.gpu, &out.host.view));
    drop(&out);
}

TEST(indices_that_are_not_there_are_named)
{
    tess_device device;
    pair        in, indices;
    tess_array  out = { .data = NULL };
    if (!test_gpu(&device)) return;
    make(&in, layout_contiguous, TESS_SHAPE(1, 1, 3, 5), TESS_F32, 0);
    make(&indices, layout_stepped, TESS_SHAPE(1, 1, 1, 4), TESS_I16, 0);
    for (int64_t i = 0; i < 4; i++)
        CHECK_OK(tess_set_f64(&indices.host.view, 0, 0, 0, i, (double)(i < 2 ? i : -i * 3)));
    tess_release(&indices.gpu);
    (void)test_mirror(&indices.gpu, &indices.host.view, device);
    CHECK_FAILS(tess_take(&out, &in.gpu, &indices.gpu, 3), TESS_ERANGE, "indices[2] is -6; axis 3 has size 5");
    CHECK_FAILS(tess_put(&in.gpu, &tess_num(3), &indices.gpu, 3, NULL), TESS_ERANGE, "indices[2] is -6");
    CHECK_OK(tess_set_f64(&indices.host.view, 0, 0, 0, 1, 15));
    tess_release(&indices.gpu);
    (void)test_mirror(&indices.gpu, &indices.host.view, device);
    CHECK_FAILS(tess_take_flat(&out, &in.gpu, &indices.gpu), TESS_ERANGE, "indices[1] is 15; in has 15 elements");
    CHECK_FAILS(tess_put_flat(&in.gpu, &tess_num(3), &indices.gpu, NULL), TESS_ERANGE, "indices[1] is 15; out has");
    CHECK(test_same_bits(&in.gpu, &in.host.view));
    drop(&in);
    drop(&indices);
}
