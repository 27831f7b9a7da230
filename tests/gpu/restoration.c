/* Bilateral filters, non-local means and anisotropic diffusion on a GPU beside the CPU: the same bits, in every layout.
 * Deconvolution: within the errors of transforms. */
#include "support/gpu.h"
#include "support/layouts.h"
#include "tessera/random.h"
#include "tessera/restoration.h"

static const struct {
    tess_dtype in, out;
} kinds[] = { { TESS_F32, TESS_F32 }, { TESS_F64, TESS_F64 }, { TESS_U8, TESS_F32 },
              { TESS_F16, TESS_F16 }, { TESS_F32, TESS_U8 },  { TESS_I32, TESS_F64 } };
enum { N_KINDS = sizeof kinds / sizeof *kinds };

/* Of whole numbers too. */
static void make_pair(gpu_pair *p, tess_shape shape, tess_dtype dtype, tess_device device)
{
    const layout where = (layout)test_random_in(0, (int64_t)n_output_layouts - 1);
    guarded_make(&p->host, where, shape, dtype);
    if (tess_dtype_kind(dtype) == TESS_KIND_FLOAT)
        CHECK_OK(tess_random_uniform(&p->host.view, 0, 50, test_random(), NULL));
    else CHECK_OK(tess_random_integers(&p->host.view, 0, 50, test_random(), NULL));
    p->gpu = (tess_array){ .data = NULL };
    (void)test_mirror(&p->gpu, &p->host.view, device);
}

static tess_shape random_shape(void)
{
    return TESS_SHAPE(test_random_in(1, 2), test_random() % 2 ? 1 : test_random_in(1, 5), test_random_in(1, 20),
                      test_random_in(1, test_large() ? 200 : 40));
}

static void check_same(const gpu_pair *out, const char *what, const gpu_pair *in, int border)
{
    const int64_t *n = in->host.view.shape.dim;
    if (test_same_bits(&out->gpu, &out->host.view)) return;
    (void)test_failed(__FILE__, __LINE__, "%s, %s to %s: {%d,%d,%d,%d}, border %d", what,
                      tess_dtype_name(in->host.view.dtype), tess_dtype_name(out->host.view.dtype), (int)n[0], (int)n[1],
                      (int)n[2], (int)n[3], border);
}

static void check_noise(int kind, tess_device device)
{
    const int32_t       border = (int32_t)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_REFLECT);
    const double        value = border == TESS_BORDER_VALUE ? 3 : 0;
    const tess_shape    shape = random_shape();
    tess_bilateral_opts b = { .border = border, .value = value, .sigma_d = 0.5, .sigma_w = 1.5 };
    tess_nl_means_opts  m = { .border = border, .value = value, .noise = 3, .search = 3 };
    tess_diffusion_opts f = { .conductance = (int32_t)(test_random() % 3) };
    gpu_pair            in, out;
    make_pair(&in, shape, kinds[kind].in, device);
    make_pair(&out, shape, kinds[kind].out, device);
    CHECK_OK(tess_bilateral(&out.host.view, &in.host.view, 20, 1, &b));
    CHECK_OK(tess_bilateral(&out.gpu, &in.gpu, 20, 1, &b));
    check_same(&out, "bilateral", &in, border);
    m.patch = (int32_t)test_random_in(1, shape.d > 1 ? 2 : 4);
    CHECK_OK(tess_nl_means(&out.host.view, &in.host.view, 20, &m));
    CHECK_OK(tess_nl_means(&out.gpu, &in.gpu, 20, &m));
    check_same(&out, "nl_means", &in, border);
    CHECK_OK(tess_anisotropic_diffusion(&out.host.view, &in.host.view, 20, 3, &f));
    CHECK_OK(tess_anisotropic_diffusion(&out.gpu, &in.gpu, 20, 3, &f));
    check_same(&out, "anisotropic_diffusion", &in, border);
    gpu_pair_drop(&in);
    gpu_pair_drop(&out);
}

TEST(noise_is_removed_as_on_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    const int n = test_large() ? N_KINDS : 4;
    for (int i = 0; i < (test_large() ? 200 : test_fewer(24)); i++) check_noise(i % n, device);
}

