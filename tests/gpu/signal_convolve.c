/* Convolution, median and rank filters, morphology and means on a GPU beside the CPU: the same bits, in every layout.
 * */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/random.h"
#include "tessera/signal.h"

/* An array on the host, and the same on the GPU. */
typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static layout random_layout(layout n) { return (layout)test_random_in(0, (int64_t)n - 1); }

static void make_pair(pair *p, tess_shape shape, tess_dtype dtype, tess_device device)
{
    const tess_kind kind = tess_dtype_kind(dtype);
    guarded_make(&p->host, random_layout(n_output_layouts), shape, dtype);
    if (kind == TESS_KIND_FLOAT || kind == TESS_KIND_COMPLEX)
        CHECK_OK(tess_random_uniform(&p->host.view, -2, 3, test_random(), NULL));
    else CHECK_OK(tess_random_integers(&p->host.view, 0, dtype == TESS_BOOL ? 1 : 100, test_random(), NULL));
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

static void check_same(const pair *p, const char *what, const tess_array *in, tess_shape window, int border)
{
    if (test_same_bits(&p->gpu, &p->host.view)) return;
    const int64_t *a = in->shape.dim, *b = window.dim;
    (void)test_failed(__FILE__, __LINE__, "%s, %s to %s: {%d,%d,%d,%d} by {%d,%d,%d,%d}, border %d", what,
                      tess_dtype_name(in->dtype), tess_dtype_name(p->host.view.dtype), (int)a[0], (int)a[1], (int)a[2],
                      (int)a[3], (int)b[0], (int)b[1], (int)b[2], (int)b[3], border);
}

/* Now and then wider than a tile. */
static tess_shape random_shape(void)
{
    const int64_t most = test_random() % 4 ? 20 : test_large() ? 500 : 100;
    return TESS_SHAPE(test_random_in(1, 2), test_random() % 2 ? 1 : test_random_in(1, 6), test_random_in(1, 40),
                      test_random_in(1, most));
}

static int64_t odd(int64_t most) { return 2 * test_random_in(0, most) + 1; }

static tess_shape random_window(tess_shape shape, bool any)
{
    const bool volume = any || shape.d > 1, image = volume || shape.h > 1;
    return TESS_SHAPE(1, volume ? odd(2) : 1, image ? odd(test_random() % 8 ? 3 : 12) : 1,
                      odd(test_random() % 8 ? 4 : 40));
}

/* ---- Convolution ---- */

static const struct {
    tess_dtype in, filter, out;
} kinds[] = { { TESS_F32, TESS_F32, TESS_F32 }, { TESS_F64, TESS_F64, TESS_F64 }, { TESS_C32, TESS_F32, TESS_C32 },
              { TESS_U8, TESS_F32, TESS_F32 },  { TESS_F16, TESS_F16, TESS_F16 }, { TESS_F32, TESS_C32, TESS_C32 },
              { TESS_C64, TESS_C64, TESS_C64 }, { TESS_I16, TESS_F32, TESS_U8 } };
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static void check_convolve(int kind, tess_device device)
{
    const int          border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
    const tess_shape   shape = random_shape(), window = random_window(shape, false);
    tess_convolve_opts o = { .border = border,
                             .method = TESS_CONVOLVE_DIRECT,
                             .correlate = (int32_t)(test_random() % 2),
                             .value = border == TESS_BORDER_VALUE ? 3 : 0 };
    pair               in, out, filter;
    make_pair(&in, shape, kinds[kind].in, device);
    make_pair(&filter, window, kinds[kind].filter, device);
    make_pair(&out, shape, kinds[kind].out, device);
    CHECK_OK(tess_convolve(&out.host.view, &in.host.view, &filter.host.view, &o));
    CHECK_OK(tess_convolve(&out.gpu, &in.gpu, test_random() % 2 ? &filter.gpu : &filter.host.view, &o));
    check_same(&out, "convolve", &in.host.view, window, border);
    drop(&in);
    drop(&filter);
    drop(&out);
}

TEST(convolve_as_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 400 : test_fewer(60)); i++)
        check_convolve(i % (test_large() ? N_KINDS : 6), device);
}

