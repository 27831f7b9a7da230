/* Windows, tapers and statistics on a GPU beside the CPU: the same bits, or as near as sums in another order are. */
#include "support/gpu.h"
#include "support/layouts.h"

static tess_shape any_shape(void)
{
    return TESS_SHAPE(test_random_in(1, 3), test_random_in(0, 2) ? 1 : test_random_in(2, 4), test_random_in(4, 9),
                      test_random_in(4, 13));
}

static void set_any(void *context, const int64_t position[4])
{
    const tess_array *a = context;
    unsigned char    *to = element_at(a, position);
    for (int i = 0; i < tess_dtype_reals(a->dtype); i++) {
        const float x = (float)(test_random_unit() * 8 - 3);
        memcpy(to + i * 4, &x, sizeof x);
    }
}

typedef struct pair {
    guarded    host;
    tess_array gpu;
} pair;

static void make(pair *p, tess_shape shape, tess_dtype dtype, tess_device device)
{
    guarded_make(&p->host, (layout)test_random_in(0, n_output_layouts - 1), shape, dtype);
    each_index(shape, set_any, &p->host.view);
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static void drop(pair *p)
{
    tess_release(&p->gpu);
    guarded_free(&p->host);
}

/* ---- The same bits ---- */

TEST(windows_go_to_where_the_output_is)
{
    const tess_window_opts half = { .half = 1, .normalize = 1 };
    tess_device            device;
    pair                   p;
    if (!test_gpu(&device)) return;
    make(&p, TESS_SHAPE(1, 1, 17, 1), TESS_F32, device);
    CHECK_OK(tess_window_kaiser(&p.host.view, 17, 5, NULL));
    CHECK_OK(tess_window_kaiser(&p.gpu, 17, 5, NULL));
    CHECK(test_same_bits(&p.gpu, &p.host.view));
    CHECK_OK(tess_window_sinc(&p.host.view, 33, 0.4, &half));
    CHECK_OK(tess_window_sinc(&p.gpu, 33, 0.4, &half));
    CHECK(test_same_bits(&p.gpu, &p.host.view));
    drop(&p);
}

TEST(tapers)
{
    tess_device device;
    pair        p, q;
    if (!test_gpu(&device)) return;
    for (int k = 0; k < (test_large() ? 30 : 3); k++) {
        make(&p, any_shape(), TESS_F32, device);
        make(&q, p.host.view.shape, TESS_F32, device);
        const tess_taper_opts        edges = { .width_h = 2.5, .fraction = 0.3, .value = k };
        const tess_taper_radial_opts disc = { .width = 3, .shift_h = 0.5, .value = -k };
        CHECK_OK(tess_taper(&q.host.view, &p.host.view, &edges));
        CHECK_OK(tess_taper(&q.gpu, &p.gpu, &edges));
        CHECK(test_same_bits(&q.gpu, &q.host.view));
        CHECK_OK(tess_taper_radial(&p.host.view, &p.host.view, 2, &disc));
        CHECK_OK(tess_taper_radial(&p.gpu, &p.gpu, 2, &disc));
        CHECK(test_same_bits(&p.gpu, &p.host.view));
        drop(&p);
        drop(&q);
    }
}

/* ---- Sums in another order ---- */

TEST(statistics)
{
    tess_device device;
    pair        p, z;
    if (!test_gpu(&device)) return;
    for (int k = 0; k < (test_large() ? 30 : 2); k++) {
        const tess_shape shape = any_shape();
        tess_array       host = { 0 }, gpu = { 0 };
        make(&p, shape, TESS_F32, device);
        make(&z, tess_rfft_shape(shape), TESS_C32, device);
        CHECK_OK(tess_standardize(&z.host.view, &z.host.view, shape, NULL));
        CHECK_OK(tess_standardize(&z.gpu, &z.gpu, shape, NULL));
        CHECK(test_close(&z.gpu, &z.host.view, 1e-6));
        CHECK_OK(tess_average_power(&host, &p.host.view, TESS_SHAPE(1, 1, 4, 3), NULL));
        CHECK_OK(tess_average_power(&gpu, &p.gpu, TESS_SHAPE(1, 1, 4, 3), NULL));
        CHECK(test_close(&gpu, &host, 1e-5));
        tess_release(&host);
        tess_release(&gpu);
        CHECK_OK(tess_covariance(&host, &p.host.view, NULL));
        CHECK_OK(tess_covariance(&gpu, &p.gpu, NULL));
        CHECK(test_close(&gpu, &host, 1e-5));
        CHECK_OK(tess_normalize_background(&p.host.view, &p.host.view, 1.5, NULL));
        CHECK_OK(tess_normalize_background(&p.gpu, &p.gpu, 1.5, NULL));
        CHECK(test_close(&p.gpu, &p.host.view, 1e-6));
        tess_release(&host);
        tess_release(&gpu);
        drop(&p);
        drop(&z);
    }
}