/* Of values whose squares f32 does not hold. */
TEST(small_values_as_on_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int kind = 0; kind < 2; kind++) {
        const tess_nl_means_opts o = { .noise = 3e-24, .search = 3 };
        tess_array               in = { 0 }, there = { 0 }, want = { 0 }, got = { 0 };
        CHECK_OK(tess_empty(&in, TESS_SHAPE(1, 1, 12, 17), kinds[kind].in, tess_cpu()));
        CHECK_OK(tess_random_uniform(&in, 0, 5e-23, 3, NULL));
        CHECK_OK(tess_to_device(&there, &in, device));
        CHECK_OK(tess_bilateral(&want, &in, 2e-23, 1, NULL));
        CHECK_OK(tess_bilateral(&got, &there, 2e-23, 1, NULL));
        CHECK(test_same_bits(&got, &want));
        CHECK_OK(tess_nl_means(&want, &in, 2e-23, &o));
        CHECK_OK(tess_nl_means(&got, &there, 2e-23, &o));
        CHECK(test_same_bits(&got, &want));
        tess_release(&in);
        tess_release(&there);
        tess_release(&want);
        tess_release(&got);
    }
}

/* A patch of the largest size fits into shared memory. */
TEST(large_patches_as_on_the_cpu)
{
    tess_device device;
    gpu_pair    in, out;
    if (!test_gpu(&device)) return;
    for (int kind = 0; kind < 2; kind++) {
        const tess_nl_means_opts o = { .patch = 127, .search = 1 };
        make_pair(&in, TESS_SHAPE(1, 1, 2, 3), kinds[kind].in, device);
        make_pair(&out, TESS_SHAPE(1, 1, 2, 3), kinds[kind].out, device);
        CHECK_OK(tess_nl_means(&out.host.view, &in.host.view, 20, &o));
        CHECK_OK(tess_nl_means(&out.gpu, &in.gpu, 20, &o));
        check_same(&out, "nl_means", &in, o.border);
        gpu_pair_drop(&in);
        gpu_pair_drop(&out);
    }
}

/* The point spread function is on either device. */
static void check_blur(int kind, bool wiener, tess_device device)
{
    const int32_t                   border = (int32_t)test_random_in(TESS_BORDER_ZERO, TESS_BORDER_REFLECT);
    const double                    value = border == TESS_BORDER_VALUE ? 3 : 0;
    const tess_richardson_lucy_opts l = { .border = border, .value = value, .min_blurred = 1e-3 };
    const tess_wiener_opts          w = { .border = border, .value = value, .laplacian = 1 };
    const tess_shape                shape = random_shape();
    gpu_pair                        in, out, psf;
    make_pair(&in, shape, kinds[kind].in, device);
    make_pair(&out, shape, kinds[kind].out, device);
    make_pair(&psf, TESS_SHAPE(1, shape.d > 1 ? 3 : 1, shape.h > 1 || shape.d > 1 ? 4 : 1, 3), TESS_F32, device);
    const tess_array *where = test_random() % 2 ? &psf.gpu : &psf.host.view;
    if (wiener) {
        CHECK_OK(tess_wiener_deconvolve(&out.host.view, &in.host.view, &psf.host.view, 0.5, &w));
        CHECK_OK(tess_wiener_deconvolve(&out.gpu, &in.gpu, where, 0.5, &w));
    } else {
        CHECK_OK(tess_richardson_lucy(&out.host.view, &in.host.view, &psf.host.view, 2, &l));
        CHECK_OK(tess_richardson_lucy(&out.gpu, &in.gpu, where, 2, &l));
    }
    CHECK(test_close(&out.gpu, &out.host.view, kinds[kind].out == TESS_F64 ? 1e-10 : 1e-2));
    gpu_pair_drop(&in);
    gpu_pair_drop(&out);
    gpu_pair_drop(&psf);
}

TEST(blur_is_undone_as_on_the_cpu)
{
    tess_device device;
    if (!test_gpu(&device)) return;
    for (int i = 0; i < (test_large() ? 60 : test_fewer(12)); i++) check_blur(i % 3, i % 2 == 0, device);
}