static void check_separable(int kind, tess_shape shape, tess_shape window, tess_device device)
{
    const int           border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
    tess_separable_opts o = { .border = border, .value = border == TESS_BORDER_VALUE ? 3 : 0 };
    pair                in, out, filter[3];
    const tess_array   *host[3] = { NULL }, *gpu[3] = { NULL };
    const int           used = (int)test_random_in(1, 7);
    make_pair(&in, shape, kinds[kind].in, device);
    make_pair(&out, shape, kinds[kind].out, device);
    for (int k = 0; k < 3; k++) {
        make_pair(&filter[k], TESS_SHAPE(1, 1, 1, window.dim[k + 1]), kinds[kind].filter, device);
        if (used & 1 << k) host[k] = &filter[k].host.view, gpu[k] = &filter[k].gpu;
    }
    CHECK_OK(tess_convolve_separable(&out.host.view, &in.host.view, host[0], host[1], host[2], &o));
    CHECK_OK(tess_convolve_separable(&out.gpu, &in.gpu, gpu[0], gpu[1], gpu[2], &o));
    check_same(&out, "separable", &in.host.view, window, border);
    drop(&in);
    drop(&out);
    for (int k = 0; k < 3; k++) drop(&filter[k]);
}

TEST(convolve_along_axes_as_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 300 : test_fewer(40)); i++) {
        const tess_shape shape = random_shape();
        check_separable(i % (test_large() ? N_KINDS : 4), shape, random_window(shape, true), device);
    }
}

/* By transforms: within what the header says. */
TEST(convolve_by_transforms)
{
    tess_device device;
    pair        in, out, filter;
    tess_array  back = { 0 };
    double      most = 0;
    if (!test_gpu(&device)) return;
    make_pair(&in, TESS_SHAPE(2, 1, 33, 40), TESS_F32, device);
    make_pair(&out, TESS_SHAPE(2, 1, 33, 40), TESS_F32, device);
    make_pair(&filter, TESS_SHAPE(1, 1, 5, 7), TESS_F32, device);
    CHECK_OK(tess_convolve(&out.host.view, &in.host.view, &filter.host.view, NULL));
    CHECK_OK(tess_convolve(&out.gpu, &in.gpu, &filter.gpu, &(tess_convolve_opts){ .method = TESS_CONVOLVE_FFT }));
    CHECK_OK(tess_to_device(&back, &out.gpu, tess_cpu()));
    for (int64_t i = 0; i < 33 * 40; i++) {
        double a, b;
        CHECK_OK(tess_get_f64(&a, &back, 1, 0, i / 40, i % 40));
        CHECK_OK(tess_get_f64(&b, &out.host.view, 1, 0, i / 40, i % 40));
        most = most > (a > b ? a - b : b - a) ? most : (a > b ? a - b : b - a);
    }
    CHECK(most <= 1e-6 * 12 * 3 * 35 * 3);
    tess_release(&back);
    drop(&in);
    drop(&out);
    drop(&filter);
}

/* ---- Ranks ---- */

static void check_rank(tess_dtype dtype, tess_shape window, tess_device device)
{
    const int        border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
    const tess_shape shape = random_shape();
    const int64_t    n = window.d * window.h * window.w, rank = test_random() % 2 ? n / 2 : test_random_in(0, n - 1);
    tess_rank_opts   o = { .border = border, .value = border == TESS_BORDER_VALUE ? 3 : 0 };
    pair             in, out;
    make_pair(&in, shape, dtype, device);
    make_pair(&out, shape, dtype, device);
    CHECK_OK(tess_rank_filter(&out.host.view, &in.host.view, window, rank, &o));
    CHECK_OK(tess_rank_filter(&out.gpu, &in.gpu, window, rank, &o));
    check_same(&out, "rank", &in.host.view, window, border);
    drop(&in);
    drop(&out);
}

TEST(ranks_as_on_the_cpu)
{
    static const tess_shape small[] = {
        { { 1, 1, 3, 3 } }, { { 1, 1, 5, 5 } }, { { 1, 1, 1, 3 } }, { { 1, 7, 1, 1 } }, { { 1, 1, 5, 1 } }
    };
    static const tess_dtype dtypes[] = { TESS_F32, TESS_U8,   TESS_F16, TESS_U16, TESS_F64, TESS_I16,
                                         TESS_I8,  TESS_BOOL, TESS_U32, TESS_I64, TESS_U64, TESS_I32 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 400 : test_fewer(60)); i++) {
        const tess_shape shape = TESS_SHAPE(1, 2, 2, 2);
        check_rank(dtypes[i % (test_large() ? 12 : 4)],
                   i % 3 ? small[test_random() % (test_large() ? 5 : 3)] : random_window(shape, true), device);
    }
    check_rank(TESS_U8, TESS_SHAPE(1, 1, 151, 151), device); /* more than shared memory holds */
}

/* ---- Morphology ---- */

static void check_extremes(tess_dtype dtype, tess_shape shape, tess_shape window, tess_device device)
{
    static tess_status (*const operations[])(tess_array *, const tess_array *, const tess_grey_opts *) = {
        tess_grey_erode,   tess_grey_dilate,           tess_grey_open, tess_grey_close, tess_white_tophat,
        tess_black_tophat, tess_morphological_gradient
    };
    const int      border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_REFLECT);
    const int      which = (int)test_random_in(0, 6);
    tess_grey_opts o = { .border = border, .value = border == TESS_BORDER_VALUE ? 3 : 0 };
    pair           in, out, footprint;
    make_pair(&in, shape, dtype, device);
    make_pair(&out, shape, dtype, device);
    make_pair(&footprint, window, TESS_U8, device);
    const bool is_box = test_random() % 2;
    if (is_box) o.window = window;
    else o.footprint = &footprint.host.view;
    CHECK_OK(operations[which](&out.host.view, &in.host.view, &o));
    if (!is_box && test_random() % 2) o.footprint = &footprint.gpu;
    CHECK_OK(operations[which](&out.gpu, &in.gpu, &o));
    check_same(&out, is_box ? "box" : "footprint", &in.host.view, window, border);
    drop(&in);
    drop(&out);
    drop(&footprint);
}

TEST(morphology_as_on_the_cpu)
{
    static const tess_dtype dtypes[] = { TESS_F32, TESS_U8,  TESS_BOOL, TESS_I16, TESS_F64, TESS_F16,
                                         TESS_I8,  TESS_U16, TESS_U32,  TESS_I64, TESS_U64, TESS_I32 };
    tess_device             device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 300 : test_fewer(40)); i++) {
        const tess_shape shape = random_shape();
        check_extremes(dtypes[i % (test_large() ? 12 : 3)], shape, random_window(shape, true), device);
    }
}

TEST(masks_and_reconstructions_as_on_the_cpu)
{
    tess_device device;
    pair        in, mask, out, bools;
    if (!test_gpu(&device)) return;
    make_pair(&in, TESS_SHAPE(2, 5, 17, 23), TESS_U8, device);
    make_pair(&mask, TESS_SHAPE(2, 5, 17, 23), TESS_U8, device);
    make_pair(&out, TESS_SHAPE(2, 5, 17, 23), TESS_U8, device);
    make_pair(&bools, TESS_SHAPE(2, 5, 17, 23), TESS_BOOL, device);
    const tess_shape none = { { 0 } };
    for (int full = 0; full < 2; full++) {
        const tess_fill_holes_opts        f = { .full = full };
        const tess_morph_reconstruct_opts r = { .full = full, .by_erosion = full };
        CHECK_OK(tess_fill_holes(&out.host.view, &bools.host.view, &f));
        CHECK_OK(tess_fill_holes(&out.gpu, &bools.gpu, &f));
        check_same(&out, "fill_holes", &bools.host.view, none, 0);
        CHECK_OK(tess_morph_reconstruct(&out.host.view, &in.host.view, &mask.host.view, &r));
        CHECK_OK(tess_morph_reconstruct(&out.gpu, &in.gpu, &mask.gpu, &r));
        check_same(&out, "morph_reconstruct", &in.host.view, none, 0);
    }
    drop(&in);
    drop(&mask);
    drop(&out);
    drop(&bools);
}

/* ---- Means ---- */

static void check_means(int kind, tess_shape shape, tess_shape window, tess_device device)
{
    static const struct {
        tess_dtype in, out;
    } dtypes[] = { { TESS_F32, TESS_F32 }, { TESS_F64, TESS_F64 }, { TESS_C32, TESS_C32 },
                   { TESS_U8, TESS_F32 },  { TESS_F16, TESS_F16 }, { TESS_C64, TESS_C64 } };
    const int         border = (int)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_NOTHING);
    tess_uniform_opts o = { .border = border, .value = border == TESS_BORDER_VALUE ? 3 : 0 };
    pair              in, out;
    make_pair(&in, shape, dtypes[kind].in, device);
    make_pair(&out, shape, dtypes[kind].out, device);
    CHECK_OK(tess_uniform_filter(&out.host.view, &in.host.view, window, &o));
    CHECK_OK(tess_uniform_filter(&out.gpu, &in.gpu, window, &o));
    check_same(&out, "uniform_filter", &in.host.view, window, border);
    drop(&in);
    drop(&out);
}

/* Windows of many elements have kernels of their own. */
static void check_long_means(tess_shape window, tess_device device)
{
    pair in, out;
    make_pair(&in, TESS_SHAPE(1, 1, 3, 70), TESS_F32, device);
    make_pair(&out, TESS_SHAPE(1, 1, 3, 70), TESS_F32, device);
    const tess_uniform_opts o = { .border = TESS_BORDER_MIRROR };
    CHECK_OK(tess_uniform_filter(&out.host.view, &in.host.view, window, &o));
    CHECK_OK(tess_uniform_filter(&out.gpu, &in.gpu, window, &o));
    check_same(&out, "uniform_filter", &in.host.view, window, TESS_BORDER_MIRROR);
    drop(&in);
    drop(&out);
}

TEST(means_as_on_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 300 : test_fewer(40)); i++) {
        const tess_shape shape = random_shape();
        check_means(i % (test_large() ? 6 : 3), shape, random_window(shape, true), device);
    }
    check_long_means(TESS_SHAPE(1, 1, 1, 1027), device);
    check_long_means(TESS_SHAPE(1, 1, 33, 1), device);
}

/* Tiles of both axes at once, some of which touch no edge. */
TEST(planes_of_several_tiles_as_on_the_cpu)
{
    static const int windows[][2] = { { 3, 3 }, { 5, 7 }, { 33, 31 }, { 33, 3 }, { 3, 33 } };
    tess_device      device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 100 : 3); i++) {
        const tess_shape shape = TESS_SHAPE(1, 1, test_random_in(200, 300), test_random_in(200, 300));
        const tess_shape window = TESS_SHAPE(1, 1, windows[i % 5][0], windows[i % 5][1]);
        check_separable(test_large() ? i / 5 % N_KINDS : 0, shape, window, device);
        check_extremes(test_large() && i / 5 % 2 ? TESS_I16 : TESS_F32, shape, window, device);
        check_means(test_large() ? i / 5 % 6 : 0, shape, window, device);
    }
}

TEST(helpers_as_on_the_cpu)
{
    tess_device device;
    pair        in, out;
    tess_array  counts[2] = { { .data = NULL } };
    if (!test_gpu(&device)) return;
    make_pair(&in, TESS_SHAPE(2, 5, 17, 23), TESS_F32, device);
    make_pair(&out, TESS_SHAPE(2, 5, 17, 23), TESS_F32, device);
    const tess_shape none = { { 0 } };
    CHECK_OK(tess_gaussian_filter(&out.host.view, &in.host.view, 0.7, 1, 2, NULL));
    CHECK_OK(tess_gaussian_filter(&out.gpu, &in.gpu, 0.7, 1, 2, NULL));
    check_same(&out, "gaussian", &in.host.view, none, 0);
    CHECK_OK(tess_laplacian(&out.host.view, &in.host.view, 0, NULL));
    CHECK_OK(tess_laplacian(&out.gpu, &in.gpu, 0, NULL));
    check_same(&out, "laplacian", &in.host.view, none, 0);
    CHECK_OK(
        tess_derivative(&out.host.view, &in.host.view, 2, &(tess_derivative_opts){ .kind = TESS_DERIVATIVE_SOBEL }));
    CHECK_OK(tess_derivative(&out.gpu, &in.gpu, 2, &(tess_derivative_opts){ .kind = TESS_DERIVATIVE_SOBEL }));
    check_same(&out, "derivative", &in.host.view, none, 0);
    for (int axes = 0; axes <= TESS_W; axes += TESS_W) {
        CHECK_OK(tess_sobel(&out.host.view, &in.host.view, axes, NULL));
        CHECK_OK(tess_sobel(&out.gpu, &in.gpu, axes, NULL));
        check_same(&out, "sobel", &in.host.view, none, 0);
    }
    CHECK_OK(tess_remove_outliers(&out.host.view, &in.host.view, 1.7, &(tess_outliers_opts){ .count = &counts[0] }));
    CHECK_OK(tess_remove_outliers(&out.gpu, &in.gpu, 1.7, &(tess_outliers_opts){ .count = &counts[1] }));
    check_same(&out, "outliers", &in.host.view, none, 0);
    CHECK(test_same_bits(&counts[1], &counts[0]));
    tess_release(&counts[0]);
    tess_release(&counts[1]);
    drop(&in);
    drop(&out);
}
